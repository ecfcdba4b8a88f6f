/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/run/node_names.h"
#include "harness/run/run.h"
#include "harness/run/run_folder.h"
#include "harness/run/run_lock.h"
#include "harness/run/run_private.h"
#include "harness/run/run_reserve.h"
#include "harness/run/signals.h"
#include "lib/str.h"

/* What marks this run's jobs in slurmctld: no two runs share it, whatever cluster they use. */
static void tag_make(struct wt_run *run)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t) wt_clock_now_us(run->clock);
	snprintf(run->tag, sizeof(run->tag), "windtunnel-run-%016llx", (unsigned long long) random);
}

static int users_find(struct wt_run *run, struct wt_error *errp)
{
	const struct wt_cluster *cluster = run->target.cluster;
	bool may = getuid() == 0 || getuid() == run->target.info.slurm_uid;

	if (wt_job_users_find(&run->users, run->workload, cluster ? cluster->dir : NULL, may, errp) < 0)
		return -1;
	return wt_job_users_check(&run->users, run->target.info.enforces, errp);
}

static int workload_make(struct wt_run *run, struct wt_error *errp)
{
	struct real_need need;

	run->workload = wt_choice_create(run->scenario, run->seed, run->target.partition.nodes, run->target.partition.cpus,
					 errp);
	if (!run->workload)
		return -1;
	if (wt_run_provision_check(run, errp) < 0)
		return -1;
	real_need_make(&need, run->workload, run->target.partition.cpus_per_node);
	if (run->target.real.looked) {
		if (real_machine_check(&run->target.real, &run->scenario->real, &run->target.partition, run->workload,
				       errp) < 0)
			return -1;
		run->real_cluster = real_machine_json(&run->target.real, &run->target.partition, &need);
	}
	wt_estimate_make(&run->estimate, run->workload, run->target.partition.nodes, run->target.partition.cpus,
			 run->clock != wt_clock_real(), wt_clock_is_exact(run->clock));
	run->ledger = wt_ledger_create(run->workload);
	if (!run->ledger)
		return wt_error_errno(errp, ENOMEM, "workload");
	return run->scenario->choice.trace.has_asks ? users_find(run, errp) : 0;
}

static int world_make(struct wt_run *run, struct wt_error *errp)
{
	const struct wt_cluster *cluster = run->target.cluster;
	/* On hosts of their own they are asked by nobody from here: slurmctld alone is told, as of real nodes. */
	bool virtual = cluster && !strcmp(cluster->backend, "virtual") && !cluster->on_hosts;

	run->world = (struct world_acts) {
		.clock = run->clock, .world = &run->workload->world, .lock = &run->lock,
		.file = run->scenario->choice.trace_path ? run->scenario->choice.trace_path : "", .nodes_dir =
		virtual ? cluster->dir : NULL, .shared = !run->target.own_name,
	};
	return world_acts_check(&run->world, errp);
}

/* First: they have to see the first job's way from its submission on. */
static int watchers_start(struct wt_run *run, struct wt_error *errp)
{
	unsigned int hz = run->scenario->profile_hz;

	run->recorder.profile = hz ? &run->profile.log : NULL;
	if (hz && run_profile_start(&run->profile, wt_target_controller_pid(&run->target), hz, errp) < 0)
		return -1;
	if (wt_run_provision_start(run, errp) == 0 && wt_recorder_start(&run->recorder, errp) == 0)
		return 0;
	provisioner_join(&run->provisioner, 60);
	return -1;
}

static int threads_start(struct wt_run *run, struct wt_error *errp)
{
	const struct wt_scenario *scenario = run->scenario;

	run->recorder = (struct wt_recorder) {
		.clock = run->clock, .tag = run->tag, .partition = &run->target.partition,
		.interval_s = scenario->sample_interval_s, .ledger = run->ledger, .lock = &run->lock,
		.pid = wt_target_controller_pid, .pid_arg = &run->target,
		.nodes_join = run->target.cluster && run->target.cluster->nodes_join,
		.users_dir = run->target.cluster && run->target.cluster->nss_wrapper ? run->target.cluster->dir : NULL,
	};
	run->submit = (struct wt_submit){
		.clock = run->clock, .workload = run->workload, .tag = run->tag, .partition = scenario->partition,
		.place = { .reservation = scenario->real.reservation, .account = scenario->real.account,
			   .qos = scenario->real.qos, .exclude = run->target.real.exclude },
		.users = run->users.users,
		.probe = scenario->probe,
		.events = wt_target_script_events(&run->target),
		.hold = run_provision_active(&scenario->provision),
		.array_slots = scenario->choice.slots, .speculate = scenario->choice.speculate,
		.keep_going = scenario->keep_going,
		.ledger = run->ledger, .lock = &run->lock,
		.submitters = wt_choice_submitters(scenario),
	};
	wt_ledger_boot_note(run->ledger, run->target.info.boot_s);
	if (watchers_start(run, errp) < 0)
		return -1;
	run->acts = (struct job_acts) {
		.clock = run->clock, .workload = run->workload, .ledger = run->ledger, .lock = &run->lock,
		.nodes_dir = run->world.nodes_dir,
	};
	/* Last but one: what happens before the first submission. */
	if (job_acts_start(&run->acts, errp) == 0 && world_acts_start(&run->world, errp) == 0 &&
	    wt_submit_start(&run->submit, errp) == 0)
		return 0;
	if (world_acts_join(&run->world, 60))
		world_acts_take_back(&run->world);
	job_acts_join(&run->acts, 60);
	provisioner_join(&run->provisioner, 60);
	wt_recorder_join(&run->recorder, 60);
	return -1;
}

