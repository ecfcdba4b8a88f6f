/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "cmd/straggler/claims.h"
#include "lib/table.h"

#define U WT_STARTS_UNIFORM
#define K WT_STARTS_SKEWED
#define N WT_LATENCY_NONE
#define L WT_LATENCY_PARETO
#define S PAPER_SCORE
#define R PAPER_RATE
#define FP FALSE_POSITIVE
#define FN FALSE_NEGATIVE

/* What Lambert et al. 2022 say in their text, section by section; -1 or 0 leaves a property open, and the cell with
 * the largest value counts then. */
const struct claim claims[] = {
	{ "stragglers among 7.5-12.5 ... 75-125 s", "III.A.1", S, FP, CLAIM_STRAGGLERS, 0, 0, 0.25, -1, -1, 10,
	  "10 % of the expected mean; a long task also raises the mean of its job" },
	{ "heartbeats under way for more than 1 s", "III.B", S, FP, CLAIM_LATE, 0, 0, -1, -1, L, 10,
	  "10 % above 1 s fits neither the shape of 5 nor the paper's rates" },
	{ "score, like tasks, no latency", "IV.1", S, FP, CLAIM_MAX, 0, 0, 0, -1, N, 0, NULL },
	{ "rate, like tasks, no latency", "IV.1", R, FP, CLAIM_MAX, 0, 0, 0, -1, N, 0, NULL },
	{ "score, 10 tasks of 10 s, uniform, latency", "IV.1", S, FP, CLAIM_MEAN, 10, 10, 0, U, L, 4, NULL },
	{ "rate, 10 tasks of 10 s, uniform, latency", "IV.1", R, FP, CLAIM_MEAN, 10, 10, 0, U, L, 2, NULL },
	{ "score, 7.5-12.5 s, uniform", "IV.1", S, FP, CLAIM_MEAN, 50, 10, 0.25, U, N, 32.02, NULL },
	{ "score, 7.5-12.5 s, skewed", "IV.1", S, FP, CLAIM_MEAN, 50, 10, 0.25, K, N, 34.11, NULL },
	{ "score, 15-25 s, uniform", "IV.1", S, FP, CLAIM_MEAN, 50, 20, 0.25, U, N, 1.51, NULL },
	{ "score, 15-25 s, uniform", "IV.1", S, FP, CLAIM_MEDIAN, 50, 20, 0.25, U, N, 0, NULL },
	{ "score, 15-25 s, uniform, latency", "IV.1", S, FP, CLAIM_MEAN, 50, 20, 0.25, U, L, 6.50, NULL },
	{ "score, 15-25 s, uniform, latency", "IV.1", S, FP, CLAIM_MEDIAN, 50, 20, 0.25, U, L, 5.44, NULL },
	{ "score, 15-25 s, skewed", "IV.1", S, FP, CLAIM_MEAN, 50, 20, 0.25, K, N, 38.08, NULL },
	{ "rate, 15-25 s, skewed", "IV.1", R, FP, CLAIM_MEAN, 50, 20, 0.25, K, N, 53.27, NULL },
	{ "rate, 15-25 s, skewed", "IV.1", R, FP, CLAIM_MEDIAN, 50, 20, 0.25, K, N, 53.26, NULL },
	{ "rate, 15-25 s, skewed, latency", "IV.1", R, FP, CLAIM_MEAN, 50, 20, 0.25, K, L, 54.07, NULL },
	{ "rate, 15-25 s, skewed, latency", "IV.1", R, FP, CLAIM_MEDIAN, 50, 20, 0.25, K, L, 54.17, NULL },
	{ "rate, 15-25 s, uniform", "IV.1", R, FP, CLAIM_MEAN, 50, 20, 0.25, U, N, 24.31, NULL },
	{ "rate, 75-125 s, skewed", "IV.1", R, FP, CLAIM_MEAN, 50, 100, 0.25, K, N, 13.27, NULL },
	{ "score, 15-25 s, uniform", "IV.2", S, FN, CLAIM_MEAN, 50, 20, 0.25, U, N, 6.43,
	  "no reading of the model gives it" },
	{ "score, 37.5-62.5 s, uniform", "IV.2", S, FN, CLAIM_MEDIAN, 50, 50, 0.25, U, N, 100, NULL },
	{ "score, 75-125 s, uniform", "IV.2", S, FN, CLAIM_MEDIAN, 50, 100, 0.25, U, N, 100, NULL },
	{ "rate, 50 tasks", "IV.2", R, FN, CLAIM_MAX, 50, 0, 0.25, -1, -1, 0, NULL },
	{ "rate, 10 tasks", "IV.2", R, FN, CLAIM_MAX, 10, 0, 0.25, -1, -1, 0,
	  "in jobs of 10 s and 20 s; most sets of 50 runs have none" },
};

const size_t claims_count = sizeof(claims) / sizeof(claims[0]);

