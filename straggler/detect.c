/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a detector finds and tells. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "straggler/straggler_private.h"

#define SPREAD_TASKS_MIN 3	/* R2 and FRESH: fewer say nothing about the spread */

double wt_straggler_limit(const struct wt_straggler *s, double now_s)
{
	const struct wt_straggler_options *o = &s->options;
	double mean = wt_sums_mean(s, now_s), k = s->sums.count;

	if (o->method == WT_STRAGGLER_SCORE)
		return mean - o->score_gap;
	if (o->method == WT_STRAGGLER_RATE || o->method == WT_STRAGGLER_R1)
		return o->slow_ratio * mean;
	if (k < SPREAD_TASKS_MIN)
		return NAN;
	/* Three standard errors of a mean of k out of n: nothing is left of them when all tasks are known. */
	return o->slow_ratio * (mean + 3 * wt_sums_sd(s) / sqrt(k) * sqrt(1 - k / o->tasks));
}

struct slow_search {
	struct wt_straggler *s;
	double now_s, limit;
};

static void search_visit(uint32_t task, void *arg)
{
	struct slow_search *search = arg;
	struct wt_straggler *s = search->s;
	struct task *t = &s->tasks[task];

	if (t->flagged || !wt_estimate_is_slow(s, t, search->now_s, search->limit))
		return;
	t->flagged = true;
	s->found[s->found_count++] = task;
}

/* A key may be older than the task's last heartbeat. */
static void silent_visit(uint32_t task, void *arg)
{
	struct wt_straggler *s = ((struct slow_search *) arg)->s;

	if (-s->tasks[task].received_s < s->silent.keys[task])
		s->heard[s->heard_count++] = task;
	search_visit(task, arg);
}

static void silent_search(struct slow_search *search)
{
	struct wt_straggler *s = search->s;

	s->heard_count = 0;
	wt_heap_visit(&s->silent, s->options.silence_s - search->now_s, silent_visit, search);
	/* After the visit, which must not find its heap changed. */
	for (size_t i = 0; i < s->heard_count; i++)
		wt_heap_set(&s->silent, s->heard[i], -s->tasks[s->heard[i]].received_s);
}

static int compare_tasks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

/* The keys in 'slow' bound from above what wt_estimate_is_slow () compares, silence aside: only so many tasks are looked
 * at. */
static double slow_bound(const struct wt_straggler *s, double limit)
{
	/* Its estimates grow with time: a key says nothing of now, and every task is looked at. */
	if (s->options.method == WT_STRAGGLER_RATE)
		return -INFINITY;
	return s->options.method == WT_STRAGGLER_SCORE ? -limit : limit;
}

const uint32_t *wt_straggler_detect(struct wt_straggler *s, double now_s, size_t *count)
{
	struct slow_search search = { .s = s, .now_s = now_s, .limit = wt_straggler_limit(s, now_s) };

	s->found_count = 0;
	*count = 0;
	if (!s->open || isnan(search.limit))
		return NULL;
	wt_heap_visit(&s->slow, slow_bound(s, search.limit), search_visit, &search);
	silent_search(&search);
	for (size_t i = 0; i < s->found_count; i++) {
		/* A task is flagged once: from now on it costs nothing. */
		wt_heap_remove(&s->slow, s->found[i]);
		wt_heap_remove(&s->silent, s->found[i]);
	}
	if (!s->found_count)
		return NULL;
	qsort(s->found, s->found_count, sizeof(*s->found), compare_tasks);
	*count = s->found_count;
	return s->found;
}

int wt_straggler_view(const struct wt_straggler *s, uint32_t task, double now_s, struct wt_straggler_view *view,
		      struct wt_error *errp)
{
	const struct task *t;

	if (task >= s->options.tasks)
		return wt_error_set(errp, EINVAL, "view of task %u: the job has %u", task, s->options.tasks);
	t = &s->tasks[task];
	*view = (struct wt_straggler_view) {
		.state = t->state,
		.flagged = t->flagged,
		.progress = t->last.progress,
		.elapsed_s = t->last.elapsed_s,
		.silence_s = NAN,
		.duration_s = NAN,
	};
	if (t->state == WT_STRAGGLER_RUNNING || t->state == WT_STRAGGLER_STARTED)
		view->silence_s = now_s - t->received_s;
	if (t->state == WT_STRAGGLER_ENDED)
		view->duration_s = t->last.elapsed_s;
	if (t->state == WT_STRAGGLER_RUNNING) {
		view->duration_s = wt_estimate_duration_s(s, t, now_s) + wt_estimate_silence_s(s, t, now_s);
		view->margin_s = wt_estimate_margin_s(s, t);
	}
	return 0;
}

static bool about(double a, double b, double scale)
{
	return fabs(a - b) <= 1e-6 * (1 + fabs(scale));
}

static int sums_check(const struct wt_straggler *s, struct wt_error *errp)
{
	struct wt_straggler anew = *s;

	anew.sums = wt_sums_anew(s);
	if (anew.sums.count != s->sums.count)
		return wt_error_set(errp, EPROTO, "straggler: %u tasks counted, %u are", s->sums.count, anew.sums.count);
	if (anew.sums.freedoms != s->sums.freedoms || anew.sums.samples != s->sums.samples ||
	    !about(anew.sums.deviations, s->sums.deviations, anew.sums.deviations))
		return wt_error_set(errp, EPROTO, "straggler: the deviations' sum is off");
	if (!s->sums.count)
		return 0;
	if (!about(wt_sums_mean(&anew, s->base_s), wt_sums_mean(s, s->base_s), wt_sums_mean(&anew, s->base_s)))
		return wt_error_set(errp, EPROTO, "straggler: the mean is off");
	if (!about(wt_sums_sd(&anew), wt_sums_sd(s), wt_sums_mean(&anew, s->base_s)))
		return wt_error_set(errp, EPROTO, "straggler: the standard deviation is off");
	return 0;
}

int wt_straggler_check(const struct wt_straggler *s, struct wt_error *errp)
{
	if (!wt_heap_ok(&s->slow) || !wt_heap_ok(&s->silent))
		return wt_error_set(errp, EPROTO, "straggler: a heap is out of order");
	for (uint32_t i = 0; i < s->options.tasks; i++) {
		const struct task *t = &s->tasks[i];
		bool filed = s->slow.places[i] != WT_HEAP_ABSENT;

		if (filed && (t->flagged || t->state == WT_STRAGGLER_ENDED || t->state == WT_STRAGGLER_UNKNOWN))
			return wt_error_set(errp, EPROTO, "straggler: task %u is watched but should not be", i);
		if (!filed && !t->flagged && t->state == WT_STRAGGLER_RUNNING)
			return wt_error_set(errp, EPROTO, "straggler: task %u is not watched", i);
		if (s->options.method == WT_STRAGGLER_FRESH &&
		    filed != (s->silent.places[i] != WT_HEAP_ABSENT))
			return wt_error_set(errp, EPROTO, "straggler: task %u is in one heap only", i);
		if (t->last.progress < t->anchors[0].progress || t->last.elapsed_s < t->anchors[0].elapsed_s)
			return wt_error_set(errp, EPROTO, "straggler: task %u went back", i);
	}
	return sums_check(s, errp);
}
