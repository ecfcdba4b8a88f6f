/* fs.h - whole files, folders and trees.
 *
 * Unless noted: 0, or -1 with errno of the failed call and *errp set (it names the path). */
#ifndef WT_LIB_FS_H
#define WT_LIB_FS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/error.h"

/* Read a whole file of at most 'max' bytes; *text is terminated and to be freed by the caller; *len may be NULL.
 * EFBIG: the file is longer. */
int wt_fs_read(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp);

/* For a folder that a stranger may have made: whatever is no regular file there is refused with EINVAL.  A pipe is not
 * waited for, and a device not read.  Links are followed. */
int wt_fs_open_regular(const char *path, struct wt_error *errp);	/* a descriptor, to be closed */
FILE *wt_fs_stream_regular(const char *path, struct wt_error *errp);	/* NULL with errno */
int wt_fs_read_regular(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp);	/* as wt_fs_read */
/* The same, and a link is refused, too (EINVAL): what is read lies in that folder. */
int wt_fs_read_unlinked(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp);
FILE *wt_fs_stream_unlinked(const char *path, struct wt_error *errp);	/* NULL with errno */

/* Read the last 'max' bytes of a file (all of it when it is shorter). */
int wt_fs_read_tail(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp);

/* As getline (3), but no line is longer than 'max' bytes: EFBIG.  -1 also at the end: errno is 0 then. */
ssize_t wt_fs_line(FILE *in, char **line, size_t *size, size_t max);

/* Replace 'path' in one step (rename): a reader sees the old text or the new one, never a part.  Not synced to disk: it
 * survives the death of processes, not of the machine. */
int wt_fs_write(const char *path, const void *bytes, size_t len, mode_t mode, struct wt_error *errp);

/* Make a folder with exactly 'mode' whatever the umask is.  EEXIST when there is something already. */
int wt_fs_make_dir(const char *path, mode_t mode, struct wt_error *errp);

/* Give the folder 'from' the name 'to' of the same file system, if nothing has it: else EEXIST, and all stays as it was. */
int wt_fs_move_folder(const char *from, const char *to, struct wt_error *errp);

/* Remove a file or a folder with all that is in it; symbolic links are not followed.  ENOENT is success. */
int wt_fs_remove_tree(const char *path, struct wt_error *errp);

#endif
