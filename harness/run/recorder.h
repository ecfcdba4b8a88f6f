/* recorder.h - watch a run: one thread that asks slurmctld for jobs, nodes and statistics and keeps the ledger up to
 * date; a second one, the sampler, writes the series from its answers. */
#ifndef WT_HARNESS_RUN_RECORDER_H
#define WT_HARNESS_RUN_RECORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/clock.h"
#include "harness/run/controller_query.h"
#include "harness/run/job_facts.h"
#include "harness/run/ledger.h"
#include "harness/run/rpc_costs.h"
#include "harness/run/sampler.h"

struct wt_recorder {		/* filled by the caller, constant while it runs, except where noted */
	const struct wt_clock *clock;
	const char *tag;		/* comment of every job of this run */
	const struct wt_partition *partition;
	double interval_s;
	struct wt_ledger *ledger;	/* with its record, to which samples are added */
	pthread_mutex_t *lock;		/* around ledger, record, 'last', 'outage' */
	wt_sampler_pid_f pid;
	void *pid_arg;
	struct profile_log *profile;	/* NULL: not wanted */
	const char *users_dir;		/* the folder of a cluster with users of its own; NULL: this machine's */
	bool nodes_join;		/* more than 'partition' has may be there: the series counts who is */
	atomic_bool stop;		/* set by any thread */
	char outage[256];		/* why slurmctld does not answer now; "" when it does */
	uint64_t outages;
	double outage_s;		/* sum: slurmctld did not answer */
	uint64_t jobs_before;		/* that waited or ran at the first look, and are not of this run */
	struct wt_rpc_costs rpc_costs;	/* under the lock */
	atomic_uint nodes_there;	/* of the partition, at the last look */
	struct wt_sampler sampler;	/* its 'last' is for the progress display */
	/* private */
	bool looked;
	struct wt_partition now;	/* since nodes have joined, or left; else empty */
	uint64_t joined, joined_sum;	/* who had joined at the last look: how many, and the sum of their places */
	pthread_t thread;
	uint32_t nodes_down;
	uint64_t nodes_powered_down, nodes_powering_up, nodes_powering_down;
	double begin_s, nodes_due_s, outage_since_s;
	uint64_t *allocated, *completing;
	struct wt_user user;
};

/* Asks once for slurmctld's statistics, so that only what comes after is the workload's part, and starts the sampler and the
 * thread. */
int wt_recorder_start(struct wt_recorder *r, struct wt_error *errp);

/* Stop, and wait up to 'timeout_s'; false: it still waits inside libslurm and touches nothing when it returns.
 * The sampler has ended in either case.  After false it may be called again. */
bool wt_recorder_join(struct wt_recorder *r, double timeout_s);

/* The run ends: an outage that has not ended counts until now.  Under the lock. */
void wt_recorder_outage_cut(struct wt_recorder *r);

void wt_recorder_clear(struct wt_recorder *r);	/* after a join that succeeded */

#endif
