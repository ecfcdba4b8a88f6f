/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/vnode/model/stagger.h"

/* Golden values: worked out by hand from _delay_rpc () in Slurm 22.05.8's req.c. */
static void test_golden(void **state)
{
	static const struct { int64_t now_us; uint32_t rank, count, each_us, delay_us; } cases[] = {
		/* 1700000000.500000: 9 digits 000500000; cycle 2048000, offset 500000 */
		{ 1700000000500000, 0, 1024, 2000, 1548000 },
		{ 1700000000500000, 250, 1024, 2000, 0 },
		{ 1700000000500000, 251, 1024, 2000, 2000 },
		{ 1700000000500000, 1023, 1024, 2000, 1546000 },
		/* seconds modulo 1000: 1700000123.000001 is 123000001; 123000001 mod 2048000 = 120001 */
		{ 1700000123000001, 0, 1024, 2000, 1927999 },
		{ 1700000123000001, 61, 1024, 2000, 1999 },
		/* EpilogMsgTime=1 */
		{ 1700000000000000, 999, 1024, 1, 999 },
		/* 32 bits: 65536 x 100000 = 6553600000 wraps to 2258632704; 999999999 mod that is itself;
		 * rank 30000: 3000000000, minus 999999999 */
		{ 1700000999999999, 30000, 65536, 100000, 2000000001 },
		/* rank 50000: 5000000000 wraps to 705032704, less than the offset: + 2258632704 */
		{ 1700000999999999, 50000, 65536, 100000, 1963665409 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(wt_stagger_delay_us(cases[i].now_us, cases[i].rank, cases[i].count, cases[i].each_us),
				 cases[i].delay_us);
}

static void test_small_jobs_and_zero(void **state)
{
	(void) state;
	assert_int_equal(wt_stagger_delay_us(1700000000500001, 3, 64, 2000), 0);
	assert_true(wt_stagger_delay_us(1700000000500001, 3, 65, 2000) > 0);
	assert_int_equal(wt_stagger_delay_us(1700000000500001, 3, 1000, 0), 0);
	assert_int_equal(wt_stagger_delay_us(1700000000500001, 3, 65536, 65536), 0);	/* the product wraps to 0 */
}

static void test_all_targets_differ(void **state)
{
	(void) state;
	for (uint32_t rank = 0; rank < 1024; rank++) {
		uint32_t delay_us = wt_stagger_delay_us(1700000000777777, rank, 1024, 2000);

		assert_true(delay_us < 1024 * 2000);
		assert_int_equal((777777 + delay_us) % (1024 * 2000), rank * 2000);
	}
}

static void test_polls(void **state)
{
	static const int64_t waited_and_look[][2] = {
		{ 0, 0 }, { -5, 0 }, { 1, 20000 }, { 20000, 20000 }, { 20001, 70000 }, { 100000, 170000 },
		{ 170001, 670000 }, { 670000, 670000 }, { 670001, 1670000 }, { 1670000, 1670000 }, { 1670001, 2670000 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(waited_and_look) / sizeof(waited_and_look[0]); i++)
		assert_int_equal(wt_stagger_poll_us(1000000, 1000000 + waited_and_look[i][0]),
				 1000000 + waited_and_look[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_small_jobs_and_zero),
		cmocka_unit_test(test_all_targets_differ),
		cmocka_unit_test(test_polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
