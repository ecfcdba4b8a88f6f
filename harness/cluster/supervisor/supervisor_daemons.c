/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemons: their command lines, start, death and restart. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/allocator.h"
#include "harness/cluster/folder/fenced.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/munge.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor_private.h"

/* So long slurmctld gets to say what is wrong with slurm.conf, when the nodes have ended for the same reason. */
#define VERDICT_S 2.0
/* munged does not tell when it listens: asked so often. */
#define WIDEN_POLL_S 0.05
/* bytes; what goes to stderr stands in the daemon's log as well. */
#define STDERR_MAX (1 << 20)

static const char *const daemon_names[] = { "munged", "slurmctld", "vnoded", "mariadbd", "slurmdbd" };
static const enum sup_stage daemon_stages[] = {
	SUP_STAGE_MUNGED, SUP_STAGE_FIRST, SUP_STAGE_FIRST, SUP_STAGE_MARIADBD, SUP_STAGE_SLURMDBD,
};

static char **argv_make(const char *const *words, size_t count)
{
	char **argv = calloc(count + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < count; i++)
		argv[i] = strdup(words[i] ? words[i] : "");
	return argv;
}

static char **slurmctld_argv(const char *conf)
{
	/* In the foreground: it stays our child. */
	const char *const words[] = { SLURMCTLD_PATH, "-D", "-f", conf };

	return argv_make(words, sizeof(words) / sizeof(words[0]));
}

static const char **pair_add(const char **at, const char *option, const char *value)
{
	*at++ = option;
	*at++ = value;
	return at;
}

static const char **pairs_add(const char **at, const char *option, char *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		at = pair_add(at, option, values[i]);
	return at;
}

static char **vnoded_argv(const struct sup *sup, const char *program, const char *conf, const char *dir)
{
	const struct wt_clusterinfo *info = &sup->info;
	const char **words = calloc(14 + 2 * (info->node_setting_count + info->elastic_count), sizeof(*words)), **at = words;
	char **argv, seconds[64], own[64], since[64], *joining = NULL;

	if (!words)
		return NULL;
	*at++ = program;
	at = pair_add(at, "--conf", conf);
	at = pair_add(at, "--dir", dir);
	if (info->part) {	/* at this host's address alone, which is no loopback one */
		snprintf(own, sizeof(own), "n[%" PRIu32 "-%" PRIu32 "]", info->part->first,
			 info->part->first + info->part->count - 1);
		at = pair_add(at, "--own", own);
		*at++ = "--listen-any-device";
	}
	if (info->run_time_given) {
		snprintf(seconds, sizeof(seconds), "%.6f", info->default_run_time_s);
		at = pair_add(at, "--default-run-time", seconds);
	}
	at = pairs_add(at, "--node", info->node_settings, info->node_setting_count);
	at = pairs_add(at, "--elastic", info->elastic, info->elastic_count);
	if (info->elastic_count) {	/* a process that begins anew goes on in the same time */
		snprintf(since, sizeof(since), "%.6f", (double) sup->began_us / 1e6);
		at = pair_add(at, "--since", since);
	}
	if (info->dynamic_nodes) {
		joining = wt_nodes_dynamic(info->nodes, info->dynamic_nodes, info->network, info->nodes_port, &info->shape);
		at = pair_add(at, "--dynamic", joining);
	}
	argv = argv_make(words, (size_t) (at - words));
	free(joining);
	free(words);
	return argv;
}

/* While starting, the death of a daemon is the end; the reason stands in its log. */
static void start_failed(struct keeper *k)
{
	const struct sup_service *s = k->owner;

	sup_fail_ended(s->sup, daemon_names[s->which], s->state->last_exit, s->log, NULL);
}

/* A fault in slurm.conf ends the nodes and slurmctld alike; slurmctld's words are the ones that count, so wait for them. */
static void start_failed_later(struct sup_service *s)
{
	if (s->which == SUP_VNODED && s->sup->services[SUP_SLURMCTLD].keeper.pid && s->sup->step == SUP_STEP_CONTROLLER)
		keeper_after(&s->keeper, VERDICT_S, 0.0, start_failed);
	else
		start_failed(&s->keeper);
}

static void restart(struct keeper *k)
{
	const struct sup_service *s = k->owner;

	if (!s->sup->stopping)
		sup_daemon_start(s->sup, s->which);
}

static void restart_later(struct sup_service *s)
{
	double seconds = keeper_pause_s(&s->keeper);

	sup_log(s->sup, "%s: restart in %.1f s", daemon_names[s->which], seconds);
	keeper_after(&s->keeper, seconds, 0.0, restart);
}

