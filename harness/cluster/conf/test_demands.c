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
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/cluster/conf/demands.h"
#include "lib/fs.h"
#include "lib/str.h"

/* All demands, one a line. */
static void expect(const struct wt_demands *d, const char *want)
{
	struct wt_str s = { 0 };
	char *text;

	for (size_t i = 0; i < d->count; i++)
		wt_str_printf(&s, "%s %s%s=%s\n", d->list[i].where, d->list[i].key, d->list[i].append ? "+" : "",
			      d->list[i].value);
	text = wt_str_take(&s);
	assert_string_equal(text, want);
	free(text);
}

static void test_text(void **state)
{
	static const char text[] =
		"# a comment = nothing\n"
		" \t\r\n"
		"  TreeWidth = 16   KillWait=5 # tail\r\n"
		"SchedulerParameters=defer,\\\n"
		"bf_interval=7\n"
		"Epilog=\"/a b\" Prolog=/x\\#y\\\\\n"
		"# ignored \\\n"
		"nodename=DEFAULT Weight=3 Reason=\"a b\"\n"
		"SchedulerParameters+=x\n"
		"include = x\n"	/* a key like others, as its "=" says */
		"MinJobAge=9";
	struct wt_demands d = { 0 };

	(void) state;
	assert_int_equal(wt_demands_text(&d, text, "f", NULL), 0);
	expect(&d, "f:3 TreeWidth=16\nf:3 KillWait=5\nf:4 SchedulerParameters=defer,bf_interval=7\nf:6 Epilog=/a b\nf:6 "
		   "Prolog=/x#y\\\n"
		   "f:8 nodename=DEFAULT Weight=3 Reason=\"a b\"\nf:9 SchedulerParameters+=x\nf:10 include=x\n"
		   "f:11 MinJobAge=9\n");
	wt_demands_clear(&d);
	assert_int_equal(wt_demands_text(&d, "", "f", NULL), 0);
	expect(&d, "");
}

