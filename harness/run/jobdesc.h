/* jobdesc.h - what is sent to slurmctld for one job: size, limit, script, environment (doc/formats.md). */
#ifndef WT_HARNESS_RUN_JOBDESC_H
#define WT_HARNESS_RUN_JOBDESC_H

#include <slurm/slurm.h>

#include "harness/run/scenario.h"
#include "workload/workload.h"

#define WT_JOBDESC_ENV_MAX 8
#define WT_JOBDESC_TRES 5

struct wt_jobdesc {		/* holds the strings that 'msg' points to */
	job_desc_msg_t msg;
	char *env[WT_JOBDESC_ENV_MAX];
	char run_time[64], probe[64], events[4096 + 32], exit_code[64], fail[64];
	char *comment, *tres[WT_JOBDESC_TRES];	/* malloc'ed, or NULL */
	char *run_times, *array_name, *tasks, *spank_env[1];	/* of an array; the same */
};

/* Slurm's time limits are whole minutes, at least one: rounded up. */
uint32_t wt_jobdesc_limit_min(const struct wt_job *job);

struct wt_jobdesc_place {	/* on a real cluster; NULL: not given */
	const char *reservation, *account, *qos;
	const char *exclude;	/* nodes, as a host list */
};

/* 'events': the file to which the job script on a real node appends events.csv rows; NULL: none.
 * 'd' must not be moved or changed while d->msg is in use; nothing is to be freed.  Every pointer must outlive it. */
void wt_jobdesc_fill(struct wt_jobdesc *d, const struct wt_job *job, enum wt_probe probe, const char *tag,
		     const char *partition, const char *host, const char *events);

/* After wt_jobdesc_fill ().  The strings must outlive 'd', too. */
void wt_jobdesc_put(struct wt_jobdesc *d, const struct wt_jobdesc_place *place);

#endif
