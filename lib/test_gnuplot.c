/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How gnuplot is called, and what is told of its end: with a script of that name first in PATH. */
#include "config.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/gnuplot.h"
#include "lib/test_cmocka.h"

static char dir[] = "/tmp/wt-test-gnuplot.XXXXXX";

static int group_setup(void **state)
{
	char path[256];

	(void) state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s:/usr/bin:/bin", dir);
	return setenv("PATH", path, 1);
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

/* The folder's gnuplot does this from now on. */
static void gnuplot_does(const char *what)
{
	char path[sizeof(dir) + 16], text[256];

	snprintf(path, sizeof(path), "%s/gnuplot", dir);
	snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", what);
	assert_int_equal(wt_fs_write(path, text, strlen(text), 0755, NULL), 0);
}

/* Of the script "plot": what it drew is in 'text'. */
static int drawn(const char *where, char text[64], struct wt_error *error)
{
	FILE *script = tmpfile(), *out = tmpfile();
	int rc, saved_errno;

	assert_true(script && out);
	fputs("plot\n", script);
	rc = gnuplot_run(script, out, where, "take --csv", error);
	saved_errno = errno;
	rewind(out);
	memset(text, 0, 64);
	assert_true(fread(text, 1, 63, out) < 63);
	fclose(script);
	fclose(out);
	errno = saved_errno;
	return rc;
}

static void test_quotes(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	assert_non_null(out);
	gnuplot_quote(out, "a \"b\" \\ `rm x`\n\t\xc3\xa9");
	gnuplot_quote(out, "");
	fclose(out);
	assert_string_equal(text, "\"a \\\"b\\\" \\\\ 'rm x'  \xc3\xa9\"\"\"");
	free(text);
}

static void test_draws(void **state)
{
	struct wt_error error;
	char text[64], want[64];

	(void) state;
	gnuplot_does("cat");
	assert_int_equal(drawn(NULL, text, &error), 0);
	assert_string_equal(text, "plot\n");
	gnuplot_does("pwd");
	assert_int_equal(drawn(dir, text, &error), 0);
	snprintf(want, sizeof(want), "%s\n", dir);
	assert_string_equal(text, want);
}

static void test_fails(void **state)
{
	struct wt_error error;
	char text[64];

	(void) state;
	gnuplot_does("exit 3");
	assert_int_equal(drawn(NULL, text, &error), -1);
	assert_int_equal(errno, EIO);
	assert_string_equal(error.text, "gnuplot failed with exit status 3; it says above why");
	gnuplot_does("kill -9 $$");
	assert_int_equal(drawn(NULL, text, &error), -1);
	assert_int_equal(errno, EIO);
	assert_string_equal(error.text, "gnuplot was ended by signal 9");
	gnuplot_does("exit 127");
	assert_int_equal(drawn(NULL, text, &error), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_none(void **state)
{
	char *path = strdup(getenv("PATH")), text[64];
	struct wt_error error;

	(void) state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(drawn(NULL, text, &error), -1);
	assert_int_equal(errno, ENOENT);
	/* Where a program's start is emulated, as valgrind does, its failure is heard of from the child only. */
	if (!strstr(error.text, "could not be started"))
		assert_non_null(strstr(error.text, "gnuplot-nox, or take --csv"));
	setenv("PATH", path, 1);
	free(path);
}

static int synced(const char *name, const char *text, size_t len, struct wt_error *error)
{
	char path[sizeof(dir) + 16];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(wt_fs_write(path, text, len, 0644, NULL), 0);
	return gnuplot_picture_sync(path, error);
}

static void test_whole_pictures(void **state)
{
	static const char png[] = "\x89PNG\0\0\0\0IEND\xae\x42\x60\x82";
	char many[400];

	(void) state;
	assert_int_equal(synced("a.svg", "<svg></svg>\n\n", 13, NULL), 0);
	assert_int_equal(synced("a.pdf", "%PDF-1.5\n%%EOF\n", 15, NULL), 0);
	assert_int_equal(synced("a.png", png, sizeof(png) - 1, NULL), 0);
	memset(many, 'x', sizeof(many));
	memcpy(many + sizeof(many) - 6, "</svg>", 6);
	assert_int_equal(synced("long.svg", many, sizeof(many), NULL), 0);
}

static void test_cut_pictures(void **state)
{
	static const char png[] = "\x89PNG\0\0\0\0IEND\xae\x42\x60";
	static const char *const names[] = { "a.svg", "a.pdf", "a.png", "a.gif", "none" };
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(synced(names[i], "", 0, &error), -1);
		assert_int_equal(errno, EIO);
		assert_string_equal(error.text, "gnuplot did not write all of it; is the disk full?");
	}
	assert_int_equal(synced("a.svg", "<svg></svg", 10, NULL), -1);
	assert_int_equal(synced("a.svg", "</svg>\0", 7, NULL), -1);
	assert_int_equal(synced("a.svg", "\n", 1, NULL), -1);
	assert_int_equal(synced("a.pdf", "%PDF-1.5\n%%EO", 13, NULL), -1);
	assert_int_equal(synced("a.png", png, sizeof(png) - 1, NULL), -1);
	assert_int_equal(gnuplot_picture_sync("/nonexistent/a.svg", &error), -1);
	assert_int_equal(errno, ENOENT);
}

/* Of the script "plot", through gnuplot_svg (); EIO where the picture is cut. */
static int svg_drawn(FILE *out, struct wt_error *error)
{
	FILE *script = tmpfile();
	int rc, saved_errno;

	assert_non_null(script);
	fputs("plot\n", script);
	rc = gnuplot_svg(script, out, "take --csv", error);
	saved_errno = errno;
	fclose(script);
	errno = saved_errno;
	return rc;
}

static void test_svg_whole(void **state)
{
	FILE *out = tmpfile();
	struct wt_error error;
	char text[64] = "";

	(void) state;
	gnuplot_does("echo '<svg> </svg>'");
	assert_int_equal(svg_drawn(out, &error), 0);
	rewind(out);
	assert_non_null(fgets(text, sizeof(text), out));
	assert_string_equal(text, "<svg> </svg>\n");
	fclose(out);
}

static void test_svg_cut(void **state)
{
	static const char *const cut[] = { "echo '<svg> </sv'", ":", "printf '</svg'", "exit 3" };
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		FILE *out = tmpfile();

		assert_non_null(out);
		gnuplot_does(cut[i]);
		assert_int_equal(svg_drawn(out, &error), -1);
		assert_int_equal(errno, EIO);
		assert_int_equal(ftell(out), 0);
		fclose(out);
	}
}

/* Where the picture goes there is no room: the stream tells it, at once or when its buffer is written. */
static void test_svg_full(void **state)
{
	FILE *out = fopen("/dev/full", "w");
	struct wt_error error;

	(void) state;
	assert_non_null(out);
	gnuplot_does("head -c 100000 /dev/zero; echo '</svg>'");
	assert_true(svg_drawn(out, &error) < 0 || fflush(out) != 0);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quotes), cmocka_unit_test(test_draws), cmocka_unit_test(test_fails),
		cmocka_unit_test(test_none), cmocka_unit_test(test_whole_pictures), cmocka_unit_test(test_cut_pictures),
		cmocka_unit_test(test_svg_whole),
		cmocka_unit_test(test_svg_cut),
		cmocka_unit_test(test_svg_full),
	};

	return cmocka_run_group_tests_name("gnuplot", tests, group_setup, group_teardown);
}
