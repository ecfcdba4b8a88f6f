/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plugins/select_bestfit/plans.h"

static struct plans plans;

static void add(uint64_t first, uint64_t last)
{
	for (uint64_t units = first; units <= last; units++)
		plans_add(&plans, &(struct bestfit_want) { .units = units, .each = 1 });
}

static void assert_kept(uint64_t first, uint64_t last)
{
	assert_int_equal(plans_count(&plans), last - first + 1);
	for (uint64_t units = first; units <= last; units++)
		assert_int_equal(plans_at(&plans, units - first)->units, units);
	assert_null(plans_at(&plans, last - first + 1));
	assert_null(plans_at(&plans, SIZE_MAX));
}

static int forget(void **state)
{
	(void) state;
	plans_forget(&plans);
	return 0;
}

static void test_none(void **state)
{
	(void) state;
	assert_int_equal(plans_count(&plans), 0);
	assert_null(plans_at(&plans, 0));
}

static void test_in_their_order(void **state)
{
	(void) state;
	add(1, 1);
	assert_kept(1, 1);
	add(2, PLANS_MAX);
	assert_kept(1, PLANS_MAX);
}

static void test_of_more_the_last(void **state)
{
	(void) state;
	add(1, PLANS_MAX + 1);
	assert_kept(2, PLANS_MAX + 1);
	add(PLANS_MAX + 2, 3 * PLANS_MAX);
	assert_kept(2 * PLANS_MAX + 1, 3 * PLANS_MAX);
}

static void test_forgotten(void **state)
{
	(void) state;
	add(1, PLANS_MAX + 7);
	plans_forget(&plans);
	assert_null(plans_at(&plans, 0));
	add(5, 6);
	assert_kept(5, 6);
}

static void test_a_copy_is_kept(void **state)
{
	struct bestfit_want want = { .units = 3, .each = 2, .by_cpus = true };

	(void) state;
	plans_add(&plans, &want);
	want.units = 4;
	assert_int_equal(plans_at(&plans, 0)->units, 3);
	assert_int_equal(plans_at(&plans, 0)->each, 2);
	assert_true(plans_at(&plans, 0)->by_cpus);
}

#define T(test) cmocka_unit_test_setup(test, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_none), T(test_in_their_order), T(test_of_more_the_last), T(test_forgotten), T(test_a_copy_is_kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
