/* allocator.h - another memory allocator than the C library's for slurmctld, preloaded into it alone.
 *
 * The backfill scheduler copies and frees tables of nodes for each job that it looks at. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_ALLOCATOR_H
#define WT_HARNESS_CLUSTER_FOLDER_ALLOCATOR_H

#include "lib/error.h"

/* The path of the library of "tcmalloc", "jemalloc" or "mimalloc", or 'name' itself, an absolute path; the caller frees it.
 * It has been loaded once, into another program: ld.so(8) only warns of one that it cannot load.  NULL with errno: EINVAL,
 * not such a name; ENOENT, not there (errp has the Debian package's name); ELIBBAD, it does not load. */
char *wt_allocator_find(const char *name, struct wt_error *errp);

/* From now on wt_allocator_take () preloads this library, whose path the caller keeps; NULL: none. */
void wt_allocator_wish(const char *library);

/* Let what this process executes next have it.  Only in a new process, before exec.  0, or -1 with errno. */
int wt_allocator_take(void);

#endif
