/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/page/experiment_section.h"
#include "harness/page/html.h"

int case_kind(const struct wt_case *c, enum wt_figure_id figure)
{
	return c->stats[figure].count ? (int) c->set.kinds[figure] : -1;
}

void case_mean_write(FILE *out, const struct wt_case *c, enum wt_figure_id figure)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	double mean = c->stats[figure].mean * info->scale, half = c->stats[figure].ci95 * info->scale;
	double worth = isnan(half) || half <= 0 ? fabs(mean) / 1000 : half / 10;
	int decimals = worth > 0 && worth < 1 ? (int) fmin(6, ceil(-log10(worth))) : 0;
	char text[HTML_DURATION_SIZE];

	html_number(text, mean, decimals);
	fprintf(out, "<data value=\"%.17g\" data-key=\"%s\">%s</data>", c->stats[figure].mean, info->key, text);
	if (isnan(half))
		return;
	html_number(text, half, decimals);
	fprintf(out, " <small class=\"nobreak\">\xc2\xb1 %s</small>", text);
}
