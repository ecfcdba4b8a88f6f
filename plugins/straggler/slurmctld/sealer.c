/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/straggler/slurmctld/sealer.h"
#include "lib/clock.h"

STAILQ_HEAD(jobs, sealer_job);

struct worker {
	struct sealer *sealer;
	pthread_t thread;
	munge_ctx_t munge;
	double since_s;		/* it is in munge; 0: it is not */
};

struct sealer {
	pthread_mutex_t lock;
	pthread_cond_t more, fewer;	/* jobs; threads */
	struct jobs seals, unseals, done;
	size_t queued;		/* in unseals */
	bool down, stopping;
	struct sealer_job *trial;	/* put while munged is down, and not done yet */
	double again_s;		/* when munged is tried next, while it is down */
	unsigned int threads;	/* that have not ended */
	bool left;		/* by the port: the last thread frees all */
	int wake[2];
	struct worker workers[SEALER_THREADS];
};

struct sealer_job *sealer_job_create(void *owner, bool seal, uid_t uid, void *bytes, size_t len)
{
	struct sealer_job *job = calloc(1, sizeof(*job));

	if (!job) {
		free(bytes);
		return NULL;
	}
	*job = (struct sealer_job) { .owner = owner, .seal = seal, .uid = uid, .bytes = bytes, .len = len };
	return job;
}

void sealer_job_free(struct sealer_job *job)
{
	if (!job)
		return;
	/* What was unsealed may have been a session's key. */
	if (job->bytes)
		explicit_bzero(job->bytes, job->len);
	free(job->bytes);
	free(job);
}

