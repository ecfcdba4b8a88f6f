/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/future.h"

#include <stdlib.h>

#include "plugins/select_bestfit/alike.h"
#include "plugins/select_bestfit/bits.h"
#include "plugins/select_bestfit/sparse.h"

/* Kept from test to test: what stands in them for other nodes than those of the test is not looked at. */
static struct {
	node_use_record_t *usage;
	part_res_record_t *parts;
	part_row_data_t *rows;
	bitstr_t ***cores;	/* by partition, by node */
	bool *chosen;
	int part_count, node_count;
} future;

void future_clear(void)
{
	for (int p = 0; p < future.part_count; p++) {
		for (int n = 0; future.cores && future.cores[p] && n < future.node_count; n++)
			FREE_NULL_BITMAP(future.cores[p][n]);
		if (future.cores)
			free(future.cores[p]);
	}
	free(future.cores);
	free(future.usage);
	free(future.parts);
	free(future.rows);
	free(future.chosen);
	memset(&future, 0, sizeof(future));
}

static bool room_make(int parts)
{
	size_t nodes = (size_t) node_record_count;

	if (future.part_count == parts && future.node_count == node_record_count)
		return true;
	future_clear();
	future.part_count = parts;
	future.node_count = node_record_count;
	future.usage = calloc(nodes + 1, sizeof(*future.usage));
	future.chosen = calloc(nodes + 1, sizeof(*future.chosen));
	future.parts = calloc((size_t) parts + 1, sizeof(*future.parts));
	future.rows = calloc((size_t) parts + 1, sizeof(*future.rows));
	future.cores = calloc((size_t) parts + 1, sizeof(*future.cores));
	for (int p = 0; future.cores && p < parts; p++) {
		future.cores[p] = calloc(nodes + 1, sizeof(**future.cores));
		if (!future.cores[p])
			future_clear();
	}
	if (future.usage && future.chosen && future.parts && future.rows && future.cores)
		return true;
	future_clear();
	return false;
}

/* 'to' becomes as large as 'from', with the cores of 'from', or with none. */
static void cores_copy(bitstr_t **to, bitstr_t *from, bool empty)
{
	if (*to && (!from || bit_size(*to) != bit_size(from)))
		FREE_NULL_BITMAP(*to);
	if (!from)
		return;
	if (!*to)
		*to = bit_alloc(bit_size(from));
	if (empty)
		bit_clear_all(*to);
	else
		bit_copybits(*to, from);
}

/* A partition none of whose nodes is asked for has no rows in the tables that Slurm copies for the future. */
static void part_make(int p, const struct allocs_part *from, const bitstr_t *map, const uint32_t *chosen, size_t count,
		      size_t jobs_taken)
{
	/* with several rows there are no jobs on these nodes */
	const part_row_data_t *row = from->real->num_rows == 1 ? from->real->row : NULL;
	part_res_record_t *to = &future.parts[p];

	*to = (part_res_record_t) { .part_ptr = from->real->part_ptr, .next = p + 1 < future.part_count ? to + 1 : NULL };
	if (!to->part_ptr->node_bitmap || !bit_overlap_any((bitstr_t *) map, to->part_ptr->node_bitmap))
		return;
	to->num_rows = from->real->num_rows;
	if (!row)
		return;
	to->row = &future.rows[p];
	future.rows[p] = (part_row_data_t) { .num_jobs = row->num_jobs - (uint32_t) jobs_taken, .row_bitmap = row->row_bitmap
		? future.cores[p] : NULL, };
	/* Slurm clears a row with its last job, whatever else stands there. */
	for (size_t i = 0; row->row_bitmap && i < count; i++)
		cores_copy(&future.cores[p][chosen[i]], row->row_bitmap[chosen[i]], !future.rows[p].num_jobs);
}

static size_t taken_of_part(const struct future *f, int part)
{
	size_t count = 0;

	for (size_t i = 0; i < f->taken_count; i++)
		count += f->allocs->jobs[f->taken[i]].in_row && f->allocs->jobs[f->taken[i]].part == part;
	return count;
}

static void job_take(const struct future *f, const struct allocs_job *job)
{
	bitstr_t **cores = job->part >= 0 ? future.cores[job->part] : NULL;
	uint32_t words = f->allocs->words;

	if (!job->in_row)
		return;
	for (size_t i = job->first; i < job->first + job->count; i++) {
		const uint64_t *gone = &f->allocs->cores[i * words];
		uint32_t n = f->allocs->shares[i].node, has;

		if (!future.chosen[n] || !cores[n])
			continue;
		has = bits_word_count((uint32_t) bit_size(cores[n]));
		for (uint32_t w = 0; w < words && w < has; w++)
			cores[n][BITSTR_OVERHEAD + w] &= (bitstr_t) ~gone[w];
	}
}

static bool tables_make(const struct future *f, const bitstr_t *map, const uint32_t *chosen, size_t count)
{
	if (!room_make(f->allocs->part_count))
		return false;
	for (int p = 0; p < f->allocs->part_count; p++)
		part_make(p, &f->allocs->parts[p], map, chosen, count, taken_of_part(f, p));
	for (size_t i = 0; i < count; i++) {
		uint32_t n = chosen[i];

		future.chosen[n] = true;
		future.usage[n] = (node_use_record_t) { .alloc_memory = f->nodes[n].memory_used_mib, .node_state =
			f->nodes[n].state };
	}
	for (size_t i = 0; i < f->taken_count; i++)
		job_take(f, &f->allocs->jobs[f->taken[i]]);
	for (size_t i = 0; i < count; i++)
		future.chosen[chosen[i]] = false;
	return true;
}

int future_ask_now(job_test_f inner, const struct job_test *c, bitstr_t *map, const uint32_t *chosen, size_t count)
{
	bool now_only = c->job->bit_flags & TEST_NOW_ONLY;
	int rc;

	c->job->bit_flags |= TEST_NOW_ONLY;
	sparse_begin(chosen, count);
	alike_begin();
	rc = inner(c->job, map, c->min_nodes, c->max_nodes, c->req_nodes, c->mode, NULL, NULL, NULL);
	alike_end();
	sparse_end();
	if (!now_only)
		c->job->bit_flags &= ~TEST_NOW_ONLY;
	return rc;
}

/* A test of the future may fail at spreading tasks over sockets without holding the job for it, as a test of now would. */
int future_ask(job_test_f inner, const struct job_test *c, bitstr_t *map, const uint32_t *chosen, size_t count,
	       const struct future *f)
{
	part_res_record_t *parts = select_part_record;
	node_use_record_t *usage = select_node_usage;
	uint32_t priority = c->job->priority;
	uint32_t reason = c->job->state_reason;
	int rc;

	if (!tables_make(f, c->map, chosen, count))
		return ENOMEM;
	select_part_record = future.parts;
	select_node_usage = future.usage;
	rc = future_ask_now(inner, c, map, chosen, count);
	/* Whatever the test has said: all of slurmctld looks at these two. */
	select_part_record = parts;
	select_node_usage = usage;
	c->job->priority = priority;
	c->job->state_reason = reason;
	return rc;
}
