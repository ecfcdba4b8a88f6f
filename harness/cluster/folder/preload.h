/* preload.h - shared libraries that ld.so(8) loads into a cluster's daemons before all others (LD_PRELOAD). */
#ifndef WT_HARNESS_CLUSTER_FOLDER_PRELOAD_H
#define WT_HARNESS_CLUSTER_FOLDER_PRELOAD_H

#include <stdbool.h>

/* Where the machine has 'library', a file's name: in the C library's folder, or in those that distributions use.  The
 * caller frees it; NULL: nowhere, or no memory. */
char *wt_preload_find(const char *library);

/* Could LD_PRELOAD hold that path, in which colons and blanks separate, and may we read it? */
bool wt_preload_usable(const char *path);

/* Add it to LD_PRELOAD of this process, behind what is there: the virtual clock's library wants to be the first.  0, or -1
 * with ENOMEM. */
int wt_preload_add(const char *path);

#endif
