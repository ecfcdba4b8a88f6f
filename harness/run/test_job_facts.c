/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/run/job_facts.h"
#include "record/record.h"

static void test_gpus(void **state)
{
	static const struct {
		const char *tres, *gres;
		uint32_t gpus;
	} cases[] = {
		{ NULL, NULL, 0 }, { "", "", 0 }, { "cpu=4,mem=1G,node=2,billing=4", NULL, 0 }, { "cpu=4,gres/gpu=3,node=1",
			NULL, 3 },
		{ "gres/gpu=4,gres/gpu:a100=3,gres/gpu:t4=1", NULL, 4 }, { "gres/gpu:a100=3,gres/gpu:t4=1", NULL, 4 },
		{ "gres/gpu=0", "gpu:7", 0 }, { "gres/gpumem=80G,gres/gpuutil=5", NULL, 0 }, { "gres/fpga=2", "fpga:2", 0 },
		{ "cpu=4", "gpu:2", 2 }, { "cpu=4", "gpu:a100:2,fpga:1,gpu:t4:5", 7 }, { NULL, "gpu:a100:2(IDX:0-1)", 2 },
		{ "cpu=4", "gpus:2", 0 },
		{ "gres/gpu=4294967294", NULL, 4294967294u }, { "gres/gpu=4294967295", NULL, WT_GPUS_UNKNOWN },
		{ "gres/gpu:a=4294967294,gres/gpu:b=1", NULL, WT_GPUS_UNKNOWN }, { "gres/gpu=", NULL, WT_GPUS_UNKNOWN },
		{ "gres/gpu=-1", NULL, WT_GPUS_UNKNOWN }, { "gres/gpu=1K", NULL, WT_GPUS_UNKNOWN },
		{ "gres/gpu:a100", "gpu:1", WT_GPUS_UNKNOWN },
		{ NULL, "gpu:", WT_GPUS_UNKNOWN }, { ",,gres/gpu=1,,", NULL, 1 }, { "=,gres/gpu", NULL, 0 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(wt_job_gpus(cases[i].tres, cases[i].gres), cases[i].gpus);
}

static void test_gpus_in_a_long_text(void **state)
{
	char *text = malloc(1 << 16);

	(void) state;
	assert_non_null(text);
	memset(text, ',', 1 << 16);
	strcpy(text + (1 << 16) - 12, ",gres/gpu=5");
	assert_int_equal(wt_job_gpus(text, NULL), 5);
	free(text);
}

/* The first number for which there is no name. */
static uid_t nameless(void)
{
	uid_t uid = 3000000000u;

	while (getpwuid(uid))
		uid++;
	return uid;
}

static void test_user_name(void **state)
{
	struct wt_user user = { 0 };
	uid_t uid = nameless();

	(void) state;
	assert_string_equal(wt_user_name(&user, 0), "root");
	assert_string_equal(wt_user_name(&user, 0), "root");
	assert_int_equal(strtoul(wt_user_name(&user, uid), NULL, 10), uid);
	assert_string_equal(wt_user_name(&user, 0), "root");
	memset(user.name, 'x', 1);	/* what is kept is not asked for again */
	assert_string_equal(wt_user_name(&user, 0), "xoot");
}

static void test_users_of_a_cluster(void **state)
{
	char path[] = "/tmp/wt-test-XXXXXX";
	struct wt_user user = { 0 };
	int fd = mkstemp(path);

	(void) state;
	assert_true(fd >= 0);
	assert_true(write(fd, "root:x:0:0:::\nzoe:x:1:5:::\n", 28) == 28);
	close(fd);
	assert_int_equal(wt_user_names_read(&user, path), 0);
	unlink(path);
	assert_string_equal(wt_user_name(&user, 1), "zoe");
	assert_string_equal(wt_user_name(&user, 0), "root");
	assert_string_equal(wt_user_name(&user, 2), "2");	/* this machine's user of that number is nobody there */
	wt_user_names_clear(&user);
	assert_int_equal(wt_user_names_read(&user, path), -1);
	wt_user_names_clear(&user);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpus), cmocka_unit_test(test_gpus_in_a_long_text), cmocka_unit_test(test_user_name),
		cmocka_unit_test(test_users_of_a_cluster),
	};

	return cmocka_run_group_tests_name("job facts", tests, NULL, NULL);
}
