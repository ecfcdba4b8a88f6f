/* wt_recorder.h - watch a run: one thread that asks slurmctld for jobs, nodes and statistics, keeps the ledger up to date and
 * samples the series. */
#ifndef WT_RECORDER_H
#define WT_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "wt_clock.h"
#include "wt_controller.h"
#include "wt_ledger.h"

/* Where slurmctld's process is now: it changes when a supervisor restarts it.  0: not on this machine. */
typedef pid_t (*wt_recorder_pid_f)(void *arg);

struct wt_recorder {		/* filled by the caller, constant while it runs, except where noted */
	const struct wt_clock *clock;
	const char *tag;		/* comment of every job of this run */
	const struct wt_partition *partition;
	double interval_s;
	struct wt_ledger *ledger;	/* with its record, to which samples are added */
	pthread_mutex_t *lock;		/* around ledger, record, 'last', 'outage' */
	wt_recorder_pid_f pid;
	void *pid_arg;
	atomic_bool stop;		/* set by anyone */
	struct wt_sample last;		/* for the progress display */
	char outage[256];		/* why slurmctld does not answer now; "" when it does */
	uint64_t outages, controller_restarts;
	double outage_s;		/* sum: slurmctld did not answer */
	/* private */
	pthread_t thread;
	pid_t controller_pid;
	double cpu_begin_s, cpu_before_s, cpu_last_s;
	uint64_t rss_last_kib;
	uint32_t nodes_down;
	double nodes_due_s, outage_since_s;
	uint64_t *allocated, *completing;
};

/* Reads the controller's CPU time once, so that only what comes after is the workload's part, and starts the thread. */
int wt_recorder_start(struct wt_recorder *r, struct wt_error *errp);

/* After 'stop': wait up to 'timeout_s'; false: it still waits inside libslurm and touches nothing when it returns. */
bool wt_recorder_join(struct wt_recorder *r, double timeout_s);

/* CPU seconds of slurmctld since the start, over its restarts; NAN when it is not on this machine. */
double wt_recorder_controller_cpu_s(const struct wt_recorder *r);

void wt_recorder_clear(struct wt_recorder *r);	/* after a join that succeeded */

#endif
