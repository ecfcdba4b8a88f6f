/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "cmd/straggler/straggler_figures.h"
#include "lib/table.h"

static const struct kind {
	const char *name, *title;
	double scale;
} kinds[FIGURE_KINDS] = {
	[FALSE_POSITIVE] = { "false_positive", "false positives, %", 100 },
	[FALSE_NEGATIVE] = { "false_negative", "false negatives, %", 100 },
	[DETECTION_DELAY_S] = { "detection_delay_s", "detection delay, s", 1 },
	[LIFE_LEFT] = { "life_left", "life left when flagged, %", 100 },
};

const char *figure_name(enum figure_kind kind)
{
	return kinds[kind].name;
}

const char *figure_title(enum figure_kind kind)
{
	return kinds[kind].title;
}

double figure_scale(enum figure_kind kind)
{
	return kinds[kind].scale;
}

struct figures figures_of(const char *detector, struct wt_tally *tally)
{
	return (struct figures) {
		.detector = detector,
		.runs = tally->runs,
		.tasks = tally->tasks,
		.stragglers = tally->stragglers,
		.unknown = tally->unknown,
		.hung = tally->hung,
		.hung_missed = tally->hung_missed,
		.heartbeats = tally->heartbeats,
		.refused = tally->refused,
		.of = {
			[FALSE_POSITIVE] = wt_series_quantiles(&tally->false_positives),
			[FALSE_NEGATIVE] = wt_series_quantiles(&tally->false_negatives),
			[DETECTION_DELAY_S] = wt_series_quantiles(&tally->delays_s),
			[LIFE_LEFT] = wt_series_quantiles(&tally->life_left),
		},
	};
}

static int row_add(struct wt_table *table, const char *detector, enum figure_kind kind, const struct wt_quantiles *q)
{
	const double values[] = { q->mean, q->sd, q->decile1, q->quartile1, q->median, q->quartile3, q->decile9 };
	int rc = wt_table_cell(table, "%s", detector) | wt_table_cell(table, "%s", kinds[kind].title);

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		rc |= isnan(values[i]) ? wt_table_cell(table, "-") :
		      wt_table_cell(table, "%.2f", values[i] * kinds[kind].scale);
	return rc | wt_table_cell(table, "%zu", q->count);
}

static int table_fill(struct wt_table *table, const struct figures *figures, size_t count)
{
	static const char *const head[] = { "detector", "", "mean", "sd", "decile", "quartile", "median", "quartile",
					    "decile", "values" };
	int rc = 0;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		rc |= wt_table_cell(table, "%s", head[i]);
	for (size_t i = 0; i < count; i++)
		for (int kind = 0; kind < FIGURE_KINDS; kind++)
			rc |= row_add(table, kind ? "" : figures[i].detector, kind, &figures[i].of[kind]);
	return rc;
}

static void print_counts(FILE *out, const struct figures *f)
{
	fprintf(out, "%zu runs, %zu tasks, %zu of them stragglers", f->runs, f->tasks, f->stragglers);
	if (f->unknown)
		fprintf(out, ", %zu unknown", f->unknown);
	fprintf(out, "; %zu heartbeats", f->heartbeats);
	if (f->refused)
		fprintf(out, ", %zu refused", f->refused);
	putc('\n', out);
}

int figures_print(FILE *out, const struct figures *figures, size_t count, struct wt_error *errp)
{
	struct wt_table *table = wt_table_create("llrrrrrrrr");

	if (!table || table_fill(table, figures, count) < 0) {
		wt_table_destroy(table);
		return wt_error_set(errp, ENOMEM, "no memory for a table");
	}
	if (count)
		print_counts(out, &figures[0]);
	wt_table_print(table, out, "");
	wt_table_destroy(table);
	for (size_t i = 0; i < count; i++)
		if (figures[i].hung)
			fprintf(out, "%s misses %zu of %zu hung tasks\n", figures[i].detector, figures[i].hung_missed,
				figures[i].hung);
	return 0;
}

void figures_csv_header(FILE *out, const char *columns)
{
	fprintf(out, "%sdetector,figure,count,mean,sd,min,decile1,quartile1,median,quartile3,decile9,max\n", columns);
}

void figures_csv(FILE *out, const char *columns, const struct figures *figures)
{
	for (int kind = 0; kind < FIGURE_KINDS; kind++) {
		const struct wt_quantiles *q = &figures->of[kind];
		const double values[] = { q->mean, q->sd, q->min, q->decile1, q->quartile1, q->median, q->quartile3,
					  q->decile9, q->max };

		fprintf(out, "%s%s,%s,%zu", columns, figures->detector, kinds[kind].name, q->count);
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			isnan(values[i]) ? fprintf(out, ",") : fprintf(out, ",%.9g", values[i]);
		putc('\n', out);
	}
}
