/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A detector's life, and heartbeats on their way into it. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "straggler/straggler_private.h"

static const char *const method_names[WT_STRAGGLER_METHODS] = { "score", "rate", "r1", "r2", "fresh" };

const char *wt_straggler_method_name(enum wt_straggler_method method)
{
	if ((unsigned int) method >= WT_STRAGGLER_METHODS)
		return NULL;
	return method_names[method];
}

struct wt_straggler_options wt_straggler_defaults(enum wt_straggler_method method, uint32_t tasks)
{
	return (struct wt_straggler_options) {
		.method = method,
		.tasks = tasks,
		.window_s = 6,
		.slow_ratio = 1.2,
		.score_gap = 0.2,
		.z = 1,
		.silence_s = 20,
		.wait_end = method != WT_STRAGGLER_R2 && method != WT_STRAGGLER_FRESH,
	};
}

static int options_check(const struct wt_straggler_options *o, struct wt_error *errp)
{
	if (!o)
		return wt_error_set(errp, EINVAL, "straggler: no options");
	if ((unsigned int) o->method >= WT_STRAGGLER_METHODS)
		return wt_error_set(errp, EINVAL, "straggler: no method has the number %d", (int) o->method);
	if (o->tasks < 1 || o->tasks > WT_STRAGGLER_TASKS_MAX)
		return wt_error_set(errp, EINVAL, "straggler: %u tasks: wanted 1 to %u", o->tasks, WT_STRAGGLER_TASKS_MAX);
	if (!(o->window_s > 0) || !isfinite(o->window_s))
		return wt_error_set(errp, EINVAL, "straggler: window of %g s: wanted more than 0", o->window_s);
	if (!(o->slow_ratio > 1) || !isfinite(o->slow_ratio))
		return wt_error_set(errp, EINVAL, "straggler: slow ratio %g: wanted more than 1", o->slow_ratio);
	if (!(o->score_gap > 0) || !(o->score_gap < 1))
		return wt_error_set(errp, EINVAL, "straggler: score gap %g: wanted between 0 and 1", o->score_gap);
	if (!(o->z >= 0) || !isfinite(o->z))
		return wt_error_set(errp, EINVAL, "straggler: z = %g: wanted 0 or more", o->z);
	if (!(o->silence_s >= 0))
		return wt_error_set(errp, EINVAL, "straggler: silence of %g s: wanted 0 or more", o->silence_s);
	return 0;
}

struct wt_straggler *wt_straggler_create(const struct wt_straggler_options *options, struct wt_error *errp)
{
	struct wt_straggler *s;

	if (options_check(options, errp) < 0)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		goto nomem;
	s->options = *options;
	s->open = !options->wait_end;
	s->tasks = calloc(options->tasks, sizeof(*s->tasks));
	s->found = calloc(options->tasks, sizeof(*s->found));
	s->heard = calloc(options->tasks, sizeof(*s->heard));
	if (!s->tasks || !s->found || !s->heard || wt_heap_init(&s->slow, options->tasks) < 0 ||
	    wt_heap_init(&s->silent, options->tasks) < 0)
		goto nomem;
	return s;
nomem:
	wt_straggler_destroy(s);
	wt_error_set(errp, ENOMEM, "straggler: no memory for %u tasks", options->tasks);
	return NULL;
}

void wt_straggler_destroy(struct wt_straggler *s)
{
	int saved_errno = errno;

	if (!s)
		return;
	wt_heap_fini(&s->slow);
	wt_heap_fini(&s->silent);
	free(s->tasks);
	free(s->found);
	free(s->heard);
	free(s);
	errno = saved_errno;
}

void wt_straggler_open(struct wt_straggler *s)
{
	s->open = true;
}

/* 1: news; 0: nothing new; -1: nonsense. */
static int heartbeat_check(const struct wt_straggler *s, const struct wt_heartbeat *hb, struct wt_error *errp)
{
	const struct task *t;

	if (!hb || hb->task >= s->options.tasks)
		return wt_error_set(errp, EINVAL, "heartbeat of task %u: the job has %u",
				    hb ? hb->task : 0, s->options.tasks);
	if (!(fabs(hb->received_s) <= WT_STRAGGLER_TIME_MAX_S) || fabs(hb->sent_s) > WT_STRAGGLER_TIME_MAX_S)
		return wt_error_set(errp, EINVAL, "heartbeat of task %u: received at %g s, sent at %g s: wanted at most %g",
				    hb->task, hb->received_s, hb->sent_s, WT_STRAGGLER_TIME_MAX_S);
	if (!(hb->elapsed_s >= 0 && hb->elapsed_s <= WT_STRAGGLER_ELAPSED_MAX_S))
		return wt_error_set(errp, EINVAL, "heartbeat of task %u: %g s elapsed: wanted 0 to %g", hb->task,
				    hb->elapsed_s, WT_STRAGGLER_ELAPSED_MAX_S);
	if (!(hb->progress >= 0 && hb->progress <= 1))
		return wt_error_set(errp, EINVAL, "heartbeat of task %u: progress %g: wanted 0 to 1", hb->task,
				    hb->progress);
	t = &s->tasks[hb->task];
	if (t->state == WT_STRAGGLER_UNKNOWN)
		return 1;
	/* Late ones are no mistake: reports overtake each other on the way. */
	if (t->state == WT_STRAGGLER_ENDED || (!hb->end && hb->elapsed_s <= t->last.elapsed_s))
		return 0;
	if (!hb->end && hb->progress < t->last.progress)
		return wt_error_set(errp, EINVAL, "heartbeat of task %u: progress shrank from %g to %g", hb->task,
				    t->last.progress, hb->progress);
	return 1;
}

