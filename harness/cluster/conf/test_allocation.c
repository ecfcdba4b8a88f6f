/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/conf/allocation.h"

static void test_nodes(void **state)
{
	static const char text[] =
		"scontrol: warning: something\n"
		"NodeName=b7 Arch=x86_64 CoresPerSocket=2 NodeAddr=10.0.0.7 NodeHostName=b7 Version=22.05.8 "
		"OS=Linux 5.10 #1 SMP Comment=a NodeName=x NodeAddr=1.1.1.1\n"
		"NodeName=b8 NodeAddr=b8.ib NodeHostName=b8";
	struct wt_allocated *list;
	size_t count;

	(void) state;
	assert_int_equal(wt_allocation_nodes(text, &list, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_string_equal(list[0].name, "b7");
	assert_string_equal(list[0].address, "10.0.0.7");
	assert_string_equal(list[1].name, "b8");
	assert_string_equal(list[1].address, "b8.ib");
	free(list);
}

static void expect_refused(const char *text, const char *words)
{
	struct wt_allocated *list;
	struct wt_error err;
	size_t count;

	assert_int_equal(wt_allocation_nodes(text, &list, &count, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
	assert_null(list);
	assert_int_equal(count, 0);
}

static void test_refused(void **state)
{
	char many[(WT_HOSTS_MAX + 1) * 40], longest[400];
	size_t len = 0;

	(void) state;
	expect_refused("", "names no node");
	expect_refused("slurm_load_node error: Unable to contact slurm controller\n", "names no node");
	expect_refused("NodeName=b7 NodeHostName=b7", "neither name nor address");
	/* The next one's address is not this one's. */
	expect_refused("NodeName=b7\nNodeName=b8 NodeAddr=10.0.0.8", "neither name nor address");
	expect_refused("NodeName= NodeAddr=10.0.0.8", "neither name nor address");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memcpy(longest, "NodeName=a NodeAddr=", 20);
	expect_refused(longest, "neither name nor address");
	for (int i = 0; i < WT_HOSTS_MAX; i++)
		len += (size_t) sprintf(many + len, "NodeName=n%d NodeAddr=a\n", i);
	strcpy(many + len, "NodeName=last NodeAddr=a\n");
	expect_refused(many, "more than 512");
}

static void test_ended(void **state)
{
	(void) state;
	assert_false(wt_allocation_has_ended(0, "RUNNING\n"));
	assert_false(wt_allocation_has_ended(0, "squeue: warning\nSUSPENDED"));
	assert_true(wt_allocation_has_ended(0, "COMPLETING\n"));
	assert_true(wt_allocation_has_ended(0, "CANCELLED\n"));
	assert_true(wt_allocation_has_ended(0, "PENDING\n"));	/* it was requeued: the nodes are gone */
	assert_true(wt_allocation_has_ended(0, ""));
	assert_true(wt_allocation_has_ended(1, "slurm_load_jobs error: Invalid job id specified\n"));
	/* Nobody knows: it goes on. */
	assert_false(wt_allocation_has_ended(1, "slurm_load_jobs error: Unable to contact slurm controller\n"));
	assert_false(wt_allocation_has_ended(128 + 9, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes), cmocka_unit_test(test_refused), cmocka_unit_test(test_ended),
	};

	return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
