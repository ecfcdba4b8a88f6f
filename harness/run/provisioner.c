/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "compat/job_id.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/run/job_ends.h"
#include "harness/run/job_tag.h"
#include "harness/run/provisioner.h"
#include "harness/run/run_folder.h"
#include "harness/run/run_thread.h"
#include "harness/run/submit.h"
#include "lib/outfile.h"
#include "lib/str.h"
#include "record/power_format.h"

#define LOOK_US        2000000	/* in both clocks: a run in virtual time is to foretell one in real time */
#define ASK_S          10	/* after something happened: slurmctld takes its time to know it */
#define ASK_SELDOM_S   20
#define ROUND_S        65	/* in which slurmctld takes an end from held jobs' dependencies: once a minute */
#define OFF_S          1800	/* for all nodes to be switched off before the run */

static double now_s(const struct provisioner *p)
{
	return (double) wt_clock_now_us(p->clock) / 1e6;
}

static int job_check(const struct wt_job *job, uint32_t cpus_per_node, struct wt_error *errp)
{
	const struct wt_job_ask *ask = job->ask;

	if (job->nodes > 1 || job->cpus > cpus_per_node || (ask && ask->number[WT_ASK_NODES_MIN] > 1))
		return wt_error_set(errp, EINVAL, "--provision gives each job one node, and %s needs more than one of "
				    "%u CPUs", job->name, cpus_per_node);
	if (ask && (ask->text[WT_ASK_NODE_LIST] || ask->text[WT_ASK_EXCLUDE]))
		return wt_error_set(errp, EINVAL, "--provision chooses each job's node, and %s says which it wants",
				    job->name);
	if (ask && (ask->number[WT_ASK_BEGIN_AFTER_S] > 0 || ask->number[WT_ASK_PRIORITY] >= 0))
		return wt_error_set(errp, EINVAL, "--provision says when each job begins, and %s has a time or a priority",
				    job->name);
	return 0;
}

int provisioner_workload_check(const struct wt_workload *w, uint32_t cpus_per_node, struct wt_error *errp)
{
	for (size_t i = 0; i < w->job_count; i++)
		if (job_check(&w->jobs[i], cpus_per_node, errp) < 0)
			return -1;
	return 0;
}

/* ---- requests ----------------------------------------------------------------------------------------------------- */

static int node_request(const char *name, uint32_t state)
{
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *) name;
	msg.node_state = state;
	errno = 0;
	return slurm_update_node(&msg) ? errno : 0;
}

static int job_request(const struct provisioner *p, const struct fleet_act *act)
{
	job_desc_msg_t msg;

	slurm_init_job_desc_msg(&msg);
	compat_job_id(&msg) = p->job_ids[act->task];
	msg.req_nodes = p->names[act->node];
	msg.priority = INFINITE;	/* as scontrol release has it */
	msg.alloc_sid = 0;
	errno = 0;
	return slurm_update_job(&msg) ? errno : 0;
}

/* One that was requeued still asks for its last node, and Slurm would start it there by itself. */
static void job_hold(const struct provisioner *p, uint32_t job_id)
{
	job_desc_msg_t msg;

	slurm_init_job_desc_msg(&msg);
	compat_job_id(&msg) = job_id;
	msg.priority = 0;	/* as scontrol hold has it */
	msg.alloc_sid = 0;
	wt_clock_settle(p->clock);
	slurm_update_job(&msg);	/* if that is refused the job has begun, or is gone, and the next look shows it */
}

static int request(const struct provisioner *p, const struct fleet_act *act)
{
	switch (act->what) {
	case FLEET_RENT:
		return node_request(p->names[act->node], NODE_STATE_POWER_UP);
	case FLEET_STOP:
		return node_request(p->names[act->node], NODE_STATE_POWER_DOWN);
	case FLEET_SEND:
		return job_request(p, act);
	default:
		return 0;
	}
}

