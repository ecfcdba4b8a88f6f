/* nsswrapper.h - a cluster's own users: its daemons and clients see those of CLUSTER/etc instead of this machine's.
 *
 * By libnss_wrapper, which is preloaded into them and answers getpwnam(3) and its like from two files. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_NSSWRAPPER_H
#define WT_HARNESS_CLUSTER_FOLDER_NSSWRAPPER_H

#include "lib/error.h"

#define WT_USERS_FOLDER "etc"
#define WT_USERS_PASSWD WT_USERS_FOLDER "/passwd"
#define WT_USERS_GROUP WT_USERS_FOLDER "/group"

/* The library's path, which the caller frees.  NULL with ENOENT, and the package's name: it is not there. */
char *wt_nsswrapper_find(struct wt_error *errp);

/* Set the environment so that what is executed next sees the users of the cluster in 'dir'.  0, or -1 with errno: ENOENT,
 * the library has gone; ENOMEM. */
int wt_nsswrapper_environment(const char *library, const char *dir, struct wt_error *errp);

#endif
