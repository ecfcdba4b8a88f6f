/* logtail.h - what a daemon complained about at last. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_LOGTAIL_H
#define WT_HARNESS_CLUSTER_FOLDER_LOGTAIL_H

#include <stdbool.h>

/* Pure: the last complaints ("error:", "fatal:" and munged's words) in a log's text, at most 'max' lines, oldest first,
 * without time stamps, joined by "; ", a "fatal:" among them in any case; the last line when nothing complains.  The caller
 * frees it; NULL: ENOMEM or nothing there. */
char *wt_logtail_complaints(const char *text, unsigned int max);

/* The same for the end of a file; NULL when it cannot be read or is empty. */
char *wt_logtail_file(const char *path, unsigned int max);

/* Does the end of the file say that an address was in use (EADDRINUSE)? */
bool wt_logtail_address_in_use(const char *path);

#endif
