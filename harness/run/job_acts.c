/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "compat/job_id.h"
#include "harness/run/job_acts.h"
#include "harness/run/node_fail.h"
#include "harness/run/run_thread.h"
#include "harness/run/submit.h"

#define LOOK_US         200000
#define LOOK_VIRTUAL_US 1000000

static bool runs(const struct wt_job_record *r)
{
	return r->state == WT_JOB_RUNNING && isfinite(r->start_s);
}

enum job_act job_act_due(const struct wt_job *job, const struct wt_job_record *r, unsigned int done, double now_s)
{
	const struct wt_job_ask *ask = job->ask;
	double cancel_s, requeue_s;

	if (!ask || !r->job_id || wt_job_state_final(r->state) || !isfinite(r->submit_s))
		return JOB_ACT_NONE;
	cancel_s = r->submit_s + ask->number[WT_ASK_CANCEL_AFTER_S];
	/* Cancelled without a time: when its run time is over. */
	if (isnan(cancel_s) && runs(r))
		cancel_s = r->start_s + job->run_time_s;
	if (ask->end == WT_END_CANCELLED && now_s >= cancel_s && !(done & 1u << JOB_ACT_CANCEL))
		return JOB_ACT_CANCEL;
	if (ask->end == WT_END_NODE_FAILURE && runs(r) && now_s >= r->start_s + job->run_time_s &&
	    !(done & 1u << JOB_ACT_NODE))
		return JOB_ACT_NODE;
	requeue_s = runs(r) ? r->start_s + ask->number[WT_ASK_REQUEUE_AFTER_S] : NAN;
	return now_s >= requeue_s && !(done & 1u << JOB_ACT_REQUEUE) ? JOB_ACT_REQUEUE : JOB_ACT_NONE;
}

static bool has_acts(const struct wt_job *job)
{
	return job->ask && (job->ask->end == WT_END_CANCELLED || job->ask->end == WT_END_NODE_FAILURE ||
			    !isnan(job->ask->number[WT_ASK_REQUEUE_AFTER_S]));
}

/* The next job from *index on with an act that is due. */
static enum job_act act_take(struct job_acts *a, size_t *index, uint32_t *job_id)
{
	enum job_act act = JOB_ACT_NONE;
	double now_s = (double) wt_clock_now_us(a->clock) / 1e6;
	const struct wt_record *record;

	pthread_mutex_lock(a->lock);
	record = wt_ledger_record_look(a->ledger);
	for (; *index < a->workload->job_count && act == JOB_ACT_NONE; ++*index) {
		size_t i = *index;

		if (!has_acts(&a->workload->jobs[i]) ||
		    wt_ledger_entry_look(a->ledger, i).phase != WT_ENTRY_ACCEPTED)
			continue;
		act = job_act_due(&a->workload->jobs[i], &record->jobs[i], a->done[i], now_s);
		*job_id = record->jobs[i].job_id;
		/* Noted before the request is sent: whatever slurmctld answers, one act is asked for once. */
		a->done[i] |= (unsigned char) (act == JOB_ACT_NONE ? 0 : 1u << act);
	}
	pthread_mutex_unlock(a->lock);
	return act;
}

static void node_do(struct job_acts *a, uint32_t job_id)
{
	struct wt_error error;
	int rc = node_fail(a->clock, a->nodes_dir, job_id, &a->stop, &error);

	pthread_mutex_lock(a->lock);
	if (rc > 0)
		a->nodes_failed++;
	else if (rc < 0 && !a->refused++)
		snprintf(a->problem, sizeof(a->problem), "the node of job %u did not fail: %.200s", job_id, error.text);
	pthread_mutex_unlock(a->lock);
}

static void answer_note(struct job_acts *a, enum job_act act, uint32_t job_id, int errnum)
{
	pthread_mutex_lock(a->lock);
	if (!errnum && act == JOB_ACT_CANCEL) {
		a->cancelled++;
	} else if (!errnum) {
		a->requeued++;
	} else if (errnum != ESLURM_ALREADY_DONE && errnum != ESLURM_INVALID_JOB_ID) {
		if (!a->refused++)
			snprintf(a->problem, sizeof(a->problem), "slurmctld did not %s job %u: %s",
				 act == JOB_ACT_CANCEL ? "cancel" : "requeue", job_id, slurm_strerror(errnum));
	}
	pthread_mutex_unlock(a->lock);
}

/* Until slurmctld has answered. */
static void act_do(struct job_acts *a, enum job_act act, uint32_t job_id)
{
	char id[16];
	int errnum, rc;

	if (act == JOB_ACT_NODE) {
		node_do(a, job_id);
		return;
	}
	snprintf(id, sizeof(id), "%u", job_id);
	for (;;) {
		wt_clock_settle(a->clock);
		errno = 0;
		rc = act == JOB_ACT_CANCEL ? slurm_kill_job2(id, SIGKILL, 0, NULL) : slurm_requeue(COMPAT_JOB(job_id), 0);
		errnum = rc ? errno : 0;
		if (!errnum || wt_submit_classify(errnum) == WT_SUBMIT_REFUSED || a->stop)
			break;
		wt_clock_sleep_until_us(a->clock, wt_clock_now_us(a->clock) + wt_clock_poll_us(a->clock, LOOK_US,
											      LOOK_VIRTUAL_US));
	}
	answer_note(a, act, job_id, errnum);
}

static void *acts_main(void *arg)
{
	struct job_acts *a = arg;

	while (!a->stop) {
		uint32_t job_id = 0;
		enum job_act act;
		size_t index = 0;

		while (!a->stop && (act = act_take(a, &index, &job_id)) != JOB_ACT_NONE)
			act_do(a, act, job_id);
		wt_clock_sleep_until_us(a->clock, wt_clock_now_us(a->clock) + wt_clock_poll_us(a->clock, LOOK_US,
											      LOOK_VIRTUAL_US));
	}
	return NULL;
}

int job_acts_start(struct job_acts *a, struct wt_error *errp)
{
	const struct wt_workload *w = a->workload;
	size_t i = 0;
	int rc;

	while (i < w->job_count && !has_acts(&w->jobs[i]))
		i++;
	if (i == w->job_count)
		return 0;
	a->done = calloc(w->job_count, sizeof(*a->done));
	if (!a->done)
		return wt_error_errno(errp, ENOMEM, "cannot start to act on jobs");
	rc = run_thread_create(&a->thread, acts_main, a);
	a->started = rc == 0;
	return rc ? wt_error_errno(errp, rc, "cannot start to act on jobs") : 0;
}

bool job_acts_join(struct job_acts *a, double timeout_s)
{
	a->stop = true;
	if (a->started)
		a->started = !run_thread_join(a->thread, run_thread_until_us(a->clock, timeout_s));
	return !a->started;
}

void job_acts_clear(struct job_acts *a)
{
	free(a->done);
	a->done = NULL;
}
