/* engine.h - carries an experiment out: one process of this program for each run, several at once if that is wanted.
 *
 * With engine_options.on the runs are tasks of job arrays instead, begun by sbatch; the folder has to be on a file system
 * that the cluster's nodes share.  A task that died without a summary.json is run again in another array, ARRAY_ATTEMPTS
 * times in all.  DIR/array.json tells of an array that may be under way, and is there before it.
 *
 * Runs are taken round by round, so that all cases meet the machine in the same moods: run 1 of each case, then run 2.  A
 * run's folder is DIR/CASE/N; what it prints goes to DIR/logs/CASE-N.log.  Call from the main thread; it catches SIGINT,
 * SIGTERM, SIGHUP and SIGCHLD while it is at work. */
#ifndef WT_HARNESS_EXPERIMENT_ENGINE_H
#define WT_HARNESS_EXPERIMENT_ENGINE_H

#include <stdbool.h>

#include "harness/experiment/array_job.h"
#include "harness/experiment/criterion.h"
#include "harness/experiment/experiment_index.h"

#define ARRAY_ATTEMPTS 3

struct engine_options {
	unsigned int jobs; /* runs at once; 0: what engine_jobs () says */
	unsigned int repeat; /* runs of each case; with 'until' at most so many */
	const struct precision *until; /* NULL: 'repeat' runs */
	bool keep_going; /* go on after a run that failed */
	bool quiet;
	const char
		*on; /* NULL: this machine; else a partition ("": the default one) of the Slurm cluster that sbatch finds */
};

struct engine_result {
	unsigned int ended, failed, found; /* runs; found: had ended before */
	bool refused; /* one of the failed: by its options, or by the real cluster (status 2) */
	unsigned int rounds; /* runs of each case that there are now */
	bool reached; /* the precision */
	/* a case of the plan no run of which has the precision's figure: no run more was begun; or NULL */
	const char *unmeasured;
	bool interrupted; /* by a signal; with 'on' also: tasks were cancelled */
	struct array_mark array; /* 'on' and interrupted by a signal: the array that goes on; else empty */
};

/* 0, or -1 with errno and *errp, when nothing can be run or written down; runs that fail are counted. */
int engine_run(const char *dir, const struct experiment *e, const struct experiment_plan *plan,
	       struct experiment_index *index, const struct engine_options *options, struct engine_result *result,
	       struct wt_error *errp);

/* How many runs can go side by side on a machine with so many CPUs and so much free memory: one, unless all cases live in
 * virtual time with a charge that does not measure the machine (none, or cpu), whose schedule another run does not change.
 */
unsigned int engine_jobs(const struct experiment_plan *plan, unsigned int cpus, double free_mib);

#endif
