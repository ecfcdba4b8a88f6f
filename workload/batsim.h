/* batsim.h - read a workload of Batsim: https://batsim.readthedocs.io/en/latest/input-workload.html, and as version 5 has
 * it, https://batsim.readthedocs.io/en/main/input-workload.html
 *
 * Foreign bytes.  Profiles that can be run are delays ("delay", since version 5 "DelayProfile") and sequences of such
 * profiles ("composed", "SequentialCompositionProfile"): the others are for a simulator of networks and processors.  Pure;
 * plain values. */
#ifndef WT_WORKLOAD_BATSIM_H
#define WT_WORKLOAD_BATSIM_H

#include <stdbool.h>

#include <jansson.h>

#include "lib/error.h"
#include "workload/json_lines.h"
#include "workload/swf_trace.h"

#define WT_BATSIM_NAME_MAX 255	/* bytes of an id, and of a profile's name */

/* Take the workload 'root' (borrowed) into *trace: nb_res is max_procs, a job's number is its place in the file, from 1, and
 * so is its 'line'; its id is kept as text, and is its place where there is none; a walltime of -1, or none, is not known.
 * 'name' and 'lines' are for messages.  'leave_out' as with wt_swf_trace_read: of 'jobs' entries that are bad (a key that is
 * missing or wrong, an id that stands twice), or have a profile that cannot be run.  0, or -1 with EINVAL (such a job that
 * may not be left out, no job) or ENOMEM; *trace is empty then. */
int wt_batsim_take(struct wt_swf_trace *trace, const json_t *root, const struct wt_json_lines *lines, const char *name,
		   const bool *leave_out, struct wt_error *errp);

#endif
