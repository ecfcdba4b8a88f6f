/* job_values.h - one value of each job, and their distribution as a curve.  Pure. */
#ifndef WT_HARNESS_PAGE_JOB_VALUES_H
#define WT_HARNESS_PAGE_JOB_VALUES_H

#include "harness/page/chart.h"
#include "harness/page/page.h"

/* As metrics.h defines them; NAN for a job that does not have it (it never started, or has not ended). */
typedef double (*job_value)(const struct page_run *run, const struct page_job *job);
double job_sent_s(const struct page_run *run, const struct page_job *job);
double job_wait_s(const struct page_run *run, const struct page_job *job);
double job_turnaround_s(const struct page_run *run, const struct page_job *job);
double job_slowdown(const struct page_run *run, const struct page_job *job);

/* The jobs of one size; below 0: all. */
#define JOB_SIZES_ALL (-1)

/* Append the values of a run's jobs, without NAN, to values[*count], which has room for all of them. */
void job_values_add(const struct page_run *run, job_value value, int size, double *values, size_t *count);

void job_values_sort(double *values, size_t count);

/* The share of the sorted values that are at most so large, in percent; of many values as many quantiles as can be seen. */
void job_values_curve(struct chart_curve *curve, const double *values, size_t count);

/* The x axis of such curves.  Where most values lie near 0 and some far away, a linear axis would show nothing. */
void job_values_axis(struct chart *chart, double median, double most);

#endif
