/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/report/advice.h"

const char *advice_verdict_name(enum advice_verdict verdict)
{
	static const char *const names[] = {
		[ADVICE_FOR] = "for",   [ADVICE_TRADE] = "trade",     [ADVICE_AGAINST] = "against",
		[ADVICE_OPEN] = "open", [ADVICE_UNKNOWN] = "unknown",
	};

	return names[verdict];
}

/* Which way a figure is better: 1 the more, -1 the less, 0 neither.  What is neither good nor bad speaks for nothing. */
int advice_direction(enum wt_figure_id figure)
{
	switch (figure) {
	case WT_FIG_EFFICIENCY:
	case WT_FIG_UTILIZATION:
	case WT_FIG_SUBMIT_RATE:
	case WT_FIG_START_RATE:
	case WT_FIG_END_RATE:
	case WT_FIG_PLACED_FEWEST:
	case WT_FIG_PLACED_FREE:
	case WT_FIG_PLACED_LEAVES:
	case WT_FIG_PLACED_LEVEL1:
	case WT_FIG_NODES_OFF:
		return 1;
	case WT_FIG_IDEAL:
	case WT_FIG_PENDING_MAX: /* a burst that is taken faster makes a longer queue */
	case WT_FIG_NODES_BUSY:	/* what jobs need */
	case WT_FIG_BOOTS:
	case WT_FIG_COST_ALWAYS_ON:
	case WT_FIG_ENERGY_ALWAYS_ON:
	case WT_FIG_WALL:
	case WT_FIG_COUNT:
		return 0;
	default:
		return -1; /* times and costs */
	}
}

int advice_of_figure(const struct wt_cases *cases, size_t index, enum wt_figure_id figure)
{
	const struct wt_case *c = &cases->items[index];
	int more;

	if (!c->compared || !wt_cases_clear_difference(cases, index, figure))
		return 0;
	more = c->with_first.difference[figure].mean > 0 ? 1 : -1;
	return more * advice_direction(figure);
}

enum advice_verdict advice_judge(const struct wt_cases *cases, size_t index)
{
	bool better = false, worse = false;

	if (!cases->items[index].compared)
		return ADVICE_UNKNOWN;
	for (size_t f = 0; f < cases->figure_count; f++) {
		int verdict = advice_of_figure(cases, index, cases->figures[f]);

		better = better || verdict > 0;
		worse = worse || verdict < 0;
	}
	if (better)
		return worse ? ADVICE_TRADE : ADVICE_FOR;
	return worse ? ADVICE_AGAINST : ADVICE_OPEN;
}
