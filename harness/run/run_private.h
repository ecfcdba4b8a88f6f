/* run_private.h - the parts of wt_run share one struct. */
#ifndef WT_HARNESS_RUN_RUN_PRIVATE_H
#define WT_HARNESS_RUN_RUN_PRIVATE_H

#include <pthread.h>

#include "lib/clock.h"
#include "harness/live/live_feed.h"
#include "harness/run/cancel.h"
#include "record/power_log.h"
#include "harness/run/job_acts.h"
#include "harness/run/job_users.h"
#include "harness/run/provisioner.h"
#include "harness/run/run_estimate.h"
#include "harness/run/ledger.h"
#include "harness/report/metrics.h"
#include "harness/run/run_profile.h"
#include "harness/run/run_progress.h"
#include "harness/run/recorder.h"
#include "lib/str.h"
#include "harness/run/submit.h"
#include "harness/run/target.h"
#include "harness/run/world_acts.h"

struct wt_run {
	const struct wt_scenario *scenario;
	const struct wt_clock *clock;
	const char *dir;
	int lock_fd;		/* of the folder */
	uint64_t seed;
	double begin_s;
	int64_t began_wall_us;
	bool clock_taken;	/* there are clock_counts: from wt_run_clock_end () on of this run alone */
	/* life: since the clock began, which may have been before this run */
	struct wt_clock_counts clock_counts, clock_life;
	char tag[64];
	pthread_mutex_t lock;
	struct wt_progress progress;
	struct live_feed *live;	/* NULL: without --serve */
	struct wt_estimate estimate;
	int64_t shown_wall_us;	/* when the progress was last shown; 0: not yet */
	int64_t first_sent_wall_us;	/* when the first submission was seen; 0: not yet */
	struct wt_target target;
	struct wt_workload *workload;
	struct wt_ledger *ledger;
	struct wt_recorder recorder;
	struct run_profile profile;
	struct wt_submit submit;
	struct run_cancel cancel;
	struct job_acts acts;
	struct world_acts world;
	struct provisioner provisioner;
	struct wt_job_users users;
	bool cancelling;	/* it was begun */
	double calm_s;		/* since then no job waits; NAN */
	struct wt_record *record;	/* after the ledger gave it away */
	struct wt_metrics metrics;
	struct wt_power_log power;	/* of the cluster, cut to this run */
	bool power_known, power_failed;	/* nodes are switched on and off, and the log of that was read; or could not be */
	json_t *costs;		/* what nodes did and cost; NULL: not known, or not asked for */
	struct wt_error costs_why;	/* why it is not known; "" */
	struct wt_error placement_why;	/* why there are no figures of placement; "" */
	struct wt_ledger_counts counts;	/* at the end */
	json_t *real_cluster;	/* whose nodes they were before the first job; NULL: a cluster of windtunnel's */
	json_t *problems;	/* {job: why it has no end, or how many of its nodes told that they are free of it} */
	bool interrupted, stuck;	/* stuck: a thread still waits inside libslurm */
	bool own_looked, own_strange;	/* does slurmctld have the first job as it was submitted? or not (run_own.c) */
	bool misuse;		/* an option does not fit the cluster */
	uint64_t requeues;	/* how often the node side was given a job anew */
	uint32_t host_losses;	/* of the cluster's hosts, while it went on */
	bool disk_full;
	bool scenario_due;	/* scenario.json says only what was asked for: there was no room for more */
	size_t malformed;	/* lines of the nodes' events that could not be read */
	struct wt_str lost;	/* files of the folder that could not be written, by name */
	char failure[2048];		/* why the run fails; "" */
};

/* The first reason counts. */
void wt_run_fail(struct wt_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Add to the reason; the whole may be cut. */
void wt_run_fail_more(struct wt_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Make the folder logs and write scenario.json, with all that is known by now. */
int wt_run_folder_write(struct wt_run *run, struct wt_error *errp);

/* Wait for the workload's end.  Afterwards nothing is submitted any more. */
void wt_run_wait(struct wt_run *run);

/* Threads have ended: take the node side's times, take an own cluster down, write the results, print the summary. */
void wt_run_finish(struct wt_run *run);

/* On a real cluster (run_own.c).  wt_run_own_look: the run fails when slurmctld has its first job with another comment or
 * name.  wt_run_own_cancel: by the ids that slurmctld told; how many have not ended, or still have nodes. */
void wt_run_own_look(struct wt_run *run);
size_t wt_run_own_cancel(struct wt_run *run);

/* What the live page is told (run_live.c); nothing without one.  wt_run_live_tell: when it is time, or 'now'. */
void wt_run_live_begin(struct wt_run *run);
void wt_run_live_tell(struct wt_run *run, const struct wt_ledger_counts *counts, double share, double left_s, bool now);
void wt_run_live_end(struct wt_run *run);

/* The virtual clock's part in the run, if it lives by one (run_clock.c). */
void wt_run_clock_begin(struct wt_run *run);
void wt_run_clock_end(struct wt_run *run);
json_t *wt_run_clock_json(const struct wt_run *run);
json_t *wt_run_repeatable_json(const struct wt_run *run);
void wt_run_clock_print(FILE *out, const struct wt_run *run);

/* What nodes did and cost (run_costs.c).  wt_run_power_take: the cluster's power.csv, cut to the run, into the folder; 0, or
 * -1 when it could not be written.  wt_run_costs_make: into the record, and into run->costs. */
int wt_run_power_take(struct wt_run *run, struct wt_error *errp);
void wt_run_costs_make(struct wt_run *run);

/* Who rents nodes (run_provision.c); nothing without --provision.  wt_run_provision_check: can the workload be given
 * to single
 * nodes?  wt_run_provision_start: nodes are off then.  wt_run_provision_look: the run fails if it gave up.
 * wt_run_provision_json: summary.json's, after the costs. */
int wt_run_provision_check(const struct wt_run *run, struct wt_error *errp);
int wt_run_provision_start(struct wt_run *run, struct wt_error *errp);
void wt_run_provision_look(struct wt_run *run);
json_t *wt_run_provision_json(const struct wt_run *run);

/* Of jobs of windtunnel-jobs(5): which ended otherwise than the file says, and whose users were not known (run_ends.c).
 * JSON null, and nothing, for other workloads. */
json_t *wt_run_ends_json(const struct wt_run *run);
void wt_run_ends_print(FILE *out, const struct wt_run *run);

#endif
