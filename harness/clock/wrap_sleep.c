/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_sleep.c - functions that wait for nothing but time. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "harness/clock/participant.h"

/* slurmctld sleeps 1 us after each RPC that it throttles, to let others take a lock: no jump is worth that. */
#define SLEEP_YIELD_MAX_NS 10000

/* slurmctld's main loop (controller.c, _slurmctld_background) passes each second in ten naps only to notice a shutdown
 * early.  One nap of a second and nine of nothing is the same at a tenth of the jumps; in real time it notices as soon. */
#define NAP_US 100000
#define NAPS 10

static bool is_napper(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = strcmp(program_invocation_short_name, "slurmctld") == 0;
	return answer;
}

/* How long a nap really is: the first of ten in a row by one thread is all ten. */
static int64_t nap_ns(useconds_t us)
{
	static __thread int naps __attribute__((tls_model("initial-exec")));
	static __thread int64_t last_end_ns __attribute__((tls_model("initial-exec")));
	int64_t now_ns = participant_now_ns();

	if (us != NAP_US || !is_napper())
		return us * 1000LL;
	/* Between the naps of one second nothing is done: if time has passed, this is another loop's first. */
	if (naps > 0 && now_ns - last_end_ns < 1000000) {
		naps--;
		return 0;
	}
	naps = NAPS - 1;
	last_end_ns = now_ns + NAPS * NAP_US * 1000LL;
	return NAPS * NAP_US * 1000LL;
}

/* Sleep; on a signal -1 with EINTR and the time that was left. */
static int sleep_ns(int64_t ns, int64_t *left_ns)
{
	int64_t deadline_ns;

	if (ns <= SLEEP_YIELD_MAX_NS) {
		sched_yield();
		participant_note_no_wait();
		return 0;
	}
	deadline_ns = participant_add_ns(participant_now_ns(), ns);
	if (participant_wait(NULL, 0, true, deadline_ns) != PARTICIPANT_SIGNAL)
		return 0;
	if (left_ns) {
		*left_ns = deadline_ns - participant_now_ns();
		if (*left_ns < 0)
			*left_ns = 0;
	}
	errno = EINTR;
	return -1;
}

WT_EXPORT unsigned int sleep(unsigned int seconds)
{
	int64_t left_ns = 0;
	int saved = errno;

	if (!participant_attached())
		return REAL(sleep) (seconds);
	if (sleep_ns(seconds * WT_NS_PER_S, &left_ns) < 0) {
		errno = saved;
		return (left_ns + WT_NS_PER_S - 1) / WT_NS_PER_S;
	}
	return 0;
}

WT_EXPORT int usleep(useconds_t us)
{
	if (!participant_attached())
		return REAL(usleep) (us);
	return sleep_ns(nap_ns(us), NULL);
}

static bool is_valid(const struct timespec *ts)
{
	return ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < WT_NS_PER_S;
}

WT_EXPORT int nanosleep(const struct timespec *request, struct timespec *left)
{
	int64_t left_ns = 0;

	if (!participant_attached() || !request || !is_valid(request))
		return REAL(nanosleep) (request, left);
	if (sleep_ns(participant_timespec_ns(request), &left_ns) == 0)
		return 0;
	if (left)
		*left = participant_ns_timespec(left_ns);
	return -1;
}

WT_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *left)
{
	struct timespec changed;
	int64_t left_ns = 0;
	int64_t ns;
	int saved = errno;

	if (flags & TIMER_ABSTIME)
		request = participant_machine_until(clock, request, &changed);
	if (!participant_attached() || !request || !is_valid(request)
	    || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI))
		return REAL(clock_nanosleep) (clock, flags, request, left);
	ns = participant_timespec_ns(request);
	if (flags & TIMER_ABSTIME)
		ns -= participant_now_ns() + participant_offset_ns(clock);
	if (sleep_ns(ns, &left_ns) == 0)
		return 0;
	if (left && !(flags & TIMER_ABSTIME))
		*left = participant_ns_timespec(left_ns);
	errno = saved;
	return EINTR;
}
