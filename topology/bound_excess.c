/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One moment on one level.  Switches that jobs share hang together as trees do (a circle of jobs and switches can always be
 * opened), so that n jobs on at most k1, ..., kn switches have at most 1 + (k1 - 1) + ... + (kn - 1) switches between them:
 * each takes k - 1 of them whole, and what remains of each, its size less (k - 1) switches, lies in one of the others with
 * the remainders of the jobs that it hangs together with.  Remainders are packed into bins; a family of dual feasible
 * functions (Lueker 1983; Fekete and Schepers 2001) tells how many bins at least.  A smaller switch is a full one with a job
 * on it that never ends. */
#include "config.h"

#include <stdlib.h>

#include "topology/bound.h"

#define PARTS_MAX 8	/* functions of the family */
#define SLACK 1e-9	/* sums of the same fractions in another order differ by rounding */

/* What of a bin a remainder counts for, at least 0 and at most 1: however many remainders fit one bin, theirs add up to no
 * more than 1.  Multiples of 1 / (parts + 1) count as what they are, others are rounded down to multiples of 1 / parts after
 * 1 / (parts + 1) of a bin was spread over them. */
static double remainder_weight(uint64_t remainder, uint64_t bin, unsigned int parts)
{
	uint64_t scaled = remainder * (parts + 1);

	if (remainder >= bin)
		return 1;
	if (scaled % bin == 0)
		return (double) remainder / (double) bin;
	return (double) (scaled / bin) / (double) parts;
}

static int weight_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Jobs that fit by one of the functions: the lightest first, since each counts as one. */
static size_t fit_count(const uint64_t *sizes, uint32_t switches, double *weights, size_t count, unsigned int parts)
{
	double room = switches;
	size_t fit = 0;

	for (uint32_t sw = 0; sw < switches; sw++)
		room -= remainder_weight(sizes[0] - sizes[sw], sizes[0], parts);
	qsort(weights, count, sizeof(*weights), weight_order);
	while (fit < count && weights[fit] <= room + SLACK)
		room -= weights[fit++];
	return fit;
}

size_t wt_bound_excess(const uint64_t *sizes, uint32_t switches, const uint64_t *units, const uint32_t *least, size_t count)
{
	double *weights = malloc((count + 1) * sizeof(*weights));
	size_t excess = 0;

	/* Without memory nothing is claimed. */
	if (!weights)
		return 0;
	for (unsigned int parts = 1; parts <= PARTS_MAX; parts++) {
		size_t heavy = 0, fit;

		for (size_t i = 0; i < count; i++) {
			uint64_t whole = (uint64_t) (least[i] - 1) * sizes[0];

			/* A job that has given back so much that it would do with fewer switches hinders nobody, as far
			 * as this is concerned. */
			if (units[i] > whole)
				weights[heavy++] = least[i] - 1 + remainder_weight(units[i] - whole, sizes[0], parts);
		}
		fit = fit_count(sizes, switches, weights, heavy, parts);
		excess = heavy - fit > excess ? heavy - fit : excess;
	}
	free(weights);
	return excess;
}
