/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/html.h"
#include "harness/page/side.h"
#include "harness/report/difference_words.h"

/* ---- what comes first --------------------------------------------------------------------------------------------- */

static void title_write(const struct side *side)
{
	const struct side_variant *a = &side->variants[0];
	const struct wt_record *record = side->input->runs[a->of->first].record;
	char text[64];

	fputs(side->input->cases ? "<h2 id=\"side\">" : "<h1 id=\"side\">", side->section.out);
	html_name(side->section.out, record->workload ? record->workload : "Runs");
	if (record->nodes) {
		html_number(text, record->nodes, 0);
		fprintf(side->section.out, " on %s node%s", text, record->nodes == 1 ? "" : "s");
	}
	if (side->count == 1)
		fprintf(side->section.out, ", %zu runs", a->of->run_count);
	else if (side->count == 2)
		fputs(": A and B", side->section.out);
	else
		fprintf(side->section.out, ": %zu variants", side->count);
	fputs(side->input->cases ? "</h2>\n" : "</h1>\n", side->section.out);
}

/* What A's first run was; what the others' runs were otherwise stands in the table below. */
static void first_run_write(const struct side *side)
{
	struct section section = side->section;

	section.run = &side->input->runs[side->variants[0].of->first];
	if (!side->input->cases && side->variants[0].of->first < page_runs_written(side->input))
		what_sentences_write(&section, "", true);
}

/* How one is compared, and with what. */
static void basis_write(const struct side *side, const struct side_variant *b)
{
	const struct wt_comparison *c = &b->comparison;
	const char *unknown = wt_compare_unknown(c);
	FILE *out = side->section.out;

	fputs("<p class=\"grey\">", out);
	if (c->a->count == 1 && c->b->count == 1)
		fprintf(out,
			"One run of each shows no interval: whether a difference is more than chance is not known "
			"(--repeat makes several runs)%s.",
			c->paired ? "; both have the same seed" : "; they have different seeds");
	else if (c->a->count == 1 || c->b->count == 1)
		fprintf(out,
			"%zu and %zu runs: of a single run no interval is known, and so not whether a difference is more "
			"than chance (--repeat makes several runs).",
			c->a->count, c->b->count);
	else if (c->paired)
		fprintf(out, "%zu pairs of runs of the same seed, and the 95 %% interval of the mean difference.%s",
			c->pairs,
			c->a->count + c->b->count > 2 * c->pairs ? " Runs without a counterpart do not count." : "");
	else
		fprintf(out, "%zu and %zu runs, not paired, and the 95 %% interval of the difference (Welch).", c->a->count,
			c->b->count);
	if (c->a->skipped + c->b->skipped)
		fprintf(out, " %zu more did not end well.", c->a->skipped + c->b->skipped);
	fputs("</p>\n", out);
	if (wt_compare_other_size(c))
		fputs("<p class=\"warn\">They do not have the same size.</p>\n", out);
	if (unknown) {
		fputs("<p class=\"warn\">", out);
		html_text(out, unknown);
		fputs(".</p>\n", out);
	}
}

static void sentence_write(FILE *out, const struct side_variant *b, enum wt_figure_id f, const char *before,
			   const char *behind)
{
	const struct difference_quantity quantity = difference_quantity_of(f);
	char *text = difference_sentence(&quantity, b->letter, &b->comparison.difference[f], b->comparison.a_stats[f].mean);

	if (text && *text) {
		fprintf(out, "%s<span data-figure=\"%s\">", before, wt_figure_infos[f].key);
		html_text(out, text);
		fprintf(out, "</span>%s", behind);
	}
	free(text);
}

static const enum wt_figure_id first_figures[] = { WT_FIG_MAKESPAN, WT_FIG_WAIT_MEAN, WT_FIG_UTILIZATION };
static const enum wt_figure_id more_figures[] = { WT_FIG_WAIT_MEDIAN, WT_FIG_TURNAROUND_MEAN, WT_FIG_SLOWDOWN_MEAN,
						  WT_FIG_CONTROLLER_CPU_PER_JOB, WT_FIG_SUBMIT_LATENCY_MEAN };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool first_unclear(const struct side_variant *b)
{
	for (size_t i = 0; i < COUNT(first_figures); i++)
		if (difference_verdict(&b->comparison.difference[first_figures[i]]) != DIFFERENCE_UNCLEAR)
			return false;
	return true;
}

static bool how_good_known(const struct wt_stats *stats)
{
	return isfinite(stats[WT_FIG_MAKESPAN].mean) && isfinite(stats[WT_FIG_UTILIZATION].mean) &&
	       isfinite(stats[WT_FIG_WAIT_MEAN].mean);
}

static void how_good_write(FILE *out, const char *letter, const struct wt_stats *stats, const char *behind)
{
	fprintf(out, "%s took ", letter);
	duration_write(out, NULL, stats[WT_FIG_MAKESPAN].mean);
	fputs(" and was ", out);
	number_write(out, NULL, stats[WT_FIG_UTILIZATION].mean, 100, 1, " %");
	fputs(" busy, its jobs waited ", out);
	duration_write(out, NULL, stats[WT_FIG_WAIT_MEAN].mean);
	fprintf(out, " on average%s", behind);
}

