/* twin_target.h - what "windtunnel twin" asks before anything is run: what the real cluster's nodes are, and whether the
 * emulation of them would be taken. */
#ifndef WT_CMD_EXPERIMENT_TWIN_TARGET_H
#define WT_CMD_EXPERIMENT_TWIN_TARGET_H

#include <stdbool.h>

#include "harness/experiment/twin.h"
#include "harness/run/real_kind.h"
#include "lib/error.h"

/* Ask slurmctld for the nodes that the real runs would have; with 'refuse' not where others have jobs.
 * 0; or -1 with errno: EINVAL, the cluster is in use, or its nodes are not all alike and the plan's settings do not say
 * what the emulation's are. */
int twin_target_look(struct real_kind *kind, const struct twin_plan *twin, bool refuse, struct wt_error *errp);

/* Would the cases of the emulation be taken?  0, or -1 with EINVAL and what is wrong with one. */
int twin_target_try(const struct twin_plan *twin, struct wt_error *errp);

#endif
