/* provisioner.h - rents nodes for the jobs of a run beside an unmodified slurmctld, and gives them back.
 *
 * All nodes are off when the first job comes.  Jobs are submitted held.  A thread looks every two seconds of the
 * cluster's clock whether anything has happened, and if so at jobs and nodes, tells the fleet
 * (harness/provision/fleet.h), also of dependencies that slurmctld does not know to be met yet (waits_for.h), and does
 * what that decides through requests that any operator may send: a node's
 * power_up and power_down, and at its turn a job's node and release.  What it decided is kept as text (provision.csv). */
#ifndef WT_HARNESS_RUN_PROVISIONER_H
#define WT_HARNESS_RUN_PROVISIONER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "harness/provision/fleet.h"
#include "harness/run/controller_query.h"
#include "harness/run/ledger.h"
#include "harness/run/provision_program.h"
#include "lib/clock.h"
#include "lib/csv.h"
#include "lib/error.h"
#include "workload/perturb.h"

#define PROVISIONER_FILE "provision.csv"	/* in the run folder */

struct provisioner {		/* filled by the caller, constant while it is at work, except where noted */
	const struct wt_clock *clock;
	const struct wt_workload *workload;
	const struct wt_partition *partition;
	const char *tag;
	const char *cluster_dir;		/* a cluster of ours, whose nodes write what happens */
	const struct wt_perturb *perturb;	/* what a task's run time is drawn around is what is expected of it */
	uint64_t seed;
	struct wt_ledger *ledger;
	pthread_mutex_t *lock;		/* around the ledger, and what is noted below */
	struct fleet_settings settings;
	atomic_bool stop;		/* set by any thread: nothing is asked for any more */
	/* under the lock, written by the thread */
	char problem[256];		/* why it gave up; "" */
	struct fleet_counts counts;
	/* private */
	bool started;
	bool depends;	/* jobs depend on others */
	pthread_t thread;
	struct fleet *fleet;
	struct provision_program program;	/* its command is the caller's; NULL: a strategy chooses */
	char **names;			/* of nodes of the partition's table; NULL: not of the partition */
	uint32_t *job_ids, *restarts;	/* of each task */
	off_t sizes;			/* of what the nodes wrote, when last looked at */
	size_t submitted, missing;	/* jobs, likewise */
	double ask_until_s, asked_s;
	double ended_s;			/* when the last end was seen */
	time_t jobs_seen;		/* slurmctld's last_update; 0: all is asked for */
	struct wt_csv csv;		/* into a buffer */
	char *text;
	size_t text_len;
};

/* Jobs that a fleet of single nodes cannot have.  0, or -1 with EINVAL. */
int provisioner_workload_check(const struct wt_workload *w, uint32_t cpus_per_node, struct wt_error *errp);

/* Switch all nodes off and wait until they are, *cancelled ends that; then begin.  0, or -1 with errno (EINTR:
 * cancelled). */
int provisioner_start(struct provisioner *p, const volatile int *cancelled, struct wt_error *errp);

/* Ends the thread; true when it has ended within 'timeout_s', or none was started. */
bool provisioner_join(struct provisioner *p, double timeout_s);

/* After the thread: provision.csv into the run folder.  0, or -1.  Nothing if it was not started. */
int provisioner_save(struct provisioner *p, const char *dir, struct wt_error *errp);
void provisioner_clear(struct provisioner *p);

#endif
