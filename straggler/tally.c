/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "straggler/trial.h"

static int series_add(struct wt_series *series, double value, struct wt_error *errp)
{
	if (series->count == series->room) {
		size_t room = series->room ? 2 * series->room : 256;
		double *values = reallocarray(series->values, room, sizeof(*values));

		if (!values)
			return wt_error_set(errp, ENOMEM, "no memory for %zu results", room);
		series->values = values;
		series->room = room;
	}
	series->values[series->count++] = value;
	return 0;
}

static int tally_found(struct wt_tally *tally, const struct wt_trace_task *task, double flagged_s,
		       struct wt_error *errp)
{
	bool hung = !isnan(task->hang_s);
	/* A hung task could not be found before it hung. */
	double since_s = hung ? task->hang_s : task->start_s;

	if (!isnan(since_s) && series_add(&tally->delays_s, flagged_s - since_s, errp) < 0)
		return -1;
	/* What is left of a task that hangs is infinite, and no share of anything. */
	if (hung || isnan(task->start_s) || !isfinite(task->duration_s) || !(task->duration_s > 0))
		return 0;
	return series_add(&tally->life_left, fmax(task->start_s + task->duration_s - flagged_s, 0) / task->duration_s,
			  errp);
}

int wt_tally_add(struct wt_tally *tally, const struct wt_trace *trace, const struct wt_trial_result *result,
		 struct wt_error *errp)
{
	size_t stragglers = 0, others = 0, positives = 0, negatives = 0;

	for (uint32_t i = 0; i < trace->tasks; i++) {
		const struct wt_trace_task *task = &trace->task[i];
		bool flagged = !isnan(result->flagged_s[i]);

		/* Of a log's tasks that had not ended it cannot be said whether they were stragglers: they count for neither
		 * side. */
		if (!task->known)
			continue;
		stragglers += task->straggler;
		others += !task->straggler;
		negatives += task->straggler && !flagged;
		positives += !task->straggler && flagged;
		tally->hung += !isnan(task->hang_s);
		tally->hung_missed += !isnan(task->hang_s) && !flagged;
		if (task->straggler && flagged && tally_found(tally, task, result->flagged_s[i], errp) < 0)
			return -1;
	}
	tally->runs++;
	tally->tasks += trace->tasks;
	tally->heartbeats += trace->count;
	tally->refused += result->refused;
	tally->stragglers += stragglers;
	tally->unknown += trace->tasks - stragglers - others;
	if (others && series_add(&tally->false_positives, (double) positives / others, errp) < 0)
		return -1;
	if (stragglers && series_add(&tally->false_negatives, (double) negatives / stragglers, errp) < 0)
		return -1;
	return 0;
}

void wt_tally_fini(struct wt_tally *tally)
{
	int saved_errno = errno;

	free(tally->false_positives.values);
	free(tally->false_negatives.values);
	free(tally->delays_s.values);
	free(tally->life_left.values);
	*tally = (struct wt_tally) { 0 };
	errno = saved_errno;
}

struct wt_quantiles wt_series_quantiles(struct wt_series *series)
{
	double *v = series->values;
	size_t n = series->count;

	if (!n)
		return (struct wt_quantiles) { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	gsl_sort(v, 1, n);
	return (struct wt_quantiles) {
		.count = n,
		.mean = gsl_stats_mean(v, 1, n),
		.sd = n > 1 ? gsl_stats_sd(v, 1, n) : NAN,
		.min = v[0],
		.decile1 = gsl_stats_quantile_from_sorted_data(v, 1, n, 0.1),
		.quartile1 = gsl_stats_quantile_from_sorted_data(v, 1, n, 0.25),
		.median = gsl_stats_quantile_from_sorted_data(v, 1, n, 0.5),
		.quartile3 = gsl_stats_quantile_from_sorted_data(v, 1, n, 0.75),
		.decile9 = gsl_stats_quantile_from_sorted_data(v, 1, n, 0.9),
		.max = v[n - 1],
	};
}
