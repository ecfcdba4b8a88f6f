/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/client.h"
#include "harness/cluster/folder/nsswrapper.h"
#include "harness/run/array_tasks.h"
#include "harness/run/job_tag.h"
#include "harness/run/pending.h"
#include "harness/run/recorder.h"
#include "harness/run/run_thread.h"
#include "lib/str.h"

/* A query that took t is not repeated within 50 t: watching costs slurmctld at most 2 % of its time for each kind.  A busy
 * slurmctld answers late because of its locks, which costs it nothing: the jobs, by which the end is seen, are asked for at
 * least every five intervals. */
#define QUERY_SPACING 50
#define SLICE_US 100000
#define SLICE_VIRTUAL_US 10000000

static double now_s(const struct wt_recorder *r)
{
	return wt_clock_now_us(r->clock) / 1e6;
}

static void outage_note(struct wt_recorder *r, const char *problem)
{
	double now = now_s(r);

	pthread_mutex_lock(r->lock);
	if (problem && !*r->outage) {
		r->outages++;
		r->outage_since_s = now;
	} else if (!problem && *r->outage) {
		r->outage_s += now - r->outage_since_s;
	}
	snprintf(r->outage, sizeof(r->outage), "%s", problem ? problem : "");
	pthread_mutex_unlock(r->lock);
}

void wt_recorder_outage_cut(struct wt_recorder *r)
{
	double now = now_s(r);

	if (!*r->outage)
		return;
	r->outage_s += now - r->outage_since_s;
	r->outage_since_s = now;
}

/* ---- jobs ---- */

static const struct wt_partition *partition_now(const struct wt_recorder *r)
{
	return r->now.members ? &r->now : r->partition;
}

static struct wt_ledger_view job_view(const slurm_job_info_t *job, const char *tag)
{
	return (struct wt_ledger_view) {
		.job_id = job->job_id,
		.array_job_id = job->array_job_id,
		.name = wt_run_job_name(job->comment, job->name, tag),
		.state = wt_job_state_from_slurm(job->job_state),
		.completing = job->job_state & JOB_COMPLETING,
		.exit_code = WIFSIGNALED(job->exit_code) ? 128 + WTERMSIG(job->exit_code) : WEXITSTATUS(job->exit_code),
		.alloc_cpus = job->num_cpus,
		.alloc_nodes = job->num_nodes,
		.restarts = job->restart_cnt,
		.start_s = job->start_time ? (double) job->start_time : NAN,
		.end_s = job->end_time ? (double) job->end_time : NAN,
		.node_list = job->nodes,
		.node_pairs = job->node_inx,
	};
}

static bool job_of_run(const struct wt_recorder *r, const slurm_job_info_t *job)
{
	return job->comment && job->name && wt_run_job_name(job->comment, job->name, r->tag);
}

static void facts_add(struct wt_recorder *r, struct wt_ledger_view *v, const slurm_job_info_t *job)
{
	v->partition = job->partition;
	v->account = job->account;
	v->qos = job->qos;
	v->user = job->user_name && *job->user_name ? job->user_name : wt_user_name(&r->user, job->user_id);
	v->alloc_gpus = job->nodes && *job->nodes ? wt_job_gpus(job->tres_alloc_str, job->gres_total) : 0;
	if (v->state == WT_JOB_PENDING)
		v->pending_reason = compat_job_reason(job->state_reason);
}

/* A record with several tasks of an array has the id that the last of them will have. */
static void tasks_show(struct wt_recorder *r, const slurm_job_info_t *job)
{
	struct wt_ledger_view v = job_view(job, r->tag);
	int64_t task = -1;
	char name[256];

	facts_add(r, &v, job);
	if (job->array_task_id == NO_VAL)
		v.job_id = 0;
	v.name = name;
	while ((task = array_task_next(job, task)) >= 0)
		if (array_task_name(job, r->tag, task, name, sizeof(name)) == 0)
			wt_ledger_view_show(r->ledger, &v);
}

static void job_show(struct wt_recorder *r, const slurm_job_info_t *job, bool detailed)
{
	struct wt_ledger_view v = job_view(job, r->tag);
	char *cpus = NULL;

	facts_add(r, &v, job);
	v.detailed = detailed;
	if (detailed && wt_ledger_wants_cpus(r->ledger, &v))
		v.node_cpus = cpus = wt_job_node_cpus(job);
	wt_ledger_view_show(r->ledger, &v);
	free(cpus);
}

