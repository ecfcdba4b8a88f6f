/* cancel.h - end a run's jobs by requests of their own, as scancel does: several under way at once, each over a connection
 * of its own.
 *
 * slurm_kill_job2() may be called by several threads: scancel does.  Jobs are taken in the order of the workload. */
#ifndef WT_HARNESS_RUN_CANCEL_H
#define WT_HARNESS_RUN_CANCEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "harness/run/ledger.h"
#include "harness/run/submit.h"

#define CANCEL_REQUESTS_MAX WT_SUBMITTERS_MAX

struct run_cancel { /* filled by the caller, constant while it is at work, except where noted */
	const struct wt_clock *clock;
	struct wt_ledger *ledger;
	pthread_mutex_t *lock; /* around the ledger and what is noted below */
	unsigned int requests; /* under way at once, 1 to CANCEL_REQUESTS_MAX */
	atomic_bool stop; /* set by any thread: no further request begins */
	/* under the lock, written by the threads */
	double first_sent_s; /* NAN: none was sent yet */
	size_t cancelled; /* jobs for which slurmctld took the request */
	char problem[256]; /* the first answer that was neither yes nor "it has ended"; "" */
	/* private */
	size_t taken;
	unsigned int started;
	pthread_t threads[CANCEL_REQUESTS_MAX];
};

/* Begin, with c->requests threads.  0, or -1 with errno; then nothing runs. */
int run_cancel_start(struct run_cancel *c, struct wt_error *errp);

/* Ends the threads; true when they have ended within 'timeout_s', or none was started. */
bool run_cancel_join(struct run_cancel *c, double timeout_s);

/* Is it time?  No job waits, from 'calm_s' on (NAN: some did at the last look), for 'after_s'.  Pure.
 * Returns the new calm_s, and *due. */
double run_cancel_look(double calm_s, double now_s, bool submitted, const struct wt_ledger_counts *counts, double after_s,
		       bool *due);

#endif