static void problem_note(struct provisioner *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void problem_note(struct provisioner *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pthread_mutex_lock(p->lock);
	if (!*p->problem)
		vsnprintf(p->problem, sizeof(p->problem), fmt, ap);
	pthread_mutex_unlock(p->lock);
	va_end(ap);
}

static void act_tell(struct provisioner *p, const struct fleet_act *act)
{
	wt_csv_seconds(&p->csv, now_s(p));
	wt_csv_text(&p->csv, fleet_do_name(act->what));
	wt_csv_text(&p->csv, act->task == FLEET_NONE ? "" : p->workload->jobs[act->task].name);
	wt_csv_text(&p->csv, act->node == FLEET_NONE ? "" : p->names[act->node]);
	wt_csv_text(&p->csv, act->why);
	wt_csv_end(&p->csv);
}

/* The names are slurmctld's own: as a node that does not exist it refuses the node of a job that has begun elsewhere. */
static bool shown_soon(int errnum)
{
	return errnum == ESLURM_ALREADY_DONE || errnum == ESLURM_INVALID_JOB_ID || errnum == ESLURM_JOB_FINISHED ||
	       errnum == ESLURM_INVALID_NODE_NAME;
}

/* Until slurmctld has answered.  A job that is to be sent may just have been cancelled, or have begun: the next look shows
 * it. */
static bool act_do(struct provisioner *p, const struct fleet_act *act)
{
	int errnum;

	act_tell(p, act);
	for (;;) {
		wt_clock_settle(p->clock);
		errnum = request(p, act);
		if (!errnum || p->stop || wt_submit_classify(errnum) == WT_SUBMIT_REFUSED)
			break;
		wt_clock_sleep_until_us(p->clock, wt_clock_now_us(p->clock) + LOOK_US);
	}
	if (!errnum || p->stop || (act->what == FLEET_SEND && shown_soon(errnum)))
		return true;
	problem_note(p, "--provision: slurmctld refused to %s %s: %s", fleet_do_name(act->what),
		     act->what == FLEET_SEND ? p->workload->jobs[act->task].name : p->names[act->node],
		     slurm_strerror(errnum));
	return false;
}

/* ---- what is seen ------------------------------------------------------------------------------------------------- */

static ssize_t task_of(struct provisioner *p, const slurm_job_info_t *job)
{
	const char *name = job->comment && job->name ? wt_run_job_name(job->comment, job->name, p->tag) : NULL;
	ssize_t i = -1;

	if (!name)
		return -1;
	pthread_mutex_lock(p->lock);
	/* A run that ends has given its ledger up. */
	if (!p->stop)
		i = wt_ledger_find(p->ledger, name);
	pthread_mutex_unlock(p->lock);
	return i;
}

static double expected_s(const struct provisioner *p, size_t task)
{
	const struct wt_job *job = &p->workload->jobs[task];
	double factor = 1;

	if (job->expected_s > 0)
		return job->expected_s;
	if (p->perturb->model != WT_PERTURB_NONE)
		factor = wt_perturb_factor(p->perturb, p->seed, job->number);
	return factor > 0 ? job->run_time_s / factor : job->run_time_s;
}

static enum waits_end end_of(void *arg, uint32_t job_id)
{
	return job_ends_of(arg, job_id);
}

static void ask_until(struct provisioner *p, double until_s)
{
	if (until_s > p->ask_until_s)
		p->ask_until_s = until_s;
}

/* Others may wait for it. */
static void end_see(struct provisioner *p, uint32_t task, uint32_t state)
{
	uint32_t ended = fleet_count(p->fleet).ended;

	if (state & JOB_COMPLETING) {
		ask_until(p, now_s(p) + ASK_S);
		return;
	}
	fleet_task_ended(p->fleet, task, now_s(p));
	if (fleet_count(p->fleet).ended > ended)
		p->ended_s = now_s(p);
}

static void dependency_see(struct provisioner *p, uint32_t task, const slurm_job_info_t *job, struct job_ends *ends)
{
	switch (waits_for(job->dependency, end_of, ends)) {
	case WAITS_FOR_NOTHING:
		fleet_task_ready(p->fleet, task, expected_s(p, task));
		break;
	case WAITS_FOR_SLURMCTLD:
		ask_until(p, p->ended_s + ROUND_S);
		break;
	case WAITS_FOR_AN_END:
		break;
	}
}

static void job_see(struct provisioner *p, const slurm_job_info_t *job, struct job_ends *ends)
{
	ssize_t task = task_of(p, job);
	uint32_t base = job->job_state & JOB_STATE_BASE;

	if (task < 0)
		return;
	p->job_ids[task] = job->job_id;
	if (base > JOB_SUSPENDED)
		end_see(p, (uint32_t) task, job->job_state);
	else if (base != JOB_PENDING)
		fleet_task_runs(p->fleet, (uint32_t) task);
	if (base != JOB_PENDING)
		return;
	if (job->restart_cnt > p->restarts[task]) {
		p->restarts[task] = job->restart_cnt;
		fleet_task_back(p->fleet, (uint32_t) task);
		if (job->priority)
			job_hold(p, job->job_id);
	}
	/* Held, though it was sent: a slurmctld that crashed has forgotten that, or somebody held it again. */
	if (job->priority == 0)
		fleet_task_back(p->fleet, (uint32_t) task);
	dependency_see(p, (uint32_t) task, job, ends);
}

/* false: slurmctld did not answer. */
static bool jobs_look(struct provisioner *p)
{
	job_info_msg_t *jobs = NULL;
	struct job_ends ends = { 0 };

	if (slurm_load_jobs(p->jobs_seen, &jobs, SHOW_ALL | SHOW_LOCAL))
		return errno == SLURM_NO_CHANGE_IN_DATA;
	/* A dependency that is met does not count as a change. */
	p->jobs_seen = p->depends ? 0 : jobs->last_update;
	if (p->depends)
		ends = job_ends_make(jobs);
	for (uint32_t i = 0; i < jobs->record_count; i++)
		job_see(p, &jobs->job_array[i], &ends);
	job_ends_clear(&ends);
	slurm_free_job_info_msg(jobs);
	return true;
}

/* What slurmctld forgot in a crash, and no record tells the end of: their machines would wait for them for ever. */
static void missing_see(struct provisioner *p)
{
	pthread_mutex_lock(p->lock);
	if (!p->stop && wt_ledger_count(p->ledger).missing != p->missing) {
		p->missing = wt_ledger_count(p->ledger).missing;
		for (size_t i = 0; i < p->workload->job_count; i++)
			if (wt_ledger_entry_look(p->ledger, i).phase == WT_ENTRY_MISSING)
				fleet_task_lost(p->fleet, (uint32_t) i);
	}
	pthread_mutex_unlock(p->lock);
}

#define GOING_OFF (NODE_STATE_POWERING_DOWN | NODE_STATE_POWER_DOWN)

static bool is_off(uint32_t state)
{
	return state & NODE_STATE_POWERED_DOWN && !(state & GOING_OFF);
}

static enum fleet_power power_of(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;
	bool idle = base == NODE_STATE_IDLE && !(state & NODE_STATE_COMPLETING);
	bool runs = base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED;

	/* What runs on a node that is drained goes on to its end. */
	if ((state & NODE_STATE_DRAIN && idle) || (base == NODE_STATE_DOWN && !(state & NODE_STATE_POWERING_UP)))
		return FLEET_DOWN;
	/* Neither is it ended by power_down or power_down_asap, which wait for it. */
	if (state & NODE_STATE_POWERING_DOWN || (state & NODE_STATE_POWER_DOWN && !runs))
		return FLEET_STOPPING;
	if (is_off(state))
		return FLEET_OFF;
	/* Of one that it has forgotten to be off a slurmctld that crashed says that it does not know. */
	if (base == NODE_STATE_UNKNOWN)
		return FLEET_BOOTING;
	return state & (NODE_STATE_POWERING_UP | NODE_STATE_NO_RESPOND) ? FLEET_BOOTING : FLEET_ON;
}

/* A machine that never came is off by now, and its node another time of use: as long as it is down Slurm gives it no job.
 * One that is drained is given back, and stays so: that is its operator's word, unless slurmctld itself drained it, for a
 * job that it had forgotten in a crash and started again.  One that is silent is lost, or was off before a crash that made
 * slurmctld forget it: switched off, it can be rented again. */
static void node_revive(const struct provisioner *p, uint32_t i, const node_info_t *node)
{
	uint32_t state = node->node_state, wanted;
	bool forgotten = node->reason && !strcmp(node->reason, "Duplicate jobid");
	bool silent = node->reason && !strcmp(node->reason, "Not responding");

	if (is_off(state))
		wanted = !(state & NODE_STATE_DRAIN) || forgotten ? NODE_RESUME : 0;
	else
		wanted = (state & NODE_STATE_DRAIN || silent) && !(state & GOING_OFF) ? NODE_STATE_POWER_DOWN : 0;
	if (wanted) {
		wt_clock_settle(p->clock);
		node_request(p->names[i], wanted);	/* if that is refused it stays as it is */
	}
}

static bool nodes_look(struct provisioner *p, uint32_t *not_off)
{
	node_info_msg_t *nodes = NULL;

	/* All of them: that a node has been switched off does not count as a change. */
	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		return false;
	for (uint32_t i = 0; i < nodes->record_count && i < p->partition->table_size; i++) {
		/* One with State=CLOUD that is off may not be shown. */
		uint32_t state = nodes->node_array[i].name ? nodes->node_array[i].node_state :
				 NODE_STATE_IDLE | NODE_STATE_POWERED_DOWN;
		enum fleet_power power = power_of(state);

		if (!p->names[i])
			continue;
		if (not_off)
			*not_off += !is_off(state);
		else
			fleet_node_seen(p->fleet, i, power, now_s(p));
		if (power == FLEET_DOWN)
			node_revive(p, i, &nodes->node_array[i]);
	}
	slurm_free_node_info_msg(nodes);
	return true;
}

/* ---- the thread --------------------------------------------------------------------------------------------------- */

/* false: it gave up. */
static bool decide(struct provisioner *p)
{
	struct wt_error error = { "" };
	struct fleet_act act;
	int rc = 0;

	while (!p->stop && (rc = fleet_next(p->fleet, now_s(p), &act, &error)) > 0)
		if (!act_do(p, &act))
			return false;
	if (rc < 0 && !p->stop)
		problem_note(p, "--provision: %s", error.text);
	return rc >= 0;
}

/* Slurm is asked only while something goes on: after a job was submitted, or a node has told anything, for a while; as long
 * as a job is about to end, or slurmctld to say that one need not wait any more; when a machine's timer is due; and now and
 * then.  Each answer costs slurmctld's time, and in virtual time that is what a run takes. */
static bool ask_due(struct provisioner *p)
{
	static const char *const files[] = { WT_NODE_EVENTS, "nodes/" WT_POWER_FILE };
	double now = now_s(p);
	size_t submitted = 0;
	off_t sizes = 0;

	wt_clock_settle(p->clock);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = wt_str_format("%s/%s", p->cluster_dir, files[i]);

		sizes += path ? wt_file_size(path) : 0;
		free(path);
	}
	pthread_mutex_lock(p->lock);
	if (!p->stop)
		submitted = wt_ledger_count(p->ledger).submitted;
	pthread_mutex_unlock(p->lock);
	if (sizes != p->sizes || submitted != p->submitted)
		p->ask_until_s = now + ASK_S;
	p->sizes = sizes;
	p->submitted = submitted;
	if (now > p->ask_until_s && now < p->asked_s + ASK_SELDOM_S && now < fleet_timer_s(p->fleet))
		return false;
	p->asked_s = now;
	return true;
}

