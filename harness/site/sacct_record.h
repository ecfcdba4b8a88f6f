/* sacct_record.h - one record of sacct as a job: when, how large, how it ended.
 *
 * What sacct(1) tells of each job, and what only its submit line tells.  Pure. */
#ifndef WT_HARNESS_SITE_SACCT_RECORD_H
#define WT_HARNESS_SITE_SACCT_RECORD_H

#include "harness/site/job_options.h"
#include "harness/site/sacct_rows.h"
#include "harness/site/site_jobs.h"

struct wt_sacct_record {	/* one that is being read */
	struct wt_site_jobs *jobs;
	const struct wt_sacct_rows *rows;
	struct wt_site_job *job;
	struct wt_job_options options;
	bool has_line;		/* 'options' are those of its submit line */
	double elapsed_s;	/* NAN: not known */
};

/* Each: 0, or -1 with ENOMEM, or EINVAL: this job cannot be taken over, and why. */
int wt_sacct_times(struct wt_sacct_record *record, struct wt_error *errp);
int wt_sacct_size(struct wt_sacct_record *record, struct wt_error *errp);	/* sacct_size.c */
int wt_sacct_end(struct wt_sacct_record *record, struct wt_error *errp);	/* sacct_end.c */

/* A time that sacct has printed, in seconds since the epoch; NAN: none.  *zoneless: it was no number. */
double wt_sacct_time(const char *text, bool *zoneless);

/* How much of 'name' a list "cpu=4,mem=8000M,gres/gpu:a100=2" has (memory in MiB); NAN: nothing. */
double wt_sacct_tres(const char *list, const char *name);

/* sacct_ids.c: the ids of a record, as windtunnel-jobs(5) has them: one, or of an array that waits, "12_[3-5,9%2]", all.
 * 'fn' gets each; when it returns -1, that ends it and is returned.  -1 with EINVAL: no such id. */
enum wt_sacct_ids_told {
	WT_SACCT_IDS_ALL,
	WT_SACCT_IDS_CUT,	/* sacct has cut the list, "12_[3,5,...]" (SLURM_BITSTR_LEN): there were more */
	WT_SACCT_IDS_BEYOND,	/* no array has tasks from 'array_max' on: those, and what follows, were not told */
};

typedef int (*wt_sacct_id_fn)(const char *id, void *arg, struct wt_error *errp);
int wt_sacct_ids(const char *job_id, uint32_t array_max, wt_sacct_id_fn fn, void *arg, struct wt_error *errp);

#endif