static void job_sample(struct wt_recorder *r, struct wt_sample *s, const slurm_job_info_t *job)
{
	enum wt_job_state state = wt_job_state_from_slurm(job->job_state);

	if (job->job_state & JOB_COMPLETING) {
		s->jobs_completing++;
		wt_nodeset_add(r->completing, partition_now(r)->table_size, job->node_inx);
	} else if (state == WT_JOB_RUNNING) {
		s->jobs_running++;
		s->cpus_allocated += job->num_cpus;
		wt_nodeset_add(r->allocated, partition_now(r)->table_size, job->node_inx);
	} else if (state == WT_JOB_PENDING) {
		s->jobs_pending += array_tasks_count(job);
		*wt_pending_counter(s, compat_job_reason(job->state_reason)) += array_tasks_count(job);
	}
}

static bool job_in_partition(const struct wt_recorder *r, const slurm_job_info_t *job)
{
	return r->partition->everywhere || (job->partition && !strcmp(job->partition, r->partition->name));
}

/* Who waits or runs already when the recorder looks for the first time: of others, or of a run that was killed. */
static void others_count(struct wt_recorder *r, const job_info_msg_t *jobs)
{
	for (uint32_t i = 0; i < jobs->record_count && !r->looked; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];

		if (!job_of_run(r, job) && !wt_job_state_final(wt_job_state_from_slurm(job->job_state)))
			r->jobs_before += array_tasks_count(job);
	}
	r->looked = true;
}

static void jobs_take(struct wt_recorder *r, struct wt_sample *s, const job_info_msg_t *jobs, double asked_s, bool detailed)
{
	size_t bytes = (partition_now(r)->table_size / 64 + 1) * sizeof(uint64_t);

	s->jobs_pending = s->jobs_running = s->jobs_completing = s->cpus_allocated = 0;
	s->pending_resources = s->pending_priority = s->pending_dependency = s->pending_limit = s->pending_other = 0;
	memset(r->allocated, 0, bytes);
	memset(r->completing, 0, bytes);
	pthread_mutex_lock(r->lock);
	others_count(r, jobs);
	wt_ledger_view_begin(r->ledger, asked_s);
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];

		if (job_of_run(r, job) && job->array_job_id)
			tasks_show(r, job);
		else if (job_of_run(r, job))
			job_show(r, job, detailed);
		if (job_in_partition(r, job))
			job_sample(r, s, job);
	}
	pthread_mutex_unlock(r->lock);
}

/* Jobs that should have been there: has slurmctld restarted? */
static void view_judge(struct wt_recorder *r)
{
	struct wt_controller_info info = { 0 };
	bool suspicious;

	pthread_mutex_lock(r->lock);
	suspicious = wt_ledger_view_suspicious(r->ledger);
	pthread_mutex_unlock(r->lock);
	/* Without its time of start nothing is judged: the next view will be. */
	if (suspicious && wt_controller_info(&info, NULL) < 0)
		return;
	pthread_mutex_lock(r->lock);
	wt_ledger_view_end(r->ledger, info.boot_s, info.min_job_age_s, now_s(r));
	pthread_mutex_unlock(r->lock);
}

static bool details_wanted(struct wt_recorder *r, const job_info_msg_t *jobs)
{
	bool wanted = false;

	pthread_mutex_lock(r->lock);
	for (uint32_t i = 0; i < jobs->record_count && !wanted; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];
		struct wt_ledger_view v;

		if (!job_of_run(r, job) || job->array_job_id)	/* a task has one node */
			continue;
		v = job_view(job, r->tag);
		wanted = wt_ledger_wants_cpus(r->ledger, &v);
	}
	pthread_mutex_unlock(r->lock);
	return wanted;
}

/* Details are large (a bit for each core of each job), and wanted once for each job that shares several nodes: all jobs are
 * asked for again, with them, when such a job has started since. */
static int jobs_load(struct wt_recorder *r, job_info_msg_t **jobs, bool *detailed)
{
	*detailed = false;
	if (slurm_load_jobs(0, jobs, SHOW_ALL | SHOW_LOCAL))
		return -1;
	if (r->stop || !details_wanted(r, *jobs))
		return 0;
	slurm_free_job_info_msg(*jobs);
	*jobs = NULL;
	*detailed = true;
	return slurm_load_jobs(0, jobs, SHOW_ALL | SHOW_LOCAL | SHOW_DETAIL) ? -1 : 0;
}

