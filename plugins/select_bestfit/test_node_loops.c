/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_loops.c, which stands before libslurmfull here as it does when it is preloaded, against what it hides. */
#include "compat/controller.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define NODES_MAX 300

extern int last_node_index;

typedef node_record_t *(*next_f)(int *);
typedef bitstr_t *(*map_f)(void);
typedef void (*set_f)(bitstr_t *);

static node_record_t records[NODES_MAX], *table[NODES_MAX];

/* 'count' places, every 'hole'th of them empty; 0: none. */
static void nodes_make(int count, int hole)
{
	node_record_table_ptr = table;
	node_record_count = count;
	last_node_index = -1;
	for (int n = 0; n < count; n++) {
		records[n].index = n;
		table[n] = hole && rand() % hole == 0 ? NULL : &records[n];
		if (table[n])
			last_node_index = n;
	}
}

static void *hidden(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	assert_non_null(f);
	return f;
}

static void steps_compare(next_f theirs)
{
	const node_record_t *ours, *other;
	int i = 0, j = 0;

	do {
		ours = next_node(&i);
		other = theirs(&j);
		assert_ptr_equal(ours, other);
		assert_true(!ours || i == j);
		i++, j++;
	} while (ours);
}

static void maps_compare(map_f map, set_f set)
{
	bitstr_t *ours = node_conf_get_active_bitmap(), *theirs = map();

	assert_true(bit_equal(ours, theirs));
	FREE_NULL_BITMAP(ours);
	FREE_NULL_BITMAP(theirs);
	/* What is set stays set. */
	ours = bit_alloc(node_record_count);
	bit_set(ours, node_record_count / 2);
	theirs = bit_copy(ours);
	node_conf_set_all_active_bits(ours);
	set(theirs);
	assert_true(bit_equal(ours, theirs));
	FREE_NULL_BITMAP(ours);
	FREE_NULL_BITMAP(theirs);
}

static void test_the_same_nodes(void **state)
{
	next_f next = (next_f) hidden("next_node");
	map_f map = (map_f) hidden("node_conf_get_active_bitmap");
	set_f set = (set_f) hidden("node_conf_set_all_active_bits");

	(void) state;
	assert_ptr_not_equal(next, next_node);
	for (int count = 1; count <= NODES_MAX; count++)
		for (int hole = 0; hole < 6; hole++) {
			nodes_make(count, hole);
			steps_compare(next);
			maps_compare(map, set);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_same_nodes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
