/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/experiment/criterion.h"

/* "makespan" or "makespan_s" is makespan_s; of no other key is anything left out. */
static bool figure_named(const char *key, const char *name, size_t len)
{
	size_t key_len = strlen(key);

	if (strncmp(key, name, len))
		return false;
	return len == key_len || (len + 2 == key_len && !strcmp(key + len, "_s"));
}

static int figure_find(const char *name, size_t len, enum wt_figure_id *figure)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (len && figure_named(wt_figure_infos[f].key, name, len)) {
			*figure = (enum wt_figure_id) f;
			return 0;
		}
	return -1;
}

static const char *blanks_skip(const char *text)
{
	while (*text == ' ')
		text++;
	return text;
}

/* "0.5%", "+2 %", "-3": the number and whether there is a percent sign.  0, or -1. */
static int amount_parse(const char *text, double *value, bool *percent)
{
	char *end;

	text = blanks_skip(text);
	*value = strtod(text, &end);
	/* Not what strtod () takes besides: inf, nan, hexadecimal numbers. */
	if (end == text || text + strspn(text, "+-.0123456789eE") < end || !isfinite(*value))
		return -1;
	end = (char *) blanks_skip(end);
	*percent = *end == '%';
	if (*percent) {
		end = (char *) blanks_skip(end + 1);
		*value /= 100;
	}
	return *end ? -1 : 0;
}

int precision_parse(struct precision *p, const char *text, struct wt_error *errp)
{
	const char *name = blanks_skip(text), *end, *amount;
	bool percent;

	if (!strncmp(name, "ci95(", 5) && (end = strchr(name, ')'))) {
		amount = blanks_skip(end + 1);
		if (figure_find(name + 5, (size_t) (end - name - 5), &p->figure) < 0)
			return wt_error_set(errp, EINVAL, "'%s': %.*s is not a figure; windtunnel-run(5) names them all",
					    text, (int) (end - name - 5), name + 5);
		if (*amount == '<' && amount_parse(amount + 1, &p->share, &percent) == 0 && percent && p->share > 0)
			return 0;
	}
	return wt_error_set(errp, EINVAL, "'%s': give a precision as in ci95(makespan)<0.5%%", text);
}

bool precision_reached(const struct precision *p, const struct wt_stats *stats)
{
	return stats->count >= PRECISION_RUNS_MIN && stats->ci95 <= p->share * fabs(stats->mean);
}

int expectation_parse(struct expectation *e, const char *text, struct wt_error *errp)
{
	const char *name = blanks_skip(text), *sign;
	size_t len = strcspn(name, " <>=");

	if (figure_find(name, len, &e->figure) < 0)
		return wt_error_set(errp, EINVAL, "'%s': %.*s is not a figure; windtunnel-run(5) names them all", text,
				    (int) len, name);
	sign = blanks_skip(name + len);
	e->text = text;
	e->at_most = *sign == '<';
	if ((strncmp(sign, "<=", 2) && strncmp(sign, ">=", 2)) || amount_parse(sign + 2, &e->bound, &e->relative) < 0)
		return wt_error_set(errp, EINVAL, "'%s': give a bound as in 'wait_mean_s <= +2%%' or 'utilization >= -0.01'",
				    text);
	return 0;
}

static double bound_of(const struct expectation *e, double base)
{
	return e->relative ? e->bound * fabs(base) : e->bound;
}

double expectation_p(const struct expectation *e, const struct wt_difference *difference, double base)
{
	struct wt_difference from_bound = *difference;

	from_bound.mean -= bound_of(e, base);
	return wt_stats_p(&from_bound);
}

enum expectation_verdict expectation_correct(enum expectation_verdict verdict, const struct wt_difference *difference,
					     double p_holm)
{
	/* An interval that just touches its bound has a p of 0.05 but for its last digits. */
	if (isnan(difference->ci95) || difference->ci95 <= 0 || p_holm <= 0.05 * (1 + 1e-9))
		return verdict;
	return EXPECTATION_OPEN;
}

/* Only an interval that lies wholly on one side decides: what straddles the bound is open, and more runs would tell. */
enum expectation_verdict expectation_judge(const struct expectation *e, const struct wt_difference *difference, double base)
{
	/* What touches its bound is not beyond it by the last digits of a division. */
	double bound = bound_of(e, base), touch = 1e-9 * fmax(fabs(bound), fabs(base)), low, high;

	if (isnan(difference->mean) || isnan(difference->ci95) || isnan(bound))
		return EXPECTATION_OPEN;
	low = difference->mean - difference->ci95;
	high = difference->mean + difference->ci95;
	if (e->at_most ? high <= bound + touch : low >= bound - touch)
		return EXPECTATION_HOLDS;
	if (e->at_most ? low > bound + touch : high < bound - touch)
		return EXPECTATION_BROKEN;
	return EXPECTATION_OPEN;
}
