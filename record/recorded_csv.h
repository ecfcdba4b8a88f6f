/* recorded_csv.h - recorded.csv of a site's folder (windtunnel-site(5)): what the site recorded of each job.  Pure. */
#ifndef WT_RECORD_RECORDED_CSV_H
#define WT_RECORD_RECORDED_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"

struct wt_recorded_job {
	char *id;			/* as in jobs.jsonl */
	char *state;			/* Slurm's word */
	/* foreign text, owned; NULL: not recorded */
	char *partition, *account, *user, *qos;
	double submit_s, start_s;	/* of any beginning; start_s NAN: it never was, or is not known */
	uint32_t cpus;			/* 0: not known */
};

struct wt_recorded {			/* zeroed: empty and valid */
	struct wt_recorded_job *jobs;
	size_t count;
};

/* Columns are found by name; those that are not needed may be missing.  0, or -1 with EINVAL ("NAME:LINE: ...") or ENOMEM;
 * what was read before stays. */
int wt_recorded_csv_read(struct wt_recorded *recorded, FILE *in, const char *name, struct wt_error *errp);
void wt_recorded_clear(struct wt_recorded *recorded);	/* errno is preserved */

#endif
