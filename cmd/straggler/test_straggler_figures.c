/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "cmd/straggler/claims.h"
#include "cmd/straggler/plot.h"

/* The claims' table picks its cells: every one finds what it names, a single cell or, for the largest, several. */
static void test_each_claim_names_cells_of_the_grid(void **state)
{
	static struct cell cells[PAPER_CELLS];

	(void) state;
	grid_paper(cells);
	for (size_t i = 0; i < claims_count; i++) {
		size_t marked = 0;

		for (size_t c = 0; c < PAPER_CELLS; c++) {
			struct figures *f = &cells[c].figures[claims[i].detector];

			*f = (struct figures) { .runs = 100, .tasks = 100, .heartbeats = 100 };
			f->of[claims[i].kind] = (struct wt_quantiles) { .count = 100, .mean = c / 100.0, .sd = 0.05,
									.median = c / 100.0 };
		}
		struct claim_result r = claim_check(&claims[i], cells);
		marked = lround(r.ours);
		if (claims[i].statistic == CLAIM_STRAGGLERS || claims[i].statistic == CLAIM_LATE)
			continue;
		assert_in_range(marked, 0, PAPER_CELLS - 1);
		if (claims[i].duration_s > 0) {
			assert_true(cells[marked].model.duration_s == claims[i].duration_s);
			assert_true(cells[marked].model.spread == claims[i].spread);
			assert_int_equal(cells[marked].model.tasks, claims[i].tasks);
			assert_int_equal(cells[marked].model.starts, claims[i].starts);
			assert_int_equal(cells[marked].model.latency, claims[i].latency);
		}
	}
}

/* sd 5 %, 50 runs of the paper's, 100 of ours: 5 sqrt (1/50 + 1/100) = .866. */
static void test_error_is_that_of_both_samples(void **state)
{
	const struct claim claim = { "", "", PAPER_SCORE, FALSE_POSITIVE, CLAIM_MEAN, 50, 20, 0.25, WT_STARTS_UNIFORM,
				     WT_LATENCY_NONE, 1, NULL };
	static struct cell cells[PAPER_CELLS];
	struct claim_result r;

	(void) state;
	grid_paper(cells);
	for (size_t c = 0; c < PAPER_CELLS; c++) {
		cells[c].figures[PAPER_SCORE] = (struct figures) { .runs = 100 };
		cells[c].figures[PAPER_SCORE].of[FALSE_POSITIVE] =
			(struct wt_quantiles) { .count = 100, .mean = 0.02, .sd = 0.05 };
	}
	r = claim_check(&claim, cells);
	assert_float_equal(r.ours, 2, 1e-6);
	assert_float_equal(r.error, 0.8660254, 1e-6);
}

static void test_robustness_fills_its_cells(void **state)
{
	static struct cell cells[ROBUSTNESS_CELLS];

	(void) state;
	grid_robustness(cells);
	for (size_t i = 0; i < ROBUSTNESS_CELLS; i++) {
		assert_non_null(cells[i].table);
		assert_in_range(cells[i].detectors, 1, CELL_DETECTORS);
		assert_int_equal(wt_trace_model_check(&cells[i].model, NULL), 0);
	}
}

static void test_csv_leaves_out_what_is_not_there(void **state)
{
	struct wt_tally tally = { .runs = 1 };
	char text[2000] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct figures f = figures_of("fresh", &tally);

	(void) state;
	assert_non_null(out);
	figures_csv_header(out, "a,");
	figures_csv(out, "1,", &f);
	fclose(out);
	assert_non_null(strstr(text, "a,detector,figure,count,mean,"));
	assert_non_null(strstr(text, "1,fresh,false_positive,0,,,,,,,,,\n"));
}

static void test_script_quotes_and_skips(void **state)
{
	const struct plot_box boxes[] = {
		{ "a \"b\"", { 5, 0.5, 0.1, 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1 }, 100 },
		{ "none", { 0 }, 100 },
	};
	const struct plot_panel panel = { .title = "p\\q\nr", .boxes = boxes, .count = 2, .percent = true };
	char text[4000] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	(void) state;
	assert_non_null(out);
	plot_script(out, "`date`", &panel, 1);
	fclose(out);
	assert_non_null(strstr(text, "set title \"p\\\\q r\""));
	assert_non_null(strstr(text, "\"a \\\"b\\\"\" 0"));
	assert_non_null(strstr(text, "0 10 25 50 75 90 0 100 50\n1 NaN"));
	assert_non_null(strstr(text, "title \"'date'\""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_claim_names_cells_of_the_grid),
		cmocka_unit_test(test_error_is_that_of_both_samples),
		cmocka_unit_test(test_robustness_fills_its_cells),
		cmocka_unit_test(test_csv_leaves_out_what_is_not_there),
		cmocka_unit_test(test_script_quotes_and_skips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
