/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemons: their command lines, start, death and restart. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/supervisor/child.h"
#include "lib/clock.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/logtail.h"
#include "harness/cluster/folder/munge.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define BACKOFF_FIRST_S 0.5
#define BACKOFF_MAX_S 30.0
#define BACKOFF_FORGOTTEN_US ((int64_t) 60 * 1000000)	/* a daemon that lived that long begins anew */
#define VERDICT_S 2.0
#define WIDEN_POLL_S 0.05
#define STDERR_MAX (1 << 20)
#define COMPLAINTS 3

static const char *const daemon_names[] = { "munged", "slurmctld", "vnoded" };

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

static char **vnoded_argv(const char *program, const char *conf, const char *dir, const struct wt_clusterinfo *info)
{
	const char **words = calloc(7 + 2 * info->node_setting_count, sizeof(*words)), **at = words;
	char **argv, seconds[64];

	if (!words)
		return NULL;
	*at++ = program;
	*at++ = "--conf";
	*at++ = conf;
	*at++ = "--dir";
	*at++ = dir;
	if (info->run_time_given) {
		snprintf(seconds, sizeof(seconds), "%.6f", info->default_run_time_s);
		*at++ = "--default-run-time";
		*at++ = seconds;
	}
	for (size_t i = 0; i < info->node_setting_count; i++) {
		*at++ = "--node";
		*at++ = info->node_settings[i];
	}
	argv = argv_make(words, (size_t) (at - words));
	free(words);
	return argv;
}

int sup_daemons_init(struct sup *sup, struct wt_error *errp)
{
	static const char *const logs[] = { "munge/munged.log", "ctld/slurmctld.stderr", "nodes/vnoded.log" };
	char *conf = wt_clusterinfo_path(&sup->info, "slurm.conf"), *nodes = wt_clusterinfo_path(&sup->info, "nodes");
	bool real = wt_clusterinfo_real_nodes(&sup->info);
	char *program = real ? strdup(SLURMD_PATH) : wt_libexec_find("wt-vnoded", errp);
	int rc = 0;

	if (!program || !conf || !nodes) {
		rc = program ? wt_error_errno(errp, ENOMEM, "supervisor") : -1;
	} else {
		sup->keepers[SUP_MUNGED].argv = wt_munge_argv(&sup->info);
		sup->keepers[SUP_SLURMCTLD].argv = slurmctld_argv(conf);
		sup->keepers[SUP_VNODED].argv = vnoded_argv(program, conf, nodes, &sup->info);
	}
	for (int i = 0; rc == 0 && i < SUP_DAEMONS; i++) {
		struct sup_keeper *k = &sup->keepers[i];

		k->sup = sup;
		k->which = (enum sup_daemon) i;
		k->log = wt_clusterinfo_path(&sup->info, logs[i]);
		if (!k->argv || !k->log)
			rc = wt_error_errno(errp, ENOMEM, "supervisor");
		snprintf(sup->state.daemons[i].name, sizeof(sup->state.daemons[i].name), "%s", daemon_names[i]);
	}
	sup->state.daemon_count = real ? SUP_VNODED : SUP_DAEMONS;
	if (rc == 0 && real)
		rc = sup_nodes_init(sup, errp);
	free(conf);
	free(nodes);
	free(program);
	return rc;
}

void sup_daemons_clear(struct sup *sup)
{
	for (int i = 0; i < SUP_DAEMONS; i++) {
		wt_munge_argv_free(sup->keepers[i].argv);
		free(sup->keepers[i].log);
	}
	sup_nodes_clear(sup);
}

/* While starting, the death of a daemon is the end; the reason stands in its log. */
static void start_failed(struct sup_keeper *k, const char *how)
{
	char *said = wt_logtail_file(k->log, COMPLAINTS);
	int errnum = wt_logtail_address_in_use(k->log) ? EADDRINUSE : ECHILD;

	sup_fail(k->sup, errnum, "%s ended (%s) and said: %s (%s)", daemon_names[k->which], how, said ? said : "nothing",
		 k->log);
	free(said);
}

