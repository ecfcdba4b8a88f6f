/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm_errno.h>

#include "compat/client.h"
#include "harness/run/jobdesc_array.h"
#include "harness/run/jobdesc_ask.h"
#include "harness/run/run_thread.h"
#include "harness/run/submit.h"
#include "harness/run/submit_dependency.h"
#include "lib/str.h"

#define RETRY_S 1.0		/* before asking again what slurmctld could not take, as sbatch does */
#define SLICE_US 100000		/* how late a stop may be noticed */
#define SLICE_VIRTUAL_US 10000000
#define STAGE_VIRTUAL_US 1000000	/* how late the end of a stage may be noticed, in virtual time */

/* A lane that runs; its submitters share it. */
struct lane_run {
	struct wt_submit *submit;
	const struct wt_lane *lane;
	size_t taken;		/* jobs that a submitter has taken */
	double due_s;		/* of the job taken last; in a closed loop, after its reply: when that came */
};

static double now_s(const struct wt_submit *s)
{
	return wt_clock_now_us(s->clock) / 1e6;
}

static double look_s(const struct wt_submit *s)
{
	return (double) wt_clock_poll_us(s->clock, SLICE_US, SLICE_VIRTUAL_US) / 1e6;
}

/* false: stopped meanwhile. */
static bool sleep_until(struct wt_submit *s, double until_s)
{
	double now;

	while (!s->stop && (now = now_s(s)) < until_s) {
		double slice_s = look_s(s), next = until_s < now + slice_s ? until_s : now + slice_s;

		wt_clock_sleep_until_s(s->clock, next);
	}
	return !s->stop;
}

/* Slurm's errors of sockets begin here (slurm_errno.h, "socket specific SLURM communications error"). */
#define FIRST_SOCKET_ERROR 5000

/* Unsure is what may have reached slurmctld though its answer was lost (a timeout, a reset): sent again at once, the
 * job could be there twice. */
enum wt_submit_outcome wt_submit_classify(int errnum)
{
	switch (errnum) {
	case SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR:
	case SLURM_COMMUNICATIONS_CONNECTION_ERROR:
	case COMPAT_RECORD_COPY_ERROR:
	case ESLURM_NODES_BUSY:
	case EAGAIN:
	case ESLURM_IN_STANDBY_MODE:
	case ESLURM_IN_STANDBY_USE_BACKUP:
	case ECONNREFUSED:
		return WT_SUBMIT_RETRY;
	default:
		return errnum >= ESLURM_INVALID_PARTITION_NAME && errnum < FIRST_SOCKET_ERROR ?
			WT_SUBMIT_REFUSED : WT_SUBMIT_UNSURE;
	}
}

/* A job, or tasks of an array that are sent in one request: all of them, at first and when slurmctld has lost all, or, when
 * it has lost some, one alone. */
struct sent_tasks {
	size_t first, count;
};

static struct sent_tasks tasks_of(struct wt_submit *s, size_t i)
{
	const struct wt_job *job = &s->workload->jobs[i];
	struct sent_tasks all = { i - job->array_task, job->array_tasks ? job->array_tasks : 1 };
	enum wt_entry_phase phase;

	pthread_mutex_lock(s->lock);
	phase = wt_ledger_entry_look(s->ledger, i).phase;
	for (size_t k = 0; k < all.count; k++)
		if (wt_ledger_entry_look(s->ledger, all.first + k).phase != phase)
			all = (struct sent_tasks) { i, 1 };
	pthread_mutex_unlock(s->lock);
	return all;
}

static int array_make(const struct wt_submit *s, const struct sent_tasks *tasks, const char *dependency,
		      struct wt_jobdesc *desc)
{
	const struct wt_job *job = &s->workload->jobs[tasks->first];
	const struct wt_jobdesc_array array = {
		.first = job - job->array_task, .only = tasks->count == job->array_tasks ? -1 : (int64_t) job->array_task,
		.tag = s->tag, .slots = s->array_slots, .speculate = s->speculate,
	};

