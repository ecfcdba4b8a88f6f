/* hindsight.h - how many jobs of a record could have been optimal on the highest level below the root, by a search that
 * knows all that follows: what surely would have been possible, beside bound.h, which says what surely would not.
 *
 * The schedule is given, as in bound.h.  The search lays the jobs on the switches of that level in the order of their
 * starts, again and again, with other preferences for some of them each time, and keeps what is not worse (simulated
 * annealing).  Levels below are not looked at.  The same seed finds the same.
 *
 * Pure. */
#ifndef WT_TOPOLOGY_HINDSIGHT_H
#define WT_TOPOLOGY_HINDSIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "topology/replay.h"

/* 'rounds' times all jobs.  The most jobs found that are optimal absolutely, without those of the whole machine, into
 * *optimal; 0 when the record has more on the machine than it holds.  0; -1 with ENOMEM, and what wt_bound () refuses with
 * EINVAL. */
int wt_hindsight(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
		 uint64_t rounds, uint32_t seed, uint64_t *optimal, struct wt_error *errp);

#endif
