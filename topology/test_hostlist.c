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
#include <cmocka.h>

#include "topology/hostlist.h"

#define MAX 1000

static struct wt_hostlist *parse(const char *text, struct wt_error *errp)
{
	return wt_hostlist_parse(text, strlen(text), MAX, errp);
}

/* text -> names, and names -> the same text again unless 'back' says otherwise. */
static const struct {
	const char *text, *names, *back;
} good[] = {
	{ "n0", "n0", NULL },
	{ "n[0-2]", "n0 n1 n2", NULL },
	{ "n[0-2,40],m3", "n0 n1 n2 n40 m3", NULL },
	{ "tux[0-1,12,18-20]", "tux0 tux1 tux12 tux18 tux19 tux20", NULL },
	{ "n[08-11]", "n08 n09 n10 n11", NULL },
	{ "n[098-101]", "n098 n099 n100 n101", NULL },
	{ "n[9-10]", "n9 n10", NULL },
	{ "n0,n1,n2", "n0 n1 n2", "n[0-2]" },
	{ "n[5]", "n5", "n5" },
	{ "n[3,1,2]", "n3 n1 n2", "n[3,1-2]" },
	{ "n1,n01", "n1 n01", NULL },
	{ "n[00-01],n[2-3]", "n00 n01 n2 n3", NULL },
	{ "login", "login", NULL },
	{ "r[0-1]n[0-1]", "r0n0 r0n1 r1n0 r1n1", "r0n[0-1],r1n[0-1]" },
	{ "rack[0-1]_blade[08-09]", "rack0_blade08 rack0_blade09 rack1_blade08 rack1_blade09",
	  "rack0_blade[08-09],rack1_blade[08-09]" },
	{ "n[1-2]-ib", "n1-ib n2-ib", "n1-ib,n2-ib" },
	{ "n[0-1],n[0-1]", "n0 n1 n0 n1", "n[0-1,0-1]" },
	{ "x1234567890123456", "x1234567890123456", NULL },
	{ "n[99-100]", "n99 n100", NULL },
	{ "n[099-0100]", "n099 n100", "n[099-100]" },
	{ "5", "5", NULL },
	{ "[0-1]", "0 1", NULL },
};

static void test_good_lists(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const char *names[MAX];
		char joined[1024] = "", *back;
		struct wt_error err;
		struct wt_hostlist *hl = parse(good[i].text, &err);

		if (!hl)
			fail_msg("%s: %s", good[i].text, err.text);
		for (size_t n = 0; n < wt_hostlist_count(hl); n++) {
			names[n] = wt_hostlist_name(hl, n);
			strcat(strcat(joined, n ? " " : ""), names[n]);
		}
		assert_string_equal(joined, good[i].names);
		back = wt_hostlist_format(names, wt_hostlist_count(hl), &err);
		assert_non_null(back);
		assert_string_equal(back, good[i].back ? good[i].back : good[i].text);
		free(back);
		wt_hostlist_destroy(hl);
	}
}

static const struct {
	const char *text;
	int errnum;
	const char *what;
} bad[] = {
	{ ",", EINVAL, "a name is missing at character 1" },
	{ "a,", EINVAL, "a name is missing at character 3" },
	{ "a,,b", EINVAL, "a name is missing" },
	{ "n[", EINVAL, "a number is missing" },
	{ "n[]", EINVAL, "a number is missing" },
	{ "n[1", EINVAL, "']' is missing" },
	{ "n[1-", EINVAL, "a number is missing" },
	{ "n[1-]", EINVAL, "a number is missing" },
	{ "n[-1]", EINVAL, "a number is missing" },
	{ "n[3-1]", EINVAL, "backwards" },
	{ "n[1-2-3]", EINVAL, "in brackets" },
	{ "n[a]", EINVAL, "a number is missing" },
	{ "n[1;2]", EINVAL, "in brackets" },
	{ "n]", EINVAL, "no name may have" },
	{ "n 1", EINVAL, "no name may have" },
	{ "n[[1]]", EINVAL, "a number is missing" },
	{ "n[1234567890123456]", EINVAL, "too many digits" },
	{ "n[0-4000000000]", E2BIG, "too many names" },
	{ "n[0-999999999999999]", E2BIG, "too many names" },
	{ "n[0-1000]", E2BIG, "too many names" },
	{ "n[0-99]x[0-99]", E2BIG, "too many names" },
	{ "n[0-999],m", E2BIG, "too many names" },
	{ "a[0-1]b[0-1]c[0-1]d[0-1]e[0-1]f[0-1]g[0-1]h[0-1]i[0-1]", EINVAL, "too many brackets" },
};

