/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/gantt_columns.h"

#define TIMES_MAX    2000000000 /* units: a reader's 32-bit numbers with a sign hold any sum of a time and 1 */
/* Of one run's data: a page of a million jobs must still be opened, and sent, as one file. */
#define BUDGET_BYTES (14U << 20)

static const char *const label_names[GANTT_LABELS] = { "class", "user", "account", "partition", "qos", "state" };

static bool job_ran(const struct gantt_job *job)
{
	return job->start_ms != GANTT_TIME_NONE;
}

/* Jobs that ran first, by start: differences between neighbours are small numbers then. */
static int job_compare(const void *a, const void *b, void *arg)
{
	const struct gantt_job *jobs = arg;
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
	const struct gantt_job *x = &jobs[i], *y = &jobs[k];
	int64_t s, t;

	if (job_ran(x) != job_ran(y))
		return job_ran(x) ? -1 : 1;
	s = job_ran(x) ? x->start_ms : x->submit_ms;
	t = job_ran(y) ? y->start_ms : y->submit_ms;
	if (s != t)
		return s < t ? -1 : 1;
	return (i > k) - (i < k);
}

static int ranges_check(const struct gantt_input *input, const struct gantt_job *job, struct wt_error *errp)
{
	uint64_t free_from = 0;

	for (uint32_t k = 0; k < job->range_count; k++) {
		struct gantt_range range = input->ranges[job->range_first + k];

		if (!range.count || range.first < free_from || (uint64_t) range.first + range.count > input->node_count)
			return wt_error_set(errp, EINVAL,
					    "job %" PRIu32 ": its nodes are no rising ranges within %" PRIu32 " nodes",
					    job->job_id, input->node_count);
		/* Ranges that touch would be one: the coding counts on a gap of at least one node between two. */
		free_from = (uint64_t) range.first + range.count + 1;
	}
	return 0;
}

static int job_check(const struct gantt_input *input, const struct gantt_job *job, struct wt_error *errp)
{
	if (job->end_ms != GANTT_TIME_NONE && (!job_ran(job) || job->end_ms < job->start_ms))
		return wt_error_set(errp, EINVAL, "job %" PRIu32 ": it ends before its start", job->job_id);
	for (int label = 0; label < GANTT_LABELS; label++)
		if (job->labels[label] > input->label_count[label])
			return wt_error_set(errp, EINVAL, "job %" PRIu32 ": there is no such %s", job->job_id,
					    label_names[label]);
	return ranges_check(input, job, errp);
}

/* The first and the last moment that a job names; the run's begin is one, too. */
static void span_find(const struct gantt_input *input, int64_t *first, int64_t *last)
{
	*first = *last = 0;
	for (size_t i = 0; i < input->job_count; i++) {
		const int64_t times[] = { input->jobs[i].submit_ms, input->jobs[i].start_ms, input->jobs[i].end_ms };

		for (size_t k = 0; k < 3; k++) {
			if (times[k] == GANTT_TIME_NONE)
				continue;
			*first = times[k] < *first ? times[k] : *first;
			*last = times[k] > *last ? times[k] : *last;
		}
	}
}

/* The least unit that the number of jobs and the length of the run allow; larger ones if it does not fit. */
static void loss_begin(const struct gantt_input *input, struct gantt_loss *loss)
{
	int64_t last;

	*loss = (struct gantt_loss){ .unit_ms = input->job_count > 500000 ? 100 : input->job_count > 200000 ? 10 : 1 };
	span_find(input, &loss->origin_ms, &last);
	while ((last - loss->origin_ms) / loss->unit_ms > TIMES_MAX)
		loss->unit_ms *= 10;
}

static uint32_t time_units(const struct gantt_loss *loss, int64_t time_ms)
{
	return (uint32_t) ((time_ms - loss->origin_ms) / loss->unit_ms);
}

static int columns_begin(struct gantt_columns *c, struct wt_error *errp)
{
	const struct gantt_input *input = c->input;
	size_t n = input->job_count;

	c->order = reallocarray(NULL, n + 1, sizeof(*c->order));
	c->start = reallocarray(NULL, n + 1, sizeof(*c->start));
	c->release = reallocarray(NULL, n + 1, sizeof(*c->release));
	c->nodes = reallocarray(NULL, n + 1, sizeof(*c->nodes));
	if (!c->order || !c->start || !c->release || !c->nodes)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page's %zu jobs", n);
	for (uint32_t i = 0; i < n; i++) {
		c->order[i] = i;
		c->loss->ran_count += job_ran(&input->jobs[i]);
		if (job_check(input, &input->jobs[i], errp) == -1)
			return -1;
	}
	qsort_r(c->order, n, sizeof(*c->order), job_compare, (void *) input->jobs);
	c->loss->segment_count = (c->loss->ran_count + GANTT_SEGMENT - 1) / GANTT_SEGMENT;
	return 0;
}

