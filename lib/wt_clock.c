/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <time.h>

#include "wt_clock.h"

struct wt_clock {
	const char *name;
	clockid_t id;
};

static const struct wt_clock clock_real = { .name = "real", .id = CLOCK_REALTIME };

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

int wt_clock_sleep_until_us(const struct wt_clock *clock, int64_t deadline_us)
{
	struct timespec ts = {
		.tv_sec = deadline_us / 1000000,
		.tv_nsec = (deadline_us % 1000000) * 1000,
	};
	int rc;

	if (deadline_us <= 0)
		return 0;
	rc = clock_nanosleep(clock->id, TIMER_ABSTIME, &ts, NULL);
	if (rc) {
		errno = rc;
		return -1;
	}
	return 0;
}
