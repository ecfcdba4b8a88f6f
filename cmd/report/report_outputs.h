/* report_outputs.h - what windtunnel report writes besides the page. */
#ifndef WT_CMD_REPORT_REPORT_OUTPUTS_H
#define WT_CMD_REPORT_REPORT_OUTPUTS_H

#include <stdio.h>

#include "harness/page/page.h"

struct report_outputs {		/* as they were given; NULL: not asked for */
	const char *trace;	/* a file; packed where its name ends with .gz */
	const char *nodes;	/* of the trace: a host list */
	const char *openmetrics;	/* a file */
	const char *plots;	/* a folder */
};

/* Is there anything to be written? */
bool report_outputs_wanted(const struct report_outputs *outputs);

/* Where it is said what has been written: standard output; or standard error, where one of the outputs, or the page
 * (NULL: none), goes to standard output itself.  To be asked before they are written. */
FILE *report_outputs_say(const char *page, const struct report_outputs *outputs);

/* Write them and say so in 'says'; what was left out is said on standard error.  0, or -1 with EINVAL (nodes
 * that the run does not have, several runs for one trace), ENOMEM or the error of writing. */
int report_outputs_write(const struct report_outputs *outputs, const struct page_input *input, FILE *says,
			 struct wt_error *errp);

#endif
