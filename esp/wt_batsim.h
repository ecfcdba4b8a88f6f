/* wt_batsim.h - read a workload of Batsim: https://batsim.readthedocs.io/en/latest/input-workload.html
 *
 * Foreign bytes.  Only profiles of type "delay" can be run: the others are for a simulator of networks and processors.  Pure but
 * for the stream; plain values. */
#ifndef WT_BATSIM_H
#define WT_BATSIM_H

#include <stdio.h>

#include "wt_error.h"
#include "wt_swf_trace.h"

/* Read all of 'in' into *trace: nb_res is max_procs, a job's number is its place in the file, from 1, and so is its 'line'; a walltime
 * of -1, or none, is not known.  'name' is for messages.  0, or -1 with EINVAL (not JSON, a key that is missing or wrong, another
 * profile than "delay", no job), ENOMEM, or the read error; *trace is empty then. */
int wt_batsim_read(struct wt_swf_trace *trace, FILE *in, const char *name, struct wt_error *errp);

#endif
