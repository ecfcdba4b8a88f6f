/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From one task's heartbeats to its expected duration, and whether that is too long. */
#include "config.h"

#include <math.h>

#include "straggler/straggler_private.h"

/* Half the rate since the start, half that of the last two intervals: the one is steady, the other notices a node that
 * has become slow. */
static double fresh_rate(const struct task *t)
{
	double rate = t->last.progress / t->last.elapsed_s;
	double recent_s = t->last.elapsed_s - t->anchors[2].elapsed_s;

	if (recent_s <= 0)
		return rate;
	return 0.5 * rate + 0.5 * (t->last.progress - t->anchors[2].progress) / recent_s;
}

double wt_estimate_duration_s(const struct wt_straggler *s, const struct task *t, double now_s)
{
	if (t->state == WT_STRAGGLER_ENDED)
		return t->last.elapsed_s;
	if (t->state == WT_STRAGGLER_STARTED)	/* nothing follows but that it will take longer than it has */
		return s->options.method == WT_STRAGGLER_FRESH ? t->last.elapsed_s : NAN;
	if (t->state != WT_STRAGGLER_RUNNING)
		return NAN;
	switch (s->options.method) {
	case WT_STRAGGLER_RATE:
		return (now_s - s->base_s - t->start_s) / t->last.progress;
	case WT_STRAGGLER_R1:
	case WT_STRAGGLER_R2:
		return t->last.elapsed_s / t->last.progress;
	case WT_STRAGGLER_FRESH:
		return t->last.elapsed_s + (1 - t->last.progress) / fresh_rate(t);
	default:
		return NAN;
	}
}

double wt_estimate_margin_s(const struct wt_straggler *s, const struct task *t)
{
	double remaining_s;

	if (s->options.method != WT_STRAGGLER_FRESH || t->state != WT_STRAGGLER_RUNNING)
		return 0;
	remaining_s = (1 - t->last.progress) / fresh_rate(t);
	return s->options.z * wt_sums_sigma(s) *
	       sqrt(s->options.window_s * remaining_s * (1 + remaining_s / t->last.elapsed_s));
}

double wt_estimate_silence_s(const struct wt_straggler *s, const struct task *t, double now_s)
{
	double silence_s = now_s - t->received_s;

	if (s->options.method != WT_STRAGGLER_FRESH || !(silence_s > s->options.silence_s))
		return 0;
	return fmax(silence_s - s->options.window_s, 0);
}

static void share_deviations(const struct task *t, struct share *share)
{
	const struct steps *steps = &t->steps;
	double rate;

	if (steps->count < 2 || t->anchors[0].progress < WT_STRAGGLER_PROGRESS_MIN)
		return;
	rate = t->anchors[0].progress / t->anchors[0].elapsed_s;
	share->samples = steps->count;
	share->freedoms = steps->count - 1;
	/* The sum of weight * (interval rate / mean rate - 1)^2, multiplied out, so that it needs no second look at the
	 * intervals. */
	share->deviations = fmax(steps->square / (rate * rate) - 2 * steps->rate / rate + steps->weight, 0);
}

struct share wt_estimate_share(const struct wt_straggler *s, const struct task *t)
{
	struct share share = { 0 };

	if (s->options.method == WT_STRAGGLER_FRESH)
		share_deviations(t, &share);
	if (s->options.method == WT_STRAGGLER_SCORE) {
		share.counted = t->state == WT_STRAGGLER_ENDED || t->last.elapsed_s > 0;
		share.value = t->last.progress;
		return share;
	}
	share.counted = t->state == WT_STRAGGLER_ENDED || t->state == WT_STRAGGLER_RUNNING;
	if (s->options.method == WT_STRAGGLER_RATE && t->state == WT_STRAGGLER_RUNNING) {
		share.slope = 1 / t->last.progress;
		share.value = -t->start_s / t->last.progress;
	} else if (share.counted) {
		share.value = wt_estimate_duration_s(s, t, s->base_s);
	}
	return share;
}

bool wt_estimate_is_slow(const struct wt_straggler *s, const struct task *t, double now_s, double limit)
{
	const struct wt_straggler_options *o = &s->options;
	double mean_s, patience_s;

	if (o->method == WT_STRAGGLER_SCORE)
		return t->last.progress <= limit;
	if (o->method == WT_STRAGGLER_FRESH && t->state == WT_STRAGGLER_STARTED) {
		mean_s = wt_sums_mean(s, now_s);
		patience_s = fmax(o->silence_s, o->window_s + (o->slow_ratio - 1) * mean_s);
		if (now_s - t->received_s > patience_s)
			return true;
	}
	return wt_estimate_duration_s(s, t, now_s) + wt_estimate_silence_s(s, t, now_s) -
	       wt_estimate_margin_s(s, t) >= limit;
}
