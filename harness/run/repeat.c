/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "harness/run/repeat.h"
#include "harness/report/repeats.h"
#include "harness/run/resume.h"
#include "harness/report/report.h"
#include "harness/run/run.h"
#include "harness/run/signals.h"
#include "lib/str.h"
#include "harness/report/summary.h"

struct repeat {
	const struct wt_scenario *scenario;
	const char *dir;
	struct live_feed *live;
	struct wt_metrics *metrics;	/* of the runs that have results */
	size_t metric_count;
	struct wt_record *first;	/* any run's record, without much of it: what they have in common */
};

static int failure_tell(const struct repeat *r, const struct wt_error *error)
{
	fprintf(stderr, "windtunnel %s: %s\n", wt_scenario_verb(r->scenario), error->text);
	return 1;
}

/* 1: there is a finished run of this scenario; 0: 'dir' is new, and empty; -1. */
static int run_prepare(const struct repeat *r, const char *dir, struct wt_error *errp)
{
	struct stat st;
	int rc;

	if (wt_resume_beginning(dir, errp) < 0)
		return -1;
	if (lstat(dir, &st) == 0 && rmdir(dir) < 0) {	/* an empty one: killed before it wrote anything */
		if (wt_resume_same(r->scenario, dir, errp) < 0)
			return -1;
		rc = wt_resume_finished(dir, errp);
		if (rc)
			return rc;
		fprintf(stderr, "windtunnel %s: %s was not finished: it is run again\n", wt_scenario_verb(r->scenario), dir);
		if (wt_fs_remove_tree(dir, errp) < 0)
			return -1;
	}
	return mkdir(dir, 0777) < 0 ? wt_error_errno(errp, errno, "%s", dir) : 0;
}

/* Signals that reach this process are handed on, once each: the child has its own group, so that a terminal's Ctrl-C does
 * not count twice there. */
static int child_wait(pid_t pid)
{
	int handed = 0, status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
		for (; handed < wt_signals_count; handed++)
			kill(pid, SIGTERM);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Each run has a process of its own: libslurm's configuration and virtual time's connection are a process', and a
 * thread that is stuck in libslurm ends with it. */
static int child_run(const struct repeat *r, unsigned int number, const char *dir)
{
	struct wt_scenario scenario = *r->scenario;
	pid_t parent = getpid(), pid;
	int status;

	/* What is buffered would be written by both processes. */
	fflush(stdout);
	fflush(stderr);
	pid = fork();
	if (pid < 0) {
		fprintf(stderr, "windtunnel %s: fork: %s\n", wt_scenario_verb(r->scenario), strerror(errno));
		return 1;
	}
	if (pid > 0) {
		setpgid(pid, pid);	/* as in the child: whichever comes first */
		return child_wait(pid);
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* The parent died before PR_SET_PDEATHSIG was in force. */
	if (getppid() != parent)
		_exit(130);
	scenario.json = false;		/* the summary over all is what goes to stdout */
	if (r->scenario->json && !freopen("/dev/null", "w", stdout))
		_exit(1);
	if (r->live) {
		r->live->state.run_number = number;
		r->live->state.run_count = scenario.repeat;
	}
	status = wt_run(&scenario, scenario.shared.seed + number - 1, dir, r->live);
	fflush(stdout);
	_exit(status);
}

static int results_add(struct repeat *r, const char *dir, struct wt_error *errp)
{
	struct wt_record *record = wt_report_read(dir, errp);

	if (!record)
		return -1;
	if (wt_metrics_compute(&r->metrics[r->metric_count], record, errp) < 0) {
		wt_record_destroy(record);
		return -1;
	}
	r->metric_count++;
	if (r->first)
		wt_record_destroy(record);
	else
		r->first = record;
	return 0;
}

static int one_run(struct repeat *r, unsigned int number)
{
	char *dir = wt_str_format("%s/%u", r->dir, number);
	struct wt_error error = { "" };
	int status = 1, prepared = dir ? run_prepare(r, dir, &error) : -1;

	if (prepared < 0) {
		failure_tell(r, &error);
	} else {
		fprintf(stderr, "windtunnel %s: run %u of %u%s\n", wt_scenario_verb(r->scenario), number,
			r->scenario->repeat, prepared ? ": finished before" : "");
		status = prepared ? 0 : child_run(r, number, dir);
		if (status)
			rmdir(dir);	/* it is empty when the run could not begin */
		if (wt_signals_count)
			status = 130;
		if (status != 130 && results_add(r, dir, &error) < 0 && (!status || errno != ENOENT))
			/* a run that could not begin has told why, and has no results */
			status = failure_tell(r, &error);
	}
	free(dir);
	return status;
}

static int summary_write(struct repeat *r)
{
	struct wt_repeats repeats;
	struct wt_error error = { "out of memory for the summary over all runs" };
	char *path = wt_str_format("%s/summary.json", r->dir);
	json_t *json = NULL;
	int rc = 1;

	if (!path || wt_repeats_compute(&repeats, r->metrics, r->metric_count, &error) < 0)
		goto out;
	json = wt_repeats_json(&repeats, r->first);
	if (!json || json_object_set_new(json, "trace", wt_choice_trace_json(r->scenario, r->first->cpus)) < 0 ||
	    wt_json_save(path, json, &error) < 0)
		goto out;
	if (r->scenario->json)
		rc = wt_json_write(stdout, json, &error);
	else
		rc = wt_repeats_print(stdout, &repeats);
	wt_choice_trace_print(r->scenario->json ? stderr : stdout, "  ", r->scenario, r->first->cpus);
out:
	if (rc)
		failure_tell(r, &error);
	json_decref(json);
	free(path);
	return rc;
}

int wt_repeat(const struct wt_scenario *scenario, const char *dir, struct live_feed *live)
{
	struct repeat r = { .scenario = scenario, .dir = dir, .live = live };
	int status = 0, one = 0;

	r.metrics = calloc(scenario->repeat, sizeof(*r.metrics));
	if (!r.metrics)
		return 1;
	for (unsigned int i = 1; i <= scenario->repeat && one != 130 && (!one || scenario->keep_going); i++) {
		one = one_run(&r, i);
		status = one ? one : status;
	}
	if (r.metric_count && summary_write(&r))
		status = status ? status : 1;
	wt_record_destroy(r.first);
	free(r.metrics);
	return status;
}
