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

#include "harness/page/side_words.h"

static void says(enum wt_figure_id figure, double mean, double ci95, double base, const char *wanted)
{
	const struct wt_difference d = { .mean = mean, .ci95 = ci95 };
	const struct side_quantity quantity = side_quantity_of(figure);
	char *text = side_sentence(&quantity, "B", &d, base);

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
	says(WT_FIG_PENDING_MAX, -10, 4, 100, "queue length, most: 10 % less in B, 6 to 14 %.");
}

static void no_clear_differences(void **state)
{
	(void) state;
	says(WT_FIG_MAKESPAN, -0.2, 0.7, 100,
	     "No clear difference in makespan: \xe2\x88\x92" "0.2 % (\xe2\x88\x92" "0.9 to 0.5 %).");
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
	const struct { double mean, ci95; enum side_verdict verdict;
	} cases[] = {
		{ NAN, NAN, SIDE_UNKNOWN }, { 1, NAN, SIDE_NO_INTERVAL }, { 0, 0, SIDE_EQUAL }, { 1, 0, SIDE_CLEAR },
		{ 1, 1, SIDE_UNCLEAR }, { -1, 0.99, SIDE_CLEAR }, { 0, 1, SIDE_UNCLEAR },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct wt_difference d = { .mean = cases[i].mean, .ci95 = cases[i].ci95 };

		assert_int_equal(side_verdict(&d), cases[i].verdict);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_differences),
		cmocka_unit_test(no_clear_differences),
		cmocka_unit_test(without_interval),
		cmocka_unit_test(verdicts),
	};

	return cmocka_run_group_tests_name("side_words", tests, NULL, NULL);
}
