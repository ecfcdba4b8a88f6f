/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "harness/vnode/model/elastic.h"

#define DRAWS 20000

static void take(struct wt_elastic *e, const char *text)
{
	struct wt_error err = { "" };

	if (wt_elastic_add(e, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void test_good_settings(void **state)
{
	struct wt_elastic e = { 0 };

	(void) state;
	take(&e, "on");
	take(&e, "boot=gamma:90,20");
	take(&e, "stop=0");
	take(&e, "fail=boot:5%");
	take(&e, "fail=never:0.25");
	take(&e, "fail=stock-out:100%");
	take(&e, "fail=late:10%:lognormal:300,60");
	take(&e, "fail=taken:20%:exp:7200");
	take(&e, "fail=old-boot:1%");
	take(&e, "fail=resume-program:2%");
	take(&e, "fail=suspend-program:3%");
	take(&e, "fail=resume-slow:2.5");
	take(&e, "fail=suspend-slow:40");
	take(&e, "limit=10");
	take(&e, "seed=18446744073709551615");
	assert_true(e.boot.kind == WT_DELAY_GAMMA && e.boot.high_s == 90 && e.boot.low_s == 20);
	assert_int_equal(e.stop.kind, WT_DELAY_NONE);
	assert_true(e.boot_fails == 0.05 && e.boot_never == 0.25 && e.stock_out == 1 && e.boot_late == 0.1);
	assert_true(e.late.kind == WT_DELAY_LOGNORMAL && e.late.high_s == 300);
	assert_true(e.boot_taken == 0.2 && e.taken.kind == WT_DELAY_EXPONENTIAL && e.boot_old == 0.01);
	assert_true(e.resume_fails == 0.02 && e.suspend_fails == 0.03 && e.resume_slow_s == 2.5 && e.suspend_slow_s == 40);
	assert_int_equal(wt_limit_at(&e.limit, 0), 10);
	assert_true(e.seed == UINT64_MAX);
	wt_elastic_defaults(&e);
	assert_int_equal(e.stop.kind, WT_DELAY_NONE);	/* it was given */
}

static void test_good_settings_of_programs(void **state)
{
	struct wt_elastic e = { 0 };

	(void) state;
	take(&e, "fail=one-of-job:4%");
	take(&e, "fail=resume-fail-program:6%");
	take(&e, "fail=resume-fail-slow:7");
	take(&e, "on-resume-fail=/sbin/fail");
	take(&e, "on-resume-fail=resume");
	take(&e, "together=job");
	take(&e, "together=call");
	take(&e, "address=new");
	take(&e, "fail=no-address:8%");
	take(&e, "notice=120");
	take(&e, "on-notice=power-down-asap");
	take(&e, "on-stock-out=wait");
	take(&e, "on-stock-out=down");
	take(&e, "on-stock-out=/opt/more");
	take(&e, "on-stock-out=down:600");
	assert_string_equal(e.on_stock_out, "down:600");
	take(&e, "on-notice=/opt/a b/it's");
	assert_true(e.notice_s == 120 && wt_elastic_notice_us(&e, 7) == 120000000);
	assert_string_equal(e.on_notice, "/opt/a b/it's");
	assert_string_equal(e.on_resume_fail, "resume");
	assert_true(e.address_new && e.no_address == 0.08);
	assert_true(e.one_fails == 0.04 && e.drop_fails == 0.06 && e.drop_slow_s == 7 && e.together == WT_TOGETHER_CALL);
}

static void test_bad_settings(void **state)
{
	static const char *const bad[] = {
		"", "off", "boot", "boot=", "boot=-1", "boot=1e9", "boot=normal:10", "boot=normal:10,0",
		"boot=lognormal:10,31",
		"boot=gamma:10,x", "stop=10-5", "fail=", "fail=boot", "fail=boot:", "fail=boot:2", "fail=boot:101%",
		"fail=boot:%", "fail=boot:5%%", "fail=boot:-1%", "fail=late:5%", "fail=late:5%:", "fail=late::5",
		"fail=taken:5%", "fail=taken:5%:x", "fail=old-boot:5%:3", "fail=resume-program:", "fail=suspend-slow:-1",
		"fail=resume-slow:86401", "fail=suspend-slow:", "fail=:5%", "fail=boo:5%",
		"address=", "address=old", "fail=no-address:5%:3",
		"together=", "together=none", "together=jobs", "on-resume-fail=", "on-resume-fail=drain",
		"fail=resume-fail-slow:x", "fail=resume-fail-program", "fail=one-of-job:2",
		"notice=", "notice=-1", "notice=86401", "notice=exp:5", "on-notice=", "on-notice=drained",
		"on-notice=drain ",
		"on-stock-out=", "on-stock-out=up", "on-stock-out=down:", "on-stock-out=down:-1", "on-stock-out=down:9x",
		"on-stock-out=wait:5", "on-stock-out=down:86401", "on-stock-out=down:1;reboot",
		"on-notice=bin/program", "on-notice=/a\nb",
		"fail=flood:5%", "limit=0", "limit=65537", "limit=x", "limit=5,10:6,10:7",
		"limit=5,10", "seed=0", "Boot=5", "boot =5",
	};
	struct wt_elastic e = { 0 }, before = { 0 };
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (wt_elastic_add(&e, bad[i], &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_true(*err.text);
		assert_memory_equal(&e, &before, sizeof(e));
	}
	assert_int_equal(wt_elastic_add(&e, NULL, &err), -1);
}

/* Mean and deviation of what is drawn. */
static void moments(const char *law, double *mean, double *sd)
{
	struct wt_elastic e = { 0 };
	double sum = 0, squares = 0;

	take(&e, law);
	for (uint32_t i = 0; i < DRAWS; i++) {
		double s = (double) wt_elastic_boot_us(&e, i % 100, i / 100) / 1e6;

		assert_true(s >= 0);
		sum += s;
		squares += s * s;
	}
	*mean = sum / DRAWS;
	*sd = sqrt(squares / DRAWS - *mean * *mean);
}

static void test_laws_have_their_mean_and_deviation(void **state)
{
	static const struct { const char *law; double mean, sd; } laws[] = {
		{ "boot=60", 60, 0 }, { "boot=normal:60,6", 60, 6 }, { "boot=gamma:60,20", 60, 20 },
		{ "boot=lognormal:60,30", 60, 30 }, { "boot=exp:60", 60, 60 },
	};
	double mean, sd;

	(void) state;
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
		moments(laws[i].law, &mean, &sd);
		if (fabs(mean - laws[i].mean) > 0.02 * laws[i].mean || fabs(sd - laws[i].sd) > 0.06 * laws[i].sd + 0.001)
			fail_msg("%s: mean %g, deviation %g", laws[i].law, mean, sd);
	}
}

static uint32_t count_of(bool (*happens)(const struct wt_elastic *, uint32_t, uint32_t), const struct wt_elastic *e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < DRAWS; i++)
		count += happens(e, i % 100, i / 100);
	return count;
}

static bool fails(const struct wt_elastic *e, uint32_t node, uint32_t boot)
{
	return wt_elastic_fate(e, node, boot) == WT_BOOT_FAILS;
}

static bool never(const struct wt_elastic *e, uint32_t node, uint32_t boot)
{
	return wt_elastic_fate(e, node, boot) == WT_BOOT_NEVER;
}

static void test_shares(void **state)
{
	struct wt_elastic e = { 0 };

	(void) state;
	assert_int_equal(count_of(fails, &e) + count_of(never, &e) + count_of(wt_elastic_stock_out, &e), 0);
	take(&e, "fail=boot:10%");
	take(&e, "fail=never:10%");
	take(&e, "fail=stock-out:0.05");
	assert_in_range(count_of(fails, &e), DRAWS / 10 - 200, DRAWS / 10 + 200);
	assert_in_range(count_of(never, &e), DRAWS / 10 * 9 / 10 - 200, DRAWS / 10 * 9 / 10 + 200);
	assert_in_range(count_of(wt_elastic_stock_out, &e), DRAWS / 20 - 150, DRAWS / 20 + 150);
	take(&e, "fail=resume-program:10%");
	take(&e, "fail=suspend-program:5%");
	assert_in_range(count_of(wt_elastic_resume_fails, &e), DRAWS / 10 - 200, DRAWS / 10 + 200);
	assert_in_range(count_of(wt_elastic_suspend_fails, &e), DRAWS / 20 - 150, DRAWS / 20 + 150);
	take(&e, "fail=resume-fail-program:5%");
	assert_in_range(count_of(wt_elastic_drop_fails, &e), DRAWS / 20 - 150, DRAWS / 20 + 150);
	take(&e, "fail=boot:100%");
	assert_int_equal(count_of(fails, &e), DRAWS);
}

/* Each of several is as likely to be the one. */
static void test_one_of_several(void **state)
{
	struct wt_elastic e = { 0 };
	uint32_t which[5] = { 0 };

	(void) state;
	assert_int_equal(wt_elastic_one_of(&e, 0, 1, 4), 4);
	take(&e, "fail=one-of-job:50%");
	assert_int_equal(wt_elastic_one_of(&e, 0, 1, 1), 1);
	for (uint32_t i = 0; i < DRAWS; i++)
		which[wt_elastic_one_of(&e, i % 100, i / 100, 4)]++;
	assert_in_range(which[4], DRAWS / 2 - 300, DRAWS / 2 + 300);
	for (int i = 0; i < 4; i++)
		assert_in_range(which[i], DRAWS / 8 - 250, DRAWS / 8 + 250);
}

static void test_the_same_question_has_the_same_answer(void **state)
{
	struct wt_elastic e = { 0 };
	int64_t first_us, other_us;

	(void) state;
	take(&e, "boot=exp:60");
	first_us = wt_elastic_boot_us(&e, 3, 2);
	wt_elastic_boot_us(&e, 9, 9);
	assert_int_equal(wt_elastic_boot_us(&e, 3, 2), first_us);
	assert_int_not_equal(wt_elastic_boot_us(&e, 2, 3), first_us);
	take(&e, "seed=2");
	other_us = wt_elastic_boot_us(&e, 3, 2);
	assert_int_not_equal(other_us, first_us);
	take(&e, "fail=late:100%:1000");
	assert_int_equal(wt_elastic_boot_us(&e, 3, 2), other_us + 1000000000);
}

static uint32_t number_find(const void *arg, const char *name)
{
	(void) arg;
	return name[0] == 'n' && name[1] >= '0' && name[1] <= '7' && !name[2] ? (uint32_t) (name[1] - '0') : UINT32_MAX;
}

/* What is not said of a class is as for all, whatever came first; of two that have a node the last one counts. */
static void test_classes_of_nodes(void **state)
{
	struct wt_elastic e = { 0 };
	struct wt_error err;

	(void) state;
	take(&e, "n[0-2]:boot=5");
	take(&e, "fail=boot:100%");
	take(&e, "boot=60");
	take(&e, "n[2-3]:fail=boot:0%");
	take(&e, "n[2-3]:fail=late:100%:7");
	take(&e, "n[0-2]:limit=2,60:0");
	take(&e, "limit=4");
	take(&e, "notice=30");
	take(&e, "n[0-2]:notice=120.5");
	wt_elastic_defaults(&e);
	assert_int_equal(wt_elastic_class_of(&e, 0), 0);	/* not known yet */
	assert_int_equal(wt_elastic_nodes(&e, 8, number_find, NULL, &err), 0);
	assert_int_equal(e.class_count, 2);
	assert_int_equal(wt_elastic_boot_us(&e, 1, 1), 5000000);
	assert_int_equal(wt_elastic_boot_us(&e, 2, 1), 67000000);
	assert_int_equal(wt_elastic_boot_us(&e, 7, 1), 60000000);
	assert_int_equal(wt_elastic_fate(&e, 1, 1), WT_BOOT_FAILS);
	assert_int_equal(wt_elastic_fate(&e, 3, 1), WT_BOOT_COMES);
	assert_int_equal(wt_limit_at(&wt_elastic_of(&e, 1)->limit, 59999999), 2);
	assert_int_equal(wt_limit_at(&wt_elastic_of(&e, 1)->limit, 60000000), 0);
	assert_int_equal(wt_limit_at(&wt_elastic_of(&e, 3)->limit, 0), WT_LIMIT_NONE);
	assert_int_equal(wt_limit_at(&wt_elastic_of(&e, 7)->limit, 0), 4);
	assert_int_equal(wt_elastic_stop_us(&e, 1, 1), 10000000);
	assert_int_equal(wt_elastic_notice_us(&e, 1), 120500000);
	assert_int_equal(wt_elastic_notice_us(&e, 3), 30000000);
	wt_elastic_clear(&e);
	assert_null(e.classes);
}

static void test_bad_classes(void **state)
{
	static const char *const bad[] = {
		":boot=5", "n0:seed=3", "n0:fail=resume-slow:5", "n0:fail=suspend-slow:5", "n0:boot=x",
		"n0:on-notice=drain", "n0:on-stock-out=down", "n0:on-resume-fail=off", "n0:together=job",
		"n0:fail=one-of-job:5%",
		"n0:fail=resume-fail-slow:5", "n0:on=1", "n0:=5", "n0:limit=5,10:6,10:7",
	};
	static const char *const lists[] = { "n8:boot=5", "n[0-8]:boot=5", "n[0-:boot=5", "x:boot=5" };
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_elastic e = { 0 };

		if (wt_elastic_add(&e, bad[i], &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(e.class_count, 0);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct wt_elastic e = { 0 };

		take(&e, lists[i]);
		assert_int_equal(wt_elastic_nodes(&e, 8, number_find, NULL, &err), -1);
		wt_elastic_clear(&e);
	}
}

/* What is said of some nodes counts, and a value that makes it do nothing. */
static void test_a_setting_alone_that_needs_another(void **state)
{
	static const char *const alone[] = {
		"on-notice=drain", "fail=no-address:5%", "n0:fail=no-address:0%", "on-stock-out=wait",
	};
	static const char *const fit[][2] = {
		{ "on-notice=drain", "notice=0" }, { "on-notice=drain", "n[0-3]:notice=30" }, { "notice=30", "on" },
		{ "fail=no-address:5%", "n7:address=new" }, { "n0:fail=no-address:0%", "address=new" },
		{ "on-stock-out=down", "n0:limit=1,60:0" }, { "on-stock-out=down:60", "fail=stock-out:0" },
		{ "address=new", "limit=1" },
	};
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(fit) / sizeof(fit[0]); i++) {
		struct wt_elastic e = { 0 };

		take(&e, fit[i][0]);
		take(&e, fit[i][1]);
		/* Where names of nodes are not known. */
		assert_int_equal(wt_elastic_nodes(&e, 8, i % 2 ? number_find : NULL, NULL, &err), 0);
		if (wt_elastic_check(&e, &err) < 0)
			fail_msg("%s %s: %s", fit[i][0], fit[i][1], err.text);
		wt_elastic_clear(&e);
	}
	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		struct wt_elastic e = { 0 };

		take(&e, alone[i]);
		assert_int_equal(wt_elastic_nodes(&e, 8, number_find, NULL, &err), 0);
		assert_int_equal(wt_elastic_check(&e, &err), -1);
		wt_elastic_clear(&e);
	}
}

static void test_more_classes_than_there_can_be(void **state)
{
	struct wt_elastic e = { 0 };
	struct wt_error err;
	char text[32];

	(void) state;
	for (int i = 0; i <= WT_ELASTIC_CLASSES_MAX; i++) {
		snprintf(text, sizeof(text), "n%d:boot=5", i);
		assert_int_equal(wt_elastic_add(&e, text, &err), i < WT_ELASTIC_CLASSES_MAX ? 0 : -1);
	}
	take(&e, "n7:boot=6");
	assert_int_equal(e.class_count, WT_ELASTIC_CLASSES_MAX);
	wt_elastic_clear(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_settings),
		cmocka_unit_test(test_good_settings_of_programs),
		cmocka_unit_test(test_bad_settings),
		cmocka_unit_test(test_laws_have_their_mean_and_deviation),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_one_of_several),
		cmocka_unit_test(test_the_same_question_has_the_same_answer),
		cmocka_unit_test(test_classes_of_nodes),
		cmocka_unit_test(test_bad_classes),
		cmocka_unit_test(test_a_setting_alone_that_needs_another),
		cmocka_unit_test(test_more_classes_than_there_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
