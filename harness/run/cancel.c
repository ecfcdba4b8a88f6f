/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "harness/run/cancel.h"
#include "harness/run/run_thread.h"

#define AGAIN_US         1000000 /* before asking again what slurmctld did not answer */
#define AGAIN_VIRTUAL_US 10000000

double run_cancel_look(double calm_s, double now_s, bool submitted, const struct wt_ledger_counts *counts, double after_s,
		       bool *due)
{
	*due = false;
	if (!submitted || counts->pending || counts->unsure)
		return NAN;
	if (isnan(calm_s))
		calm_s = now_s;
	*due = now_s - calm_s >= after_s;
	return calm_s;
}

/* The next job that has not ended, and notes when the first request is sent.  false: there is none. */
static bool job_take(struct run_cancel *c, size_t *index, uint32_t *job_id)
{
	const struct wt_record *record;
	bool found = false;

	pthread_mutex_lock(c->lock);
	record = wt_ledger_record_look(c->ledger);
	while (!found && c->taken < record->job_count) {
		found = wt_ledger_entry_look(c->ledger, c->taken).phase == WT_ENTRY_ACCEPTED &&
			!wt_job_state_final(record->jobs[c->taken].state);
		*index = c->taken++;
	}
	if (found) {
		*job_id = record->jobs[*index].job_id;
		if (isnan(c->first_sent_s))
			c->first_sent_s = (double) wt_clock_now_us(c->clock) / 1e6;
	}
	pthread_mutex_unlock(c->lock);
	return found;
}

/* A job may end by itself between the look at the ledger and slurmctld's answer: that is no failure of the request. */
static bool ended_already(int errnum)
{
	return errnum == ESLURM_ALREADY_DONE || errnum == ESLURM_INVALID_JOB_ID;
}

static void answer_note(struct run_cancel *c, size_t index, int errnum)
{
	pthread_mutex_lock(c->lock);
	if (!errnum)
		c->cancelled++;
	else if (!ended_already(errnum) && !*c->problem)
		snprintf(c->problem, sizeof(c->problem), "slurmctld did not cancel %s: %s",
			 wt_ledger_record_look(c->ledger)->jobs[index].name, slurm_strerror(errnum));
	pthread_mutex_unlock(c->lock);
}

/* Until slurmctld has answered: to cancel a job twice does no harm. */
static void job_cancel(struct run_cancel *c, size_t index, uint32_t job_id)
{
	char id[16];
	int errnum;

	snprintf(id, sizeof(id), "%u", job_id);
	for (;;) {
		wt_clock_settle(c->clock); /* as between submissions: the same order each time */
		errno = 0;
		errnum = slurm_kill_job2(id, SIGKILL, 0, NULL) ? errno : 0;
		if (!errnum || wt_submit_classify(errnum) == WT_SUBMIT_REFUSED || c->stop)
			break;
		wt_clock_sleep_until_us(c->clock,
					wt_clock_now_us(c->clock) + wt_clock_poll_us(c->clock, AGAIN_US, AGAIN_VIRTUAL_US));
	}
	answer_note(c, index, errnum);
}

/* Several of these threads share the list, each with one request under way, as scancel's do. */
static void *cancel_main(void *arg)
{
	struct run_cancel *c = arg;
	uint32_t job_id = 0;
	size_t index = 0;

	while (!c->stop && job_take(c, &index, &job_id))
		job_cancel(c, index, job_id);
	return NULL;
}

int run_cancel_start(struct run_cancel *c, struct wt_error *errp)
{
	int rc = 0;

	c->stop = false;
	c->first_sent_s = NAN;
	c->cancelled = c->taken = 0;
	*c->problem = '\0';
	for (c->started = 0; rc == 0 && c->started < c->requests; c->started += rc == 0)
		rc = run_thread_create(&c->threads[c->started], cancel_main, c);
	if (rc == 0)
		return 0;
	c->stop = true;
	run_cancel_join(c, 0);
	return wt_error_errno(errp, rc, "cannot start to cancel jobs");
}

bool run_cancel_join(struct run_cancel *c, double timeout_s)
{
	int64_t until_us;

	c->stop = true;
	if (!c->started)
		return true;
	until_us = run_thread_until_us(c->clock, timeout_s);
	for (; c->started; c->started--)
		if (!run_thread_join(c->threads[c->started - 1], until_us))
			return false;
	return true;
}
