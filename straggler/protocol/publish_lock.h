/* publish_lock.h - which process publishes a task's output on its node.
 *
 * While a process has the right to publish, it keeps a shared lock (flock (2)) on its task's progress file, and every
 * process that it starts inherits it: the lock goes when the last of them has gone, or when the right is given back.
 * slurmstepd tells of its script's death only when there is none: a command in the background, or one whose wt-commit was
 * killed, may publish longer than the script lives. */
#ifndef WT_STRAGGLER_PROTOCOL_PUBLISH_LOCK_H
#define WT_STRAGGLER_PROTOCOL_PUBLISH_LOCK_H

#include <stdint.h>
#include <sys/types.h>

/* A descriptor that new programs inherit; -1 with errno: EBUSY, for slurmstepd has found the script dead until 'until_us'
 * (of wt_clock_monotonic_us ()), or that of open (2): the file is on another node. */
int publish_lock(const char *path, int64_t until_us);
void publish_unlock(int fd);	/* for all processes that have inherited it; -1 is ignored */

/* For slurmstepd: wait until no process has such a lock, and from 'until_us' on kill the processes of 'uid' that have it,
 * whether they are still in what slurmstepd can see of its job or not.  A descriptor that keeps others from getting a lock
 * until it is closed; -1 with errno: that of open (2). */
int publish_end(const char *path, uid_t uid, int64_t until_us);

#endif