static void *provisioner_main(void *arg)
{
	struct provisioner *p = arg;
	int64_t next_us = wt_clock_now_us(p->clock);

	while (!p->stop) {
		missing_see(p);
		if (ask_due(p) && jobs_look(p) && nodes_look(p, NULL) && !p->stop && !decide(p))
			break;
		pthread_mutex_lock(p->lock);
		p->counts = fleet_count(p->fleet);
		pthread_mutex_unlock(p->lock);
		while (next_us <= wt_clock_now_us(p->clock))
			next_us += LOOK_US;
		while (!p->stop && wt_clock_now_us(p->clock) < next_us)
			wt_clock_sleep_until_us(p->clock, next_us);
	}
	return NULL;
}

/* ---- begin and end ------------------------------------------------------------------------------------------------ */

static bool in_partition(const struct provisioner *p, uint32_t i)
{
	return p->partition->members[i / 64] >> (i % 64) & 1;
}

static int names_take(struct provisioner *p, const node_info_msg_t *nodes, struct wt_error *errp)
{
	for (uint32_t i = 0; i < nodes->record_count && i < p->partition->table_size; i++) {
		if (!in_partition(p, i))
			continue;
		if (!nodes->node_array[i].name)
			return wt_error_set(errp, EINVAL, "--provision: slurmctld does not show all nodes "
					    "(State=FUTURE), and can rent none of these");
		p->names[i] = strdup(nodes->node_array[i].name);
		if (!p->names[i])
			return wt_error_errno(errp, ENOMEM, "provisioning");
	}
	return 0;
}

