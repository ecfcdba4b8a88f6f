/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Speculation in slurmctld (windtunnel-speculate(5)).
 *
 * Two threads: server.c's hears heartbeats and never takes a lock of slurmctld's; this file's looks at the jobs once a
 * second and acts.  What fails is said once and left undone: jobs go on without speculation. */
#include "plugins/straggler/slurmctld/slurmctld_straggler.h"

#include "compat/controller.h"

#include "plugins/straggler/slurmctld/slurmctld_jobs.h"
#include "plugins/straggler/slurmctld/server.h"
#include "lib/clock.h"
#include "straggler/protocol/straggler_conf_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CONF_WAIT_MS 2000	/* at start, for a file that is being replaced */
#define ACTIONS_MAX 64	/* in a second */
#define UNSAVED_S 60	/* slurmctld writes its jobs within 5 s of being asked, and a large file may take a while */
#define STATE_NAME_MORE 64	/* what names beside the state file have more */

static struct service service;
static struct server *server;
static pthread_t thread;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stop_cond;
static bool stopping, running, open_said;
static char conf_path[PATH_MAX];
static struct straggler_conf_watch conf_watch;
static struct {		/* of slurm.conf, which only what holds slurmctld's lock may look at */
	char state_folder[PATH_MAX];
	uint32_t user_id;
} slurm;
static struct stamps stamps;	/* of the jobs' thread */
static double unsaved_since_s;	/* slurmctld is to save its jobs, and has not; 0: it has */
static bool unsaved_said;

static void say(enum service_level level, const char *text)
{
	if (level == SERVICE_ERROR)
		error("straggler: %s", text);
	else
		info("straggler: %s", text);
}

/* When the file has changed: no signal is needed, and "scontrol reconfigure" tells plugins of this kind nothing. */
static void conf_follow(void)
{
	struct straggler_conf conf;
	struct wt_error err;
	enum straggler_conf_news news = straggler_conf_watch_look(&conf_watch, &conf, &err);

	if (news == STRAGGLER_CONF_SAME)
		return;
	conf.spec.owner_uid = slurm.user_id;
	if (news == STRAGGLER_CONF_NEW && service_configure(&service, &conf, &err) == 0)
		info("straggler: %s was read again", conf_path);
	else
		error("straggler: %s; the settings stay as they were", err.text);
}

static void facts_give(struct jobs_fact *facts, size_t count)
{
	/* After the look at the jobs, before it is believed: a step of the clock in between would give them a time of the
	 * old line. */
	bool back = jobs_clock_back(&stamps);

	pthread_mutex_lock(&service.lock);
	if (back)	/* and what was looked at is of the new time */
		wt_spec_saved(service.spec, 0);
	for (int copies = 0; copies < 2; copies++) {	/* a copy is one of a job that is known */
		for (size_t i = 0; facts && i < count; i++) {
			if ((facts[i].fact.copy_of != 0) == copies)
				wt_spec_fact(service.spec, &facts[i].fact, service_now_s(), NULL);
		}
	}
	pthread_mutex_unlock(&service.lock);
	free(facts);
}

static void jobs_follow(void)
{
	/* A second more: what changes in this one may have been looked at before. */
	bool quiet = jobs_quiet(WT_SPEC_LOOK_S + 1);
	struct wt_spec_silent silent;
	const uint32_t *watched;
	uint32_t *ids = NULL;
	size_t count, unknown;
	bool said;

	pthread_mutex_lock(&service.lock);
	unknown = wt_spec_unknown(service.spec);
	count = wt_spec_watch(service.spec, service_now_s(), &watched);
	if (!unknown && quiet && wt_spec_settled(service.spec, service_now_s()))
		/* Nothing has changed in slurmctld: its lock, for which RPCs wait, is left alone. */
		count = 0;
	/* Copied, for the list is the spec's until its next call, and slurmctld's lock must not be waited for with ours
	 * held. */
	if (count && (ids = malloc(count * sizeof(*ids))))
		memcpy(ids, watched, count * sizeof(*ids));
	said = wt_spec_silent(service.spec, &silent);
	pthread_mutex_unlock(&service.lock);
	if (said)
		info("straggler: %u_%u (JobId=%u on %s) runs, but nothing was heard of it for %.0f s: it hangs, or its "
		     "node's agent has gone "
		     "(said once for an array)", silent.array_job_id, silent.array_task_id, silent.job_id, silent.node,
		     silent.silence_s);
	if (ids)
		facts_give(jobs_look(ids, count, count - unknown), count);
	free(ids);
}

