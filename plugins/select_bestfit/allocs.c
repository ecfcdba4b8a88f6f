/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of select/cons_tres say which cores are taken, but not by whom: each job's part is read from its own map of
 * cores.  A whole reading costs O(nodes + jobs * their nodes), and is made only after something has changed. */
#include "plugins/select_bestfit/allocs.h"

#include <stdlib.h>

#include "plugins/select_bestfit/bits.h"

/* slurmctld's; Slurm's commands load the plugin, too, and have none. */
#pragma weak job_list
#pragma weak find_job_record

#define WORD_BITS 64
#define WORDS_MAX 16	/* of the cores of a node */
#define CORES_MAX (WORD_BITS * WORDS_MAX)

/* A job that stands in a partition's row. */
struct row_job {
	const struct job_resources *resources;
	int part;
};

static struct {
	struct allocs now;
	size_t job_room, share_room, core_room, share_count, row_count;
	struct row_job *rows;		/* by address */
	job_record_t **order;
	uint64_t *used;			/* cores of each node that some row has, now.words of them */
	uint32_t node_count;
	int listed;			/* length of job_list when it was read */
	time_t read;
	bool stale, failed, jobs_known;
} allocs = { .stale = true };

void allocs_changed(void)
{
	allocs.stale = true;
}

static void parts_free(void)
{
	for (int p = 0; p < allocs.now.part_count; p++)
		free(allocs.now.parts[p].nodes);
	free(allocs.now.parts);
	allocs.now.parts = NULL;
	allocs.now.part_count = 0;
}

void allocs_clear(void)
{
	uint64_t serial = allocs.now.serial;

	parts_free();
	free(allocs.now.nodes);
	free(allocs.now.strange);
	free(allocs.now.gres);
	free(allocs.now.jobs);
	free(allocs.now.shares);
	free(allocs.now.cores);
	free(allocs.rows);
	free(allocs.order);
	free(allocs.used);
	memset(&allocs, 0, sizeof(allocs));
	allocs.now.serial = serial;
	allocs.stale = true;
}

/* Room for 'more' of them beyond 'count' in *array. */
static bool grow_by(void **array, size_t *room, size_t count, size_t more, size_t size)
{
	size_t wanted = *room ? *room : 64;
	void *larger;

	if (count + more <= *room)
		return true;
	while (wanted < count + more)
		wanted *= 2;
	larger = reallocarray(*array, wanted, size);
	if (!larger) {
		allocs.failed = true;
		return false;
	}
	*array = larger;
	*room = wanted;
	return true;
}

static bool grow(void **array, size_t *room, size_t count, size_t size)
{
	return grow_by(array, room, count, 1, size);
}

