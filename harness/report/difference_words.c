/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/report/difference_words.h"
#include "lib/str.h"

#define MINUS "\xe2\x88\x92"

/* Nouns of figures that have no sentence of their own with a letter. */
static const char *const nouns[WT_FIG_COUNT] = {
	[WT_FIG_IDEAL] = "ideal makespan",
	[WT_FIG_EFFICIENCY] = "ideal makespan over makespan",
	[WT_FIG_WAIT_MAX] = "longest wait",
	[WT_FIG_TURNAROUND_MEDIAN] = "median turnaround",
	[WT_FIG_TURNAROUND_MAX] = "longest turnaround",
	[WT_FIG_SLOWDOWN_MEDIAN] = "median bounded slowdown",
	[WT_FIG_SLOWDOWN_MAX] = "greatest bounded slowdown",
	[WT_FIG_SUBMIT_LATENCY_MEDIAN] = "median submission latency",
	[WT_FIG_SUBMIT_LATENCY_P95] = "submission latency that 95 % keep within",
	[WT_FIG_SUBMIT_LATENCY_MAX] = "longest submission latency",
	[WT_FIG_COMPLETING_MEAN] = "mean completing time",
	[WT_FIG_COMPLETING_MAX] = "longest completing time",
	[WT_FIG_PROBE_MEAN] = "mean probe latency",
	[WT_FIG_PROBE_MEDIAN] = "median probe latency",
	[WT_FIG_PROBE_P95] = "probe latency that 95 % keep within",
	[WT_FIG_PROBE_MAX] = "longest probe latency",
	[WT_FIG_CONTROLLER_RSS_MAX] = "the controller's memory",
	[WT_FIG_PENDING_MAX] = "longest queue",
	[WT_FIG_WALL] = "time of the whole command",
};

struct difference_quantity difference_quantity_of(enum wt_figure_id figure)
{
	static const struct difference_quantity words[WT_FIG_COUNT] = {
		[WT_FIG_MAKESPAN] = { "makespan", " takes ", " longer", " less time", NULL, 0 },
		[WT_FIG_UTILIZATION] = { "utilisation", " is ", " busier", " less busy", NULL, 0 },
		[WT_FIG_WAIT_MEAN] = { "mean wait", " waits ", " longer", " less", NULL, 0 },
		[WT_FIG_WAIT_MEDIAN] = { "median wait", "'s median wait is ", " longer", " shorter", NULL, 0 },
		[WT_FIG_TURNAROUND_MEAN] = { "mean turnaround", "'s mean turnaround is ", " longer", " shorter", NULL, 0 },
		[WT_FIG_SLOWDOWN_MEAN] = { "mean bounded slowdown", "'s mean bounded slowdown is ", " higher", " lower",
					   NULL, 0 },
		[WT_FIG_CONTROLLER_CPU_PER_JOB] = { "controller CPU per job", "'s controller takes ",
						    " more CPU time per job", " less CPU time per job", NULL, 0 },
		[WT_FIG_SUBMIT_LATENCY_MEAN] = { "mean submission latency", "'s mean submission latency is ", " longer",
						 " shorter", NULL, 0 },
	};
	struct difference_quantity quantity = words[figure];

	if (!quantity.noun)
		quantity = (struct difference_quantity){
			nouns[figure] ? nouns[figure] : wt_figure_infos[figure].label, NULL, " more", " less", NULL, 0
		};
	quantity.unit = wt_figure_infos[figure].unit;
	quantity.scale = wt_figure_infos[figure].scale;
	return quantity;
}

enum difference_verdict difference_verdict(const struct wt_difference *d)
{
	if (isnan(d->mean))
		return DIFFERENCE_UNKNOWN;
	if (isnan(d->ci95))
		return DIFFERENCE_NO_INTERVAL;
	if (d->mean == 0 && d->ci95 == 0)
		return DIFFERENCE_EQUAL;
	return fabs(d->mean) > d->ci95 ? DIFFERENCE_CLEAR : DIFFERENCE_UNCLEAR;
}

/* Of "0.2 +- 0.7" one behind the point; of "12 +- 3" none. */
static int decimals_of(double mean, double half)
{
	double worth = isnan(half) || half == 0 ? fabs(mean) / 5 : half;

	if (worth == 0)
		return 0;
	return worth >= 2 ? 0 : worth >= 0.2 ? 1 : worth >= 0.02 ? 2 : 3;
}

/* However narrow an interval is, nobody reads "89.929 %": so many digits as tell the difference from nothing, and what a
 * reduction leaves from nothing, too. */
