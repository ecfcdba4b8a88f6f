/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "harness/report/calibration.h"

#define CUT_VARIANCE_S2 (2.0 / 12)
#define DELAY_LEAST_S	1e-5	/* less is no delay */
#define NODES_MAX	64	/* of more the last one's release tells of slurmctld's work, not of the nodes' */
/* What wt-vnoded(8) takes as the deviation of a law, as a share of its mean. */
#define SHARE_LEAST	0.011
#define SHARE_MOST	2.99

static bool is_cut(double time_s)
{
	return time_s == floor(time_s);
}

static void release_add(struct calibration *c, const struct wt_job_record *job)
{
	if (isnan(job->release_s) || !job->alloc_nodes || job->alloc_nodes > NODES_MAX ||
	    job->released_nodes != job->alloc_nodes)
		return;
	c->released++;
	c->release_sum_s += fmax(job->release_s - job->end_s, 0);
	for (uint32_t k = 1; k <= job->alloc_nodes; k++)
		c->harmonic_sum += 1.0 / k;
}

static void series_add(struct calibration *c, const struct wt_record *record)
{
	for (size_t i = 0; i < record->job_count; i++)
		if (isfinite(record->jobs[i].end_s))
			c->job_nodes += record->jobs[i].alloc_nodes;
	for (size_t i = 1; i < record->sample_count; i++) {
		const struct wt_sample *a = &record->samples[i - 1], *b = &record->samples[i];

		c->completing_node_s += 0.5 * ((double) a->nodes_completing + b->nodes_completing) * (b->time_s - a->time_s);
	}
}

void calibration_add(struct calibration *c, const struct wt_record *record)
{
	series_add(c, record);
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];
		double overhead_s = job->end_s - job->start_s - job->run_time_s;

		if (job->state != WT_JOB_COMPLETED || !isfinite(overhead_s))
			continue;
		if (job->probe_latency_s > 0)
			overhead_s -= job->probe_latency_s;
		c->jobs++;
		c->cut += is_cut(job->start_s) && is_cut(job->end_s);
		c->sum_s += overhead_s;
		c->square_s2 += overhead_s * overhead_s;
		release_add(c, job);
	}
}

void calibration_delays(const struct calibration *c, struct calibration_delays *delays)
{
	double n = (double) c->jobs, mean_s = c->sum_s / n, variance_s2 = c->square_s2 / n - mean_s * mean_s;

	*delays = (struct calibration_delays) { NAN, NAN, NAN, NAN };
	if (c->released && c->harmonic_sum > 0)
		delays->epilog_mean_s = c->release_sum_s / c->harmonic_sum;
	else if (c->job_nodes > 0)
		delays->epilog_mean_s = c->completing_node_s / c->job_nodes;
	if (!c->jobs)
		return;
	delays->launch_mean_s = fmax(mean_s, 0);
	delays->launch_error_s = sqrt(fmax(variance_s2, 0) / n);
	delays->launch_deviation_s = sqrt(fmax(variance_s2 - CUT_VARIANCE_S2 * (double) c->cut / n, 0));
}

int calibration_laws(const struct calibration_delays *delays, char **launch, char **epilog, struct wt_error *errp)
{
	double mean_s = delays->launch_mean_s, deviation_s = delays->launch_deviation_s;
	bool launches = mean_s >= DELAY_LEAST_S, epilogs = delays->epilog_mean_s >= DELAY_LEAST_S;

	*launch = *epilog = NULL;
	if (launches)
		*launch = wt_str_format("gamma:%.6f,%.6f", mean_s,
					fmin(fmax(deviation_s, SHARE_LEAST * mean_s), SHARE_MOST * mean_s));
	if (epilogs)
		*epilog = wt_str_format("exp:%.6f", delays->epilog_mean_s);
	if ((!launches || *launch) && (!epilogs || *epilog))
		return 0;
	free(*launch);
	free(*epilog);
	*launch = *epilog = NULL;
	return wt_error_errno(errp, ENOMEM, "delays");
}
