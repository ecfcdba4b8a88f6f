/* output_names.h - where windtunnel report may write. */
#ifndef WT_CMD_REPORT_OUTPUT_NAMES_H
#define WT_CMD_REPORT_OUTPUT_NAMES_H

#include "cmd/report/report_outputs.h"

/* No file may be written twice, nor one of the files that the runs, or the experiment in the folder 'experiment' (NULL:
 * none), are read from: neither could be had back.  'page' is the page's file, or NULL.  0, or -1 with EINVAL. */
int output_names_check(const char *page, const struct report_outputs *outputs, const char *experiment,
		       const struct page_input *input, struct wt_error *errp);

#endif
