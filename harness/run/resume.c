/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/json.h"
#include "harness/report/report.h"
#include "harness/cluster/folder/hosts_json.h"
#include "harness/run/provisioner.h"
#include "harness/run/world_acts.h"
#include "harness/run/real_clean.h"
#include "harness/run/resume.h"
#include "harness/run/run_profile.h"
#include "record/event_format.h"
#include "record/power_format.h"
#include "harness/run/run_folder.h"
#include "harness/run/run_lock.h"
#include "lib/str.h"
#include "harness/report/summary.h"

#define ASIDE_MAX 10000
#define ASIDE_NAME "unfinished-"

/* Does this folder hold a run that came to its end?  1, 0, or -1: one that goes on, too. */
int wt_resume_finished(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/summary.json", dir);
	const char *failure;
	json_t *summary;
	int rc;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (access(path, F_OK) < 0) {
		free(path);
		return run_lock_check(dir, errp);
	}
	summary = wt_json_load(path, errp);
	failure = json_string_value(json_object_get(summary, "failure"));
	rc = !summary ? -1 : json_is_false(json_object_get(summary, "interrupted")) && failure && !*failure;
	json_decref(summary);
	free(path);
	return rc;
}

/* Not every workload has every option: both without it is the same. */
static bool option_same(const json_t *now, const json_t *then)
{
	if (!now || !then || json_is_null(now) || json_is_null(then))
		return (!now || json_is_null(now)) && (!then || json_is_null(then));
	return json_equal(now, then);
}

/* What may change: how many runs, when to give up, and what only measures or guards. */
static bool option_free(const char *key)
{
	static const char *const free_keys[] = { "repeat", "timeout_s", "keep_going", "profile_hz", "max_jobs",
						 "max_node_hours", "shared" };

	for (size_t i = 0; i < sizeof(free_keys) / sizeof(free_keys[0]); i++)
		if (strcmp(key, free_keys[i]) == 0)
			return true;
	return false;
}

/* The first option of a that is another in b; NULL: none. */
static const char *option_other(json_t *a, const json_t *b)
{
	const char *key;
	json_t *value;

	json_object_foreach(a, key, value)
		if (!option_free(key) && !option_same(value, json_object_get(b, key)))
			return key;
	return NULL;
}

/* Runs of two releases, or a half of one on each, would pass for one.  Which release a real cluster has now is not known
 * here. */
static int release_check(const struct wt_scenario *scenario, const json_t *then, const char *dir, struct wt_error *errp)
{
	const char *version = json_string_value(json_object_get(json_object_get(then, "versions"), "slurm"));

	if (!version || wt_scenario_is_real(scenario) || !strcmp(version, WT_SLURM_VERSION))
		return 0;
	return wt_error_set(errp, EINVAL, "--resume: %s was made on Slurm %s, and this is %s: go on with --slurm %s", dir,
			    version, WT_SLURM_VERSION, version);
}

int wt_resume_same(const struct wt_scenario *scenario, const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/scenario.json", dir);
	json_t *now = wt_scenario_json(scenario), *then = path && now ? wt_json_load(path, errp) : NULL;
	json_t *options = json_object_get(then, "options");
	const char *other = options ? option_other(now, options) : NULL;
	int rc = options ? 0 : wt_error_set(errp, EINVAL, "%s: not a run of this program", dir);

	if (options && !other)
		other = option_other(options, now);
	if (other)
		rc = wt_error_set(errp, EINVAL, "--resume: %s was made with another %s", dir, other);
	if (rc == 0)
		rc = release_check(scenario, then, dir, errp);
	json_decref(now);
	json_decref(then);
	free(path);
	return rc;
}

/* What a run leaves; anything else in its folder is not ours.  What says which run it is goes last: until then a command
 * that is killed leaves one that can be put aside again. */
static const char *const parts[] = {
	".lock", ".reserve", "slurm.conf", "topology.conf", "logs", "jobs.csv", "jobs.swf", WT_EVENTS_FILE,
		"series.csv", "summary.json", WT_POWER_FILE, WORLD_FILE, PROVISIONER_FILE, WT_HOST_EVENTS_FILE,
		RUN_PROFILE_FILE, RUN_PROFILE_STACKS, "scenario.json",
};

static int part_move(const char *dir, const char *aside, const char *name, struct wt_error *errp)
{
	char *from = wt_str_format("%s/%s", dir, name), *to = wt_str_format("%s/%s", aside, name);
	int rc = 0;

	if (!from || !to)
		rc = wt_error_errno(errp, ENOMEM, "%s", dir);
	else if (rename(from, to) < 0 && errno != ENOENT)
		rc = wt_error_errno(errp, errno, "%s", to);
	free(from);
	free(to);
	return rc;
}