static void columns_end(struct gantt_columns *c)
{
	free(c->order);
	free(c->start);
	free(c->release);
	free(c->nodes);
}

/* What depends on how far times are rounded, and on which jobs have node sets. */
static void columns_fill(struct gantt_columns *c)
{
	c->loss->unplaced_jobs = c->loss->range_count = 0;
	for (size_t i = 0; i < c->loss->ran_count; i++) {
		const struct gantt_job *job = gantt_job_at(c, i);

		c->start[i] = time_units(c->loss, job->start_ms);
		c->release[i] = job->end_ms == GANTT_TIME_NONE ? UINT32_MAX : time_units(c->loss, job->end_ms);
		/* A job that ends within its unit of time still holds its nodes in that unit, for writer and reader
		 * alike. */
		if (c->release[i] == c->start[i])
			c->release[i]++;
		c->nodes[i] = 0;
		for (uint32_t k = 0; k < job->range_count; k++)
			c->nodes[i] += c->input->ranges[job->range_first + k].count;
		if (c->nodes[i] >= c->loss->placed_min)
			c->loss->range_count += job->range_count;
		else
			c->loss->unplaced_jobs += c->nodes[i] > 0;
	}
}

/* One number of a job; columns are made of one after the other. */
typedef uint32_t (*number_fn)(const struct gantt_columns *c, size_t i);

static uint32_t number_start(const struct gantt_columns *c, size_t i)
{
	return c->start[i] - (i ? c->start[i - 1] : 0);
}

static uint32_t number_duration(const struct gantt_columns *c, size_t i)
{
	const struct gantt_job *job = gantt_job_at(c, i);

	return job->end_ms == GANTT_TIME_NONE ? 0 : time_units(c->loss, job->end_ms) - c->start[i] + 1;
}

static uint32_t number_wait(const struct gantt_columns *c, size_t i)
{
	const struct gantt_job *job = gantt_job_at(c, i);

	if (job->submit_ms == GANTT_TIME_NONE)
		return 0;
	return job->submit_ms > job->start_ms ? 1 : c->start[i] - time_units(c->loss, job->submit_ms) + 1;
}

static uint32_t number_nodes(const struct gantt_columns *c, size_t i)
{
	return c->nodes[i];
}

static uint32_t number_submit(const struct gantt_columns *c, size_t i)
{
	int64_t submit_ms = gantt_job_at(c, c->loss->ran_count + i)->submit_ms;

	return submit_ms == GANTT_TIME_NONE ? 0 : time_units(c->loss, submit_ms) + 1;
}

static uint32_t number_cpus(const struct gantt_columns *c, size_t i)
{
	return number_fold(gantt_job_at(c, i)->cpus - (i < c->loss->ran_count ? c->nodes[i] * c->input->cpus_per_node : 0));
}

static uint32_t number_id(const struct gantt_columns *c, size_t i)
{
	return number_fold(gantt_job_at(c, i)->job_id - (i ? gantt_job_at(c, i - 1)->job_id : 0));
}

static int column_pack(const struct gantt_columns *c, struct gantt_pack *pack, const char *name, size_t count,
		       number_fn number, struct wt_error *errp)
{
	uint32_t *values = reallocarray(NULL, count + 1, sizeof(*values));

	if (!values)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page's %zu jobs", count);
	for (size_t i = 0; i < count; i++)
		values[i] = number(c, i);
	gantt_pack_column(pack, name, values, count);
	free(values);
	return 0;
}

static void texts_pack(struct gantt_pack *pack, const char *name, const char *const *texts, size_t count)
{
	struct wt_str all = { 0 };

	for (size_t i = 0; i < count && texts; i++) {
		wt_str_add(&all, texts[i]);
		wt_str_add_bytes(&all, "", 1);
	}
	pack->failed |= all.failed;
	gantt_pack_text(pack, name, all.text ? all.text : "", all.len);
	wt_str_clear(&all);
}

static int labels_pack(const struct gantt_columns *c, struct gantt_pack *pack, struct wt_error *errp)
{
	size_t n = c->input->job_count;
	uint32_t *values = reallocarray(NULL, n + 1, sizeof(*values));

	if (!values)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page's %zu jobs", n);
	for (int label = 0; label < GANTT_LABELS; label++) {
		for (size_t i = 0; i < n; i++)
			values[i] = gantt_job_at(c, i)->labels[label];
		gantt_pack_column(pack, label_names[label], values, n);
		texts_pack(pack, label_names[label], c->input->labels[label], c->input->label_count[label]);
	}
	free(values);
	return 0;
}

