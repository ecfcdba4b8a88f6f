/* trace_format.h - the formats of traces: how each is called, and what reads it.
 *
 * A further format is a row of the table. */
#ifndef WT_WORKLOAD_TRACE_FORMAT_H
#define WT_WORKLOAD_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

struct wt_trace_format {
	const char *name;	/* "swf", "batsim", "jobs", "dax", "wfcommons" */
	/* as wt_swf_trace_read () */
	int (*read)(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);
};

/* The format whose name are these 'len' bytes.  A constant; NULL: there is none. */
const struct wt_trace_format *wt_trace_format_find(const char *name, size_t len);

#endif
