/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libwtprogress: a task's side. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "straggler/protocol/ask.h"
#include "straggler/protocol/straggler_conf_watch.h"
#include "straggler/protocol/progress_env.h"
#include "straggler/protocol/progress_file.h"
#include "straggler/protocol/publish_lock.h"
#include "straggler/protocol/start.h"
#include "lib/clock.h"
#include "plugins/straggler/task/wt_progress.h"

#define EXPORT __attribute__((visibility("default")))
#define CONF_WAIT_MS 10000	/* for a file that is being replaced */
#define ASK_MS 5000	/* at most for an answer; in the beginning less: */
#define AGAIN_US 500000
#define WITHDRAW_MS 500
#define CLOCK_SHIFT 10	/* bits below a microsecond, drawn */
#define TIMEOUT_MAX_S 1e9	/* 31 years: as good as for ever, and beyond it microseconds would not fit */

/* What wt_commit_begin () has asked for last, in this process or one that it was forked from. */
static _Atomic uint64_t acquisition;
/* -1: none, or the progress file is on another node; see publish_lock.h */
static _Atomic int right_lock = -1;

EXPORT int wt_progress(double share)
{
	const char *path = getenv(PROGRESS_ENV_FILE);
	struct progress_record record;

	if (!(share >= 0 && share <= 1)) {
		errno = EINVAL;
		return -1;
	}
	if (!path || !*path)
		return 0;
	if (progress_read(path, &record, NULL) < 0)
		return -1;
	record.sequence++;
	record.elapsed_us = wt_clock_monotonic_us() - record.start_us;
	/* The largest counts: threads and processes of a task report as they come. */
	record.progress = fmax(share, record.progress);
	return progress_write(path, &record, NULL);
}

EXPORT int wt_progress_of(double done, double total)
{
	if (!(total > 0)) {
		errno = EINVAL;
		return -1;
	}
	return wt_progress(done / total);
}

static int number_env(const char *name, uint32_t *value)
{
	const char *text = getenv(name);
	char *end;
	unsigned long got;

	*value = 0;
	if (!text || !*text)
		return -1;
	got = strtoul(text, &end, 10);
	if (*end || got > UINT32_MAX)
		return -1;
	*value = (uint32_t) got;
	return 0;
}

/* By the monotonic clock; also infinity is for ever. */
static int64_t deadline_us(double timeout_s)
{
	if (!(timeout_s >= 0 && timeout_s < TIMEOUT_MAX_S))
		return INT64_MAX;
	return wt_clock_monotonic_us() + (int64_t) (timeout_s * 1e6);
}

static int code_errno(enum port_code code)
{
	switch (code) {
	case PORT_OK:
		return 0;
	case PORT_LOST:
		return ECANCELED;
	case PORT_WAIT:
	case PORT_BUSY:
		return EBUSY;
	case PORT_UNKNOWN:
		return EAGAIN;
	case PORT_DENIED:
		return EPERM;
	case PORT_BAD:
	case PORT_NO_SESSION:
	case PORT_OLD:
		break;
	}
	return EPROTO;
}

/* A number above 'newest', which rises from call to call, whichever process of this start on whichever node calls: the
 * clocks of its nodes differ, but slurmctld tells the newest one it knows. */
static uint64_t acquisition_draw(uint64_t newest)
{
	/* A clock, since processes of one start that know nothing of each other need rising numbers; 2^54 us are 571
	 * years. */
	uint64_t now = (uint64_t) wt_clock_monotonic_us() << CLOCK_SHIFT, odd = 0;

	if (getrandom(&odd, sizeof(odd), GRND_NONBLOCK) != sizeof(odd))	/* two threads in the same microsecond */
		odd = (uintptr_t) &odd >> 4;
	now |= odd & ((1u << CLOCK_SHIFT) - 1);
	return now > newest ? now : newest + 1;
}

/* EBUSY: the question is to be asked again, with a newer number.  EPERM: this start is said to be dead. */
static int newer_draw(struct port_message *message, const struct port_reply *reply)
{
	uint64_t newest;

	if (port_newest_read(&newest, reply->text, reply->text_len, NULL) < 0)
		return EPROTO;
	/* What wt_spec_exit () leaves: every acquisition of this start is over. */
	if (newest == UINT64_MAX)
		return EPERM;
	message->acquisition = acquisition_draw(newest);
	return EBUSY;
}

/* Among a flood of others from this machine a question can get lost, and a new one comes before them. */
static int ask_ms(unsigned int tries)
{
	return tries < 6 ? 1000 : ASK_MS;
}

/* Ask until there is an answer that waiting does not change.  What is no answer never is one: munged may have gone between
 * the question and the answer, or another program may listen on the port. */
