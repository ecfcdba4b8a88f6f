/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <string.h>

#include "harness/cost/bill.h"

#define S INT64_C(1000000)
#define ROW(t, what) { (t) * S, 0, 1, 0, WT_POWER_EVENT_##what }

static const struct cost_span hour = { 1000 * S, 4600 * S };

static struct cost_tariff tariff(double unit_s)
{
	return (struct cost_tariff) {
		.price = 2, .unit_us = (int64_t) (unit_s * 1e6), .boot_paid = true, .stop_paid = true,
		.watts = { [COST_BUSY] = 300, [COST_IDLE] = 100, [COST_BOOTING] = 200, [COST_STOPPING] = 50,
			   [COST_OFF] = 5 },
	};
}

static struct cost_sums billed(const struct cost_tariff *t, const struct wt_power_row *rows, size_t row_count,
			       const struct cost_span *busy, size_t busy_count)
{
	const struct cost_node node = { rows, row_count, busy, busy_count };
	struct cost_sums sums = { 0 };

	cost_node_add(&sums, t, &node, &hour);
	return sums;
}

static void near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fmax(1, fabs(b)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void states_are(const struct cost_sums *s, double busy, double idle, double booting, double stopping, double off)
{
	near(s->node_s[COST_BUSY], busy);
	near(s->node_s[COST_IDLE], idle);
	near(s->node_s[COST_BOOTING], booting);
	near(s->node_s[COST_STOPPING], stopping);
	near(s->node_s[COST_OFF], off);
}

static void test_started_units(void **state)
{
	struct cost_tariff t = tariff(3600);

	(void) state;
	assert_true(cost_units(&t, 0) == 0);
	assert_true(cost_units(&t, -1) == 0);
	assert_true(cost_units(&t, 1) == 1);
	assert_true(cost_units(&t, 3600 * S) == 1);
	assert_true(cost_units(&t, 3600 * S + 1) == 2);
	t.unit_us = S;
	t.minimum_us = 60 * S;
	assert_true(cost_units(&t, 1) == 60);
	assert_true(cost_units(&t, 60 * S + 1) == 61);
	assert_true(cost_units(&t, 0) == 0);
}

static void test_a_node_without_rows_is_on_all_the_time(void **state)
{
	static const struct cost_span busy[] = { { 900 * S, 1100 * S }, { 1050 * S, 1200 * S }, { 4500 * S, 9000 * S } };
	struct cost_tariff t = tariff(3600);
	struct cost_sums s = billed(&t, NULL, 0, busy, 3);

	(void) state;
	states_are(&s, 300, 3300, 0, 0, 0);
	assert_true(s.nodes == 1 && s.rentals == 1 && s.units == 1 && s.always_units == 1);
	near(s.cost, 2);
	near(s.always_cost, 2);
	near(s.energy_kwh, (300 * 300 + 3300 * 100) / 3.6e6);
	near(s.always_energy_kwh, s.energy_kwh);
}

static void test_a_life_of_a_machine(void **state)
{
	static const struct wt_power_row rows[] = {
		ROW(500, OFF), ROW(1600, ASKED_ON), ROW(1600, BOOTING), ROW(1700, UP), ROW(1702, REGISTERED),
		ROW(2700, ASKED_OFF), ROW(2700, STOPPING), ROW(2710, OFF),
	};
	static const struct cost_span busy[] = { { 1720 * S, 2000 * S } };
	struct cost_tariff t = tariff(600);
	struct cost_sums s = billed(&t, rows, 8, busy, 1);

	(void) state;
	states_are(&s, 280, 720, 100, 10, 2490);
	assert_true(s.rentals == 1 && s.boots == 1 && s.boots_lost == 0 && s.units == 2);
	near(s.unseen_node_s, 2);
	near(s.billed_node_s, 1200);
	near(s.cost, 1200 / 3600.0 * 2);
	near(s.always_units, 6);
	near(s.energy_kwh, (280 * 300 + 720 * 100 + 100 * 200 + 10 * 50 + 2490 * 5) / 3.6e6);
	near(s.always_energy_kwh, (280 * 300 + 3320 * 100) / 3.6e6);
	t.boot_paid = t.stop_paid = false;
	s = billed(&t, rows, 8, busy, 1);
	near(s.units, 2);	/* 1,000 s */
	t.unit_us = 1000 * S;
	near(billed(&t, rows, 8, busy, 1).units, 1);
}

static void test_a_machine_that_is_given_back_and_taken_again(void **state)
{
	static const struct wt_power_row rows[] = {
		ROW(2000, STOPPING), ROW(2010, OFF), ROW(2010, BOOTING), ROW(2070, UP),
	};
	struct cost_tariff t = tariff(3600);
	struct cost_sums s = billed(&t, rows, 4, NULL, 0);

	(void) state;
	states_are(&s, 0, 1000 + 2530, 60, 10, 0);
	assert_true(s.rentals == 2 && s.units == 2 && s.boots == 1);
	near(s.unseen_node_s, 2530);	/* nobody has heard of it */
}

/* The started unit is paid in full, also when it was the cloud that ended it; the next machine begins a unit of its own. */
static void test_a_machine_that_is_taken_back_in_the_middle_of_a_unit(void **state)
{
	static const struct wt_power_row rows[] = {
		ROW(500, OFF), ROW(1600, ASKED_ON), ROW(1600, BOOTING), ROW(1700, UP), ROW(1701, REGISTERED),
		ROW(2380, NOTICE), ROW(2500, TAKEN), ROW(2500, STOPPING), ROW(2500, OFF),
		ROW(2600, BOOTING), ROW(2660, UP), ROW(2661, REGISTERED),
	};
	static const struct cost_span busy[] = { { 1710 * S, 2500 * S } };
	struct cost_tariff t = tariff(600);
	struct cost_sums s = billed(&t, rows, 12, busy, 1);

	(void) state;
	states_are(&s, 790, 10 + 1940, 160, 0, 700);
	assert_true(s.rentals == 2 && s.boots == 2 && s.boots_lost == 0 && s.taken == 1);
	near(s.units, 2 + 4);	/* 900 s and 2,000 s */
	near(s.unseen_node_s, 2);
	t.unit_us = S;
	near(billed(&t, rows, 12, busy, 1).units, 2900);
	t.boot_paid = false;
	near(billed(&t, rows, 12, busy, 1).units, 2900 - 160);
}

static void test_boots_that_come_to_nothing(void **state)
{
	static const struct wt_power_row rows[] = {
		ROW(500, OFF), ROW(1100, BOOTING), ROW(1150, FAILED), ROW(1200, STOCK_OUT), ROW(1300, BOOTING),
		ROW(1900, STOPPING), ROW(1910, OFF), ROW(4500, BOOTING),
	};
	struct cost_tariff t = tariff(3600);
	struct cost_sums s = billed(&t, rows, 8, NULL, 0);

	(void) state;
	states_are(&s, 0, 0, 50 + 600 + 100, 10, 3600 - 760);
	assert_true(s.boots == 3 && s.boots_lost == 2 && s.stock_outs == 1 && s.units == 3);
	t.boot_paid = false;
	s = billed(&t, rows, 8, NULL, 0);
	assert_true(s.rentals == 1 && s.units == 1);	/* the stop of one is paid */
	t.stop_paid = false;
	t.minimum_us = 60 * S;
	assert_true(billed(&t, rows, 8, NULL, 0).units == 0);
}

static void test_what_was_before_the_time_goes_on_in_it(void **state)
{
	static const struct wt_power_row rows[] = { ROW(800, BOOTING), ROW(990, UP), ROW(1010, REGISTERED), ROW(4600, OFF) };
	struct cost_tariff t = tariff(1);
	struct cost_sums s = billed(&t, rows, 4, NULL, 0);

	(void) state;
	states_are(&s, 0, 3600, 0, 0, 0);
	assert_true(s.boots == 0 && s.rentals == 1 && s.units == 3600);
	near(s.unseen_node_s, 10);
}

/* In virtual time the first job's nodes may boot in the very moment of its submission. */
static void test_what_happens_at_the_first_moment_counts(void **state)
{
	static const struct wt_power_row rows[] = { ROW(500, OFF), ROW(1000, STOCK_OUT), ROW(1000, BOOTING), ROW(1060, UP) };
	struct cost_tariff t = tariff(1);
	struct cost_sums s = billed(&t, rows, 4, NULL, 0);

	(void) state;
	states_are(&s, 0, 3540, 60, 0, 0);
	assert_true(s.boots == 1 && s.stock_outs == 1 && s.rentals == 1 && s.units == 3600);
}

static void test_a_slurmd_that_begins_twice_is_unseen_from_the_first_on(void **state)
{
	static const struct wt_power_row rows[] = { ROW(500, OFF), ROW(1100, BOOTING), ROW(1160, UP), ROW(1200, UP),
						    ROW(1210, REGISTERED) };
	struct cost_tariff t = tariff(1);

	(void) state;
	near(billed(&t, rows, 5, NULL, 0).unseen_node_s, 50);
}

/* A node that died under its job: the machine is what counts. */
static void test_a_job_on_a_machine_that_is_not_there(void **state)
{
	static const struct wt_power_row rows[] = { ROW(2000, STOPPING), ROW(2010, OFF), ROW(3000, BOOTING), ROW(3100, UP) };
	static const struct cost_span busy[] = { { 1500 * S, 3500 * S } };
	struct cost_tariff t = tariff(1);
	struct cost_sums s = billed(&t, rows, 4, busy, 1);

	(void) state;
	states_are(&s, 500 + 400, 500 + 1100, 100, 10, 990);
}

static void test_without_price_and_power_nothing_is_told(void **state)
{
	struct cost_tariff t = { .price = NAN, .unit_us = S, .boot_paid = true, .stop_paid = true };
	struct cost_sums s, all = { 0 };

	(void) state;
	for (int i = 0; i < COST_STATES; i++)
		t.watts[i] = NAN;
	s = billed(&t, NULL, 0, NULL, 0);
	assert_true(isnan(s.cost) && isnan(s.always_cost) && isnan(s.energy_kwh) && isnan(s.always_energy_kwh));
	assert_true(s.units == 3600);
	cost_sums_add(&all, &s);
	assert_true(all.nodes == 1 && isnan(all.cost));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_started_units),
		cmocka_unit_test(test_a_node_without_rows_is_on_all_the_time),
		cmocka_unit_test(test_a_life_of_a_machine),
		cmocka_unit_test(test_a_machine_that_is_given_back_and_taken_again),
		cmocka_unit_test(test_a_machine_that_is_taken_back_in_the_middle_of_a_unit),
		cmocka_unit_test(test_boots_that_come_to_nothing),
		cmocka_unit_test(test_what_was_before_the_time_goes_on_in_it),
		cmocka_unit_test(test_what_happens_at_the_first_moment_counts),
		cmocka_unit_test(test_a_slurmd_that_begins_twice_is_unseen_from_the_first_on),
		cmocka_unit_test(test_a_job_on_a_machine_that_is_not_there),
		cmocka_unit_test(test_without_price_and_power_nothing_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
