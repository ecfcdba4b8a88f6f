/* run_lock.h - a run that goes on holds its folder: the file ".lock", locked by fcntl (2), with its process id in it.  So
 * what ends the jobs that a run has left, or runs it again, can tell a run that goes on from one that was killed.
 *
 * The lock is the open file's, not the process': whatever else the process opens and closes, it stays. */
#ifndef WT_HARNESS_RUN_RUN_LOCK_H
#define WT_HARNESS_RUN_RUN_LOCK_H

#include "lib/error.h"

/* It ends with this process, however that ends; programs that it starts do not inherit it.  A file system without locks
 * (ENOLCK) is gone without.  A descriptor for run_lock_drop (), or -1 with errno: EBUSY, it is held, be it by this
 * process; EINVAL, ELOOP or
 * EISDIR, there is something else of that name; ESTALE, the file is never the one that was opened. */
int run_lock_take(const char *dir, struct wt_error *errp);

/* Removes the file, too.  A descriptor of -1 is ignored; errno is preserved. */
void run_lock_drop(const char *dir, int fd);

/* Is it held?  0: no, or there is no such folder, or nothing can be locked there; -1 with errno: EBUSY, it is, or EINVAL,
 * the file is none of ours. */
int run_lock_check(const char *dir, struct wt_error *errp);

#endif
