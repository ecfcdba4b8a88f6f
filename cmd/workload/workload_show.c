/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel workload show: what a workload asks for. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd/workload/workload_verb.h"
#include "harness/run/option_value.h"
#include "lib/json.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"
#include "workload/trace_figures.h"

enum { KEY_JSON = 256, KEY_CPUS, KEY_SKIP_BAD };

struct workload_showing {
	char **paths; /* of argv */
	size_t path_count;
	uint64_t cpus;
	bool json, skip_bad;
	json_t *files;
};

static const struct argp_option options[] = {
	{ "cpus", KEY_CPUS, "N", 0, "Of the machine that the load is told for (default: the workload's, or its largest job)",
	  0 },
	{ "json", KEY_JSON, NULL, 0, "Print JSON", 0 },
	{ "skip-bad", KEY_SKIP_BAD, NULL, 0, "Leave out, and count, what cannot be read (not of a jobs.csv)", 0 },
	{ 0 },
};

static error_t show_parse(int key, char *arg, struct argp_state *state)
{
	struct workload_showing *show = state->input;

	switch (key) {
	case KEY_CPUS:
		return wt_option_whole(state, "cpus", arg, 1, UINT32_MAX, &show->cpus);
	case KEY_JSON:
		show->json = true;
		return 0;
	case KEY_SKIP_BAD:
		show->skip_bad = true;
		return 0;
	case ARGP_KEY_ARGS:
		show->paths = state->argv + state->next;
		show->path_count = (size_t) (state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (!show->path_count)
			argp_error(state, "which workload?  An SWF, a workload of Batsim, a workflow, a jobs.csv or a run "
				   "folder");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *stats_json(const struct wt_stats *s)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "count", (json_int_t) s->count, "min", number(s->min),
			 "median", number(s->median), "mean", number(s->mean), "p95", number(s->p95), "max", number(s->max),
			 "sd", number(s->sd));
}

static json_t *counts_json(const size_t *counts, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer((json_int_t) counts[i]));
	return list;
}

static json_t *sizes_json(const size_t *by_size)
{
	json_t *list = json_array();

	for (size_t i = 0; i < WT_TRACE_SIZES; i++)
		if (by_size[i])
			json_array_append_new(list, json_pack("{s:I, s:I}", "up_to", (json_int_t) 1 << i, "jobs",
							      (json_int_t) by_size[i]));
	return list;
}

static json_t *left_out_json(const struct wt_swf_trace *t)
{
	json_t *object = json_object();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (t->left_out[i])
			json_object_set_new(object, wt_left_out_key((enum wt_left_out) i),
					    json_integer((json_int_t) t->left_out[i]));
	return object;
}

static json_t *file_json(const struct workload_file *file, const struct wt_trace_figures *f)
{
	const struct wt_swf_trace *t = &file->trace;

	return json_pack("{s:o, s:s, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, "
			 "s:o, s:o, s:I, s:I}",
			 "file", wt_json_text(file->path), "format", workload_form_name(file->form), "jobs",
			 (json_int_t) f->jobs, "jobs_in_file", (json_int_t) t->entry_count, "jobs_of_header",
			 (json_int_t) t->header_jobs, "left_out", left_out_json(t),
			 "first_bad", wt_json_text(t->first_bad), "unsorted", (json_int_t) t->unsorted, "machine_cpus",
			 (json_int_t) f->machine_cpus, "period_s", number(f->period_s), "cpu_s", f->cpu_s, "offered_load",
			 number(f->load), "arrivals_by_hour", counts_json(f->by_hour, WT_TRACE_HOURS), "gap_s",
			 stats_json(&f->gap_s), "cpus", stats_json(&f->cpus), "cpus_jobs", sizes_json(f->by_size), "serial",
			 (json_int_t) f->serial, "powers_of_two", (json_int_t) f->powers_of_two, "run_time_s",
			 stats_json(&f->run_time_s), "limit_s", stats_json(&f->limit_s), "run_time_of_limit",
			 stats_json(&f->limit_use), "over_limit", (json_int_t) f->over_limit, "events",
			 (json_int_t) t->world.count);
}

static int cell(struct wt_table *table, double value)
{
	return isfinite(value) ? wt_table_cell(table, "%.6g", value) : wt_table_cell(table, "-");
}

static int stats_row(struct wt_table *table, const char *what, const struct wt_stats *s)
{
	return wt_table_cell(table, "%s", what) || wt_table_cell(table, "%zu", s->count) || cell(table, s->min) ||
	       cell(table, s->median) || cell(table, s->mean) || cell(table, s->p95) || cell(table, s->max);
}

