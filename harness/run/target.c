/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/client.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/run/run_folder.h"
#include "harness/run/signals.h"
#include "lib/str.h"
#include "harness/run/target.h"

#define SETTLE_US ((int64_t) 1000000)
#define SETTLE_MAX_US ((int64_t) 10 * 1000000)

/* Copy a cluster's logs from where the run began (NULL: all) into DIR/logs. */
static int logs_copy(const char *path, const struct wt_target *t, const char *dir, struct wt_error *errp)
{
	const struct { const char *from, *to; off_t offset; } logs[] = {
		{ "slurm.conf", "slurm.conf", 0 },	/* first: the disk may be full */
		{ "topology.conf", "topology.conf", 0 },
		{ "ctld/slurmctld.log", "logs/slurmctld.log", t ? t->ctld_log_offset : 0 },
		{ "ctld/slurmctld.stderr", "logs/slurmctld.stderr", 0 },
		{ "nodes/vnoded.log", "logs/vnoded.log", t ? t->vnoded_log_offset : 0 },
		{ "nodes/slurmd.stderr", "logs/slurmd.stderr", 0 },
		{ "hosts.log", "logs/hosts.log", 0 },
		{ "hosts.json", "logs/hosts.json", 0 },
		{ "daemons.log", "logs/daemons.log", t ? t->daemons_log_offset : 0 },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		char *from = wt_str_format("%s/%s", path, logs[i].from);

		if (!from || wt_run_folder_copy(dir, logs[i].to, from, logs[i].offset, errp) < 0)
			rc = -1;
		free(from);
	}
	return rc;
}

struct cluster_start {
	struct wt_progress *progress;
	const struct wt_clock *clock;
};

static void start_progress(const char *phase, uint32_t registered, uint32_t nodes, void *arg)
{
	const struct cluster_start *start = arg;

	wt_progress_phase(start->progress, phase, registered, nodes, wt_clock_now_us(start->clock) / 1e6);
}

static char *cluster_file(const struct wt_target *t, const char *name)
{
	return wt_str_format("%s/%s", t->cluster->dir, name);
}

static off_t cluster_file_size(const struct wt_target *t, const char *name)
{
	char *path = cluster_file(t, name);
	off_t size = wt_file_size(path);

	free(path);
	return size;
}

/* A shared cluster's files tell of earlier runs, too; an own cluster's logs belong to this run from their first line. */
static void offsets_take(struct wt_target *t)
{
	if (!t->cluster)
		return;
	t->events_offset = wt_file_size(t->cluster->node_events);
	t->host_losses = t->cluster->host_losses;
	if (t->own_name)
		return;
	t->ctld_log_offset = cluster_file_size(t, "ctld/slurmctld.log");
	t->vnoded_log_offset = cluster_file_size(t, "nodes/vnoded.log");
	t->daemons_log_offset = cluster_file_size(t, "daemons.log");
}

static char *cluster_path(const char *name)
{
	char *base = wt_clusterdir_base(false, NULL), *path = base ? wt_clusterdir_path(base, name, NULL) : NULL;

	free(base);
	return path;
}

/* 'path' in the text becomes 'dir': that is where its logs are now. */
static void text_move(struct wt_error *errp, const char *path, const char *dir)
{
	struct wt_str text = { 0 };
	const char *rest = errp->text, *found;

	while ((found = strstr(rest, path))) {
		const char *base = found + strlen(path), *slash = base + strcspn(base, " );,");

		while (slash > base && slash[-1] != '/')
			slash--;
		wt_str_add_bytes(&text, rest, found - rest);
		wt_str_printf(&text, "%s/logs/", dir);
		rest = slash;
	}
	wt_str_add(&text, rest);
	if (text.text && !text.failed)
		snprintf(errp->text, sizeof(errp->text), "%s", text.text);
	wt_str_clear(&text);
}

/* A cluster that failed to start leaves its folder to be looked at: take its logs, and remove it. */
static void remains_take(const char *name, const char *dir, struct wt_error *errp)
{
	int saved_errno = errno;
	char *path = cluster_path(name), *logs = wt_str_format("%s/logs", dir);

	if (path && logs && access(path, F_OK) == 0) {
		mkdir(logs, 0777);	/* that it is there is no fault, and without it the copies say so */
		/* Removed only when all is copied: the logs are what explains the failure. */
		if (logs_copy(path, NULL, dir, NULL) == 0 && wt_cluster_down(name, NULL) == 0)
			text_move(errp, path, dir);
	}
	free(path);
	free(logs);
	errno = saved_errno;
}

/* While another strategy switches nodes on and off (--provision): Slurm would after a year, and it shows nodes that are off
 * with State=CLOUD, too. */
static char power_saving_rests[] = "SuspendTime=31536000", all_shown[] = "PrivateData+=cloud";

static int own_start(struct wt_target *t, const struct wt_scenario *scenario, const struct wt_clock *clock, const char *dir,
		     struct wt_progress *progress, struct wt_error *errp)
{
	struct cluster_start start = { .progress = progress, .clock = clock };
	/* The process' number: two runs at once have clusters of their own. */
	char *name = wt_str_format("esp-%ld", (long) getpid());
	struct wt_cluster_wanted wanted = scenario->own_cluster;
	char **sets = calloc(wanted.set_count + 2, sizeof(*sets));
	int rc;

