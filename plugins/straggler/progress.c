/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libwtprogress: a task's side. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "ask.h"
#include "progress_env.h"
#include "progress_file.h"
#include "start.h"
#include "wt_clock.h"
#include "wt_progress.h"

#define EXPORT __attribute__((visibility("default")))
#define ASK_MS 5000
#define AGAIN_US 500000

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

static int code_errno(enum wt_beat_code code)
{
	switch (code) {
	case WT_BEAT_OK:
		return 0;
	case WT_BEAT_LOST:
		return ECANCELED;
	case WT_BEAT_WAIT:
	case WT_BEAT_BUSY:
		return EBUSY;
	case WT_BEAT_UNKNOWN:
		return EAGAIN;
	case WT_BEAT_DENIED:
		return EPERM;
	case WT_BEAT_BAD:
	case WT_BEAT_NO_SESSION:
		break;
	}
	return EPROTO;
}

/* Ask until there is an answer that waiting does not change.  What is no answer never is one: munged may have gone between the
 * question and the answer, or somebody else may listen on the port. */
static int commit_ask(struct ask *a, struct wt_beat *beat, double timeout_s)
{
	int64_t end_us = timeout_s < 0 ? INT64_MAX : wt_clock_monotonic_us() + (int64_t) (timeout_s * 1e6);

	for (;;) {
		struct wt_beat_reply reply;
		bool answered = ask(a, beat, ASK_MS, &reply, NULL) == 0;
		int errnum = answered ? code_errno(reply.code) : errno;
		int64_t now_us = wt_clock_now_us(wt_clock_real());

		if (errnum == 0)
			return 0;
		errno = errnum;
		if ((answered && (errnum == ECANCELED || errnum == EPERM || errnum == EPROTO)) || wt_clock_monotonic_us() + AGAIN_US > end_us)
			return -1;
		wt_clock_sleep_until_us(wt_clock_real(), now_us + AGAIN_US);
	}
}

static int commit(enum wt_beat_commit operation, double timeout_s)
{
	const char *path = getenv(SPECCONF_ENV), *text = getenv(PROGRESS_ENV_START);
	struct wt_beat *beat;
	struct start start;
	struct specconf conf;
	struct ask a = { .conf = &conf, .fd = -1 };
	int rc;

	if (!path || !*path || !getenv(PROGRESS_ENV_FILE))	/* not in such a job: there is no other attempt */
		return 0;
	if (specconf_read(&conf, path, NULL) < 0)
		return -1;
	beat = calloc(1, sizeof(*beat));
	if (!beat)
		return -1;
	beat->kind = WT_BEAT_COMMIT;
	beat->operation = operation;
	if (number_env("SLURM_JOB_ID", &beat->job_id) < 0 || !text || !start_read(&start, text) ||
	    getrandom(&beat->nonce, sizeof(beat->nonce), 0) != sizeof(beat->nonce)) {
		free(beat);
		errno = EINVAL;
		return -1;
	}
	start_put(&start, beat);
	rc = commit_ask(&a, beat, timeout_s);
	ask_end(&a);
	free(beat);
	return rc;
}

EXPORT int wt_commit_begin(double timeout_s)
{
	return commit(WT_COMMIT_ACQUIRE, timeout_s);
}

EXPORT int wt_commit_done(double timeout_s)
{
	return commit(WT_COMMIT_DONE, timeout_s);
}

EXPORT int wt_commit_release(double timeout_s)
{
	return commit(WT_COMMIT_RELEASE, timeout_s);
}
