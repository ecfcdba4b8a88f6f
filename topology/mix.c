/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sizes asked for lately, with weights that halve now and then, and for each size of hole the most of it that they
 * can fill: a knapsack without limits, O(units_max * sizes), made anew only when a size comes or goes. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "topology/mix.h"

#define UNITS_MAX 16777216
#define NOTES_BEFORE_HALVING 1024

struct size {
	uint64_t units;
	uint64_t seen;		/* number of the latest note */
	double weight;
};

struct wt_mix {
	uint32_t units_max;
	uint32_t *usable;	/* [units_max + 1] */
	struct size sizes[WT_MIX_SIZES_MAX];
	uint32_t size_count;
	uint64_t notes;
	int stale;		/* usable[] is of older sizes */
};

struct wt_mix *wt_mix_create(uint32_t units_max)
{
	struct wt_mix *mix;

	if (!units_max || units_max > UNITS_MAX) {
		errno = EINVAL;
		return NULL;
	}
	mix = calloc(1, sizeof(*mix));
	if (mix)
		mix->usable = calloc((size_t) units_max + 1, sizeof(*mix->usable));
	if (!mix || !mix->usable) {
		free(mix);
		errno = ENOMEM;
		return NULL;
	}
	mix->units_max = units_max;
	return mix;
}

void wt_mix_destroy(struct wt_mix *mix)
{
	int saved_errno = errno;

	if (mix) {
		free(mix->usable);
		free(mix);
	}
	errno = saved_errno;
}

static void usable_compute(struct wt_mix *mix)
{
	for (uint32_t x = 1; x <= mix->units_max; x++) {
		uint32_t best = mix->usable[x - 1];

		for (uint32_t i = 0; i < mix->size_count; i++) {
			uint64_t units = mix->sizes[i].units;

			if (units <= x && mix->usable[x - units] + units > best)
				best = mix->usable[x - units] + (uint32_t) units;
		}
		mix->usable[x] = best;
	}
	mix->stale = 0;
}

void wt_mix_note(struct wt_mix *mix, uint64_t units)
{
	uint32_t i, oldest = 0;

	if (!units)
		return;
	if (++mix->notes % NOTES_BEFORE_HALVING == 0)
		for (i = 0; i < mix->size_count; i++)
			/* What was asked for long ago fades: half of it is gone after NOTES_BEFORE_HALVING jobs. */
			mix->sizes[i].weight /= 2;
	for (i = 0; i < mix->size_count && mix->sizes[i].units != units; i++)
		if (mix->sizes[i].seen < mix->sizes[oldest].seen)
			oldest = i;
	if (i < mix->size_count) {
		mix->sizes[i].seen = mix->notes;
		mix->sizes[i].weight++;
		return;
	}
	/* Else the size that was asked for least lately makes room. */
	if (mix->size_count < WT_MIX_SIZES_MAX)
		oldest = mix->size_count++;
	mix->sizes[oldest] = (struct size) { .units = units, .seen = mix->notes, .weight = 1 };
	mix->stale = 1;
}

uint64_t wt_mix_waste(struct wt_mix *mix, uint64_t units)
{
	if (!mix->size_count || units > mix->units_max)
		return 0;
	if (mix->stale)
		usable_compute(mix);
	return units - mix->usable[units];
}

uint32_t wt_mix_sizes(const struct wt_mix *mix)
{
	return mix->size_count;
}

uint64_t wt_mix_size(const struct wt_mix *mix, uint32_t i, double *share)
{
	double all = 0;

	for (uint32_t k = 0; k < mix->size_count; k++)
		all += mix->sizes[k].weight;
	*share = mix->sizes[i].weight / all;
	return mix->sizes[i].units;
}

int wt_mix_mostly_below(const struct wt_mix *mix, uint64_t units)
{
	double below = 0, share;

	for (uint32_t i = 0; i < mix->size_count; i++)
		if (wt_mix_size(mix, i, &share) <= units)
			below += share;
	return mix->size_count && below >= 0.5;
}
