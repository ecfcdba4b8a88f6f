/* hold.h - jobs that wait a little for a better placement: since when, and until when at most.
 *
 * Each level has its own clock, which starts when a job is first held back for that level; and a job is held back no longer
 * than the longest wait in all, counted from the first time.  A clock that has run out stays so: a job is never held back
 * again for that level, however often it is asked for.
 *
 * Pure: no Slurm; times are microseconds on the caller's time line.  Not locked: one thread at a time for each object. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_HOLD_H
#define WT_PLUGINS_SELECT_BESTFIT_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOLD_JOBS_MAX 4096	/* remembered at a time; jobs beyond that are not held back */

struct hold;	/* opaque */

enum hold_verdict {
	HOLD_START,	/* nothing to wait for, or it has never been held back */
	HOLD_BETTER,	/* it was held back, and has found what it waited for */
	HOLD_EXPIRED,	/* it was held back long enough */
	HOLD_FIRST,	/* not now: the first time for this job */
	HOLD_AGAIN,	/* not now */
};

struct hold *hold_create(void);		/* NULL with ENOMEM */
void hold_destroy(struct hold *h);	/* NULL is ignored; errno is preserved */

/* A job that could start at 'now_us' with too many switches on the levels whose bits are set in 'beyond'; it may wait
 * wait_s[level] for each, 0: not at all.  Without memory jobs are not held back.  BETTER and EXPIRED come each time. */
enum hold_verdict hold_judge(struct hold *h, uint32_t job, uint32_t beyond, const uint32_t *wait_s, uint32_t levels,
			     int64_t now_us);

/* When the first of the jobs held back may start at the latest, after 'now_us'; INT64_MAX: none. */
int64_t hold_next_us(const struct hold *h, int64_t now_us);

/* Forget the jobs that do not wait any more.  Returns how many are left.  Is called by the caller when hold_full (). */
size_t hold_purge(struct hold *h, bool (*waits)(uint32_t job, void *arg), void *arg);
bool hold_full(const struct hold *h);	/* worth a purge: twice as many as after the last one */

#endif
