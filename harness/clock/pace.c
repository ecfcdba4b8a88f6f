/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "harness/clock/pace.h"
#include "harness/clock/participant.h"

/* Samples of every 10, 20, 30 s (Slurm's default) ... keep their times. */
#define PROFILER_S 10

enum role { ROLE_UNKNOWN, ROLE_OTHER, ROLE_PROFILER, ROLE_SAVER };

static __thread enum role role __attribute__((tls_model("initial-exec")));
static int64_t save_interval_s;		/* 0: the saver's clock is everybody's */

void pace_init(void)
{
	const char *text = getenv(WT_SAVE_INTERVAL_ENV);
	long seconds = text ? strtol(text, NULL, 10) : 0;

	save_interval_s = seconds > 0 ? seconds : 0;
}

/* A thread has its name by the time it waits for something. */
static enum role role_find(void)
{
	char name[16] = "";

	if (role == ROLE_UNKNOWN) {
		prctl(PR_GET_NAME, name);
		role = !strcmp(name, "acctg_prof") ? ROLE_PROFILER : !strcmp(name, "sstate") ? ROLE_SAVER : ROLE_OTHER;
	}
	return role;
}

int64_t pace_until_ns(int64_t until_ns)
{
	int64_t now_ns = participant_now_ns(), left_ns = until_ns - now_ns, tick_ns = save_interval_s * WT_NS_PER_S;

	if (left_ns > WT_NS_PER_S)
		return until_ns;
	/* It counts its seconds up: nine waits for times that have passed follow each long one. */
	if (left_ns > 0 && role_find() == ROLE_PROFILER)
		return until_ns + (PROFILER_S - 1) * WT_NS_PER_S;
	if (tick_ns && role_find() == ROLE_SAVER)
		return (now_ns / tick_ns + 1) * tick_ns;
	return until_ns;
}

int64_t pace_time_s(int64_t now_s)
{
	return save_interval_s && role == ROLE_SAVER ? now_s - now_s % save_interval_s : now_s;
}