static int decimals_read(double mean, int relative)
{
	double told = relative && mean < 0 && mean > -100 ? fmin(-mean, 100 + mean) : fabs(mean);

	return told >= 100 ? 0 : told >= 1 ? 1 : told >= 0.1 ? 2 : 3;
}

static int least_of(int a, int b)
{
	return a < b ? a : b;
}

struct difference_amount difference_amount(const struct difference_quantity *quantity, const struct wt_difference *d,
					   double base)
{
	int percent = !strcmp(quantity->unit, "%"), relative = !percent && base > 0;
	/* A share's difference is told in points: "5 % less of 80 %" could be 75 or 76 %. */
	double scale = relative ? 100 / base : quantity->scale;

	return (struct difference_amount){
		.mean = d->mean * scale,
		.low = (d->mean - d->ci95) * scale,
		.high = (d->mean + d->ci95) * scale,
		.unit = percent    ? "points"
			: relative ? "%"
				   : quantity->unit,
		.decimals = least_of(decimals_of(d->mean * scale, d->ci95 * scale),
				     decimals_read(d->mean * scale, relative)),
	};
}

static void signed_add(struct wt_str *s, double value, int decimals)
{
	/* What rounds to 0 is written without a sign. */
	int negative = value < 0 && -value >= 0.5 * pow(10, -decimals);

	wt_str_printf(s, "%s%.*f", negative ? MINUS : "", decimals, fabs(value));
}

static void clear_add(struct wt_str *s, const struct difference_quantity *words, const char *letter,
		      const struct difference_amount *amount)
{
	double mean = fabs(amount->mean), low = fmin(fabs(amount->low), fabs(amount->high)),
	       high = fmax(fabs(amount->low), fabs(amount->high));
	const char *which = amount->mean > 0 ? words->more : words->less;

	if (words->verb)
		wt_str_printf(s, "%s%s%.*f %s%s", letter, words->verb, amount->decimals, mean, amount->unit, which);
	else
		wt_str_printf(s, "%s: %.*f %s%s in %s", words->noun, amount->decimals, mean, amount->unit, which, letter);
	if (isnan(amount->low))
		wt_str_add(s, " (one run)");
	else if (high > low)
		wt_str_printf(s, ", %.*f to %.*f %s", amount->decimals, low, amount->decimals, high, amount->unit);
	else
		wt_str_add(s, ", in each pair");
	wt_str_add(s, ".");
}

/* "0.7 % (-0.1 to 1.5 %)" */
static void interval_add(struct wt_str *s, const struct difference_amount *amount)
{
	signed_add(s, amount->mean, amount->decimals);
	wt_str_printf(s, " %s (", amount->unit);
	signed_add(s, amount->low, amount->decimals);
	wt_str_add(s, " to ");
	signed_add(s, amount->high, amount->decimals);
	wt_str_printf(s, " %s)", amount->unit);
}

static void unclear_add(struct wt_str *s, const struct difference_quantity *words, const struct difference_amount *amount)
{
	wt_str_printf(s, "No clear difference in %s: ", words->noun);
	interval_add(s, amount);
	wt_str_add(s, ".");
}

char *difference_sentence(const struct difference_quantity *quantity, const char *letter, const struct wt_difference *d,
			  double base)
{
	struct difference_amount amount = difference_amount(quantity, d, base);
	struct wt_str s = { 0 };

	switch (difference_verdict(d)) {
	case DIFFERENCE_UNKNOWN:
		break;
	case DIFFERENCE_EQUAL:
		wt_str_printf(&s, "No difference at all in %s.", quantity->noun);
		break;
	case DIFFERENCE_NO_INTERVAL:
		if (d->mean == 0)
			wt_str_printf(&s, "The same %s (one run).", quantity->noun);
		else
			clear_add(&s, quantity, letter, &amount);
		break;
	case DIFFERENCE_UNCLEAR:
		unclear_add(&s, quantity, &amount);
		break;
	case DIFFERENCE_CLEAR:
		clear_add(&s, quantity, letter, &amount);
		break;
	}
	return wt_str_take(&s);
}

/* ---- with names ---------------------------------------------------------------------------------------------------- */

#define TIMES_FROM 1.5 /* what grows by more than half is told in times */
/* A number of runs above that is a way to say no. */
#define RUNS_NAMED 1000
#define ALIKE      0.0005 /* what is less than that in the words' unit is told as nothing */

bool difference_asserted(const struct wt_difference *d, const struct difference_context *context)
{
	/* An interval beside 0 is not enough where many comparisons are made at once: Holm's corrected p decides
	 * then. */
	return difference_verdict(d) == DIFFERENCE_CLEAR && (isnan(context->p_holm) || context->p_holm < 0.05);
}