static bool claim_matches(const struct claim *claim, const struct wt_trace_model *m)
{
	return (!claim->tasks || claim->tasks == m->tasks) &&
	       (claim->duration_s == 0 || claim->duration_s == m->duration_s) &&
	       (claim->spread < 0 || claim->spread == m->spread) &&
	       (claim->starts < 0 || claim->starts == (int) m->starts) &&
	       (claim->latency < 0 || claim->latency == (int) m->latency);
}

/* The paper had PAPER_RUNS runs, and those of them that have stragglers count for false negatives, as in ours. */
static struct claim_result claim_cell(const struct claim *claim, const struct figures *f)
{
	const struct wt_quantiles *q = &f->of[claim->kind];
	double paper_runs = PAPER_RUNS * (double) q->count / f->runs;
	double error = 100 * q->sd * sqrt(1 / paper_runs + 1.0 / q->count);

	if (claim->statistic == CLAIM_MEDIAN)	/* of normal values: sqrt (pi / 2) that of the mean */
		return (struct claim_result) { 100 * q->median, error * sqrt(M_PI_2) };
	return (struct claim_result) { 100 * q->mean, claim->statistic == CLAIM_MEAN ? error : NAN };
}

struct claim_result claim_check(const struct claim *claim, const struct cell cells[PAPER_CELLS])
{
	struct claim_result result = { NAN, NAN };
	double part = 0, whole = 0;

	for (size_t i = 0; i < PAPER_CELLS; i++) {
		const struct figures *f = &cells[i].figures[claim->detector];
		struct claim_result one;

		if (!claim_matches(claim, &cells[i].model))
			continue;
		part += claim->statistic == CLAIM_LATE ? cells[i].late : f->stragglers;
		whole += claim->statistic == CLAIM_LATE ? f->heartbeats : f->tasks;
		one = claim_cell(claim, f);
		if (isnan(result.ours) || one.ours > result.ours)
			result = one;
	}
	if (claim->statistic == CLAIM_LATE || claim->statistic == CLAIM_STRAGGLERS)
		return (struct claim_result) { 100 * part / whole, NAN };
	return result;
}

static const char *claim_figure(const struct claim *claim)
{
	switch (claim->statistic) {
	case CLAIM_STRAGGLERS:
	case CLAIM_LATE:
		return "share";
	case CLAIM_MEDIAN:
		return claim->kind == FP ? "false pos., median" : "false neg., median";
	case CLAIM_MAX:
		return claim->kind == FP ? "false pos., largest" : "false neg., largest";
	default:
		return claim->kind == FP ? "false pos., mean" : "false neg., mean";
	}
}

static int row_add(struct wt_table *table, const struct claim *claim, const struct claim_result *r)
{
	int rc = wt_table_cell(table, "%s", claim->where) | wt_table_cell(table, "%s", claim->what);

	rc |= wt_table_cell(table, "%s", claim_figure(claim));
	rc |= wt_table_cell(table, "%.2f", claim->paper) | wt_table_cell(table, "%.2f", r->ours);
	if (r->error > 0)
		rc |= wt_table_cell(table, "%.2f", r->error) |
		      wt_table_cell(table, "%+.1f", (r->ours - claim->paper) / r->error);
	else
		rc |= wt_table_cell(table, "-") | wt_table_cell(table, "-");
	return rc | wt_table_cell(table, "%s", claim->note ? claim->note : "");
}

int claims_print(FILE *out, const struct cell cells[PAPER_CELLS], struct wt_error *errp)
{
	static const char *const head[] = { "section", "", "%", "paper", "ours", "error", "errors off", "" };
	struct wt_table *table = wt_table_create("lllrrrrl");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(head) / sizeof(head[0]); i++)
		rc = wt_table_cell(table, "%s", head[i]);
	for (size_t i = 0; rc == 0 && i < claims_count; i++) {
		struct claim_result result = claim_check(&claims[i], cells);

		rc = row_add(table, &claims[i], &result);
	}
	if (rc == 0)
		wt_table_print(table, out, "");
	else
		wt_error_set(errp, ENOMEM, "no memory for a table");
	wt_table_destroy(table);
	return rc;
}

json_t *claims_json(const struct cell cells[PAPER_CELLS], struct wt_error *errp)
{
	json_t *list = json_array();

	for (size_t i = 0; i < claims_count; i++) {
		const struct claim *c = &claims[i];
		struct claim_result r = claim_check(c, cells);
		json_t *row = json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:s*}", "section", c->where, "what", c->what,
					"figure", claim_figure(c), "paper_percent", c->paper, "ours_percent", r.ours,
					"error_percent", isnan(r.error) ? json_null() : json_real(r.error), "note",
					c->note);

		if (json_array_append_new(list, row) < 0) {
			wt_error_set(errp, ENOMEM, "no memory for JSON");
			json_decref(list);
			return NULL;
		}
	}
	return list;
}
