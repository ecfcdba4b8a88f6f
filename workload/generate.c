/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "workload/generate.h"
#include "workload/stream.h"
#include "workload/task_graph.h"

#define BANDS 3
#define DIFFS 21	/* of each band of WT_MONTAGE_IMAGES */
#define MB 1e6

struct published {
	double mean, sd;
};

struct task_kind {
	const char *name;
	struct published input_mb, output_mb, run_s;
};

/* Table 1.1.  'rest' of BRS and HRS stands there in parentheses. */
static const struct {
	const char *name;
	uint32_t tasks, rests;
	struct task_kind full, rest;
} cases[WT_BAG_CASES] = {
	[WT_BAG_BRS] = { "brs", 223, 33, { "spectra", { 2.6, 0.4 }, { 3.4, 1.6 }, { 603.1, 54.9 } },
			 { "rest", { 1.2, 0.8 }, { 3.4, 1.6 }, { 355.9, 182.1 } } },
	[WT_BAG_BRT] = { "brt", 33, 0, { "spectra", { 16.6, 2.4 }, { 12.4, 1.7 }, { 125.9, 16.6 } }, { 0 } },
	[WT_BAG_HRS] = { "hrs", 65, 34, { "spectra", { 1.3, 0.2 }, { 8.9, 5.9 }, { 182.3, 6.8 } },
			 { "rest", { 0.4, 0.2 }, { 8.9, 5.9 }, { 104.3, 19.3 } } },
	[WT_BAG_HRT] = { "hrt", 34, 0, { "spectra", { 1.7, 0.6 }, { 4.1, 1.4 }, { 9.6, 2.3 } }, { 0 } },
};

/* Table 1.2; in the order in which a band's tasks stand in the file. */
enum montage { PROJECT, OVERLAP, DIFF, BGMODEL, BACKGROUND, ADD, GATHER, MONTAGE_KINDS };
static const struct task_kind montage[MONTAGE_KINDS] = {
	[PROJECT] = { "project", { 14.6, 0.8 }, { 68.8, 10 }, { 9.1, 1.7 } },
	[OVERLAP] = { "overlap", { 0.1, 0 }, { 0.2, 0 }, { 2.5, 0.7 } },
	[DIFF] = { "diff", { 423.2, 59.9 }, { 0.01, 0.001 }, { 7.2, 5 } },
	[BGMODEL] = { "bgmodel", { 0.3, 0 }, { 0, 0 }, { 9.8, 0.8 } },
	[BACKGROUND] = { "background", { 2476.1, 9.9 }, { 2380.1, 9.9 }, { 10.6, 10.6 } },
	[ADD] = { "add", { 2476.1, 9.9 }, { 1870.6, 0.7 }, { 115.5, 47.5 } },
	[GATHER] = { "gather", { 4096, 0 }, { 4.4, 0 }, { 133.4, 6.7 } },
};

struct generator {
	struct wt_task_graph *graph;
	gsl_rng *rng;
	size_t tasks;
};

int wt_bag_case_parse(const char *name, enum wt_bag_case *which)
{
	for (int i = 0; i < WT_BAG_CASES; i++)
		if (!strcmp(name, cases[i].name)) {
			*which = (enum wt_bag_case) i;
			return 0;
		}
	return -1;
}

uint32_t wt_bag_tasks(enum wt_bag_case which)
{
	return cases[which].tasks;
}

static double draw(gsl_rng *rng, const struct published *f)
{
	if (!(f->sd > 0 && f->mean > 0))
		return f->mean;
	return gsl_ran_gamma(rng, f->mean * f->mean / (f->sd * f->sd), f->sd * f->sd / f->mean);
}

/* To thousandths: a file of jobs is read by people, too. */
static double thousandths(double value)
{
	return round(value * 1000) / 1000;
}

static ssize_t task_add(struct generator *g, const struct task_kind *kind, const char *id, struct wt_error *errp)
{
	struct wt_task task = { .class_name = kind->name, .line = ++g->tasks, .cores = 1 };
	ssize_t number = wt_task_graph_find(g->graph, id, g->tasks, errp);

	task.run_s = thousandths(draw(g->rng, &kind->run_s));
	task.data_bytes = round(MB * draw(g->rng, &kind->input_mb));
	task.data_bytes += round(MB * draw(g->rng, &kind->output_mb));
	if (number >= 0 && wt_task_graph_tell(g->graph, (size_t) number, &task, errp) < 0)
		return -1;
	return number;
}