	if (!name || !sets) {
		free(name);
		free(sets);
		return wt_error_errno(errp, ENOMEM, "cluster");
	}
	if (run_provision_active(&scenario->provision)) {
		for (size_t i = 0; i < wanted.set_count; i++)
			sets[i] = wanted.sets[i];
		sets[wanted.set_count++] = power_saving_rests;
		sets[wanted.set_count++] = all_shown;
		wanted.sets = sets;
	}
	rc = wt_cluster_up(name, &wanted, getpid(), &wt_signals_count, start_progress, &start, errp);
	free(sets);
	if (rc < 0) {
		remains_take(name, dir, errp);
		free(name);
		return -1;
	}
	t->own_name = name;
	return 0;
}

static void caveat_tell(const struct wt_target *t, const struct wt_scenario *scenario)
{
	const char *caveat = t->own_name && !t->cluster->accounting ? compat_no_database_caveat() : NULL;

	if (caveat)
		fprintf(stderr, "windtunnel %s: warning: %s\n", wt_scenario_verb(scenario), caveat);
}

static int controller_open(struct wt_target *t, const struct wt_scenario *scenario, struct wt_error *errp)
{
	if (wt_controller_init(t->cluster ? t->cluster->slurm_conf : NULL, errp) < 0 ||
	    wt_controller_info(&t->info, errp) < 0 ||
	    (wt_choice_everywhere(scenario) ? wt_partition_load_all(&t->partition, errp) :
				       wt_partition_load(scenario->partition, &t->partition, errp)) < 0)
		return -1;
	if (!t->cluster && real_machine_look(&t->real, &scenario->real, !t->info.enforces, &t->partition, errp) < 0)
		return -1;
	offsets_take(t);
	return 0;
}

int wt_target_open(struct wt_target *t, const struct wt_scenario *scenario, const struct wt_clock *clock, const char *dir,
		   struct wt_progress *progress, struct wt_error *errp)
{
	const char *name = scenario->cluster;
	int saved_errno;

	memset(t, 0, sizeof(*t));
	if (scenario->own_cluster.given) {
		if (own_start(t, scenario, clock, dir, progress, errp) < 0)
			return -1;
		name = t->own_name;
	}
	if (name) {
		t->cluster = wt_cluster_open(name, errp);
		if (!t->cluster)
			goto error;
		caveat_tell(t, scenario);
	}
	if (controller_open(t, scenario, errp) < 0 ||
	    (t->real.looked && real_machine_refuse(&t->real, &scenario->real, t->partition.name, errp) < 0))
		goto error;
	return 0;
error:
	saved_errno = errno;
	wt_target_close(t, NULL);
	errno = saved_errno;
	return -1;
}

int wt_target_look(struct wt_target *t, const struct wt_scenario *scenario, struct wt_error *errp)
{
	int saved_errno;

	memset(t, 0, sizeof(*t));
	if (scenario->cluster) {
		t->cluster = wt_cluster_open(scenario->cluster, errp);
		if (!t->cluster)
			return -1;
	}
	if (controller_open(t, scenario, errp) == 0)
		return 0;
	saved_errno = errno;
	wt_target_close(t, NULL);
	errno = saved_errno;
	return -1;
}

int wt_target_save(const struct wt_target *t, const char *dir, struct wt_error *errp)
{
	const char *conf = t->info.conf;

	if (t->cluster)
		return logs_copy(t->cluster->dir, t, dir, errp);
	if (access(conf, R_OK) < 0)	/* a real controller's own path need not be readable here */
		conf = getenv("SLURM_CONF");
	return conf ? wt_run_folder_copy(dir, "slurm.conf", conf, 0, errp) : 0;
}

const char *wt_target_backend(const struct wt_target *t)
{
	return t->cluster ? t->cluster->backend : "real";
}

const char *wt_target_script_events(const struct wt_target *t)
{
	if (!t->cluster || strcmp(t->cluster->backend, "slurmd"))
		return NULL;
	return t->cluster->on_hosts ? WT_NODE_EVENTS : t->cluster->node_events;
}

/* A host tells its rows four times a second; one that is away tells none. */
void wt_target_events_settle(const struct wt_target *t)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t now_us = wt_clock_now_us(clock), end_us = now_us + SETTLE_MAX_US, changed_us = now_us;
	off_t size = -1, last;

	while (t->cluster && t->cluster->on_hosts && now_us < end_us && now_us - changed_us < SETTLE_US) {
		last = size;
		size = wt_file_size(t->cluster->node_events);
		now_us = wt_clock_now_us(clock);
		if (size != last)
			changed_us = now_us;
		wt_clock_sleep_until_us(clock, now_us + SETTLE_US / 10);
	}
}

uint32_t wt_target_host_losses(const struct wt_target *t)
{
	struct wt_cluster *now = t->cluster && t->cluster->on_hosts ? wt_cluster_open(t->cluster->name, NULL) : NULL;
	uint32_t losses = now ? now->host_losses - t->host_losses : 0;

	wt_cluster_close(now);
	return losses;
}

pid_t wt_target_controller_pid(void *arg)
{
	const struct wt_target *t = arg;
	struct wt_cluster *cluster;
	pid_t pid;

	if (!t->cluster)
		return wt_controller_pid(t->info.pidfile);
	/* Opened anew: after a restart slurmctld is another process. */
	cluster = wt_cluster_open(t->cluster->name, NULL);
	pid = cluster ? cluster->controller_pid : 0;
	wt_cluster_close(cluster);
	return pid;
}

int wt_target_close(struct wt_target *t, struct wt_error *errp)
{
	int rc = t->own_name ? wt_cluster_down(t->own_name, errp) : 0;

	wt_cluster_close(t->cluster);
	wt_partition_clear(&t->partition);
	real_machine_clear(&t->real);
	free(t->own_name);
	t->cluster = NULL;
	t->own_name = NULL;
	return rc;
}