static void test_bad_lists(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_error err = { "" };

		errno = 0;
		assert_null(parse(bad[i].text, &err));
		if (errno != bad[i].errnum || !strstr(err.text, bad[i].what))
			fail_msg("'%s' gave errno %d, '%s'", bad[i].text, errno, err.text);
		assert_null(parse(bad[i].text, NULL));
	}
}

static void test_boundaries(void **state)
{
	char name[WT_HOSTLIST_NAME_MAX + 2], bracket[WT_HOSTLIST_NAME_MAX + 4];
	struct wt_hostlist *hl;
	struct wt_error err;

	(void) state;
	hl = parse("n[0-999]", &err);
	assert_int_equal(wt_hostlist_count(hl), MAX);
	assert_string_equal(wt_hostlist_name(hl, MAX - 1), "n999");
	assert_null(wt_hostlist_name(hl, MAX));
	wt_hostlist_destroy(hl);

	memset(name, 'a', sizeof(name));
	name[WT_HOSTLIST_NAME_MAX] = '\0';
	hl = parse(name, &err);
	assert_string_equal(wt_hostlist_name(hl, 0), name);
	wt_hostlist_destroy(hl);
	name[WT_HOSTLIST_NAME_MAX] = 'a';
	assert_null(wt_hostlist_parse(name, sizeof(name) - 1, MAX, &err));
	snprintf(bracket, sizeof(bracket), "%.*s[9]", WT_HOSTLIST_NAME_MAX, name);
	assert_null(parse(bracket, &err));
	assert_non_null(strstr(err.text, "255"));
}

static void test_null_and_empty(void **state)
{
	const char *empty[] = { "" }, *holes[] = { "a", NULL }, *odd[] = { "a[b" };
	struct wt_error err;

	(void) state;
	assert_null(wt_hostlist_parse(NULL, 3, MAX, &err));
	assert_null(wt_hostlist_parse("", 0, MAX, NULL));
	assert_null(wt_hostlist_parse("a\0b", 3, MAX, &err));
	assert_int_equal(wt_hostlist_count(NULL), 0);
	assert_null(wt_hostlist_name(NULL, 0));
	errno = EIO;
	wt_hostlist_destroy(NULL);
	assert_int_equal(errno, EIO);
	assert_null(wt_hostlist_format(NULL, 0, &err));
	assert_null(wt_hostlist_format(empty, 0, &err));
	assert_null(wt_hostlist_format(empty, 1, &err));
	assert_null(wt_hostlist_format(holes, 2, NULL));
	assert_null(wt_hostlist_format(odd, 1, &err));
}

/* Property: whatever names there are, writing and reading gives them back, in their order. */
static void test_round_trip(void **state)
{
	static const char *const prefixes[] = { "n", "m", "node-", "r1n", "" };
	static const char *const formats[] = { "%s%u", "%s%02u", "%s%05u", "%s%ux" };
	unsigned int seed = 7;

	(void) state;
	for (int round = 0; round < 2000; round++) {
		char store[40][32], *text;
		const char *names[40];
		struct wt_hostlist *hl;
		struct wt_error err;
		size_t count = 1 + rand_r(&seed) % 40;

		for (size_t i = 0; i < count; i++) {
			unsigned int number = i && rand_r(&seed) % 3 ? i + 95 : (unsigned int) rand_r(&seed) % 120;
			const char *format = formats[rand_r(&seed) % 8 ? round % 4 : rand_r(&seed) % 4];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
			snprintf(store[i], sizeof(store[i]), format, prefixes[(round + rand_r(&seed) % 2) % 5],
				 number);
#pragma GCC diagnostic pop
			names[i] = store[i];
		}
		text = wt_hostlist_format(names, count, &err);
		assert_non_null(text);
		hl = parse(text, &err);
		if (!hl || wt_hostlist_count(hl) != count)
			fail_msg("'%s' is not read back: %s", text, err.text);
		for (size_t i = 0; i < count; i++)
			assert_string_equal(wt_hostlist_name(hl, i), names[i]);
		wt_hostlist_destroy(hl);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_lists),
		cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_null_and_empty),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
