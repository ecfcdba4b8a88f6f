/* wt_clock.h - the one way in which the harness reads time and waits.
 *
 * Times are microseconds since the Unix epoch on the clock's own time line (int64_t, suffix _us).  Pure code never uses
 * this header: it gets times as arguments.  A clock may be used by several threads at once. */
#ifndef WT_CLOCK_H
#define WT_CLOCK_H

#include <stdint.h>

struct wt_clock;	/* opaque */

/* The machine's CLOCK_REALTIME, which is also what slurmctld's time() reads.  Never fails; not to be freed. */
const struct wt_clock *wt_clock_real(void);

/* "real" or, for clocks that do not exist yet, their own word: goes into every report. */
const char *wt_clock_name(const struct wt_clock *clock);

int64_t wt_clock_now_us(const struct wt_clock *clock);

/* Sleep until 'deadline_us'; a deadline in the past returns at once.  0, or -1 with errno EINTR after a signal. */
int wt_clock_sleep_until_us(const struct wt_clock *clock, int64_t deadline_us);

#endif
