/* folder.h - a folder in which no other user can put, change or swap anything. */
#ifndef WT_PLUGINS_STRAGGLER_SPANK_FOLDER_H
#define WT_PLUGINS_STRAGGLER_SPANK_FOLDER_H

#include <sys/types.h>

#include "lib/error.h"

/* Make 'path' (absolute), and what is missing above it.  Each folder on the way, and each symbolic link, must belong to
 * root, to us or to 'trusted', and no other user may write into it, but for a sticky one (/tmp) above the last; the last is
 * ours.  So what was checked stays what the path means.  0, or -1 with errno and *errp: EPERM, ELOOP, ENOTDIR. */
int folder_make(const char *path, uid_t trusted, struct wt_error *errp);

#endif
