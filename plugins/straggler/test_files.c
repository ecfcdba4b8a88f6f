/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, progress files, and what the agent makes of them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "cputime.h"
#include "gather.h"
#include "names.h"
#include "stepd.h"
#include "wt_clock.h"
#include "wt_progress.h"

static char folder[] = "/tmp/wt-files.XXXXXX";

static void name_is(const char *pattern, const char *want)
{
	const struct copy_names names = { 17, 3, 2 };
	char *got = copy_name(pattern, &names);

	assert_string_equal(got, want);
	free(got);
}

static void test_output_names(void **state)
{
	(void) state;
	name_is("slurm-%A_%a.out", "slurm-17_3.out.attempt2");
	name_is("/o/%4a-%j", "/o/0003-%j.attempt2");
	name_is("%%a%a", "%%a3.attempt2");
	name_is("plain", "plain.attempt2");
	name_is("back\\%a", "back\\%a.attempt2");
	name_is("%", "%.attempt2");
	name_is("%99999999999a", "0000000003.attempt2");
	name_is("/dev/null", "/dev/null");
}

static void test_first_node(void **state)
{
	static const char *const rows[][2] = {
		{ "n3", "n3" }, { "n[3-5,9]", "n3" }, { "n[12]", "n12" }, { "a,b", "a" }, { "r[1-2]n[03-4],x", "r1n03" }, { "", "" },
		{ "n[3", "n3" }, { "n[3-", "n3" },
	};
	char node[16];

	(void) state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		first_node(rows[i][0], node, sizeof(node));
		assert_string_equal(node, rows[i][1]);
	}
	first_node("longer", node, 4);
	assert_string_equal(node, "lon");
}

static void test_record(void **state)
{
	struct progress_record record = { .job_id = 7, .restart = 1, .progress = .5, .sequence = 3 }, got;
	char path[64], name[PROGRESS_NAME_MAX];
	uint32_t id, restart;
	int fd;

	(void) state;
	snprintf(path, sizeof(path), "%s/record", folder);
	assert_int_equal(progress_write(path, &record, NULL), -1);	/* never made by a task: it is slurmstepd's to make */
	fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(progress_write(path, &record, NULL), 0);
	assert_int_equal(progress_read(path, &got, NULL), 0);
	assert_true(got.job_id == 7 && got.progress == .5 && got.sequence == 3);
	assert_int_equal(pwrite(fd, "x", 1, 8), 1);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	close(fd);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	unlink(path);
	progress_name(name, 7, 2);
	assert_true(progress_name_read(name, &id, &restart) && id == 7 && restart == 2);
	assert_false(progress_name_read("7.2.lock", &id, &restart) || progress_name_read("agent", &id, &restart) ||
		     progress_name_read("07.2", &id, &restart) || progress_name_read("", &id, &restart));
}

static void conf_write(const char *path)
{
	FILE *out = fopen(path, "w");

	fprintf(out, "Controller=127.0.0.1\nPort=1\nMungeSocket=%s/none\nDirectory=%s/%%n\nWindow=0.1\nSilence=1\n", folder, folder);
	fclose(out);
}

