/* dax.h - read a workflow of Pegasus: its DAX, in XML (schemas 2.1 to 3.6, as the generators of synthetic workflows write
 * them, too).
 *
 * Foreign bytes.  Of each <job>: id, name, runtime (the attribute, or the profile "runtime" of Pegasus), cores (its profile
 * "cores"; else 1), and the size of each file that it <uses>; of <child> and <parent>: who waits for whom.  All else is
 * skipped; <dag> and <dax>, which are workflows in the workflow, are refused.  Pure but for the stream; plain values. */
#ifndef WT_WORKLOAD_DAX_H
#define WT_WORKLOAD_DAX_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

/* Read all of 'in'; 'name' is for messages ("NAME:LINE: ...").  Jobs as wt_task_graph_jobs () makes them.  Nothing is left
 * out, whatever 'leave_out' says: a workflow without one of its tasks is another.  0, or -1 with EINVAL (no XML; a document
 * type, with which a short file can grow without end; a job without id or run time, or that cannot be meant; what
 * wt_task_graph_jobs () says), EFBIG, ENOMEM, or the read error; *trace is empty then. */
int wt_dax_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

#endif