/* Heartbeats close to each other say little about the rate in between: they do not make a step.  The last part of a task
 * is as short as it happens to be, and for short tasks it is the second of two steps. */
static void task_step(struct task *t, double window_s)
{
	double step_s = t->last.elapsed_s - t->anchors[0].elapsed_s;
	double weight = fmax(step_s / window_s, 1);	/* uneven speed averages out over a longer step */
	double rate;

	if (step_s < (t->state == WT_STRAGGLER_ENDED ? window_s / 4 : window_s / 2))
		return;
	rate = (t->last.progress - t->anchors[0].progress) / step_s;
	t->steps.count++;
	t->steps.weight += weight;
	t->steps.rate += weight * rate;
	t->steps.square += weight * rate * rate;
	t->anchors[2] = t->anchors[1];
	t->anchors[1] = t->anchors[0];
	t->anchors[0] = t->last;
}

static void task_take(struct wt_straggler *s, struct task *t, const struct wt_heartbeat *hb)
{
	double sent_s = isnan(hb->sent_s) ? hb->received_s : hb->sent_s;

	if (t->state == WT_STRAGGLER_UNKNOWN) {
		t->start_s = sent_s - hb->elapsed_s - s->base_s;
		t->received_s = hb->received_s;
	}
	/* An end that was sent before the last report may still arrive after it. */
	t->received_s = fmax(t->received_s, hb->received_s);
	t->last.elapsed_s = fmax(t->last.elapsed_s, hb->elapsed_s);
	t->last.progress = hb->end ? 1 : hb->progress;
	if (hb->end) {
		t->state = WT_STRAGGLER_ENDED;
		s->open = true;
	}
	task_step(t, s->options.window_s);
	if (hb->end)
		return;
	if (hb->elapsed_s > 0 && hb->progress >= WT_STRAGGLER_PROGRESS_MIN)
		t->state = WT_STRAGGLER_RUNNING;
	else
		t->state = WT_STRAGGLER_STARTED;
}

/* Whether it may be flagged: SCORE wants a heartbeat after the start, the others an expected duration. */
static bool task_is_candidate(const struct wt_straggler *s, const struct task *t)
{
	if (t->flagged || t->state == WT_STRAGGLER_UNKNOWN || t->state == WT_STRAGGLER_ENDED)
		return false;
	if (s->options.method == WT_STRAGGLER_SCORE)
		return t->share.counted;
	return s->options.method == WT_STRAGGLER_FRESH || t->state == WT_STRAGGLER_RUNNING;
}

static void task_file(struct wt_straggler *s, uint32_t task)
{
	const struct task *t = &s->tasks[task];

	if (!task_is_candidate(s, t)) {
		wt_heap_remove(&s->slow, task);
		wt_heap_remove(&s->silent, task);
		return;
	}
	wt_heap_set(&s->slow, task, s->options.method == WT_STRAGGLER_SCORE ? -t->last.progress :
		    wt_estimate_duration_s(s, t, t->received_s));
	/* One that is there already stays where it is until its silence is looked at: most tasks are heard of often before
	 * that. */
	if (s->options.method == WT_STRAGGLER_FRESH && s->silent.places[task] == WT_HEAP_ABSENT)
		wt_heap_set(&s->silent, task, -t->received_s);
}

int wt_straggler_heartbeat(struct wt_straggler *s, const struct wt_heartbeat *hb, struct wt_error *errp)
{
	int rc = heartbeat_check(s, hb, errp);
	struct share share;

	if (rc <= 0)
		return rc;
	if (!s->based) {
		s->based = true;
		/* Times are kept from here on: sums of squares of seconds since boot would lose the digits that
		 * matter. */
		s->base_s = hb->received_s;
	}
	task_take(s, &s->tasks[hb->task], hb);
	share = wt_estimate_share(s, &s->tasks[hb->task]);
	wt_share_set(s, hb->task, &share);
	task_file(s, hb->task);
	return 1;
}

int wt_straggler_forget(struct wt_straggler *s, uint32_t task, struct wt_error *errp)
{
	struct share none = { 0 };

	if (task >= s->options.tasks)
		return wt_error_set(errp, EINVAL, "forget task %u: the job has %u", task, s->options.tasks);
	wt_share_set(s, task, &none);
	s->tasks[task] = (struct task) { 0 };
	task_file(s, task);
	return 0;
}