/* slurmstepd makes the file, the task reports, the agent finds nobody to send it to and cleans up after slurmstepd. */
static void test_life(void **state)
{
	struct stepd stepd = { .job_id = 9, .lock_fd = -1 };
	char conf_path[64], directory[64];
	struct progress_record record;
	struct specconf conf;
	struct gather *gather;
	struct wt_error err;

	(void) state;
	snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
	snprintf(directory, sizeof(directory), "%s/n1", folder);
	conf_write(conf_path);
	assert_int_equal(stepd_open(&stepd, conf_path, "/bin/true", "n1", getuid(), "cpu=10", &err), 0);
	stepd_started(&stepd, getpid());
	setenv("WT_PROGRESS_FILE", stepd.path, 1);
	assert_int_equal(wt_progress(.25), 0);
	assert_int_equal(wt_progress_of(1, 2), 0);
	assert_int_equal(wt_progress(.3), 0);			/* not back */
	assert_int_equal(progress_read(stepd.path, &record, NULL), 0);
	assert_true(record.progress == .5 && record.sequence == 3 && record.cpu_s == 10 && record.pid == (uint32_t) getpid());
	assert_int_equal(wt_progress(1.5), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_progress_of(1, 0), -1);
	assert_int_equal(specconf_read(&conf, conf_path, NULL), 0);
	gather = gather_create(&conf, directory, "n1", NULL);
	assert_int_equal(gather_look(gather, &err), GATHER_SAID);	/* once */
	assert_int_equal(gather_look(gather, &err), GATHER_OK);
	stepd_ended(&stepd);
	assert_int_equal(access(stepd.path, F_OK), 0);
	stepd_close(&stepd);
	for (int i = 0; i < 200 && access(stepd.path, F_OK) == 0; i++) {	/* the agent's process may still hold what it was born with */
		gather_look(gather, &err);
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 50000);
	}
	assert_int_equal(access(stepd.path, F_OK), -1);
	assert_int_equal(access(stepd.lock_path, F_OK), -1);
	gather_destroy(gather);
	unsetenv("WT_PROGRESS_FILE");
	assert_int_equal(wt_progress(.5), 0);			/* not in such a job: nothing happens */
	assert_int_equal(wt_commit_begin(0), 0);
}

static void test_foreign_folder(void **state)
{
	struct stepd stepd = { .job_id = 9, .lock_fd = -1 };
	char conf_path[64], directory[64];
	struct wt_error err;

	(void) state;
	snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
	snprintf(directory, sizeof(directory), "%s/n2", folder);
	conf_write(conf_path);
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(chmod(directory, 0777), 0);		/* anybody could put files there */
	assert_int_equal(stepd_open(&stepd, conf_path, "/bin/true", "n2", getuid(), "on", &err), -1);
	assert_non_null(strstr(err.text, "n2"));
	assert_int_equal(stepd.lock_fd, -1);
}

static void burn_s(double seconds)
{
	volatile double x = 1;
	clock_t end = clock() + (clock_t) (seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		x *= 1.0000001;
}

/* Uses its share of CPU time, says so, and waits until nobody can write into 'go' any more. */
static void burner(int ready, int go)
{
	char byte = 0;

	setpgid(0, 0);
	burn_s(.1);
	_exit(write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0);
}

/* As slurmstepd does: the script is in its session, but in a process group of its own, which a child of the script's may leave. */
static int script_measure(void)
{
	int ready[2], go[2];
	double used_s;
	char byte;
	pid_t script;

	setsid();
	if (pipe(ready) < 0 || pipe(go) < 0)
		return 1;
	script = fork();
	if (script == 0) {
		close(go[1]);
		if (fork() == 0)
			burner(ready[1], go[0]);
		burner(ready[1], go[0]);
	}
	burn_s(.4);		/* slurmstepd's own is not the task's */
	if (read(ready[0], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1)
		return 2;
	used_s = cputime_s(script);
	close(go[1]);
	if (waitpid(script, NULL, 0) != script || cputime_s(script) != 0)
		return 3;
	return used_s > .15 && used_s < .35 ? 0 : 4;
}

static void test_cputime(void **state)
{
	pid_t stepd = fork();
	int status;

	(void) state;
	if (stepd == 0)
		_exit(script_measure());
	assert_int_equal(waitpid(stepd, &status, 0), stepd);
	assert_int_equal(status, 0);
}

static int folder_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	char command[64];

	(void) state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_names), cmocka_unit_test(test_first_node), cmocka_unit_test(test_record),
		cmocka_unit_test(test_life), cmocka_unit_test(test_foreign_folder), cmocka_unit_test(test_cputime),
	};

	return cmocka_run_group_tests_name("files", tests, folder_make, folder_remove);
}
