/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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
	char id[ARRAY_ID_SIZE] = "";

	(void) state;
	assert_int_equal(array_job_answer_read(0, "12\n12\n", id), 1);
	assert_string_equal(id, "12");
	assert_int_equal(array_job_answer_read(0, "", id), 0);
	/* silence is no end */
	assert_int_equal(array_job_answer_read(1, "", id), -1);
	assert_int_equal(array_job_answer_read(127, "", id), -1);
	assert_int_equal(array_job_answer_read(0, "what?\n", id), -1);
}

static void test_names(void **state)
{
	char one[ARRAY_NAME_SIZE], other[ARRAY_NAME_SIZE];

	(void) state;
	array_job_name_make(one);
	array_job_name_make(other);
	assert_true(array_job_name_is(one) && array_job_name_is(other));
	assert_string_not_equal(one, other);
	assert_false(array_job_name_is(""));
	assert_false(array_job_name_is("windtunnel"));
	assert_false(array_job_name_is("windtunnel-0123456789abcde"));
	assert_true(array_job_name_is("windtunnel-0123456789abcdef"));
	assert_false(array_job_name_is("windtunnel-0123456789abcdef0"));
	assert_false(array_job_name_is("windtunnel-0123456789abcde,"));
}

static void test_output(void **state)
{
	char *path = array_job_output("/scratch/50%load%%", "logs/%A_%a");

	(void) state;
	assert_string_equal(path, "/scratch/50%%load%%%%/logs/%A_%a");
	free(path);
}

/* The commands sleep for an hour: only a signal that is pending ends them, and it stays pending. */
static void test_interrupted(void **state)
{
	char dir[] = "/tmp/test_array_job.XXXXXX", path[64], id[ARRAY_ID_SIZE], was[4096];
	struct array_request request = { .name = "n", .output = "o", .script = "#!/bin/sh\n", .tasks = 2 };
	struct wt_error error = { "" };
	sigset_t interrupt, before, pending;
	FILE *f;
	int signum;

	(void) state;
	snprintf(was, sizeof(was), "%s", getenv("PATH"));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/sbatch", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("#!/bin/sh\nkill -INT $PPID\nexec /bin/sleep 3600\n", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(setenv("PATH", dir, 1), 0);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, &before);
	assert_int_equal(array_job_submit(&request, id, &error), -1);
	assert_int_equal(errno, EINTR);
	assert_true(sigpending(&pending) == 0 && sigismember(&pending, SIGINT));
	assert_int_equal(sigwait(&interrupt, &signum), 0);
	sigprocmask(SIG_SETMASK, &before, NULL);
	setenv("PATH", was, 1);
	unlink(path);
	rmdir(dir);
}

/* A program of that name in a folder that alone is searched; 'script' is its text for /bin/sh. */
static char programs[] = "/tmp/test_array_job.XXXXXX";

static int programs_begin(void **state)
{
	(void) state;
	strcpy(strrchr(programs, '.'), ".XXXXXX");
	return mkdtemp(programs) ? setenv("PATH", programs, 1) : -1;
}

static int programs_end(void **state)
{
	static const char *const names[] = { "sbatch", "squeue" };
	char path[64];

	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", programs, names[i]);
		unlink(path);
	}
	return rmdir(programs);
}

static void program_write(const char *name, const char *script)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", programs, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

/* What sbatch warns of, however long, does not reach the ID; what it refuses with is told in one line. */
static void test_words(void **state)
{
	struct array_request request = { .name = "n", .output = "o", .script = "#!/bin/sh\n", .tasks = 2 };
	struct wt_error error = { "" };
	char id[ARRAY_ID_SIZE];

	(void) state;
	program_write("sbatch", "echo 12; printf '%05000d\\n' 7 >&2");
	assert_int_equal(array_job_submit(&request, id, &error), 0);
	assert_string_equal(id, "12");
	program_write("sbatch", "printf '%05000d\\n' 7; echo no such partition >&2; echo more >&2; exit 1");
	assert_int_equal(array_job_submit(&request, id, &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "--on slurm: the array was not taken: no such partition");
}

/* Is an array under way?  What interrupted something earlier says nothing of this question. */
static void test_active(void **state)
{
	struct wt_error error = { "" };
	char id[ARRAY_ID_SIZE];

	(void) state;
	program_write("squeue", "echo 12");
	errno = EINTR;
	assert_int_equal(array_job_active("n", id, &error), 1);
	assert_string_equal(id, "12");
	program_write("squeue", "exit 0");
	errno = EINTR;
	assert_int_equal(array_job_active("n", id, &error), 0);
	program_write("squeue", "echo no controller >&2; echo more >&2; exit 1");
	assert_int_equal(array_job_active("n", id, &error), -1);
	assert_int_equal(errno, EAGAIN);
	assert_string_equal(error.text, "squeue does not tell of job array n: no controller");
}

/* Only a squeue that works can tell that tasks were cancelled: its silence and its failure do not. */
static void test_cancelled(void **state)
{
	(void) state;
	program_write("squeue", "echo CANCELLED");
	assert_true(array_job_cancelled("1"));
	program_write("squeue", "exit 0");
	assert_false(array_job_cancelled("1"));
	program_write("squeue", "echo CANCELLED; exit 1");
	assert_false(array_job_cancelled("1"));
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
	assert_int_equal(array_job_active("1", id, &error), -1);
	assert_false(array_job_cancelled("1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_names), cmocka_unit_test(test_output),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test_setup_teardown(test_words, programs_begin, programs_end),
		cmocka_unit_test_setup_teardown(test_active, programs_begin, programs_end),
		cmocka_unit_test_setup_teardown(test_cancelled, programs_begin, programs_end),
		cmocka_unit_test(test_without_slurm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
