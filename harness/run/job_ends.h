/* job_ends.h - how the jobs in one of slurmctld's answers have ended, by their ids.
 *
 * Pure. */
#ifndef WT_HARNESS_RUN_JOB_ENDS_H
#define WT_HARNESS_RUN_JOB_ENDS_H

#include <slurm/slurm.h>

#include "harness/provision/waits_for.h"

struct job_ends {
	const slurm_job_info_t **by_id;
	uint32_t count;
};

/* It lives as long as 'jobs'.  Without memory no job is known. */
struct job_ends job_ends_make(const job_info_msg_t *jobs);
/* Of an array: not known, for that has many ends. */
enum waits_end job_ends_of(const struct job_ends *ends, uint32_t job_id);
void job_ends_clear(struct job_ends *ends);

#endif