/* slurmctld's own log has the reason when its disk is full.  After its clock was set back it writes nothing until it is that
 * late again. */
static void unsaved_say(bool wanted, bool moved)
{
	double now_s = service_now_s();

	if (!wanted || moved)
		unsaved_since_s = 0;
	else if (!unsaved_since_s)
		unsaved_since_s = now_s;
	if (unsaved_since_s && now_s - unsaved_since_s > UNSAVED_S && !unsaved_said) {
		error("straggler: slurmctld has not written its jobs to %s for %d s: tasks that have begun since cannot "
		      "publish until it does; look for its own "
		      "errors, and if its clock was set back, start it again",
		      slurm.state_folder, UNSAVED_S);
		unsaved_said = true;
	} else if (!unsaved_since_s && unsaved_said) {
		info("straggler: slurmctld has written its jobs again");
		unsaved_said = false;
	}
}

/* A task that asks for the right to publish waits until slurmctld has its job on the disk. */
static void saves_follow(void)
{
	int64_t before_s = stamps_believed_s(&stamps), saved_s;
	bool wanted;

	jobs_clock_back(&stamps);
	saved_s = jobs_saved_s(&stamps, slurm.state_folder);
	pthread_mutex_lock(&service.lock);
	wt_spec_saved(service.spec, saved_s);
	wanted = wt_spec_save_wanted(service.spec);
	pthread_mutex_unlock(&service.lock);
	if (wanted)
		jobs_save_soon();
	unsaved_say(wanted, saved_s > before_s);
}

static void actions_do(void)
{
	struct wt_spec_action actions[ACTIONS_MAX];
	const char *why[ACTIONS_MAX] = { NULL };
	uint32_t ids[ACTIONS_MAX];
	size_t count = service_decide(&service, actions, ACTIONS_MAX);

	/* Without our lock: each takes slurmctld's.  What has changed since the decision jobs_act () finds out below
	 * those. */
	for (size_t i = 0; i < count; i++)
		ids[i] = jobs_act(&actions[i], &why[i]);
	pthread_mutex_lock(&service.lock);
	for (size_t i = 0; i < count; i++) {
		if (actions[i].kind == WT_SPEC_COPY)
			wt_spec_copied(service.spec, &actions[i], ids[i], why[i], service_now_s());
	}
	pthread_mutex_unlock(&service.lock);
}

/* Returns whether to go on, after a second. */
static bool second_wait(void)
{
	int64_t until_us = wt_clock_monotonic_us() + 1000000;
	const struct timespec until = { .tv_sec = (time_t) (until_us / 1000000),
					.tv_nsec = (long) (until_us % 1000000) * 1000 };
	bool go_on;

	pthread_mutex_lock(&stop_lock);
	while (!stopping && pthread_cond_timedwait(&stop_cond, &stop_lock, &until) != ETIMEDOUT)
		;
	go_on = !stopping;
	pthread_mutex_unlock(&stop_lock);
	return go_on;
}

static void open_say(int lost, bool missing, const char *lost_text, int doubted, const char *text)
{
	if (lost > 0 && (doubted > 0 || !missing))
		error("straggler: %s; of %d tasks that had begun nobody knows whether they have published: they wait until "
		      "all but one of their attempts "
		      "have ended, and for good where one may have published", lost_text, doubted < 0 ? 0 : doubted);
	if (doubted < 0 && !open_said)
		error("straggler: %s; nobody may publish until that works", lost < 0 ? lost_text : text);
	else if (doubted >= 0 && open_said)
		info("straggler: %s can be used now", service.store.path);
	open_said = doubted < 0;
}

