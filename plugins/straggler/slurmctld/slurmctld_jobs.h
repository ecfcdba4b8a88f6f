/* slurmctld_jobs.h - slurmctld's jobs, under its locks; nothing else of the plugin touches them.
 *
 * These functions take slurmctld's locks: the caller holds none, nor the service's. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SLURMCTLD_JOBS_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SLURMCTLD_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "straggler/protocol/jobs_env.h"
#include "plugins/straggler/slurmctld/stamp.h"
#include "straggler/spec.h"

#define JOBS_MARK "windtunnel: "	/* begins what we write into comments */

struct jobs_fact {
	struct wt_spec_fact fact;	/* its pointers are to the texts below */
	char policy[128], node[PORT_NODE_MAX + 1];
};

/* Has no job of slurmctld's changed for so long? */
bool jobs_quiet(unsigned int seconds);

/* What slurmctld knows of 'count' jobs; of the first 'known' of them without policy, copy and array, which never change.
 * *facts is the caller's to free (free ()); NULL: no memory. */
struct jobs_fact *jobs_look(const uint32_t *ids, size_t count, size_t known);

/* All jobs that speculate; *count of them.  NULL: no memory for all of them. */
struct jobs_fact *jobs_find(size_t *count);

/* Carry out an action.  COPY returns the new job's id, or 0 with a lasting text in *why; the others 1 or 0. */
uint32_t jobs_act(const struct wt_spec_action *action, const char **why);

/* Let slurmctld save its jobs soon, in its own thread: at most every 5 s.  (Its function that does it at once is for that
 * thread only.) */
void jobs_save_soon(void);

/* The clock that stamps slurmctld's file, now.  True: it was set back, and nothing counts as saved any more.  To be asked
 * between looking at jobs and believing that the file has them. */
bool jobs_clock_back(struct stamps *stamps);

/* Of the file of jobs in 'folder': all that was known before that second is in it, and on the disk.  0: nothing that is
 * known of. */
int64_t jobs_saved_s(struct stamps *stamps, const char *folder);

#endif
