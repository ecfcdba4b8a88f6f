/* run_advice.h - what one run's own measurements say of a setting, although nothing was changed in it.
 *
 * Only what the run itself shows: that completing times are nodes x EpilogMsgTime, that cycles of the backfill scheduler end
 * at bf_max_job_test, or that they take most of bf_interval.  What another value would do to waits is not known from one
 * run. Slurm's defaults are those of slurm.conf(5) of 22.05.  Pure; any number of threads. */
#ifndef WT_HARNESS_REPORT_RUN_ADVICE_H
#define WT_HARNESS_REPORT_RUN_ADVICE_H

#include <stdbool.h>

#include "harness/report/metrics.h"
#include "record/record.h"

#define RUN_HINTS_MAX     3
#define RUN_HINT_TEXT_MAX 512

struct run_hint {
	const char *setting; /* "EpilogMsgTime" */
	double value; /* as the run had it, in slurm.conf's unit */
	enum wt_kind kind; /* of what was measured */
	char text[RUN_HINT_TEXT_MAX]; /* one sentence or two, with the figures */
};

/* Of slurm.conf: "" where nothing is known of it, then no setting is known either.  Returns how many hints there are. */
size_t run_advice_make(struct run_hint hints[RUN_HINTS_MAX], const struct wt_record *record,
		       const struct wt_metrics *metrics, const char *slurm_conf);

/* The last line of a slurm.conf that sets 'key', as slurmctld takes it: its value up to a blank.  The caller frees; NULL:
 * none, or no memory. */
char *run_conf_value(const char *text, const char *key);

/* The number behind NAME= in SchedulerParameters of a slurm.conf, or 'otherwise'. */
double run_conf_scheduler_number(const char *text, const char *name, double otherwise);

#endif