/* Moved, not removed: what an unfinished run has measured may be all there is. */
static int aside_put(const char *dir, struct wt_error *errp)
{
	char *aside = NULL;
	int rc = -1;

	for (unsigned int i = 1; i < ASIDE_MAX && rc < 0; i++) {
		free(aside);
		aside = wt_str_format("%s/" ASIDE_NAME "%u", dir, i);
		rc = aside ? mkdir(aside, 0777) : -1;
		if (rc < 0 && (!aside || errno != EEXIST))
			break;
	}
	if (rc < 0)
		rc = wt_error_errno(errp, errno, "%s/" ASIDE_NAME "1", dir);
	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		rc = part_move(dir, aside, parts[i], errp);
	if (rc == 0)
		fprintf(stderr, "windtunnel: %s was not finished: it is run again; what it has is kept in %s\n", dir, aside);
	free(aside);
	return rc;
}

static int summary_show(const struct wt_scenario *scenario, const char *dir, struct wt_error *errp)
{
	struct wt_record *record = wt_report_read(dir, errp);
	char *path = wt_str_format("%s/summary.json", dir);
	json_t *summary = path && scenario->json ? wt_json_load(path, errp) : NULL;
	struct wt_metrics metrics;
	int rc = record && wt_metrics_compute(&metrics, record, errp) == 0 && (summary || !scenario->json) ? 0 : -1;

	if (rc == 0)
		rc = scenario->json ? wt_json_write(stdout, summary, errp) : wt_summary_print(stdout, record, &metrics);
	json_decref(summary);
	free(path);
	wt_record_destroy(record);
	return rc;
}

/* A real cluster goes on with the jobs of a run that was killed. */
static int left_end(const char *dir, struct wt_error *errp)
{
	size_t count;

	if (real_clean(dir, &count, errp) < 0)
		return -1;
	if (count)
		fprintf(stderr, "windtunnel: %zu jobs that %s had left in the cluster were cancelled\n", count, dir);
	return 0;
}

/* What a run may have made before its scenario.json is there. */
static bool beginning_part(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, ".lock") || !strcmp(name, "logs") ||
	       !strncmp(name, "scenario.json.tmp.", strlen("scenario.json.tmp."));
}

static bool aside_part(const char *name)
{
	return !strncmp(name, ASIDE_NAME, strlen(ASIDE_NAME));
}

static int beginning_remove(const char *dir, const char *name, struct wt_error *errp)
{
	char *path = name[0] == '.' && strcmp(name, ".lock") ? NULL : wt_str_format("%s/%s", dir, name);
	int rc = 0;

	if (path && remove(path) < 0 && errno != ENOENT)	/* logs that say something stay */
		rc = wt_error_set(errp, EINVAL, "%s: not a run of this program", dir);
	free(path);
	return rc;
}

int wt_resume_beginning(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/scenario.json", dir);
	DIR *folder = path && access(path, F_OK) < 0 ? opendir(dir) : NULL;
	struct dirent *entry;
	bool ours = folder;
	int rc = path ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);

	while (ours && (entry = readdir(folder)))
		ours = beginning_part(entry->d_name) || aside_part(entry->d_name);
	if (ours)
		rc = run_lock_check(dir, errp);
	if (ours && rc == 0)
		rewinddir(folder);
	while (ours && rc == 0 && (entry = readdir(folder)))
		rc = aside_part(entry->d_name) ? 0 : beginning_remove(dir, entry->d_name, errp);
	if (folder)
		closedir(folder);
	free(path);
	return rc < 0 ? -1 : ours;
}

int wt_resume_single(const struct wt_scenario *scenario, const char *dir, struct wt_error *errp)
{
	int rc;

	rc = wt_resume_beginning(dir, errp);
	if (rc < 0)
		return -1;
	if (rc || wt_run_folder_is_empty(dir))
		return 0;
	if (wt_resume_same(scenario, dir, errp) < 0)
		return -1;
	rc = wt_resume_finished(dir, errp);
	if (rc == 0 && wt_scenario_is_real(scenario) && left_end(dir, errp) < 0)
		return -1;
	if (rc == 0)
		return aside_put(dir, errp);
	if (rc < 0 || summary_show(scenario, dir, errp) < 0)
		return -1;
	fprintf(stderr, "windtunnel %s: %s was finished before\n", wt_scenario_verb(scenario), dir);
	return 1;
}