static void verdict_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup_keeper *k = w->data;

	(void) loop;
	(void) revents;
	start_failed(k, k->sup->state.daemons[k->which].last_exit);
}

/* A fault in slurm.conf ends the nodes and slurmctld alike; slurmctld's words are the ones that count, so wait for them. */
static void start_failed_later(struct sup_keeper *k)
{
	const struct sup_keeper *controller = &k->sup->keepers[SUP_SLURMCTLD];

	if (k->which != SUP_VNODED || !controller->pid || k->sup->step != SUP_STEP_CONTROLLER) {
		start_failed(k, k->sup->state.daemons[k->which].last_exit);
		return;
	}
	ev_timer_init(&k->restart, verdict_cb, VERDICT_S, 0.0);
	k->restart.data = k;
	ev_timer_start(k->sup->loop, &k->restart);
}

static void restart_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup_keeper *k = w->data;

	(void) loop;
	(void) revents;
	if (!k->sup->stopping)
		sup_daemon_start(k->sup, k->which);
}

void sup_backoff_started(struct sup_backoff *b)
{
	b->started_us = wt_clock_now_us(wt_clock_real());
}

double sup_backoff_next(struct sup_backoff *b)
{
	double seconds = b->next_s;

	if (seconds == 0 || wt_clock_now_us(wt_clock_real()) - b->started_us > BACKOFF_FORGOTTEN_US)
		seconds = BACKOFF_FIRST_S;
	b->next_s = seconds * 2 < BACKOFF_MAX_S ? seconds * 2 : BACKOFF_MAX_S;
	return seconds;
}

static void restart_later(struct sup_keeper *k)
{
	struct sup *sup = k->sup;
	double seconds = sup_backoff_next(&k->backoff);

	sup_log(sup, "%s: restart in %.1f s", daemon_names[k->which], seconds);
	ev_timer_init(&k->restart, restart_cb, seconds, 0.0);
	k->restart.data = k;
	ev_timer_start(sup->loop, &k->restart);
}

static void ended_cb(struct ev_loop *loop, ev_child *w, int revents)
{
	struct sup_keeper *k = w->data;
	struct sup *sup = k->sup;
	struct wt_state_daemon *d = &sup->state.daemons[k->which];

	(void) revents;
	ev_child_stop(loop, w);
	ev_timer_stop(loop, &k->restart);	/* munged's: nobody listens any more */
	wt_child_status_text(w->rstatus, d->last_exit, sizeof(d->last_exit));
	sup_log(sup, "%s: pid %ld ended: %s", d->name, (long) k->pid, d->last_exit);
	k->pid = 0;
	memset(&d->proc, 0, sizeof(d->proc));
	if (sup->stopping) {
		sup_state_save(sup);
		sup_daemon_ended(sup);
	} else if (sup->step < SUP_STEP_UP) {
		start_failed_later(k);
	} else if (d->stopped) {
		sup_state_save(sup);
		sup_control_look(sup);
	} else if (k->resumed) {
		sup_daemon_start(sup, k->which);
	} else {
		sup_state_save(sup);
		restart_later(k);
	}
}

/* munged takes a moment until it listens; then its queue of connections becomes longer.  Without that it works, too. */
static void widen_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup_keeper *k = w->data;
	struct wt_error err;
	int rc = wt_munge_widen(&k->sup->info, k->pid, &err);

	(void) revents;
	if (rc < 0 && errno == EAGAIN)
		return;
	ev_timer_stop(loop, w);
	if (rc < 0)
		sup_log(k->sup, "munged: refuses connections when 256 of them wait: %s", err.text);
}

static void widen_later(struct sup_keeper *k)
{
	ev_timer_init(&k->restart, widen_cb, WIDEN_POLL_S, WIDEN_POLL_S);
	k->restart.data = k;
	ev_timer_start(k->sup->loop, &k->restart);
}

