/* run_folder.h - the run folder's parts that are not results: scenario.json, slurm.conf, logs (doc/formats.md).
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_RUN_RUN_FOLDER_H
#define WT_HARNESS_RUN_RUN_FOLDER_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "harness/run/controller_query.h"
#include "lib/error.h"
#include "harness/run/scenario.h"
#include "workload/workload.h"

struct wt_run_folder {
	char *path;	/* absolute; the caller frees it */
	bool made;	/* it was not there before: may be removed when it stays empty */
};

/* Make 'dir', or take it when it is there and empty.  With 'allow_used' it need not be empty. */
int wt_run_folder_make(const char *dir, bool allow_used, struct wt_run_folder *folder, struct wt_error *errp);

/* Make a new folder: 'name', or when that is there "NAME-2", "NAME-3" and so on: no two runs get the same. */
int wt_run_folder_make_new(const char *name, struct wt_run_folder *folder, struct wt_error *errp);

bool wt_run_folder_is_empty(const char *dir);	/* or is not there */

/* What scenario.json holds; before the cluster is there, without 'workload' (NULL) and what it and the cluster tell.
 * New reference; NULL with ENOMEM. */
json_t *wt_run_folder_scenario(const struct wt_scenario *scenario, const struct wt_workload *workload,
			       const struct wt_controller_info *info, const struct wt_partition *part, const char *tag,
			       const char *clock);

/* Copy 'from' (bytes from 'offset' on) to DIR/name; a 'from' that does not exist is no error. */
int wt_run_folder_copy(const char *dir, const char *name, const char *from, off_t offset, struct wt_error *errp);

off_t wt_file_size(const char *path);	/* 0 when there is none */

#endif
