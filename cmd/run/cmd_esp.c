/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel esp, windtunnel run - run a workload and measure it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/live/live_start.h"
#include "lib/clock.h"
#include "harness/run/dry_run.h"
#include "harness/run/real_clean.h"
#include "harness/run/repeat.h"
#include "harness/run/resume.h"
#include "harness/run/run.h"
#include "harness/run/run_folder.h"
#include "harness/run/signals.h"
#include "lib/str.h"
#include "cmd/verbs.h"

static int failure_tell(const struct wt_scenario *s, const struct wt_error *error, int status)
{
	if (*error->text)
		fprintf(stderr, "windtunnel %s: %s\n", wt_scenario_verb(s), error->text);
	return status;
}

/* "light-esp-20240131-235959" */
static char *output_default(const struct wt_scenario *s)
{
	time_t now = wt_clock_now_us(wt_clock_real()) / 1000000;
	struct tm tm;
	char date[32];

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	return wt_str_format("%s-%s", wt_choice_name(s), date);
}

static int folder_make(const struct wt_scenario *s, struct wt_run_folder *folder, struct wt_error *errp)
{
	char *name;
	int rc;

	if (s->output)
		return wt_run_folder_make(s->output, s->resume, folder, errp);
	name = output_default(s);
	rc = name ? wt_run_folder_make_new(name, folder, errp) : wt_error_errno(errp, ENOMEM, "run folder");
	free(name);
	return rc;
}

/* Into the clock that the run shall live by; what is in it already goes on at once. */
static int clock_enter(const struct wt_scenario *s, struct wt_error *errp)
{
	struct wt_cluster *cluster;
	int rc;

	if (!s->cluster)
		return s->virtual_clock ? wt_cluster_clock_enter(s->charge, NULL, errp) : 0;
	cluster = wt_cluster_open(s->cluster, errp);
	if (!cluster)
		return -1;
	if (s->virtual_clock && !cluster->clock)
		rc = wt_error_set(errp, EINVAL, "cluster '%s' lives in real time: start it with --clock virtual",
				  s->cluster);
	else
		rc = wt_cluster_clock_join(cluster->clock, errp);
	wt_cluster_close(cluster);
	return rc;
}

/* Its URL stands in the run folder, too, while it is served. */
static void page_note(const struct wt_scenario *s, struct live_page *page, const char *dir)
{
	struct wt_error error;

	if (page && live_page_note(page, dir, &error) < 0)
		failure_tell(s, &error, 0);
}

static int single_run(const struct wt_scenario *s, const char *dir, struct live_page *page)
{
	struct wt_error error = { "" };
	int before = s->resume ? wt_resume_single(s, dir, &error) : 0;

	if (before < 0)
		return failure_tell(s, &error, 1);
	if (before)
		return 0;
	page_note(s, page, dir);
	return wt_run(s, s->shared.seed, dir, page ? page->feed : NULL);
}

static int repeated_run(const struct wt_scenario *s, const char *dir, struct live_page *page)
{
	page_note(s, page, dir);
	return wt_repeat(s, dir, page ? page->feed : NULL);
}

static int folder_run(const struct wt_scenario *s, struct live_page *page)
{
	struct wt_run_folder folder;
	struct wt_error error = { "" };
	int status;

	if (folder_make(s, &folder, &error) < 0) {
		live_page_end(page, 1);
		return failure_tell(s, &error, 1);
	}
	/* Before the page's URL is printed: from then on a user may press Ctrl-C, and the run ends in order. */
	wt_signals_catch();
	if (page)
		live_page_tell(page, wt_scenario_verb(s));
	if (s->repeat)
		status = repeated_run(s, folder.path, page);
	else
		status = single_run(s, folder.path, page);
	live_page_end(page, status);
	fflush(stdout);
	/* A run that never began leaves nothing.  With --json stdout is one JSON value. */
	if (!wt_run_folder_is_empty(folder.path))
		fprintf(s->json ? stderr : stdout, "run folder: %s\n", folder.path);
	else if (folder.made)
		rmdir(folder.path);
	free(folder.path);
	return status;
}

/* The page's server begins before the clock: it lives by the machine's. */
static int workload_run(const struct wt_scenario *s)
{
	struct wt_error error = { "" };
	struct live_page *page = s->serve ? live_page_start(s->serve_address, LIVE_RUN, &error) : NULL;

	if (s->serve && !page)
		return failure_tell(s, &error, 1);
	if (clock_enter(s, &error) < 0) {
		int status = errno == EINVAL ? 2 : 1;

		live_page_end(page, status);
		return failure_tell(s, &error, status);
	}
	if (page)
		live_page_settle(page);
	return folder_run(s, page);
}

static int left_clean(const struct wt_scenario *s)
{
	struct wt_error error = { "" };
	size_t count = 0;

	wt_signals_catch();
	if (real_clean(s->real.clean, &count, &error) < 0) {
		int errnum = errno;

		return failure_tell(s, &error, errnum == EINVAL ? 2 : errnum == EINTR ? 130 : 1);
	}
	printf("%zu jobs of %s were cancelled; none is left\n", count, s->real.clean);
	return 0;
}

static int verb_run(enum wt_choice_kind kind, int argc, char **argv)
{
	struct wt_error error = { "" };
	struct wt_scenario s;
	int rc = wt_scenario_parse(&s, kind, argc, argv, &error), status;

	if (rc)
		status = rc < 0 ? failure_tell(&s, &error, 2) : 0;
	else if (s.real.clean)
		status = left_clean(&s);
	else if (s.dry_run)
		status = wt_dry_run(&s, &error) < 0 ? failure_tell(&s, &error, errno == EINVAL ? 2 : 1) : 0;
	else
		status = workload_run(&s);
	if ((fflush(stdout) != 0 || ferror(stdout)) && !status) {
		wt_error_set(&error, EIO, "standard output could not be written");
		status = failure_tell(&s, &error, 1);
	}
	wt_scenario_clear(&s);
	wt_virtual_finish();
	return status;
}

int wt_verb_esp(int argc, char **argv)
{
	return verb_run(WT_CHOICE_ESP, argc, argv);
}

int wt_verb_run(int argc, char **argv)
{
	return verb_run(WT_CHOICE_REGULAR, argc, argv);
}
