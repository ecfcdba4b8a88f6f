/* agent_locks.h - a node has at most two agents: one that works, and one that stands by, asleep, until the first has ended.
 *
 * The folder of progress files has a lock for each place.  A job's slurmstepd makes the job's file, then looks at the locks;
 * an agent that leaves a place looks at the folder afterwards, or another one does: no job is left without an agent. */
#ifndef WT_PLUGINS_STRAGGLER_SPANK_AGENT_LOCKS_H
#define WT_PLUGINS_STRAGGLER_SPANK_AGENT_LOCKS_H

#include <stdbool.h>

#include "lib/error.h"

/* Is the place of the stand-by taken, and so the other one, too, or about to be? */
bool agent_locks_held(const char *directory);

/* Wait until the folder is ours alone.  A descriptor to be kept for life; -2: two others are there already; -1: *errp.
 * With 'keep' wait beside the stand-by.  *waited: another agent worked before. */
int agent_locks_take(const char *directory, bool keep, bool *waited, struct wt_error *errp);

#endif
