/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/page/experiment_section.h"
#include "harness/page/side.h"

/* What the reader sees of a mean and its interval. */
static void check_mean(enum wt_figure_id figure, double mean, double half, const char *expected)
{
	struct wt_case c = { 0 };
	char *got = NULL, *seen = NULL;
	size_t size, len = 0;
	FILE *out = open_memstream(&got, &size);

	if (!out)
		fail_msg("Bail out! no stream");
	c.stats[figure].mean = mean;
	c.stats[figure].ci95 = half;
	case_mean_write(out, &c, figure);
	fclose(out);
	seen = calloc(1, size + 1);
	for (const char *at = got; *at; at += *at != '\0') {
		while (*at == '<')
			at += strcspn(at, ">") + 1;
		if (*at)
			seen[len++] = *at;
	}
	assert_string_equal(seen, expected);
	free(seen);
	free(got);
}

static void digits_are_those_of_the_interval(void **state)
{
	(void) state;
	check_mean(WT_FIG_MAKESPAN, 1060.98, 12.3, "1,061 \xc2\xb1 12");
	check_mean(WT_FIG_MAKESPAN, 1060.98, 0.312, "1,060.98 \xc2\xb1 0.31");
	check_mean(WT_FIG_COMPLETING_MEAN, 0.102399, 0.0213, "0.102 \xc2\xb1 0.021");
	check_mean(WT_FIG_UTILIZATION, 0.8818, 0.0034, "88.18 \xc2\xb1 0.34");
}

static void nobody_reads_beyond_thousandths(void **state)
{
	(void) state;
	check_mean(WT_FIG_COMPLETING_MEAN, 0.102399, 0.000021, "0.102 \xc2\xb1 &lt;0.001");
	check_mean(WT_FIG_MAKESPAN, 1060.98, 0.0000004, "1,060.980 \xc2\xb1 &lt;0.001");
	check_mean(WT_FIG_COMPLETING_MEAN, 0.00012345, 0.0000071, "0.000123 \xc2\xb1 0.000007");
}

static void without_an_interval(void **state)
{
	(void) state;
	check_mean(WT_FIG_MAKESPAN, 1060.98, NAN, "1,061");
	check_mean(WT_FIG_COMPLETING_MEAN, 0.102399, NAN, "0.1024");
	check_mean(WT_FIG_MAKESPAN, 1060.98, 0, "1,061 \xc2\xb1 0");
	check_mean(WT_FIG_MAKESPAN, 0, 0, "0 \xc2\xb1 0");
	check_mean(WT_FIG_MAKESPAN, 0, NAN, "0");
}

static char *row_of(double mean, double half, double reach)
{
	const struct difference_amount amount = { .mean = mean, .low = mean - half, .high = mean + half, .unit = "%" };
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	if (!out)
		fail_msg("Bail out! no stream");
	side_amount_cells(out, DIFFERENCE_CLEAR, &amount, reach);
	fclose(out);
	return got;
}

static void check_picture(double mean, double half, const char *there, const char *not_there)
{
	char *row = row_of(mean, half, 100);

	assert_non_null(strstr(row, there));
	assert_null(strstr(row, not_there));
	free(row);
}

/* What goes on beyond its picture is seen to: an arrow, and no mark where the difference is not. */
static void pictures_that_are_too_small(void **state)
{
	(void) state;
	check_picture(50, 20, "\"M130 8H170M130 4V12M170 4V12\"", "M193");
	check_picture(50, 20, "<path class=\"mean\" d=\"M150 3V13\"/>", "M7 ");
	check_picture(100, 0, "\"M200 8H200M200 4V12M200 4V12\"", "M193");
	check_picture(90, 20, "\"M170 8H200M170 4V12M193 3L199 8L193 13\"", "M7 ");
	check_picture(90, 20, "<path class=\"mean\" d=\"M190 3V13\"/>", "M7 ");
	check_picture(150, 20, "\"M200 8H200M193 3L199 8L193 13M193 3L199 8L193 13\"", "class=\"mean\"");
	check_picture(0, 200, "\"M0 8H200M7 3L1 8L7 13M193 3L199 8L193 13\"", "V12");
	/* one run: no interval */
	check_picture(150, NAN, "\"M100 8H200M193 3L199 8L193 13\"", "class=\"mean\"");
	check_picture(-150, NAN, "\"M100 8H0M7 3L1 8L7 13\"", "class=\"mean\"");
	check_picture(-50, NAN, "<path class=\"mean\" d=\"M50 3V13\"/>", "class=\"interval\"");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_those_of_the_interval),
		cmocka_unit_test(nobody_reads_beyond_thousandths),
		cmocka_unit_test(without_an_interval),
		cmocka_unit_test(pictures_that_are_too_small),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("the cells of an experiment's table", tests, NULL, NULL);
}