static int jobs_query(struct wt_recorder *r, struct wt_sample *s)
{
	double asked_s = now_s(r);
	job_info_msg_t *jobs;
	bool detailed;

	if (jobs_load(r, &jobs, &detailed) < 0) {
		outage_note(r, slurm_strerror(errno));
		return -1;
	}
	outage_note(r, NULL);
	/* A run that ends has locked the ledger, or given it up: a late answer must not touch it. */
	if (r->stop) {
		slurm_free_job_info_msg(jobs);
		return -1;
	}
	jobs_take(r, s, jobs, asked_s, detailed);
	slurm_free_job_info_msg(jobs);
	view_judge(r);
	return 0;
}

/* ---- nodes and statistics ---- */

#define POWER_FLAGS (NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN | NODE_STATE_POWERING_UP)

static bool node_down(uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;

	if (base == NODE_STATE_DOWN || base == NODE_STATE_ERROR || base == NODE_STATE_UNKNOWN ||
	    base == NODE_STATE_FUTURE || state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		return true;
	/* What is switched off or boots does not answer, and is not expected to. */
	return state & NODE_STATE_NO_RESPOND && !(state & POWER_FLAGS);
}

static void node_count(struct wt_recorder *r, const node_info_t *node)
{
	/* slurmctld does not show nodes with State=CLOUD that are powered down, nor those with State=FUTURE. */
	if (!node->name || node->node_state & NODE_STATE_POWERED_DOWN)
		r->nodes_powered_down++;
	else if (node->node_state & NODE_STATE_POWERING_DOWN)
		r->nodes_powering_down++;
	else if (node->node_state & NODE_STATE_POWERING_UP)
		r->nodes_powering_up++;
	r->nodes_down += node->name && node_down(node->node_state);
}

/* Another node that joins may take the place of one that has left, but hardly two the places of two others of the same sum
 * between two looks. */
static bool others_joined(struct wt_recorder *r, const node_info_msg_t *nodes)
{
	uint64_t joined = 0, sum = 0;
	bool others;

	for (uint32_t i = 0; i < nodes->record_count; i++)
		if (nodes->node_array[i].name && nodes->node_array[i].node_state & NODE_STATE_DYNAMIC_NORM) {
			joined++;
			sum += i;
		}
	others = joined != r->joined || sum != r->joined_sum;
	r->joined = joined;
	r->joined_sum = sum;
	return others;
}

/* Releases of Slurm whose table of nodes grows tell more nodes than before. */
static int sets_resize(struct wt_recorder *r, uint32_t now)
{
	uint32_t before = partition_now(r)->table_size;
	size_t kept = ((before < now ? before : now) / 64 + 1) * sizeof(uint64_t);
	uint64_t *allocated = wt_nodeset_create(now), *completing = wt_nodeset_create(now);

	if (!allocated || !completing) {
		free(allocated);
		free(completing);
		return -1;
	}
	memcpy(allocated, r->allocated, kept);
	memcpy(completing, r->completing, kept);
	free(r->allocated);
	free(r->completing);
	r->allocated = allocated;
	r->completing = completing;
	return 0;
}

static void partition_follow(struct wt_recorder *r, const node_info_msg_t *nodes)
{
	const char *name = r->partition->name;
	struct wt_partition next;

	if (!r->nodes_join || !others_joined(r, nodes))
		return;
	if ((r->partition->everywhere ? wt_partition_load_all(&next, NULL) : wt_partition_load(name, &next, NULL)) < 0) {
		r->joined = r->joined_sum = UINT64_MAX;	/* once more at the next look */
	} else if (sets_resize(r, next.table_size) < 0) {
		wt_partition_clear(&next);
	} else {
		wt_partition_clear(&r->now);
		r->now = next;
		r->nodes_there = next.nodes;
	}
}

/* Only how many are down: which are allocated or completing, the jobs tell, at a small part of the price. */
static void nodes_query(struct wt_recorder *r, double now)
{
	node_info_msg_t *nodes = NULL;
	const uint64_t *members;

	if (now < r->nodes_due_s)
		return;
	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		return;
	partition_follow(r, nodes);
	members = partition_now(r)->members;
	r->nodes_down = r->nodes_powered_down = r->nodes_powering_up = r->nodes_powering_down = 0;
	for (uint32_t i = 0; i < nodes->record_count && i < partition_now(r)->table_size; i++)
		if (members[i / 64] >> (i % 64) & 1)
			node_count(r, &nodes->node_array[i]);
	slurm_free_node_info_msg(nodes);
	r->nodes_due_s = now_s(r) + QUERY_SPACING * (now_s(r) - now);
}

/* libslurm exports it, slurm.h does not declare it (its own sdiag uses it). */
extern void slurm_free_stats_response_msg(stats_info_response_msg_t *msg);

static void schedulers_note(struct wt_sample *s, const stats_info_response_msg_t *stats)
{
	s->schedule_cycle_last_us = stats->schedule_cycle_last;
	s->schedule_cycles = stats->schedule_cycle_counter;
	s->schedule_cycle_sum_us = stats->schedule_cycle_sum;
	s->schedule_depth_sum = stats->schedule_cycle_depth;
	s->schedule_queue = stats->schedule_queue_len;
	s->backfill_cycle_last_us = stats->bf_cycle_last;
	s->backfill_cycles = stats->bf_cycle_counter;
	s->backfill_cycle_sum_us = stats->bf_cycle_sum;
	s->backfill_depth = stats->bf_last_depth;
	s->backfill_queue = stats->bf_queue_len;
}

/* Without an answer the last one stays. */
static void statistics_query(struct wt_recorder *r, struct wt_sample *s)
{
	stats_info_request_msg_t request = { .command_id = STAT_COMMAND_GET };
	stats_info_response_msg_t *stats = NULL;

	if (slurm_get_statistics(&stats, &request) || !stats)
		return;
	s->rpc_queue = 0;
	s->rpc_count = s->rpc_time_us = 0;
	s->server_threads = stats->server_thread_count;
	s->agent_queue = stats->agent_queue_size;
	s->agent_count = stats->agent_count;
	schedulers_note(s, stats);
	for (uint32_t i = 0; i < stats->rpc_queue_type_count; i++)
		s->rpc_queue += stats->rpc_queue_count[i];
	for (uint32_t i = 0; i < stats->rpc_type_size; i++) {
		s->rpc_count += stats->rpc_type_cnt[i];
		s->rpc_time_us += stats->rpc_type_time[i];
	}
	pthread_mutex_lock(r->lock);
	wt_rpc_costs_see(&r->rpc_costs, stats->rpc_type_size, stats->rpc_type_id, stats->rpc_type_cnt, stats->rpc_type_time);
	pthread_mutex_unlock(r->lock);
	slurm_free_stats_response_msg(stats);
}

static void answer_give(struct wt_recorder *r, struct wt_sample *s)
{
	const struct wt_partition *p = partition_now(r);
	uint32_t busy;

	s->nodes_completing = wt_nodeset_count(r->completing, p->members, NULL, p->table_size);
	s->nodes_allocated = wt_nodeset_count(r->allocated, p->members, r->completing, p->table_size);
	s->nodes_down = r->nodes_down;
	s->nodes_powered_down = r->nodes_powered_down;
	s->nodes_powering_up = r->nodes_powering_up;
	s->nodes_powering_down = r->nodes_powering_down;
	busy = s->nodes_completing + s->nodes_allocated + s->nodes_down;
	s->nodes_idle = busy < p->nodes ? p->nodes - busy : 0;
	wt_sampler_answer(&r->sampler, s);
}

/* The next begin_s + k x interval_s at which slurmctld may be asked again, after a query that began and ended at these
 * times. */
static double due_after(const struct wt_recorder *r, double asked_s, double ended_s)
{
	double pause_s = fmin(QUERY_SPACING * (ended_s - asked_s), 4 * r->interval_s);
	double next = floor((asked_s - r->begin_s) / r->interval_s + 1e-3) + 1;

	return r->begin_s + fmax(next, ceil((ended_s + pause_s - r->begin_s) / r->interval_s)) * r->interval_s;
}

static void *recorder_main(void *arg)
{
	struct wt_recorder *r = arg;
	double slice_s = (double) wt_clock_poll_us(r->clock, SLICE_US, SLICE_VIRTUAL_US) / 1e6;

	while (!r->stop) {
		struct wt_sample s = r->sampler.answer;	/* this thread alone sets it */
		double next_s, now;
		int rc;

		s.time_s = now_s(r);
		rc = jobs_query(r, &s);
		now = now_s(r);
		next_s = due_after(r, rc ? now : s.time_s, now);
		if (!rc && !r->stop) {
			nodes_query(r, now);
			statistics_query(r, &s);
			answer_give(r, &s);
		}
		while (!r->stop && (now = now_s(r)) < next_s)
			wt_clock_sleep_until_s(r->clock, fmin(next_s, now + slice_s));
	}
	if (!*r->outage)	/* what the last jobs cost; this thread alone sets it */
		statistics_query(r, &(struct wt_sample) { 0 });
	return NULL;
}

static const struct wt_sample sample_unknown = {
	.schedule_cycles = WT_COUNT_UNKNOWN, .schedule_cycle_sum_us = WT_COUNT_UNKNOWN, .schedule_depth_sum =
		WT_COUNT_UNKNOWN,
	.schedule_queue = WT_COUNT_UNKNOWN, .backfill_cycles = WT_COUNT_UNKNOWN, .backfill_cycle_sum_us = WT_COUNT_UNKNOWN,
	.backfill_depth = WT_COUNT_UNKNOWN, .backfill_queue = WT_COUNT_UNKNOWN,
	.pending_resources = WT_COUNT_UNKNOWN, .pending_priority = WT_COUNT_UNKNOWN,
	.pending_dependency = WT_COUNT_UNKNOWN, .pending_limit = WT_COUNT_UNKNOWN, .pending_other = WT_COUNT_UNKNOWN,
	.nodes_powered_down = WT_COUNT_UNKNOWN, .nodes_powering_up = WT_COUNT_UNKNOWN,
	.nodes_powering_down = WT_COUNT_UNKNOWN,
};

static int users_read(struct wt_recorder *r, struct wt_error *errp)
{
	char *path = r->users_dir ? wt_str_format("%s/" WT_USERS_PASSWD, r->users_dir) : NULL;
	int rc = 0;

	if (r->users_dir && (!path || wt_user_names_read(&r->user, path) < 0))
		rc = wt_error_errno(errp, path ? errno : ENOMEM, "%s", path ? path : "users");
	free(path);
	return rc;
}

int wt_recorder_start(struct wt_recorder *r, struct wt_error *errp)
{
	int rc;

	r->allocated = wt_nodeset_create(r->partition->table_size);
	r->completing = wt_nodeset_create(r->partition->table_size);
	if (!r->allocated || !r->completing)
		return wt_error_errno(errp, ENOMEM, "cannot start the recorder");
	r->stop = false;
	r->nodes_there = r->partition->nodes;
	r->begin_s = now_s(r);
	if (users_read(r, errp) < 0)
		return -1;
	r->nodes_powered_down = r->nodes_powering_up = r->nodes_powering_down = WT_COUNT_UNKNOWN;
	wt_user_name(&r->user, getuid());	/* not under the lock: that may take its time */
	r->sampler = (struct wt_sampler){
		.clock = r->clock,
		.begin_s = r->begin_s,
		.interval_s = r->interval_s,
		.lock = r->lock,
		.record = wt_ledger_record_look(r->ledger),
		.pid = r->pid,
		.pid_arg = r->pid_arg,
		.profile = r->profile,
		.answer = sample_unknown,
	};
	statistics_query(r, &(struct wt_sample) { 0 });	/* what was before the first submission does not count */
	rc = wt_sampler_start(&r->sampler);
	if (rc)
		return wt_error_errno(errp, rc, "cannot start the recorder");
	rc = run_thread_create(&r->thread, recorder_main, r);
	if (!rc)
		return 0;
	wt_sampler_stop(&r->sampler);
	return wt_error_errno(errp, rc, "cannot start the recorder");
}

bool wt_recorder_join(struct wt_recorder *r, double timeout_s)
{
	bool ended;

	r->stop = true;
	ended = run_thread_join(r->thread, run_thread_until_us(r->clock, timeout_s));
	wt_sampler_stop(&r->sampler);
	return ended;
}

void wt_recorder_clear(struct wt_recorder *r)
{
	free(r->allocated);
	free(r->completing);
	r->allocated = r->completing = NULL;
	wt_partition_clear(&r->now);
	wt_rpc_costs_clear(&r->rpc_costs);
	wt_user_names_clear(&r->user);
}