static int sentences_write(const struct side *side, const struct side_variant *b)
{
	bool unclear = first_unclear(b);
	FILE *out = side->section.out;

	fputs("<p class=\"lead\">", out);
	if (unclear)
		fprintf(out, "No clear difference between A and %s in makespan, mean wait and utilisation. ", b->letter);
	for (size_t i = 0; !unclear && i < COUNT(first_figures); i++)
		sentence_write(out, b, first_figures[i], "", " ");
	if (side_placement_sentence(side, b) < 0)
		return -1;
	/* A difference does not say how good either of them is. */
	fputs("</p>\n", out);
	if (how_good_known(b->comparison.a_stats) && how_good_known(b->comparison.b_stats)) {
		fputs("<p class=\"levels\">", out);
		how_good_write(out, "A", b->comparison.a_stats, "; ");
		how_good_write(out, b->letter, b->comparison.b_stats, ".</p>\n");
	}
	basis_write(side, b);
	fputs("<ul class=\"sentences\">\n", out);
	for (size_t i = 0; unclear && i < COUNT(first_figures); i++)
		sentence_write(out, b, first_figures[i], "<li>", "</li>\n");
	for (size_t i = 0; i < COUNT(more_figures); i++)
		sentence_write(out, b, more_figures[i], "<li>", "</li>\n");
	fputs("</ul>\n", out);
	return 0;
}

static void refusal_write(const struct side *side, const struct side_variant *b)
{
	FILE *out = side->section.out;

	fprintf(out, "<p class=\"warn\">%s is not compared with A. windtunnel compare says: ", b->letter);
	html_text(out, b->why.text);
	fputs("</p>\n", out);
}

static int variant_write(const struct side *side, const struct side_variant *b)
{
	FILE *out = side->section.out;

	if (side->count > 2) {
		fprintf(out, "<h2 id=\"side-%s\">", b->letter);
		fprintf(out, "%s beside %s</h2>\n", b->label, side->variants[0].label);
	}
	if (!b->compared) {
		refusal_write(side, b);
		return 0;
	}
	if (sentences_write(side, b) < 0)
		return -1;
	side_differences_write(side, b);
	return 0;
}

/* Their runs, each with a link to its own part. */
static void legend_write(const struct side *side)
{
	FILE *out = side->section.out;

	fputs("<nav aria-label=\"Runs\"><ul class=\"variants\">\n", out);
	for (size_t i = 0; i < side->count; i++) {
		const struct page_variant *of = side->variants[i].of;

		fprintf(out, "<li><b>%s</b> ", side->variants[i].letter);
		if (of->run_count > 1) {
			html_name(out, side_variant_name(of));
			fputs(": run ", out);
		}
		for (size_t r = of->first; r < of->first + of->run_count; r++) {
			bool linked = r < page_runs_written(side->input);

			fputs(r == of->first ? "" : " ", out);
			if (linked)
				fprintf(out, "<a href=\"#%s\">", side->input->runs[r].id);
			html_name(out, of->run_count > 1 ? side->input->runs[r].name : side_variant_name(of));
			fprintf(out, "%s%s", linked ? "</a>" : "",
				side_run_counts(&side->input->runs[r]) ? "" : " (did not end well)");
		}
		fputs("</li>\n", out);
	}
	fputs("</ul></nav>\n", out);
}

static int parts_write(const struct side *side)
{
	const struct side_variant *a = &side->variants[0];

	fputs("<section class=\"run side\" aria-labelledby=\"side\">\n<header>\n", side->section.out);
	title_write(side);
	first_run_write(side);
	legend_write(side);
	if (side_options_write(side) < 0)
		return -1;
	fputs("</header>\n", side->section.out);
	if (!a->known) {
		fputs("<p class=\"warn\">Nothing can be compared. ", side->section.out);
		html_text(side->section.out, a->why.text);
		fputs("</p>\n", side->section.out);
	} else if (side->count == 1) {
		side_repeats_write(side, a);
	}
	for (size_t i = 1; i < side->count && a->known && !side->input->cases; i++)
		if (variant_write(side, &side->variants[i]) < 0)
			return -1;
	if (side_placement_write(side) < 0 || side_charts_write(side) < 0)
		return -1;
	fputs("</section>\n", side->section.out);
	return 0;
}

int side_write(FILE *out, const struct page_input *input, const struct placement *placements, struct wt_error *errp)
{
	struct side side = { .section = { .out = out, .level = 1 }, .input = input, .placements = placements };
	char id[] = "side";
	int rc;

	side.head.id = id;
	side.section.run = &side.head;
	rc = side_read(&side, errp);
	if (rc == 0 && parts_write(&side) < 0)
		rc = wt_error_errno(errp, errno, "comparison of %zu runs", input->run_count);
	side_clear(&side);
	return rc;
}