static uint64_t low_bits(uint32_t count)
{
	return count >= WORD_BITS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* 'count' (at most 64) bits of 'b' from 'first' on. */
static uint64_t bits_range(const bitstr_t *b, uint32_t first, uint32_t count)
{
	const uint64_t *words = bits_words(b);
	uint32_t shift = first % 64;
	uint64_t bits = words[first / 64] >> shift;

	if (shift && shift + count > 64)
		bits |= words[first / 64 + 1] << (64 - shift);
	return bits & low_bits(count);
}

/* The cores that a row gets for a job, on its nodes one after the other; a job of whole nodes has all of them, whatever its
 * own map says. */
struct core_walk {
	const struct job_resources *r;
	int64_t node, last;	/* node -1 at the beginning */
	uint32_t rank, offset;	/* among the job's nodes; in its map of cores */
	uint64_t cores[WORDS_MAX];	/* of 'node'; a strange one's are not known */
};

static void walk_cores_read(struct core_walk *w)
{
	uint32_t count = node_record_table_ptr[w->node]->tot_cores;

	for (uint32_t i = 0; i < allocs.now.words; i++) {
		uint32_t first = i * WORD_BITS, here = count > first ? count - first : 0;

		here = here < WORD_BITS ? here : WORD_BITS;
		if (!here)
			w->cores[i] = 0;
		else if (w->r->whole_node == 1 || count > CORES_MAX)
			w->cores[i] = low_bits(here);
		else
			w->cores[i] = bits_range(w->r->core_bitmap, w->offset + first, here);
	}
}

static bool walk_next(struct core_walk *w)
{
	if (w->node < 0) {
		w->last = bit_fls(w->r->node_bitmap);
		w->node = bit_ffs(w->r->node_bitmap);
		w->rank = w->offset = 0;
	} else {
		/* Slurm's map of cores has all cores of each of the job's nodes, one node behind the other. */
		w->offset += w->r->whole_node == 1 ? 0 : node_record_table_ptr[w->node]->tot_cores;
		w->rank++;
		do
			w->node++;
		while (w->node <= w->last && !bit_test(w->r->node_bitmap, w->node));
	}
	if (w->node < 0 || w->node > w->last)
		return false;
	walk_cores_read(w);
	return true;
}

/* Word i of the cores that jobs may have. */
static uint64_t cores_for_jobs(uint32_t n, uint32_t i)
{
	const node_record_t *node = node_record_table_ptr[n];
	uint32_t first = i * WORD_BITS;

	if (node->tot_cores <= first)
		return 0;
	/* In node_spec_bitmap a bit stands for a core that jobs may have. */
	return low_bits(node->tot_cores - first) &
	       (node->node_spec_bitmap ? bits_words(node->node_spec_bitmap)[i] : UINT64_MAX);
}

static bool node_gres_taken(uint32_t n)
{
	List gres = select_node_usage[n].gres_list ? select_node_usage[n].gres_list : node_record_table_ptr[n]->gres_list;

	return gres_node_state_list_has_alloc_gres(gres);
}

static void node_fill(uint32_t n)
{
	const node_record_t *node = node_record_table_ptr[n];
	int32_t usable = 0, free_cores = 0, busy = 0;

	for (uint32_t i = 0; i < allocs.now.words; i++) {
		uint64_t used = allocs.used[(size_t) n * allocs.now.words + i], for_jobs = cores_for_jobs(n, i);

		usable += __builtin_popcountll(for_jobs);
		free_cores += __builtin_popcountll(for_jobs & ~used);
		busy += __builtin_popcountll(used);
	}
	allocs.now.nodes[n] = (struct capacity_node) {
		.memory_mib = node->real_memory - node->mem_spec_limit, .memory_used_mib = select_node_usage[n].alloc_memory,
		.cores = (uint16_t) usable, .threads = node->tpc, .free = free_cores, .busy = busy,
		.state = select_node_usage[n].node_state,
	};
}

static void nodes_fill(void)
{
	for (uint32_t n = 0; n < allocs.node_count; n++) {
		const node_record_t *node = node_record_table_ptr[n];

		if (!node || !node->tot_cores || node->tot_cores > CORES_MAX)
			bits_set(allocs.now.strange, n);
		else
			node_fill(n);
		if (node && node_gres_taken(n))
			bits_set(allocs.now.gres, n);
	}
}

/* Words for the cores of the largest node that is not strange. */
static uint32_t words_needed(void)
{
	uint32_t words = 1;

	for (int n = 0; n < node_record_count; n++) {
		const node_record_t *node = node_record_table_ptr[n];
		uint32_t own = node ? (node->tot_cores + WORD_BITS - 1u) / WORD_BITS : 0;

		if (own <= WORDS_MAX && own > words)
			words = own;
	}
	return words;
}

static bool nodes_room(void)
{
	uint32_t count = (uint32_t) node_record_count, words = bits_word_count(count), of_cores = words_needed();
	struct allocs *a = &allocs.now;

	if (allocs.node_count != count || a->words != of_cores || !a->nodes || !a->strange || !a->gres || !allocs.used) {
		allocs_clear();
		a->nodes = calloc(count + 1, sizeof(*a->nodes));
		a->strange = calloc(words + 1, sizeof(uint64_t));
		a->gres = calloc(words + 1, sizeof(uint64_t));
		allocs.used = calloc((size_t) count * of_cores + 1, sizeof(uint64_t));
		a->words = of_cores;
		allocs.node_count = count;
	}
	if (!a->nodes || !a->strange || !a->gres || !allocs.used)
		return false;
	memset(a->nodes, 0, count * sizeof(*a->nodes));
	memset(a->strange, 0, words * sizeof(uint64_t));
	memset(a->gres, 0, words * sizeof(uint64_t));
	memset(allocs.used, 0, (size_t) count * of_cores * sizeof(uint64_t));
	return true;
}

static void row_job_read(const struct job_resources *r, int part, size_t *room)
{
	struct core_walk w = { .r = r, .node = -1 };

	if (!r || !r->node_bitmap || !r->core_bitmap) {
		allocs.now.refused = "a row has a job without cores";
		return;
	}
	if (!grow((void **) &allocs.rows, room, allocs.row_count, sizeof(*allocs.rows)))
		return;
	allocs.rows[allocs.row_count++] = (struct row_job) { .resources = r, .part = part };
	while (walk_next(&w)) {
		for (uint32_t i = 0; i < allocs.now.words; i++)
			allocs.used[(size_t) w.node * allocs.now.words + i] |= w.cores[i];
		bits_set(allocs.now.parts[part].nodes, (uint32_t) w.node);
	}
}

static bool parts_read(void)
{
	const part_res_record_t *real;
	size_t room = 0;
	int p = 0;

	parts_free();
	free(allocs.rows);
	allocs.rows = NULL;
	allocs.row_count = 0;
	for (real = select_part_record; real; real = real->next)
		p++;
	allocs.now.parts = calloc((size_t) p + 1, sizeof(*allocs.now.parts));
	if (!allocs.now.parts)
		return false;
	allocs.now.part_count = p;
	for (real = select_part_record, p = 0; real; real = real->next, p++) {
		struct allocs_part *part = &allocs.now.parts[p];

		part->real = real;
		part->nodes = calloc(bits_word_count(allocs.node_count) + 1, sizeof(uint64_t));
		if (!part->nodes)
			return false;
		for (uint16_t r = 0; real->row && r < real->num_rows; r++)
			for (uint32_t j = 0; j < real->row[r].num_jobs; j++)
				row_job_read(real->row[r].job_list[j], p, &room);
	}
	return !allocs.failed;
}

/* As Slurm's list of them: with an end and nodes, and a leader if it is a part of a heterogeneous job. */
static bool job_is_listed(const job_record_t *job)
{
	return (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) && job->end_time && job->node_bitmap &&
	       (!job->het_job_id || find_job_record(job->het_job_id));
}

static int job_order(void *x, void *arg)
{
	size_t *room = arg;
	job_record_t *job = x;

	if (!job_is_listed(job))
		return 0;
	if (!grow((void **) &allocs.order, room, allocs.now.job_count, sizeof(job_record_t *)))
		return -1;
	allocs.order[allocs.now.job_count++] = job;
	return 0;
}

/* By the end alone, and by the same qsort () as Slurm's list_sort (): among equal ends its order is ours. */
static int end_compare(const void *a, const void *b)
{
	const job_record_t *x = *(job_record_t *const *) a, *y = *(job_record_t *const *) b;

	return (int) difftime(x->end_time, y->end_time);
}

static int row_job_compare(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) ((const struct row_job *) a)->resources;
	uintptr_t y = (uintptr_t) ((const struct row_job *) b)->resources;

	return x < y ? -1 : x > y;
}

