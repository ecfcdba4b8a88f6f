/* montecarlo_page.h - a Monte-Carlo simulation as one HTML file: the fit, what it catches, and how both came to rest. */
#ifndef WT_CMD_MONTECARLO_MONTECARLO_PAGE_H
#define WT_CMD_MONTECARLO_MONTECARLO_PAGE_H

#include <stdio.h>

#include "harness/report/metrics.h"
#include "harness/report/montecarlo.h"
#include "lib/error.h"

struct montecarlo_page { /* all of it is the caller's */
	const char *path, *clock;
	enum wt_figure_id figure;
	enum wt_kind kind; /* of the figure */
	const struct montecarlo_fit *fits; /* [count], the last is the simulation's; at least one */
	size_t count, skipped;
	const struct montecarlo_between *between;
	size_t between_count;
	struct montecarlo_capture captures[2]; /* of MONTECARLO_SD_95, MONTECARLO_SD_99; count 0: nothing was observed */
	const char *observed_path, *observed_clock; /* NULL: nothing was observed */
	double level; /* P; NAN: not known */
	size_t level_jobs;
};

/* As wt_outfile_fn: 'arg' is the struct.  0, or -1 with ENOMEM. */
int montecarlo_page_write(FILE *out, const void *arg, struct wt_error *errp);

#endif
