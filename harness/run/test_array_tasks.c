/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Job arrays: what slurmctld is told of one, what its script makes of that, and which tasks a record of slurmctld's is. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/run/array_tasks.h"
#include "harness/run/jobdesc_array.h"
#include "harness/run/jobdesc_ask.h"
#include "harness/run/submit_dependency.h"

/* libslurm exports them, slurm.h does not declare them. */
extern bitstr_t *slurm_bit_alloc(int64_t bits);
extern void slurm_bit_set(bitstr_t *b, int64_t bit);
extern void slurm_bit_free(bitstr_t **b);

static char near_of[2][8] = { "n1,n12", "n3" };
static const struct wt_job jobs[3] = {
	{ .name = (char *) "map.0", .cpus = 1, .run_time_s = 5, .away_s = 2, .near = near_of[0], .time_limit_s = 60,
	  .array_tasks = 3 },
	{ .name = (char *) "map.1", .cpus = 1, .run_time_s = 6.5, .away_s = 2, .near = near_of[1], .time_limit_s = 60,
	  .array_tasks = 3, .array_task = 1 },
	{ .name = (char *) "map.2", .cpus = 1, .run_time_s = 7, .time_limit_s = 60, .array_tasks = 3, .array_task = 2 },
};
#define RUN_TIMES "5.000000+2.000000@n1,n12 6.500000+2.000000@n3 7.000000"

static const char *env_find(const job_desc_msg_t *msg, const char *name)
{
	for (uint32_t i = 0; i < msg->env_size; i++)
		if (!strncmp(msg->environment[i], name, strlen(name)))
			return msg->environment[i] + strlen(name);
	return NULL;
}

static void test_description(void **state)
{
	struct wt_jobdesc_array array = { .first = jobs, .only = -1, .tag = "tag" };
	struct wt_jobdesc d;

	(void) state;
	wt_jobdesc_fill(&d, &jobs[0], WT_PROBE_NONE, "tag", NULL, "host", NULL);
	assert_int_equal(wt_jobdesc_array_fill(&d, &array), 0);
	assert_string_equal(d.msg.name, "map");
	assert_string_equal(d.msg.comment, "tag map");
	assert_string_equal(d.msg.array_inx, "0-2");
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_RUN_TIME_S="), RUN_TIMES);
	assert_null(d.msg.environment[d.msg.env_size]);
	assert_int_equal(d.msg.spank_job_env_size, 0);
	wt_jobdesc_ask_clear(&d);

	array.only = 1;		/* sent once more: its time is found by its number */
	array.slots = 2;
	array.speculate = "copies=1";
	wt_jobdesc_fill(&d, &jobs[1], WT_PROBE_NONE, "tag", NULL, "host", NULL);
	assert_int_equal(wt_jobdesc_array_fill(&d, &array), 0);
	assert_string_equal(d.msg.array_inx, "1");
	assert_string_equal(env_find(&d.msg, "WINDTUNNEL_RUN_TIME_S="), RUN_TIMES);
	assert_int_equal(d.msg.spank_job_env_size, 1);
	assert_string_equal(d.msg.spank_job_env[0], "WT_SPECULATE=copies=1");
	wt_jobdesc_ask_clear(&d);

	array.only = -1;
	wt_jobdesc_fill(&d, &jobs[0], WT_PROBE_NONE, "tag", NULL, "host", NULL);
	assert_int_equal(wt_jobdesc_array_fill(&d, &array), 0);
	assert_string_equal(d.msg.array_inx, "0-2%2");
	wt_jobdesc_ask_clear(&d);
}

