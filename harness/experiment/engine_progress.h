/* engine_progress.h - tells on stderr how far an experiment is: a line for each run that has ended, and on a terminal one
 * that changes below.  One thread. */
#ifndef WT_HARNESS_EXPERIMENT_ENGINE_PROGRESS_H
#define WT_HARNESS_EXPERIMENT_ENGINE_PROGRESS_H

#include <stdbool.h>

#include "harness/experiment/experiment_plan.h"

struct engine_options;

struct engine_progress {
	const struct experiment_plan *plan;
	const struct experiment *experiment;
	bool quiet, terminal, open_end; /* open_end: until a precision is reached */
	unsigned int slots, total, ended, found;
	unsigned int *case_ended; /* of each case, in this call */
	double *case_wall_s; /* together */
	unsigned int case_total; /* runs of each case */
};

/* 0, or -1 with ENOMEM. */
int engine_progress_init(struct engine_progress *p, const struct experiment_plan *plan, const struct experiment *e,
			 const struct engine_options *options, unsigned int slots);
void engine_progress_finish(struct engine_progress *p); /* frees; the line that changes is gone */

/* 'values': the run's figures. */
void engine_progress_ended(struct engine_progress *p, size_t case_index, unsigned int number, double wall_s,
			   const double values[WT_FIG_COUNT]);
void engine_progress_found(struct engine_progress *p);
void engine_progress_show(const struct engine_progress *p, unsigned int busy);
void engine_progress_note(const struct engine_progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Seconds until all is done: runs of a case take as long as those before them, of a case without any as long
 * as the mean of the others.  NAN: nothing has ended yet. */
double engine_progress_left_s(const struct engine_progress *p);

#endif
