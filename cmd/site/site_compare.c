/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel site compare: the waits of a run of a site's jobs beside those that the site recorded. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/site/site_verb.h"
#include "harness/report/waits.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/options.h"
#include "lib/str.h"
#include "record/jobs_csv.h"
#include "record/recorded_csv.h"

#define ROWS 15		/* of accounts and the like, for people */

struct site_compare_args {
	const char *run, *site;
	bool json;
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct site_compare_args *args = state->input;

	switch (key) {
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 1)
			argp_error(state, "'%s' is one argument too many", arg);
		*(state->arg_num ? &args->site : &args->run) = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->site)
			argp_error(state, "give a run's folder and a site's");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Waits of jobs that were made shorter or longer are those of other jobs. */
static int scale_check(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/scenario.json", dir);
	json_t *scenario = path ? wt_json_load(path, errp) : NULL;
	const json_t *scale = json_object_get(json_object_get(scenario, "options"), "time_scale");
	int rc = !path ? wt_error_errno(errp, ENOMEM, "%s", dir) : scenario ? 0 : -1;

	if (rc == 0 && json_is_number(scale) && json_number_value(scale) != 1)
		rc = wt_error_set(errp, EINVAL, "%s: its times are scaled (--time-scale %g): they are not the site's", dir,
				  json_number_value(scale));
	json_decref(scenario);
	free(path);
	return rc;
}

static int run_add(struct waits *waits, const char *dir, const struct wt_recorded *recorded, struct wt_error *errp)
{
	struct wt_record *record = wt_record_create(NULL, errp);
	char *path = wt_str_format("%s/jobs.csv", dir);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = record && in ? scale_check(dir, errp) : path ? -1 : wt_error_errno(errp, ENOMEM, "%s", dir);

	if (rc == 0) {
		record->begin_s = 0;
		rc = wt_jobs_csv_read(record, in, path, errp);
	}
	if (rc == 0)
		rc = wt_waits_add(waits, record, recorded, errp);
	if (in)
		fclose(in);
	wt_record_destroy(record);
	free(path);
	return rc;
}

static bool has_jobs(const char *dir)
{
	char *path = wt_str_format("%s/jobs.csv", dir);
	bool has = path && access(path, F_OK) == 0;

	free(path);
	return has;
}

/* One run, or the folders 1, 2, ... of repeated ones. */
static int runs_add(struct waits *waits, const char *dir, const struct wt_recorded *recorded, struct wt_error *errp)
{
	int rc = 0;

	if (has_jobs(dir))
		return run_add(waits, dir, recorded, errp);
	for (unsigned int i = 1; rc == 0; i++) {
		char *one = wt_str_format("%s/%u", dir, i);

		if (!one)
			return wt_error_errno(errp, ENOMEM, "%s", dir);
		if (!has_jobs(one)) {
			free(one);
			break;
		}
		rc = run_add(waits, one, recorded, errp);
		free(one);
	}
	if (rc == 0 && !waits->runs)
		return wt_error_set(errp, ENOENT, "%s: there is neither jobs.csv nor 1/jobs.csv: it is no run's folder",
				    dir);
	return rc;
}

static int recorded_read(struct wt_recorded *recorded, const char *site, struct wt_error *errp)
{
	char *path = wt_str_format("%s/recorded.csv", site);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = path ? -1 : wt_error_errno(errp, ENOMEM, "%s", site);

	if (in) {
		rc = wt_recorded_csv_read(recorded, in, path, errp);
		fclose(in);
	}
	free(path);
	return rc;
}

static int waits_tell(const struct waits *waits, bool as_json, struct wt_error *errp)
{
	json_t *v;
	int rc;

	if (!as_json)
		return wt_waits_print(stdout, waits, ROWS) < 0 ? wt_error_errno(errp, ENOMEM, "comparison") : 0;
	v = wt_waits_json(waits);
	rc = v ? wt_json_print(stdout, v, errp) : wt_error_errno(errp, ENOMEM, "comparison");
	json_decref(v);
	return rc;
}

static int waits_compare(const struct site_compare_args *args, struct wt_error *errp)
{
	struct wt_recorded recorded = { 0 };
	struct waits waits = { 0 };
	int rc = recorded_read(&recorded, args->site, errp);

	if (rc == 0)
		rc = runs_add(&waits, args->run, &recorded, errp);
	if (rc == 0)
		rc = wt_waits_finish(&waits, errp);
	if (rc == 0)
		rc = waits_tell(&waits, args->json, errp);
	wt_waits_clear(&waits);
	wt_recorded_clear(&recorded);
	return rc;
}

int site_compare(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "json", 'j', NULL, 0, "Print JSON", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	static const struct argp argp = {
		options, option_parse, "RUN SITE",
		"Compare how long jobs waited in a run of a site's jobs with how long they waited there: by partition, QOS, "
		"account and size, with 95 % intervals.\vRUN is a run's folder, or one that has the folders 1, 2, ... of "
		"repeated runs.", NULL, NULL, NULL,
	};
	struct site_compare_args args = { 0 };
	struct wt_error err = { "" };

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &args))
		return 2;
	if (waits_compare(&args, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "%s: standard output could not be written\n", argv[0]);
		return 1;
	}
	return 0;
}
