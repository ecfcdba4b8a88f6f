/* workload.h - what is submitted, in which order, and how long each submitter waits in between.
 *
 * Pure: no Slurm, no clock; randomness comes from a seed.  A workload is a plain value that no function changes after it was
 * made; any number of threads may read it.
 *
 * Times are seconds (double, suffix _s) and already scaled: 'time_scale' multiplies run times, inter-arrival times and
 * time limits alike. */
#ifndef WT_WORKLOAD_WORKLOAD_H
#define WT_WORKLOAD_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "workload/job_ask.h"
#include "workload/world.h"

struct wt_job {
	char *name;		/* unique within the workload, e.g. "light-esp.A.17": ties a job record to its line */
	char *class_name;	/* "A" to "M", "Z" of ESP; a profile of Batsim; else the workload's name */
	char *trace_id;		/* what the trace calls it: its number, or Batsim's id; NULL: no trace */
	uint32_t number;	/* 0-based place in the workload */
	uint32_t cpus;		/* tasks of one CPU each */
	uint32_t nodes;		/* whole nodes, or 0: any nodes, shared */
	double run_time_s;
	double expected_s;	/* what strategies of renting nodes expect of it; 0: its run time before it was drawn */
	double time_limit_s;	/* what the user would ask for; Slurm rounds it up to whole minutes; NAN: the partition's */
	double delay_s;		/* wait between the reply to the lane's previous submission and this one (closed loop), or
				 * between the planned times of both (open loop); of a lane's first job: after its stage
				 * began */
	/* Of a job array, whose tasks stand beside each other in their order, in one lane, and are submitted at once: */
	uint32_t array_tasks;	/* how many it has; 0: a job of its own */
	uint32_t array_task;	/* which one this is, from 0: its name is the array's, a dot, and this */
	uint32_t waits_for;	/* begins when all tasks of the array before have completed: the number of one of them, plus
				 * 1; 0: does not wait */
	double away_s;		/* it runs so much longer on nodes other than */
	char *near;		/* these, names with commas between; NULL: it is the same everywhere */
	struct wt_job_ask *ask;	/* what else it asks for, and how it ends, scaled as the times; NULL: nothing, completed */
};

/* A row of submissions, in order.  All lanes of one stage run at the same time; a stage begins when every
 * lane of the stage before has had its last reply. */
struct wt_lane {
	char name[16];
	unsigned int stage;
	size_t first, count;	/* jobs[first .. first + count - 1] */
	bool open_loop;		/* submit at fixed times, however long replies take; what is late is submitted at once */
};

struct wt_workload {
	char *name;		/* "light-esp" */
	uint64_t seed;
	double time_scale;
	double ideal_s;		/* sum of fraction x run time over all jobs (Georgiou and Hautreux 2012, Table 1), scaled */
	size_t job_count, lane_count;
	struct wt_job *jobs;
	struct wt_lane *lanes;
	struct wt_world world;	/* times behind the first submission, scaled as those between submissions */
};

/* 'job_count' jobs, all 0 but their numbers, in one lane "main"; time scale 1.  NULL with ENOMEM. */
struct wt_workload *wt_workload_create(const char *name, size_t job_count, struct wt_error *errp);

/* Name it PREFIX.NUMBER, of the class PREFIX.  0, or -1 with ENOMEM. */
int wt_job_set_name(struct wt_job *job, const char *prefix, uint64_t number, struct wt_error *errp);

size_t wt_job_array_name_len(const struct wt_job *job);	/* of a task: so much of its name is the array's */

void wt_workload_destroy(struct wt_workload *w);	/* NULL is ignored; errno is preserved */

/* Every invariant: the lanes cut the jobs into consecutive pieces in order of their stages, names are unique, numbers count
 * up from 0, sizes are at least 1, times are finite and not negative, arrays are whole.  0, or -1 with EINVAL and the first
 * that is broken. */
int wt_workload_check(const struct wt_workload *w, struct wt_error *errp);

#endif
