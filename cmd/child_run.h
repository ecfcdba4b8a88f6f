/* child_run.h - this program's own verbs, run one after the other as children that a Ctrl-C reaches through us. */
#ifndef WT_CMD_CHILD_RUN_H
#define WT_CMD_CHILD_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

struct child_runner {
	sigset_t before, waited;
	bool interrupted; /* by SIGINT, SIGTERM or SIGHUP: only child_run_last () still runs something */
};

/* Blocks the signals of 'waited' until child_runner_end (). */
void child_runner_begin(struct child_runner *runner);
void child_runner_end(struct child_runner *runner);

/* Looked at five times a second while the child runs; true: end it. */
typedef bool (*child_watch_f)(void *arg);

/* Run "windtunnel" with the words behind argv[0], which ends by NULL, and wait.  *output (may be NULL) becomes what it
 * printed, terminated, to be freed by the caller.  0, or -1: EINTR after a signal; ECANCELED when 'watch' (may be NULL) has
 * ended it; EIO when its status was not 0, with the last line of its errors. */
int child_run(struct child_runner *runner, const char *const *argv, char **output, size_t *len, child_watch_f watch,
	      void *arg, struct wt_error *errp);

/* The same after a signal as well, and signals do not end it: for what cleans up. */
int child_run_last(struct child_runner *runner, const char *const *argv, struct wt_error *errp);

/* -1 with EINTR after a signal. */
int child_pause(struct child_runner *runner, unsigned int ms, struct wt_error *errp);

#endif
