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

#include "harness/page/chart.h"

static char *written(struct chart *chart)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		fail_msg("Bail out! no stream");
	chart->run_id = "run1";
	chart->key = "k";
	chart->title = "T";
	chart->x_key = "time_s";
	chart->y_key = "jobs";
	assert_int_equal(chart_write(out, chart), 0);
	fclose(out);
	return text;
}

static void steps_hold_and_gaps_stay(void **state)
{
	struct chart_curve curve = { .label = "waiting", .key = "waiting", .step = true };
	struct chart chart = { .x_to = 100, .y_to = 10, .curves = &curve, .curve_count = 1 };
	char *text;

	(void) state;
	chart_curve_add(&curve, 0, 0);
	chart_curve_add(&curve, 50, 5);
	chart_curve_add(&curve, 60, NAN);
	chart_curve_add(&curve, 75, 20);	/* above the axis: at its top */
	chart_curve_add(&curve, 100, 10);
	text = written(&chart);
	assert_non_null(strstr(text, "d=\"M0 1000H5000V500M7500 0H10000V0\""));
	assert_non_null(
		strstr(text,
		       "curve,time_s,jobs\nwaiting,0,0\nwaiting,50,5\nwaiting,60,\nwaiting,75,20\nwaiting,100,10\n</pre>"));
	assert_non_null(strstr(text, "waiting: between 0 and 20"));
	free(text);
	chart_curve_clear(&curve);
}

static void areas_are_closed(void **state)
{
	struct chart_curve curve = { .label = "busy", .key = "busy", .step = true, .area = true };
	struct chart_box box = { 25, 50, "<b>" };
	struct chart chart = { .x_to = 100, .y_to = 100, .curves = &curve, .curve_count = 1, .box = &box, .over = "idle" };
	char *text;

	(void) state;
	chart_curve_add(&curve, 0, 100);
	chart_curve_add(&curve, 100, 50);
	text = written(&chart);
	assert_non_null(strstr(text, "d=\"M0 1000V0H10000V500V1000Z\""));
	assert_non_null(strstr(text, "<rect class=\"box\" x=\"2500\" y=\"6\" width=\"2500\""));
	assert_non_null(strstr(text, "style=\"left:25.00%\">&lt;b&gt;</div>"));
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(text, "<span style=\"top:100.00%\">0</span>"));
	assert_non_null(strstr(text, "<span style=\"top:0.00%\">100</span>"));
	free(text);
	chart_curve_clear(&curve);
}

static void marks_of_one_moment_are_one(void **state)
{
	struct chart_curve curve = { .label = "busy", .key = "busy", .step = true };
	const struct chart_mark marks[] = {
		{ -5, "before" }, { 25, "<b>" }, { 25, "too" }, { 75, "last" }, { 1e9, "behind" },
	};
	struct chart chart = { .x_to = 100, .y_to = 100, .curves = &curve, .curve_count = 1, .marks = marks, .mark_count = 5,
			       .marks_are = "events" };
	char *text;

	(void) state;
	chart_curve_add(&curve, 0, 100);
	text = written(&chart);
	assert_non_null(strstr(text, "data-x=\"-5\" d=\"M0 0V1000\"><title>before</title>"));
	assert_non_null(strstr(text, "data-x=\"25\" d=\"M2500 0V1000\"><title>&lt;b&gt;, and 1 more</title>"));
	assert_non_null(strstr(text, "d=\"M7500 0V1000\"><title>last</title>"));
	assert_non_null(strstr(text, "d=\"M10000 0V1000\"><title>behind</title>"));
	assert_null(strstr(text, "too"));
	assert_non_null(strstr(text, "<path class=\"mark\" d=\"M12 0V10\"/></svg>events</span>"));
	free(text);
	chart.mark_count = 0;
	text = written(&chart);
	assert_null(strstr(text, "mark"));
	free(text);
	chart_curve_clear(&curve);
}

/* Curves behind the last one are none of the chart's. */
static void keys_of_its_curves(void **state)
{
	struct chart_curve curves[] = { { .label = "first", .key = "a" }, { .label = "second", .key = "b" },
					{ .label = "third", .key = "c" } };
	struct chart chart = { .x_to = 100, .y_to = 10, .curves = curves, .curve_count = 2 };
	char *text;

	(void) state;
	for (int i = 0; i < 3; i++) {
		chart_curve_add(&curves[i], 0, 1);
		chart_curve_add(&curves[i], 100, 2);
	}
	text = written(&chart);
	assert_non_null(strstr(text, "</svg>first</span>"));
	assert_non_null(strstr(text, "</svg>second</span>"));
	assert_null(strstr(text, "third"));
	free(text);
	for (int i = 0; i < 3; i++)
		chart_curve_clear(&curves[i]);
}

/* No more labels than eleven, as many as that allows, and of round numbers. */
static void steps_of_time(void **state)
{
	(void) state;
	assert_true(chart_time_step(600) == 60);
	assert_true(chart_time_step(601) == 120);
	assert_true(chart_time_step(8640000) == 864000);
	assert_true(chart_time_step(100 * 86400.0 * 10) == 100 * 86400.0);
	assert_true(chart_time_step(100 * 86400.0 * 10 + 1) == 200 * 86400.0);
}

static void nothing_to_draw_is_nothing(void **state)
{
	struct chart_curve curve = { .label = "none", .key = "none" };
	struct chart chart = { .x_to = 100, .curves = &curve, .curve_count = 1 };
	char *text = written(&chart);

	(void) state;
	assert_string_equal(text, "");
	free(text);
}

static void lack_of_memory_is_told(void **state)
{
	struct chart_curve curve = { .label = "none", .key = "none", .failed = true };
	struct chart chart = { .x_to = 100, .curves = &curve, .curve_count = 1 };

	(void) state;
	assert_int_equal(chart_write(stdout, &chart), -1);
}

