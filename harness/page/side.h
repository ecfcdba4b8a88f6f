/* side.h - variants beside each other: what the arguments of one report have in common, and in what they differ.
 *
 * A variant is one run, or the runs of a folder with 1, 2, ...; the rules of windtunnel compare (harness/report/compare.h)
 * say whether and how one is compared with the first: a variant of another workload, or with figures of another kind, is
 * not, and the page says why.  Not locked: one thread at a time. */
#ifndef WT_HARNESS_PAGE_SIDE_H
#define WT_HARNESS_PAGE_SIDE_H

#include "harness/page/chart.h"
#include "harness/page/section.h"
#include "harness/page/placement.h"
#include "harness/report/difference_words.h"
#include "harness/report/compare.h"

#define SIDE_CHARTS_MAX 5	/* curves that can be told apart */

struct side_variant {
	const struct page_variant *of;
	char letter[8];		/* "A", "B", ... */
	char *label;		/* "A: NAME", escaped */
	struct wt_run_set set;
	bool known;		/* set and stats are there; else 'why' */
	bool compared;		/* with the first, in 'comparison'; else 'why'.  The first: false */
	struct wt_stats stats[WT_FIG_COUNT];
	struct wt_comparison comparison;
	struct wt_error why;
};

struct side {
	struct section section;	/* of all: for its stream, and an id for headings */
	struct page_run head;	/* what section.run points to */
	const struct page_input *input;
	const struct placement *placements;	/* of all runs */
	struct side_variant *variants;
	size_t count;
};

/* Whether there is anything to put beside anything. */
bool side_wanted(const struct page_input *input);
/* The whole part of the page.  0, or -1 with ENOMEM. */
int side_write(FILE *out, const struct page_input *input, const struct placement *placements, struct wt_error *errp);

/* ---- its parts ---- */

/* side_read.c: fill side->variants from side->input.  0, or -1 with ENOMEM; side_clear () in any case. */
int side_read(struct side *side, struct wt_error *errp);
void side_clear(struct side *side);

/* side_table.c */
void side_differences_write(const struct side *side, const struct side_variant *b);
void side_repeats_write(const struct side *side, const struct side_variant *a);
/* The cells of a difference: itself, the picture of its interval up to 'reach' on both sides, the interval, the verdict. */
void side_amount_cells(FILE *out, enum difference_verdict verdict, const struct difference_amount *amount, double reach);
/* side_options.c: which options the variants' runs differ in.  0, or -1 with ENOMEM. */
int side_options_write(const struct side *side);
/* side_charts.c: one curve for each variant.  0, or -1 with ENOMEM. */
int side_charts_write(const struct side *side);

/* side_placement.c: how well their jobs were placed.  0, or -1 with ENOMEM. */
int side_placement_write(const struct side *side);
/* Of b one sentence about the leaf switches that jobs touch, where both have a tree.  0, or -1 with ENOMEM. */
int side_placement_sentence(const struct side *side, const struct side_variant *b);

/* Whether the charts show a variant: it can be compared, and there is a way of drawing left. */
bool side_drawn(const struct side *side, const struct side_variant *variant);
/* The curves of a chart, named in the order of the variants; of[] is whose they are.  How many. */
size_t side_curves_name(const struct side *side, struct chart_curve curves[SIDE_CHARTS_MAX],
			const struct side_variant *of[SIDE_CHARTS_MAX]);
/* Write a chart of them and clear its curves; 'rc' below 0: clear only.  0, or -1 with ENOMEM. */
int side_chart_finish(const struct side *side, struct chart *chart, int rc);
/* side_read.c: what the page calls a variant: its name, or its path. */
const char *side_variant_name(const struct page_variant *variant);
/* A run of it that ended well, as windtunnel compare takes them. */
bool side_run_counts(const struct page_run *run);

#endif
