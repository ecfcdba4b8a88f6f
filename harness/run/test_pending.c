/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/run/pending.h"

static void expect(struct wt_pending *p, const char *want_reason, const char *want_times)
{
	char *reason, *times;

	assert_int_equal(wt_pending_tell(p, &reason, &times), 0);
	if (want_reason) {
		assert_string_equal(reason, want_reason);
		assert_string_equal(times, want_times);
	} else {
		assert_null(reason);
		assert_null(times);
	}
	free(reason);
	free(times);
}

static void test_a_wait(void **state)
{
	struct wt_pending p = { 0 };

	(void) state;
	assert_null(wt_pending_now(&p));
	wt_pending_begin(&p, 1000);
	expect(&p, NULL, NULL);
	assert_null(wt_pending_now(&p));
	wt_pending_see(&p, "Priority", 1001);
	assert_string_equal(wt_pending_now(&p), "Priority");
	expect(&p, "Priority", "Priority=1.000");
	wt_pending_see(&p, "Resources", 1002);
	wt_pending_see(&p, "Resources", 1004.5);
	wt_pending_end(&p, 1005.25);
	wt_pending_end(&p, 1100);	/* it has ended */
	assert_null(wt_pending_now(&p));
	expect(&p, "Resources", "Resources=3.250;Priority=2.000");
	wt_pending_clear(&p);
	expect(&p, NULL, NULL);
}

static void test_no_look_saw_it(void **state)
{
	struct wt_pending p = { 0 };

	(void) state;
	wt_pending_end(&p, 1000);
	wt_pending_begin(&p, 1000);
	wt_pending_end(&p, 1050);
	expect(&p, NULL, NULL);
	wt_pending_clear(&p);
}

/* Requeued: both waits count, what lies between them does not. */
static void test_two_waits(void **state)
{
	struct wt_pending p = { 0 };

	(void) state;
	wt_pending_see(&p, "Resources", 1000);
	wt_pending_end(&p, 1003);
	wt_pending_see(&p, "BeginTime", 2000);
	wt_pending_see(&p, "Resources", 2001);
	wt_pending_end(&p, 2002);
	expect(&p, "Resources", "Resources=4.000;BeginTime=1.000");
	wt_pending_clear(&p);
}

static void test_equal_ones_and_times_that_go_back(void **state)
{
	struct wt_pending p = { 0 };

	(void) state;
	wt_pending_see(&p, "b", 1000);
	wt_pending_see(&p, "a", 1001);
	wt_pending_end(&p, 1002);
	expect(&p, "b", "b=1.000;a=1.000");
	wt_pending_see(&p, "c", 1010);
	wt_pending_end(&p, 1009);	/* slurmctld cuts the start to whole seconds */
	expect(&p, "b", "b=1.000;a=1.000;c=0.000");
	wt_pending_clear(&p);
}

static void test_unknown_and_odd_reasons(void **state)
{
	struct wt_pending p = { 0 };

	(void) state;
	wt_pending_begin(&p, 1000);
	wt_pending_see(&p, NULL, 1001);
	wt_pending_see(&p, "", 1002);
	expect(&p, NULL, NULL);
	wt_pending_see(&p, "a=1;b", 1003);
	wt_pending_see(&p, NULL, 1005);
	wt_pending_see(&p, "a=1;b", 1010);
	wt_pending_see(&p, "a=1;bc", 1011);
	wt_pending_end(&p, 1011.5);
	expect(&p, "a_1_b", "a_1_b=3.000;a_1_bc=0.500");
	wt_pending_clear(&p);
}

static void test_many_reasons(void **state)
{
	struct wt_pending p = { 0 };
	char name[16], *reason, *times;

	(void) state;
	for (unsigned int i = 0; i <= 300; i++) {
		snprintf(name, sizeof(name), "r%u", i);
		wt_pending_see(&p, name, 1000 + i * (i + 1) / 2);	/* the i-th lasts i + 1 */
	}
	assert_int_equal(wt_pending_tell(&p, &reason, &times), 0);
	assert_string_equal(reason, "r299");
	assert_int_equal(strncmp(times, "r299=300.000;r298=299.000;", 26), 0);
	free(reason);
	free(times);
	wt_pending_clear(&p);
}

static void test_counters(void **state)
{
	struct wt_sample s = { 0 };

	(void) state;
	assert_ptr_equal(wt_pending_counter(&s, "Resources"), &s.pending_resources);
	assert_ptr_equal(wt_pending_counter(&s, "Priority"), &s.pending_priority);
	assert_ptr_equal(wt_pending_counter(&s, "Dependency"), &s.pending_dependency);
	assert_ptr_equal(wt_pending_counter(&s, "DependencyNeverSatisfied"), &s.pending_dependency);
	assert_ptr_equal(wt_pending_counter(&s, "QOSMaxCpuPerUserLimit"), &s.pending_limit);
	assert_ptr_equal(wt_pending_counter(&s, "AssocGrpCpuLimit"), &s.pending_limit);
	assert_ptr_equal(wt_pending_counter(&s, "PartitionTimeLimit"), &s.pending_limit);
	assert_ptr_equal(wt_pending_counter(&s, "None"), &s.pending_other);
	assert_ptr_equal(wt_pending_counter(&s, ""), &s.pending_other);
	assert_ptr_equal(wt_pending_counter(&s, NULL), &s.pending_other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wait), cmocka_unit_test(test_no_look_saw_it), cmocka_unit_test(test_two_waits),
		cmocka_unit_test(test_equal_ones_and_times_that_go_back), cmocka_unit_test(test_unknown_and_odd_reasons),
		cmocka_unit_test(test_many_reasons), cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests_name("pending", tests, NULL, NULL);
}
