/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/export/trace_private.h"
#include "topology/hostlist.h"
#include "topology/name_index.h"
#include "topology/tree.h"

#define TIME_MAX_S 1e12	/* some 30,000 years: in microseconds still far from the ends of 64 bits */

int64_t trace_time_us(double time_s)
{
	return time_s > 0 && isfinite(time_s) ? llround(fmin(time_s, TIME_MAX_S) * 1e6) : 0;
}

const char *trace_job_name(const struct page_job *job)
{
	return job->record->name && *job->record->name ? job->record->name : "job";
}

static int slice_compare(const void *a, const void *b)
{
	const struct trace_slice *x = a, *y = b;

	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void left_out(struct trace_plan *plan, uint64_t count, const char *what)
{
	if (count)
		wt_str_printf(&plan->left_out, "%" PRIu64 " %s\n", count, what);
}

static int slices_make(struct trace_plan *plan)
{
	size_t backwards = 0, unfinished = 0, never = 0;

	plan->slices = calloc(plan->run->job_count + 1, sizeof(*plan->slices));
	if (!plan->slices)
		return -1;
	for (size_t i = 0; i < plan->run->job_count; i++) {
		const struct page_job *job = &plan->run->jobs[i];
		double end_s = isfinite(job->end_s) ? job->end_s : plan->run->period_s;

		never += !isfinite(job->start_s);
		backwards += isfinite(job->start_s) && end_s < job->start_s;
		if (!isfinite(job->start_s) || end_s < job->start_s)
			continue;
		unfinished += !isfinite(job->end_s);
		plan->slices[plan->slice_count++] = (struct trace_slice){ trace_time_us(job->start_s), trace_time_us(end_s),
									  (uint32_t) i };
	}
	qsort(plan->slices, plan->slice_count, sizeof(*plan->slices), slice_compare);
	left_out(plan, never, "jobs that never started have no slice");
	left_out(plan, backwards, "jobs are left out: they end before they start");
	left_out(plan, unfinished, "jobs have no end in jobs.csv: their slices go on to the last moment that is known");
	return 0;
}

/* What node 'i' is called: by its number where the run folder does not tell. */
static const char *node_name(const struct trace_plan *plan, uint32_t i, char number[16])
{
	if (plan->gantt.input.node_names)
		return plan->gantt.input.node_names[i];
	snprintf(number, 16, "%" PRIu32, i);
	return number;
}

static int nodes_choose(struct trace_plan *plan, const struct wt_hostlist *list, struct wt_error *errp)
{
	struct name_index index;
	char number[16];
	size_t found = 0;

	if (name_index_init(&index, wt_hostlist_count(list)) < 0)
		return wt_error_errno(errp, ENOMEM, "--nodes");
	for (size_t k = 0; k < wt_hostlist_count(list); k++)
		found += name_index_add(&index, wt_hostlist_name(list, k), (uint32_t) k) == NAME_INDEX_NONE;
	plan->next_node[plan->gantt.node_count] = plan->gantt.node_count;
	for (uint32_t i = plan->gantt.node_count; i-- > 0;) {
		bool chosen = name_index_find(&index, node_name(plan, i, number)) != NAME_INDEX_NONE;

		plan->next_node[i] = chosen ? i : plan->next_node[i + 1];
		/* What is left of the names at the end belongs to no node: a mistyped list must not become an empty
		 * picture. */
		found -= chosen;
	}
	name_index_clear(&index);
	if (!found)
		return 0;
	return wt_error_set(errp, EINVAL, "--nodes: %zu of these are no nodes of the run; it has %s to %s", found,
			    plan->gantt.input.node_names ? plan->gantt.input.node_names[0] : "0",
			    node_name(plan, plan->gantt.node_count - 1, number));
}

/* Without looking at each node of each job: there can be far too many. */
static int node_slices_count(struct trace_plan *plan)
{
	uint32_t node_count = plan->gantt.node_count, *before = calloc((size_t) node_count + 1, sizeof(*before));

	if (!before)
		return -1;
	for (uint32_t i = 0; i < node_count; i++)
		before[i + 1] = before[i] + (plan->next_node[i] == i);
	for (size_t i = 0; i < plan->slice_count; i++) {
		const struct gantt_job *job = &plan->gantt.jobs[plan->slices[i].job];
		const struct gantt_range *range = plan->gantt.input.ranges + job->range_first;

		for (uint32_t r = 0; r < job->range_count; r++, range++)
			plan->node_slices += before[range->first + range->count] - before[range->first];
	}
	free(before);
	return 0;
}

static void nodes_drop(struct trace_plan *plan)
{
	free(plan->next_node);
	plan->next_node = NULL;
	plan->node_slices = 0;
}

static int nodes_listed(struct trace_plan *plan, const char *text, struct wt_error *errp)
{
	struct wt_hostlist *list = wt_hostlist_parse(text, strlen(text), WT_TREE_NODES_MAX, errp);
	int rc;

	if (!list)
		return wt_error_prefix(errp, "--nodes");
	rc = nodes_choose(plan, list, errp);
	wt_hostlist_destroy(list);
	return rc;
}

/* All nodes, or those of 'text'. */
static int nodes_plan(struct trace_plan *plan, const char *text, struct wt_error *errp)
{
	for (uint32_t i = 0; i <= plan->gantt.node_count && !text; i++)
		plan->next_node[i] = i;
	if (text && nodes_listed(plan, text, errp) < 0)
		return -1;
	if (node_slices_count(plan) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", plan->run->path);
	if (!text && plan->node_slices > TRACE_NODE_SLICES_MAX) {
		left_out(plan, plan->node_slices, "slices of nodes are left out: --nodes chooses those to be shown");
		nodes_drop(plan);
	}
	return 0;
}

static int nodes_make(struct trace_plan *plan, const char *text, struct wt_error *errp)
{
	if (!plan->gantt.node_count || plan->gantt.node_count > WT_TREE_NODES_MAX) {
		if (text)
			return wt_error_set(errp, EINVAL, "--nodes: the run's folder does not tell its nodes");
		wt_str_add(&plan->left_out, "tracks of nodes are left out: the run's folder does not tell its nodes\n");
		return 0;
	}
	plan->next_node = calloc((size_t) plan->gantt.node_count + 1, sizeof(*plan->next_node));
	if (!plan->next_node)
		return wt_error_errno(errp, ENOMEM, "%s", plan->run->path);
	if (nodes_plan(plan, text, errp) < 0)
		return -1;
	if (plan->next_node && !plan->gantt.ranges.count) {
		wt_str_add(&plan->left_out, "tracks of nodes are left out: jobs.csv has no job's nodes\n");
		nodes_drop(plan);
	}
	return 0;
}

int trace_plan_make(struct trace_plan *plan, const struct page_run *run, const char *nodes, struct wt_error *errp)
{
	*plan = (struct trace_plan){ .run = run, .whole = run->job_count <= TRACE_FLOWS_JOBS_MAX };
	wt_str_add(&plan->left_out, run->notes.text ? run->notes.text : "");
	if (gantt_run_make(&plan->gantt, run, errp) < 0 || sweep_make(&plan->sweep, run, errp) < 0)
		return -1;
	if (slices_make(plan) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", run->path);
	if (nodes_make(plan, nodes, errp) < 0)
		return -1;
	if (!plan->whole)
		wt_str_printf(&plan->left_out, "submissions, flows and node lists are left out, and counters are thinned to "
					       "%d moments: of more than %d jobs they would be too large to open\n",
			      TRACE_THIN_MOMENTS, TRACE_FLOWS_JOBS_MAX);
	return plan->left_out.failed ? wt_error_errno(errp, ENOMEM, "%s", run->path) : 0;
}

void trace_plan_clear(struct trace_plan *plan)
{
	gantt_run_clear(&plan->gantt);
	sweep_clear(&plan->sweep);
	free(plan->slices);
	free(plan->next_node);
	wt_str_clear(&plan->left_out);
	*plan = (struct trace_plan){ 0 };
}
