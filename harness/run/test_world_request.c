/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How an event becomes a request, and what answers mean: pure. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <slurm/slurm_errno.h>

#include "harness/run/world_request.h"

static void test_reservation(void **state)
{
	struct wt_world_event event = {
		.kind = WT_WORLD_RESERVE, .start_after_s = 50.5, .duration_s = 60,
		.text = { [WT_WORLD_NAME] = "m", [WT_WORLD_USERS] = "root", [WT_WORLD_FLAGS] = "maint,IGNORE_JOBS,overlap" },
	};
	uint32_t count[2] = { 0 };
	resv_desc_msg_t msg;

	(void) state;
	world_reservation(&event, "n[0-3]", 1000, 1000, &msg, count);
	assert_string_equal(msg.name, "m");
	assert_string_equal(msg.node_list, "n[0-3]");
	assert_string_equal(msg.users, "root");
	assert_null(msg.accounts);
	assert_int_equal(msg.start_time, 1050);
	assert_int_equal(msg.end_time, 1111);
	assert_int_equal(msg.flags, RESERVE_FLAG_MAINT | RESERVE_FLAG_IGN_JOBS | RESERVE_FLAG_OVERLAP);
	/* Late: it begins now, and ends when it was to end. */
	world_reservation(&event, "n0", 1000, 1070, &msg, count);
	assert_int_equal(msg.start_time, 1070);
	assert_int_equal(msg.end_time, 1111);
	event.count = 5;
	event.text[WT_WORLD_FLAGS] = NULL;
	event.text[WT_WORLD_PARTITION] = "p";
	world_reservation(&event, NULL, 1000, 1000, &msg, count);
	assert_null(msg.node_list);
	assert_string_equal(msg.partition, "p");
	/* A list in older releases, one number in newer ones. */
	if (!count[0])
		memcpy(count, &msg.node_cnt, sizeof(count[0]));
	assert_int_equal(count[0], 5);
}

static void test_answers(void **state)
{
	(void) state;
	assert_true(world_request_final(0));
	assert_true(world_request_final(ESLURM_INVALID_NODE_NAME));
	assert_true(world_request_final(ESLURM_NODES_BUSY));
	assert_false(world_request_final(SLURM_COMMUNICATIONS_CONNECTION_ERROR));
	assert_false(world_request_final(ETIMEDOUT));
	assert_true(world_request_already(WT_WORLD_RESUME, ESLURM_INVALID_NODE_STATE));
	assert_true(world_request_already(WT_WORLD_UNRESERVE, ESLURM_RESERVATION_INVALID));
	assert_false(world_request_already(WT_WORLD_DOWN, ESLURM_INVALID_NODE_STATE));
	assert_false(world_request_already(WT_WORLD_RESERVE, ESLURM_RESERVATION_NAME_DUP));
	assert_true(world_request_repeated(WT_WORLD_RESERVE, ESLURM_RESERVATION_NAME_DUP));
	assert_false(world_request_repeated(WT_WORLD_RESERVE, ESLURM_NODES_BUSY));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_reservation), cmocka_unit_test(test_answers) };

	return cmocka_run_group_tests_name("world_request", tests, NULL, NULL);
}