static void daemon_ended(struct keeper *k, pid_t pid, const char *how)
{
	struct sup_service *s = k->owner;
	struct sup *sup = s->sup;
	struct wt_state_daemon *d = s->state;

	snprintf(d->last_exit, sizeof(d->last_exit), "%s", how);
	sup_log(sup, "%s: pid %ld ended: %s", d->name, (long) pid, how);
	memset(&d->proc, 0, sizeof(d->proc));
	/* The order matters: an end that was wanted is never a failure or a restart, and before "up" there is no
	 * restart at all, since a wrong slurm.conf would end the daemon each time. */
	if (sup->stopping) {
		sup_state_save(sup);
		sup->frame->ended(sup);
	} else if (sup->step < SUP_STEP_UP) {
		start_failed_later(s);
	} else if (d->stopped) {
		sup_state_save(sup);
		sup->frame->changed(sup);
	} else if (k->resumed) {
		sup_daemon_start(sup, s->which);
	} else {
		sup_state_save(sup);
		restart_later(s);
	}
}

/* munged takes a moment until it listens; then its queue of connections becomes longer.  Without that it works, too. */
static void munged_widen(struct keeper *k)
{
	const struct sup_service *s = k->owner;
	struct wt_error err;
	int rc = wt_munge_widen(&s->sup->info, k->pid, &err);

	if (rc < 0 && errno == EAGAIN)
		return;
	keeper_timer_stop(k);
	if (rc < 0)
		sup_log(s->sup, "munged: refuses connections when 256 of them wait: %s", err.text);
}

static void daemon_runs(struct sup_service *s)
{
	if (s->which == SUP_MUNGED)
		keeper_after(&s->keeper, WIDEN_POLL_S, WIDEN_POLL_S, munged_widen);
	sup_state_save(s->sup);
	if (s->keeper.resumed) {
		s->keeper.resumed = false;
		s->sup->frame->changed(s->sup);
	}
}

static int controller_prepare(void)
{
	return wt_fence_take() < 0 ? -1 : wt_allocator_take();
}

static int named_controller_prepare(void)
{
	return controller_prepare() < 0 ? -1 : wt_hostname_take();
}

/* What a daemon's process does before it becomes that daemon; NULL: nothing. */
static int (*prepare_of(const struct sup *sup, enum sup_daemon which))(void)
{
	if (which == SUP_SLURMCTLD)
		return sup->info.own_host_name ? named_controller_prepare : controller_prepare;
	return which == SUP_SLURMDBD && sup->info.own_host_name ? wt_hostname_take : NULL;
}

int sup_daemon_start(struct sup *sup, enum sup_daemon which)
{
	struct sup_service *s = &sup->services[which];
	struct wt_state_daemon *d = s->state;
	struct wt_error err;

	if (keeper_start(&s->keeper, s->argv, s->log, prepare_of(sup, which), &err) < 0) {
		sup_log(sup, "%s: %s", d->name, err.text);
		if (sup->step < SUP_STEP_UP)
			sup_fail(sup, errno, "%s", err.text);
		else
			restart_later(s);
		return -1;
	}
	if (wt_proc_identify(s->keeper.pid, &d->proc, NULL) < 0)	/* it died at once: the watcher will tell */
		d->proc.pid = 0;
	d->restarts += sup->step == SUP_STEP_UP && !s->keeper.resumed;
	sup_log(sup, "%s: started, pid %ld%s", d->name, (long) s->keeper.pid,
		sup->step < SUP_STEP_UP ? "" : s->keeper.resumed ? " (as asked for)" : " (restart)");
	daemon_runs(s);
	return 0;
}

static void not_ended(struct keeper *k)
{
	const struct sup_service *s = k->owner;

	sup_log(s->sup, "%s: not ended in time: SIGKILL", daemon_names[s->which]);
	keeper_signal(k, SIGKILL);
}

void sup_daemon_stop(struct sup *sup, enum sup_daemon which, int sig)
{
	struct keeper *k = &sup->services[which].keeper;

	sup->services[which].state->stopped = true;
	/* A restart that is due would start it behind the stop. */
	k->resumed = false;
	keeper_timer_stop(k);
	sup_log(sup, "%s: is stopped, as asked for", daemon_names[which]);
	/* munged and the databases can hang as well: "stop" ends in any case. */
	if (k->pid > 0) {
		keeper_signal(k, sig);
		keeper_after(k, wt_supervisor_stop_ms(sup->info.nodes) / 1e3, 0.0, not_ended);
	}
	sup_state_save(sup);
}

void sup_daemon_resume(struct sup *sup, enum sup_daemon which)
{
	struct keeper *k = &sup->services[which].keeper;

	if (!sup->services[which].state->stopped)
		return;
	sup->services[which].state->stopped = false;
	keeper_resume(k);
	if (k->pid == 0)	/* else it is just ending, and started after that */
		sup_daemon_start(sup, which);
	sup_state_save(sup);
}

