/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <string.h>

#include "cmd/node/resume_file.h"

static size_t parse(const char *text, struct resume_job **jobs)
{
	return resume_jobs_parse(text, strlen(text), jobs);
}

static void test_jobs_and_their_nodes(void **state)
{
	struct resume_job *jobs;
	size_t count = parse("{\"all_nodes_resume\": \"n[0-5]\", \"jobs\": ["
			     "{\"job_id\": 7, \"nodes_alloc\": \"n[0-4]\", \"nodes_resume\": \"n[0-3]\"},"
			     "{\"job_id\": 4294967295, \"nodes\": \"n5\"}]}", &jobs);

	(void) state;
	assert_int_equal(count, 2);
	assert_int_equal(jobs[0].job_id, 7);
	assert_string_equal(jobs[0].nodes, "n[0-3]");
	assert_int_equal(jobs[1].job_id, 4294967295u);
	assert_string_equal(jobs[1].nodes, "n5");
	resume_jobs_free(jobs, count);
}

static void test_what_makes_no_sense_is_passed_over(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "{\"jobs\": 7}", "{\"jobs\": [7, {}, \"n0\"]}", "{\"jobs\": [{\"job_id\": 0, "
		"\"nodes_resume\": \"n0\"}]}", "{\"jobs\": [{\"job_id\": 4294967296, \"nodes_resume\": \"n0\"}]}",
		"{\"jobs\": [{\"job_id\": 7, \"nodes_resume\": \"\"}]}",
		"{\"jobs\": [{\"job_id\": 7, \"nodes_resume\": \"n0\\noff n1\"}]}",
		"{\"jobs\": [{\"job_id\": 7, \"nodes_resume\": null}]}",
	};
	struct resume_job *jobs;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(texts[i], &jobs), 0);
		resume_jobs_free(jobs, 0);
	}
	assert_int_equal(resume_jobs_read(NULL, &jobs), 0);
	assert_int_equal(resume_jobs_read("/nonexistent/file", &jobs), 0);
	assert_null(jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_and_their_nodes),
		cmocka_unit_test(test_what_makes_no_sense_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