	desc->msg.dependency = (char *) dependency;
	return wt_jobdesc_array_fill(desc, &array);
}

static int desc_make(struct wt_submit *s, const struct sent_tasks *tasks, const char *dependency,
		     struct wt_jobdesc *desc)
{
	const struct wt_job *job = &s->workload->jobs[tasks->first];

	wt_jobdesc_fill(desc, job, s->probe, s->tag, s->partition, s->host, s->events);
	wt_jobdesc_put(desc, &s->place);
	if (s->users) {
		desc->msg.user_id = s->users[job->number].uid;
		desc->msg.group_id = s->users[job->number].gid;
	}
	if (job->ask) {
		desc->comment = wt_str_format("%s %s", s->tag, job->name);
		desc->msg.comment = desc->comment;
		if (!desc->comment || wt_jobdesc_ask_fill(desc, job, now_s(s), dependency) < 0)
			return -1;
	}
	if (s->hold)
		desc->msg.priority = 0;
	return job->array_tasks ? array_make(s, tasks, dependency, desc) : 0;
}

static enum wt_submit_outcome job_send(struct wt_submit *s, const struct sent_tasks *tasks, const char *dependency,
				       uint32_t *job_id, int *errnum)
{
	submit_response_msg_t *reply = NULL;
	struct wt_jobdesc desc;
	int rc = desc_make(s, tasks, dependency, &desc);

	errno = 0;
	*errnum = rc < 0 ? ENOMEM : slurm_submit_batch_job(&desc.msg, &reply) ? errno : 0;
	wt_jobdesc_ask_clear(&desc);
	if (rc < 0)
		return WT_SUBMIT_RETRY;
	if (*errnum)
		return wt_submit_classify(*errnum);
	if (!reply || !compat_job_id(reply)) {
		slurm_free_submit_response_response_msg(reply);
		*errnum = SLURM_UNEXPECTED_MSG_ERROR;
		return WT_SUBMIT_UNSURE;
	}
	*job_id = compat_job_id(reply);
	slurm_free_submit_response_response_msg(reply);
	return WT_SUBMIT_ACCEPTED;
}

static void entry_note(struct wt_submit *s, size_t i, enum wt_submit_outcome outcome, uint32_t job_id, int errnum,
		       double now)
{
	if (outcome == WT_SUBMIT_ACCEPTED && s->workload->jobs[i].array_tasks)
		wt_ledger_task_accepted(s->ledger, i, job_id, now);
	else if (outcome == WT_SUBMIT_ACCEPTED)
		wt_ledger_accepted(s->ledger, i, job_id, now);
	else if (outcome == WT_SUBMIT_RETRY)
		wt_ledger_unsent(s->ledger, i);
	else if (outcome == WT_SUBMIT_UNSURE)
		wt_ledger_unsure(s->ledger, i, slurm_strerror(errnum), now);
	else
		wt_ledger_refused(s->ledger, i, slurm_strerror(errnum), now);
}

static void outcome_note(struct wt_submit *s, const struct sent_tasks *tasks, enum wt_submit_outcome outcome,
			 uint32_t job_id, int errnum)
{
	double now = now_s(s);

	pthread_mutex_lock(s->lock);
	for (size_t k = 0; k < tasks->count; k++)
		entry_note(s, tasks->first + k, outcome, job_id, errnum, now);
	pthread_mutex_unlock(s->lock);
}

static enum wt_entry_phase entry_phase(struct wt_submit *s, size_t i)
{
	enum wt_entry_phase phase;

	pthread_mutex_lock(s->lock);
	phase = wt_ledger_entry_look(s->ledger, i).phase;
	pthread_mutex_unlock(s->lock);
	return phase;
}

