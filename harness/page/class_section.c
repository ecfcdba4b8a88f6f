/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waits longer in a case of an experiment than in the one that it is compared with, and who less. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/page/experiment_section.h"
#include "harness/page/html.h"
#include "harness/page/side.h"

#define NAMED_MAX 12 /* in a sentence */

static enum difference_verdict verdict_of(const struct class_wait *w)
{
	switch (wt_class_wait_verdict(w)) {
	case CLASS_LONGER:
	case CLASS_SHORTER:
		return DIFFERENCE_CLEAR;
	case CLASS_SAME:
		return DIFFERENCE_EQUAL;
	case CLASS_OPEN:
		return DIFFERENCE_UNCLEAR;
	case CLASS_UNKNOWN:
		break;
	}
	return isnan(w->difference.mean) ? DIFFERENCE_UNKNOWN : DIFFERENCE_NO_INTERVAL;
}

/* "account physics", "of 9 to 32 CPUs". */
static void class_name_write(FILE *out, const struct class_wait *w)
{
	bool size = !strcmp(w->by, "size");

	fprintf(out, "%s ", size ? "jobs of" : !strcmp(w->by, "qos") ? "QOS" : w->by);
	html_name(out, *w->value ? w->value : "(none)");
	fputs(size && strcmp(w->value, "1 CPU") != 0 ? " CPUs" : "", out);
}

/* "Longer waits: partition gpu, account physics."; nothing where none is told apart. */
static void told_write(FILE *out, const struct class_waits *waits, enum class_verdict verdict, const char *words)
{
	size_t told = 0;

	for (size_t i = 0; i < waits->count; i++) {
		if (!strcmp(waits->items[i].by, "all") || wt_class_wait_verdict(&waits->items[i]) != verdict)
			continue;
		if (told++ >= NAMED_MAX)
			continue;
		fputs(told == 1 ? words : ", ", out);
		class_name_write(out, &waits->items[i]);
	}
	if (told > NAMED_MAX)
		fprintf(out, " and %zu more", told - NAMED_MAX);
	fputs(told ? ". " : "", out);
}

static void notes_write(FILE *out, const struct class_waits *waits)
{
	const struct class_wait *all = &waits->items[0];

	fputs("<p>", out);
	told_write(out, waits, CLASS_LONGER, "Longer waits: ");
	told_write(out, waits, CLASS_SHORTER, "Shorter waits: ");
	if (waits->pairs == 1)
		fputs("With one run of each, whether a difference is more than chance is not known. ", out);
	if (all->only_first + all->only_here)
		fprintf(out, "%zu jobs started there only, and %zu here only: they have no difference. ", all->only_first,
			all->only_here);
	if (waits->unmatched)
		fprintf(out, "%zu jobs are in one run of a pair only. ", waits->unmatched);
	if (waits->unread) {
		fprintf(out, "%zu pairs of runs are missing: ", waits->unread);
		html_text(out, waits->why.text);
	}
	fputs("</p>\n", out);
}

static double reach_of_waits(const struct class_waits *waits)
{
	double reach = 1;

	for (size_t i = 0; i < waits->count; i++) {
		const struct wt_difference *d = &waits->items[i].difference;

		if (isfinite(d->mean))
			reach = fmax(reach, fabs(d->mean) + (isfinite(d->ci95) ? d->ci95 : 0));
	}
	return reach;
}

static void seconds_cell(FILE *out, const char *key, double seconds)
{
	char text[HTML_DURATION_SIZE];

	if (isnan(seconds)) {
		fputs("<td></td>", out);
		return;
	}
	html_digits(text, seconds);
	fprintf(out, "<td><data value=\"%.17g\" data-key=\"%s\">%s</data></td>", seconds, key, text);
}

static void class_row_write(FILE *out, const struct class_wait *w, double reach)
{
	const struct wt_difference *d = &w->difference;
	double worth = isfinite(d->ci95) && d->ci95 > 0 ? d->ci95 / 10 : fabs(d->mean) / 100;
	struct difference_amount amount = {
		.mean = d->mean, .low = d->mean - d->ci95, .high = d->mean + d->ci95, .unit = "s",
		.decimals = worth > 0 && worth < 1 ? (int) fmin(3, ceil(-log10(worth))) : 0,
	};

	fputs("<tr><th scope=\"row\">", out);
	if (strcmp(w->by, "all"))
		class_name_write(out, w);
	else
		fputs("all", out);
	fprintf(out, "</th><td>%zu</td>", w->jobs);
	seconds_cell(out, "first_mean_s", w->first_s);
	seconds_cell(out, "here_mean_s", w->here_s);
	if (isnan(d->mean))
		fputs("<td></td><td></td><td></td><td></td>", out);
	else
		side_amount_cells(out, verdict_of(w), &amount, reach);
	fputs("</tr>\n", out);
}

static bool all_same(const struct class_waits *waits)
{
	for (size_t i = 0; i < waits->count; i++)
		if (wt_class_wait_verdict(&waits->items[i]) != CLASS_SAME)
			return false;
	return true;
}

static void table_write(FILE *out, const struct wt_cases *cases, const struct wt_case *c)
{
	double reach = reach_of_waits(&c->waits);

	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Waits of ", out);
	html_name(out, c->name);
	fputs("\"><table class=\"differences classes\" data-case=\"", out);
	html_text(out, c->name);
	fputs("\"><caption><span>", out);
	html_name(out, c->name);
	fputs(" beside ", out);
	html_name(out, cases->items[c->base].name);
	fprintf(out, ": mean waits in seconds; pictures from \xe2\x88\x92%.3g to %.3g s</span></caption>\n<thead><tr>"
		"<th scope=\"col\">jobs of</th><th scope=\"col\">jobs</th><th scope=\"col\">there</th>"
		"<th scope=\"col\">here</th><th scope=\"col\">difference</th><th scope=\"col\">less | more</th>"
		"<th scope=\"col\">95 %% interval</th><th scope=\"col\"></th></tr></thead>\n<tbody>\n", reach, reach);
	for (size_t i = 0; i < c->waits.count; i++)
		class_row_write(out, &c->waits.items[i], reach);
	fputs("</tbody></table></div>\n", out);
}

/* A table in which nothing differs is behind a click: it says no more than its summary. */
static void case_classes_write(FILE *out, const struct wt_cases *cases, const struct wt_case *c)
{
	bool same = all_same(&c->waits);

	notes_write(out, &c->waits);
	if (same) {
		fputs("<details><summary>", out);
		html_name(out, c->name);
		fputs(": every job waits as long as in ", out);
		html_name(out, cases->items[c->base].name);
		fputs("</summary>\n", out);
	}
	table_write(out, cases, c);
	fputs(same ? "</details>\n" : "", out);
}

void class_sections_write(FILE *out, const struct wt_cases *cases)
{
	size_t told = 0;

	for (size_t i = 0; i < cases->count; i++) {
		const struct wt_case *c = &cases->items[i];

		if (!c->compared || !wt_class_waits_differ(&c->waits))
			continue;
		if (!told++)
			fputs("<h2 id=\"experiment-classes\">Who waits longer, and who less?</h2>\n<p class=\"grey\">Each "
			      "job is compared with itself, in runs of the same seed; it is of the partition, QOS, account "
			      "and size that it had in the case beside. Intervals are over pairs of runs. A difference is "
			      "clear where p, corrected for all rows of its kind in the table (Holm), is below 0.05.</p>\n",
			      out);
		case_classes_write(out, cases, c);
	}
}
