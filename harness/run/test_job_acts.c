/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is due for a job, and by what its run knows it: pure. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "harness/run/job_acts.h"
#include "harness/run/job_tag.h"

static void test_cancel(void **state)
{
	struct wt_job_ask *ask = wt_job_ask_create();
	struct wt_job job = { .run_time_s = 40, .ask = ask };
	struct wt_job_record r = { .job_id = 1, .state = WT_JOB_PENDING, .submit_s = 100, .start_s = NAN };

	(void) state;
	assert_int_equal(job_act_due(&(struct wt_job) { 0 }, &r, 0, 1e9), JOB_ACT_NONE);
	assert_int_equal(job_act_due(&job, &r, 0, 1e9), JOB_ACT_NONE);
	ask->end = WT_END_CANCELLED;
	assert_int_equal(job_act_due(&job, &r, 0, 1e9), JOB_ACT_NONE);	/* it has not started */
	r.state = WT_JOB_RUNNING;
	r.start_s = 200;
	assert_int_equal(job_act_due(&job, &r, 0, 239.9), JOB_ACT_NONE);
	assert_int_equal(job_act_due(&job, &r, 0, 240), JOB_ACT_CANCEL);
	assert_int_equal(job_act_due(&job, &r, 1u << JOB_ACT_CANCEL, 240), JOB_ACT_NONE);
	ask->number[WT_ASK_CANCEL_AFTER_S] = 20;	/* whether it runs or not */
	assert_int_equal(job_act_due(&job, &r, 0, 120), JOB_ACT_CANCEL);
	r.state = WT_JOB_COMPLETED;
	assert_int_equal(job_act_due(&job, &r, 0, 1e9), JOB_ACT_NONE);
	wt_job_ask_destroy(ask);
}

static void test_requeue(void **state)
{
	struct wt_job_ask *ask = wt_job_ask_create();
	struct wt_job job = { .run_time_s = 40, .ask = ask };
	struct wt_job_record r = { .job_id = 1, .state = WT_JOB_RUNNING, .submit_s = 100, .start_s = 200 };

	(void) state;
	ask->number[WT_ASK_REQUEUE_AFTER_S] = 10;
	assert_int_equal(job_act_due(&job, &r, 0, 209), JOB_ACT_NONE);
	assert_int_equal(job_act_due(&job, &r, 0, 210), JOB_ACT_REQUEUE);
	assert_int_equal(job_act_due(&job, &r, 1u << JOB_ACT_REQUEUE, 300), JOB_ACT_NONE);
	r.job_id = 0;
	assert_int_equal(job_act_due(&job, &r, 0, 300), JOB_ACT_NONE);
	wt_job_ask_destroy(ask);
}

static void test_node_failure(void **state)
{
	struct wt_job_ask *ask = wt_job_ask_create();
	struct wt_job job = { .run_time_s = 40, .ask = ask };
	struct wt_job_record r = { .job_id = 1, .state = WT_JOB_PENDING, .submit_s = 100, .start_s = NAN };

	(void) state;
	ask->end = WT_END_NODE_FAILURE;
	assert_int_equal(job_act_due(&job, &r, 0, 1e9), JOB_ACT_NONE);
	r.state = WT_JOB_RUNNING;
	r.start_s = 200;
	assert_int_equal(job_act_due(&job, &r, 0, 239.9), JOB_ACT_NONE);
	assert_int_equal(job_act_due(&job, &r, 0, 240), JOB_ACT_NODE);
	assert_int_equal(job_act_due(&job, &r, 1u << JOB_ACT_NODE, 1e9), JOB_ACT_NONE);
	r.state = WT_JOB_NODE_FAIL;
	assert_int_equal(job_act_due(&job, &r, 0, 1e9), JOB_ACT_NONE);
	wt_job_ask_destroy(ask);
}

static void test_name(void **state)
{
	(void) state;
	assert_string_equal(wt_run_job_name("tag", "a", "tag"), "a");
	assert_string_equal(wt_run_job_name("tag jobs.1", "a", "tag"), "jobs.1");
	assert_null(wt_run_job_name("tagged", "a", "tag"));
	assert_null(wt_run_job_name("", "a", "tag"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cancel), cmocka_unit_test(test_requeue), cmocka_unit_test(test_node_failure),
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests_name("job_acts", tests, NULL, NULL);
}
