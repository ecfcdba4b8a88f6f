/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/test_cmocka.h"

#include "harness/vnode/model/job_behaviour.h"

#define DEFAULT_US 60000000

static struct job_behaviour read_one(const char *variable, const char *script)
{
	char *environment[] = { "PATH=/bin", NULL, (char *) variable };
	struct job_behaviour behaviour;

	job_behaviour_read(&behaviour, environment, variable ? 3 : 2, script, NULL, DEFAULT_US);
	return behaviour;
}

static void test_nothing_is_the_default(void **state)
{
	struct job_behaviour behaviour;

	(void) state;
	job_behaviour_read(&behaviour, NULL, 0, NULL, NULL, DEFAULT_US);
	assert_int_equal(behaviour.run_time_us, DEFAULT_US);
	assert_true(behaviour.run_time_default);
	assert_int_equal(behaviour.wait_status, 0);
	assert_int_equal(behaviour.probe, WT_PROBE_NONE);
	assert_int_equal(behaviour.ignored, 0);
}

static void test_run_time(void **state)
{
	static const struct { const char *variable; int64_t us; int ignored; } cases[] = {
		{ "WINDTUNNEL_RUN_TIME_S=22", 22000000, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=0", 0, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=0.25", 250000, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=1.00000199", 1000001, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=.5", 500000, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=3.", 3000000, 0 },
		{ "WINDTUNNEL_RUN_TIME_S=", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=.", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=-1", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S= 1", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=1e3", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=5s", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=nan", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S=99999999999999999999999999", DEFAULT_US, WT_IGNORED_RUN_TIME },
		{ "WINDTUNNEL_RUN_TIME_S", DEFAULT_US, 0 },
		{ "WINDTUNNEL_RUN_TIME_SX=5", DEFAULT_US, 0 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_behaviour behaviour = read_one(cases[i].variable, NULL);

		assert_int_equal(behaviour.run_time_us, cases[i].us);
		assert_int_equal(behaviour.ignored, cases[i].ignored);
	}
}

static void test_scripts(void **state)
{
	static const struct { const char *script; int64_t us; int ignored; } cases[] = {
		{ "#!/bin/sh\nsleep 5\n", 5000000, 0 },
		{ "#!/bin/sh\n  sleep\t2.5\nsleep 1m", 62500000, 0 },
		{ "exec sleep 1h\n", 3600000000, 0 },
		{ "/bin/sleep 1d; echo\n", 86400000000, 0 },
		{ "sleep 1 2s 3 # six\n", 6000000, 0 },
		{ "sleep 3 &\nwait\n", 3000000, 0 },
		{ "sleep 3&\n", 3000000, 0 },
		{ "sleep 4\r\n", 4000000, 0 },
		{ "#sleep 5\necho sleep 5\nsleepy 5\n", DEFAULT_US, 0 },
		{ "sleep $N\n", DEFAULT_US, WT_IGNORED_SLEEP },
		{ "sleep infinity\nsleep 2\n", 2000000, WT_IGNORED_SLEEP },
		{ "sleep 5x\n", DEFAULT_US, WT_IGNORED_SLEEP },
		{ "sleep 400d\n", DEFAULT_US, WT_IGNORED_SLEEP },
		{ "sleep 300d\nsleep 300d\n", 300 * 86400000000, WT_IGNORED_SLEEP },
		{ "sleep 9999999999999999999999\n", DEFAULT_US, WT_IGNORED_SLEEP },
		{ "sleep ", DEFAULT_US, WT_IGNORED_SLEEP },
		{ "sleep", DEFAULT_US, 0 },
		{ "", DEFAULT_US, 0 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_behaviour behaviour = read_one(NULL, cases[i].script);

		assert_int_equal(behaviour.run_time_us, cases[i].us);
		assert_int_equal(behaviour.ignored, cases[i].ignored);
	}
	assert_int_equal(read_one("WINDTUNNEL_RUN_TIME_S=1", "sleep 9").run_time_us, 1000000);
	assert_int_equal(read_one("WINDTUNNEL_RUN_TIME_S=x", "sleep 9").run_time_us, 9000000);
}

static void test_ends(void **state)
{
	static const struct { const char *variable; int status, ignored; } cases[] = {
		{ "WINDTUNNEL_EXIT_CODE=0", 0, 0 }, { "WINDTUNNEL_EXIT_CODE=255", 255 << 8, 0 },
		{ "WINDTUNNEL_EXIT_CODE=256", 0, WT_IGNORED_EXIT_CODE }, { "WINDTUNNEL_EXIT_CODE=-1", 0,
									   WT_IGNORED_EXIT_CODE },
		{ "WINDTUNNEL_EXIT_CODE=", 0, WT_IGNORED_EXIT_CODE }, { "WINDTUNNEL_EXIT_CODE=1 ", 0, WT_IGNORED_EXIT_CODE },
		{ "WINDTUNNEL_FAIL=signal:11", 11, 0 }, { "WINDTUNNEL_FAIL=signal:64", 64, 0 },
		{ "WINDTUNNEL_FAIL=signal:0", 0, WT_IGNORED_FAIL }, { "WINDTUNNEL_FAIL=signal:65", 0, WT_IGNORED_FAIL },
		{ "WINDTUNNEL_FAIL=signal:", 0, WT_IGNORED_FAIL }, { "WINDTUNNEL_FAIL=11", 0, WT_IGNORED_FAIL },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_behaviour behaviour = read_one(cases[i].variable, "sleep 1");

		assert_int_equal(behaviour.wait_status, cases[i].status);
		assert_int_equal(behaviour.ignored, cases[i].ignored);
	}
}

static void test_probes(void **state)
{
	(void) state;
	assert_int_equal(read_one("WINDTUNNEL_PROBE=none", NULL).probe, WT_PROBE_NONE);
	assert_int_equal(read_one("WINDTUNNEL_PROBE=ping", NULL).probe, WT_PROBE_PING);
	assert_int_equal(read_one("WINDTUNNEL_PROBE=job", NULL).probe, WT_PROBE_JOB);
	assert_int_equal(read_one("WINDTUNNEL_PROBE=step", NULL).probe, WT_PROBE_STEP);
	assert_int_equal(read_one("WINDTUNNEL_PROBE=steps", NULL).probe, WT_PROBE_NONE);
	assert_int_equal(read_one("WINDTUNNEL_PROBE=steps", NULL).ignored, WT_IGNORED_PROBE);
}

static struct job_behaviour command_read(const char *variable, const char *a, const char *b, const char *c)
{
	char *environment[] = { (char *) variable };
	char *argv[] = { (char *) a, (char *) b, (char *) c };
	struct job_behaviour behaviour;

	job_behaviour_read_command(&behaviour, environment, 1, argv, !a ? 0 : !b ? 1 : !c ? 2 : 3, NULL, 60000000);
	return behaviour;
}

static int64_t program_run_time_us(const char *variable, const char *command, bool own, const char *script)
{
	const struct job_behaviour_program program = { .own = own, .script = script };
	char *environment[] = { (char *) variable };
	char *argv[] = { (char *) command, (char *) "7" };
	struct job_behaviour behaviour;

	job_behaviour_read_command(&behaviour, environment, 1, argv, 2, &program, 60000000);
	return behaviour.run_time_us;
}

static void test_programs(void **state)
{
	(void) state;
	assert_int_equal(program_run_time_us(NULL, "./solver", true, NULL), 60000000);
	assert_int_equal(program_run_time_us(NULL, "./script", true, "#!/bin/sh\nsleep 2\nsleep 1\n"), 3000000);
	assert_int_equal(program_run_time_us(NULL, "./script", true, "#!/bin/sh\ntrue\n"), 60000000);
	assert_int_equal(program_run_time_us("WINDTUNNEL_RUN_TIME_S=5", "./script", true, "#!/bin/sh\nsleep 2\n"), 5000000);
	assert_int_equal(program_run_time_us(NULL, "/usr/bin/ldd", false, "#!/bin/sh\nsleep 2\n"), 0);
	assert_int_equal(program_run_time_us(NULL, "/usr/bin/sleep", false, NULL), 7000000);
	assert_int_equal(program_run_time_us(NULL, "./sleep", true, NULL), 60000000);
}

static void test_commands(void **state)
{
	struct job_behaviour behaviour;

	(void) state;
	behaviour = command_read(NULL, "/usr/bin/sleep", "1.5", "1m");
	assert_int_equal(behaviour.run_time_us, 61500000);
	assert_int_equal(behaviour.wait_status, 0);
	assert_int_equal(command_read(NULL, "sh", "-c", "true\nsleep 3; exit 2").run_time_us, 3000000);
	assert_int_equal(command_read(NULL, "hostname", NULL, NULL).run_time_us, 0);
	assert_int_equal(command_read(NULL, NULL, NULL, NULL).run_time_us, 0);
	assert_int_equal(command_read(NULL, "mysleep", "9", NULL).run_time_us, 0);
	assert_int_equal(command_read(NULL, "sleep", NULL, NULL).run_time_us, 0);
	behaviour = command_read(NULL, "sleep", "soon", NULL);
	assert_int_equal(behaviour.run_time_us, 0);
	assert_int_equal(behaviour.ignored, WT_IGNORED_SLEEP);
	assert_int_equal(command_read(NULL, "sleep", "1;", NULL).ignored, WT_IGNORED_SLEEP);
	assert_int_equal(command_read("WINDTUNNEL_RUN_TIME_S=2", "sleep", "9", NULL).run_time_us, 2000000);
	assert_int_equal(command_read(NULL, "/bin/false", NULL, NULL).wait_status, 1 << 8);
	assert_int_equal(command_read("WINDTUNNEL_EXIT_CODE=0", "false", NULL, NULL).wait_status, 0);
	assert_int_equal(command_read("WINDTUNNEL_FAIL=signal:9", "false", NULL, NULL).wait_status, 9);
	assert_int_equal(command_read("WINDTUNNEL_PROBE=job", "true", NULL, NULL).probe, WT_PROBE_NONE);
}

/* Of an array each task has its own, and its data lie on some nodes only. */
static void test_tasks(void **state)
{
	static const struct { const char *value; uint32_t task; const char *node; int64_t us; } cases[] = {
		{ "5 6.5 7", 0, "n0", 5000000 }, { "5 6.5 7", 1, "n0", 6500000 }, { "5 6.5 7", 2, "n0", 7000000 },
		{ "5 6.5 7", 3, "n0", -1 }, { "5 6.5 7", UINT32_MAX, "n0", 5000000 }, { "5", 1000, "n0", 5000000 },
		{ "5+2@n1,n12 3+1@n1", 0, "n1", 5000000 }, { "5+2@n1,n12 3+1@n1", 0, "n12", 5000000 },
		{ "5+2@n1,n12 3+1@n1", 0, "n2", 7000000 }, { "5+2@n1,n12 3+1@n1", 0, "n", 7000000 },
		{ "5+2@n1,n12 3+1@n1", 1, "n12", 4000000 }, { "5+2@n1,n12 3+1@n1", 1, "n1", 3000000 },
		{ "5+2@n1,n12", 7, "n12", 5000000 }, { "5+2@n1", 0, NULL, 7000000 }, { "5+2@", 0, "", 7000000 },
		{ "5+2", 0, "n1", -1 }, { "5+@n1", 0, "n1", -1 }, { "5+2n1", 0, "n1", -1 }, { "5@n1", 0, "n1", -1 },
		{ "5  6", 1, "n1", -1 }, { "5 6x", 1, "n1", -1 }, { "31622400+1@n1", 0, "n2", -1 }, { "5 ", 1, "n1", -1 },
	};
	char variable[64];
	char *environment[] = { variable };

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct job_behaviour_place place = { cases[i].task, cases[i].node };
		struct job_behaviour b;

		snprintf(variable, sizeof(variable), "WINDTUNNEL_RUN_TIME_S=%s", cases[i].value);
		job_behaviour_read(&b, environment, 1, NULL, &place, DEFAULT_US);
		assert_int_equal(b.run_time_us, cases[i].us < 0 ? DEFAULT_US : cases[i].us);
		assert_int_equal(b.ignored, cases[i].us < 0 ? WT_IGNORED_RUN_TIME : 0);
	}
}

/* A copy is no task for slurmctld; its environment says whose copy it is. */
static void test_copy_of_task(void **state)
{
	static const struct { const char *task; int64_t us; } cases[] = {
		{ "2", 7000000 }, { "", 5000000 }, { "-1", 5000000 }, { "99999999999", 5000000 }, { "3", DEFAULT_US },
	};
	const struct job_behaviour_place place = { UINT32_MAX, "n0" };
	char told[64];
	char *environment[] = { "WINDTUNNEL_RUN_TIME_S=5 6 7", told };

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job_behaviour b;

		snprintf(told, sizeof(told), "SLURM_ARRAY_TASK_ID=%s", cases[i].task);
		job_behaviour_read(&b, environment, 2, NULL, &place, DEFAULT_US);
		assert_int_equal(b.run_time_us, cases[i].us);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_nothing_is_the_default),
		cmocka_unit_test(test_run_time),
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_copy_of_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
