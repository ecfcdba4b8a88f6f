/* live_json.h - the live page's data as JSON: a snapshot for a new reader, and what has changed for the others.
 *
 * Pure.  Functions that return json_t * return a new reference, or NULL: ENOMEM. */
#ifndef WT_HARNESS_LIVE_LIVE_JSON_H
#define WT_HARNESS_LIVE_LIVE_JSON_H

#include <jansson.h>

#include "harness/live/live_state.h"

/* All that has one value: one object without others in it, but for "daemons".  What is not known is null. */
json_t *live_json_values(const struct live_state *state);

/* The members of 'after' that 'before' has not, or has otherwise; null for those that 'after' has not. */
json_t *live_json_delta(const json_t *before, const json_t *after);

/* [time_s, share of the CPUs (of a cluster's nodes) that jobs have, pending, running, completing jobs, CPU seconds of
 * slurmctld for each second since 'before' (NULL: none) or null] */
json_t *live_json_point(const struct live_state *state, const struct wt_sample *sample, const struct wt_sample *before);

/* { id, name, nodes, cpus, state, time_s, wait_s, run_s } */
json_t *live_json_job(const struct live_job *job);

#endif