static void daemon_run(struct sup_keeper *k)
{
	ev_child_init(&k->child, ended_cb, k->pid, 0);
	k->child.data = k;
	ev_child_start(k->sup->loop, &k->child);
	if (k->which == SUP_MUNGED)
		widen_later(k);
	sup_state_save(k->sup);
	if (k->resumed) {
		k->resumed = false;
		sup_control_look(k->sup);
	}
}

int sup_daemon_start(struct sup *sup, enum sup_daemon which)
{
	struct sup_keeper *k = &sup->keepers[which];
	struct wt_state_daemon *d = &sup->state.daemons[which];
	bool renamed = which == SUP_SLURMCTLD && sup->info.own_host_name;
	struct wt_error err;

	k->pid = wt_child_start(k->argv, k->log, renamed ? wt_hostname_take : NULL, &err);
	sup_backoff_started(&k->backoff);
	if (k->pid < 0) {
		k->pid = 0;
		sup_log(sup, "%s: %s", d->name, err.text);
		if (sup->step < SUP_STEP_UP)
			sup_fail(sup, errno, "%s", err.text);
		else
			restart_later(k);
		return -1;
	}
	if (wt_proc_identify(k->pid, &d->proc, NULL) < 0)	/* it died at once: the watcher will tell */
		d->proc.pid = 0;
	d->restarts += sup->step == SUP_STEP_UP && !k->resumed;
	sup_log(sup, "%s: started, pid %ld%s", d->name, (long) k->pid,
		sup->step < SUP_STEP_UP ? "" : k->resumed ? " (as asked for)" : " (restart)");
	daemon_run(k);
	return 0;
}

static void kill_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup_keeper *k = w->data;

	(void) loop;
	(void) revents;
	sup_log(k->sup, "%s: not ended in time: SIGKILL", daemon_names[k->which]);
	if (k->pid > 0)
		kill(k->pid, SIGKILL);
}

void sup_daemon_stop(struct sup *sup, enum sup_daemon which, int sig)
{
	struct sup_keeper *k = &sup->keepers[which];

	sup->state.daemons[which].stopped = true;
	k->resumed = false;
	ev_timer_stop(sup->loop, &k->restart);
	sup_log(sup, "%s: is stopped, as asked for", daemon_names[which]);
	if (k->pid > 0) {
		kill(k->pid, sig);
		ev_timer_init(&k->restart, kill_cb, wt_supervisor_stop_ms(sup->info.nodes) / 1e3, 0.0);
		k->restart.data = k;
		ev_timer_start(sup->loop, &k->restart);
	}
	sup_state_save(sup);
}

void sup_daemon_resume(struct sup *sup, enum sup_daemon which)
{
	struct sup_keeper *k = &sup->keepers[which];

	if (!sup->state.daemons[which].stopped)
		return;
	sup->state.daemons[which].stopped = false;
	k->resumed = true;
	k->backoff.next_s = 0;
	if (k->pid == 0)	/* else it is just ending, and started after that */
		sup_daemon_start(sup, which);
	sup_state_save(sup);
}

void sup_daemons_signal(struct sup *sup, int sig, bool munged_too)
{
	/* Our own children that are not reaped yet: their pids cannot belong to anyone else. */
	for (int i = 0; i < SUP_DAEMONS; i++)
		if (sup->keepers[i].pid > 0 && (munged_too || i != SUP_MUNGED))
			kill(sup->keepers[i].pid, sig);
	sup_nodes_signal(sup, sig);
}

bool sup_daemons_running(const struct sup *sup, bool munged_too)
{
	for (int i = 0; i < SUP_DAEMONS; i++)
		if (sup->keepers[i].pid > 0 && (munged_too || i != SUP_MUNGED))
			return true;
	return sup_nodes_running(sup);
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
	log_trim(sup, sup->keepers[SUP_SLURMCTLD].log);
	if (sup->nodes)
		log_trim(sup, sup_nodes_log(sup));
}