static int part_find(const part_record_t *part)
{
	for (int p = 0; p < allocs.now.part_count; p++)
		if (part && allocs.now.parts[p].real->part_ptr == part)
			return p;
	return -1;
}

static bool row_has(const struct job_resources *r, int part)
{
	const struct row_job key = { .resources = r };
	const struct row_job *found = allocs.row_count ? bsearch(&key, allocs.rows, allocs.row_count, sizeof(key),
		row_job_compare) : NULL;

	return found && found->part == part;
}

static void share_cores_count(struct allocs_share *s, const uint64_t *cores)
{
	for (uint32_t i = 0; i < allocs.now.words; i++) {
		s->taken.cores += __builtin_popcountll(cores[i]);
		s->taken.cores_for_jobs += __builtin_popcountll(cores[i] & cores_for_jobs(s->node, i));
	}
}

static void shares_read(struct allocs_job *to, const struct job_resources *r)
{
	struct core_walk w = { .r = r, .node = -1 };

	while (walk_next(&w)) {
		struct allocs_share *s;
		size_t words = allocs.now.words;

		if (!grow((void **) &allocs.now.shares, &allocs.share_room, allocs.share_count, sizeof(*s)) ||
		    !grow_by((void **) &allocs.now.cores, &allocs.core_room, allocs.share_count * words, words,
			     sizeof(uint64_t)))
			return;
		if (!r->cpus[w.rank])
			allocs.now.refused = "a job has no CPUs on one of its nodes";
		memcpy(&allocs.now.cores[allocs.share_count * words], w.cores, words * sizeof(uint64_t));
		s = &allocs.now.shares[allocs.share_count++];
		*s = (struct allocs_share) {
			.node = (uint32_t) w.node,
			.taken = {
				.memory_mib = r->memory_allocated ? r->memory_allocated[w.rank] : 0, .state = r->node_req,
				.in_row = to->in_row,
			},
		};
		share_cores_count(s, w.cores);
		to->count++;
	}
}

