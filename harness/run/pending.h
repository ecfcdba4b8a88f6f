/* pending.h - for which reasons a job waited, and how long for each, as far as looks at it show.
 *
 * From one look to the next it counts as waiting for the reason that the first of the two saw: each sum is right to the time
 * between two looks.  Pure; times in seconds since the epoch.  A zeroed struct is one of a job that does not wait; one
 * thread at a time. */
#ifndef WT_HARNESS_RUN_PENDING_H
#define WT_HARNESS_RUN_PENDING_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"

struct wt_pending_time {
	char *reason;
	double s;
};

struct wt_pending {		/* private */
	struct wt_pending_time *times;	/* in the order in which they were first seen */
	size_t count, current;	/* current: SIZE_MAX, its reason is not known yet */
	double since_s;
	bool waiting, failed;	/* failed: out of memory */
};

/* The wait begins before the recorder has looked: what passes until the next look counts for the reason that it shows. */
void wt_pending_begin(struct wt_pending *p, double now_s);

/* A look shows that the job waits, and for what (copied; ';' and '=' in it become '_').  NULL or "": slurmctld does not
 * say for what, which counts for none. */
void wt_pending_see(struct wt_pending *p, const char *reason, double now_s);

/* It waits no more, since 'end_s' (before the last look: since then).  Of a job that does not wait: nothing. */
void wt_pending_end(struct wt_pending *p, double end_s);

/* What the last look saw: static until the next call; NULL: it does not wait, or no look has told for what. */
const char *wt_pending_now(const struct wt_pending *p);

/* *reason: the one that took longest, the first seen of equal ones; *times: "Resources=30.500;Priority=2.000", longest
 * first.  The caller frees both; both are NULL when no reason was seen.  0, or -1 with ENOMEM. */
int wt_pending_tell(const struct wt_pending *p, char **reason, char **times);

/* Which counter of a sample a pending job belongs to, by the words of Slurm's reason; NULL and "": pending_other. */
uint64_t *wt_pending_counter(struct wt_sample *sample, const char *reason);

void wt_pending_clear(struct wt_pending *p);	/* as zeroed */

#endif