/* What the job depends on.  true: go on, with *text or without; false: look at the entry again. */
static bool dependency_take(struct wt_submit *s, size_t i, char **text)
{
	const struct wt_job *job = &s->workload->jobs[i];
	enum wt_depends depends;
	struct wt_error error;

	*text = NULL;
	if (!job->waits_for && (!job->ask || !job->ask->text[WT_ASK_DEPENDENCY]))
		return true;
	pthread_mutex_lock(s->lock);
	depends = job->waits_for ? wt_submit_waits(s->ledger, s->workload, job, text, &error) :
		wt_submit_dependency(s->ledger, job, text, &error);
	if (depends == WT_DEPENDS_LOST)
		wt_ledger_refused(s->ledger, i, error.text, now_s(s));
	pthread_mutex_unlock(s->lock);
	if (depends == WT_DEPENDS_WAITS)
		sleep_until(s, now_s(s) + look_s(s));
	return depends == WT_DEPENDS_READY;
}

static enum wt_submit_outcome job_try(struct wt_submit *s, size_t i, const char *dependency)
{
	enum wt_submit_outcome outcome;
	const struct sent_tasks tasks = tasks_of(s, i);
	uint32_t job_id = 0;
	int errnum = 0;

	wt_clock_settle(s->clock);	/* what the one before has set off is done: so each run has the same order */
	pthread_mutex_lock(s->lock);
	for (size_t k = 0; k < tasks.count; k++)
		wt_ledger_sending(s->ledger, tasks.first + k, now_s(s));
	pthread_mutex_unlock(s->lock);
	outcome = job_send(s, &tasks, dependency, &job_id, &errnum);
	outcome_note(s, &tasks, outcome, job_id, errnum);
	return outcome;
}

/* Until the controller has it, or has refused it.  An unsure entry waits here for the recorder's verdict: adopted, or
 * certainly unknown to a restarted controller.  false: stop. */
static bool job_submit(struct wt_submit *s, size_t i)
{
	enum wt_submit_outcome outcome;
	char *dependency;

	while (!s->stop) {
		switch (entry_phase(s, i)) {
		case WT_ENTRY_ACCEPTED:
		case WT_ENTRY_MISSING:
			return true;
		case WT_ENTRY_REFUSED:
			return s->keep_going;
		case WT_ENTRY_UNSURE:
			sleep_until(s, now_s(s) + look_s(s));
			continue;
		default:
			break;
		}
		if (!dependency_take(s, i, &dependency))
			continue;
		outcome = job_try(s, i, dependency);
		free(dependency);
		if (outcome == WT_SUBMIT_RETRY)
			sleep_until(s, now_s(s) + RETRY_S);
	}
	return false;
}

/* The lane's next job, and when it is due.  false: every job was taken. */
static bool lane_take(struct lane_run *l, size_t *i, double *due_s)
{
	bool left;

	pthread_mutex_lock(l->submit->lock);
	left = l->taken < l->lane->count;
	if (left) {
		*i = l->lane->first + l->taken++;
		l->due_s += l->submit->workload->jobs[*i].delay_s;
		*due_s = l->due_s;
	}
	pthread_mutex_unlock(l->submit->lock);
	return left;
}

static void *submitter_main(void *arg)
{
	struct lane_run *l = arg;
	struct wt_submit *s = l->submit;
	double due_s;
	size_t i;

	while (!s->stop && lane_take(l, &i, &due_s) && sleep_until(s, due_s)) {
		if (!job_submit(s, i))
			s->stop = true;
		if (!l->lane->open_loop)	/* then no other thread uses it */
			l->due_s = now_s(s);
	}
	pthread_mutex_lock(s->lock);
	s->submitters_active--;
	pthread_mutex_unlock(s->lock);
	return NULL;
}

/* Jobs that a slurmctld has forgotten, which was killed before it had saved its state: all of them, as fast as it takes
 * them.  In virtual time the next look may be many seconds away. */
static void lost_submit(struct wt_submit *s)
{
	ssize_t i;

	do {
		pthread_mutex_lock(s->lock);
		i = wt_ledger_next_lost(s->ledger);
		pthread_mutex_unlock(s->lock);
	} while (i >= 0 && job_submit(s, i));
}

