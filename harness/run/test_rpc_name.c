/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/run/rpc_name.h"

/* libslurmfull's. */
extern char *rpc_num2string(uint16_t type);

/* One of libslurmfull's names has a comma behind it. */
static void names_equal(const char *name, const char *slurms)
{
	size_t len = strcspn(slurms, ",");

	assert_int_equal(strlen(name), len);
	assert_memory_equal(name, slurms, len);
}

static void test_names_are_slurms(void **state)
{
	unsigned int named = 0;

	(void) state;
	for (unsigned int type = 0; type <= UINT16_MAX; type++) {
		const char *name = wt_rpc_name((uint16_t) type);

		if (name)
			names_equal(name, rpc_num2string((uint16_t) type));
		named += name != NULL;
	}
	assert_int_equal(named, 83);
}

static void test_names(void **state)
{
	(void) state;
	assert_string_equal(wt_rpc_name(4003), "REQUEST_SUBMIT_BATCH_JOB");
	assert_string_equal(wt_rpc_name(1001), "REQUEST_NODE_REGISTRATION_STATUS");
	assert_string_equal(wt_rpc_name(10003), "ACCOUNTING_REGISTER_CTLD");
	assert_null(wt_rpc_name(0));
	assert_null(wt_rpc_name(1000));
	assert_null(wt_rpc_name(2002));	/* an answer */
	assert_null(wt_rpc_name(10004));
	assert_null(wt_rpc_name(UINT16_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names_are_slurms), cmocka_unit_test(test_names) };

	return cmocka_run_group_tests_name("rpc names", tests, NULL, NULL);
}
