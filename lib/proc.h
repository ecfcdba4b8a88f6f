/* proc.h - processes that are surely the ones meant.
 *
 * A pid alone may have been given to another process meanwhile; with its start time (field 22 of /proc/PID/stat, see
 * proc(5)) it is unique, and a pidfd (pidfd_open(2)) keeps it so.  Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_LIB_PROC_H
#define WT_LIB_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

struct wt_proc {
	pid_t pid;
	uint64_t start_time;	/* clock ticks since boot */
};

/* Identify the process that has 'pid' now.  ESRCH: there is none, or it is a zombie. */
int wt_proc_identify(pid_t pid, struct wt_proc *proc, struct wt_error *errp);

/* Is exactly this process alive (and no zombie)? */
bool wt_proc_alive(const struct wt_proc *proc);

/* A pidfd (close-on-exec) of exactly this process; -1 with ESRCH when it has ended. */
int wt_proc_open(const struct wt_proc *proc, struct wt_error *errp);

/* Wait until the process of 'pidfd' has ended.  -1 with ETIMEDOUT after 'timeout_ms', EINTR after a signal. */
int wt_proc_wait(int pidfd, int timeout_ms, struct wt_error *errp);

/* Send a signal to exactly this process.  ESRCH when it has ended. */
int wt_proc_signal(const struct wt_proc *proc, int sig);

/* End exactly this process: SIGTERM, 'grace_ms' later SIGKILL (at once when it is 0); returns when it has ended.  A process
 * that is gone already is success.  EPERM: not ours. */
int wt_proc_end(const struct wt_proc *proc, int grace_ms, struct wt_error *errp);

/* All processes (of the caller's user; of every user for root; never the caller itself) in whose initial environment
 * NAME=VALUE stands.  *list is to be freed by the caller. */
int wt_proc_find_env(const char *name, const char *value, struct wt_proc **list, size_t *count, struct wt_error *errp);

/* All processes for which 'wanted' is true.  *list is to be freed by the caller. */
int wt_proc_collect(bool (*wanted)(pid_t pid, void *arg), void *arg, struct wt_proc **list, size_t *count,
		    struct wt_error *errp);

/* The environment with which 'pid' began, as far as it has not overwritten it: settings, each with its NUL.  *text is to be
 * freed by the caller.  -1: it is not the caller's (nor is the caller root), or has ended. */
int wt_proc_env(pid_t pid, char **text, size_t *len);

/* Does such a text have NAME=VALUE, or with value NULL any NAME? */
bool wt_proc_env_has(const char *text, size_t len, const char *name, const char *value);

/* The value of NAME in such a text, the first where it stands twice; NULL: it has none. */
const char *wt_proc_env_value(const char *text, size_t len, const char *name);

/* The children of 'parent', as /proc tells it now.  *list is to be freed by the caller. */
int wt_proc_find_children(pid_t parent, struct wt_proc **list, size_t *count, struct wt_error *errp);

#endif
