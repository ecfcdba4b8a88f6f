/* work_folder.h - a folder for what only this process needs: it is removed after a SIGKILL, too. */
#ifndef WT_CMD_UPGRADE_WORK_FOLDER_H
#define WT_CMD_UPGRADE_WORK_FOLDER_H

#include <limits.h>
#include <sys/types.h>

#include "lib/error.h"

struct work_folder {
	char path[PATH_MAX]; /* absolute */
	pid_t keeper; /* a child that removes it when 'pipe' is closed, by whatever end of ours */
	int pipe;
};

/* Make one below TMPDIR (else /tmp) with such a name, and begin its keeper: not for a process with threads.  0, or -1 with
 * errno, and nothing is left. */
int work_folder_make(struct work_folder *work, const char *name, struct wt_error *errp);

/* Returns when it is gone.  -1 when something of it is left. */
int work_folder_remove(struct work_folder *work, struct wt_error *errp);

#endif
