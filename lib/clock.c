/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "lib/clock.h"

struct wt_clock {
	const char *name;
	clockid_t id;
};

static const struct wt_clock clock_real = { .name = "real", .id = CLOCK_REALTIME };
static const struct wt_clock clock_virtual = { .name = "virtual", .id = CLOCK_REALTIME };

/* What the interposition library exports, where it is loaded (harness/clock/wrap_time.c). */
static struct {
	int (*is_attached)(void);
	int64_t (*machine_ns)(void);
	int (*counts)(struct wt_clock_counts *counts);
	void (*hint_ns)(int64_t deadline_ns);
} library;
static pthread_once_t library_found = PTHREAD_ONCE_INIT;

static void find(const char *name, void *function)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	/* ISO C has no conversion from an object's pointer to a function's. */
	memcpy(function, &found, sizeof(found));
}

static void library_find(void)
{
	find("wt_clock_library_is_attached", &library.is_attached);
	find("wt_clock_library_machine_ns", &library.machine_ns);
	find("wt_clock_library_counts", &library.counts);
	find("wt_clock_library_hint_ns", &library.hint_ns);
}

static bool is_virtual(void)
{
	pthread_once(&library_found, library_find);
	/* All of them, or it is the library of another release. */
	return library.is_attached && library.machine_ns && library.counts && library.hint_ns && library.is_attached();
}

const struct wt_clock *wt_clock_own(void)
{
	return is_virtual() ? &clock_virtual : &clock_real;
}

int64_t wt_clock_wall_us(void)
{
	struct timespec ts;

	if (is_virtual())
		return library.machine_ns() / 1000;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t wt_clock_poll_us(const struct wt_clock *clock, int64_t real_us, int64_t virtual_us)
{
	return clock == &clock_virtual ? virtual_us : real_us;
}

int wt_clock_counts(struct wt_clock_counts *counts)
{
	if (is_virtual())
		return library.counts(counts);
	errno = ENOTSUP;
	return -1;
}

bool wt_clock_is_exact(const struct wt_clock *clock)
{
	struct wt_clock_counts counts;

	return clock == &clock_virtual && wt_clock_counts(&counts) == 0 && strcmp(counts.charge, "none") == 0;
}

void wt_clock_settle(const struct wt_clock *clock)
{
	if (wt_clock_is_exact(clock))
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + 1);
}

void wt_clock_hint_us(const struct wt_clock *clock, int64_t deadline_us)
{
	if (wt_clock_is_exact(clock))
		library.hint_ns(deadline_us * 1000);
}

const struct wt_clock *wt_clock_real(void)
{
	return &clock_real;
}

const char *wt_clock_name(const struct wt_clock *clock)
{
	return clock->name;
}

int64_t wt_clock_now_us(const struct wt_clock *clock)
{
	struct timespec ts;

	clock_gettime(clock->id, &ts);
	return (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int wt_clock_sleep_until_s(const struct wt_clock *clock, double deadline_s)
{
	/* One microsecond more than the cut: never before the deadline. */
	return wt_clock_sleep_until_us(clock, (int64_t) (deadline_s * 1e6) + 1);
}

int wt_clock_sleep_until_us(const struct wt_clock *clock, int64_t deadline_us)
{
	struct timespec ts = {
		.tv_sec = deadline_us / 1000000,
		.tv_nsec = (deadline_us % 1000000) * 1000,
	};
	int rc;

	/* clock_nanosleep (2) refuses times before 0, which are over. */
	if (deadline_us <= 0)
		return 0;
	rc = clock_nanosleep(clock->id, TIMER_ABSTIME, &ts, NULL);
	if (rc) {
		errno = rc;
		return -1;
	}
	return 0;
}

int64_t wt_clock_monotonic_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t wt_clock_time_s(void)
{
	return time(NULL);
}

int64_t wt_clock_thread_cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
