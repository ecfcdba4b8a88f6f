/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "workload/dax.h"
#include "workload/jobs_file.h"
#include "workload/json_trace.h"
#include "workload/trace_format.h"

static const struct wt_trace_format formats[] = {
	{ "swf", wt_swf_trace_read },
	{ "batsim", wt_batsim_read },
	{ "jobs", wt_jobs_file_read },
	{ "dax", wt_dax_read },
	{ "wfcommons", wt_wfcommons_read },
};

const struct wt_trace_format *wt_trace_format_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strlen(formats[i].name) == len && !memcmp(name, formats[i].name, len))
			return &formats[i];
	return NULL;
}
