/* mix.h - the sizes of jobs that were asked for lately: what small leftovers are still good for.
 *
 * 'usable' of a hole of x units is the most of it that jobs of these sizes can fill (an unbounded knapsack); the rest,
 * x - usable, is of no use to a job as long as the sizes stay as they are.
 *
 * Pure.  One thread at a time for each object. */
#ifndef WT_TOPOLOGY_MIX_H
#define WT_TOPOLOGY_MIX_H

#include <stdint.h>

#define WT_MIX_SIZES_MAX 32	/* sizes remembered; the one not seen for longest goes first */

struct wt_mix;	/* opaque */

/* For holes of up to 'units_max' units.  NULL with EINVAL (0, or above 16,777,216) or ENOMEM. */
struct wt_mix *wt_mix_create(uint32_t units_max);
void wt_mix_destroy(struct wt_mix *mix);	/* NULL is ignored; errno is preserved */

/* A job of this size was asked for: a few steps. */
void wt_mix_note(struct wt_mix *mix, uint64_t units);

/* The part of a hole that no job of the known sizes fills: 0 to 'units'.  Holes beyond units_max, and a mix that knows no
 * size: 0.  The first question after a new size costs units_max times the number of sizes. */
uint64_t wt_mix_waste(struct wt_mix *mix, uint64_t units);

/* The sizes known, in no order: how many; and the units of the i-th, with its share of the jobs noted lately. */
uint32_t wt_mix_sizes(const struct wt_mix *mix);
uint64_t wt_mix_size(const struct wt_mix *mix, uint32_t i, double *share);

/* Whether at least half of the jobs noted lately (halved every 1,024 notes) are no larger than 'units'. */
int wt_mix_mostly_below(const struct wt_mix *mix, uint64_t units);

#endif