static int names_load(struct provisioner *p, struct wt_error *errp)
{
	node_info_msg_t *nodes = NULL;
	int rc;

	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		return wt_error_set(errp, EIO, "--provision: slurmctld does not tell its nodes: %s", slurm_strerror(errno));
	rc = names_take(p, nodes, errp);
	slurm_free_node_info_msg(nodes);
	return rc;
}

/* In one request, however many they are.  What is off already refuses it, and is seen to be off. */
static int off_request(const struct provisioner *p)
{
	struct wt_str names = { 0 };
	int errnum = 0;

	for (uint32_t i = 0; i < p->partition->table_size; i++)
		if (p->names[i])
			wt_str_printf(&names, "%s%s", names.len ? "," : "", p->names[i]);
	if (names.failed)
		errnum = ENOMEM;
	else if (names.len)
		errnum = node_request(names.text, NODE_STATE_POWER_DOWN);
	wt_str_clear(&names);
	return errnum;
}

static int all_off(struct provisioner *p, const volatile int *cancelled, struct wt_error *errp)
{
	double until_s = now_s(p) + OFF_S;
	int errnum = off_request(p);
	uint32_t not_off = 0;

	/* No answer says nothing of the nodes. */
	while (!nodes_look(p, &not_off) || not_off) {
		if (*cancelled)
			return wt_error_set(errp, EINTR, "interrupted");
		if (now_s(p) >= until_s)
			return wt_error_set(errp, ETIMEDOUT, "--provision: slurmctld does not say after %d s that all nodes "
					    "are off (%u are not)%s%s", OFF_S, not_off, errnum ? ": " : "",
					    errnum ? slurm_strerror(errnum) : "");
		wt_clock_sleep_until_us(p->clock, wt_clock_now_us(p->clock) + LOOK_US);
		not_off = 0;
	}
	return *cancelled ? wt_error_set(errp, EINTR, "interrupted") : 0;
}

