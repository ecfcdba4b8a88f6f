/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Not part of the plugin: a library of its own, to be preloaded into slurmctld (windtunnel-bestfit(5), SPEED).
 *
 * For each submission slurmctld asks libslurmfull twice for a map of all nodes that there are, which that makes bit by bit
 * with two calls for each, and goes through all nodes once more to see their owners.  Here are three of its functions with
 * the same results: the map word by word, and a step to the next node that lets the processor fetch the record of one
 * further on, which is not in its cache.  No answer depends on it.
 *
 * What is libslurmfull's is weak: programs without it may be started with the same environment. */
#include "compat/controller.h"

#include "plugins/select_bestfit/bits.h"

#define EXPORT __attribute__((visibility("default")))
#define AHEAD 24	/* nodes: some hundred ns of a loop that only looks at a field */

#pragma weak node_record_table_ptr
#pragma weak node_record_count
#pragma weak last_node_index
#pragma weak slurm_bit_alloc

extern int last_node_index;

EXPORT node_record_t *next_node(int *index);
EXPORT void node_conf_set_all_active_bits(bitstr_t *b);
EXPORT bitstr_t *node_conf_get_active_bitmap(void);

/* The first node at 'index' or behind it; *index becomes its. */
node_record_t *next_node(int *index)
{
	/* Nodes that were removed leave a hole; behind the last one there are only such. */
	for (; *index < node_record_count && *index <= last_node_index; (*index)++) {
		node_record_t *node = node_record_table_ptr[*index];

		if (!node)
			continue;
		if (*index + AHEAD < node_record_count && node_record_table_ptr[*index + AHEAD])
			__builtin_prefetch(&node_record_table_ptr[*index + AHEAD]->owner);
		return node;
	}
	return NULL;
}

void node_conf_set_all_active_bits(bitstr_t *b)
{
	uint64_t *words = (uint64_t *) (b + BITSTR_OVERHEAD);

	for (int first = 0; first < node_record_count; first += 64) {
		int count = node_record_count - first < 64 ? node_record_count - first : 64;
		uint64_t word = 0;

		for (int n = 0; n < count; n++)
			word |= (uint64_t) (node_record_table_ptr[first + n] != NULL) << n;
		words[first / 64] |= word;
	}
}

bitstr_t *node_conf_get_active_bitmap(void)
{
	bitstr_t *b = bit_alloc(node_record_count);

	node_conf_set_all_active_bits(b);
	return b;
}
