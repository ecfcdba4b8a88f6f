/* target.h - the cluster that a run uses: one of its own, a running one of "windtunnel cluster", or a real one. */
#ifndef WT_HARNESS_RUN_TARGET_H
#define WT_HARNESS_RUN_TARGET_H

#include "lib/clock.h"
#include "harness/run/controller_query.h"
#include "harness/run/real_target.h"
#include "harness/run/run_progress.h"
#include "harness/run/scenario.h"

struct wt_target {
	struct wt_cluster *cluster;	/* NULL: a real cluster */
	char *own_name;			/* a cluster that wt_target_close must take down, or NULL */
	struct wt_partition partition;
	struct wt_controller_info info;
	struct real_machine real;	/* of a real cluster */
	/* where the run begins in its files */
	uint32_t host_losses;
	off_t events_offset, ctld_log_offset, vnoded_log_offset, daemons_log_offset;
};

/* Start or find the cluster that 'scenario' asks for, and read what a run has to know of it.  -1 with errno (EINTR: a
 * signal) and *errp; nothing is left then, but the logs of a cluster that failed to start, in the run folder 'dir'. */
int wt_target_open(struct wt_target *t, const struct wt_scenario *scenario, const struct wt_clock *clock, const char *dir,
		   struct wt_progress *progress, struct wt_error *errp);

/* Only look: what a workload's size depends on.  Starts nothing. */
int wt_target_look(struct wt_target *t, const struct wt_scenario *scenario, struct wt_error *errp);

/* Copy slurm.conf and logs into the run folder. */
int wt_target_save(const struct wt_target *t, const char *dir, struct wt_error *errp);

const char *wt_target_backend(const struct wt_target *t);

/* The events.csv that job scripts shall append to, or NULL: the nodes are virtual and write it themselves, or are not
 * ours.  Without a '/' in front it lies in the folder of slurm.conf on the node. */
const char *wt_target_script_events(const struct wt_target *t);

/* Wait until the events of nodes on other hosts have come, for seconds at most; at once where all are on this machine. */
void wt_target_events_settle(const struct wt_target *t);

/* How often a host of the cluster (--hosts) was lost since the run began. */
uint32_t wt_target_host_losses(const struct wt_target *t);

/* wt_sampler_pid_f: slurmctld's pid now; 'arg' is a struct wt_target *. */
pid_t wt_target_controller_pid(void *arg);

/* Take an own cluster down.  -1 when that failed. */
int wt_target_close(struct wt_target *t, struct wt_error *errp);

#endif
