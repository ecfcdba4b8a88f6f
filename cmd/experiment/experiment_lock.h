/* experiment_lock.h - an experiment's folder belongs to one command at a time, and each of its runs to one process.  Call
 * from one thread. */
#ifndef WT_CMD_EXPERIMENT_EXPERIMENT_LOCK_H
#define WT_CMD_EXPERIMENT_EXPERIMENT_LOCK_H

#include "harness/experiment/experiment_plan.h"
#include "lib/error.h"

/* A descriptor for run_lock_drop (), or -1 with errno: EBUSY, another windtunnel is at work in DIR. */
int experiment_lock_take(const char *dir, struct wt_error *errp);

/* Runs outlive a command that was killed by the time that their clusters take to end; one that is told to resume waits for
 * them.  Where DIR/array.json tells of a job array nothing is waited for.  0, or -1 with errno. */
int experiment_runs_await(const char *dir, const struct experiment_plan *plan, struct wt_error *errp);

#endif
