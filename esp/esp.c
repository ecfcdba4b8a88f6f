/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* The way: lines of Table 1 -> the classes in the order of submission -> jobs -> lanes with their waits. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "esp/esp.h"
#include "workload/stream.h"

#define ESP_JOBS 230	/* of ESP and Light-ESP; the burst is a share of it */
#define CLASS_Z (WT_ESP_CLASS_COUNT - 1)

/* Random streams of one seed: the order must not change with the waits, nor one lane's waits with another's. */
enum { STREAM_ORDER = 0, STREAM_LANE = 1 };

static size_t job_count(const struct wt_esp_class *classes)
{
	size_t count = 0;

	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		count += classes[i].job_count;
	return count;
}

/* The index of each job's class, class by class; in a shuffled order unless each class has a lane of its own.  Z stays
 * last. */
static int order_make(const struct wt_esp_options *options, unsigned char *order, size_t count)
{
	const struct wt_esp_class *classes = wt_esp_classes(options->variant);
	size_t at = 0;
	gsl_rng *rng;

	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		for (uint32_t n = 0; n < classes[i].job_count; n++)
			order[at++] = (unsigned char) i;
	if (options->variant == WT_ESP_PARALLEL_LIGHT)
		return 0;
	rng = wt_stream_open(options->shared.seed, STREAM_ORDER);
	if (!rng)
		return -1;
	/* The two jobs of class Z ask for the whole machine, and are submitted when all others have ended: they are
	 * no part of the shuffle. */
	gsl_ran_shuffle(rng, order, count - classes[CLASS_Z].job_count, sizeof(*order));
	gsl_rng_free(rng);
	return 0;
}

static int job_fill(struct wt_job *job, const struct wt_esp_options *o, const struct wt_esp_class *class, uint32_t n)
{
	job->class_name = strndup(&class->name, 1);
	if (!job->class_name)
		return -1;
	if (asprintf(&job->name, "%s.%c.%u", wt_esp_workload_name(o->variant), class->name, n) < 0) {
		job->name = NULL;
		return -1;
	}
	if (o->unit == WT_ESP_NODES) {
		job->nodes = wt_esp_size(class->fraction, o->nodes, o->unit);
		job->cpus = job->nodes * (o->cpus / o->nodes);
	} else {
		job->cpus = wt_esp_size(class->fraction, o->cpus, o->unit);
	}
	job->run_time_s = class->run_time_s * o->shared.time_scale;
	job->time_limit_s = job->run_time_s * o->shared.limit_factor;
	return 0;
}

static int jobs_fill(struct wt_workload *w, const struct wt_esp_options *options)
{
	const struct wt_esp_class *classes = wt_esp_classes(options->variant);
	unsigned char *order = calloc(w->job_count, sizeof(*order));
	uint32_t seen[WT_ESP_CLASS_COUNT] = { 0 };
	int rc = -1;

	if (!order || order_make(options, order, w->job_count) < 0)
		goto done;
	for (size_t i = 0; i < w->job_count; i++) {
		unsigned int c = order[i];

		w->jobs[i].number = (uint32_t) i;
		if (job_fill(&w->jobs[i], options, &classes[c], ++seen[c]) < 0)
			goto done;
	}
	rc = 0;
done:
	free(order);
	return rc;
}

static void lane_add(struct wt_workload *w, const char *name, unsigned int stage, size_t count)
{
	struct wt_lane *lane = &w->lanes[w->lane_count];

	snprintf(lane->name, sizeof(lane->name), "%s", name);
	lane->stage = stage;
	lane->first = w->lane_count ? lane[-1].first + lane[-1].count : 0;
	lane->count = count;
	w->lane_count++;
}

static void lanes_fill(struct wt_workload *w, const struct wt_esp_options *options)
{
	const struct wt_esp_class *classes = wt_esp_classes(options->variant);
	uint32_t z_jobs = classes[CLASS_Z].job_count;

	if (options->variant != WT_ESP_PARALLEL_LIGHT) {
		lane_add(w, "main", 0, w->job_count - z_jobs);
	} else {
		for (size_t i = 0; i < CLASS_Z; i++) {
			char name[] = { classes[i].name, '\0' };

			lane_add(w, name, 0, classes[i].job_count);
		}
	}
	lane_add(w, "Z", 1, z_jobs);
}

/* Jobs of a lane that are submitted at once; ESP's and Light-ESP's burst goes over both lanes as one sequence. */
static size_t lane_burst(const struct wt_esp_options *options, const struct wt_lane *lane)
{
	if (options->variant == WT_ESP_PARALLEL_LIGHT)
		return (size_t) lround((double) options->burst_jobs / ESP_JOBS * (double) lane->count);
	if (options->burst_jobs <= lane->first)
		return 0;
	return options->burst_jobs - lane->first < lane->count ? options->burst_jobs - lane->first : lane->count;
}

/* What makes a class' lane as long as all of Light-ESP: see esp.h. */
static double lane_stretch(const struct wt_esp_options *options, const struct wt_lane *lane, size_t burst)
{
	if (options->variant != WT_ESP_PARALLEL_LIGHT || lane->stage > 0 || burst == lane->count)
		return 1;
	return (double) (ESP_JOBS - options->burst_jobs) / (double) (lane->count - burst);
}

/* A stream for each lane: another burst or arrival model in one changes nothing in the others. */
static int delays_fill(struct wt_workload *w, const struct wt_esp_options *options)
{
	for (size_t i = 0; i < w->lane_count; i++) {
		const struct wt_lane *lane = &w->lanes[i];
		size_t burst = lane_burst(options, lane);
		double scale = lane_stretch(options, lane, burst) * options->shared.time_scale;
		gsl_rng *rng = wt_stream_open(options->shared.seed, STREAM_LANE + i);

		if (!rng)
			return -1;
		for (size_t n = burst; n < lane->count; n++)
			w->jobs[lane->first + n].delay_s = wt_arrival_draw(&options->arrival, rng) * scale;
		gsl_rng_free(rng);
	}
	return 0;
}

static struct wt_workload *workload_alloc(const struct wt_esp_options *options)
{
	struct wt_workload *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->job_count = job_count(wt_esp_classes(options->variant));
	w->name = strdup(wt_esp_workload_name(options->variant));
	w->jobs = calloc(w->job_count, sizeof(*w->jobs));
	w->lanes = calloc(WT_ESP_CLASS_COUNT, sizeof(*w->lanes));
	if (w->name && w->jobs && w->lanes)
		return w;
	wt_workload_destroy(w);
	return NULL;
}

struct wt_workload *wt_esp_create(const struct wt_esp_options *options, struct wt_error *errp)
{
	struct wt_workload *w;

	if (wt_esp_options_check(options, errp) < 0)
		return NULL;
	w = workload_alloc(options);
	if (!w)
		goto no_memory;
	w->seed = options->shared.seed;
	w->time_scale = options->shared.time_scale;
	w->ideal_s = wt_esp_ideal_s(options->variant, options->shared.time_scale);
	lanes_fill(w, options);
	if (jobs_fill(w, options) < 0 || delays_fill(w, options) < 0)
		goto no_memory;
	return w;
no_memory:
	wt_workload_destroy(w);
	wt_error_errno(errp, ENOMEM, "workload %s", wt_esp_workload_name(options->variant));
	return NULL;
}
