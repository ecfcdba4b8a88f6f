/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of an experiment: what is asserted when many differences are looked at at once. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/report/advice.h"
#include "harness/report/cases.h"

#define RUNS 4

/* A case whose makespans are these; all other figures are not measured. */
static void case_set(struct wt_case *c, const char *name, const double makespans[RUNS])
{
	c->name = strdup(name);
	c->set.path = strdup(name);
	c->set.identity = json_object();
	c->set.workload = strdup("burst");
	c->set.backend = strdup("virtual");
	c->set.clock = strdup("virtual");
	if (!makespans)
		return;
	c->set.runs = calloc(RUNS, sizeof(*c->set.runs));
	c->set.count = RUNS;
	for (size_t i = 0; i < RUNS; i++) {
		c->set.runs[i].seed = i + 1;
		for (size_t f = 0; f < WT_FIG_COUNT; f++)
			c->set.runs[i].values[f] = NAN;
		c->set.runs[i].values[WT_FIG_MAKESPAN] = makespans[i];
	}
}

static void cases_make(struct wt_cases *cases, size_t alike)
{
	static const double first[RUNS] = { 100, 101, 102, 103 }, near[RUNS] = { 101, 101.5, 103.5, 104.2 },
			    far[RUNS] = { 200, 202, 203.9, 206 }, noise[RUNS] = { 99, 104, 101, 103 };

	memset(cases, 0, sizeof(*cases));
	cases->title = strdup("");
	cases->count = 4 + alike;
	cases->items = calloc(cases->count, sizeof(*cases->items));
	cases->figures = malloc(sizeof(*cases->figures));
	cases->figures[cases->figure_count++] = WT_FIG_MAKESPAN;
	case_set(&cases->items[0], "none yet", NULL);
	case_set(&cases->items[1], "first", first);
	case_set(&cases->items[2], "near", near);
	case_set(&cases->items[3], "far", far);
	for (size_t i = 0; i < alike; i++)
		case_set(&cases->items[4 + i], "noise", noise);
}

static void sentence_is(const struct wt_cases *cases, size_t index, const char *beginning)
{
	char *text = wt_cases_sentence(cases, index, WT_FIG_MAKESPAN);

	assert_memory_equal(text, beginning, strlen(beginning) + !*beginning);
	free(text);
}

static void releases_are(const struct wt_cases *cases, const char *wanted)
{
	char *text = wt_cases_releases(cases);

	assert_string_equal(text, wanted);
	free(text);
}

static void releases(void **state)
{
	struct wt_cases cases;

	(void) state;
	cases_make(&cases, 0);
	releases_are(&cases, "");
	cases.items[2].set.slurm = strdup("22.05.8");
	releases_are(&cases, "Releases of Slurm: first unknown, near 22.05.8, far unknown.");
	cases.items[1].set.slurm = strdup("22.05.8");
	cases.items[3].set.slurm = strdup("22.05.8");
	releases_are(&cases, "");
	free(cases.items[3].set.slurm);
	cases.items[3].set.slurm = strdup("24.11.5");
	releases_are(&cases, "Releases of Slurm: first 22.05.8, near 22.05.8, far 24.11.5.");
	wt_cases_clear(&cases);
}

/* 'near' differs by 1, 0.5, 1.5 and 1.2 s: clear alone (p 0.016), not among nine. */
static void corrected_for_many(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 0);
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_int_equal(cases.first, 1);
	assert_int_equal(cases.comparisons, 2);
	assert_true(wt_cases_clear_difference(&cases, 2, WT_FIG_MAKESPAN));
	sentence_is(&cases, 2, "near raises makespan by 1.0 % (0.4 to 1.7 %).");
	sentence_is(&cases, 3, "far raises makespan to 2.00 times (1.9");
	sentence_is(&cases, 1, "");
	sentence_is(&cases, 0, "");
	wt_cases_clear(&cases);
	cases_make(&cases, 7);
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_int_equal(cases.comparisons, 9);
	assert_false(wt_cases_clear_difference(&cases, 2, WT_FIG_MAKESPAN));
	sentence_is(&cases, 2, "near and first cannot be told apart in makespan with 4 runs of each, as 9 comparisons");
	sentence_is(&cases, 3, "far raises makespan to 2.0");
	sentence_is(&cases, 4, "noise and first cannot be told apart in makespan with 4 runs of each: ");
	wt_cases_clear(&cases);
}