static int program_choose(void *arg, const struct provision_view *view, const struct fleet_task *task,
			  struct provision_choice *choice, struct wt_error *errp)
{
	struct provisioner *p = arg;

	return provision_program_ask(&p->program, view, p->names, p->workload->jobs[task->task].name, task->expected_s,
				     choice, errp);
}

/* It lives as long as its cluster's nodes are rented. */
static int program_begin(struct provisioner *p, struct wt_error *errp)
{
	if (!p->program.command)
		return 0;
	p->program.clock = p->clock;
	p->program.stop = &p->stop;
	return provision_program_start(&p->program, errp);
}

static int tables_make(struct provisioner *p, struct wt_error *errp)
{
	size_t jobs = p->workload->job_count;

	if (p->program.command) {
		p->settings.choose = program_choose;
		p->settings.choose_arg = p;
	}
	p->names = calloc(p->partition->table_size + (size_t) 1, sizeof(*p->names));
	p->job_ids = calloc(jobs + 1, sizeof(*p->job_ids));
	p->restarts = calloc(jobs + 1, sizeof(*p->restarts));
	p->csv.out = open_memstream(&p->text, &p->text_len);
	if (!p->names || !p->job_ids || !p->restarts || !p->csv.out || jobs >= FLEET_NONE)
		return wt_error_errno(errp, ENOMEM, "provisioning");
	fputs("time_s,decision,job,node,why\n", p->csv.out);
	if (names_load(p, errp) < 0)
		return -1;
	p->fleet = fleet_create(&p->settings, p->partition->table_size, (uint32_t) jobs, errp);
	/* Others' nodes are never to be had. */
	for (uint32_t i = 0; p->fleet && i < p->partition->table_size; i++)
		if (!p->names[i])
			fleet_node_seen(p->fleet, i, FLEET_DOWN, now_s(p));
	return p->fleet ? 0 : -1;
}

