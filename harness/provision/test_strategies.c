/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/provision/strategies.h"

/* Two machines: node 3 is free in 100 s with 500 s left then, node 5 in 20 s with 3000 s left. */
static const struct provision_vm two[] = { { 3, 1100, 1600 }, { 5, 1020, 4020 } };

static struct provision_view view(const struct provision_vm *vms, size_t count, bool can_rent)
{
	return (struct provision_view) { .now_s = 1000, .boot_s = 60, .vms = vms, .vm_count = count, .can_rent = can_rent };
}

static struct provision_choice ask(enum provision_strategy strategy, const struct provision_view *v, double task_s)
{
	return provision_choose(strategy, PROVISION_FULL_QUEUE, v, task_s);
}

static void test_names(void **state)
{
	enum provision_strategy strategy;

	(void) state;
	for (int i = 0; i < PROVISION_STRATEGIES; i++) {
		assert_true(provision_strategy_parse(provision_strategy_name((enum provision_strategy) i), &strategy));
		assert_int_equal(strategy, i);
	}
	assert_false(provision_strategy_parse("ASAP", &strategy));
	assert_false(provision_strategy_parse("", &strategy));
	assert_string_equal(provision_strategy_name(PROVISION_STRATEGIES), "impossible");
}

static void test_without_machines_each_rents_one(void **state)
{
	struct provision_view v = view(NULL, 0, true);

	(void) state;
	for (int i = PROVISION_1VM4ALL; i < PROVISION_STRATEGIES; i++)
		assert_int_equal(ask((enum provision_strategy) i, &v, 10).verdict, PROVISION_RENT);
	v.can_rent = false;
	for (int i = PROVISION_1VM4ALL; i < PROVISION_STRATEGIES; i++)
		assert_int_equal(ask((enum provision_strategy) i, &v, 10).verdict, PROVISION_WAIT);
}

static void test_1vm4all_uses_its_machine_whatever_it_has_to_do(void **state)
{
	struct provision_vm busy = { 0, 1e6, 1e6 + 1 };
	struct provision_view v = view(&busy, 1, true);
	struct provision_choice c = ask(PROVISION_1VM4ALL, &v, 1e5);

	(void) state;
	assert_int_equal(c.verdict, PROVISION_USE);
	assert_int_equal(c.vm, 0);
}

static void test_1vmpertask_rents_beside_idle_machines(void **state)
{
	struct provision_vm idle = { 0, 1000, 4000 };
	struct provision_view v = view(&idle, 1, true);

	(void) state;
	assert_int_equal(ask(PROVISION_1VMPERTASK, &v, 1).verdict, PROVISION_RENT);
}

static void test_asap_takes_what_is_free_before_a_boot_would_end(void **state)
{
	struct provision_view v = view(two, 2, true);
	struct provision_choice c = ask(PROVISION_ASAP, &v, 400);

	(void) state;
	assert_int_equal(c.verdict, PROVISION_USE);
	assert_int_equal(c.vm, 1);
	assert_string_equal(c.why, "best-fit");
	v.boot_s = 20;	/* not before: at the same moment */
	assert_int_equal(ask(PROVISION_ASAP, &v, 400).verdict, PROVISION_RENT);
	v.boot_s = 101;	/* now both are: the best fit is the fuller one, */
	assert_int_equal(ask(PROVISION_ASAP, &v, 500).vm, 0);
	assert_int_equal(ask(PROVISION_ASAP, &v, 501).vm, 1);	/* unless the task does not fit into its time, */
	assert_int_equal(ask(PROVISION_ASAP, &v, 9000).vm, 1);	/* and of two that it does not fit the first to be free */
}

static void test_asap_takes_an_idle_machine_even_if_boots_take_no_time(void **state)
{
	struct provision_vm idle = { 7, 1000, 1001 };
	struct provision_view v = view(&idle, 1, true);

	(void) state;
	v.boot_s = 0;
	assert_int_equal(ask(PROVISION_ASAP, &v, 400).verdict, PROVISION_USE);
}

static void test_afap_takes_what_fits_and_fits_best(void **state)
{
	struct provision_view v = view(two, 2, true);

	(void) state;
	assert_int_equal(ask(PROVISION_AFAP, &v, 500).vm, 0);
	assert_int_equal(ask(PROVISION_AFAP, &v, 500).verdict, PROVISION_USE);
	assert_int_equal(ask(PROVISION_AFAP, &v, 501).vm, 1);
	assert_int_equal(ask(PROVISION_AFAP, &v, 3000).verdict, PROVISION_USE);
	assert_int_equal(ask(PROVISION_AFAP, &v, 3001).verdict, PROVISION_RENT);
}

static void test_equal_machines_go_by_their_numbers(void **state)
{
	const struct provision_vm same[] = { { 9, 1000, 2000 }, { 4, 1000, 2000 }, { 6, 1000, 2000 } };
	struct provision_view v = view(same, 3, true);

	(void) state;
	assert_int_equal(ask(PROVISION_AFAP, &v, 10).vm, 1);
	assert_int_equal(ask(PROVISION_ASAP, &v, 10).vm, 1);
}

static void test_when_no_more_can_be_had(void **state)
{
	struct provision_view v = view(two, 2, false);
	struct provision_choice c = provision_choose(PROVISION_AFAP, PROVISION_FULL_QUEUE, &v, 9000);

	(void) state;
	assert_int_equal(c.verdict, PROVISION_USE);
	assert_int_equal(c.vm, 1);
	assert_string_equal(c.why, "full");
	assert_int_equal(provision_choose(PROVISION_AFAP, PROVISION_FULL_WAIT, &v, 9000).verdict, PROVISION_WAIT);
	assert_int_equal(provision_choose(PROVISION_1VMPERTASK, PROVISION_FULL_QUEUE, &v, 1).vm, 1);
	/* who has an eligible machine is not concerned */
	assert_int_equal(provision_choose(PROVISION_AFAP, PROVISION_FULL_WAIT, &v, 500).verdict, PROVISION_USE);
}

static void test_stop_is_one_margin_before_the_end_of_a_unit(void **state)
{
	(void) state;
	assert_float_equal(provision_stop_s(100, 100, 3600, 60), 3640, 1e-9);
	assert_float_equal(provision_stop_s(100, 3640, 3600, 60), 3640, 1e-9);
	assert_float_equal(provision_stop_s(100, 3641, 3600, 60), 7240, 1e-9);
	assert_float_equal(provision_stop_s(100, 3700, 3600, 0), 3700, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_without_machines_each_rents_one),
		cmocka_unit_test(test_1vm4all_uses_its_machine_whatever_it_has_to_do),
		cmocka_unit_test(test_1vmpertask_rents_beside_idle_machines),
		cmocka_unit_test(test_asap_takes_what_is_free_before_a_boot_would_end),
		cmocka_unit_test(test_asap_takes_an_idle_machine_even_if_boots_take_no_time),
		cmocka_unit_test(test_afap_takes_what_fits_and_fits_best),
		cmocka_unit_test(test_equal_machines_go_by_their_numbers),
		cmocka_unit_test(test_when_no_more_can_be_had),
		cmocka_unit_test(test_stop_is_one_margin_before_the_end_of_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
