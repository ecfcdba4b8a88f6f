/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/provision/waits_for.h"

/* 1 to 9 run, 10 to 19 are complete, 20 to 29 failed; others are not known. */
static enum waits_end end_of(void *arg, uint32_t job_id)
{
	static const enum waits_end ends[] = { WAITS_END_NOT_YET, WAITS_END_COMPLETE, WAITS_END_OTHER };

	(void) arg;
	return job_id < 30 ? ends[job_id / 10] : WAITS_END_UNKNOWN;
}

static enum waits_for look(const char *text)
{
	return waits_for(text, end_of, NULL);
}

static void test_no_dependency_is_nothing_to_wait_for(void **state)
{
	(void) state;
	assert_int_equal(look(NULL), WAITS_FOR_NOTHING);
	assert_int_equal(look(""), WAITS_FOR_NOTHING);
}

static void test_ends_that_slurmctld_has_not_seen_count(void **state)
{
	(void) state;
	assert_int_equal(look("afterok:10(unfulfilled)"), WAITS_FOR_NOTHING);
	assert_int_equal(look("afterok:10(unfulfilled),afterok:11(unfulfilled)"), WAITS_FOR_NOTHING);
	assert_int_equal(look("afterok:10,afterany:20"), WAITS_FOR_NOTHING);
	assert_int_equal(look("afterany:20(unfulfilled)"), WAITS_FOR_NOTHING);
}

static void test_all_of_them_have_to_end_as_asked(void **state)
{
	(void) state;
	assert_int_equal(look("afterok:1(unfulfilled)"), WAITS_FOR_AN_END);
	assert_int_equal(look("afterok:10(unfulfilled),afterok:2(unfulfilled)"), WAITS_FOR_AN_END);
	assert_int_equal(look("afterok:2(unfulfilled),afterok:10(unfulfilled)"), WAITS_FOR_AN_END);
	assert_int_equal(look("afterany:3"), WAITS_FOR_AN_END);
	assert_int_equal(look("afterok:20(failed)"), WAITS_FOR_AN_END);
}

static void test_what_only_slurmctld_can_tell(void **state)
{
	static const char *const texts[] = {
		"afterok:30", "afterok:10,afterok:31", "afterok:1,afterok:31", "afterok:10?afterok:1",
		"afterok:10_*(unfulfilled)",
		"afterok:10_3", "afternotok:10", "after:10+5", "singleton", "aftercorr:10", "afterok:10,singleton",
		"afterok:10+5",
		"afterok:4294967296", "afterok:99999999999999999999999999", "afterok:0", "afterok:", "afterok", "afterok:-1",
		"afterok: 10", "afterok:10,", ",afterok:10", "afterok:10,,afterok:11", "afterok:10(",
		"afterok:10(a", "afterok:10(a,",
		"afterok:10)", "afterok:10(a)b", "AFTEROK:10", "afterok:10:11", "x", ",", "?",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (look(texts[i]) != WAITS_FOR_SLURMCTLD)
			fail_msg("'%s' was told", texts[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_dependency_is_nothing_to_wait_for),
		cmocka_unit_test(test_ends_that_slurmctld_has_not_seen_count),
		cmocka_unit_test(test_all_of_them_have_to_end_as_asked),
		cmocka_unit_test(test_what_only_slurmctld_can_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
