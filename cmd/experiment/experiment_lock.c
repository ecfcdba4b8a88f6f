/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/experiment/experiment_lock.h"
#include "harness/run/run_lock.h"
#include "lib/str.h"

#define LOOK_MS 100

int experiment_lock_take(const char *dir, struct wt_error *errp)
{
	struct wt_error error = { "" };
	int fd = run_lock_take(dir, &error);

	if (fd < 0 && errno == EBUSY)
		return wt_error_set(errp, EBUSY,
				    "%s: another windtunnel is at work on this experiment: wait for its end, or take "
				    "another --output",
				    dir);
	return fd < 0 ? wt_error_set(errp, errno, "%s", error.text) : fd;
}

/* Until no process holds the run's folder. */
static int run_await(const char *dir, bool *told, struct wt_error *errp)
{
	int rc;

	while ((rc = run_lock_check(dir, errp)) < 0 && errno == EBUSY) {
		if (!*told)
			fprintf(stderr, "windtunnel experiment: %s: a run still goes on there, of a command that was "
					"killed, say: waiting for its end\n", dir);
		*told = true;
		poll(NULL, 0, LOOK_MS);
	}
	return rc;
}

static int case_await(const char *dir, bool *told, struct wt_error *errp)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (!folder)
		return errno == ENOENT ? 0 : wt_error_errno(errp, errno, "%s", dir);
	while (rc == 0 && (entry = readdir(folder))) {
		char *run;

		if (entry->d_name[strspn(entry->d_name, "0123456789")])
			continue;
		run = wt_str_format("%s/%s", dir, entry->d_name);
		rc = run ? run_await(run, told, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);
		free(run);
	}
	closedir(folder);
	return rc;
}

int experiment_runs_await(const char *dir, const struct experiment_plan *plan, struct wt_error *errp)
{
	char *array = wt_str_format("%s/array.json", dir);
	bool told = false;
	int rc = array ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);

	for (size_t c = 0; rc == 0 && c < plan->count && access(array, F_OK) < 0; c++) {
		char *folder = wt_str_format("%s/%s", dir, plan->cases[c].folder);

		rc = folder ? case_await(folder, &told, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);
		free(folder);
	}
	free(array);
	return rc;
}
