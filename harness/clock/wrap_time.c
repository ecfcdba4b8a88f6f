/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_time.c - functions that tell the time. */
#include "config.h"

#include <errno.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

#include "harness/clock/pace.h"
#include "harness/clock/participant.h"
#include "lib/clock.h"

static bool is_wrapped(clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		return true;
	default:	/* CPU time is real */
		return false;
	}
}

WT_EXPORT int clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (!participant_shows_time() || !is_wrapped(clock))
		return REAL(clock_gettime) (clock, ts);
	participant_note_read();
	*ts = participant_ns_timespec(participant_now_ns() + participant_offset_ns(clock));
	return 0;
}

WT_EXPORT time_t time(time_t *t)
{
	time_t now;

	participant_note_read();
	now = pace_time_s(participant_now_ns() / WT_NS_PER_S);
	if (t)
		*t = now;
	return now;
}

WT_EXPORT int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
	int64_t now_ns;

	if (!participant_shows_time() || tz)
		return REAL(gettimeofday) (tv, tz);
	participant_note_read();
	now_ns = participant_now_ns();
	tv->tv_sec = now_ns / WT_NS_PER_S;
	tv->tv_usec = now_ns % WT_NS_PER_S / 1000;
	return 0;
}

WT_EXPORT int timespec_get(struct timespec *ts, int base)
{
	if (!participant_shows_time() || base != TIME_UTC)
		return REAL(timespec_get) (ts, base);
	*ts = participant_ns_timespec(participant_now_ns());
	return base;
}

/* Otherwise slurmd would report an up time that runs backwards against its clock, and its node would look rebooted. */
WT_EXPORT int sysinfo(struct sysinfo *info)
{
	int rc = REAL(sysinfo) (info);

	if (rc == 0 && participant_shows_time())
		info->uptime = (participant_now_ns() + participant_offset_ns(CLOCK_BOOTTIME)) / WT_NS_PER_S;
	return rc;
}

/* What lib/clock.c looks for. */
WT_EXPORT int wt_clock_library_is_attached(void);
WT_EXPORT int64_t wt_clock_library_machine_ns(void);
WT_EXPORT void wt_clock_library_hint_ns(int64_t deadline_ns);
WT_EXPORT int wt_clock_library_counts(struct wt_clock_counts *counts);

void wt_clock_library_hint_ns(int64_t deadline_ns)
{
	participant_hint(deadline_ns);
}

int wt_clock_library_is_attached(void)
{
	return participant_attached();
}

int64_t wt_clock_library_machine_ns(void)
{
	return participant_mono_ns();
}

int wt_clock_library_counts(struct wt_clock_counts *counts)
{
	static const char *const charges[] = { "none", "real", "cpu" };
	const struct wt_shm *shm = participant.shm;
	int64_t jumped_ns;

	if (!shm) {
		errno = ENOTSUP;
		return -1;
	}
	jumped_ns = shm->counts.jumped_ns;
	*counts = (struct wt_clock_counts) {
		.charge = charges[shm->charge], .charge_factor = shm->charge_permille / 1e3,
		.jumps = shm->counts.jumps, .wakes = shm->counts.wakes, .fallbacks = shm->counts.fallbacks,
		.outsiders = shm->outsiders_ever, .fallback_s = shm->counts.fallback_ns / 1e9,
		.unjumped_s = (participant_now_ns() - shm->start_ns - jumped_ns) / 1e9, .races = shm->races,
		.virtual_s = (participant_now_ns() - shm->start_ns) / 1e9,
		.wall_s = (participant_mono_ns() - shm->start_mono_ns) / 1e9,
	};
	return 0;
}
