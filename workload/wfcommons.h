/* wfcommons.h - read a workflow of WfCommons: its JSON, versions 1.2 to 1.6 of the schema at
 * https://github.com/wfcommons/WfFormat
 *
 * Foreign bytes.  Of each task: its id (or name), its parents and children (names or ids), run time, number of cores (1
 * where there is none), and the sizes of its files.  Until 1.4 all that stands at the task; since 1.5 "specification" has
 * what waits for what and the files, and "execution" the times.  Pure; plain values. */
#ifndef WT_WORKLOAD_WFCOMMONS_H
#define WT_WORKLOAD_WFCOMMONS_H

#include <stdbool.h>

#include <jansson.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

/* Is it one, and not Batsim's? */
bool wt_wfcommons_is(const json_t *root);

/* Take the workflow 'root' (borrowed) into *trace, as wt_task_graph_jobs () makes jobs; a job's 'line' is its place among
 * the tasks, from 1.  0, or -1 with EINVAL ("NAME:PLACE: ..."; a key that is missing or wrong, a task without a run time;
 * what wt_task_graph_jobs () says), EFBIG or ENOMEM; *trace is empty then. */
int wt_wfcommons_take(struct wt_swf_trace *trace, const json_t *root, const char *name, struct wt_error *errp);

#endif