static bool stage_active(struct wt_submit *s)
{
	bool active;

	pthread_mutex_lock(s->lock);
	active = s->submitters_active > 0;
	pthread_mutex_unlock(s->lock);
	return active;
}

static size_t lane_submitters(const struct wt_submit *s, const struct wt_lane *lane)
{
	size_t most = lane->open_loop && s->submitters ? s->submitters : 1;

	return most < lane->count ? most : lane->count;
}

static bool submitter_start(struct lane_run *l, pthread_t *thread)
{
	struct wt_submit *s = l->submit;

	pthread_mutex_lock(s->lock);
	s->submitters_active++;
	pthread_mutex_unlock(s->lock);
	if (pthread_create(thread, NULL, submitter_main, l) == 0)
		return true;
	pthread_mutex_lock(s->lock);
	s->submitters_active--;
	pthread_mutex_unlock(s->lock);
	s->stop = true;
	return false;
}

static bool stage_is_last(const struct wt_submit *s, unsigned int stage)
{
	for (size_t i = 0; i < s->workload->lane_count; i++)
		if (s->workload->lanes[i].stage > stage)
			return false;
	return true;
}

static void stage_wait(struct wt_submit *s, unsigned int stage)
{
	/* Each look costs virtual time as much as a second of an idle slurmctld, and where jobs come over days this lasts
	 * for the whole run: it need not be prompt where no other stage waits for this one's end. */
	int64_t virtual_us = stage_is_last(s, stage) ? SLICE_VIRTUAL_US : STAGE_VIRTUAL_US;

	while (stage_active(s)) {
		lost_submit(s);
		wt_clock_sleep_until_us(s->clock,
					wt_clock_now_us(s->clock) + wt_clock_poll_us(s->clock, SLICE_US, virtual_us));
	}
}

/* true: the workload has this stage.  'lanes' has room for all lanes, 'threads' for all their submitters. */
static bool stage_run(struct wt_submit *s, unsigned int stage, struct lane_run *lanes, pthread_t *threads)
{
	size_t started = 0;
	bool found = false;

	for (size_t i = 0; i < s->workload->lane_count && !s->stop; i++) {
		if (s->workload->lanes[i].stage != stage)
			continue;
		found = true;
		lanes[i] = (struct lane_run) { .submit = s, .lane = &s->workload->lanes[i], .due_s = now_s(s) };
		for (size_t n = 0; n < lane_submitters(s, lanes[i].lane) && submitter_start(&lanes[i], &threads[started]);
		     n++)
			started++;
	}
	stage_wait(s, stage);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return found;
}

static void *submit_main(void *arg)
{
	struct wt_submit *s = arg;
	size_t count = s->workload->lane_count, submitters = 0;
	struct lane_run *lanes = calloc(count + 1, sizeof(*lanes));
	pthread_t *threads;

	for (size_t i = 0; i < count; i++)
		submitters += lane_submitters(s, &s->workload->lanes[i]);
	threads = calloc(submitters + 1, sizeof(*threads));
	if (!lanes || !threads)
		s->stop = true;
	for (unsigned int stage = 0; !s->stop && stage_run(s, stage, lanes, threads); stage++)
		;
	free(lanes);
	free(threads);
	/* From here on only for jobs that are lost later: slurmctld may be restarted at any time. */
	s->finished = true;
	while (!s->stop) {
		lost_submit(s);
		sleep_until(s, now_s(s) + look_s(s));
	}
	return NULL;
}

int wt_submit_start(struct wt_submit *s, struct wt_error *errp)
{
	int rc;

	s->stop = s->finished = false;
	s->submitters_active = 0;
	if (gethostname(s->host, sizeof(s->host) - 1) < 0)
		return wt_error_errno(errp, errno, "gethostname");
	rc = run_thread_create(&s->thread, submit_main, s);
	return rc ? wt_error_errno(errp, rc, "cannot start the submitter") : 0;
}

bool wt_submit_join(struct wt_submit *s, double timeout_s)
{
	s->stop = true;
	return run_thread_join(s->thread, run_thread_until_us(s->clock, timeout_s));
}
