/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel experiment list, compare. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "cmd/experiment/experiment_verb.h"
#include "cmd/experiment/folder_options.h"
#include "harness/experiment/experiment_results.h"
#include "harness/report/case_waits.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

static int cases_print(FILE *out, const struct wt_cases *r)
{
	struct wt_table *table = wt_table_create("lrrl");
	int rc = table ? 0 : -1;

	if (*r->title)
		fprintf(out, "%s\n", r->title);
	for (size_t c = 0; rc == 0 && c < r->count; c++) {
		const struct wt_case *row = &r->items[c];
		char wall[WT_DURATION_SIZE];

		wt_str_duration(wall, row->done ? row->wall_s / row->done : 0);
		if (wt_table_cell(table, "%s", row->name) < 0 || wt_table_cell(table, "%u runs", row->done) < 0 ||
		    wt_table_cell(table, row->failed ? "%u failed" : "", row->failed) < 0 ||
		    wt_table_cell(table, "%s%s", row->done ? wall : "-", row->done ? " each" : "") < 0)
			rc = -1;
	}
	if (rc == 0)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
	return rc;
}

static int results_show(const struct folder_options *cmd, int (*print)(FILE *, const struct wt_cases *),
			struct wt_error *errp)
{
	struct wt_cases r;
	int rc = experiment_results_read(&r, cmd->dir, cmd->against, errp);
	json_t *json;

	if (rc == 0 && (cmd->json || print == experiment_results_print))
		rc = wt_case_waits_read(&r, errp);
	if (rc == 0 && cmd->json) {
		json = experiment_results_json(&r);
		rc = json ? wt_json_print(stdout, json, errp) : wt_error_errno(errp, ENOMEM, "%s", cmd->dir);
		json_decref(json);
	} else if (rc == 0) {
		rc = print(stdout, &r) < 0 ? wt_error_errno(errp, ENOMEM, "%s", cmd->dir) : 0;
	}
	wt_cases_clear(&r);
	return rc;
}

static int verb_show(const struct argp *argp, int argc, char **argv, int (*print)(FILE *, const struct wt_cases *))
{
	struct folder_options cmd = { 0 };
	struct wt_error error = { "" };

	argp_err_exit_status = 2;
	if (wt_options_parse(argp, argc, argv, 0, &cmd))
		return 2;
	if (results_show(&cmd, print, &error) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], error.text);
		return 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: standard output could not be written\n", argv[0]);
		return 1;
	}
	return 0;
}

int cmd_experiment_list(int argc, char **argv)
{
	static const struct argp argp = {
		.options = folder_options_plain,
		.parser = folder_options_parse,
		.args_doc = "DIR",
		.doc = "Show the cases of the experiment in DIR: runs that have ended, that failed, and how long one takes.",
	};

	return verb_show(&argp, argc, argv, cases_print);
}

int cmd_experiment_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = folder_options_all,
		.parser = folder_options_parse,
		.args_doc = "DIR",
		.doc = "Show the figures of the cases of the experiment in DIR side by side, with 95 % intervals.",
	};

	return verb_show(&argp, argc, argv, experiment_results_print);
}
