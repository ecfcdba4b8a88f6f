/* waits.h - how long jobs waited in runs of a site's jobs, beside how long they waited at the site: how far an emulation
 * can be trusted, by partition, QOS, account and size.  Pure.
 *
 * A wait is from submission to start, in both.  A difference is the run's wait less the recorded one.  Its 95 % interval is
 * Student's t (lib/stats.h): over the jobs of one run, as if they were independent, which those of a queue are not wholly;
 * over the runs' means where there are several. */
#ifndef WT_HARNESS_REPORT_WAITS_H
#define WT_HARNESS_REPORT_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/stats.h"
#include "record/record.h"
#include "record/recorded_csv.h"

struct waits_group {		/* the jobs that have one thing in common */
	const char *by;			/* "all", "partition", "qos", "account", "size"; static */
	char *value;			/* owned; "" of all, and where nothing was recorded */
	size_t jobs;			/* that are compared, over all runs */
	struct wt_stats recorded, replayed;	/* waits, in seconds */
	double difference_s, ci95_s;	/* mean, half width of its interval; NAN: too few values */
	double percent;			/* of the recorded mean; NAN: nobody waited at the site */
};

struct waits_count {		/* of one run, summed over all */
	size_t compared;
	size_t not_started;		/* that the site recorded without a start */
	size_t not_in_run;		/* recorded, and no job of the run: another slice, or left out */
	size_t not_started_in_run;
	size_t not_recorded;		/* jobs of the run that the site's file does not have */
	size_t same_end;		/* compared, and ended in the recorded state */
};

struct waits {			/* zeroed: nothing yet */
	struct wait_pair *pairs;	/* private */
	size_t pair_count, pair_size, runs;
	struct waits_count count;
	struct waits_group *groups;	/* made by wt_waits_finish () */
	size_t group_count;
};

/* Add the jobs of one run.  'recorded' is the same for all, and lives as long as *waits.  0, or -1 with EINVAL (an id twice;
 * most of the jobs were submitted at other times than the site's: it is of another trace) or ENOMEM. */
int wt_waits_add(struct waits *waits, const struct wt_record *run, const struct wt_recorded *recorded,
		 struct wt_error *errp);

/* When all runs are there.  0, or -1 with EINVAL (nothing to compare) or ENOMEM. */
int wt_waits_finish(struct waits *waits, struct wt_error *errp);
void wt_waits_clear(struct waits *waits);	/* errno is preserved */

/* Tables for people; of accounts and the like the 'rows' with the most jobs.  0, or -1 with ENOMEM. */
int wt_waits_print(FILE *out, const struct waits *waits, size_t rows);
json_t *wt_waits_json(const struct waits *waits);	/* new reference; NULL with ENOMEM */

#endif
