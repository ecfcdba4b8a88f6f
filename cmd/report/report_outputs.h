/* report_outputs.h - what windtunnel report writes besides the page. */
#ifndef WT_CMD_REPORT_OUTPUTS_H
#define WT_CMD_REPORT_OUTPUTS_H

#include "harness/page/page.h"

struct report_outputs {		/* as they were given; NULL: not asked for */
	const char *trace;	/* a file; packed where its name ends with .gz */
	const char *nodes;	/* of the trace: a host list */
	const char *openmetrics;	/* a file */
	const char *plots;	/* a folder */
};

/* Is there anything to be written? */
bool report_outputs_wanted(const struct report_outputs *outputs);

/* Write them and say so on standard output; what was left out is said on standard error.  0, or -1 with EINVAL (nodes
 * that the run does not have, several runs for one trace), ENOMEM or the error of writing. */
int report_outputs_write(const struct report_outputs *outputs, const struct page_input *input, struct wt_error *errp);

#endif
