/* pace.h - threads of Slurm that look at the clock each second only to see whether enough of them have passed.
 *
 * Each look is a jump of the clock.  Such threads wait for longer at once:
 * - a slurmstepd's "acctg_prof" (slurm_acct_gather_profile.c) counts the seconds up that it has waited, and gets ten of
 *   them;
 * - slurmctld's "sstate" saves what has changed once five seconds have passed since it did so
 *   last.  Only with WT_SAVE_INTERVAL_ENV: its own clock then goes on once in so many seconds, at multiples of them, and it
 *   waits for the next.  What asks it to end does so at once, as ever. */
#ifndef WT_HARNESS_CLOCK_PACE_H
#define WT_HARNESS_CLOCK_PACE_H

#include <stdint.h>

/* Once, when this process takes part in a clock. */
void pace_init(void);

/* Until when the calling thread waits for a condition when it asks for 'until_ns', virtual. */
int64_t pace_until_ns(int64_t until_ns);

/* What time (2) tells the calling thread at 'now_s'. */
int64_t pace_time_s(int64_t now_s);

#endif
