/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a detector refuses, ignores and forgets. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "straggler/straggler.h"

static struct wt_straggler *make(enum wt_straggler_method method, uint32_t tasks)
{
	struct wt_straggler_options options = wt_straggler_defaults(method, tasks);
	struct wt_straggler *s = wt_straggler_create(&options, NULL);

	assert_non_null(s);
	return s;
}

/* A heartbeat of a task that started at 0, on the way for no time. */
static void beat(struct wt_straggler *s, uint32_t task, double elapsed_s, double progress)
{
	struct wt_heartbeat hb = {
		.task = task, .received_s = elapsed_s, .sent_s = elapsed_s, .elapsed_s = elapsed_s,
		.progress = progress, .end = progress == 1,
	};

	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	assert_int_equal(wt_straggler_check(s, NULL), 0);
}

static void expect(struct wt_straggler *s, double now_s, int task)
{
	size_t count;
	const uint32_t *found = wt_straggler_detect(s, now_s, &count);

	assert_int_equal(wt_straggler_check(s, NULL), 0);
	if (task < 0) {
		assert_null(found);
		assert_int_equal(count, 0);
		return;
	}
	assert_non_null(found);
	assert_int_equal(count, 1);
	assert_int_equal(found[0], task);
}

static double duration_s(const struct wt_straggler *s, uint32_t task, double now_s)
{
	struct wt_straggler_view view;

	assert_int_equal(wt_straggler_view(s, task, now_s, &view, NULL), 0);
	return view.duration_s;
}

static void test_late_and_double_heartbeats_tell_nothing(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_R1, 1);
	struct wt_heartbeat hb = { .received_s = 13, .sent_s = 12, .elapsed_s = 12, .progress = 0.5 };

	(void) state;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 0);
	hb.elapsed_s = 6;
	hb.progress = 0.25;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 0);
	hb.elapsed_s = 11;			/* the end is believed, whatever clock timed it */
	hb.end = true;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	assert_float_equal(duration_s(s, 0, 20), 12, 0);
	hb.elapsed_s = 18;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 0);
	wt_straggler_destroy(s);
}

static void refuse(struct wt_straggler *s, const struct wt_heartbeat *hb, const char *text)
{
	struct wt_error err = { "" };

	errno = 0;
	assert_int_equal(wt_straggler_heartbeat(s, hb, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, text));
	assert_int_equal(wt_straggler_check(s, NULL), 0);
}

static void test_nonsense_is_refused(void **state)
{
	const struct wt_heartbeat good = { .task = 1, .received_s = 6, .sent_s = 6, .elapsed_s = 6, .progress = 0.5 };
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 2);
	struct wt_heartbeat hb;

	(void) state;
	refuse(s, NULL, "");
	refuse(s, &(struct wt_heartbeat) { .task = 2 }, "task 2: the job has 2");
	hb = good, hb.received_s = NAN, refuse(s, &hb, "received at nan");
	hb = good, hb.received_s = -2e12, refuse(s, &hb, "received at -2e+12");
	hb = good, hb.sent_s = INFINITY, refuse(s, &hb, "sent at inf");
	hb = good, hb.elapsed_s = -1, refuse(s, &hb, "elapsed");
	hb = good, hb.elapsed_s = NAN, refuse(s, &hb, "elapsed");
	hb = good, hb.elapsed_s = 1.1e9, refuse(s, &hb, "elapsed");
	hb = good, hb.progress = 1.01, refuse(s, &hb, "progress");
	hb = good, hb.progress = -0.01, refuse(s, &hb, "progress");
	hb = good, hb.progress = NAN, refuse(s, &hb, "progress");
	assert_int_equal(wt_straggler_heartbeat(s, &good, NULL), 1);
	hb = good, hb.elapsed_s = 12, hb.progress = 0.4, refuse(s, &hb, "shrank");
	hb = good, hb.elapsed_s = 12, hb.sent_s = NAN, hb.progress = 0.5;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	wt_straggler_destroy(s);
}

static void test_forgotten_tasks_start_anew(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_R1, 2);
	struct wt_straggler_view view;

	(void) state;
	beat(s, 0, 6, 0.6);
	beat(s, 1, 6, 0.2);
	wt_straggler_open(s);
	expect(s, 6, 1);
	assert_int_equal(wt_straggler_forget(s, 1, NULL), 0);
	assert_int_equal(wt_straggler_check(s, NULL), 0);
	assert_int_equal(wt_straggler_view(s, 1, 6, &view, NULL), 0);
	assert_int_equal(view.state, WT_STRAGGLER_UNKNOWN);
	assert_false(view.flagged);
	assert_true(isnan(view.duration_s));
	beat(s, 1, 3, 0.1);
	expect(s, 7, 1);
	assert_int_equal(wt_straggler_forget(s, 2, NULL), -1);
	assert_int_equal(wt_straggler_view(s, 2, 6, &view, NULL), -1);
	wt_straggler_destroy(s);
}

static void test_absurd_reports_leave_no_trace(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_R2, 3);

	(void) state;
	beat(s, 0, 1e9, 1e-6);
	assert_int_equal(wt_straggler_forget(s, 0, NULL), 0);
	for (int round = 1; round < 4; round++)
		for (uint32_t i = 0; i < 3; i++)
			beat(s, i, round, round / 10.0);
	assert_float_equal(wt_straggler_limit(s, 3), 12, 1e-9);
	wt_straggler_destroy(s);
}

static void test_options_are_checked(void **state)
{
	const struct wt_straggler_options good = wt_straggler_defaults(WT_STRAGGLER_FRESH, 5);
	struct wt_straggler_options o;
	struct wt_error err;

	(void) state;
	assert_null(wt_straggler_create(NULL, &err));
	o = good, o.method = WT_STRAGGLER_METHODS, assert_null(wt_straggler_create(&o, &err));
	o = good, o.tasks = 0, assert_null(wt_straggler_create(&o, &err));
	o = good, o.tasks = WT_STRAGGLER_TASKS_MAX + 1, assert_null(wt_straggler_create(&o, &err));
	o = good, o.window_s = 0, assert_null(wt_straggler_create(&o, &err));
	o = good, o.slow_ratio = 1, assert_null(wt_straggler_create(&o, &err));
	o = good, o.score_gap = NAN, assert_null(wt_straggler_create(&o, &err));
	o = good, o.z = -1, assert_null(wt_straggler_create(&o, &err));
	errno = 0;
	o = good, o.silence_s = -1, assert_null(wt_straggler_create(&o, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "silence"));
	assert_string_equal(wt_straggler_method_name(WT_STRAGGLER_FRESH), "fresh");
	assert_null(wt_straggler_method_name(WT_STRAGGLER_METHODS));
	errno = ENOENT;
	wt_straggler_destroy(NULL);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_and_double_heartbeats_tell_nothing),
		cmocka_unit_test(test_nonsense_is_refused),
		cmocka_unit_test(test_forgotten_tasks_start_anew),
		cmocka_unit_test(test_absurd_reports_leave_no_trace),
		cmocka_unit_test(test_options_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
