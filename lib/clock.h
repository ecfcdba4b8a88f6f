/* clock.h - the one way in which the harness reads time and waits.
 *
 * Times are microseconds since the Unix epoch on the clock's own time line (int64_t, suffix _us).  Pure code never uses
 * this header: it gets times as arguments.  A clock may be used by several threads at once. */
#ifndef WT_LIB_CLOCK_H
#define WT_LIB_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct wt_clock;	/* opaque */

/* CLOCK_REALTIME as this process sees it, which is also what slurmctld's time() reads.  Never fails; not to be freed. */
const struct wt_clock *wt_clock_real(void);

/* The same, under the name of what it is: "virtual" when this process takes part in a virtual clock (doc/design-clock.md:
 * then the machine's time is not to be seen but with wt_clock_wall_us ()), else "real". */
const struct wt_clock *wt_clock_own(void);

/* The second that time () tells: up to a few milliseconds behind wt_clock_real ().  For code that must see the same as
 * Slurm. */
int64_t wt_clock_time_s(void);

/* The machine's CLOCK_MONOTONIC, whatever clock this process lives by: for how long people wait. */
int64_t wt_clock_wall_us(void);

/* How often a loop should look for what it cannot wait for: 'real_us' on a real clock, 'virtual_us' in virtual time, where
 * each look costs a jump and a second passes in a moment. */
int64_t wt_clock_poll_us(const struct wt_clock *clock, int64_t real_us, int64_t virtual_us);

/* What a virtual clock has done until now.  -1 with errno ENOTSUP when this process has none. */
struct wt_clock_counts {
	const char *charge;		/* "none", "real", "cpu": what a busy controller costs */
	double charge_factor;
	uint64_t jumps, wakes, fallbacks, outsiders;
	double virtual_s, wall_s;	/* since the clock began */
	double fallback_s;		/* of wall time, during which it could not jump */
	double unjumped_s;		/* of virtual_s, what passed at the machine's rate or was charged */
	/* charge none: how often threads met at a lock, and the machine decided which came first */
	uint64_t races;
};
int wt_clock_counts(struct wt_clock_counts *counts);

/* "real" or "virtual": goes into every report. */
const char *wt_clock_name(const struct wt_clock *clock);

/* True in virtual time whose clock stands while any thread works: then a run can repeat itself to the microsecond. */
bool wt_clock_is_exact(const struct wt_clock *clock);

/* On an exact clock: wait until no thread has anything to do at this moment (a microsecond then passes).  Else nothing. */
void wt_clock_settle(const struct wt_clock *clock);

/* On an exact clock: the calling thread's next poll (2) or epoll_wait (2) ends at 'deadline_us' even when its own limit,
 * which counts milliseconds, is later.  Else nothing. */
void wt_clock_hint_us(const struct wt_clock *clock, int64_t deadline_us);

int64_t wt_clock_now_us(const struct wt_clock *clock);

/* Sleep until 'deadline_us'; a deadline in the past returns at once.  0, or -1 with errno EINTR after a signal. */
int wt_clock_sleep_until_us(const struct wt_clock *clock, int64_t deadline_us);

/* The same in seconds, rounded up: afterwards the clock does not show less, however seconds are computed from it.  (A loop
 * "while it shows less, sleep" would otherwise turn for ever on a clock that stands meanwhile.) */
int wt_clock_sleep_until_s(const struct wt_clock *clock, double deadline_s);

/* CLOCK_MONOTONIC as this process sees it (virtual in virtual time): for intervals within one machine, whatever happens to
 * its wall clock. */
int64_t wt_clock_monotonic_us(void);

/* CPU time of the calling thread: what a computation costs, whatever else the machine does. */
int64_t wt_clock_thread_cpu_us(void);

#endif