static void against_another(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 0);
	assert_int_equal(wt_cases_compare(&cases, "far", &error), 0);
	sentence_is(&cases, 1, "first lowers makespan by 50");
	assert_int_equal(wt_cases_compare(&cases, "none yet", &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "no run of the case 'none yet' has ended well");
	assert_int_equal(wt_cases_compare(&cases, "nobody", &error), -1);
	wt_cases_clear(&cases);
}

/* A longer makespan is worse, and what is not asserted speaks for nothing. */
static void advice(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 7);
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_int_equal(advice_judge(&cases, 0), ADVICE_UNKNOWN);
	assert_int_equal(advice_judge(&cases, 2), ADVICE_OPEN);
	assert_int_equal(advice_judge(&cases, 3), ADVICE_AGAINST);
	assert_int_equal(wt_cases_compare(&cases, "far", &error), 0);
	assert_int_equal(advice_judge(&cases, 1), ADVICE_FOR);
	wt_cases_clear(&cases);
	assert_int_equal(advice_direction(WT_FIG_UTILIZATION), 1);
	assert_int_equal(advice_direction(WT_FIG_SUBMIT_LATENCY_P95), -1);
	assert_int_equal(advice_direction(WT_FIG_IDEAL), 0);
	assert_string_equal(advice_verdict_name(ADVICE_TRADE), "trade");
}

/* The rounding of a clock is no advice: what the words call the same is not asserted, however sure it is. */
static void advice_of_what_is_alike(void **state)
{
	static const double values[RUNS] = { 100, 101, 102, 103 },
			    alike[RUNS] = { 99.9999, 100.9999001, 101.9998999, 102.9999 };
	struct wt_cases cases = { .title = strdup(""), .count = 2, .items = calloc(2, sizeof(*cases.items)),
				  .figures = calloc(1, sizeof(*cases.figures)), .figure_count = 1 };

	(void) state;
	cases.figures[0] = WT_FIG_MAKESPAN;
	case_set(&cases.items[0], "first", values);
	case_set(&cases.items[1], "alike", alike);
	assert_int_equal(wt_cases_compare(&cases, NULL, NULL), 0);
	assert_true(cases.items[1].with_first.p_holm[WT_FIG_MAKESPAN] < 0.001);
	sentence_is(&cases, 1, "alike and first have the same makespan to within 0.001 %.");
	assert_false(wt_cases_clear_difference(&cases, 1, WT_FIG_MAKESPAN));
	assert_int_equal(advice_judge(&cases, 1), ADVICE_OPEN);
	wt_cases_clear(&cases);
}

static void place_set(struct wt_case *c, const char *series, const char *at)
{
	c->series = strdup(series);
	c->at[0] = strdup(at);
}

/* In a grid a variant is held against the first one at its own place. */
static void beside_its_own_place(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 2);
	cases.axis_count = 1;
	place_set(&cases.items[1], "stock", "16");
	place_set(&cases.items[2], "bestfit", "16");
	place_set(&cases.items[3], "stock", "64");
	place_set(&cases.items[4], "bestfit", "64");
	place_set(&cases.items[5], "bestfit", "256"); /* stock has not been run there */
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_int_equal(cases.items[2].base, 1);
	assert_int_equal(cases.items[3].base, 1);
	assert_int_equal(cases.items[4].base, 3);
	assert_int_equal(cases.items[5].base, 1);
	sentence_is(&cases, 4, "noise lowers makespan by 49.9");
	assert_int_equal(wt_cases_compare(&cases, "near", &error), 0);
	assert_int_equal(cases.items[4].base, 2);
	cases.items[3].set.count = 0; /* stock has no run at 64 yet: 16 nodes are nothing to hold 64 against */
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_false(cases.items[4].compared);
	assert_string_equal(cases.items[4].refused.text, "no run of far has ended well");
	assert_true(cases.items[2].compared && !*cases.items[2].refused.text);
	wt_cases_clear(&cases);
}

