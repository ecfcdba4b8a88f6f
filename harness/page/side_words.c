/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/page/side_words.h"
#include "lib/str.h"

#define MINUS "\xe2\x88\x92"

struct side_quantity side_quantity_of(enum wt_figure_id figure)
{
	static const struct side_quantity words[WT_FIG_COUNT] = {
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
	struct side_quantity quantity = words[figure];

	if (!quantity.noun)
		quantity = (struct side_quantity){ wt_figure_infos[figure].label, NULL, " more", " less", NULL, 0 };
	quantity.unit = wt_figure_infos[figure].unit;
	quantity.scale = wt_figure_infos[figure].scale;
	return quantity;
}

enum side_verdict side_verdict(const struct wt_difference *d)
{
	if (isnan(d->mean))
		return SIDE_UNKNOWN;
	if (isnan(d->ci95))
		return SIDE_NO_INTERVAL;
	if (d->mean == 0 && d->ci95 == 0)
		return SIDE_EQUAL;
	return fabs(d->mean) > d->ci95 ? SIDE_CLEAR : SIDE_UNCLEAR;
}

/* Of "0.2 +- 0.7" one behind the point; of "12 +- 3" none. */
static int decimals_of(double mean, double half)
{
	double worth = isnan(half) || half == 0 ? fabs(mean) / 5 : half;

	if (worth == 0)
		return 0;
	return worth >= 2 ? 0 : worth >= 0.2 ? 1 : worth >= 0.02 ? 2 : 3;
}

struct side_amount side_amount(const struct side_quantity *quantity, const struct wt_difference *d, double base)
{
	int percent = !strcmp(quantity->unit, "%"), relative = !percent && base > 0;
	double scale = relative ? 100 / base : quantity->scale;

	return (struct side_amount){
		.mean = d->mean * scale,
		.low = (d->mean - d->ci95) * scale,
		.high = (d->mean + d->ci95) * scale,
		.unit = percent ? "points" : relative ? "%" : quantity->unit,
		.decimals = decimals_of(d->mean * scale, d->ci95 * scale),
	};
}

static void signed_add(struct wt_str *s, double value, int decimals)
{
	int negative = value < 0 && -value >= 0.5 * pow(10, -decimals);

	wt_str_printf(s, "%s%.*f", negative ? MINUS : "", decimals, fabs(value));
}

static void clear_add(struct wt_str *s, const struct side_quantity *words, const char *letter,
		      const struct side_amount *amount)
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

static void unclear_add(struct wt_str *s, const struct side_quantity *words, const struct side_amount *amount)
{
	wt_str_printf(s, "No clear difference in %s: ", words->noun);
	signed_add(s, amount->mean, amount->decimals);
	wt_str_printf(s, " %s (", amount->unit);
	signed_add(s, amount->low, amount->decimals);
	wt_str_add(s, " to ");
	signed_add(s, amount->high, amount->decimals);
	wt_str_printf(s, " %s).", amount->unit);
}

char *side_sentence(const struct side_quantity *quantity, const char *letter, const struct wt_difference *d, double base)
{
	struct side_amount amount = side_amount(quantity, d, base);
	struct wt_str s = { 0 };

	switch (side_verdict(d)) {
	case SIDE_UNKNOWN:
		break;
	case SIDE_EQUAL:
		wt_str_printf(&s, "No difference at all in %s.", quantity->noun);
		break;
	case SIDE_NO_INTERVAL:
		if (d->mean == 0)
			wt_str_printf(&s, "The same %s (one run).", quantity->noun);
		else
			clear_add(&s, quantity, letter, &amount);
		break;
	case SIDE_UNCLEAR:
		unclear_add(&s, quantity, &amount);
		break;
	case SIDE_CLEAR:
		clear_add(&s, quantity, letter, &amount);
		break;
	}
	return wt_str_take(&s);
}
