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
#include <cmocka.h>

#include "lib/options.h"

struct child_arguments {
	const char *name, *rest;
	int count;
};

static error_t child_parse(int key, char *arg, struct argp_state *state)
{
	struct child_arguments *in = state->input;

	if (key != 'r')
		return ARGP_ERR_UNKNOWN;
	in->rest = arg;
	return 0;
}

static error_t root_parse(int key, char *arg, struct argp_state *state)
{
	struct child_arguments *in = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = in;
		return 0;
	case 'n':
		in->name = arg;
		return 0;
	case ARGP_KEY_ARG:
		in->count++;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option child_options[] = {
	{ 0, 0, 0, 0, "Heading:", 1 },
	{ "rest", 'r', "TEXT", WT_OPTION_RARE, "what few people want", 1 },
	{ 0 }
};
static const struct argp child = { .options = child_options, .parser = child_parse };
static const struct argp_child children[] = { { &child, 0, "The child:", 2 }, { 0 } };
static const struct argp_option root_options[] = {
	{ "name", 'n', "TEXT", 0, "give it a name, which is long enough to need two lines in the full help (default: none)",
	  0 },
	{ "kind", 'k', "KIND", 0, "what kind it is of (plain; or any other; see below) for all that follows; and more",
	  0 },
	{ "last", 'l', "TEXT", 0, "what is said at the end of all, or at its beginning, or not at all (once; or twice)", 0 },
	{ 0 }
};
static const struct argp root = { root_options, root_parse, "WORD...", "Do something.\vMore.", children, NULL, NULL };

/* What is printed on stdout (or 'fd') while 'argv' is parsed; the caller frees it. */
static char *said(int fd, int argc, char **argv, struct child_arguments *in, error_t *rc)
{
	char *text = calloc(1, 8192);
	FILE *file = tmpfile();
	int saved = dup(fd);
	size_t len;

	assert_non_null(text);
	assert_non_null(file);
	fflush(NULL);
	dup2(fileno(file), fd);
	memset(in, 0, sizeof(*in));
	*rc = wt_options_parse(&root, argc, argv, ARGP_NO_EXIT, in);
	fflush(NULL);
	dup2(saved, fd);
	close(saved);
	rewind(file);
	len = fread(text, 1, 8191, file);
	text[len] = '\0';
	fclose(file);
	return text;
}

#define SAID(fd, ...) said(fd, sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *), (char *[]){ __VA_ARGS__, NULL }, &in, &rc)

static void test_parses_as_argp(void **state)
{
	struct child_arguments in;
	error_t rc;
	char *text = SAID(1, "t", "--name", "--rest", "a", "-r", "-h", "b", "--", "--help");

	(void) state;
	assert_int_equal(rc, 0);
	assert_string_equal(text, "");
	assert_string_equal(in.name, "--rest");		/* an option's argument, whatever it looks like */
	assert_string_equal(in.rest, "-h");
	assert_int_equal(in.count, 3);
	free(text);
}

static void test_short_help(void **state)
{
	static char *const asks[] = { "--help", "-h", "-?", "--hel" };
	struct child_arguments in;
	error_t rc;

	(void) state;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		char *text = SAID(1, "t", asks[i]);

		assert_int_equal(rc, ECANCELED);
		assert_non_null(strstr(text, "Usage: t [OPTION...] WORD..."));
		assert_non_null(strstr(text, "--name=TEXT"));
		assert_null(strstr(text, "none)"));
		assert_non_null(strstr(text, "(plain; or any other; see below)\n"));
		assert_non_null(strstr(text, " for all that follows\n"));
		assert_non_null(strstr(text, "or not at all\n"));
		assert_null(strstr(text, "--rest"));
		assert_null(strstr(text, "Heading"));
		assert_null(strstr(text, "The child"));
		assert_non_null(strstr(text, "More.\n1 more option"));
		free(text);
	}
}

static void test_whole_help(void **state)
{
	struct child_arguments in;
	error_t rc;
	char *text = SAID(1, "t", "--help=all");

	(void) state;
	assert_int_equal(rc, ECANCELED);
	assert_non_null(strstr(text, "none)"));
	assert_non_null(strstr(text, "--rest=TEXT"));
	assert_non_null(strstr(text, "Heading:"));
	assert_null(strstr(text, "more option"));
	free(text);
}

static void test_unknown_option(void **state)
{
	struct child_arguments in;
	error_t rc;
	char *text = SAID(2, "t", "--nmae=x");

	(void) state;
	assert_int_equal(rc, EINVAL);
	assert_string_equal(text, "t: '--nmae' is not an option; did you mean '--name'?; see 't --help'\n");
	free(text);
	text = SAID(2, "t", "--frobnicate");
	assert_string_equal(text, "t: '--frobnicate' is not an option; see 't --help'\n");
	free(text);
}

static void test_narrow_help(void **state)
{
	struct child_arguments in;
	error_t rc;
	char *text, *line;

	(void) state;
	setenv("COLUMNS", "40", 1);
	unsetenv("ARGP_HELP_FMT");
	text = SAID(1, "t", "--help=all");
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_in_range(strlen(line), 1, 40);
	free(text);
	unsetenv("COLUMNS");
	unsetenv("ARGP_HELP_FMT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parses_as_argp),
		cmocka_unit_test(test_short_help),
		cmocka_unit_test(test_whole_help),
		cmocka_unit_test(test_unknown_option),
		cmocka_unit_test(test_narrow_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
