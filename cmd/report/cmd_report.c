/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel report - run folders as one HTML file. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/experiment/experiment_results.h"
#include "harness/page/page.h"
#include "harness/report/case_waits.h"
#include "cmd/report/output_names.h"
#include "cmd/report/report_outputs.h"
#include "cmd/verbs.h"
#include "lib/options.h"
#include "lib/outfile.h"

enum { OPT_OUTPUT = 0x5000, OPT_TRACE, OPT_NODES, OPT_OPENMETRICS, OPT_PLOTS };

static const struct argp_option options[] = {
	{ "output", OPT_OUTPUT, "FILE", 0,
	  "write this file (default: report.html in the run folder; of several runs or a file, here)", 0 },
	{ "trace", OPT_TRACE, "FILE", 0, "write the schedule for Perfetto and chrome://tracing; packed if FILE ends in .gz",
	  0 },
	{ "nodes", OPT_NODES, "RANGE", 0,
	  "the nodes that the trace shows, as n[0-17] (default: all, if they are not too many)", 0 },
	{ "plots", OPT_PLOTS, "DIR", 0, "draw plots for papers (SVG, PDF, PNG) into this folder, by gnuplot", 0 },
	{ "openmetrics", OPT_OPENMETRICS, "FILE", 0, "write the runs' figures and histograms for Prometheus", 0 },
	{ 0 }
};

struct report {
	const char *output;
	struct report_outputs outputs;
	char **paths;		/* of argv */
	const char **names;	/* what the page calls each; NULL: by its path */
	size_t path_count;
	const char *experiment;	/* its folder, or NULL */
	const struct wt_cases *cases;	/* the experiment that they are the cases of, or NULL */
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct report *report = state->input;

