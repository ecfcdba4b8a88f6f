/* job_tag.h - by what a run knows its jobs among slurmctld's: their comment is the run's tag, or the tag, a blank and the
 * name that the run has for the job, where the job itself has another one. */
#ifndef WT_HARNESS_RUN_JOB_TAG_H
#define WT_HARNESS_RUN_JOB_TAG_H

/* The run's name of a job with this comment and name, in one of them; NULL: not a job of the run. */
const char *wt_run_job_name(const char *comment, const char *name, const char *tag);

#endif