static void job_read_shares(job_record_t *job)
{
	const struct job_resources *r = job->job_resrcs;
	struct allocs_job *to;

	if (!grow((void **) &allocs.now.jobs, &allocs.job_room, allocs.now.job_count, sizeof(*to)))
		return;
	to = &allocs.now.jobs[allocs.now.job_count++];
	*to = (struct allocs_job) { .job = job, .job_id = job->job_id, .node_bitmap = job->node_bitmap, .end = job->end_time,
		.state = job->job_state, .first = allocs.share_count, .part = part_find(job->part_ptr) };
	/* It runs without nodes, for a burst buffer's sake: it gives nothing back, but has its place in the order of
	 * ends. */
	if (bit_ffs(job->node_bitmap) == -1)
		return;
	if (!r || !r->core_bitmap || !r->node_bitmap || !r->cpus || to->part < 0 ||
	    !bit_equal(job->node_bitmap, r->node_bitmap)) {
		allocs.now.refused = "a job has no cores, other nodes than its own, or no partition";
		return;
	}
	to->in_row = row_has(r, to->part);
	shares_read(to, r);
}

static void jobs_read(void)
{
	size_t count, room = 0;

	free(allocs.order);
	allocs.order = NULL;
	allocs.now.job_count = allocs.share_count = 0;
	list_for_each(job_list, job_order, &room);
	count = allocs.now.job_count;
	if (allocs.row_count)
		qsort(allocs.rows, allocs.row_count, sizeof(*allocs.rows), row_job_compare);
	if (count > 1)
		qsort(allocs.order, count, sizeof(*allocs.order), end_compare);
	allocs.now.job_count = 0;
	for (size_t j = 0; j < count && !allocs.failed; j++)
		job_read_shares(allocs.order[j]);
}

static int listed_count(void *x, void *arg)
{
	*(size_t *) arg += job_is_listed(x);
	return 0;
}

/* A job's time limit is changed without a call of any hook, and jobs without nodes come without one: those are looked for
 * each second.  A list of another length is read anew in any case: no record that is gone may be looked at. */
static bool jobs_changed(time_t now)
{
	size_t count = 0;

	if (allocs.listed != list_count(job_list))
		return true;
	if (allocs.read != now)
		list_for_each(job_list, listed_count, &count);
	if (allocs.read != now && count != allocs.now.job_count)
		return true;
	allocs.read = now;
	for (size_t j = 0; j < allocs.now.job_count; j++) {
		const struct allocs_job *known = &allocs.now.jobs[j];

		/* One without nodes ends without a hook, and another job may have made up the list's length since. */
		if (!known->count && find_job_record(known->job_id) != known->job)
			return true;
		if (known->job->end_time != known->end || known->job->job_state != known->state ||
		    known->job->node_bitmap != known->node_bitmap)
			return true;
	}
	return false;
}

const struct allocs *allocs_read(time_t now)
{
	bool tables = allocs.stale || allocs.node_count != (uint32_t) node_record_count;

	if (!find_job_record || !&job_list || !job_list || !select_node_usage)
		return NULL;
	if (!tables && !(allocs.jobs_known && jobs_changed(now)))
		return &allocs.now;
	/* Until all is read: else, after a failure halfway, the next call would take what there is for the tables. */
	allocs.stale = true;
	allocs.failed = allocs.jobs_known = false;
	allocs.now.refused = NULL;
	allocs.now.serial++;
	if (!nodes_room() || !parts_read())
		return NULL;
	nodes_fill();
	allocs.stale = false;
	return &allocs.now;
}

bool allocs_read_jobs(time_t now)
{
	if (allocs.jobs_known)
		return true;
	jobs_read();
	allocs.stale = allocs.failed;
	allocs.jobs_known = !allocs.failed;
	allocs.listed = list_count(job_list);
	allocs.read = now;
	return allocs.jobs_known;
}