static void test_text_refuses(void **state)
{
	static const struct { const char *text, *want; } bad[] = {
		{ "A=1\nnonsense\n", "my.conf:2: 'nonsense' is not KEY=VALUE" }, { "A=1 B\n", "my.conf:1: 'B' is not" },
		{ "K-y=1\n", "my.conf:1: 'K-y' is no slurm.conf key" }, { "A=x\"y\n", "my.conf:1: A: a quote" },
		{ "NodeName=\n", "my.conf:1: NodeName: a name" }, { "A=\x01\n", "my.conf:1: A: control" },
		{ "Include a b\n", "my.conf:1: Include a b: one path" }, { "include %c.conf\n", "no ClusterName before it" },
		{ "Include /nowhere/x.conf\n", "my.conf:1: open /nowhere/x.conf: No such file" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_demands d = { 0 };
		struct wt_error err = { "" };

		assert_int_equal(wt_demands_text(&d, bad[i].text, "my.conf", &err), -1);
		if (!strstr(err.text, bad[i].want))
			fail_msg("%s: %s", bad[i].text, err.text);
		wt_demands_clear(&d);
	}
}

static char *file(const char *dir, const char *name, const char *text)
{
	char *path = wt_str_format("%s/%s", dir, name);

	assert_int_equal(wt_fs_write(path, text, strlen(text), 0600, NULL), 0);
	return path;
}

static void test_include(void **state)
{
	char dir[] = "/tmp/test_demands.XXXXXX", *main_conf, *sub, *deep, *loop, *sub_dir, *text, *want;
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(mkdtemp(dir));
	sub_dir = wt_str_format("%s/sub", dir);
	assert_int_equal(wt_fs_make_dir(sub_dir, 0700, NULL), 0);
	text = wt_str_format("ClusterName=My\nINCLUDE\tsub/%%c.conf\nA=3\ninclude %s/deep.conf\n", sub_dir);
	main_conf = file(dir, "slurm.conf", text);
	sub = file(sub_dir, "my.conf", "\nB=1\nInclude deep.conf\n");
	deep = file(sub_dir, "deep.conf", "C=2");
	loop = file(dir, "loop.conf", "D=1\nInclude loop.conf\n");
	assert_int_equal(wt_demands_file(&d, main_conf, NULL), 0);
	want = wt_str_format("%s:1 ClusterName=My\n%s:2 B=1\n%s:1 C=2\n%s:3 A=3\n%s:1 C=2\n", main_conf, sub, deep,
			     main_conf, deep);
	expect(&d, want);
	wt_demands_clear(&d);
	assert_int_equal(wt_demands_file(&d, loop, &err), -1);
	assert_int_equal(errno, EINVAL);
	wt_demands_clear(&d);
	assert_int_equal(wt_demands_file(&d, dir, NULL), -1);
	assert_int_equal(wt_demands_inside(&d, main_conf, NULL), 0);
	expect(&d, want);
	wt_demands_clear(&d);
	free(file(sub_dir, "my.conf", "Include ../loop.conf\n"));
	assert_int_equal(wt_demands_inside(&d, sub, &err), -1);
	assert_non_null(strstr(err.text, "outside of its folder"));
	wt_fs_remove_tree(dir, NULL);
	free(main_conf);
	free(sub);
	free(deep);
	free(loop);
	free(sub_dir);
	free(text);
	free(want);
}

/* A site's own path in a copy of its folder; the nearer file counts, and none beside the folder. */
static void test_include_of_a_copy(void **state)
{
	char dir[] = "/tmp/test_demands.XXXXXX", *etc, *conf, *parts, *below, *text;
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(mkdtemp(dir));
	etc = wt_str_format("%s/slurm", dir);
	text = wt_str_format("%s/nodes.d", etc);
	assert_int_equal(wt_fs_make_dir(etc, 0700, NULL), 0);
	assert_int_equal(wt_fs_make_dir(text, 0700, NULL), 0);
	free(file(dir, "outside.conf", "A=9\n"));
	free(file(etc, "a.conf", "A=0\n"));
	below = file(text, "a.conf", "A=1\n");
	parts = file(etc, "parts.conf", "B=2\n");
	free(text);
	conf = file(etc, "slurm.conf", "include /opt//slurm/etc/nodes.d/a.conf\nInclude /nowhere/parts.conf\n");
	assert_int_equal(wt_demands_inside(&d, conf, NULL), 0);
	text = wt_str_format("%s:1 A=1\n%s:1 B=2\n", below, parts);
	expect(&d, text);
	wt_demands_clear(&d);
	free(file(etc, "slurm.conf", "include /opt/../outside.conf\n"));
	assert_int_equal(wt_demands_inside(&d, conf, &err), -1);
	assert_non_null(strstr(err.text, "outside of its folder"));
	free(file(etc, "slurm.conf", "include /nowhere/x.conf\n"));
	assert_int_equal(wt_demands_inside(&d, conf, &err), -1);
	assert_int_equal(errno, ENOENT);
	free(file(etc, "slurm.conf", "include /nowhere/parts.conf\n"));
	assert_int_equal(wt_demands_file(&d, conf, NULL), -1);	/* one's own file says what it means */
	wt_demands_clear(&d);
	wt_fs_remove_tree(dir, NULL);
	free(text);
	free(etc);
	free(conf);
	free(parts);
	free(below);
}

/* 4^15 files, if they were not counted; and a pipe without a writer. */
static void test_include_ends(void **state)
{
	char dir[] = "/tmp/test_demands.XXXXXX", *pipe_path, *first = NULL;
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(mkdtemp(dir));
	for (int i = 15; i >= 0; i--) {
		char *name = wt_str_format("%d", i),
		     *text = wt_str_format("Include %d\nInclude %d\nInclude %d\nInclude %d\n", i + 1, i + 1, i + 1, i + 1);

		free(first);
		first = file(dir, name, i == 15 ? "A=1\n" : text);
		free(name);
		free(text);
	}
	assert_int_equal(wt_demands_file(&d, first, &err), -1);
	assert_non_null(strstr(err.text, "more than 1024 files"));
	assert_in_range(d.count, 1, 1024);
	wt_demands_clear(&d);
	free(first);
	pipe_path = wt_str_format("%s/pipe", dir);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	first = file(dir, "0", "Include pipe\n");
	assert_int_equal(wt_demands_file(&d, first, &err), -1);
	assert_non_null(strstr(err.text, "pipe: not a file"));
	wt_demands_clear(&d);
	wt_fs_remove_tree(dir, NULL);
	free(first);
	free(pipe_path);
}

/* Of a stranger's folder, where a pipe may have taken the place of the file since somebody looked. */
static void test_a_pipe_is_not_waited_for(void **state)
{
	char folder[] = "/tmp/wt-test-XXXXXX", path[64];
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/slurm.conf", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(300);
	assert_int_equal(wt_demands_inside(&d, path, &err), -1);
	alarm(0);
	assert_non_null(strstr(err.text, "is not a regular file"));
	wt_demands_clear(&d);
	wt_fs_remove_tree(folder, NULL);
}

/* Two that include each other are said in a few words; one may be included twice. */
static void test_include_circle(void **state)
{
	char dir[] = "/tmp/test_demands.XXXXXX", *first, *second;
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(mkdtemp(dir));
	first = file(dir, "a", "Include b\nInclude b\n");
	second = file(dir, "b", "\xef\xbb\xbf" "A=1\r\nB=2 \\\r\nC=3\r\n");
	assert_int_equal(wt_demands_file(&d, first, &err), 0);
	assert_int_equal(d.count, 6);
	assert_string_equal(d.list[0].key, "A");
	assert_string_equal(d.list[2].value, "3");
	wt_demands_clear(&d);
	free(second);
	second = file(dir, "b", "A=1\nInclude a\n");
	assert_int_equal(wt_demands_file(&d, first, &err), -1);
	assert_non_null(strstr(err.text, "a: that file includes this one"));
	assert_in_range(strlen(err.text), 1, 200);
	wt_demands_clear(&d);
	wt_fs_remove_tree(dir, NULL);
	free(first);
	free(second);
}

static void test_option(void **state)
{
	static const char *const bad[] = { "", "=", "+=x", "=x", "Key", "K-y=1", "9Key=1", "Key =1", "Key=a\nb", "Key=\x01",
					   "NodeName= x",
					   "NodeName=" };
	struct wt_demands d = { 0 };
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_demands_option(&d, "Epilog=\"/a=b c\"", NULL), 0);
	assert_int_equal(wt_demands_option(&d, "A+=1", NULL), 0);
	assert_int_equal(wt_demands_option(&d, "B=", NULL), 0);
	assert_true(d.list[0].option);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		assert_int_equal(wt_demands_option(&d, bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_true(err.text[0] != '\0');
	}
	expect(&d, "--set Epilog=/a=b c\n--set A+=1\n--set B=\n");
	wt_demands_clear(&d);
	wt_demands_clear(&d);
}

static void test_millions_of_lines(void **state)
{
	size_t lines = 100001, at = 0;
	char *text = malloc(lines * 4 + 1);
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	(void) state;
	assert_non_null(text);
	for (size_t i = 0; i < lines; i++, at += 4)
		memcpy(text + at, "a=1\n", 5);
	assert_int_equal(wt_demands_text(&d, text, "f", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "f:100001: more than 100000 settings");
	wt_demands_clear(&d);
	free(text);
}

static void test_may_include(void **state)
{
	static const struct { const char *text; bool may; } rows[] = {
		{ "", false }, { "SwitchName=s0 Nodes=n[0-3]\nSwitchName=top Switches=s0\n", false },
		{ "# include this\nSwitchName=s0 Nodes=n0 # include\n", false }, { "includ", false },
		{ "Include x\n", true },
		{ "A=b\n \v\tINCLUDE\tx", true }, { "Inc\\\nlude x", true }, { "Inc\\  \r\nlude x", true },
		{ "In\\clude x", true }, { "A=b \\\\\nInclude x", true }, { "A=\\#\\\nInclude x", true },
		{ "iinclude", true }, { "incinclude", true }, { "#\n#\ninclude", true },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wt_demands_may_include(rows[i].text) != rows[i].may)
			fail_msg("%s", rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_text_refuses),
		cmocka_unit_test(test_include), cmocka_unit_test(test_may_include),
		cmocka_unit_test(test_include_of_a_copy), cmocka_unit_test(test_include_ends),
		cmocka_unit_test(test_a_pipe_is_not_waited_for), cmocka_unit_test(test_include_circle),
		cmocka_unit_test(test_option), cmocka_unit_test(test_millions_of_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