/* A case with half of the runs: its seeds make pairs, the others of the first do not count. */
static void common_seeds(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 0);
	cases.items[2].set.count = 2;
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_true(cases.items[2].with_first.paired);
	assert_int_equal(cases.items[2].with_first.difference[WT_FIG_MAKESPAN].count, 2);
	assert_float_equal(cases.items[2].with_first.difference[WT_FIG_MAKESPAN].mean, 0.75, 1e-9);
	assert_float_equal(cases.items[2].with_first.a_stats[WT_FIG_MAKESPAN].mean, 100.5, 1e-9);
	sentence_is(&cases, 2, "near and first cannot be told apart in makespan with 2 runs of each");
	cases.items[2].set.count = RUNS;
	cases.items[1].set.runs[1].seed = cases.items[2].set.runs[1].seed = 1; /* copied by hand: each is one run, not two */
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_int_equal(cases.items[2].with_first.pairs, 2);
	cases.items[2].set.count = 2;
	cases.items[2].set.runs[0].seed = 70;
	cases.items[2].set.runs[1].seed = 71;
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_false(cases.items[2].with_first.paired);
	wt_cases_clear(&cases);
}

/* Virtual time repeats itself: a setting that the workload never meets changes nothing at all. */
static void all_the_same(void **state)
{
	static const double values[RUNS] = { 100, 101, 102, 103 }, other[RUNS] = { 100, 101, 102, 103.5 };
	struct wt_cases cases = { .title = strdup(""), .count = 3, .items = calloc(3, sizeof(*cases.items)),
				  .figures = calloc(2, sizeof(*cases.figures)), .figure_count = 2 };

	(void) state;
	cases.figures[0] = WT_FIG_MAKESPAN;
	cases.figures[1] = WT_FIG_END_RATE; /* none of the runs has it */
	case_set(&cases.items[0], "first", values);
	case_set(&cases.items[1], "same", values);
	case_set(&cases.items[2], "same too", values);
	assert_int_equal(wt_cases_compare(&cases, NULL, NULL), 0);
	assert_int_equal(cases.first, 0);
	assert_true(wt_cases_all_same(&cases));
	for (size_t i = 0; i < RUNS; i++)
		cases.items[2].set.runs[i].values[WT_FIG_END_RATE] = 5; /* this one alone has it */
	assert_int_equal(wt_cases_compare(&cases, NULL, NULL), 0);
	assert_false(wt_cases_all_same(&cases));
	for (size_t i = 0; i < RUNS; i++) {
		cases.items[2].set.runs[i].values[WT_FIG_END_RATE] = NAN;
		cases.items[2].set.runs[i].values[WT_FIG_MAKESPAN] = other[i];
	}
	assert_int_equal(wt_cases_compare(&cases, NULL, NULL), 0);
	assert_false(wt_cases_all_same(&cases));
	cases.items[2].set.count = 0; /* it has not been run: nothing is known of it */
	assert_int_equal(wt_cases_compare(&cases, NULL, NULL), 0);
	assert_false(wt_cases_all_same(&cases));
	wt_cases_clear(&cases);
}

/* One case in real time, the other in virtual time: what was measured so differently is not compared. */
static void other_kinds(void **state)
{
	struct wt_cases cases;
	struct wt_error error;

	(void) state;
	cases_make(&cases, 0);
	cases.items[3].set.kinds[WT_FIG_MAKESPAN] = WT_KIND_VIRTUAL;
	cases.items[2].set.kinds[WT_FIG_WALL] = WT_KIND_VIRTUAL;	/* the experiment is not about that */
	assert_int_equal(wt_cases_compare(&cases, NULL, &error), 0);
	assert_true(cases.items[2].compared);
	assert_false(cases.items[3].compared);
	assert_non_null(strstr(cases.items[3].refused.text, "figures of different kinds cannot be compared"));
	assert_int_equal(cases.comparisons, 1);
	wt_cases_clear(&cases);
}

static void places(void **state)
{
	struct wt_case c = { 0 };
	char number[] = "2000", word[] = "200us", nothing[] = "";

	(void) state;
	assert_true(isnan(wt_cases_at(&c, 0)));
	c.at[0] = number;
	assert_float_equal(wt_cases_at(&c, 0), 2000, 0);
	c.at[0] = word;
	assert_true(isnan(wt_cases_at(&c, 0)));
	c.at[0] = nothing;
	assert_true(isnan(wt_cases_at(&c, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(releases),
		cmocka_unit_test(corrected_for_many),   cmocka_unit_test(against_another), cmocka_unit_test(advice),
		cmocka_unit_test(advice_of_what_is_alike),
		cmocka_unit_test(beside_its_own_place), cmocka_unit_test(places),          cmocka_unit_test(common_seeds),
		cmocka_unit_test(all_the_same),		cmocka_unit_test(other_kinds),
	};

	return cmocka_run_group_tests_name("cases", tests, NULL, NULL);
}