/* A run that failed before anything was started leaves nothing; logs that say why stay, and so does the scenario then. */
static void folder_drop(const struct wt_run *run)
{
	char *logs = wt_str_format("%s/logs", run->dir), *path = wt_str_format("%s/scenario.json", run->dir);

	wt_run_reserve_drop(run->dir);
	if (logs && path && rmdir(logs) == 0)
		unlink(path);
	free(logs);
	free(path);
}

/* Once more with what the cluster and the workload are.  If the disk is full meanwhile, that has time until there is room
 * for results. */
static int workload_tell(struct wt_run *run, struct wt_error *errp)
{
	if (wt_run_folder_write(run, errp) == 0)
		return 0;
	run->scenario_due = errno == ENOSPC || errno == EDQUOT;
	return run->scenario_due ? 0 : -1;
}

/* Nodes of a site have names of their own. */
static int cost_names_check(const struct cost_settings *cost, struct wt_error *errp)
{
	json_t *names = node_names_load(NULL, errp);
	int rc = names ? 0 : -1;

	for (size_t i = 1; rc == 0 && i < cost->class_count; i++)
		if (node_names_check(names, cost->classes[i].nodes, errp) < 0)
			rc = wt_error_prefix(errp, "%s", cost->classes[i].nodes);
	json_decref(names);
	return rc;
}

/* Of a cluster that was there before the run, or is a site's, the options could not be checked earlier. */
static int cost_check(const struct wt_run *run, struct wt_error *errp)
{
	const struct wt_cluster *cluster = run->target.cluster;
	const struct cost_settings *cost = &run->scenario->cost;
	int rc = 0;

	if (cluster && cluster->numbered)
		rc = cost_settings_nodes_check(cost, cluster->nodes, errp);
	else if (cost->class_count > 1)
		rc = cost_names_check(cost, errp);
	return rc < 0 ? wt_error_prefix(errp, "--cost") : 0;
}

static int run_begin(struct wt_run *run, struct wt_error *errp)
{
	int saved_errno;

	run->lock_fd = run_lock_take(run->dir, errp);
	if (run->lock_fd < 0 || wt_run_folder_write(run, errp) < 0 ||
	    wt_run_reserve_make(run->dir, wt_choice_jobs_max(run->scenario), errp) < 0 ||
	    wt_target_open(&run->target, run->scenario, run->clock, run->dir, &run->progress, errp) < 0)
		return -1;
	if (cost_check(run, errp) == 0 && workload_make(run, errp) == 0 && world_make(run, errp) == 0 &&
	    workload_tell(run, errp) == 0 && threads_start(run, errp) == 0)
		return 0;
	saved_errno = errno;
	run_profile_stop(&run->profile);
	wt_target_close(&run->target, NULL);
	errno = saved_errno;
	return -1;
}

static void run_clear(struct wt_run *run)
{
	json_decref(run->problems);
	json_decref(run->real_cluster);
	json_decref(run->costs);
	run_profile_clear(&run->profile);
	wt_power_log_clear(&run->power);
	wt_record_destroy(run->record);
	wt_str_clear(&run->lost);
	if (!run->stuck) {	/* else a thread may still come back to them; the process is about to end */
		wt_recorder_clear(&run->recorder);
		job_acts_clear(&run->acts);
		world_acts_clear(&run->world);
		provisioner_clear(&run->provisioner);
		wt_job_users_clear(&run->users);
		wt_ledger_destroy(run->ledger);
		wt_workload_destroy(run->workload);
		pthread_mutex_destroy(&run->lock);
		free(run);
	}
}

/* As a shell has it for a process that SIGINT has ended. */
static int run_status(const struct wt_run *run)
{
	if (run->interrupted)
		return 130;
	if (run->misuse)
		return 2;
	return *run->failure ? 1 : 0;
}

int wt_run(const struct wt_scenario *scenario, uint64_t seed, const char *dir, struct live_feed *live)
{
	struct wt_run *run = calloc(1, sizeof(*run));
	struct wt_error error = { "" };
	int status;

	if (!run)
		return 1;
	run->scenario = scenario;
	wt_run_clock_begin(run);
	run->began_wall_us = wt_clock_wall_us();
	run->dir = dir;
	run->seed = seed;
	run->live = live;
	run->begin_s = wt_clock_now_us(run->clock) / 1e6;
	run->problems = json_object();
	pthread_mutex_init(&run->lock, NULL);
	tag_make(run);
	wt_progress_init(&run->progress, scenario->quiet, run->begin_s);
	wt_run_live_begin(run);
	if (run_begin(run, &error) < 0) {
		run->misuse = errno == EINVAL;
		run->interrupted = errno == EINTR && wt_signals_count;
		wt_run_fail(run, "%s", run->interrupted ? "interrupted before the first job" : error.text);
		if (*run->world.back_problem)
			wt_run_fail_more(run, "%s", run->world.back_problem);
		if (run->lock_fd >= 0)	/* else the folder is another run's */
			folder_drop(run);
	} else {
		wt_run_wait(run);
		wt_run_finish(run);
	}
	run_lock_drop(run->dir, run->lock_fd);
	wt_progress_end(&run->progress);
	if (*run->failure)
		fprintf(stderr, "windtunnel %s: %s\n", wt_scenario_verb(scenario), run->failure);
	status = run_status(run);
	wt_run_live_end(run);
	run_clear(run);
	return status;
}
