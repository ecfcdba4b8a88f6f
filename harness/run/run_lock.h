/* run_lock.h - a run that goes on holds its folder: the file ".lock", locked by fcntl (2).  So what ends the jobs that a run
 * has left, or runs it again, can tell a run that goes on from one that was killed. */
#ifndef WT_HARNESS_RUN_RUN_LOCK_H
#define WT_HARNESS_RUN_RUN_LOCK_H

#include "lib/error.h"

/* For this process; it ends with it, however it ends, and is not inherited.  A file system without locks (ENOLCK) is gone
 * without.  A descriptor for run_lock_drop (), or -1 with errno: EBUSY, another process holds it; EINVAL, ELOOP or
 * EISDIR, there is something else of that name; ESTALE, the file is never the one that was opened. */
int run_lock_take(const char *dir, struct wt_error *errp);

/* Removes the file, too.  A descriptor of -1 is ignored; errno is preserved. */
void run_lock_drop(const char *dir, int fd);

/* Does another process hold it?  0: no, or there is no such folder; -1 with errno: EBUSY, it does, or EINVAL, the file is
 * none of ours. */
int run_lock_check(const char *dir, struct wt_error *errp);

#endif
