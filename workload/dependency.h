/* dependency.h - a job's dependencies in Slurm's words ("afterok:12:13,afterany:14+5"), with ids of our own.
 *
 * Pure; foreign text. */
#ifndef WT_WORKLOAD_DEPENDENCY_H
#define WT_WORKLOAD_DEPENDENCY_H

#include <stddef.h>

#include <jansson.h>

#include "lib/error.h"

/* What stands for an id: a constant that is copied at once, or NULL: nothing, it is left out. */
typedef const char *(*wt_dependency_fn)(const char *id, size_t len, void *arg);

/* The same text with each id as 'fn' says, to be freed; conditions that have no id left are left out, and "" is what
 * remains then.  NULL with EINVAL (what is wrong with it; also a kind that no batch job can have) or ENOMEM. */
char *wt_dependency_map(const char *text, wt_dependency_fn fn, void *arg, struct wt_error *errp);

/* The same text without the ids that are no keys of 'ids', to be freed; adds how many those were to *cut.  NULL as above. */
char *wt_dependency_within(const char *text, const json_t *ids, size_t *cut, struct wt_error *errp);

/* As wt_dependency_within (), with the minutes of "after" times 'time_scale', to the nearest whole minute from 1 on; adds
 * how many were no whole minutes to *rounded. */
char *wt_dependency_cut(const char *text, const json_t *ids, double time_scale, size_t *cut, size_t *rounded,
			struct wt_error *errp);

#endif
