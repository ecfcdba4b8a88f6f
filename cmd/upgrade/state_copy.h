/* state_copy.h - copies of a StateSaveLocation: the one that is given is read, and never written. */
#ifndef WT_CMD_UPGRADE_STATE_COPY_H
#define WT_CMD_UPGRADE_STATE_COPY_H

#include <stdbool.h>

#include "lib/error.h"

#define STATE_BYTES_MAX ((long long) 4 << 30) /* of all files together */
#define STATE_FILES_MAX 2000000L
#define STATE_TRIES 10 /* of a copy; slurmctld saves every few seconds */
#define STATE_PAUSE_MS 100
#define STATE_DEPTH_MAX 4 /* hash.7/job.17/script is 3 */

/* A name at the top of the folder that is left out. */
typedef bool (*state_leave_f)(const char *name);

/* Copy the regular files and folders in 'from' into the folder 'to', which is there.  0, or -1 with errno and the file's
 * name: EINVAL: a link, a device, a folder too deep; EFBIG: too much; ENOSPC; EACCES. */
int state_copy(const char *from, const char *to, state_leave_f leave, struct wt_error *errp);

/* The same of one that a slurmctld may be at work in, into an empty folder: it is copied again until none of its files at
 * the top has changed meanwhile.  EBUSY: they change all the time. */
int state_copy_live(const char *from, const char *to, state_leave_f leave, struct wt_error *errp);

/* Remove what is in the folder but what is left alone. */
int state_clear(const char *dir, state_leave_f leave, struct wt_error *errp);

/* slurmctld's own log, pid and messages, which are no state. */
bool state_is_log(const char *name);

/* The same, and the name of the cluster that it was: another one has it now. */
bool state_is_log_or_name(const char *name);

/* Is it a slurmctld's?  -1 with EINVAL, ENOENT or EACCES. */
int state_check(const char *dir, struct wt_error *errp);

#endif
