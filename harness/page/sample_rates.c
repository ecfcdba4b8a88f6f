/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/page/sample_rates.h"

static double span_s(const struct wt_sample *now, const struct wt_sample *before)
{
	double seconds = now->time_s - before->time_s;

	return seconds > 0 ? seconds : NAN;
}

/* Counters of a slurmctld that was started again begin at 0: a step down is no rate. */
static double grown(uint64_t now, uint64_t before)
{
	return now >= before ? (double) (now - before) : NAN;
}

double sample_cpu_rate(const struct wt_sample *now, const struct wt_sample *before)
{
	double cpu_s = now->controller_cpu_s - before->controller_cpu_s;

	return cpu_s >= 0 ? 100 * cpu_s / span_s(now, before) : NAN;
}

double sample_rpc_rate(const struct wt_sample *now, const struct wt_sample *before)
{
	return grown(now->rpc_count, before->rpc_count) / span_s(now, before);
}

double sample_rpc_ms(const struct wt_sample *now, const struct wt_sample *before)
{
	double count = grown(now->rpc_count, before->rpc_count);

	return count > 0 ? grown(now->rpc_time_us, before->rpc_time_us) / count / 1000 : NAN;
}

double sample_schedule_ms(const struct wt_sample *now, const struct wt_sample *before)
{
	(void) before;
	return (double) now->schedule_cycle_last_us / 1000;
}

double sample_backfill_ms(const struct wt_sample *now, const struct wt_sample *before)
{
	(void) before;
	return (double) now->backfill_cycle_last_us / 1000;
}

/* Sums begin again at 0 at midnight and when slurmctld starts: what lies between is not known. */
static double busy_percent(uint64_t now_us, uint64_t before_us, double seconds)
{
	if (now_us == WT_COUNT_UNKNOWN || before_us == WT_COUNT_UNKNOWN)
		return NAN;
	return 100 * grown(now_us, before_us) / 1e6 / seconds;
}

double sample_schedule_percent(const struct wt_sample *now, const struct wt_sample *before)
{
	return busy_percent(now->schedule_cycle_sum_us, before->schedule_cycle_sum_us, span_s(now, before));
}

double sample_backfill_percent(const struct wt_sample *now, const struct wt_sample *before)
{
	return busy_percent(now->backfill_cycle_sum_us, before->backfill_cycle_sum_us, span_s(now, before));
}
