/* json_trace.h - read a workload that is one JSON text: Batsim's, or a workflow of WfCommons.
 *
 * Foreign bytes.  Pure but for the stream; while it reads, no other thread may use jansson (json_memory.h). */
#ifndef WT_WORKLOAD_JSON_TRACE_H
#define WT_WORKLOAD_JSON_TRACE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

/* Read all of 'in' as wt_batsim_take () and wt_wfcommons_take () say.  0, or -1 with their errors, with EINVAL (not JSON:
 * "NAME:LINE: ..."), ENOMEM, the read error, or EFBIG when that takes more than WT_JSON_MEMORY_MAX; *trace is empty then. */
int wt_batsim_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);
/* The same with another limit: bytes for the JSON. */
int wt_batsim_read_within(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, size_t memory_max,
			  struct wt_error *errp);
/* 'leave_out' is ignored: a workflow without one of its tasks is another. */
int wt_wfcommons_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

/* Either, by what it has; *is_workflow says which. */
int wt_json_trace_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, bool *is_workflow,
		       struct wt_error *errp);

#endif
