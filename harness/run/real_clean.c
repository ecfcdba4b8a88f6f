/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm.h>

#include "compat/job_id.h"
#include "harness/run/controller_query.h"
#include "harness/run/job_tag.h"
#include "harness/run/real_clean.h"
#include "harness/run/run_lock.h"
#include "harness/run/signals.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/str.h"

#define AGAIN_US 250000
#define WAIT_S	 60
#define RUNS_MAX 10000

#define TAG_HEAD   "windtunnel-run-"
#define TAG_DIGITS 16

int real_jobs_kill(const char *tag, bool any_user, size_t *left, struct wt_error *errp)
{
	job_info_msg_t *jobs = NULL;

	*left = 0;
	if (slurm_load_jobs(0, &jobs, SHOW_ALL | SHOW_LOCAL))
		return wt_error_set(errp, errno, "slurmctld does not tell its jobs: %s", slurm_strerror(errno));
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];
		bool ended = (job->job_state & JOB_STATE_BASE) >= JOB_COMPLETE;

		if (!job->comment || !job->name || !wt_run_job_name(job->comment, job->name, tag) ||
		    (!any_user && job->user_id != getuid()))
			continue;
		*left += !ended || job->job_state & JOB_COMPLETING;
		if (!ended)
			/* Its answer does not matter: the next look tells whether the job is still there. */
			slurm_kill_job(COMPAT_JOB(job->job_id), SIGKILL, 0);
	}
	slurm_free_job_info_msg(jobs);
	return 0;
}

/* What a scenario.json says may be anybody's text: nothing but a run's tag is looked for. */
static bool tag_good(const char *tag)
{
	size_t head = strlen(TAG_HEAD);

	return tag && !strncmp(tag, TAG_HEAD, head) && strspn(tag + head, "0123456789abcdef") == TAG_DIGITS &&
	       !tag[head + TAG_DIGITS];
}

/* Killed again and again: a job that was on its way to slurmctld at the first look appears only later. */
static int tag_end(const char *tag, size_t *count, struct wt_error *errp)
{
	int64_t until_us = wt_clock_monotonic_us() + (int64_t) WAIT_S * 1000000;
	size_t left = 0;
	int rc = -1;

	while ((rc = real_jobs_kill(tag, false, &left, errp)) < 0 || left) {
		if (rc == 0 && left > *count)
			*count = left;
		if (wt_signals_count)
			return wt_error_set(errp, EINTR, "interrupted; %zu jobs may be left", left);
		if (wt_clock_monotonic_us() >= until_us)
			return rc < 0 ? -1
				      : wt_error_set(errp, ETIMEDOUT, "%zu jobs have not ended after %d s", left, WAIT_S);
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_US);
	}
	return 0;
}

/* The jobs of one run folder.  0; 1: there is no run in it; -1. */
static int folder_clean(const char *dir, const char *cluster, size_t *count, struct wt_error *errp)
{
	char *path = wt_str_format("%s/scenario.json", dir);
	json_t *scenario = path && access(path, F_OK) == 0 ? wt_json_load(path, errp) : NULL;
	const json_t *options = json_object_get(scenario, "options");
	const char *tag = json_string_value(json_object_get(scenario, "tag")),
		   *name = json_string_value(json_object_get(json_object_get(scenario, "cluster"), "name"));
	size_t found = 0;
	int rc;

	if (!path)
		rc = wt_error_errno(errp, ENOMEM, "%s", dir);
	else if (!scenario)
		rc = access(path, F_OK) < 0 ? 1 : -1;
	else if (!tag_good(tag) || !json_is_null(json_object_get(options, "own_cluster")) ||
		 !json_is_null(json_object_get(options, "cluster")))
		rc = wt_error_set(errp, EINVAL, "%s is of no run on a real cluster", path);
	else if (name && strcmp(name, cluster))
		rc = wt_error_set(errp, EINVAL, "%s is of a run on cluster %s, and SLURM_CONF names %s", path, name,
				  cluster);
	else if (run_lock_check(dir, errp) < 0)
		rc = -1;
	else
		rc = tag_end(tag, &found, errp);
	*count += found;
	json_decref(scenario);
	free(path);
	return rc;
}

/* For a minute: it may be starting. */
static int controller_await(struct wt_controller_info *info, struct wt_error *errp)
{
	int64_t until_us = wt_clock_monotonic_us() + (int64_t) WAIT_S * 1000000;

	while (wt_controller_info(info, errp) < 0) {
		if (wt_signals_count || wt_clock_monotonic_us() >= until_us)
			return -1;
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_US);
	}
	return 0;
}

int real_clean(const char *dir, size_t *count, struct wt_error *errp)
{
	struct wt_controller_info info;
	unsigned int runs = 0;
	int rc;

	*count = 0;
	if (wt_controller_init(NULL, errp) < 0 || controller_await(&info, errp) < 0)
		return -1;
	rc = folder_clean(dir, info.cluster, count, errp);
	for (unsigned int i = 1; rc == 1 && i <= RUNS_MAX; i++) {
		char *run = wt_str_format("%s/%u", dir, i);
		int one = run ? folder_clean(run, info.cluster, count, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);

		free(run);
		if (one == 1)
			break;
		runs += one == 0;
		rc = one < 0 ? -1 : 1;
	}
	if (rc == 1 && !runs)
		return wt_error_set(errp, EINVAL, "%s: there is no run in it", dir);
	return rc < 0 ? -1 : 0;
}
