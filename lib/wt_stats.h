/* wt_stats.h - the few statistics that reports use, over doubles that may be NAN ("not measured").
 *
 * NANs are left out, infinities are not; over nothing at all every figure is NAN, never 0.  Pure; any number of threads. */
#ifndef WT_STATS_H
#define WT_STATS_H

#include <stddef.h>

struct wt_stats {
	size_t count;		/* values that are not NAN */
	double sum;		/* 0 over nothing */
	double mean, min, max;
	double median, p95;	/* linear between neighbours (GSL's gsl_stats_quantile_from_sorted_data, R's type 7) */
	double sd;		/* of a sample (n - 1); NAN below two values */
	double ci95;		/* half width of the mean's 95 % interval, Student's t with n - 1 degrees of freedom; NAN below two */
};

/* Sorts 'values' in place (NANs to the end).  'values' may be NULL when count is 0. */
void wt_stats_compute(struct wt_stats *stats, double *values, size_t count);

#endif
