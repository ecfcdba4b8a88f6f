/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How well the variants' jobs were placed, run by run; differences in pairs where windtunnel compare has pairs. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "harness/page/html.h"
#include "harness/page/job_values.h"
#include "harness/page/side.h"

/* The page's run of an entry of the variant's set. */
static const struct placement *placement_of(const struct side *side, const struct side_variant *v, size_t entry)
{
	unsigned long number = v->set.runs[entry].number;

	for (size_t r = v->of->first; r < v->of->first + v->of->run_count; r++)
		if (!number || strtoul(side->input->runs[r].name, NULL, 10) == number)
			return &side->placements[r];
	return NULL;
}

static bool has_placement(const struct side *side, const struct side_variant *v)
{
	for (size_t i = 0; v->known && i < v->set.count; i++) {
		const struct placement *p = placement_of(side, v, i);

		if (!p || !p->there || !p->result.tally.jobs)
			return false;
	}
	return v->known;
}

/* ---- quantities --------------------------------------------------------------------------------------------------- */

enum { TOUCHED, OPTIMAL, SCATTER };

/* Leaf switches with free room beyond the least, on average over the run. */
static double scatter_mean(const struct placement *p)
{
	double sum = 0;

	for (size_t i = 0; i < PLACEMENT_MOMENTS; i++)
		sum += (double) p->scattered[i] - p->least[i];
	return sum / PLACEMENT_MOMENTS;
}

static double value_of(const struct placement *p, int what, uint32_t level)
{
	if (what == TOUCHED)
		return placement_touched(p, level);
	return what == OPTIMAL ? (double) p->result.tally.absolute_all / (double) p->result.tally.jobs : scatter_mean(p);
}

struct placed_row {
	int what;
	uint32_t level;
	char key[32], label[96];
	struct difference_quantity quantity;
	struct wt_stats a, b;
	struct wt_difference difference;
};

static void row_name(struct placed_row *row)
{
	static const struct difference_quantity quantities[] = {
		[TOUCHED] = { "switches that a job touches", "'s jobs touch ", " more leaf switches", " fewer leaf switches",
			      "", 1 },
		[OPTIMAL] = { "jobs with the least by size", NULL, " more", " less", "%", 100 },
		[SCATTER] = { "fragmentation", "'s free room is ", " more scattered", " less scattered", "leaf switches",
			      1 },
	};

	row->quantity = quantities[row->what];
	if (row->what == TOUCHED) {
		snprintf(row->key, sizeof(row->key), "touched-%u", row->level);
		snprintf(row->label, sizeof(row->label), "switches of level %u%s touched by a job", row->level,
			 row->level ? "" : " (leaves)");
	} else {
		snprintf(row->key, sizeof(row->key), row->what == OPTIMAL ? "optimal" : "scatter");
		snprintf(row->label, sizeof(row->label),
			 row->what == OPTIMAL ? "jobs with the least on all levels, by their size"
					      : "leaf switches with free room beyond the least");
	}
}

static void values_fill(const struct side *side, const struct side_variant *v, const struct placed_row *row, double *values)
{
	for (size_t i = 0; i < v->set.count; i++)
		values[i] = value_of(placement_of(side, v, i), row->what, row->level);
}

