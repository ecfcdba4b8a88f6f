/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/job_values.h"
#include "harness/page/section.h"
#include "harness/page/placement.h"

static void share_cell(FILE *out, const char *key, uint64_t count, uint64_t of)
{
	fputs("<td>", out);
	if (of) {
		number_write(out, key, (double) count, 1, 0, "");
		fputs(" = ", out);
		number_write(out, NULL, (double) count / (double) of, 100, 1, " %");
	}
	fputs("</td>", out);
}

static void mean_cell(FILE *out, const char *key, double mean)
{
	fputs("<td>", out);
	if (isfinite(mean))
		number_write(out, key, mean, 1, 2, "");
	fputs("</td>", out);
}

static void optimal_cells(FILE *out, const struct placement *p, uint64_t absolute, uint64_t relative)
{
	share_cell(out, "absolute", absolute, p->result.tally.jobs);
	share_cell(out, "relative", relative, p->result.tally.jobs);
	fputs("</tr>\n", out);
}

static void level_table_write(const struct section *section, const struct placement *p)
{
	static const char *const columns[] = { "switches",
					       "touched by a job",
					       "least by its size",
					       "least by what was free",
					       "jobs with the least by size",
					       "by what was free",
					       NULL };
	const struct wt_score_tally *tally = &p->result.tally;
	FILE *out = section->out;

	table_begin(section, "class=\"placement\"", "Switches that jobs touched, means over the jobs, by level of the tree",
		    columns);
	for (uint32_t l = tally->levels; l-- > 0;) {
		fprintf(out, "<tr data-level=\"%u\"><th scope=\"row\">level %u%s</th>", l, l, l ? "" : " (leaves)");
		mean_cell(out, "touched", placement_touched(p, l));
		mean_cell(out, "least-absolute", placement_absolute(p, l));
		mean_cell(out, "least-relative", placement_relative(p, l));
		optimal_cells(out, p, tally->absolute[l], tally->relative[l]);
	}
	fputs("<tr data-level=\"all\"><th scope=\"row\">on all levels</th><td></td><td></td><td></td>", out);
	optimal_cells(out, p, tally->absolute_all, tally->relative_all);
	table_end(section);
}

static void sentence_write(const struct section *section, const struct placement *p)
{
	double touched = placement_touched(p, 0), least = placement_absolute(p, 0), room = placement_relative(p, 0);
	FILE *out = section->out;

	fputs(touched > 1.01 * room ? "<p>Yes: a job touched " : "<p>Hardly: a job touched ", out);
	number_write(out, "leaves_touched", touched, 1, 2, " leaf switches");
	fputs(" on average; with what was free at its start ", out);
	number_write(out, "leaves_relative", room, 1, 2, "");
	fputs(" would have been enough, and on an idle machine ", out);
	number_write(out, "leaves_absolute", least, 1, 2, ".");
	fputs("</p>\n", out);
}

static int times_chart_write(const struct section *section, const struct placement *p)
{
	struct chart_curve curve = { .label = "jobs", .key = "jobs", .step = true };
	struct chart chart = {
		.run_id = section->run->id,
		.key = "placement-times",
		.title = "Jobs that touched at most so many times the least leaf switches by their size, %",
		.x_key = "times",
		.y_key = "percent_of_jobs",
		.axis = CHART_NUMBER_LOG,
		.y_to = 100,
		.y_unit = "%",
		.curves = &curve,
		.curve_count = 1,
		.tall = true,
		.kind = wt_kind_name(section->run->metrics.figures[WT_FIG_MAKESPAN].kind),
	};
	int rc;

	if (!p->time_count)
		return 0;
	job_values_curve(&curve, p->times, p->time_count);
	job_values_axis(&chart, 1, p->times[p->time_count - 1]);
	rc = chart_write(section->out, &chart);
	chart_curve_clear(&curve);
	return rc;
}

static int scatter_chart_write(const struct section *section, const struct placement *p)
{
	struct chart_curve curves[] = {
		{ .label = "have free room", .key = "scattered", .step = true },
		{ .label = "could hold it", .key = "least", .step = true },
	};
	struct chart chart = {
		.run_id = section->run->id,
		.key = "scatter",
		.title = "Fragmentation: leaf switches",
		.x_key = "time_s",
		.y_key = "leaf_switches",
		.axis = CHART_TIME,
		.x_to = p->period_s,
		.curves = curves,
		.curve_count = 2,
		.tall = true,
		.kind = wt_kind_name(section->run->metrics.figures[WT_FIG_MAKESPAN].kind),
	};
	int rc;

	for (size_t i = 0; i < PLACEMENT_MOMENTS; i++) {
		double time_s = p->period_s * (double) i / (PLACEMENT_MOMENTS - 1);

		chart_curve_add(&curves[0], time_s, p->scattered[i]);
		chart_curve_add(&curves[1], time_s, p->least[i]);
	}
	rc = chart_write(section->out, &chart);
	chart_curve_clear(&curves[0]);
	chart_curve_clear(&curves[1]);
	return rc;
}

static void notes_write(const struct section *section, const struct placement *p)
{
	const struct wt_replay_result *r = &p->result;
	FILE *out = section->out;

	fprintf(out,
		"<p class=\"none\">Of %llu jobs without those of the whole machine, counted in %s, as windtunnel topology "
		"score counts them. Fragmentation, by our own definition: leaf switches that have free room, beside the "
		"least number of them that could hold as much of it; where the curves meet, it is as compact as it can be. "
		"A completing node is not free. From jobs.csv, events.csv and topology.conf.",
		(unsigned long long) r->tally.jobs, p->cpus ? "CPUs" : "whole nodes");
	if (p->without_nodes)
		fprintf(out, " %zu jobs never had nodes.", p->without_nodes);
	if (p->assumed)
		fprintf(out, " Of %zu jobs it is not known how many CPUs each node gave: taken from their nodes in order.",
			p->assumed);
	if (r->overlaps)
		fprintf(out, " %llu time%s a job started on a node that was not free by the record.",
			(unsigned long long) r->overlaps, r->overlaps == 1 ? "" : "s");
	if (r->tally.guessed)
		fprintf(out, " Of %llu jobs what was possible on all levels together is not proved.",
			(unsigned long long) r->tally.guessed);
	fputs("</p>\n", out);
}

int placement_section_write(const struct section *section)
{
	const struct placement *p = section->placement;

	if (!p->there && !*p->why.text)
		return 0;
	fprintf(section->out, "<section aria-labelledby=\"%s-placement\">\n", section->run->id);
	heading_write(section, 1, "placement", "Did jobs touch more switches than they had to?");
	if (!p->there) {
		fputs("<p class=\"none\">Not known: ", section->out);
		html_text(section->out, p->why.text);
		fputs("</p>\n</section>\n", section->out);
		return 0;
	}
	if (p->result.tally.jobs)
		sentence_write(section, p);
	level_table_write(section, p);
	if (scatter_chart_write(section, p) < 0 || times_chart_write(section, p) < 0)
		return -1;
	notes_write(section, p);
	fputs("</section>\n", section->out);
	return 0;
}
