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

static int failure_tell(const struct wt_scenario *scenario, const struct wt_error *error, int status)
{
	if (*error->text)
		fprintf(stderr, "windtunnel %s: %s\n", wt_scenario_verb(scenario), error->text);
	return status;
}

/* "light-esp-20240131-235959" */
static char *output_default(const struct wt_scenario *scenario)
{
	time_t now = wt_clock_now_us(wt_clock_real()) / 1000000;
	struct tm tm;
	char date[32];

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	return wt_str_format("%s-%s", wt_choice_name(scenario), date);
}

static int folder_make(const struct wt_scenario *scenario, struct wt_run_folder *folder, struct wt_error *errp)
{
	char *name;
	int rc;

	if (scenario->output)
		return wt_run_folder_make(scenario->output, scenario->resume, folder, errp);
	name = output_default(scenario);
	rc = name ? wt_run_folder_make_new(name, folder, errp) : wt_error_errno(errp, ENOMEM, "run folder");
	free(name);
	return rc;
}

/* Into the clock that the run shall live by; what is in it already goes on at once. */
static int clock_enter(const struct wt_scenario *scenario, struct wt_error *errp)
{
	struct wt_cluster *cluster;
	int rc;

	if (!scenario->cluster)
		return scenario->virtual_clock ? wt_cluster_clock_enter(scenario->charge, NULL, &scenario->own_cluster, errp)
					       : 0;
	cluster = wt_cluster_open(scenario->cluster, errp);
	if (!cluster)
		return -1;
	if (scenario->virtual_clock && !cluster->clock)
		rc = wt_error_set(errp, EINVAL, "cluster '%s' lives in real time: start it with --clock virtual",
				  scenario->cluster);
	else
		rc = wt_cluster_clock_join(cluster, errp);
	wt_cluster_close(cluster);
	return rc;
}

/* Its URL stands in the run folder, too, while it is served. */
static void page_note(const struct wt_scenario *scenario, struct live_page *page, const char *dir)
{
	struct wt_error error;

	if (page && live_page_note(page, dir, &error) < 0)
		failure_tell(scenario, &error, 0);
}

static int single_run(const struct wt_scenario *scenario, const char *dir, struct live_page *page)
{
	struct wt_error error = { "" };
	int before = scenario->resume ? wt_resume_single(scenario, dir, &error) : 0;

	if (before < 0)
		return failure_tell(scenario, &error, 1);
	if (before)
		return 0;
	page_note(scenario, page, dir);
	return wt_run(scenario, scenario->shared.seed, dir, page ? page->feed : NULL);
}

static int repeated_run(const struct wt_scenario *scenario, const char *dir, struct live_page *page)
{
	page_note(scenario, page, dir);
	return wt_repeat(scenario, dir, page ? page->feed : NULL);
}

static int folder_run(const struct wt_scenario *scenario, struct live_page *page)
{
	struct wt_run_folder folder;
	struct wt_error error = { "" };
	int status;

	if (folder_make(scenario, &folder, &error) < 0) {
		live_page_end(page, 1);
		return failure_tell(scenario, &error, 1);
	}
	/* Before the page's URL is printed: from then on a user may press Ctrl-C, and the run ends in order. */
	wt_signals_catch();
	if (page)
		live_page_tell(page, wt_scenario_verb(scenario));
	if (scenario->repeat)
		status = repeated_run(scenario, folder.path, page);
	else
		status = single_run(scenario, folder.path, page);
	live_page_end(page, status);
	fflush(stdout);
	/* A run that never began leaves nothing.  With --json stdout is one JSON value. */
	if (!wt_run_folder_is_empty(folder.path))
		fprintf(scenario->json ? stderr : stdout, "run folder: %s\n", folder.path);
	else if (folder.made)
		rmdir(folder.path);
	free(folder.path);
	return status;
}

/* The page's server begins before the clock: it lives by the machine's. */
static int workload_run(const struct wt_scenario *scenario)
{
	struct wt_error error = { "" };
	struct live_page *page = scenario->serve ? live_page_start(scenario->serve_address, LIVE_RUN, &error) : NULL;

	if (scenario->serve && !page)
		return failure_tell(scenario, &error, 1);
	if (clock_enter(scenario, &error) < 0) {
		int status = errno == EINVAL ? 2 : 1;

		live_page_end(page, status);
		return failure_tell(scenario, &error, status);
	}
	if (page)
		live_page_settle(page);
	return folder_run(scenario, page);
}

static int left_clean(const struct wt_scenario *scenario)
{
	struct wt_error error = { "" };
	size_t count = 0;

	wt_signals_catch();
	if (real_clean(scenario->real.clean, &count, &error) < 0) {
		int errnum = errno;

		return failure_tell(scenario, &error, errnum == EINVAL ? 2 : errnum == EINTR ? 130 : 1);
	}
	printf("%zu jobs of %s were cancelled; none is left\n", count, scenario->real.clean);
	return 0;
}

static int verb_run(enum wt_choice_kind kind, int argc, char **argv)
{
	struct wt_error error = { "" };
	struct wt_scenario scenario;
	int rc = wt_scenario_parse(&scenario, kind, argc, argv, &error), status;

	if (rc)
		status = rc < 0 ? failure_tell(&scenario, &error, 2) : 0;
	else if (scenario.real.clean)
		status = left_clean(&scenario);
	else if (scenario.dry_run)
		status = wt_dry_run(&scenario, &error) < 0 ? failure_tell(&scenario, &error, errno == EINVAL ? 2 : 1) : 0;
	else
		status = workload_run(&scenario);
	if ((fflush(stdout) != 0 || ferror(stdout)) && !status) {
		wt_error_set(&error, EIO, "standard output could not be written");
		status = failure_tell(&scenario, &error, 1);
	}
	wt_scenario_clear(&scenario);
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