/* What 'tasks_make' adds to a graph, as jobs. */
static int generate(struct wt_swf_trace *trace, uint64_t seed, int (*tasks_make)(struct generator *, const void *,
		    struct wt_error *), const void *arg, struct wt_error *errp)
{
	struct generator g = { .graph = wt_task_graph_create(), .rng = wt_stream_open(seed, 0) };
	int rc = g.graph && g.rng ? 0 : wt_error_errno(errp, ENOMEM, "workflow");

	memset(trace, 0, sizeof(*trace));
	if (rc == 0)
		rc = tasks_make(&g, arg, errp);
	if (rc == 0)
		rc = wt_task_graph_jobs(g.graph, trace, "workflow", errp);
	wt_task_graph_destroy(g.graph);
	gsl_rng_free(g.rng);
	return rc;
}

/* ---- the bag of tasks ---- */

struct bag {
	enum wt_bag_case which;
	uint32_t tasks;
};

static int bag_make(struct generator *g, const void *arg, struct wt_error *errp)
{
	const struct bag *bag = arg;
	uint64_t of = cases[bag->which].tasks, rests = cases[bag->which].rests;
	char id[32];

	for (uint64_t i = 0; i < bag->tasks; i++) {
		/* Where the number of those with fewer spectra goes up by one, the task is one of them. */
		bool rest = (i + 1) * rests / of > i * rests / of;

		snprintf(id, sizeof(id), "%s%llu", cases[bag->which].name, (unsigned long long) i + 1);
		if (task_add(g, rest ? &cases[bag->which].rest : &cases[bag->which].full, id, errp) < 0)
			return -1;
	}
	return 0;
}

int wt_generate_bag(struct wt_swf_trace *trace, enum wt_bag_case which, uint32_t tasks, uint64_t seed, struct wt_error *errp)
{
	const struct bag bag = { which, tasks };

	memset(trace, 0, sizeof(*trace));
	if (!tasks || tasks > WT_GENERATE_TASKS_MAX)
		return wt_error_set(errp, EINVAL, "%u tasks: give 1 to %d", tasks, WT_GENERATE_TASKS_MAX);
	return generate(trace, seed, bag_make, &bag, errp);
}

/* ---- Montage ---- */

/* 'count' tasks of a kind, which all wait for the tasks from 'first' up to the next one's number; returns that of the first
 * of them, or -1. */
static ssize_t layer_add(struct generator *g, enum montage kind, const char *band, uint32_t count, ssize_t first,
			 struct wt_error *errp)
{
	size_t before = g->tasks;
	char id[48];

	for (uint32_t i = 0; i < count; i++) {
		ssize_t number;

		snprintf(id, sizeof(id), "%s_%s%u", montage[kind].name, band, i + 1);
		number = task_add(g, &montage[kind], id, errp);
		if (number < 0)
			return -1;
		for (size_t parent = (size_t) first; first >= 0 && parent < before; parent++)
			if (wt_task_graph_wait(g->graph, (size_t) number, parent, errp) < 0)
				return -1;
	}
	return (ssize_t) before;
}

static int montage_make(struct generator *g, const void *arg, struct wt_error *errp)
{
	static const char bands[BANDS][2] = { "h", "j", "k" };
	uint32_t images = *(const uint32_t *) arg, diffs = (images * DIFFS + WT_MONTAGE_IMAGES / 2) / WT_MONTAGE_IMAGES;
	ssize_t adds[BANDS], at, gather;

	for (int b = 0; b < BANDS; b++) {
		const uint32_t counts[] = {
			[PROJECT] = images, [OVERLAP] = 1, [DIFF] = diffs, [BGMODEL] = 1, [BACKGROUND] = 1, [ADD] = 1,
		};

		at = -1;
		for (int kind = PROJECT; kind <= ADD; kind++) {
			at = layer_add(g, (enum montage) kind, bands[b], counts[kind], at, errp);
			if (at < 0)
				return -1;
		}
		adds[b] = at;
	}
	gather = layer_add(g, GATHER, "", 1, -1, errp);
	for (int b = 0; b < BANDS && gather >= 0; b++)
		if (wt_task_graph_wait(g->graph, (size_t) gather, (size_t) adds[b], errp) < 0)
			gather = -1;
	return gather < 0 ? -1 : 0;
}

int wt_generate_montage(struct wt_swf_trace *trace, uint32_t images, uint64_t seed, struct wt_error *errp)
{
	memset(trace, 0, sizeof(*trace));
	if (images < 2 || images > WT_MONTAGE_IMAGES_MAX)
		return wt_error_set(errp, EINVAL, "%u images of each band: give 2 to %d", images, WT_MONTAGE_IMAGES_MAX);
	return generate(trace, seed, montage_make, &images, errp);
}
