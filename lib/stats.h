/* stats.h - the few statistics that reports use, over doubles that may be NAN ("not measured").
 *
 * NANs are left out, infinities are not; over nothing at all every figure is NAN, never 0.  Pure; any number of threads. */
#ifndef WT_LIB_STATS_H
#define WT_LIB_STATS_H

#include <stddef.h>

struct wt_stats {
	size_t count;		/* values that are not NAN */
	double sum;		/* 0 over nothing */
	double mean, min, max;
	double median, p95;	/* linear between neighbours (GSL's gsl_stats_quantile_from_sorted_data, R's type 7) */
	double sd;		/* of a sample (n - 1); NAN below two values */
	/* half width of the mean's 95 % interval, Student's t with n - 1 degrees of freedom; NAN below two */
	double ci95;
};

/* Sorts 'values' in place (NANs to the end).  'values' may be NULL when count is 0. */
void wt_stats_compute(struct wt_stats *stats, double *values, size_t count);

struct wt_difference {
	size_t count;		/* pairs, or values of both samples */
	double mean;		/* of b - a, or of b minus that of a; NAN: nothing to compare */
	double ci95;		/* half width of its 95 % interval; NAN: too few values */
	double freedom;		/* degrees of freedom of Student's t; NAN where ci95 is, or no value differs */
};

/* Values that belong together (of one seed): Student's t over b[i] - a[i]; pairs with a NAN are left out. */
void wt_stats_paired(struct wt_difference *d, const double *a, const double *b, size_t count);

/* Two samples that may vary differently: Welch, "The generalization of 'Student's' problem when several different population
 * variances are involved", Biometrika 34, 1947. */
void wt_stats_welch(struct wt_difference *d, const double *a, size_t a_count, const double *b, size_t b_count);

/* Two-sided p of a difference, by its own interval's Student's t; NAN where it has none, 0 or 1 where no value differs from
 * another. */
double wt_stats_p(const struct wt_difference *d);

/* p values corrected for being many: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
 * of Statistics 6, 1979.  The chance of a single wrong assertion among all is then what 'adjusted' is held
 * against.  NANs stay and do not count.  0, or -1 with ENOMEM.  'adjusted' may be 'p'. */
int wt_stats_holm(const double *p, double *adjusted, size_t count);

/* How many pairs (or runs of each, where not 'paired') would tell a difference as large as this one, if its values go on to
 * vary as they did: the least number whose two-sided test at 5 % finds it four times out of five (the usual sum of two
 * quantiles of Student's t).  0: not known (no interval, no difference, or no variation); at most 1,000,000. */
size_t wt_stats_runs_needed(const struct wt_difference *d, int paired);

#endif
