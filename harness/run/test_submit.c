/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <slurm/slurm_errno.h>

#include "compat/client.h"
#include "harness/run/controller_query.h"
#include "harness/run/jobdesc.h"
#include "harness/run/submit.h"

static void test_not_sent_is_tried_again(void **state)
{
	(void) state;
	assert_int_equal(wt_submit_classify(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR), WT_SUBMIT_RETRY);
	assert_int_equal(wt_submit_classify(ECONNREFUSED), WT_SUBMIT_RETRY);
	assert_int_equal(wt_submit_classify(EAGAIN), WT_SUBMIT_RETRY);
	assert_int_equal(wt_submit_classify(COMPAT_RECORD_COPY_ERROR), WT_SUBMIT_RETRY);
	assert_int_equal(wt_submit_classify(ESLURM_IN_STANDBY_MODE), WT_SUBMIT_RETRY);
}

static void test_sent_without_a_reply_is_unsure(void **state)
{
	(void) state;
	assert_int_equal(wt_submit_classify(SLURMCTLD_COMMUNICATIONS_SEND_ERROR), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(SLURM_PROTOCOL_SOCKET_ZERO_BYTES_SENT), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(ECONNRESET), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(ETIMEDOUT), WT_SUBMIT_UNSURE);
	assert_int_equal(wt_submit_classify(0), WT_SUBMIT_UNSURE);
}

static void test_answers_are_refusals(void **state)
{
	(void) state;
	assert_int_equal(wt_submit_classify(ESLURM_INVALID_PARTITION_NAME), WT_SUBMIT_REFUSED);
	assert_int_equal(wt_submit_classify(ESLURM_ACCESS_DENIED), WT_SUBMIT_REFUSED);
	assert_int_equal(wt_submit_classify(ESLURM_INVALID_TIME_LIMIT), WT_SUBMIT_REFUSED);
}

static const char *env_find(const job_desc_msg_t *msg, const char *name)
{
	for (uint32_t i = 0; i < msg->env_size; i++)
		if (!strncmp(msg->environment[i], name, strlen(name)))
			return msg->environment[i] + strlen(name);
	return NULL;
}

static void test_description(void **state)
{
	struct wt_job job = { .name = (char *) "w.A.1", .cpus = 12757, .run_time_s = 2.2, .time_limit_s = 60.5 };
	struct wt_jobdesc d;

	(void) state;
	wt_jobdesc_fill(&d, &job, WT_PROBE_STEP, "tag", NULL, "host", NULL);
	assert_string_equal(d.msg.name, "w.A.1");
	assert_string_equal(d.msg.comment, "tag");
	assert_int_equal(d.msg.num_tasks, 12757);
	assert_int_equal(d.msg.min_cpus, 12757);
	assert_int_equal(d.msg.cpus_per_task, 1);
	assert_int_equal(d.msg.min_nodes, NO_VAL);	/* any nodes */
	assert_int_equal(d.msg.time_limit, 2);
	assert_int_equal(d.msg.user_id, getuid());
	assert_null(d.msg.partition);
	assert_null(d.msg.environment[d.msg.env_size]);
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_RUN_TIME_S="), "2.200000");
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_PROBE="), "step");
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_EXIT_CODE="), "0");

	assert_null(env_find(&d.msg, "WINDTUNNEL_EVENTS="));

	job.nodes = 3;
	job.cpus = 48;
	wt_jobdesc_fill(&d, &job, WT_PROBE_NONE, "tag", "p", "host", "/c/nodes/events.csv");
	assert_int_equal(d.msg.min_nodes, 3);
	assert_int_equal(d.msg.max_nodes, 3);
	assert_int_equal(d.msg.shared, 0);	/* exclusive */
	assert_string_equal(d.msg.partition, "p");
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_EVENTS="), "/c/nodes/events.csv");
	assert_null(d.msg.environment[d.msg.env_size]);
}

