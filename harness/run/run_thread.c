/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "harness/run/run_thread.h"

int run_thread_create(pthread_t *thread, void *(*main)(void *), void *arg)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, NULL, main, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

int64_t run_thread_until_us(const struct wt_clock *clock, double timeout_s)
{
	return wt_clock_now_us(clock) + (int64_t) (timeout_s * 1e6);
}

bool run_thread_join(pthread_t thread, int64_t until_us)
{
	struct timespec until = { .tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000 };

	return pthread_timedjoin_np(thread, NULL, &until) == 0;
}
