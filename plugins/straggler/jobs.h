/* jobs.h - slurmctld's jobs, under its locks; nothing else of the plugin touches them.
 *
 * These functions take slurmctld's locks: the caller holds none, nor the service's. */
#ifndef WT_STRAGGLER_JOBS_H
#define WT_STRAGGLER_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "jobs_env.h"
#include "wt_spec.h"

#define JOBS_MARK "windtunnel: "	/* begins what we write into comments */

struct jobs_fact {
	struct wt_spec_fact fact;	/* its pointers are to the texts below */
	char policy[128], node[WT_BEAT_NODE_MAX + 1];
};

/* Has no job of slurmctld's changed for so long? */
bool jobs_quiet(unsigned int seconds);

/* What slurmctld knows of 'count' jobs; of the first 'known' of them without policy, copy and array, which never change.  *facts is the caller's to free (free ()); NULL: no memory. */
struct jobs_fact *jobs_look(const uint32_t *ids, size_t count, size_t known);

/* All jobs that speculate; *count of them. */
struct jobs_fact *jobs_find(size_t *count);

/* Carry out an action.  COPY returns the new job's id, or 0 with a lasting text in *why; the others 1 or 0. */
uint32_t jobs_act(const struct wt_spec_action *action, const char **why);

/* Save all jobs to disk now. */
void jobs_save(void);

/* Let slurmctld save its jobs soon, in its own thread. */
void jobs_save_soon(void);

/* The time that slurmctld's file of jobs bears: it has all that was known before that second.  0: there is none, or it cannot be read. */
int64_t jobs_saved_s(void);

#endif
