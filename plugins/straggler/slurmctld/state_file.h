/* state_file.h - the plugin's file on the disk, and which slurmctld's it is.
 *
 * Two slurmctlds can work on one folder: a primary that was stopped, or cut off from its disk, goes on where it was after
 * another one has taken over.  So each start takes the file: it writes a number of its own drawing into PATH.owner, and only
 * then reads PATH. A writer looks at PATH.owner again when what it wrote is on the disk, and before it tells any task
 * of it.  If it still has its number then, the next that takes the file reads what it wrote; if not, it does not count,
 * and that one writes no more.  That holds however long anything takes in between, on a folder that shows each machine what
 * another one has written and closed, as local disks and NFS do.
 *
 * PATH begins with a line that names its writer, so that a file that was put there late, by hand or by an older release is
 * known for one. One thread at a time.  Unless noted: 0; -1 with errno and *errp, and then ESTALE says that the file is
 * another's for good. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_STATE_FILE_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_STATE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define STORE_MAX (1ll << 30)	/* bytes of the file that are read */
#define STORE_NAME_MORE 64	/* what the names beside it have more */

struct store {
	char path[PATH_MAX];
	/* of this owner (0: it has not been taken), and of the one whose file may be there (0: of none) */
	uint64_t id, last;
	bool fenced;		/* it is another's now */
	int fd;			/* of the file that we wrote; -1: none yet */
	bool len_known;		/* false: something of a write that failed may be there */
	uint64_t len;
};

void store_init(struct store *store, const char *path);
void store_fini(struct store *store);

/* From now on it is ours: before anything is read. */
int store_take(struct store *store, struct wt_error *errp);

/* 0: *text (to be freed) is what the owner before us wrote last.  1: it is missing, was put aside, or has been written by
 * another program; *errp says which.  -1: it can neither be used nor put aside, or memory or descriptors are short for the
 * moment: to be tried again. */
int store_read(struct store *store, char **text, size_t *len, struct wt_error *errp);

/* What store_read () gave makes no sense: put it aside as PATH.broken, or PATH.broken.N; *errp gets the name behind its
 * text.  1, or -1. */
int store_aside(struct store *store, struct wt_error *errp);

/* On the disk, with its name, when they return.  After a failure of store_append () only store_replace () will do. */
int store_replace(struct store *store, const char *text, size_t len, struct wt_error *errp);
int store_append(struct store *store, const char *text, size_t len, struct wt_error *errp);

/* Whether it is still ours, and as we left it. */
int store_check(struct store *store, struct wt_error *errp);

#endif