/* Does the script of task 'task' on this node sleep so? */
static bool script_sleeps(const char *run_times, const char *task, const char *node, const char *wanted)
{
	struct wt_jobdesc d;
	char *script;
	int status;
	pid_t pid;

	wt_jobdesc_fill(&d, &jobs[0], WT_PROBE_NONE, "tag", NULL, "host", NULL);
	assert_true(asprintf(&script, "sleep" "() { [ \"$*\" = '%s' ] || kill -9 $$; }\n%s", wanted, d.msg.script) > 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("WINDTUNNEL_RUN_TIME_S", run_times, 1);
		if (task)
			setenv("SLURM_ARRAY_TASK_ID", task, 1);
		setenv("SLURMD_NODENAME", node, 1);
		execl("/bin/sh", "sh", "-c", script, (char *) NULL);
		_exit(127);
	}
	free(script);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static void test_script(void **state)
{
	(void) state;
	assert_true(script_sleeps("2.5", NULL, "n0", "2.5 0"));
	assert_false(script_sleeps("2.5", NULL, "n0", "2.6 0"));
	assert_true(script_sleeps("2.5", "7", "n0", "2.5 0"));	/* one for all */
	assert_true(script_sleeps(RUN_TIMES, "0", "n12", "5.000000 0"));
	assert_true(script_sleeps(RUN_TIMES, "0", "n2", "5.000000 2.000000"));
	assert_true(script_sleeps(RUN_TIMES, "1", "n3", "6.500000 0"));
	assert_true(script_sleeps(RUN_TIMES, "1", "n1", "6.500000 2.000000"));
	assert_true(script_sleeps(RUN_TIMES, "2", "n1", "7.000000 0"));
}

static void test_records(void **state)
{
	slurm_job_info_t job = { .comment = (char *) "tag map", .name = (char *) "map", .array_task_id = NO_VAL };
	char name[16];

	(void) state;
	assert_int_equal(array_tasks_count(&job), 1);	/* no array */
	job.array_job_id = 7;
	assert_int_equal(array_task_next(&job, -1), -1);
	job.array_bitmap = slurm_bit_alloc(40);
	slurm_bit_set(job.array_bitmap, 3);
	slurm_bit_set(job.array_bitmap, 39);
	assert_int_equal(array_task_next(&job, -1), 3);
	assert_int_equal(array_task_next(&job, 3), 39);
	assert_int_equal(array_task_next(&job, 39), -1);
	assert_int_equal(array_tasks_count(&job), 2);
	slurm_bit_free((bitstr_t **) &job.array_bitmap);
	job.array_task_id = 0;
	assert_int_equal(array_task_next(&job, -1), 0);
	assert_int_equal(array_task_next(&job, 0), -1);
	assert_int_equal(array_tasks_count(&job), 1);

	assert_int_equal(array_task_name(&job, "tag", 39, name, sizeof(name)), 0);
	assert_string_equal(name, "map.39");
	job.comment = (char *) "tag map; windtunnel: completed by job 12";
	assert_int_equal(array_task_name(&job, "tag", 0, name, sizeof(name)), 0);
	assert_string_equal(name, "map.0");
	assert_int_equal(array_task_name(&job, "ta", 0, name, sizeof(name)), -1);
	assert_int_equal(array_task_name(&job, "tag", 0, name, 5), -1);
	job.comment = (char *) "windtunnel: attempt 2 of 7_0 (job 8)";	/* a copy is no job of the run's */
	assert_int_equal(array_task_name(&job, "tag", 0, name, sizeof(name)), -1);
}

static struct wt_job waiting_jobs[] = {
	{ .name = (char *) "map.0", .class_name = (char *) "map", .array_tasks = 3 },
	{ .name = (char *) "map.1", .class_name = (char *) "map", .number = 1, .array_tasks = 3, .array_task = 1 },
	{ .name = (char *) "map.2", .class_name = (char *) "map", .number = 2, .array_tasks = 3, .array_task = 2 },
	{ .name = (char *) "reduce.0", .class_name = (char *) "reduce", .number = 3, .array_tasks = 1, .waits_for = 2 },
};
static const struct wt_workload waiting = { .name = (char *) "w", .time_scale = 1, .job_count = 4, .jobs = waiting_jobs };

/* What it waits for is told whichever task it names, and all of it, also in several arrays. */
static void test_waits(void **state)
{
	struct wt_ledger *l = wt_ledger_create(&waiting);
	struct wt_error error;
	char *text;

	(void) state;
	assert_non_null(l);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(wt_submit_waits(l, &waiting, &waiting_jobs[3], &text, &error), WT_DEPENDS_WAITS);
		assert_null(text);
		wt_ledger_sending(l, i, 1000);
		wt_ledger_task_accepted(l, i, 7, 1000.5);
	}
	assert_int_equal(wt_submit_waits(l, &waiting, &waiting_jobs[3], &text, &error), WT_DEPENDS_READY);
	assert_string_equal(text, "afterok:7");
	free(text);
	wt_ledger_sending(l, 2, 1001);
	assert_int_equal(wt_submit_waits(l, &waiting, &waiting_jobs[3], &text, &error), WT_DEPENDS_WAITS);
	wt_ledger_task_accepted(l, 2, 9, 1001.5);
	assert_int_equal(wt_submit_waits(l, &waiting, &waiting_jobs[3], &text, &error), WT_DEPENDS_READY);
	assert_string_equal(text, "afterok:7:9");
	free(text);
	wt_ledger_refused(l, 0, "no", 1002);
	assert_int_equal(wt_submit_waits(l, &waiting, &waiting_jobs[3], &text, &error), WT_DEPENDS_LOST);
	assert_null(text);
	assert_non_null(strstr(error.text, "map.0"));
	wt_ledger_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_description), cmocka_unit_test(test_script), cmocka_unit_test(test_records),
		cmocka_unit_test(test_waits),
	};

	return cmocka_run_group_tests_name("array_tasks", tests, NULL, NULL);
}
