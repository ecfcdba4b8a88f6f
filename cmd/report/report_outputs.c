/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/report/report_outputs.h"
#include "harness/export/plots.h"
#include "harness/export/run_metrics.h"
#include "harness/export/schedule_trace.h"
#include "lib/outfile.h"

bool report_outputs_wanted(const struct report_outputs *outputs)
{
	return outputs->trace || outputs->openmetrics || outputs->plots;
}

/* /dev/stdout, or whatever standard output goes to by its own name.  Of /dev/null nothing can be spoiled. */
static bool name_is_stdout(const char *name)
{
	struct stat of_name, of_stdout;

	if (!name || stat(name, &of_name) < 0 || fstat(STDOUT_FILENO, &of_stdout) < 0)
		return false;
	return of_name.st_dev == of_stdout.st_dev && of_name.st_ino == of_stdout.st_ino &&
	       (!S_ISCHR(of_stdout.st_mode) || isatty(STDOUT_FILENO));
}

FILE *report_outputs_say(const char *page, const struct report_outputs *outputs)
{
	bool taken = name_is_stdout(page) || name_is_stdout(outputs->trace) || name_is_stdout(outputs->openmetrics);

	return taken ? stderr : stdout;
}

static bool name_packed(const char *name)
{
	size_t len = strlen(name);

	return len > 3 && !strcmp(name + len - 3, ".gz");
}

/* Lines come from foreign files: what could harm a terminal has been replaced. */
static void left_out_say(const char *what, const char *lines)
{
	for (const char *line = lines; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		fprintf(stderr, "windtunnel report: %s: %.*s\n", what, (int) strcspn(line, "\n"), line);
}

static int trace_output(const struct report_outputs *outputs, const struct page_input *input, FILE *says,
			struct wt_error *errp)
{
	struct trace_plan plan;
	int rc;

	if (input->run_count > 1)
		return wt_error_set(errp, EINVAL, "--trace: a trace is of one run, and these are %zu", input->run_count);
	rc = trace_plan_make(&plan, &input->runs[0], outputs->nodes, errp);
	plan.packed = name_packed(outputs->trace);
	if (rc == 0)
		rc = wt_outfile_write(outputs->trace, trace_write, &plan, errp);
	if (rc == 0) {
		left_out_say("trace", plan.left_out.text);
		fprintf(says, "trace: %s\n", outputs->trace);
	}
	trace_plan_clear(&plan);
	return rc;
}

static int metrics_output(const struct report_outputs *outputs, const struct page_input *input, FILE *says,
			  struct wt_error *errp)
{
	if (wt_outfile_write(outputs->openmetrics, run_metrics_write, input, errp) < 0)
		return -1;
	fprintf(says, "metrics: %s\n", outputs->openmetrics);
	return 0;
}

static int plots_output(const struct report_outputs *outputs, const struct page_input *input, FILE *says,
			struct wt_error *errp)
{
	struct wt_str left_out = { 0 };
	size_t drawn;
	int rc = plots_write(outputs->plots, input, &drawn, &left_out, errp);

	if (rc == 0) {
		left_out_say("plots", left_out.text);
		fprintf(says, "plots: %s (%zu, each as .svg, .pdf and .png, with its .gp and .csv)\n", outputs->plots,
			drawn);
	}
	wt_str_clear(&left_out);
	return rc;
}

int report_outputs_write(const struct report_outputs *outputs, const struct page_input *input, FILE *says,
			 struct wt_error *errp)
{
	int rc = 0;

	if (outputs->trace)
		rc = trace_output(outputs, input, says, errp);
	if (outputs->openmetrics && rc == 0)
		rc = metrics_output(outputs, input, says, errp);
	if (outputs->plots && rc == 0)
		rc = plots_output(outputs, input, says, errp);
	return rc;
}
