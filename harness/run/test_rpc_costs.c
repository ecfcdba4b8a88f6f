/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "harness/run/rpc_costs.h"

#define SUBMIT 4003
#define JOBS 2003
#define PING 1008

static void expect(const struct wt_rpc_costs *costs, const char *want)
{
	json_t *json = wt_rpc_costs_json(costs);
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_string_equal(text, want);
	free(text);
	json_decref(json);
}

static void see(struct wt_rpc_costs *costs, uint32_t submits, uint64_t submits_us, uint32_t jobs, uint64_t jobs_us)
{
	const uint16_t types[] = { SUBMIT, JOBS };
	const uint32_t counts[] = { submits, jobs };
	const uint64_t times_us[] = { submits_us, jobs_us };

	wt_rpc_costs_see(costs, 2, types, counts, times_us);
}

static void test_nothing(void **state)
{
	struct wt_rpc_costs costs = { 0 };

	(void) state;
	expect(&costs, "null");
	wt_rpc_costs_see(&costs, 0, NULL, NULL, NULL);
	expect(&costs, "[]");
	wt_rpc_costs_see(&costs, 0, NULL, NULL, NULL);
	expect(&costs, "[]");
	wt_rpc_costs_clear(&costs);
	expect(&costs, "null");
}

/* What was before the run does not count. */
static void test_a_run(void **state)
{
	struct wt_rpc_costs costs = { 0 };

	(void) state;
	see(&costs, 100, 5000, 1, 10);
	expect(&costs, "[]");
	see(&costs, 103, 5600, 1, 10);
	expect(&costs, "[{\"type\":\"REQUEST_SUBMIT_BATCH_JOB\",\"count\":3,\"total_us\":600}]");
	see(&costs, 103, 5600, 5, 4294967296010);
	expect(&costs, "[{\"type\":\"REQUEST_JOB_INFO\",\"count\":4,\"total_us\":4294967296000},"
		       "{\"type\":\"REQUEST_SUBMIT_BATCH_JOB\",\"count\":3,\"total_us\":600}]");
	wt_rpc_costs_clear(&costs);
}

static void test_types_that_come_later_and_have_no_name(void **state)
{
	const uint16_t types[] = { 65535, SUBMIT, PING, JOBS, 9 };
	const uint32_t counts[] = { 1, 4, 7, 7, 0 };
	const uint64_t times_us[] = { 1, 40, 50, 50, 0 };
	struct wt_rpc_costs costs = { 0 };

	(void) state;
	see(&costs, 4, 40, 0, 0);
	wt_rpc_costs_see(&costs, 5, types, counts, times_us);
	expect(&costs,
	       "[{\"type\":\"REQUEST_PING\",\"count\":7,\"total_us\":50},{\"type\":\"REQUEST_JOB_INFO\",\"count\":7,"
	       "\"total_us\":50},"
	       "{\"type\":\"65535\",\"count\":1,\"total_us\":1}]");
	wt_rpc_costs_clear(&costs);
}

/* A slurmctld that has started since, where one type has more than before. */
static void test_counting_that_begins_again(void **state)
{
	const uint16_t type = JOBS;
	const uint32_t count = 50;
	const uint64_t time_us = 900;
	struct wt_rpc_costs costs = { 0 };

	(void) state;
	see(&costs, 10, 100, 2, 20);
	see(&costs, 12, 120, 3, 30);
	see(&costs, 1, 11, 8, 80);
	expect(&costs, "[{\"type\":\"REQUEST_JOB_INFO\",\"count\":9,\"total_us\":90},"
		       "{\"type\":\"REQUEST_SUBMIT_BATCH_JOB\",\"count\":3,\"total_us\":31}]");
	wt_rpc_costs_see(&costs, 1, &type, &count, &time_us);	/* and once more: the other type is not there yet */
	expect(&costs, "[{\"type\":\"REQUEST_JOB_INFO\",\"count\":59,\"total_us\":990},"
		       "{\"type\":\"REQUEST_SUBMIT_BATCH_JOB\",\"count\":3,\"total_us\":31}]");
	wt_rpc_costs_clear(&costs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_a_run),
			cmocka_unit_test(test_types_that_come_later_and_have_no_name),
		cmocka_unit_test(test_counting_that_begins_again),
	};

	return cmocka_run_group_tests_name("rpc costs", tests, NULL, NULL);
}
