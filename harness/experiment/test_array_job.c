/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/experiment/array_job.h"

static void test_ids(void **state)
{
	char id[ARRAY_ID_SIZE] = "";

	(void) state;
	assert_int_equal(array_job_id_read("123\n", id), 0);
	assert_string_equal(id, "123");
	assert_int_equal(array_job_id_read("45;north\n", id), 0);
	assert_string_equal(id, "45");
	assert_int_equal(array_job_id_read("6", id), 0);
	assert_int_equal(array_job_id_read("", id), -1);
	assert_int_equal(array_job_id_read("Submitted batch job 7\n", id), -1);
	assert_int_equal(array_job_id_read("8x\n", id), -1);
	assert_int_equal(array_job_id_read("12345678901234567890123456789012\n", id), -1);
}

static void test_answers(void **state)
{
	(void) state;
	assert_int_equal(array_job_answer_read(0, "12_1\n12_2\n", ""), 1);
	assert_int_equal(array_job_answer_read(0, "", ""), 0);
	assert_int_equal(array_job_answer_read(1, "", "slurm_load_jobs error: Invalid job id specified\n"), 0);
	/* silence is no end */
	assert_int_equal(array_job_answer_read(1, "", "slurm_load_jobs error: Unable to contact slurm controller\n"), -1);
	assert_int_equal(array_job_answer_read(127, "", ""), -1);
}

static void test_without_slurm(void **state)
{
	struct wt_error error = { "" };
	char id[ARRAY_ID_SIZE];
	struct array_request request = { .name = "n", .output = "o", .script = "#!/bin/sh\n", .tasks = 2 };

	(void) state;
	assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
	assert_int_equal(array_job_check(&error), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(error.text, "put it into PATH"));
	assert_int_equal(array_job_submit(&request, id, &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(array_job_active("1", &error), -1);
	assert_false(array_job_cancelled("1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_without_slurm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