static double now(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

/* Not a word of munged's on the credential, but that there is none. */
static bool silent(munge_err_t rc)
{
	return rc == EMUNGE_SOCKET || rc == EMUNGE_TIMEOUT || rc == EMUNGE_SNAFU;
}

static void job_do(munge_ctx_t munge, struct sealer_job *job)
{
	void *result = NULL;
	size_t len = 0;

	if (!job->seal) {
		job->rc = unseal(munge, job->bytes, job->len, &result, &len, &job->uid);
	} else {
		result = seal_for(munge, job->uid, job->bytes, job->len, NULL);
		job->rc = result ? EMUNGE_SUCCESS : EMUNGE_SOCKET;
		len = result ? strlen(result) : 0;
	}
	explicit_bzero(job->bytes, job->len);
	free(job->bytes);
	if (job->rc != EMUNGE_SUCCESS) {	/* of an expired credential there are some */
		free(result);
		result = NULL;
	}
	job->bytes = result;
	job->len = result ? len : 0;
}

static void job_fail(struct sealer_job *job)
{
	explicit_bzero(job->bytes, job->len);
	free(job->bytes);
	job->bytes = NULL;
	job->len = 0;
	job->rc = EMUNGE_SOCKET;
}

static void done_put(struct sealer *s, struct sealer_job *job)
{
	ssize_t n;

	STAILQ_INSERT_TAIL(&s->done, job, next);
	n = write(s->wake[1], "", 1);	/* full: then it will be read anyway */
	(void) n;
}

static struct sealer_job *queue_take(struct sealer *s)
{
	/* Answers first: their work is done already, and their askers wait. */
	struct jobs *jobs = STAILQ_EMPTY(&s->seals) ? &s->unseals : &s->seals;
	struct sealer_job *job = STAILQ_FIRST(jobs);

	if (!job)
		return NULL;
	STAILQ_REMOVE_HEAD(jobs, next);
	s->queued -= !job->seal;
	return job;
}

/* The job is put among those that are done. */
static void job_finish(struct sealer *s, struct sealer_job *job)
{
	if (job == s->trial)
		s->trial = NULL;
	done_put(s, job);
}

static void down_set(struct sealer *s, double now_s)
{
	struct sealer_job *job;

	s->down = true;
	s->again_s = now_s + SEALER_AGAIN_S;
	/* All that wait fail at once: each of them would wait for munged's time limit, one after the other. */
	while ((job = queue_take(s))) {
		job_fail(job);
		job_finish(s, job);
	}
}

static void jobs_free(struct jobs *jobs)
{
	struct sealer_job *job;

	while ((job = STAILQ_FIRST(jobs))) {
		STAILQ_REMOVE_HEAD(jobs, next);
		sealer_job_free(job);
	}
}

static void sealer_free(struct sealer *s)
{
	jobs_free(&s->seals);
	jobs_free(&s->unseals);
	jobs_free(&s->done);
	for (int i = 0; i < SEALER_THREADS; i++) {
		if (s->workers[i].munge)
			munge_ctx_destroy(s->workers[i].munge);
	}
	for (int i = 0; i < 2; i++) {
		if (s->wake[i] >= 0)
			close(s->wake[i]);
	}
	pthread_cond_destroy(&s->more);
	pthread_cond_destroy(&s->fewer);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Under the lock, which is left while munge works. */
static void work_at(struct sealer *s, struct worker *w, struct sealer_job *job)
{
	/* Read by sealer_down (): a munged that hangs does not return from job_do (), so only others can notice. */
	w->since_s = now();
	pthread_mutex_unlock(&s->lock);
	job_do(w->munge, job);
	pthread_mutex_lock(&s->lock);
	w->since_s = 0;
	job_finish(s, job);
	if (silent(job->rc))
		down_set(s, now());
	else
		s->down = false;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct sealer *s = w->sealer;
	struct sealer_job *job;
	bool last;

	pthread_setname_np(pthread_self(), "straggler_munge");
	pthread_mutex_lock(&s->lock);
	while (!s->stopping) {
		job = queue_take(s);
		if (job)
			work_at(s, w, job);
		else
			pthread_cond_wait(&s->more, &s->lock);
	}
	s->threads--;
	/* The last thread frees what the port has left behind; under the lock, or two could take themselves for the
	 * last. */
	pthread_cond_signal(&s->fewer);
	last = s->left && !s->threads;
	pthread_mutex_unlock(&s->lock);
	if (last)
		sealer_free(s);
	return NULL;
}

static int workers_start(struct sealer *s, const char *munge_socket)
{
	for (int i = 0; i < SEALER_THREADS; i++) {
		s->workers[i].sealer = s;
		s->workers[i].munge = seal_context(munge_socket);
		if (!s->workers[i].munge)
			return ENOMEM;
	}
	for (int i = 0; i < SEALER_THREADS; i++) {
		int rc = pthread_create(&s->workers[i].thread, NULL, work, &s->workers[i]);

		if (rc)
			return rc;
		/* After each start, not before all: when one fails only those that run are waited for. */
		pthread_mutex_lock(&s->lock);
		s->threads++;
		pthread_mutex_unlock(&s->lock);
	}
	return 0;
}

struct sealer *sealer_start(const char *munge_socket, struct wt_error *errp)
{
	struct sealer *s = calloc(1, sizeof(*s));
	pthread_condattr_t attr;
	int rc = ENOMEM;

	if (!s) {
		wt_error_errno(errp, rc, "sealer");
		return NULL;
	}
	s->wake[0] = s->wake[1] = -1;
	STAILQ_INIT(&s->seals);
	STAILQ_INIT(&s->unseals);
	STAILQ_INIT(&s->done);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_condattr_init(&attr);
	/* The end of slurmctld must not wait for an hour when the clock is set back. */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->fewer, &attr);
	pthread_condattr_destroy(&attr);
	rc = pipe2(s->wake, O_CLOEXEC | O_NONBLOCK) < 0 ? errno : workers_start(s, munge_socket);
	if (rc == 0)
		return s;
	sealer_stop(s);
	wt_error_errno(errp, rc, "threads for munge");
	return NULL;
}

void sealer_stop(struct sealer *s)
{
	int64_t until_us = wt_clock_monotonic_us() + (int64_t) (SEALER_STOP_S * 1e6);
	struct timespec until = { .tv_sec = (time_t) (until_us / 1000000), .tv_nsec = (long) (until_us % 1000000) * 1000 };
	bool hang;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stopping = true;
	pthread_cond_broadcast(&s->more);
	while (s->threads && pthread_cond_timedwait(&s->fewer, &s->lock, &until) != ETIMEDOUT)
		;
	/* A thread in a munged that hangs cannot be ended: it is left alone with the memory that it uses. */
	hang = s->threads;
	for (int i = 0; hang && i < SEALER_THREADS; i++) {
		if (s->workers[i].thread)
			pthread_detach(s->workers[i].thread);
		s->workers[i].thread = 0;
	}
	/* The last thread frees: with threads left behind that is one of them, and otherwise we, below. */
	s->left = true;
	pthread_mutex_unlock(&s->lock);
	if (hang)
		return;
	for (int i = 0; i < SEALER_THREADS; i++) {
		if (s->workers[i].thread)
			pthread_join(s->workers[i].thread, NULL);
	}
	sealer_free(s);
}

int sealer_fd(const struct sealer *s)
{
	return s->wake[0];
}

static bool room_in(const struct sealer *s, bool trusted)
{
	return s->queued < (trusted ? 2 : 1) * SEALER_QUEUE;
}

bool sealer_room(struct sealer *s, bool trusted)
{
	bool room;

	pthread_mutex_lock(&s->lock);
	room = room_in(s, trusted);
	pthread_mutex_unlock(&s->lock);
	return room;
}

bool sealer_busy(struct sealer *s)
{
	bool busy;

	pthread_mutex_lock(&s->lock);
	busy = s->queued;
	for (int i = 0; i < SEALER_THREADS; i++)
		busy = busy || s->workers[i].since_s;
	pthread_mutex_unlock(&s->lock);
	return busy;
}

/* A thread could try at once whether munged answers, and none does. */
static bool idle(const struct sealer *s)
{
	for (int i = 0; i < SEALER_THREADS && !s->trial; i++) {
		if (!s->workers[i].since_s)
			return true;
	}
	return false;
}

bool sealer_put(struct sealer *s, struct sealer_job *job, bool trusted, double now_s)
{
	bool taken;

	pthread_mutex_lock(&s->lock);
	/* While munged is down one job at a time tries it; the others are refused at once instead of waiting in vain. */
	taken = s->down ? now_s >= s->again_s && idle(s) : job->seal || room_in(s, trusted);
	if (taken) {
		s->trial = s->down ? job : s->trial;
		STAILQ_INSERT_TAIL(job->seal ? &s->seals : &s->unseals, job, next);
		s->queued += !job->seal;
		pthread_cond_signal(&s->more);
	}
	pthread_mutex_unlock(&s->lock);
	return taken;
}

struct sealer_job *sealer_take(struct sealer *s)
{
	struct sealer_job *job;
	char bytes[64];

	pthread_mutex_lock(&s->lock);
	job = STAILQ_FIRST(&s->done);
	if (job) {
		STAILQ_REMOVE_HEAD(&s->done, next);
	} else {	/* under the lock: what is done later wakes again */
		while (read(s->wake[0], bytes, sizeof(bytes)) > 0)
			;
	}
	pthread_mutex_unlock(&s->lock);
	return job;
}

bool sealer_down(struct sealer *s, double now_s)
{
	bool down;

	pthread_mutex_lock(&s->lock);
	/* Not again while it is down: the job that tries whether munged is back would fail with those that wait, as long
	 * as an earlier call hangs. */
	for (int i = 0; i < SEALER_THREADS && !s->down; i++) {
		if (s->workers[i].since_s && now_s - s->workers[i].since_s > SEALER_SLOW_S)
			down_set(s, now_s);
	}
	down = s->down;
	pthread_mutex_unlock(&s->lock);
	return down;
}