static void test_limit_minutes(void **state)
{
	struct wt_job job = { .time_limit_s = 0.001 };

	(void) state;
	assert_int_equal(wt_jobdesc_limit_min(&job), 1);
	job.time_limit_s = 60;
	assert_int_equal(wt_jobdesc_limit_min(&job), 1);
	job.time_limit_s = 60.001;
	assert_int_equal(wt_jobdesc_limit_min(&job), 2);
	job.time_limit_s = 60. * (NO_VAL - 1);
	assert_int_equal(wt_jobdesc_limit_min(&job), NO_VAL - 1);
	job.time_limit_s = 60. * NO_VAL;	/* what Slurm cannot count is no limit: never a shorter one */
	assert_int_equal(wt_jobdesc_limit_min(&job), INFINITE);
	job.time_limit_s = 2e13;
	assert_int_equal(wt_jobdesc_limit_min(&job), INFINITE);
}

static void test_nodeset(void **state)
{
	static const int32_t a[] = { 0, 63, 65, 65, -1 }, b[] = { 60, 70, -1 }, beyond[] = { 99, 500, -1 };
	uint64_t *set = wt_nodeset_create(100), *other = wt_nodeset_create(100), *all = wt_nodeset_create(100);

	(void) state;
	memset(all, 0xff, 100 / 8 + 1);
	wt_nodeset_add(set, 100, a);
	assert_int_equal(wt_nodeset_count(set, all, NULL, 100), 65);
	wt_nodeset_add(other, 100, b);
	assert_int_equal(wt_nodeset_count(set, all, other, 100), 60);
	assert_int_equal(wt_nodeset_count(set, other, NULL, 100), 5);
	wt_nodeset_add(set, 100, beyond);	/* nodes that came later: not in the table */
	assert_int_equal(wt_nodeset_count(set, all, NULL, 100), 66);
	wt_nodeset_add(set, 100, NULL);
	free(set);
	free(other);
	free(all);
}

static void test_states(void **state)
{
	(void) state;
	assert_int_equal(wt_job_state_from_slurm(JOB_RUNNING), WT_JOB_RUNNING);
	assert_int_equal(wt_job_state_from_slurm(JOB_COMPLETE | JOB_COMPLETING), WT_JOB_COMPLETED);
	assert_int_equal(wt_job_state_from_slurm(JOB_OOM), WT_JOB_OTHER);
}

static void test_process_usage(void **state)
{
	double cpu_s = -1;
	uint64_t rss_kib = 0;

	(void) state;
	assert_int_equal(wt_process_usage(getpid(), &cpu_s, &rss_kib), 0);
	assert_true(cpu_s >= 0 && cpu_s < 60);
	assert_true(rss_kib > 100 && rss_kib < 10000000);
	assert_int_equal(wt_process_usage(0x7ffffff0, &cpu_s, &rss_kib), -1);
}

/* The wait status of the script that real nodes run. */
static int script_status(const char *fail, const char *exit_code)
{
	struct wt_job job = { .name = (char *) "w.A.1", .cpus = 1, .run_time_s = 0, .time_limit_s = 60 };
	struct wt_jobdesc d;
	int status = -1;
	pid_t pid;

	wt_jobdesc_fill(&d, &job, WT_PROBE_NONE, "tag", NULL, "host", NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("WINDTUNNEL_RUN_TIME_S", "0", 1);
		setenv("WINDTUNNEL_FAIL", fail, 1);
		setenv("WINDTUNNEL_EXIT_CODE", exit_code, 1);
		execl("/bin/sh", "sh", "-c", d.msg.script, (char *) NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_script(void **state)
{
	int status;

	(void) state;
	assert_int_equal(script_status("", "0"), 0);
	status = script_status("", "7");
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	status = script_status("signal:9", "0");
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_sent_is_tried_again), cmocka_unit_test(test_sent_without_a_reply_is_unsure),
		cmocka_unit_test(test_answers_are_refusals), cmocka_unit_test(test_description),
		cmocka_unit_test(test_limit_minutes), cmocka_unit_test(test_nodeset), cmocka_unit_test(test_states),
		cmocka_unit_test(test_process_usage), cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests_name("submit", tests, NULL, NULL);
}