static int row_make(const struct side *side, const struct side_variant *b, struct placed_row *row)
{
	const struct side_variant *a = &side->variants[0];
	double *values = calloc(a->set.count + b->set.count, sizeof(*values)), *second;

	if (!values)
		return -1;
	second = values + a->set.count;
	row_name(row);
	values_fill(side, a, row, values);
	values_fill(side, b, row, second);
	if (b->comparison.paired)
		wt_stats_paired(&row->difference, values, second, a->set.count);
	else
		wt_stats_welch(&row->difference, values, a->set.count, second, b->set.count);
	wt_stats_compute(&row->a, values, a->set.count);
	wt_stats_compute(&row->b, second, b->set.count);
	free(values);
	return 0;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

static void value_cell(FILE *out, const char *key, const struct placed_row *row, double value)
{
	fputs("<td>", out);
	number_write(out, key, value, row->quantity.scale, 2, row->what == OPTIMAL ? " %" : "");
	fputs("</td>", out);
}

static void row_write(FILE *out, const struct placed_row *row)
{
	struct difference_amount amount = difference_amount(&row->quantity, &row->difference, row->a.mean);

	fprintf(out, "<tr data-figure=\"%s\"><th scope=\"row\">%s</th>", row->key, row->label);
	side_amount_cells(out, difference_verdict(&row->difference), &amount, 100);
	value_cell(out, "a", row, row->a.mean);
	value_cell(out, "b", row, row->b.mean);
	fputs("</tr>\n", out);
}

static void sentence_write(FILE *out, const struct side_variant *b, const struct placed_row *row)
{
	char *text = difference_sentence(&row->quantity, b->letter, &row->difference, row->a.mean);

	if (text && *text) {
		fprintf(out, "<span data-figure=\"%s\">", row->key);
		html_text(out, text);
		fputs("</span> ", out);
	}
	free(text);
}

int side_placement_sentence(const struct side *side, const struct side_variant *b)
{
	struct placed_row row = { .what = TOUCHED };

	if (!has_placement(side, &side->variants[0]) || !has_placement(side, b))
		return 0;
	if (row_make(side, b, &row) < 0)
		return -1;
	sentence_write(side->section.out, b, &row);
	return 0;
}

static uint32_t levels_common(const struct side *side, const struct side_variant *b)
{
	uint32_t a_levels = placement_of(side, &side->variants[0], 0)->result.tally.levels,
		 b_levels = placement_of(side, b, 0)->result.tally.levels;

	return a_levels < b_levels ? a_levels : b_levels;
}

static int table_write(const struct side *side, const struct side_variant *b)
{
	const char *const columns[] = {
		"placement", "difference", "less | more", "95 % interval", "", "A", b->letter, NULL
	};
	uint32_t levels = levels_common(side, b);
	struct placed_row rows[WT_TREE_LEVELS_MAX + 2] = { { .what = TOUCHED } };
	char attributes[64];

	for (uint32_t i = 0; i < levels + 2; i++) {
		rows[i].what = i < levels ? TOUCHED : i == levels ? OPTIMAL : SCATTER;
		rows[i].level = i < levels ? i : 0;
		if (row_make(side, b, &rows[i]) < 0)
			return -1;
	}
	fputs("<p>", side->section.out);
	sentence_write(side->section.out, b, &rows[0]);
	sentence_write(side->section.out, b, &rows[levels + 1]);
	fputs("</p>\n", side->section.out);
	snprintf(attributes, sizeof(attributes), "class=\"differences beside\" data-of=\"%s\"", b->letter);
	table_begin(&side->section, attributes, "Placement: means over the runs, and their differences", columns);
	for (uint32_t i = 0; i < levels + 2; i++)
		row_write(side->section.out, &rows[i]);
	table_end(&side->section);
	return 0;
}

/* ---- charts ------------------------------------------------------------------------------------------------------- */

static int times_fill(const struct side *side, const struct side_variant *v, struct chart_curve *curve, double *most)
{
	size_t count = 0;
	double *times;

	for (size_t i = 0; i < v->set.count; i++)
		count += placement_of(side, v, i)->time_count;
	times = malloc((count + 1) * sizeof(*times));
	if (!times)
		return -1;
	count = 0;
	for (size_t i = 0; i < v->set.count; i++) {
		const struct placement *p = placement_of(side, v, i);

		for (size_t t = 0; t < p->time_count; t++)
			times[count++] = p->times[t];
	}
	job_values_sort(times, count);
	job_values_curve(curve, times, count);
	if (count)
		*most = fmax(*most, times[count - 1]);
	free(times);
	return 0;
}

/* Its runs are not equally long: each moment is the mean of those that have not ended. */
static void scatter_fill(const struct side *side, const struct side_variant *v, struct chart_curve *curve, double period_s)
{
	for (size_t m = 0; m < PLACEMENT_MOMENTS; m++) {
		double time_s = period_s * (double) m / (PLACEMENT_MOMENTS - 1), sum = 0, runs = 0;

		for (size_t i = 0; i < v->set.count; i++) {
			const struct placement *p = placement_of(side, v, i);
			size_t at = (size_t) (time_s / p->period_s * (PLACEMENT_MOMENTS - 1));

			if (at < PLACEMENT_MOMENTS) {
				sum += (double) p->scattered[at] - p->least[at];
				runs++;
			}
		}
		chart_curve_add(curve, time_s, runs > 0 ? sum / runs : NAN);
	}
}

static double period_of(const struct side *side)
{
	double period_s = 1;

	for (size_t r = 0; r < side->input->run_count; r++)
		if (side->placements[r].there)
			period_s = fmax(period_s, side->placements[r].period_s);
	return period_s;
}

static int charts_write(const struct side *side)
{
	const struct side_variant *of[SIDE_CHARTS_MAX];
	struct chart_curve curves[SIDE_CHARTS_MAX];
	struct chart scatter = {
		.key = "scatter",
		.title = "Fragmentation: leaf switches with free room beyond the least that could hold it",
		.x_key = "time_s",
		.y_key = "leaf_switches",
		.axis = CHART_TIME,
		.x_to = period_of(side),
		.curves = curves,
	};
	struct chart times = {
		.key = "placement-times",
		.title = "Jobs that touched at most so many times the least leaf switches by their size, %",
		.x_key = "times",
		.y_key = "percent_of_jobs",
		.axis = CHART_NUMBER_LOG,
		.y_to = 100,
		.y_unit = "%",
		.curves = curves,
	};
	double most = 1;
	int rc = 0;

	scatter.curve_count = side_curves_name(side, curves, of);
	for (size_t c = 0; c < scatter.curve_count; c++)
		if (has_placement(side, of[c]))
			scatter_fill(side, of[c], &curves[c], scatter.x_to);
	if (side_chart_finish(side, &scatter, 0) < 0)
		return -1;
	times.curve_count = side_curves_name(side, curves, of);
	for (size_t c = 0; rc == 0 && c < times.curve_count; c++)
		if (has_placement(side, of[c]))
			rc = times_fill(side, of[c], &curves[c], &most);
	job_values_axis(&times, 1, most);
	return side_chart_finish(side, &times, rc);
}

int side_placement_write(const struct side *side)
{
	bool any = has_placement(side, &side->variants[0]), first = any;

	for (size_t i = 1; i < side->count; i++)
		any |= has_placement(side, &side->variants[i]);
	if (!any)
		return 0;
	heading_write(&side->section, 1, "placement", "Whose jobs touch more switches?");
	for (size_t i = 1; i < side->count; i++) {
		const struct side_variant *b = &side->variants[i];

		if (first && b->compared && has_placement(side, b)) {
			if (table_write(side, b) < 0)
				return -1;
		} else if (b->compared) {
			fprintf(side->section.out, "<p class=\"none\">A and %s: not both have a tree of switches.</p>\n",
				b->letter);
		}
	}
	if (charts_write(side) < 0)
		return -1;
	fputs("<p class=\"none\">Means over the jobs of each run, without those of the whole machine, then over the runs; "
	      "what windtunnel topology score counts. Differences as above.</p>\n",
	      side->section.out);
	return 0;
}
