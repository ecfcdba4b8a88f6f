/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_cluster_down: exactly the cluster's own processes, whatever state it is in, and then its folder. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "lib/clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/leftovers.h"
#include "lib/proc.h"
#include "harness/cluster/supervisor/supervisor.h"

#define DAEMON_GRACE_MS 5000	/* for a daemon without its supervisor */
#define ACCOUNTING_GRACE_MS 60000	/* more for the supervisor: slurmdbd and MariaDB end one after the other */
#define LOCK_WAIT_US ((int64_t) 10 * 1000000)
#define POLL_US 20000
#define SCANS 50		/* each finds what the processes found before had forked meanwhile */

/* The processes that state.json names; the supervisor first, or it would restart what ends. */
static int known_end(const struct wt_state *state, int supervisor_grace_ms, struct wt_error *errp)
{
	if (wt_proc_end(&state->supervisor, supervisor_grace_ms, errp) < 0)
		return wt_error_prefix(errp, "supervisor");
	for (size_t i = 0; i < state->daemon_count; i++)
		if (wt_proc_end(&state->daemons[i].proc, DAEMON_GRACE_MS, errp) < 0)
			return wt_error_prefix(errp, "%s", state->daemons[i].name);
	return 0;
}

/* Whether all of the list were in the one before, and have been stopped since. */
static bool stopped_all(const struct wt_proc *list, size_t count, const struct wt_proc *before, size_t before_count)
{
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < before_count && (before[k].pid != list[i].pid || before[k].start_time != list[i].start_time))
			k++;
		if (k == before_count)
			return false;
	}
	return true;
}

static int list_end(const struct wt_proc *list, size_t count, bool stopped, struct wt_error *errp)
{
	for (size_t i = 0; i < count; i++) {
		if (!stopped)
			wt_proc_signal(&list[i], SIGSTOP);
		else if (wt_proc_end(&list[i], 0, errp) < 0)
			return -1;
	}
	return 0;
}

/* All of them are stopped before the first is ended: what one that forks has started meanwhile can be found by its parent
 * only. */
static int leftovers_end(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	struct wt_proc *list = NULL, *before = NULL;
	size_t count = 1, before_count = 0;
	int rc = 0;

	for (int scan = 0; rc == 0 && scan < SCANS && count > 0; scan++) {
		rc = wt_leftovers_find(info, &list, &count, errp);
		if (rc == 0)
			rc = list_end(list, count, stopped_all(list, count, before, before_count), errp);
		free(before);
		before = list;
		before_count = count;
		list = NULL;
	}
	free(before);
	if (rc < 0)
		return -1;
	return count == 0 ? 0 : wt_error_set(errp, EBUSY, "processes with %s=%s come again and again", WT_CLUSTER_ENV,
					     info->uuid);
}

int wt_cluster_end_processes(const char *path, struct wt_error *errp)
{
	struct wt_clusterinfo info;
	struct wt_state state;
	int rc = 0;

	/* cluster.json is written before anything is started: without it there is nothing to end. */
	if (wt_clusterinfo_load(path, &info, errp) < 0 && errno != EINVAL)
		return errno == ENOENT ? 0 : -1;
	/* A damaged one (EINVAL, nodes 0, no uuid) must not keep anyone from getting rid of the cluster. */
	if (wt_state_load(path, &state, NULL) == 0)
		rc = known_end(&state, wt_supervisor_stop_ms(info.nodes) + DAEMON_GRACE_MS +
			       (info.accounting ? ACCOUNTING_GRACE_MS : 0), errp);
	if (rc == 0 && info.uuid)
		rc = leftovers_end(&info, errp);
	if (rc == 0 && info.clock)
		wt_virtual_clean(info.clock);
	wt_clusterinfo_clear(&info);
	return rc;
}

static bool folder_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder's lock, held by an "up" or "down" that is just ending.  0, or -1 with EBUSY or ENOENT. */
static int lock_wait(const char *path, int *lock_fd, struct wt_error *errp)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + LOCK_WAIT_US;
	int rc;

	while ((rc = wt_clusterdir_lock(path, lock_fd, errp)) < 0 && errno == EBUSY && wt_clock_now_us(clock) < end_us)
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + POLL_US);
	return rc;
}

/* An "up" that has the folder but no supervisor yet, for some milliseconds. */
static void state_wait(const char *path)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + LOCK_WAIT_US;
	struct wt_state state;

	while (wt_clusterdir_busy(path) && wt_state_load(path, &state, NULL) < 0 && wt_clock_now_us(clock) < end_us)
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + POLL_US);
}

static int path_end(const char *path, bool keep, struct wt_error *errp)
{
	struct wt_error unasked;
	int lock_fd, hosts, rc = 0;

	state_wait(path);
	if (wt_cluster_end_processes(path, errp) < 0)
		return -1;
	if (lock_wait(path, &lock_fd, errp) < 0)
		return errno == ENOENT ? 0 : -1;	/* "up" or the supervisor has removed it */
	/* With the lock no other command starts anything here any more. */
	if (wt_cluster_end_processes(path, errp) < 0) {
		close(lock_fd);
		return -1;
	}
	/* A host that cannot be asked, and may never be again, keeps nobody from getting rid of the rest. */
	hosts = wt_cluster_hosts_end(path, &unasked);
	if (!keep && wt_clusterdir_remove(path, errp) < 0)
		rc = -1;
	else if (hosts < 0)
		rc = wt_error_set(errp, EHOSTUNREACH, "%s", unasked.text);
	close(lock_fd);
	return rc;
}

int wt_cluster_stop(const char *name, bool keep, struct wt_error *errp)
{
	char *base, *path;
	int rc = -1;

	if (wt_clusterdir_name_check(name, errp) < 0)
		return -1;
	base = wt_clusterdir_base(false, errp);
	if (!base && errno == ENOENT)
		return wt_error_set(errp, ENOENT, "there is no cluster '%s' (windtunnel cluster list)", name);
	path = base ? wt_clusterdir_path(base, name, errp) : NULL;
	if (path && !folder_exists(path))
		wt_error_set(errp, ENOENT, "there is no cluster '%s' in %s (windtunnel cluster list)", name, base);
	else if (path)
		rc = path_end(path, keep, errp);
	if (rc < 0 && errno != ENOENT)
		wt_error_prefix(errp, "cluster '%s'", name);
	free(base);
	free(path);
	return rc;
}

int wt_cluster_down(const char *name, struct wt_error *errp)
{
	return wt_cluster_stop(name, false, errp);
}
