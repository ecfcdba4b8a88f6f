/* jobdesc_ask.h - what a job of windtunnel-jobs(5) asks for, as slurmctld is told. */
#ifndef WT_HARNESS_RUN_JOBDESC_ASK_H
#define WT_HARNESS_RUN_JOBDESC_ASK_H

#include <stdint.h>

#include <slurm/slurm.h>

#include "harness/run/jobdesc.h"

/* Overwrite what the job asks for otherwise than by CPUs and a limit; times count from 'now_s'.  'dependency': with the ids
 * of slurmctld, or NULL.  0, or -1 with ENOMEM; wt_jobdesc_ask_clear frees what it has made. */
int wt_jobdesc_ask_fill(struct wt_jobdesc *d, const struct wt_job *job, double now_s, const char *dependency);
void wt_jobdesc_ask_clear(struct wt_jobdesc *d);

#endif
