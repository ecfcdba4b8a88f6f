/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/mapreduce.h"
#include "workload/stream.h"

#define STREAM_SPLITS 0
#define NAME_BYTES 16	/* "n4294967295," */

void wt_mapreduce_init(struct wt_mapreduce_options *options)
{
	*options = (struct wt_mapreduce_options) {
		.shared = WORKLOAD_OPTIONS_DEFAULT,
		.maps = 150,
		.reduces = 1,
		.rounds = 1,
		.replicas = 3,
		.map_s = 7,
		.reduce_s = 550,
		.input_bytes = 100e9,
	};
}

static bool is_time(double value)
{
	return isfinite(value) && value >= 0;
}

static int options_check(const struct wt_mapreduce_options *o, struct wt_error *errp)
{
	if (!o->maps || o->maps > WT_MAPREDUCE_TASKS_MAX || !o->reduces || o->reduces > WT_MAPREDUCE_TASKS_MAX)
		return wt_error_set(errp, EINVAL, "%u maps and %u reduces: give 1 to %d of each", o->maps, o->reduces,
				    WT_MAPREDUCE_TASKS_MAX);
	if (!o->rounds || o->rounds > WT_MAPREDUCE_ROUNDS_MAX)
		return wt_error_set(errp, EINVAL, "%u rounds: give 1 to %d", o->rounds, WT_MAPREDUCE_ROUNDS_MAX);
	if (!o->replicas || o->replicas > WT_MAPREDUCE_REPLICAS_MAX)
		return wt_error_set(errp, EINVAL, "%u replicas: give 1 to %d", o->replicas, WT_MAPREDUCE_REPLICAS_MAX);
	if (!is_time(o->map_s) || !is_time(o->reduce_s) || !is_time(o->input_bytes) || !is_time(o->bandwidth))
		return wt_error_set(errp, EINVAL, "maps of %g s, reduces of %g s, %g bytes at %g a second: give 0 or more",
				    o->map_s, o->reduce_s, o->input_bytes, o->bandwidth);
	if (!o->nodes || !o->machine_cpus)
		return wt_error_set(errp, EINVAL, "a machine without nodes or CPUs");
	return workload_options_check(&o->shared, errp);
}

static double transfer_s(const struct wt_mapreduce_options *o, double bytes)
{
	return o->bandwidth > 0 ? bytes / o->bandwidth : 0;
}

/* So many different nodes, in the order in which they were drawn. */
static char *split_place(gsl_rng *rng, const struct wt_mapreduce_options *o)
{
	uint32_t drawn[WT_MAPREDUCE_REPLICAS_MAX], count = o->replicas < o->nodes ? o->replicas : o->nodes;
	char *text = calloc(count, NAME_BYTES), *end = text;

	for (uint32_t i = 0; text && i < count;) {
		uint32_t node = (uint32_t) gsl_rng_uniform_int(rng, o->nodes), k = 0;

		while (k < i && drawn[k] != node)
			k++;
		if (k < i)
			continue;
		drawn[i] = node;
		end += sprintf(end, i ? ",n%u" : "n%u", node);
		i++;
	}
	return text;
}

struct array {
	const char *class_name;
	size_t first;
	uint32_t tasks, round, waits_for;
	double run_s, away_s;
};

static int task_fill(struct wt_job *job, const struct array *a, const struct wt_mapreduce_options *o, uint32_t task,
		     struct wt_error *errp)
{
	char name[32];

	snprintf(name, sizeof(name), a->round > 1 ? "%s%u" : "%s", a->class_name, a->round);
	if (wt_job_set_name(job, name, task, errp) < 0)
		return -1;
	strcpy(job->class_name, a->class_name);	/* as long, or shorter */
	job->cpus = 1;
	job->run_time_s = a->run_s * o->shared.time_scale;
	job->away_s = a->away_s * o->shared.time_scale;
	job->time_limit_s = (job->run_time_s + job->away_s) * o->shared.limit_factor;
	job->array_tasks = a->tasks;
	job->array_task = task;
	job->waits_for = a->waits_for;
	return 0;
}

static int array_fill(struct wt_workload *w, const struct array *a, const struct wt_mapreduce_options *o, gsl_rng *rng,
		      struct wt_error *errp)
{
	for (uint32_t i = 0; i < a->tasks; i++) {
		struct wt_job *job = &w->jobs[a->first + i];

		if (task_fill(job, a, o, i, errp) < 0)
			return -1;
		if (rng)
			job->near = split_place(rng, o);
		if (rng && !job->near)
			return wt_error_errno(errp, ENOMEM, "job %s", job->name);
	}
	w->ideal_s += a->tasks * a->run_s * o->shared.time_scale / o->machine_cpus;
	return 0;
}

/* A row of arrays, each of which waits for the one before. */
static int rounds_fill(struct wt_workload *w, const struct wt_mapreduce_options *o, gsl_rng *rng, struct wt_error *errp)
{
	struct array map = { .class_name = "map", .tasks = o->maps, .run_s = o->map_s };
	struct array reduce = { .class_name = "reduce", .tasks = o->reduces, .run_s = o->reduce_s };

	map.away_s = transfer_s(o, o->input_bytes / o->maps);
	reduce.run_s += transfer_s(o, o->input_bytes / o->reduces * (o->nodes - 1) / o->nodes);
	for (uint32_t round = 1; round <= o->rounds; round++) {
		map.round = reduce.round = round;
		map.waits_for = round > 1 ? (uint32_t) reduce.first + 1 : 0;
		map.first = (size_t) (round - 1) * (o->maps + o->reduces);
		reduce.first = map.first + o->maps;
		reduce.waits_for = (uint32_t) map.first + 1;
		if (array_fill(w, &map, o, map.away_s > 0 ? rng : NULL, errp) < 0 ||
		    array_fill(w, &reduce, o, NULL, errp) < 0)
			return -1;
	}
	return 0;
}

struct wt_workload *wt_mapreduce_create(const struct wt_mapreduce_options *o, struct wt_error *errp)
{
	struct wt_workload *w;
	gsl_rng *rng;
	int rc;

	if (options_check(o, errp) < 0)
		return NULL;
	w = wt_workload_create("mapreduce", (size_t) o->rounds * (o->maps + o->reduces), errp);
	if (!w)
		return NULL;
	w->seed = o->shared.seed;
	w->time_scale = o->shared.time_scale;
	rng = wt_stream_open(o->shared.seed, STREAM_SPLITS);
	rc = rng ? rounds_fill(w, o, rng, errp) : wt_error_errno(errp, ENOMEM, "workload mapreduce");
	gsl_rng_free(rng);
	if (rc == 0)
		return w;
	wt_workload_destroy(w);
	return NULL;
}
