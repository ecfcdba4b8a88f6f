/* site_jobs.h - the jobs of a site: what they ask for (windtunnel-jobs(5)), and what was recorded of them.
 *
 * Pure but for streams; plain values. */
#ifndef WT_HARNESS_SITE_SITE_JOBS_H
#define WT_HARNESS_SITE_SITE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "harness/site/aliases.h"
#include "harness/site/people.h"
#include "lib/error.h"
#include "workload/swf_trace.h"

struct wt_site_job {
	struct wt_swf_job job;		/* as in jobs.jsonl; its ask is there */
	double eligible_s, start_s, end_s;	/* NAN: never, or not known */
	const char *state;		/* of recorded.csv: a constant */
	char *nodes, *partition;	/* that it had; NULL: not known */
	uint32_t node_count, cpus;	/* that it had; 0: not known */
	double billing;			/* billable TRES, as it was charged for; 0: not known */
	uint32_t requeues;
	uint32_t throttle;		/* of its array: so many of its tasks ran at once; 0: none */
	bool requeued;			/* this record ended with the job in the queue again */
	size_t line;			/* of the file */
};

struct wt_site_jobs {		/* zeroed, with what is the caller's, and wt_site_jobs_init () */
	struct wt_site_job *list;	/* by submission, once wt_site_jobs_finish () is done */
	size_t count, capacity;
	size_t read;			/* records of jobs, also of those that are left out */
	json_t *left_out, *unknown, *assumed;	/* counts by reason (reasons.h) */
	const struct wt_aliases *aliases;	/* of the caller; NULL */
	struct wt_people *people;	/* of the caller */
	uint32_t array_max;		/* no array has a task of this number: MaxArraySize of slurm.conf */
	bool skip_bad;			/* leave out, and count, what cannot be read; else it is an error */
	char first_bad[sizeof(((struct wt_error *) 0)->text)];	/* the message of the first that was left out; "" */
};

#define WT_SITE_ARRAY_MAX 1001		/* 'array_max' of a slurm.conf that does not say it, as of wt_site_jobs_init () */

/* 0, or -1 with ENOMEM. */
int wt_site_jobs_init(struct wt_site_jobs *jobs, struct wt_error *errp);
void wt_site_jobs_clear(struct wt_site_jobs *jobs);	/* errno is preserved */

/* Add what sacct has printed (sacct_rows.h).  0, or -1 with EINVAL (a line that is no record, unless skip_bad), ENOMEM, or
 * the read error. */
int wt_site_jobs_sacct(struct wt_site_jobs *jobs, FILE *in, const char *name, struct wt_error *errp);

/* Add the events of UBCCR's simulator of Slurm: lines "-dt SECONDS -e submit_batch_job | OPTIONS". */
int wt_site_jobs_events(struct wt_site_jobs *jobs, FILE *in, const char *name, struct wt_error *errp);

/* Put all in order, join the records of one job, look at dependencies.  0, or -1 with ENOMEM, or EINVAL: there is no job. */
int wt_site_jobs_finish(struct wt_site_jobs *jobs, struct wt_error *errp);

/* recorded.csv, for wt_outfile_write (): 'jobs' is a struct wt_site_jobs. */
int wt_site_jobs_recorded(FILE *out, const void *jobs, struct wt_error *errp);

/* ---- for readers ---- */

/* A job with an ask and nothing else known; NULL with ENOMEM.  It belongs to 'jobs', and is the last of the list. */
struct wt_site_job *wt_site_jobs_add(struct wt_site_jobs *jobs, const char *id, struct wt_error *errp);
void wt_site_jobs_drop_last(struct wt_site_jobs *jobs);

/* What is counted of one job counts only if the job is kept: between wt_site_jobs_begin () and wt_site_jobs_end (). */
struct wt_site_counts {
	json_t *unknown, *assumed;	/* of all jobs, meanwhile */
};

int wt_site_jobs_begin(struct wt_site_jobs *jobs, struct wt_site_counts *counts, struct wt_error *errp);
int wt_site_jobs_end(struct wt_site_jobs *jobs, struct wt_site_counts *counts, bool kept, struct wt_error *errp);

/* A bad line, told in *bad: 0 when it may be left out, else -1. */
int wt_site_jobs_bad(struct wt_site_jobs *jobs, const struct wt_error *bad, struct wt_error *errp);

/* Ask for a text under 'key' of windtunnel-jobs(5), by its alias; "" asks for nothing.  What cannot be asked for is counted.
 * 0, or -1 with ENOMEM. */
int wt_site_job_text(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *key, const char *text,
		     struct wt_error *errp);
int wt_site_job_number(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *key, double number,
		       struct wt_error *errp);

/* The user and his group (NULL: not known), who becomes one of the site's people. */
int wt_site_job_user(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *user, const char *group,
		     struct wt_error *errp);

/* The last look at a job: does windtunnel-jobs(5) have it?  0; -1 with EINVAL and what is wrong. */
int wt_site_job_check(struct wt_site_job *job, struct wt_error *errp);

/* job_dependencies.c: dependencies on jobs that are not there, or not before, are left out and counted.  A task of an array
 * with a throttle waits for the one that stands so many before it. */
int wt_site_jobs_dependencies(struct wt_site_jobs *jobs, struct wt_error *errp);

#endif
