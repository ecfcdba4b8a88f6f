/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/bench_schedule.h"

#define NAME_SIZE  16
#define LOOK_AHEAD 64
#define CLASSES    6

static const char *const class_names[CLASSES] = { "tiny", "small", "medium", "large", "huge", "whole" };
static const char *const user_names[] = { "ada", "grace", "edsger", "barbara", "donald", "frances", "ken", "radia" };
#define USERS (sizeof(user_names) / sizeof(user_names[0]))

struct wanted { /* of a job */
	uint32_t nodes, cpus; /* cpus of each node */
	int64_t run_ms;
};

struct bench_machine {
	const struct bench_shape *shape;
	struct bench_schedule *s;
	struct wanted *wanted;
	uint64_t random;
	uint32_t *used; /* CPUs of each node */
	uint32_t free_nodes, *heap, heap_count; /* running jobs, the next to end first */
	int64_t now_ms;
};

static double random_unit(struct bench_machine *w)
{
	/* splitmix64, Steele, Lea and Flood 2014 */
	uint64_t z = w->random += 0x9E3779B97F4A7C15U;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
	z = (z ^ z >> 27) * 0x94D049BB133111EBU;
	return ((double) ((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double random_normal(struct bench_machine *w)
{
	double radius = sqrt(-2 * log(random_unit(w)));

	return radius * cos(2 * M_PI * random_unit(w));
}

static struct wanted wanted_make(struct bench_machine *w)
{
	uint32_t nodes = w->shape->nodes, most = 0;
	struct wanted wanted = { 1, w->shape->cpus_per_node, 1000 + (int64_t) (1000 * exp(5 + 1.5 * random_normal(w))) };

	while (2U << most <= nodes / 2)
		most++;
	wanted.nodes = 1U << (uint32_t) (pow(random_unit(w), 3) * (most + 1));
	if (wanted.nodes > 2 && random_unit(w) < 0.2)
		wanted.nodes--;
	if (random_unit(w) < 0.00002)
		wanted.nodes = nodes;
	if (w->shape->shared && wanted.nodes < 4) {
		wanted.nodes = 1;
		wanted.cpus = 1 + (uint32_t) (random_unit(w) * w->shape->cpus_per_node / 2);
	}
	return wanted;
}

static void job_make(struct bench_machine *w, uint32_t i, int64_t submit_ms)
{
	struct gantt_job *job = &w->s->jobs[i];
	struct wanted *wanted = &w->wanted[i];
	char *name = w->s->names + (size_t) i * NAME_SIZE;
	uint32_t kind = 0;

	while (kind < CLASSES - 2 && wanted->nodes > 1U << 2 * kind)
		kind++;
	if (wanted->nodes == w->shape->nodes)
		kind = CLASSES - 1;
	snprintf(name, NAME_SIZE, "%.6s.%u", class_names[kind], i % 100000000);
	*job = (struct gantt_job){ .name = name,
				   .submit_ms = submit_ms,
				   .start_ms = GANTT_TIME_NONE,
				   .end_ms = GANTT_TIME_NONE,
				   .job_id = i + 1,
				   .cpus = wanted->nodes * wanted->cpus };
	job->labels[GANTT_CLASS] = kind + 1;
	job->labels[GANTT_USER] = 1 + (uint32_t) (pow(random_unit(w), 2) * USERS);
	job->labels[GANTT_STATE] = 1 + (random_unit(w) < 0.05);
}

static void jobs_make(struct bench_machine *w)
{
	double node_ms = 0, submit_ms = 0, step_ms;

	for (uint32_t i = 0; i < w->shape->jobs; i++) {
		w->wanted[i] = wanted_make(w);
		node_ms += (double) w->wanted[i].nodes * w->wanted[i].cpus / w->shape->cpus_per_node *
			   (double) w->wanted[i].run_ms;
	}
	step_ms = node_ms / w->shape->nodes / w->shape->load / w->shape->jobs;
	for (uint32_t i = 0; i < w->shape->jobs; i++) {
		job_make(w, i, (int64_t) submit_ms);
		submit_ms -= log(random_unit(w)) * step_ms;
	}
}

static int64_t heap_end(const struct bench_machine *w, uint32_t k)
{
	return w->s->jobs[w->heap[k]].end_ms;
}

static void heap_swap(struct bench_machine *w, uint32_t a, uint32_t b)
{
	uint32_t job = w->heap[a];

	w->heap[a] = w->heap[b];
	w->heap[b] = job;
}

static void heap_push(struct bench_machine *w, uint32_t job)
{
	uint32_t k = w->heap_count++;

	for (w->heap[k] = job; k && heap_end(w, k) < heap_end(w, (k - 1) / 2); k = (k - 1) / 2)
		heap_swap(w, k, (k - 1) / 2);
}

static uint32_t heap_pop(struct bench_machine *w)
{
	uint32_t job = w->heap[0], k = 0, next;

	w->heap[0] = w->heap[--w->heap_count];
	for (; (next = 2 * k + 1) < w->heap_count; k = next) {
		if (next + 1 < w->heap_count && heap_end(w, next + 1) < heap_end(w, next))
			next++;
		if (heap_end(w, k) <= heap_end(w, next))
			break;
		heap_swap(w, k, next);
	}
	return job;
}

static void node_take(struct bench_machine *w, struct gantt_job *job, uint32_t node, uint32_t cpus)
{
	struct number_list *ranges = &w->s->ranges;

	w->free_nodes -= w->used[node] == 0;
	w->used[node] += cpus;
	if (job->range_count && ranges->values[ranges->count - 2] + ranges->values[ranges->count - 1] == node) {
		ranges->values[ranges->count - 1]++;
		return;
	}
	number_list_add(ranges, node);
	number_list_add(ranges, 1);
	job->range_count++;
}

static bool node_fits(const struct bench_machine *w, uint32_t node, uint32_t cpus)
{
	return w->used[node] + cpus <= w->shape->cpus_per_node;
}

static bool job_fits(const struct bench_machine *w, uint32_t i)
{
	const struct wanted *wanted = &w->wanted[i];

	if (wanted->cpus == w->shape->cpus_per_node)
		return w->free_nodes >= wanted->nodes;
	for (uint32_t node = 0; node < w->shape->nodes; node++)
		if (node_fits(w, node, wanted->cpus))
			return true;
	return false;
}

static void job_start(struct bench_machine *w, uint32_t i)
{
	const struct wanted *wanted = &w->wanted[i];
	struct gantt_job *job = &w->s->jobs[i];
	uint32_t left = wanted->nodes, skip = 0;

	job->start_ms = w->now_ms;
	job->end_ms = w->now_ms + wanted->run_ms;
	job->range_first = w->s->ranges.count / 2;
	if (random_unit(w) < 0.01 && w->free_nodes > wanted->nodes)
		skip = (uint32_t) (random_unit(w) * (w->free_nodes - wanted->nodes));
	for (uint32_t node = 0, spare = w->free_nodes; node < w->shape->nodes && left; node++) {
		if (!node_fits(w, node, wanted->cpus))
			continue;
		if (wanted->cpus == w->shape->cpus_per_node &&
		    (skip || (w->shape->scattered && node % 2 && spare >= 2 * left))) {
			skip -= skip > 0;
			spare--;
			continue;
		}
		node_take(w, job, node, wanted->cpus);
		spare--;
		left--;
	}
	heap_push(w, i);
}

static void job_end(struct bench_machine *w, uint32_t i)
{
	const struct gantt_job *job = &w->s->jobs[i];
	const uint32_t *range = w->s->ranges.values + 2 * job->range_first;

	for (uint32_t k = 0; k < job->range_count; k++, range += 2)
		for (uint32_t node = range[0]; node < range[0] + range[1]; node++) {
			w->used[node] -= w->wanted[i].cpus;
			w->free_nodes += w->used[node] == 0;
		}
}

/* Start what fits of the first waiting jobs; 'queue' has *count of them, in order. */
static void jobs_start(struct bench_machine *w, uint32_t *queue, uint32_t *count)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < *count; k++) {
		bool whole_waits = kept && w->wanted[queue[0]].nodes == w->shape->nodes;

		if (!whole_waits && job_fits(w, queue[k]))
			job_start(w, queue[k]);
		else
			queue[kept++] = queue[k];
	}
	*count = kept;
}

static void jobs_run(struct bench_machine *w)
{
	uint32_t queue[LOOK_AHEAD], count = 0, next = 0;

	while (next < w->shape->jobs || count || w->heap_count) {
		bool arrives = next < w->shape->jobs && count < LOOK_AHEAD;
		int64_t arrival_ms = arrives ? w->s->jobs[next].submit_ms : INT64_MAX;

		if (w->heap_count && heap_end(w, 0) <= arrival_ms) {
			w->now_ms = heap_end(w, 0) > w->now_ms ? heap_end(w, 0) : w->now_ms;
			job_end(w, heap_pop(w));
		} else if (arrives) {
			w->now_ms = arrival_ms > w->now_ms ? arrival_ms : w->now_ms;
			queue[count++] = next++;
		}
		jobs_start(w, queue, &count);
	}
}

int bench_schedule_make(struct bench_schedule *s, const struct bench_shape *shape, struct wt_error *errp)
{
	static const char *const states[] = { "COMPLETED", "FAILED" };
	struct bench_machine w = { .shape = shape, .s = s, .random = shape->seed, .free_nodes = shape->nodes };
	int rc = 0;

	*s = (struct bench_schedule){ 0 };
	s->jobs = calloc(shape->jobs + 1, sizeof(*s->jobs));
	s->names = calloc(shape->jobs + 1, NAME_SIZE);
	w.wanted = calloc(shape->jobs + 1, sizeof(*w.wanted));
	w.used = calloc(shape->nodes + 1, sizeof(*w.used));
	w.heap = calloc(shape->jobs + 1, sizeof(*w.heap));
	if (s->jobs && s->names && w.wanted && w.used && w.heap) {
		jobs_make(&w);
		jobs_run(&w);
	}
	if (!s->jobs || !s->names || !w.wanted || !w.used || !w.heap || s->ranges.failed)
		rc = wt_error_set(errp, ENOMEM, "not enough memory for %u jobs", shape->jobs);
	s->input = (struct gantt_input){
		.job_count = shape->jobs,
		.jobs = s->jobs,
		.ranges = (void *) s->ranges.values,
		.node_count = shape->nodes,
		.cpus_per_node = shape->cpus_per_node,
		.labels = { [GANTT_CLASS] = class_names, [GANTT_USER] = user_names, [GANTT_STATE] = states },
		.label_count = { [GANTT_CLASS] = CLASSES, [GANTT_USER] = USERS, [GANTT_STATE] = 2 }
	};
	free(w.wanted);
	free(w.used);
	free(w.heap);
	return rc;
}

void bench_schedule_clear(struct bench_schedule *s)
{
	free(s->jobs);
	free(s->names);
	number_list_clear(&s->ranges);
}
