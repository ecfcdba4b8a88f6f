/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/losses.h"

#define NO_JOB UINT32_MAX

/* One sweep over the events in time's order, with the idle CPUs of each interval given to one cause.  Two questions
 * need more than counters: the smallest waiting job (a heap, log n) and the next start (an index that only grows). */
struct state {
	const struct page_run *run;
	const struct sweep *sweep;
	struct losses *losses;
	size_t next_start;	/* event */
	double ramp_cpus;
	double busy, completing;	/* CPUs */
	size_t waiting, heap_count;
	/* jobs that wait, the smallest first; those that no longer wait leave it when they come up */
	uint32_t *heap;
	unsigned char *waits;	/* by job */
	int ramped;
	struct loss_moment open[LOSS_CAUSE_COUNT];
};

const char *loss_cause_name(enum loss_cause cause)
{
	static const char *const names[] = {
		"start", "drain for a large job", "tail", "completing nodes", "no job waited", "a waiting job fitted",
			"no waiting job fitted",
	};

	return names[cause];
}

/* ---- a heap of waiting jobs by CPUs ------------------------------------------------------------------------------- */

static uint32_t cpus_of(const struct state *s, size_t place)
{
	const struct page_job *job = &s->run->jobs[s->heap[place]];

	return job->record->cpus ? job->record->cpus : job->cpus;
}

static void heap_swap(struct state *s, size_t a, size_t b)
{
	uint32_t job = s->heap[a];

	s->heap[a] = s->heap[b];
	s->heap[b] = job;
}

static void heap_push(struct state *s, uint32_t job)
{
	size_t at = s->heap_count++;

	s->heap[at] = job;
	for (; at && cpus_of(s, at) < cpus_of(s, (at - 1) / 2); at = (at - 1) / 2)
		heap_swap(s, at, (at - 1) / 2);
}

static void heap_pop(struct state *s)
{
	size_t at = 0, child;

	s->heap[0] = s->heap[--s->heap_count];
	while ((child = 2 * at + 1) < s->heap_count) {
		if (child + 1 < s->heap_count && cpus_of(s, child + 1) < cpus_of(s, child))
			child++;
		if (cpus_of(s, at) <= cpus_of(s, child))
			return;
		heap_swap(s, at, child);
		at = child;
	}
}

static int smallest_fits(struct state *s, double idle)
{
	while (s->heap_count && !s->waits[s->heap[0]])
		heap_pop(s);
	return s->heap_count && cpus_of(s, 0) <= idle;
}

/* ---- state -------------------------------------------------------------------------------------------------------- */

/* CPUs that complete on average from the job's end to its last release. events.csv has each node's release, jobs.csv
 * their sum: spread evenly from the job's end to its last release. */
static double completing_cpus(const struct page_job *job)
{
	double node_s = wt_job_completing_node_s(job->record), span_s = job->release_s - job->end_s;

	if (!(node_s > 0) || !(span_s > 0) || !job->record->alloc_nodes)
		return 0;
	return fmin(job->cpus, job->cpus * (node_s / (job->record->alloc_nodes * span_s)));
}

static void event_apply(struct state *s, const struct sweep_event *event)
{
	const struct page_job *job = &s->run->jobs[event->job];

	switch (event->kind) {
	case SWEEP_SUBMIT:
		s->waits[event->job] = 1;
		s->waiting++;
		heap_push(s, event->job);
		break;
	case SWEEP_START:
		s->busy += job->cpus;
		/* fall through */
	case SWEEP_LEAVE:
		s->waiting -= s->waits[event->job];
		s->waits[event->job] = 0;
		break;
	case SWEEP_END:
		s->busy -= job->cpus;
		s->completing += completing_cpus(job);
		break;
	case SWEEP_RELEASE:
		s->completing -= completing_cpus(job);
		if (s->completing < 1e-6)
			s->completing = 0;	/* what sums of fractions leave behind */
		break;
	}
}

/* The job that the cluster is emptied for, or NO_JOB. */
static uint32_t drained_for(const struct state *s, double idle)
{
	const struct sweep_event *start = s->next_start < s->sweep->count ? &s->sweep->events[s->next_start] : NULL;
	const struct page_job *job = start ? &s->run->jobs[start->job] : NULL;

	return job && job->size == PAGE_SIZE_WHOLE && s->waits[start->job] && job->cpus > idle ? start->job : NO_JOB;
}

/* The order decides where several causes hold: a drain explains why a small job that fits does not start. */
static enum loss_cause cause_find(struct state *s, double idle, uint32_t *job)
{
	*job = NO_JOB;
	if (!s->ramped)
		return LOSS_START;
	*job = drained_for(s, idle);
	if (*job != NO_JOB)
		return LOSS_DRAIN;
	if (!s->waiting)
		return s->next_start < s->sweep->count ? LOSS_NO_JOB : LOSS_TAIL;
	return smallest_fits(s, idle) ? LOSS_FITTED : LOSS_NOT_FITTED;
}