static int commit_ask(struct ask *a, struct straggler_conf *conf, const char *path, struct port_message *message,
		      double timeout_s)
{
	struct straggler_conf fresh;
	int64_t end_us = deadline_us(timeout_s);
	bool redrawn = false;
	unsigned int tries = 0;

	for (;;) {
		struct port_reply reply;
		bool answered = ask(a, message, ask_ms(tries++), &reply, NULL) == 0;
		int errnum = !answered                   ? errno
			     : reply.code == PORT_OLD ? newer_draw(message, &reply)
							 : code_errno(reply.code);
		int64_t now_us = wt_clock_now_us(wt_clock_real());

		if (!answered && straggler_conf_read(&fresh, path, NULL) == 0)	/* it may have been half written */
			*conf = fresh;
		if (errnum == 0)
			return 0;
		errno = errnum;
		/* At once, but only once: two processes that overtake each other would otherwise ask without a pause. */
		if (answered && reply.code == PORT_OLD && errnum == EBUSY && !redrawn) {
			redrawn = true;
			continue;
		}
		if ((answered && (errnum == ECANCELED || errnum == EPERM || errnum == EPROTO)) ||
		    wt_clock_monotonic_us() + AGAIN_US > end_us)
			return -1;
		wt_clock_sleep_until_us(wt_clock_real(), now_us + AGAIN_US);
	}
}

/* A process that gives up may have a question under way that arrives later: it is to take nothing then. */
static void withdraw(struct ask *a, struct port_message *message)
{
	int saved_errno = errno;
	struct port_reply reply;

	if (errno == ECANCELED || errno == EPERM)
		return;
	message->operation = WT_COMMIT_RELEASE;
	ask(a, message, WITHDRAW_MS, &reply, NULL);
	errno = saved_errno;
}

static int question_fill(struct port_message *message, enum port_commit operation)
{
	const char *text = getenv(PROGRESS_ENV_START);
	struct start start;

	if (number_env("SLURM_JOB_ID", &message->job_id) < 0 || !text || !start_read(&start, text) ||
	    getrandom(&message->nonce, sizeof(message->nonce), 0) != sizeof(message->nonce))
		return -1;
	message->kind = PORT_COMMIT;
	message->operation = operation;
	message->acquisition = operation == WT_COMMIT_ACQUIRE ? acquisition_draw(atomic_load(&acquisition)) :
		atomic_load(&acquisition);
	start_put(&start, message);
	return message->acquisition ? 0 : -1;	/* nothing to give back without wt_commit_begin () */
}

/* Not in such a job there is no other attempt.  A copy, and a later start, that slurmstepd could not follow may have one. */
static int unasked(void)
{
	if (!getenv(PROGRESS_ENV_ATTEMPT))
		return 0;
	errno = ENOTCONN;
	return -1;
}

static int commit(enum port_commit operation, const char *path, double timeout_s)
{
	struct port_message *message;
	struct straggler_conf conf;
	struct ask a = { .conf = &conf, .fd = -1 };
	int rc;

	if (straggler_conf_read_patiently(&conf, path, CONF_WAIT_MS, NULL) < 0)
		return -1;
	message = calloc(1, sizeof(*message));
	if (!message)
		return -1;
	if (question_fill(message, operation) < 0) {
		free(message);
		errno = EINVAL;
		return -1;
	}
	rc = commit_ask(&a, &conf, path, message, timeout_s);
	if (operation == WT_COMMIT_ACQUIRE) {
		if (rc < 0)
			withdraw(&a, message);
		atomic_store(&acquisition, rc < 0 ? 0 : message->acquisition);
	}
	ask_end(&a);
	free(message);
	return rc;
}

/* A file that cannot be locked is not on this node. */
static int commit_begin(const char *path, const char *progress_path, double timeout_s)
{
	int fd = publish_lock(progress_path, deadline_us(timeout_s));

	if (fd < 0 && errno == EBUSY)
		return -1;
	/* With the lock held already: else slurmstepd could find the script dead, and nothing locked, between the answer
	 * and the lock. */
	if (commit(WT_COMMIT_ACQUIRE, path, timeout_s) < 0) {
		publish_unlock(fd);
		return -1;
	}
	fd = atomic_exchange(&right_lock, fd);
	if (fd >= 0)	/* not of what has been started meanwhile */
		close(fd);
	return 0;
}

static int commit_end(enum port_commit operation, const char *path, double timeout_s)
{
	int rc = commit(operation, path, timeout_s);

	/* After slurmctld has heard, whatever it said: what was published is recorded before slurmstepd may tell of a
	 * death. */
	publish_unlock(atomic_exchange(&right_lock, -1));
	return rc;
}

/* 'operation' or nothing, where there is no slurmctld to ask. */
static int commit_any(enum port_commit operation, double timeout_s)
{
	const char *path = getenv(STRAGGLER_CONF_ENV), *progress_path = getenv(PROGRESS_ENV_FILE);

	if (!path || !*path || !progress_path)
		return unasked();
	return operation == WT_COMMIT_ACQUIRE ? commit_begin(path, progress_path, timeout_s) :
		commit_end(operation, path, timeout_s);
}

EXPORT int wt_commit_begin(double timeout_s)
{
	return commit_any(WT_COMMIT_ACQUIRE, timeout_s);
}

EXPORT int wt_commit_done(double timeout_s)
{
	return commit_any(WT_COMMIT_DONE, timeout_s);
}

EXPORT int wt_commit_release(double timeout_s)
{
	return commit_any(WT_COMMIT_RELEASE, timeout_s);
}