int provisioner_start(struct provisioner *p, const volatile int *cancelled, struct wt_error *errp)
{
	int rc;

	for (size_t i = 0; i < p->workload->job_count; i++)
		p->depends |= p->workload->jobs[i].ask && p->workload->jobs[i].ask->text[WT_ASK_DEPENDENCY];
	if (tables_make(p, errp) < 0 || all_off(p, cancelled, errp) < 0 || program_begin(p, errp) < 0)
		return -1;
	rc = run_thread_create(&p->thread, provisioner_main, p);
	p->started = rc == 0;
	if (rc && p->program.command)
		provision_program_end(&p->program);
	return rc ? wt_error_errno(errp, rc, "cannot start provisioning") : 0;
}

bool provisioner_join(struct provisioner *p, double timeout_s)
{
	p->stop = true;
	if (!p->started)
		return true;
	if (!run_thread_join(p->thread, run_thread_until_us(p->clock, timeout_s))) {
		if (p->program.pid > 0)	/* it does not outlive the run */
			kill(-p->program.pid, SIGKILL);
		return false;
	}
	p->started = false;
	if (p->program.command)
		provision_program_end(&p->program);
	return true;
}

static int text_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct provisioner *p = arg;

	(void) errp;
	fwrite(p->text, 1, p->text_len, out);
	return 0;
}

int provisioner_save(struct provisioner *p, const char *dir, struct wt_error *errp)
{
	char *path;
	int rc;

	if (!p->csv.out)
		return 0;
	if (fflush(p->csv.out))
		return wt_error_errno(errp, errno, PROVISIONER_FILE);
	path = wt_str_format("%s/" PROVISIONER_FILE, dir);
	rc = path ? wt_outfile_write(path, text_write, p, errp) : wt_error_errno(errp, ENOMEM, PROVISIONER_FILE);
	free(path);
	return rc;
}

void provisioner_clear(struct provisioner *p)
{
	for (uint32_t i = 0; p->names && i < p->partition->table_size; i++)
		free(p->names[i]);
	free(p->names);
	free(p->job_ids);
	free(p->restarts);
	fleet_destroy(p->fleet);
	if (p->csv.out)
		fclose(p->csv.out);
	free(p->text);
	memset(p, 0, sizeof(*p));
}
