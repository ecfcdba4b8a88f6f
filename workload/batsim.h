/* batsim.h - read a workload of Batsim: https://batsim.readthedocs.io/en/latest/input-workload.html, and as version 5 has
 * it, https://batsim.readthedocs.io/en/main/input-workload.html
 *
 * Foreign bytes.  Profiles that can be run are delays ("delay", since version 5 "DelayProfile") and sequences of such
 * profiles ("composed", "SequentialCompositionProfile"): the others are for a simulator of networks and processors.  Pure
 * but for the stream; plain values. */
#ifndef WT_WORKLOAD_BATSIM_H
#define WT_WORKLOAD_BATSIM_H

#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

#define WT_BATSIM_MEMORY_MAX ((size_t) 4 << 30)	/* bytes: some four million jobs */
#define WT_BATSIM_NAME_MAX 255	/* bytes of an id, and of a profile's name */

/* Read all of 'in' into *trace: nb_res is max_procs, a job's number is its place in the file, from 1, and so is its 'line';
 * its id is kept as text, and is its place where there is none; a walltime of -1, or none, is not known.  'name' is for
 * messages.  'leave_out' as with wt_swf_trace_read: of 'jobs' entries that are bad (a key that is missing or wrong, an id
 * that stands twice), or have a profile that cannot be run.  0, or -1 with EINVAL (such a job that may not be left out, not
 * JSON, no job), ENOMEM, or the read error; EFBIG when that takes more than WT_BATSIM_MEMORY_MAX; *trace is empty then.
 * While it reads, no other thread may use jansson. */
int wt_batsim_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);
/* The same with another limit: bytes for the JSON. */
int wt_batsim_read_within(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, size_t memory_max,
			  struct wt_error *errp);

#endif