/* "raises makespan by 12 % (9 to 15 %)", "raises throughput to 1.9 times (1.7 to 2.2) that of stock" */
static void change_add(struct wt_str *s, const struct difference_quantity *q, const struct difference_context *context,
		       const struct wt_difference *d, double base)
{
	struct difference_amount a = difference_amount(q, d, base);
	double low = fmin(fabs(a.low), fabs(a.high)), high = fmax(fabs(a.low), fabs(a.high));
	double ratio = 1 + a.mean / 100, half = d->ci95 / base;
	bool times = !strcmp(a.unit, "%") && ratio >= TIMES_FROM;
	int decimals = times ? decimals_of(ratio, fmax(half, 0.02)) : a.decimals;

	/* Only what is 100 % is told so. */
	while (!times && decimals < 3 && a.mean < 0 && a.mean > -100 && -a.mean + 0.5 * pow(10, -decimals) >= 100)
		decimals++;
	wt_str_printf(s, "%s %s %s ", context->name, d->mean > 0 ? "raises" : "lowers", q->noun);
	if (times) {
		wt_str_printf(s, "to %.*f times", decimals, ratio);
		if (half > 0)
			wt_str_printf(s, " (%.*f to %.*f)", decimals, ratio - half, decimals, ratio + half);
		wt_str_printf(s, " that of %s", context->first);
	} else {
		wt_str_printf(s, "by %.*f %s", decimals, fabs(a.mean), a.unit);
		if (high - low >= pow(10, -decimals))
			wt_str_printf(s, " (%.*f to %.*f %s)", decimals, low, decimals, high, a.unit);
		else if (high > low)
			wt_str_add(s, context->paired ? ", in each pair nearly alike" : ", in all runs nearly alike");
	}
	if (isfinite(d->ci95) && d->ci95 == 0)
		wt_str_add(s, context->paired ? ", in each pair alike" : ", in all runs alike");
}

static void needed_add(struct wt_str *s, const struct wt_difference *d, bool paired)
{
	size_t runs = wt_stats_runs_needed(d, paired);

	if (runs > RUNS_NAMED)
		wt_str_printf(s, "; more than %d of each would be needed to tell a difference of this size", RUNS_NAMED);
	else if (runs)
		wt_str_printf(s, "; about %zu would tell a difference of this size", runs);
}

bool difference_alike(const struct difference_quantity *quantity, const struct wt_difference *d, double base)
{
	const struct difference_amount a = difference_amount(quantity, d, base);

	return difference_verdict(d) >= DIFFERENCE_UNCLEAR && strcmp(a.unit, "") &&
	       fmax(fabs(a.low), fabs(a.high)) < ALIKE;
}

static void apart_add(struct wt_str *s, const struct difference_quantity *q, const struct difference_context *context,
		      const struct wt_difference *d, double base)
{
	struct difference_amount a = difference_amount(q, d, base);

	wt_str_printf(s, "%s and %s cannot be told apart in %s with %zu runs of each", context->name, context->first,
		      q->noun, context->runs);
	if (difference_verdict(d) == DIFFERENCE_CLEAR)
		wt_str_printf(s, ", as %zu comparisons are made at once", context->comparisons);
	wt_str_add(s, ": ");
	interval_add(s, &a);
	if (difference_verdict(d) == DIFFERENCE_UNCLEAR)
		needed_add(s, d, context->paired);
}

char *difference_tell(const struct difference_quantity *q, const struct difference_context *context,
		      const struct wt_difference *d, double base)
{
	enum difference_verdict verdict = difference_verdict(d);
	struct difference_amount amount = difference_amount(q, d, base);
	struct wt_str s = { 0 };

	if (difference_alike(q, d, base)) {
		wt_str_printf(&s, "%s and %s have the same %s to within 0.001 %s.", context->name, context->first, q->noun,
			      amount.unit);
		return wt_str_take(&s);
	}
	if (verdict == DIFFERENCE_EQUAL || (verdict == DIFFERENCE_NO_INTERVAL && d->mean == 0)) {
		wt_str_printf(&s, "%s and %s have the same %s", context->name, context->first, q->noun);
	} else if (verdict == DIFFERENCE_NO_INTERVAL || (verdict != DIFFERENCE_UNKNOWN && difference_asserted(d, context))) {
		change_add(&s, q, context, d, base);
	} else if (verdict != DIFFERENCE_UNKNOWN) {
		apart_add(&s, q, context, d, base);
	}
	if (verdict == DIFFERENCE_NO_INTERVAL)
		wt_str_add(&s, ", in one run: whether that is chance is not known");
	if (verdict != DIFFERENCE_UNKNOWN)
		wt_str_add(&s, ".");
	return wt_str_take(&s);
}
