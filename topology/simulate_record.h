/* simulate_record.h - what a simulation did, as the record of a run that replay.h and bound.h read.
 *
 * Pure. */
#ifndef WT_TOPOLOGY_SIMULATE_RECORD_H
#define WT_TOPOLOGY_SIMULATE_RECORD_H

#include "topology/replay.h"
#include "topology/simulate.h"

struct wt_sim_record {
	struct wt_replay_job *jobs;	/* those of the simulation, in its order */
	size_t count;
	struct wt_sim_watch watch;	/* for wt_sim_machine */
	/* of the simulation */
	const struct wt_sim_job *from;
	double release_step_s;
};

/* Before the simulation, of the jobs that it is to run; they must stay where they are.  Clear it even after failure.  0; -1
 * with ENOMEM. */
int wt_sim_record_init(struct wt_sim_record *r, const struct wt_sim_job *jobs, size_t count, double release_step_s);
void wt_sim_record_clear(struct wt_sim_record *r);

#endif
