/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/page/experiment_section.h"
#include "harness/page/html.h"

int case_kind(const struct wt_case *c, enum wt_figure_id figure)
{
	return c->stats[figure].count ? (int) c->set.kinds[figure] : -1;
}

static int decimals_for(double worth)
{
	return worth > 0 && worth < 1 ? (int) fmin(6, ceil(-log10(worth))) : 0;
}

/* As many as the interval is worth, but no more than thousandths where the mean itself is not smaller than them: units are
 * chosen so that nobody reads further. */
static int case_decimals(double mean, double half)
{
	int three = decimals_for(fabs(mean) / 100);	/* three digits that count */

	if (isnan(half) || half <= 0)
		return decimals_for(fabs(mean) / 1000);
	return (int) fmin(decimals_for(half / 10), fmax(3, three));
}

void case_mean_write(FILE *out, const struct wt_case *c, enum wt_figure_id figure)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	double mean = c->stats[figure].mean * info->scale, half = c->stats[figure].ci95 * info->scale;
	int decimals = case_decimals(mean, half);
	char text[HTML_DURATION_SIZE];

	html_number(text, mean, decimals);
	fprintf(out, "<data value=\"%.17g\" data-key=\"%s\">%s</data>", c->stats[figure].mean, info->key, text);
	if (isnan(half))
		return;
	html_number(text, half, decimals);
	/* An interval that rounds to 0 is told as "less than": "0" would claim that there is none. */
	if (half > 0 && strspn(text, "0.") == strlen(text)) {
		html_number(text, pow(10, -decimals), decimals);
		fprintf(out, " <small class=\"nobreak\">\xc2\xb1 &lt;%s</small>", text);
		return;
	}
	fprintf(out, " <small class=\"nobreak\">\xc2\xb1 %s</small>", text);
}