static int stats_print(const struct wt_trace_figures *f)
{
	static const char *const heads[] = { "", "jobs", "least", "median", "mean", "95 %", "most" };
	struct wt_table *table = wt_table_create("lrrrrrr");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	if (rc == 0)
		rc = stats_row(table, "between submissions, s", &f->gap_s) || stats_row(table, "CPUs", &f->cpus) ||
		     stats_row(table, "run time, s", &f->run_time_s) || stats_row(table, "time limit, s", &f->limit_s) ||
		     stats_row(table, "run time / limit", &f->limit_use);
	if (rc == 0)
		wt_table_print(table, stdout, "  ");
	wt_table_destroy(table);
	return rc ? -1 : 0;
}

/* Hours or sizes in two lines: what, and how many jobs. */
static int counts_print(const char *what, const size_t *counts, size_t count, bool sizes)
{
	struct wt_table *table = wt_table_create("rr");
	int rc = table && wt_table_cell(table, "%s", what) == 0 ? wt_table_cell(table, "jobs") : -1;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		unsigned long long most = 1ull << (sizes ? i : 0);

		if (sizes && !counts[i])
			continue;
		if (!sizes)
			rc = wt_table_cell(table, "%zu", i);
		else if (i < 2)
			rc = wt_table_cell(table, "%llu", most);
		else
			rc = wt_table_cell(table, "%llu-%llu", most / 2 + 1, most);
		rc = rc ? rc : wt_table_cell(table, "%zu", counts[i]);
	}
	if (rc == 0)
		wt_table_print(table, stdout, "  ");
	wt_table_destroy(table);
	return rc ? -1 : 0;
}

static double percent(size_t part, size_t of)
{
	return of ? 100.0 * (double) part / (double) of : NAN;
}

static int file_print(const struct workload_file *file, const struct wt_trace_figures *f)
{
	char period[WT_DURATION_SIZE];

	wt_str_duration(period, f->period_s);
	workload_file_tell(stdout, "", file);
	/* A file that was cut at the end of a line is a good one else. */
	if (file->trace.header_jobs > file->trace.entry_count)
		printf("  its header tells of %u jobs: this is a part of them, or the file was cut\n",
		       file->trace.header_jobs);
	printf("  period %s, %.6g CPU seconds", period, f->cpu_s);
	if (isfinite(f->load))
		printf(": an offered load of %.1f %% of %u CPUs", 100 * f->load, f->machine_cpus);
	printf("\n  %.1f %% of the jobs are serial, %.1f %% have a power of two as size; %zu of %zu ran longer than "
	       "their limit\n",
	       percent(f->serial, f->jobs), percent(f->powers_of_two, f->jobs), f->over_limit, f->limit_s.count);
	return stats_print(f) < 0 || counts_print("CPUs", f->by_size, WT_TRACE_SIZES, true) < 0 ||
	       counts_print("hour", f->by_hour, WT_TRACE_HOURS, false) < 0 ? -1 : 0;
}

static int file_show(struct workload_showing *show, const char *path, struct wt_error *errp)
{
	struct wt_trace_figures figures;
	struct workload_file file;
	int rc;

	if (workload_file_read(&file, path, show->skip_bad, errp) < 0)
		return -1;
	rc = wt_trace_figures_make(&figures, &file.trace, (uint32_t) show->cpus, errp);
	if (rc == 0 && (show->json ? json_array_append_new(show->files, file_json(&file, &figures)) :
				     file_print(&file, &figures)) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", path);
	workload_file_clear(&file);
	return rc;
}

static int files_show(struct workload_showing *show, struct wt_error *errp)
{
	json_t *root = json_pack("{s:[]}", "files");
	int rc = root ? 0 : wt_error_errno(errp, ENOMEM, "workload");

	show->files = json_object_get(root, "files");
	for (size_t i = 0; rc == 0 && i < show->path_count; i++)
		rc = file_show(show, show->paths[i], errp);
	if (rc == 0 && show->json)
		rc = wt_json_print(stdout, root, errp);
	json_decref(root);
	if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		rc = wt_error_set(errp, EIO, "standard output could not be written");
	return rc;
}

int workload_show(int argc, char **argv)
{
	static const struct argp argp = {
		options, show_parse, "FILE...",
		"Tell what workloads ask for: the load that they offer, when jobs arrive, how large and how long they are, "
		"and their limits.  FILE is an SWF, a workload of Batsim, a workflow (DAX, WfCommons), a jobs.csv, jobs "
		"(.jsonl), each perhaps packed by gzip, or a run folder.",
		NULL, NULL, NULL
	};
	struct workload_showing show = { 0 };
	struct wt_error error;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &show))
		return 2;
	return files_show(&show, &error) < 0 ? workload_fail(argv[0], &error) : 0;
}