/* Thinned, the extremes and the end are still there, in their order, and the points are few. */
static void thinning_keeps_the_extremes(void **state)
{
	struct chart_curve curve = { .label = "x", .key = "x" };
	double least = 1, most = -1;
	int ascends = 1;

	(void) state;
	for (int i = 0; i <= 100000; i++)
		chart_curve_add(&curve, i, i == 31415 ? -7 : i == 77777 ? 9 : sin(i));
	chart_curve_thin(&curve, 0, 100000, false, 500);
	assert_true(curve.count <= 3 * 501);
	for (size_t i = 0; i < curve.count; i++) {
		least = fmin(least, curve.y[i]);
		most = fmax(most, curve.y[i]);
		ascends = ascends && (!i || curve.x[i] > curve.x[i - 1]);
	}
	assert_true(least == -7 && most == 9 && ascends);
	assert_true(curve.x[curve.count - 1] == 100000);
	chart_curve_clear(&curve);
}

static void thinning_of_gaps_and_few(void **state)
{
	struct chart_curve curve = { .label = "x", .key = "x" };

	(void) state;
	chart_curve_thin(&curve, 0, 10, false, 5);
	assert_int_equal(curve.count, 0);
	chart_curve_add(&curve, 3, 1);
	chart_curve_thin(&curve, 0, 10, false, 5);
	assert_int_equal(curve.count, 1);
	for (int i = 0; i < 3; i++)
		chart_curve_add(&curve, 3.1 + 0.1 * i, NAN);
	chart_curve_add(&curve, 3.5, 4);
	chart_curve_thin(&curve, 0, 10, false, 5);
	assert_int_equal(curve.count, 2);
	assert_true(curve.y[0] == 1 && curve.y[1] == 4);
	chart_curve_clear(&curve);
}

static void a_logarithmic_axis(void **state)
{
	struct chart_curve curve = { .label = "x", .key = "x" };
	struct chart chart = {
		.axis = CHART_NUMBER_LOG, .x_from = 1, .x_to = 100, .y_to = 100, .curves = &curve, .curve_count = 1
	};
	char *text;

	(void) state;
	chart_curve_add(&curve, 0.1, 0);	/* below the axis: at its beginning */
	chart_curve_add(&curve, 10, 50);
	chart_curve_add(&curve, 100, 100);
	text = written(&chart);
	assert_non_null(strstr(text, "d=\"M0 1000L5000 500L10000 0\""));
	assert_non_null(strstr(text, "left:50.00%\">10</span>"));
	assert_non_null(strstr(text, "\">20</span>"));
	free(text);
	chart_curve_clear(&curve);
}

/* 5.4 needs no axis to 10. */
static void an_axis_ends_at_its_next_label(void **state)
{
	struct chart_curve curve = { .label = "x", .key = "x" };
	struct chart chart = { .x_to = 1, .curves = &curve, .curve_count = 1, .tall = true };

	(void) state;
	chart_curve_add(&curve, 0, 5.4);
	free(written(&chart));
	assert_true(chart.y_to == 6);
	curve.y[0] = 5;
	chart.y_to = 0;
	free(written(&chart));
	assert_true(chart.y_to == 5);
	curve.y[0] = 0;
	chart.y_to = 0;
	free(written(&chart));
	assert_true(chart.y_to == 1);
	chart_curve_clear(&curve);
}

/* Half a job waits nowhere. */
static void labels_of_things_are_whole(void **state)
{
	struct chart_curve curve = { .label = "x", .key = "x" };
	struct chart chart = { .x_to = 1, .y_whole = true, .curves = &curve, .curve_count = 1 };
	char *text;

	(void) state;
	chart_curve_add(&curve, 0, 1);
	text = written(&chart);
	assert_non_null(strstr(text, "<span style=\"top:0.00%\">1</span>"));
	assert_null(strstr(text, ">0.5<"));
	free(text);
	curve.y[0] = 7;
	chart.y_to = 0;
	text = written(&chart);
	assert_true(chart.y_to == 10);
	assert_non_null(strstr(text, "<span style=\"top:50.00%\">5</span>"));
	assert_null(strstr(text, ">2.5<"));
	free(text);
	chart_curve_clear(&curve);
}

static void axes_are_round(void **state)
{
	(void) state;
	assert_true(chart_nice(0.7) == 1 && chart_nice(1) == 1 && chart_nice(1.2) == 2 && chart_nice(2.3) == 2.5);
	assert_true(chart_nice(3) == 5 && chart_nice(51) == 100 && chart_nice(0) == 1 && chart_nice(NAN) == 1 &&
		    chart_nice(INFINITY) == 1);
	assert_true(chart_time_step(1067) == 120 && chart_time_step(60) == 10 && chart_time_step(86400) == 10800);
	assert_true(chart_time_step(5) == 0.5 && chart_time_step(1e9) >= 86400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_its_curves), cmocka_unit_test(steps_of_time),
		cmocka_unit_test(steps_hold_and_gaps_stay),
		cmocka_unit_test(areas_are_closed),
		cmocka_unit_test(marks_of_one_moment_are_one),
		cmocka_unit_test(nothing_to_draw_is_nothing),
		cmocka_unit_test(lack_of_memory_is_told),
		cmocka_unit_test(thinning_keeps_the_extremes),
		cmocka_unit_test(thinning_of_gaps_and_few),
		cmocka_unit_test(a_logarithmic_axis),
		cmocka_unit_test(an_axis_ends_at_its_next_label),
		cmocka_unit_test(labels_of_things_are_whole),
		cmocka_unit_test(axes_are_round),
	};

	return cmocka_run_group_tests_name("chart", tests, NULL, NULL);
}
