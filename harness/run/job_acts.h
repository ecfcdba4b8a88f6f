/* job_acts.h - what is done to single jobs while a run goes on, as their workload tells: they are cancelled, or requeued, or
 * their node fails.
 *
 * A thread looks at the ledger, and so sees a job's start as late as the recorder does: an act on a job that runs may be
 * late by one look (--sample-interval). */
#ifndef WT_HARNESS_RUN_JOB_ACTS_H
#define WT_HARNESS_RUN_JOB_ACTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/run/ledger.h"
#include "lib/clock.h"
#include "lib/error.h"

enum job_act { JOB_ACT_NONE, JOB_ACT_CANCEL, JOB_ACT_REQUEUE, JOB_ACT_NODE };

struct job_acts {		/* filled by the caller, constant while it is at work, except where noted */
	const struct wt_clock *clock;
	const struct wt_workload *workload;
	struct wt_ledger *ledger;
	const char *nodes_dir;	/* the cluster's folder, if its nodes are virtual; NULL */
	pthread_mutex_t *lock;	/* around the ledger and what is noted below */
	atomic_bool stop;	/* set by any thread: no further act begins */
	/* under the lock, written by the thread */
	size_t cancelled, requeued, nodes_failed;	/* requests that slurmctld took */
	size_t refused;			/* and did not take */
	char problem[256];		/* the first such answer; "" */
	/* private */
	bool started;
	unsigned char *done;	/* of each job: acts that were sent, as bits */
	pthread_t thread;
};

/* What is due now for a job: pure.  'done' holds the acts that were sent, as bits of 1 << enum job_act. */
enum job_act job_act_due(const struct wt_job *job, const struct wt_job_record *record, unsigned int done, double now_s);

/* Begin, if the workload has such jobs at all.  0, or -1 with errno. */
int job_acts_start(struct job_acts *a, struct wt_error *errp);

/* Ends the thread; true when it has ended within 'timeout_s', or none was started. */
bool job_acts_join(struct job_acts *a, double timeout_s);
void job_acts_clear(struct job_acts *a);

#endif
