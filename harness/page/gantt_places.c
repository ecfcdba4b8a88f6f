/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/page/gantt_columns.h"

/* The replay of one segment: 'jobs' are those that run at its begin, then its own, as indexes into the order. */
struct replay {
	const struct gantt_columns *c;
	struct free_runs runs;
	struct number_list jobs;
	uint32_t *ends; /* [jobs.count]: the same, by release */
	size_t ended;
	bool plain;
	struct number_list lists[FREE_RUNS_LISTS];
};

static int release_compare(const void *a, const void *b, void *arg)
{
	const uint32_t *release = arg;
	uint32_t x = release[*(const uint32_t *) a], y = release[*(const uint32_t *) b];

	return (x > y) - (x < y);
}

static void job_end(struct replay *r, uint32_t i)
{
	const struct gantt_job *job = gantt_job_at(r->c, i);

	for (uint32_t k = 0; k < job->range_count; k++)
		free_runs_give(&r->runs, r->c->input->ranges[job->range_first + k]);
}

static void job_place(struct replay *r, uint32_t i)
{
	const struct gantt_job *job = gantt_job_at(r->c, i);

	free_runs_write(&r->runs, r->c->input->ranges + job->range_first, job->range_count, r->plain, r->lists);
}

static bool job_is_placed(const struct gantt_columns *c, uint32_t i)
{
	return c->nodes[i] && c->nodes[i] >= c->loss->placed_min;
}

/* The jobs that run when job 'begin' starts, and those from there to 'end'. */
static int jobs_list(struct replay *r, uint32_t begin, uint32_t end)
{
	for (uint32_t i = 0; i < end; i++)
		if (job_is_placed(r->c, i) && (i >= begin || r->c->release[i] > r->c->start[begin]))
			number_list_add(&r->jobs, i);
	r->ends = reallocarray(NULL, r->jobs.count + 1, sizeof(*r->ends));
	if (!r->ends || r->jobs.failed)
		return -1;
	for (size_t k = 0; k < r->jobs.count; k++)
		r->ends[k] = r->jobs.values[k];
	qsort_r(r->ends, r->jobs.count, sizeof(*r->ends), release_compare, r->c->release);
	return 0;
}

static void jobs_replay(struct replay *r, uint32_t begin)
{
	const struct gantt_columns *c = r->c;

	for (size_t k = 0; k < r->jobs.count; k++) {
		uint32_t i = r->jobs.values[k];

		for (; i >= begin && c->release[r->ends[r->ended]] <= c->start[i]; r->ended++)
			job_end(r, r->ends[r->ended]);
		job_place(r, i);
	}
}

static int lists_pack(const struct replay *r, uint32_t segment, struct gantt_pack *pack)
{
	char name[64];

	for (int list = 0; list < FREE_RUNS_LISTS; list++) {
		if (r->lists[list].failed)
			return -1;
		snprintf(name, sizeof(name), "s%u.%s", segment, free_runs_list_names[list]);
		gantt_pack_column(pack, name, r->lists[list].values, r->lists[list].count);
	}
	return 0;
}

/* Each segment begins with the jobs that run at its begin, so that a reader can draw one without replaying those
 * before it. */
static int segment_pack(const struct gantt_columns *c, uint32_t segment, bool plain, struct gantt_pack *pack)
{
	uint32_t begin = segment * GANTT_SEGMENT, ran = (uint32_t) c->loss->ran_count;
	uint32_t end = ran - begin < GANTT_SEGMENT ? ran : begin + GANTT_SEGMENT;
	struct replay r = { .c = c, .plain = plain };
	int rc = -1;

	if (free_runs_init(&r.runs, c->input->node_count) == 0 && jobs_list(&r, begin, end) == 0) {
		jobs_replay(&r, begin);
		rc = lists_pack(&r, segment, pack);
	}
	free_runs_clear(&r.runs);
	number_list_clear(&r.jobs);
	free(r.ends);
	for (int list = 0; list < FREE_RUNS_LISTS; list++)
		number_list_clear(&r.lists[list]);
	return rc;
}

/* Where the prediction does not help (jobs that share nodes), the plain coding is smaller; the first segment tells. */
static bool plain_is_smaller(const struct gantt_columns *c)
{
	struct gantt_pack predicted = { 0 }, plain = { 0 };
	bool smaller = segment_pack(c, 0, true, &plain) == 0 && segment_pack(c, 0, false, &predicted) == 0 &&
		       plain.len < predicted.len;

	gantt_pack_clear(&predicted);
	gantt_pack_clear(&plain);
	return smaller;
}

int gantt_places_pack(const struct gantt_columns *c, struct gantt_pack *pack, size_t budget_bytes, struct wt_error *errp)
{
	bool plain = c->loss->segment_count && plain_is_smaller(c);
	size_t before = gantt_pack_size(pack);

	for (uint32_t segment = 0; segment < c->loss->segment_count; segment++) {
		if (segment_pack(c, segment, plain, pack) == -1)
			return wt_error_set(errp, ENOMEM, "not enough memory for the node sets of the page");
		/* Given up early: the segments so far foretell the size of all. */
		if (before + (gantt_pack_size(pack) - before) / (segment + 1) * c->loss->segment_count > budget_bytes)
			return 1;
	}
	return 0;
}