static void loss_add(struct state *s, enum loss_cause cause, uint32_t job, double from_s, double to_s, double cpu_s)
{
	struct loss_moment *open = &s->open[cause];

	if (!(cpu_s > 0))
		return;
	if (open->to_s != from_s || open->job != job)
		*open = (struct loss_moment) { from_s, to_s, 0, job };
	open->to_s = to_s;
	open->cpu_s += cpu_s;
	s->losses->cpu_s[cause] += cpu_s;
	if (open->cpu_s > s->losses->largest[cause].cpu_s)
		s->losses->largest[cause] = *open;
}

/* Jobs that overlap (shared nodes, a damaged record) make idle time negative: counted apart, and told. */
static void over_note(struct state *s, double from_s, double cpu_s)
{
	s->losses->over_cpu_s += cpu_s;
	if (s->busy > s->losses->most_cpus) {
		s->losses->most_cpus = s->busy;
		s->losses->most_s = from_s;
	}
}

static void interval_account(struct state *s, double from_s, double to_s)
{
	double span_s = to_s - from_s, idle = s->run->record->cpus - s->busy, completing;
	enum loss_cause cause;
	uint32_t job;

	if (!(span_s > 0))
		return;
	s->losses->busy_cpu_s += s->busy * span_s;
	if (s->busy >= s->ramp_cpus)
		s->ramped = 1;
	if (idle < 0)
		over_note(s, from_s, -idle * span_s);
	if (!(idle > 0))
		return;
	completing = fmin(idle, fmax(0, s->completing));
	cause = cause_find(s, idle - completing, &job);
	s->losses->idle_cpu_s += idle * span_s;
	loss_add(s, LOSS_COMPLETING, NO_JOB, from_s, to_s, completing * span_s);
	loss_add(s, cause, job, from_s, to_s, (idle - completing) * span_s);
}

static void next_start_find(struct state *s, size_t from)
{
	while (s->next_start < s->sweep->count &&
	       (s->next_start < from || s->sweep->events[s->next_start].kind != SWEEP_START))
		s->next_start++;
}

static void sweep_run(struct state *s)
{
	const struct sweep *sweep = s->sweep;
	double at_s = 0;

	for (size_t i = 0; i < sweep->count && at_s < s->losses->makespan_s; i++) {
		next_start_find(s, i);
		interval_account(s, at_s, fmin(sweep->events[i].time_s, s->losses->makespan_s));
		at_s = fmax(at_s, sweep->events[i].time_s);
		event_apply(s, &sweep->events[i]);
	}
	interval_account(s, at_s, s->losses->makespan_s);
}

/* The average load, and the last end. */
static void extent_find(struct state *s)
{
	const struct sweep *sweep = s->sweep;
	double cpu_s = 0;

	for (size_t i = 0; i < sweep->count; i++) {
		const struct page_job *job = &s->run->jobs[sweep->events[i].job];

		if (sweep->events[i].kind != SWEEP_END)
			continue;
		s->losses->makespan_s = sweep->events[i].time_s;
		s->losses->larger_jobs += s->run->record->cpus && job->cpus > s->run->record->cpus;
		cpu_s += job->cpus * (job->end_s - job->start_s);
	}
	s->losses->capacity_cpu_s = s->run->record->cpus * s->losses->makespan_s;
	s->ramp_cpus = s->losses->makespan_s > 0 ? cpu_s / s->losses->makespan_s : 0;
}

int losses_compute(struct losses *losses, const struct page_run *run, const struct sweep *sweep, struct wt_error *errp)
{
	struct state s = { .run = run, .sweep = sweep, .losses = losses };
	int rc = 0;

	*losses = (struct losses) { 0 };
	for (size_t c = 0; c < LOSS_CAUSE_COUNT; c++)
		s.open[c] = (struct loss_moment) { .to_s = -1 };
	s.heap = calloc(run->job_count ? run->job_count : 1, sizeof(*s.heap));
	s.waits = calloc(run->job_count ? run->job_count : 1, 1);
	if (!s.heap || !s.waits) {
		rc = wt_error_errno(errp, ENOMEM, "losses");
	} else {
		extent_find(&s);
		if (run->record->cpus)
			sweep_run(&s);
	}
	free(s.heap);
	free(s.waits);
	return rc;
}

enum loss_cause losses_first(const struct losses *losses)
{
	int first = 0;

	for (int c = 1; c < LOSS_CAUSE_COUNT; c++)
		if (losses->cpu_s[c] > losses->cpu_s[first])
			first = c;
	return (enum loss_cause) first;
}

bool losses_overfull(const struct losses *losses)
{
	return losses->larger_jobs || losses->over_cpu_s > 0.001 * losses->capacity_cpu_s;
}

double losses_points(const struct losses *losses, double cpu_s)
{
	return losses->capacity_cpu_s > 0 ? 100 * cpu_s / losses->capacity_cpu_s : 0;
}
