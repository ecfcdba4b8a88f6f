/* submit.h - submit a workload through libslurm, in a closed loop (one thread for each lane; the next submission begins
 * delay_s after the reply to the one before) or at fixed times (threads that take the lane's jobs in turns), as the lane
 * says.
 *
 * slurm_submit_batch_job() may be called by several threads: it opens a connection for each request, reads the configuration
 * under Slurm's own lock, and keeps nothing between two calls but which of several controllers answered last. */
#ifndef WT_HARNESS_RUN_SUBMIT_H
#define WT_HARNESS_RUN_SUBMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "harness/run/jobdesc.h"
#include "harness/run/job_users.h"
#include "harness/run/ledger.h"
#include "harness/run/scenario.h"

struct wt_submit {		/* filled by the caller, constant while it runs, except where noted */
	const struct wt_clock *clock;
	const struct wt_workload *workload;
	const char *tag;		/* comment of every job of this run */
	const char *partition;		/* NULL: the default one */
	struct wt_jobdesc_place place;	/* its strings are the caller's */
	enum wt_probe probe;
	const struct wt_job_user *users;	/* as whom each job is submitted; NULL: the caller */
	const char *events;		/* where job scripts on real nodes note what they do; NULL: nowhere */
	/* Of a lane with fixed times: so many submissions may be under way at once, each over a connection of its own, and
	 * as many jobs may be taken by slurmctld in another order than the lane's.  0 is 1: jobs are taken in order. */
	unsigned int submitters;
	bool hold;			/* submit all jobs held: somebody else releases them */
	uint32_t array_slots;		/* tasks of an array that may run at a time; 0: as many as fit */
	const char *speculate;		/* of arrays, the policy for copies of slow tasks; NULL: none */
	bool keep_going;		/* do not stop at the first job that slurmctld refuses */
	struct wt_ledger *ledger;
	pthread_mutex_t *lock;		/* around the ledger */
	atomic_bool stop;		/* set by any thread: no further submission begins */
	atomic_bool finished;		/* set by the thread: every job was accepted, or refused, or it stopped */
	/* private */
	pthread_t thread;
	unsigned int submitters_active;
	char host[256];
};

/* What a failed submission means, from its errno.  RETRY: it was not sent (no connection), or slurmctld said that it cannot
 * take a job now (the codes on which sbatch tries again, and a standby controller).  REFUSED: slurmctld said no.  UNSURE:
 * all other errors of communication come after sending, so slurmctld may have the job. */
enum wt_submit_outcome { WT_SUBMIT_ACCEPTED, WT_SUBMIT_RETRY, WT_SUBMIT_UNSURE, WT_SUBMIT_REFUSED };
enum wt_submit_outcome wt_submit_classify(int errnum);

/* Start the thread that runs the lanes, stage after stage, and then submits again what a restarted controller has lost,
 * until 'stop'. */
int wt_submit_start(struct wt_submit *s, struct wt_error *errp);

/* After 'stop': wait up to 'timeout_s' for the threads.  false: one still waits inside libslurm (which gives up after
 * MessageTimeout); it does nothing more than return, but 's' must stay. */
bool wt_submit_join(struct wt_submit *s, double timeout_s);

#endif