/* Whether all is known of earlier copies and rights; until then no task may publish. */
static bool state_open(void)
{
	struct wt_error err = { "" }, lost_err = { "" };
	int lost = service_open(&service, &lost_err), doubted = -1;
	bool missing = lost > 0 && errno == ENOENT;
	struct jobs_fact *facts = NULL;
	size_t count;

	if (lost >= 0 && !(facts = jobs_find(&count)))
		wt_error_errno(&err, ENOMEM, "jobs");
	if (facts) {
		facts_give(facts, count);
		doubted = service_begin(&service, &err);
	}
	open_say(lost, missing, lost_err.text, doubted, err.text);
	return doubted >= 0;
}

static void *follow(void *arg)
{
	(void) arg;
	pthread_setname_np(pthread_self(), "straggler_jobs");
	while (!state_open()) {
		if (!second_wait())
			return NULL;
	}
	actions_do();	/* wins of before slurmctld was killed: before a killed original's slurmstepd tells of its death */
	while (second_wait()) {
		/* Settings, then what slurmctld knows, then what its disk has, and only then what follows from these. */
		conf_follow();
		jobs_follow();
		saves_follow();
		actions_do();
		service_save(&service);
	}
	service_save(&service);
	return NULL;
}

/* Where slurmctld's files are does not change while it runs (slurm.conf (5)). */
static void slurm_copy(void)
{
	const slurmctld_lock_t read_conf = { .conf = READ_LOCK };

	lock_slurmctld(read_conf);
	snprintf(slurm.state_folder, sizeof(slurm.state_folder), "%s", slurm_conf.state_save_location);
	slurm.user_id = slurm_conf.slurm_user_id;
	straggler_conf_path(slurm_conf.slurm_conf, conf_path);
	unlock_slurmctld(read_conf);
}

static int plugin_begin(struct wt_error *errp)
{
	struct straggler_conf conf;
	char state[PATH_MAX];

	slurm_copy();
	straggler_conf_watch_begin(&conf_watch, conf_path);
	/* After the watch has begun: a change between the two is seen at its first look. */
	if (straggler_conf_read_patiently(&conf, conf_path, CONF_WAIT_MS, errp) < 0)
		return -1;
	conf.spec.owner_uid = slurm.user_id;
	if (snprintf(state, sizeof(state), "%s/windtunnel_straggler", slurm.state_folder) >= (int) sizeof(state) -
	    STATE_NAME_MORE)
		return wt_error_errno(errp, ENAMETOOLONG, "%s", slurm.state_folder);
	service.log = say;
	stamps = (struct stamps) { 0 };
	unsaved_since_s = 0;
	unsaved_said = open_said = false;
	return service_init(&service, &conf, state, errp);
}

static int threads_start(struct wt_error *errp)
{
	pthread_condattr_t attr;
	sigset_t all, old;
	int rc;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&stop_cond, &attr);
	pthread_condattr_destroy(&attr);
	stopping = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are slurmctld's own business */
	rc = pthread_create(&thread, NULL, follow, NULL);
	running = rc == 0;
	if (rc)
		wt_error_errno(errp, rc, "thread");
	else
		server = server_start(&service, errp);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return running && server ? 0 : -1;
}

void straggler_begin(void)
{
	struct wt_error err;

	if (plugin_begin(&err) < 0 || threads_start(&err) < 0)
		error("straggler: %s; no speculation until slurmctld is started again", err.text);
	else
		info("straggler: version " WT_VERSION " for Slurm " WT_SLURM_VERSION ", port %u of %s", service.conf.port,
		     service.conf.controller);
}

void straggler_end(void)
{
	/* The port first: after it no attempt asks for a right that the last service_save () of the other thread would
	 * miss. */
	server_stop(server);
	server = NULL;
	pthread_mutex_lock(&stop_lock);
	stopping = true;
	pthread_cond_signal(&stop_cond);
	pthread_mutex_unlock(&stop_lock);
	if (running)
		pthread_join(thread, NULL);
	running = false;
	if (service.spec)
		service_fini(&service);
}
