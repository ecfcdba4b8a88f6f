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
#include <unistd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "straggler/protocol/straggler_conf_watch.h"

static struct straggler_conf conf;
static struct wt_error err;

static int parse(const char *text)
{
	err.text[0] = '\0';
	return straggler_conf_parse(&conf, text, strlen(text), "f", &err);
}

static void test_good(void **state)
{
	(void) state;
	assert_int_equal(parse("# mine\n controller = box \nPORT=7002\n\nwindow=2 # "
			       "s\nMaxShare=0.25\nEnabled=no\nMinTasks=10"), 0);
	assert_string_equal(conf.controller, "box");
	assert_int_equal(conf.port, 7002);
	assert_true(conf.spec.window_s == 2 && conf.spec.policy.share == .25 && conf.spec.tasks_min == 10);
	assert_false(conf.enabled);
	assert_false(conf.spec.score_allowed);	/* nobody said that it is */
	assert_int_equal(parse("Controller=box\nPort=7002\nrulescore = Yes"), 0);
	assert_true(conf.spec.score_allowed);
	assert_string_equal(conf.directory, "/run/windtunnel/%n");
}

static void test_bad(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "", "Controller" }, { "Controller=a", "Port" }, { "Controller=a\nPort=0", "f:2: Port=0" },
			{ "Port=7.5", "whole number" },
		{ "Port", "f:1: 'Port' is not KEY=VALUE" }, { "\nPorts=3", "f:2: 'Ports' is not known" },
		{ "Enabled=maybe", "neither" }, { "RuleScore=", "neither" }, { "RuleScore=late", "f:1: RuleScore=late" },
		{ "Controller=a\nPort=1\nWindow=10\nSilence=20", "3 windows" }, { "MaxShare=1.5", "MaxShare=1.5" },
		{ "Window=nan", "Window=nan" },
		{ "Controller=a\nPort=1\nDirectory=here", "Directory=here" }, { "MaxCopiesPerTask=9", "9" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i].text), -1);
		assert_int_equal(errno, EINVAL);
		if (!strstr(err.text, bad[i].want))
			fail_msg("'%s' does not say '%s'", err.text, bad[i].want);
	}
	assert_int_equal(straggler_conf_parse(&conf, "a\0b", 3, "f", &err), -1);
	assert_int_equal(straggler_conf_read(&conf, "/nonexistent/x", &err), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_places(void **state)
{
	char path[PATH_MAX], small[8];

	(void) state;
	unsetenv(STRAGGLER_CONF_ENV);
	straggler_conf_path("/a/b/slurm.conf", path);
	assert_string_equal(path, "/a/b/straggler.conf");
	straggler_conf_path(NULL, path);
	assert_string_equal(path, "/etc/slurm/straggler.conf");
	setenv(STRAGGLER_CONF_ENV, "/x/y", 1);
	straggler_conf_path("/a/b/slurm.conf", path);
	assert_string_equal(path, "/x/y");
	unsetenv(STRAGGLER_CONF_ENV);
	assert_int_equal(parse("Controller=a\nPort=1\nDirectory=/d/%n/e"), 0);
	assert_int_equal(straggler_conf_directory(&conf, "n7", path, sizeof(path), &err), 0);
	assert_string_equal(path, "/d/n7/e");
	assert_int_equal(straggler_conf_directory(&conf, "n7", small, 7, &err), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

#define GOOD "Controller=a\nPort=1\n"

/* An editor writes another file and puts it in the place of ours; or writes ours piece by piece; or takes its time. */
static void test_watch(void **state)
{
	static const char path[] = "watched.conf", other[] = "watched.conf.new";
	struct straggler_conf_watch watch;

	(void) state;
	put(path, GOOD);
	straggler_conf_watch_begin(&watch, path);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	put(other, GOOD "MaxCopies=7\n");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);	/* missing for a moment */
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_NEW);
	assert_int_equal(conf.spec.copies_max, 7);
	put(path, GOOD);				/* half of it, which would be good by itself */
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	put(path, GOOD "Enabled=no\n");
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_NEW);
	assert_false(conf.enabled);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_BAD);
	assert_non_null(strstr(err.text, path));
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);	/* said once */
	assert_int_equal(straggler_conf_read_patiently(&conf, path, 150, &err), -1);
	put(path, "");
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_BAD);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(straggler_conf_read_patiently(&conf, path, 0, &err), 0);
	assert_int_equal(unlink(path), 0);
}

/* The file is as it was, but no descriptor is free when it is looked at. */
static void test_watch_again(void **state)
{
	static const char path[] = "again.conf";
	struct straggler_conf_watch watch;
	struct rlimit limit, none;

	(void) state;
	put(path, GOOD);
	straggler_conf_watch_begin(&watch, path);
	put(path, GOOD "MaxCopies=7\n");
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit) { 0, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_BAD);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_SAME);	/* said once */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(straggler_conf_watch_look(&watch, &conf, &err), STRAGGLER_CONF_NEW);
	assert_int_equal(conf.spec.copies_max, 7);
	assert_int_equal(unlink(path), 0);
}

/* A daemon may have closed its standard input: the file gets its number then. */
static void test_no_standard_input(void **state)
{
	char path[] = "/tmp/wt-straggler_conf-XXXXXX";
	int fd = mkstemp(path), kept = dup(STDIN_FILENO), rc;

	(void) state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "Controller=box\nPort=7002\n", 25), 25);
	close(fd);
	close(STDIN_FILENO);
	rc = straggler_conf_read(&conf, path, &err);
	dup2(kept, STDIN_FILENO);
	close(kept);
	unlink(path);
	assert_int_equal(rc, 0);
	assert_int_equal(conf.port, 7002);
}

/* Nobody writes into the pipe: it is refused, not waited for. */
static void test_pipe(void **state)
{
	char dir[] = "/tmp/wt-straggler_conf-XXXXXX", path[64];
	int rc;

	(void) state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pipe", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	rc = straggler_conf_read(&conf, path, &err);
	unlink(path);
	rmdir(dir);
	assert_int_equal(rc, -1);
	assert_non_null(strstr(err.text, "is not a regular file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
					    cmocka_unit_test(test_places), cmocka_unit_test(test_watch),
					    cmocka_unit_test(test_watch_again),
					    cmocka_unit_test(test_no_standard_input), cmocka_unit_test(test_pipe) };

	return cmocka_run_group_tests_name("straggler_conf", tests, NULL, NULL);
}