static void machine_pack(const struct gantt_input *input, struct gantt_pack *pack)
{
	char name[32];

	texts_pack(pack, "nodes", input->node_names, input->node_count);
	gantt_pack_column(pack, "node_order", input->node_order, input->node_order ? input->node_count : 0);
	for (size_t level = 0; level < input->level_count; level++) {
		snprintf(name, sizeof(name), "level%zu", level);
		gantt_pack_column(pack, name, input->levels[level].first, input->levels[level].count);
		texts_pack(pack, name, input->levels[level].names, input->levels[level].count);
	}
}

/* 1: more than 'budget_bytes'. */
static int columns_pack(struct gantt_columns *c, struct gantt_pack *pack, size_t budget_bytes, struct wt_error *errp)
{
	size_t ran = c->loss->ran_count, n = c->input->job_count;
	int rc;

	columns_fill(c);
	if (column_pack(c, pack, "start", ran, number_start, errp) == -1 ||
	    column_pack(c, pack, "duration", ran, number_duration, errp) == -1 ||
	    column_pack(c, pack, "nodes", ran, number_nodes, errp) == -1)
		return -1;
	rc = gantt_places_pack(c, pack, budget_bytes, errp);
	if (rc != 0)
		return rc;
	if (column_pack(c, pack, "wait", ran, number_wait, errp) == -1 ||
	    column_pack(c, pack, "submit", n - ran, number_submit, errp) == -1 ||
	    column_pack(c, pack, "cpus", n, number_cpus, errp) == -1 ||
	    column_pack(c, pack, "id", n, number_id, errp) == -1 || labels_pack(c, pack, errp) == -1 ||
	    gantt_names_pack(c, pack, errp) == -1)
		return -1;
	machine_pack(c->input, pack);
	if (pack->failed || pack->columns.failed || pack->texts.failed)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page");
	return gantt_pack_size(pack) > budget_bytes;
}

/* The next rung: coarser times to a second, no nodes for small jobs, then for larger ones; names go first where they are a
 * quarter of what there may be, else last.  False: there is none. */
static bool loss_grow(const struct gantt_input *input, struct gantt_loss *loss, size_t budget_bytes)
{
	bool placed = loss->placed_min <= input->node_count;

	if (loss->unit_ms < 1000)
		loss->unit_ms *= 10;
	else if (!loss->names_left_out && (!placed || loss->names_bytes > budget_bytes / 4))
		loss->names_left_out = true;
	else if (placed)
		loss->placed_min = loss->placed_min ? 2 * loss->placed_min : 2;
	else
		return false;
	return true;
}

int gantt_data_make(const struct gantt_input *input, struct gantt_pack *pack, struct gantt_loss *loss, struct wt_error *errp)
{
	struct gantt_columns c = { .input = input, .loss = loss };
	size_t budget_bytes = input->budget_bytes ? input->budget_bytes : BUDGET_BYTES;
	int rc;

	if (input->job_count > TIMES_MAX)
		return wt_error_set(errp, EINVAL, "a page holds %d jobs at most", TIMES_MAX);
	loss_begin(input, loss);
	rc = columns_begin(&c, errp) == -1 ? -1 : 1;
	/* Each rung is tried by packing: how small deflate makes it cannot be foretold. */
	while (rc == 1) {
		gantt_pack_clear(pack);
		rc = columns_pack(&c, pack, budget_bytes, errp);
		if (rc == 1 && !loss_grow(input, loss, budget_bytes))
			budget_bytes = SIZE_MAX; /* less than this there is not: no page is without its jobs */
	}
	columns_end(&c);
	return rc;
}

int gantt_data_write(FILE *out, const char *id, const struct gantt_input *input, struct gantt_loss *loss,
		     struct wt_error *errp)
{
	struct gantt_pack pack = { 0 };
	char *fields = NULL;
	int rc = gantt_data_make(input, &pack, loss, errp);

	if (rc == 0)
		fields = wt_str_format("\"version\":1,\"unit_ms\":%" PRIu32 ",\"origin_ms\":%" PRId64
				       ",\"jobs\":%zu,\"ran\":%zu,"
				       "\"segment\":%d,\"ranges\":%zu,\"node_count\":%" PRIu32 ",\"cpus_per_node\":%" PRIu32
				       ",\"levels\":%zu,\"placed_min\":%" PRIu32
				       ",\"unplaced\":%zu,\"names\":%s,\"names_cut\":%zu",
				       loss->unit_ms, loss->origin_ms, input->job_count, loss->ran_count, GANTT_SEGMENT,
				       loss->range_count, input->node_count, input->cpus_per_node, input->level_count,
				       loss->placed_min, loss->unplaced_jobs, loss->names_left_out ? "false" : "true",
				       loss->names_cut);
	if (rc == 0)
		rc = fields ? gantt_pack_write(&pack, id, fields, out, errp)
			    : wt_error_set(errp, ENOMEM, "not enough memory for the page");
	free(fields);
	gantt_pack_clear(&pack);
	return rc;
}