	switch (key) {
	case OPT_OUTPUT:
		if (!*arg)
			argp_error(state, "--output: give the name of a file");
		report->output = arg;
		return 0;
	case OPT_TRACE:
		if (!*arg)
			argp_error(state, "--trace: give the name of a file");
		report->outputs.trace = arg;
		return 0;
	case OPT_PLOTS:
		if (!*arg)
			argp_error(state, "--plots: give the name of a folder");
		report->outputs.plots = arg;
		return 0;
	case OPT_OPENMETRICS:
		if (!*arg)
			argp_error(state, "--openmetrics: give the name of a file");
		report->outputs.openmetrics = arg;
		return 0;
	case OPT_NODES:
		report->outputs.nodes = arg;
		return 0;
	case ARGP_KEY_ARGS:
		report->paths = state->argv + state->next;
		report->path_count = (size_t) (state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (!report->path_count)
			argp_error(state, "give a run folder, or more, or a file");
		if (report->outputs.nodes && !report->outputs.trace)
			argp_error(state, "--nodes chooses what --trace shows: give both");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run_add(struct page_input *input, const char *path, struct wt_error *errp)
{
	struct page_run *runs = reallocarray(input->runs, input->run_count + 1, sizeof(*runs));

	if (!runs)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	input->runs = runs;
	input->run_count++;
	return page_run_read(&runs[input->run_count - 1], path, input->run_count, errp);
}

static int is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int is_number(const struct dirent *entry)
{
	return entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && !entry->d_name[strspn(entry->d_name, "0123456789")];
}

static int repeat_add(struct page_input *input, const char *path, const char *name, struct wt_error *errp)
{
	char *one = wt_str_format("%s/%s", path, name);
	int rc = one ? 0 : wt_error_errno(errp, ENOMEM, "%s", path);

	if (rc == 0 && is_folder(one))
		rc = run_add(input, one, errp);
	free(one);
	return rc;
}

/* A folder of --repeat has its runs in the folders 1, 2, ... and a summary over all of them, which is no run. */
static int repeats_add(struct page_input *input, const char *path, struct wt_error *errp)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_number, versionsort), rc = 0;

	if (count < 0)
		return wt_error_errno(errp, errno, "%s", path);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = repeat_add(input, path, entries[i]->d_name, errp);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

/* Without a scenario of its own, as windtunnel compare tells them apart; or that of a folder without any. */
static int path_add(struct page_input *input, const char *path, struct wt_error *errp)
{
	size_t before = input->run_count;
	char *scenario = wt_str_format("%s/scenario.json", path);
	int own = scenario && access(scenario, F_OK) == 0, rc = 0;

	free(scenario);
	if (!own && is_folder(path))
		rc = repeats_add(input, path, errp);
	return rc == 0 && input->run_count == before ? run_add(input, path, errp) : rc;
}

static char *output_name(const struct report *report)
{
	if (report->output)
		return strdup(report->output);
	return report->path_count > 1 || !is_folder(report->paths[0]) ? strdup("report.html")
									 : wt_str_format("%s/report.html", report->paths[0]);
}

/* Each argument is a variant. */
static int paths_add(struct page_input *input, struct page_variant *variants, const struct report *report,
		     struct wt_error *errp)
{
	int rc = 0;

	input->variants = variants;
	for (size_t i = 0; rc == 0 && i < report->path_count; i++) {
		struct page_variant *v = &variants[input->variant_count++];

		*v = (struct page_variant){ .path = report->paths[i], .first = input->run_count,
					    .name = report->names ? report->names[i] : NULL };
		rc = path_add(input, report->paths[i], errp);
		v->run_count = input->run_count - v->first;
	}
	return rc;
}

/* What was in the folder before may be a stranger's: no link to somewhere else, and no pipe. */
static int default_check(const char *path, struct wt_error *errp)
{
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return wt_error_set(errp, EINVAL, "%s: is no regular file; give another name (--output)", path);
	return 0;
}

static int page_output(const char *path, const struct page_input *input, FILE *says, struct wt_error *errp)
{
	if (wt_outfile_write(path, page_write, input, errp) < 0)
		return -1;
	fprintf(says, "report: %s\n", path);
	return 0;
}

static int report_write(const struct report *report, struct wt_error *errp)
{
	struct page_input input = { .cases = report->cases };
	struct page_variant *variants = calloc(report->path_count, sizeof(*variants));
	char *output = output_name(report);
	int rc = output && variants ? 0 : wt_error_errno(errp, ENOMEM, "report");
	FILE *says = stdout;
	bool page;

	if (rc == 0)
		rc = paths_add(&input, variants, report, errp);
	if (rc == 0 && !report->output)
		rc = default_check(output, errp);
	page = report->output || !report_outputs_wanted(&report->outputs);
	if (rc == 0)
		rc = output_names_check(page ? output : NULL, &report->outputs, report->experiment, &input, errp);
	if (rc == 0)
		says = report_outputs_say(page ? output : NULL, &report->outputs);
	if (rc == 0 && page)
		rc = page_output(output, &input, says, errp);
	if (rc == 0)
		rc = report_outputs_write(&report->outputs, &input, says, errp);
	for (size_t i = 0; i < input.run_count; i++)
		page_run_clear(&input.runs[i]);
	free(input.runs);
	free(variants);
	free(output);
	return rc;
}

/* The cases that have runs, as if their folders had been given. */
static int cases_report(const struct report *report, const struct wt_cases *cases, struct wt_error *errp)
{
	char **paths = calloc(cases->count + 1, sizeof(*paths)), *output = output_name(report);
	const char **names = calloc(cases->count + 1, sizeof(*names));
	struct report one = *report;
	int rc = paths && names && output ? 0 : wt_error_errno(errp, ENOMEM, "report");

	one.experiment = report->paths[0];
	one.cases = cases;
	one.paths = paths;
	one.names = names;
	one.path_count = 0;
	if (!report_outputs_wanted(&report->outputs))
		one.output = output;
	for (size_t c = 0; rc == 0 && c < cases->count; c++)
		if (cases->items[c].set.count) {
			names[one.path_count] = cases->items[c].name;
			paths[one.path_count++] = cases->items[c].path;
		}
	if (rc == 0 && !one.path_count)
		rc = wt_error_set(errp, ENOENT, "%s: no run of this experiment has ended well", report->paths[0]);
	if (rc == 0)
		rc = report_write(&one, errp);
	free(names);
	free(paths);
	free(output);
	return rc;
}

static int experiment_report(const struct report *report, struct wt_error *errp)
{
	struct wt_cases cases;
	int rc = experiment_results_read(&cases, report->paths[0], NULL, errp);

	if (rc == 0)
		rc = wt_case_waits_read(&cases, errp);
	if (rc == 0)
		rc = cases_report(report, &cases, errp);
	wt_cases_clear(&cases);
	return rc;
}

/* The folder of an experiment, or runs. */
static int any_report(const struct report *report, struct wt_error *errp)
{
	if (report->path_count == 1 && experiment_folder(report->paths[0]))
		return experiment_report(report, errp);
	return report_write(report, errp);
}

int wt_verb_report(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option_parse,
		.args_doc = "RUN...",
		.doc = "Write run folders as one HTML file, which refers to nothing outside itself.\vA folder is that of "
		       "one run, or one that has "
		       "the folders 1, 2, ... of repeated runs. Schedules of other programs are reported, too: FILE.swf, "
		       "jobs.csv as Batsim writes it, and both packed (.gz).",
	};
	struct report report = { 0 };
	struct wt_error error = { "" };

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &report))
		return 2;
	if (any_report(&report, &error) < 0) {
		fprintf(stderr, "windtunnel report: %s\n", error.text);
		return 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("windtunnel report: standard output could not be written\n", stderr);
		return 1;
	}
	return 0;
}
