/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/export/gzip_out.h"
#include "harness/export/trace_private.h"
#include "lib/json.h"

static json_t *left_out_json(const struct trace_plan *plan)
{
	json_t *list = json_array();
	char *text = plan->left_out.text ? strdup(plan->left_out.text) : NULL, *rest = text, *line;

	while (list && rest && (line = strsep(&rest, "\n")))
		if (*line && json_array_append_new(list, wt_json_text(line)) < 0) {
			json_decref(list);
			list = NULL;
		}
	free(text);
	return list;
}

/* A folder without summary.json, and a file of another program, leave what is 0 here unknown: it has no key then. */
static json_t *known_json(json_int_t number)
{
	return number ? json_integer(number) : NULL;
}

/* What belongs to no event; NULL without memory. */
static json_t *head_json(const struct trace_plan *plan)
{
	const struct wt_record *record = plan->run->record;

	return json_pack("{s:s, s:o, s:o*, s:o*, s:o*, s:o*, s:o*, s:I, s:I, s:I, s:o}", "generator", PACKAGE_STRING,
			 "run", wt_json_text(plan->run->name),
			 "workload", wt_json_text(record->workload),
			 "clock", wt_json_text(record->clock),
			 "begin_s", record->begin_s != 0 ? json_real(record->begin_s) : NULL,
			 "nodes", known_json(record->nodes),
			 "cpus", known_json(record->cpus),
			 "jobs", (json_int_t) plan->run->job_count,
			 "job_slices", (json_int_t) plan->slice_count,
			 "node_slices", (json_int_t) plan->node_slices,
			 "left_out", left_out_json(plan));
}

/* Chrome's JSON trace format, which Perfetto reads: an object with traceEvents, written as a stream, because it may
 * be larger than memory. */
static int plain_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct trace_plan *plan = arg;
	struct trace_events events = { .out = out };
	json_t *head = head_json(plan);
	char *text = head ? wt_json_dump(head, JSON_COMPACT) : NULL;

	json_decref(head);
	if (!text)
		return wt_error_errno(errp, ENOMEM, "trace");
	fprintf(out, "{\"displayTimeUnit\":\"ms\",\"otherData\":%s,\n\"traceEvents\":[\n", text);
	free(text);
	if (trace_jobs_write(&events, plan) < 0 || trace_nodes_write(&events, plan) < 0 ||
	    trace_counters_write(&events, plan) < 0 || events.failed)
		return wt_error_errno(errp, ENOMEM, "trace");
	fputs("\n]}\n", out);
	return 0;
}

int trace_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct trace_plan *plan = arg;

	return plan->packed ? gzip_write(out, plain_write, plan, errp) : plain_write(out, plan, errp);
}
