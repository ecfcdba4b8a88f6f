/* libexec.h - where our own programs lie. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_LIBEXEC_H
#define WT_HARNESS_CLUSTER_FOLDER_LIBEXEC_H

#include "lib/error.h"

/* The path of the program 'name', which the caller frees: in $WT_LIBEXECDIR if that is set, else beside the command in
 * its build tree, else where it was installed.  NULL with errno of the failed access, and *errp set. */
char *wt_libexec_find(const char *name, struct wt_error *errp);

/* The same for a library of ours that is preloaded. */
char *wt_libexec_find_library(const char *name, struct wt_error *errp);

#endif
