/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over a job's tasks, kept up to date in O(1) as one task's share changes. */
#include "config.h"

#include <math.h>

#include "straggler/straggler_private.h"

/* Relative sd of the rate over one window, as long as fewer than SIGMA_SAMPLES interval rates can be compared with others
 * of the same task (doc/straggler.md). */
#define SIGMA_GUESS 0.15
#define SIGMA_SAMPLES 8

static void sums_add(struct sums *sums, const struct share *share, double sign)
{
	/* Squares of values near 0 lose no digits to each other; the shift is one of the first values, or their mean. */
	double value = share->value - sums->shift;

	sums->deviations += sign * share->deviations;
	sums->freedoms += sign * share->freedoms;
	sums->samples += sign * share->samples;
	if (!share->counted)
		return;
	sums->count += sign > 0 ? 1 : -1;
	sums->slope += sign * share->slope;
	sums->value += sign * value;
	sums->square += sign * value * value;
}

struct sums wt_sums_anew(const struct wt_straggler *s)
{
	struct sums sums = { 0 };
	double total = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->options.tasks; i++) {
		if (!s->tasks[i].share.counted)
			continue;
		total += s->tasks[i].share.value;
		count++;
	}
	sums.shift = count ? total / count : 0;
	for (uint32_t i = 0; i < s->options.tasks; i++)
		sums_add(&sums, &s->tasks[i].share, 1);
	return sums;
}

void wt_share_set(struct wt_straggler *s, uint32_t task, const struct share *share)
{
	struct share *mine = &s->tasks[task].share;

	sums_add(&s->sums, mine, -1);
	if (s->sums.count == 0 && share->counted)	/* else the first values decide how well the squares cancel */
		s->sums = (struct sums) { .shift = share->value, .deviations = s->sums.deviations,
					  .freedoms = s->sums.freedoms, .samples = s->sums.samples };
	*mine = *share;
	sums_add(&s->sums, mine, 1);
	/* Adding and taking off leaves rounding errors, large ones after an absurd report: start anew now and then, at
	 * O(1) a change. */
	if (++s->changes > s->options.tasks) {
		s->changes = 0;
		s->sums = wt_sums_anew(s);
	}
}

double wt_sums_mean(const struct wt_straggler *s, double now_s)
{
	const struct sums *sums = &s->sums;

	if (!sums->count)
		return NAN;
	return sums->shift + (sums->slope * (now_s - s->base_s) + sums->value) / sums->count;
}

double wt_sums_sd(const struct wt_straggler *s)
{
	const struct sums *sums = &s->sums;
	double squares;

	if (sums->count < 2)
		return 0;
	squares = sums->square - sums->value * sums->value / sums->count;
	return squares > 0 ? sqrt(squares / (sums->count - 1)) : 0;
}

double wt_sums_sigma(const struct wt_straggler *s)
{
	if (s->sums.samples < SIGMA_SAMPLES)
		return SIGMA_GUESS;
	/* A little below 0 by rounding, at most. */
	return sqrt(fmax(s->sums.deviations, 0) / s->sums.freedoms);
}
