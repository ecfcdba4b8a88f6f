/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences about differences: none asserts what its interval does not. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/report/difference_words.h"

static void says(enum wt_figure_id figure, double mean, double ci95, double base, const char *wanted)
{
	const struct wt_difference d = { .mean = mean, .ci95 = ci95 };
	const struct difference_quantity quantity = difference_quantity_of(figure);
	char *text = difference_sentence(&quantity, "B", &d, base);

	assert_string_equal(text, wanted);
	free(text);
}

static void clear_differences(void **state)
{
	(void) state;
	says(WT_FIG_WAIT_MEAN, -12, 3, 100, "B waits 12 % less, 9 to 15 %.");
	says(WT_FIG_WAIT_MEAN, 12, 3, 100, "B waits 12 % longer, 9 to 15 %.");
	says(WT_FIG_MAKESPAN, 9.4, 0.6, 200, "B takes 4.7 % longer, 4.4 to 5.0 %.");
	says(WT_FIG_UTILIZATION, -0.021, 0.009, 0.8, "B is 2.1 points less busy, 1.2 to 3.0 points.");
	says(WT_FIG_SLOWDOWN_MEAN, 0.5, 0, 2, "B's mean bounded slowdown is 25 % higher, in each pair.");
	says(WT_FIG_WAIT_MEAN, 5, 2, 0, "B waits 5 s longer, 3 to 7 s.");
	says(WT_FIG_PENDING_MAX, -10, 4, 100, "longest queue: 10 % less in B, 6 to 14 %.");
}

static void no_clear_differences(void **state)
{
	(void) state;
	says(WT_FIG_MAKESPAN, -0.2, 0.7, 100,
	     "No clear difference in makespan: \xe2\x88\x92"
	     "0.2 % (\xe2\x88\x92"
	     "0.9 to 0.5 %).");
	says(WT_FIG_MAKESPAN, 0.7, 0.7, 100, "No clear difference in makespan: 0.7 % (0.0 to 1.4 %).");
	says(WT_FIG_MAKESPAN, 0, 0, 100, "No difference at all in makespan.");
}

/* Of one run each nothing is known about chance, and nothing is said of it. */
static void without_interval(void **state)
{
	(void) state;
	says(WT_FIG_WAIT_MEAN, -12, NAN, 100, "B waits 12 % less (one run).");
	says(WT_FIG_WAIT_MEAN, 0, NAN, 100, "The same mean wait (one run).");
	says(WT_FIG_WAIT_MEAN, NAN, NAN, 100, "");
}

static void verdicts(void **state)
{
	const struct {
		double mean, ci95;
		enum difference_verdict verdict;
	} cases[] = {
		{ NAN, NAN, DIFFERENCE_UNKNOWN }, { 1, NAN, DIFFERENCE_NO_INTERVAL }, { 0, 0, DIFFERENCE_EQUAL },
		{ 1, 0, DIFFERENCE_CLEAR },       { 1, 1, DIFFERENCE_UNCLEAR },       { -1, 0.99, DIFFERENCE_CLEAR },
		{ 0, 1, DIFFERENCE_UNCLEAR },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct wt_difference d = { .mean = cases[i].mean, .ci95 = cases[i].ci95 };

		assert_int_equal(difference_verdict(&d), cases[i].verdict);
	}
}

static void tells(enum wt_figure_id figure, struct wt_difference d, double base, double p_holm, const char *wanted)
{
	const struct difference_context context = { "defer", "stock", 8, true, p_holm, 12 };
	const struct difference_quantity quantity = difference_quantity_of(figure);
	char *text = difference_tell(&quantity, &context, &d, base);

	assert_string_equal(text, wanted);
	free(text);
}

static struct wt_difference of(double mean, double ci95)
{
	return (struct wt_difference){ .count = 8, .mean = mean, .ci95 = ci95, .freedom = 7 };
}

static void told_with_names(void **state)
{
	(void) state;
	tells(WT_FIG_SUBMIT_RATE, of(90, 25), 100, 0.001,
	      "defer raises submission throughput to 1.9 times (1.6 to 2.1) that of stock.");
	tells(WT_FIG_MAKESPAN, of(-9.4, 0.6), 200, 0.001, "defer lowers makespan by 4.7 % (4.4 to 5.0 %).");
	tells(WT_FIG_UTILIZATION, of(-0.021, 0.009), 0.8, 0.001,
	      "defer lowers utilisation by 2.1 points (1.2 to 3.0 points).");
	tells(WT_FIG_WAIT_MEAN, of(5, 0), 20, 0, "defer raises mean wait by 25 %, in each pair alike.");
	tells(WT_FIG_WAIT_MEAN, of(-99.9, 3), 100, 0.001, "defer lowers mean wait by 99.9 % (96.9 to 102.9 %).");
	tells(WT_FIG_WAIT_MEAN, of(-89.929, 0.009), 100, 0.001,
	      "defer lowers mean wait by 89.9 %, in each pair nearly alike.");
	tells(WT_FIG_WAIT_MEAN, of(-99.854, 0.0096), 100, 0.001, "defer lowers mean wait by 99.85 % (99.84 to 99.86 %).");
	tells(WT_FIG_WAIT_MEAN, of(0, 0), 20, NAN, "defer and stock have the same mean wait.");
	tells(WT_FIG_WAIT_MEAN, of(5, NAN), 50, NAN,
	      "defer raises mean wait by 10 %, in one run: whether that is chance is not known.");
	tells(WT_FIG_WAIT_MEAN, of(NAN, NAN), 50, NAN, "");
	tells(WT_FIG_WAIT_MEAN, of(0.0001, 0.00005), 50, 0.001,
	      "defer and stock have the same mean wait to within 0.001 %.");
}

/* Nothing is asserted that chance may have done: alone, or among so many. */
static void told_apart(void **state)
{
	/* sd of the pairs 2.364624 / t (0.975, 7) x sqrt (8) = sqrt (8): for a mean of sqrt (8) / 2, 34 pairs */
	(void) state;
	tells(WT_FIG_MAKESPAN, of(1.41421356, 2.36462425), 100, 1,
	      "defer and stock cannot be told apart in makespan with 8 runs of each: 1 % (\xe2\x88\x92"
	      "1 to 4 %); "
	      "about 34 would tell a difference of this size.");
	tells(WT_FIG_MAKESPAN, of(0.01, 2), 100, 1,
	      "defer and stock cannot be told apart in makespan with 8 runs of each: 0 % (\xe2\x88\x92"
	      "2 to 2 %); "
	      "more than 1000 of each would be needed to tell a difference of this size.");
	tells(WT_FIG_MAKESPAN, of(2, 1.5), 100, 0.2,
	      "defer and stock cannot be told apart in makespan with 8 runs of each, as 12 comparisons are made at once: "
	      "2.0 % (0.5 to 3.5 %).");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_differences), cmocka_unit_test(no_clear_differences),
		cmocka_unit_test(without_interval),  cmocka_unit_test(verdicts),
		cmocka_unit_test(told_with_names),   cmocka_unit_test(told_apart),
	};

	return cmocka_run_group_tests_name("difference_words", tests, NULL, NULL);
}
