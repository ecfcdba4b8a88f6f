/* sample_rates.h - what a sample of series.csv says of the time since the one before it.  Pure. */
#ifndef WT_HARNESS_PAGE_SAMPLE_RATES_H
#define WT_HARNESS_PAGE_SAMPLE_RATES_H

#include "record/record.h"

/* NAN: nothing, as after a restart of slurmctld. */
typedef double (*sample_rate)(const struct wt_sample *now, const struct wt_sample *before);

double sample_cpu_rate(const struct wt_sample *now, const struct wt_sample *before);	/* of slurmctld, % of one CPU */
double sample_rpc_rate(const struct wt_sample *now, const struct wt_sample *before);	/* RPCs a second */
double sample_rpc_ms(const struct wt_sample *now, const struct wt_sample *before);	/* mean time of one */
double sample_schedule_ms(const struct wt_sample *now, const struct wt_sample *before);	/* the last main cycle */
double sample_backfill_ms(const struct wt_sample *now, const struct wt_sample *before);	/* the last backfill cycle */
double sample_schedule_percent(const struct wt_sample *now, const struct wt_sample *before);	/* of the time, in cycles */
double sample_backfill_percent(const struct wt_sample *now, const struct wt_sample *before);

#endif
