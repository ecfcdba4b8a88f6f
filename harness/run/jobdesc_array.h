/* jobdesc_array.h - what slurmctld is told of a job array: its tasks, and how long each of them runs where. */
#ifndef WT_HARNESS_RUN_JOBDESC_ARRAY_H
#define WT_HARNESS_RUN_JOBDESC_ARRAY_H

#include <stdint.h>

#include "harness/run/jobdesc.h"

struct wt_jobdesc_array {
	const struct wt_job *first;	/* task 0; all of them stand behind it */
	int64_t only;			/* this task alone; -1: all */
	const char *tag;
	uint32_t slots;			/* at most so many of its tasks run at a time; 0: as many as fit */
	const char *speculate;		/* a policy as sbatch --speculate has it; NULL: no copies */
};

/* After wt_jobdesc_fill () for one of the tasks.  0, or -1 with ENOMEM; wt_jobdesc_ask_clear frees what it has made. */
int wt_jobdesc_array_fill(struct wt_jobdesc *d, const struct wt_jobdesc_array *array);

#endif
