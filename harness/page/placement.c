/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/job_values.h"
#include "harness/page/placement.h"
#include "harness/placement/placements.h"
#include "lib/fs.h"

#define FILE_MAX (64u << 20) /* bytes of a topology.conf */

struct watcher {
	struct placement *p;
	const struct wt_tree *tree;
	uint64_t *held; /* [leaves + 1]: what the largest leaves hold together */
	double begin_s;
	size_t moment; /* the next one */
};

static double moment_s(const struct watcher *w, size_t moment)
{
	return w->begin_s + w->p->period_s * (double) moment / (PLACEMENT_MOMENTS - 1);
}

static uint32_t leaves_least(const struct watcher *w, uint64_t units)
{
	uint32_t leaves = 0;

	while (leaves < wt_tree_switches(w->tree, 0) && w->held[leaves] < units)
		leaves++;
	return leaves;
}

static void until_see(void *arg, double until_s, const struct wt_room *room)
{
	struct watcher *w = arg;
	uint32_t scattered = 0, least;

	if (w->moment == PLACEMENT_MOMENTS || !(moment_s(w, w->moment) < until_s))
		return;
	for (uint32_t leaf = 0; leaf < wt_tree_switches(w->tree, 0); leaf++)
		scattered += wt_room_units(room, 0, leaf) > 0;
	/* Between two moments nothing changes: looked at once for all moments of the interval. */
	least = leaves_least(w, wt_room_total(room));
	for (; w->moment < PLACEMENT_MOMENTS && moment_s(w, w->moment) < until_s; w->moment++) {
		w->p->scattered[w->moment] = scattered;
		w->p->least[w->moment] = least;
	}
}

static void job_see(void *arg, size_t job, const struct wt_verdict *verdict)
{
	struct watcher *w = arg;

	(void) job;
	if (!verdict->whole_machine && verdict->absolute[0])
		w->p->times[w->p->time_count++] = (double) verdict->touched[0] / verdict->absolute[0];
}

static int size_larger(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return (x < y) - (x > y);
}

/* What the idle leaves hold, the largest first, summed up. */
static int held_make(struct watcher *w, const uint32_t *capacity)
{
	uint32_t leaves = wt_tree_switches(w->tree, 0);
	uint64_t sum = 0;

	w->held = calloc(leaves + 1, sizeof(*w->held));
	if (!w->held)
		return -1;
	for (uint32_t leaf = 0; leaf < leaves; leaf++) {
		struct wt_span nodes = wt_tree_switch_nodes(w->tree, 0, leaf);

		for (uint32_t n = 0; n < nodes.count; n++)
			w->held[leaf + 1] += capacity ? capacity[nodes.first + n] : 1;
	}
	qsort(w->held + 1, leaves, sizeof(*w->held), size_larger);
	for (uint32_t leaf = 1; leaf <= leaves; leaf++)
		sum = w->held[leaf] += sum;
	return 0;
}

static int replay(struct placement *p, const struct wt_tree *tree, const struct placements *jobs)
{
	struct watcher w = { .p = p, .tree = tree, .begin_s = jobs->begin_s };
	const struct wt_replay_watch watch = { &w, until_see, job_see };
	struct wt_error error;

	p->times = malloc((jobs->count + 1) * sizeof(*p->times));
	if (!p->times || held_make(&w, jobs->capacity) < 0)
		return -1;
	p->there = wt_replay_watched(tree, jobs->capacity, jobs->jobs, jobs->count, &p->result, &watch, &error) == 0;
	if (!p->there)
		p->why = error;
	job_values_sort(p->times, p->time_count);
	free(w.held);
	return 0;
}

/* Nodes of all jobs together: what reading them needs memory for. */
static uint64_t nodes_count(const struct page_run *run)
{
	uint64_t nodes = 0;

	for (size_t i = 0; i < run->job_count; i++)
		nodes += run->jobs[i].record->alloc_nodes;
	return nodes;
}

static void too_many_say(struct wt_error *errp, uint64_t count)
{
	char nodes[HTML_DURATION_SIZE], most[HTML_DURATION_SIZE];

	html_number(nodes, (double) count, 0);
	html_number(most, PLACEMENT_NODES_MAX, 0);
	wt_error_set(errp, E2BIG,
		     "its jobs had %s nodes together, and more than %s would take more than 1 GiB of memory while the page "
		     "is written; windtunnel topology score counts them, and takes as much as there is",
		     nodes, most);
}

static struct wt_tree *tree_read(const struct page_run *run, struct wt_error *errp)
{
	char *path = wt_str_format("%s/topology.conf", run->path), *text = NULL;
	struct wt_tree *tree = NULL;
	struct wt_error error;
	size_t len;

	errp->text[0] = '\0';
	if (path && wt_fs_read_regular(path, FILE_MAX, &text, &len, &error) == 0) {
		tree = wt_tree_parse(text, len, errp);
		if (!tree)
			wt_error_prefix(errp, "topology.conf");
	} else if (path && errno != ENOENT && errno != ENOTDIR) {
		*errp = error;
	}
	free(text);
	free(path);
	return tree;
}

int placement_read(struct placement *p, const struct page_run *run, struct wt_error *errp)
{
	struct placements jobs = { 0 };
	struct wt_error error;
	struct wt_tree *tree;
	int rc = 0;

	memset(p, 0, sizeof(*p));
	p->period_s = run->period_s;
	tree = tree_read(run, &error);
	if (!tree) {
		p->why = error;
		return 0;
	}
	if (wt_tree_levels(tree) < 2) {
		wt_error_set(&p->why, ENOENT, "its tree has one switch only");
	} else if (nodes_count(run) > PLACEMENT_NODES_MAX) {
		too_many_say(&p->why, nodes_count(run));
	} else if (placements_load(&jobs, run->path, tree, UNIT_AUTO, &error) < 0) {
		p->why = error;
	} else {
		p->cpus = jobs.capacity != NULL;
		p->without_nodes = jobs.without_nodes;
		p->assumed = jobs.assumed;
		rc = replay(p, tree, &jobs);
	}
	placements_clear(&jobs);
	wt_tree_destroy(tree);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "placement of %s", run->path) : 0;
}

void placement_clear(struct placement *p)
{
	free(p->times);
	p->times = NULL;
}

static double a_job(const struct placement *p, uint64_t sum)
{
	return p->result.tally.jobs ? (double) sum / (double) p->result.tally.jobs : NAN;
}

double placement_touched(const struct placement *p, uint32_t level)
{
	return a_job(p, p->result.tally.touched_sum[level]);
}

double placement_absolute(const struct placement *p, uint32_t level)
{
	return a_job(p, p->result.tally.absolute_sum[level]);
}

double placement_relative(const struct placement *p, uint32_t level)
{
	return a_job(p, p->result.tally.relative_sum[level]);
}