void sup_daemons_signal(struct sup *sup, int sig, enum sup_stage last)
{
	for (int i = 0; i < SUP_DAEMONS; i++)
		if (daemon_stages[i] <= last)
			keeper_signal(&sup->services[i].keeper, sig);
	for (size_t i = 0; i < sizeof(sup->once) / sizeof(sup->once[0]); i++)
		if (sup->once[i])
			keeper_signal(sup->once[i], sig);
	sup_nodes_signal(sup, sig);
	sup_hosts_signal(sup, sig);
}

bool sup_daemons_running(const struct sup *sup, enum sup_stage last)
{
	for (int i = 0; i < SUP_DAEMONS; i++)
		if (sup->services[i].keeper.pid > 0 && daemon_stages[i] <= last)
			return true;
	for (size_t i = 0; i < sizeof(sup->once) / sizeof(sup->once[0]); i++)
		if (sup->once[i] && sup->once[i]->pid > 0)
			return true;
	return sup_nodes_running(sup) || sup_hosts_running(sup);
}

/* Which daemons this cluster has; in state.json they stand without a gap. */
static bool daemon_wanted(const struct sup *sup, enum sup_daemon which)
{
	switch (which) {
	case SUP_SLURMCTLD:
		return !sup->info.part;
	case SUP_VNODED:
		return !wt_clusterinfo_real_nodes(&sup->info) && (!sup->info.hosts.count || sup->info.part);
	case SUP_MARIADBD:
	case SUP_SLURMDBD:
		return sup->info.accounting;
	default:
		return true;
	}
}

static int services_init(struct sup *sup, struct wt_error *errp)
{
	static const char *const logs[] = {
		"munge/munged.log", "ctld/slurmctld.stderr", "nodes/vnoded.log", "accounting/mariadbd.log",
		"accounting/slurmdbd.stderr",
	};

	for (int i = 0; i < SUP_DAEMONS; i++) {
		struct sup_service *s = &sup->services[i];

		keeper_init(&s->keeper, sup->loop, daemon_ended, s);
		s->sup = sup;
		s->which = (enum sup_daemon) i;
		s->log = wt_clusterinfo_path(&sup->info, logs[i]);
		if (!daemon_wanted(sup, s->which))
			continue;
		if (!s->argv || !s->log)
			return wt_error_errno(errp, ENOMEM, "supervisor");
		s->state = &sup->state.daemons[sup->state.daemon_count++];
		snprintf(s->state->name, sizeof(s->state->name), "%s", daemon_names[i]);
	}
	return 0;
}

int sup_daemons_init(struct sup *sup, struct wt_error *errp)
{
	char *conf = wt_clusterinfo_path(&sup->info, "slurm.conf"), *nodes = wt_clusterinfo_path(&sup->info, "nodes");
	bool real = wt_clusterinfo_real_nodes(&sup->info);
	char *program = real ? strdup(SLURMD_PATH) : wt_libexec_find("wt-vnoded", errp);
	int rc = 0;

	if (!program || !conf || !nodes) {
		rc = program ? wt_error_errno(errp, ENOMEM, "supervisor") : -1;
	} else {
		sup->services[SUP_MUNGED].argv = wt_munge_argv(&sup->info);
		sup->services[SUP_SLURMCTLD].argv = slurmctld_argv(conf);
		sup->services[SUP_VNODED].argv = vnoded_argv(sup, program, conf, nodes);
		sup->services[SUP_MARIADBD].argv = wt_mariadb_argv(&sup->info);
		sup->services[SUP_SLURMDBD].argv = wt_slurmdbd_argv();
		rc = services_init(sup, errp);
	}
	if (rc == 0 && real && (!sup->info.hosts.count || sup->info.part))
		rc = sup_nodes_init(sup, errp);
	free(conf);
	free(nodes);
	free(program);
	return rc;
}

void sup_daemons_clear(struct sup *sup)
{
	for (int i = 0; i < SUP_DAEMONS; i++) {
		wt_munge_argv_free(sup->services[i].argv);
		free(sup->services[i].log);
	}
	sup_nodes_clear(sup);
}

static void log_trim(struct sup *sup, const char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0 && st.st_size > STDERR_MAX && truncate(path, 0) < 0)
		sup_log(sup, "truncate %s: %s", path, strerror(errno));
}

/* What slurmctld and the slurmds write to stderr stands in its log, too, once that is open; keep only what came before and
 * the latest. */
void sup_daemons_trim_logs(struct sup *sup)
{
	log_trim(sup, sup->services[SUP_SLURMCTLD].log);
	if (sup->info.accounting)
		log_trim(sup, sup->services[SUP_SLURMDBD].log);
	if (sup->nodes)
		log_trim(sup, sup_nodes_log(sup));
}
