/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/cluster/conf/usage_state.h"
#include "lib/test_cmocka.h"

#define HEAD "account,user,raw_usage\n"

static void refused(const char *text, size_t len, const char *why)
{
	struct wt_error err = { "" };

	assert_int_equal(wt_usage_check("f", text, len, &err), -1);
	assert_int_equal(errno == EINVAL || errno == ERANGE, 1);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
}

static void test_check(void **state)
{
	(void) state;
	assert_int_equal(wt_usage_check("f", HEAD, strlen(HEAD), NULL), 0);
	assert_int_equal(wt_usage_check("f", HEAD "a,\"b,c\",1000000000000000000\n", strlen(HEAD) + 28, NULL), 0);
	refused("", 0, "f: it is empty");
	refused("account,user\na,b\n", 17, "f:1: its header is not");
	refused(HEAD "a,b\n", strlen(HEAD) + 4, "f:2: not ACCOUNT,USER");
	refused(HEAD "a,b,1\n,b,1\n", strlen(HEAD) + 11, "f:3: not ACCOUNT,USER");
	refused(HEAD "a,b,-1\n", strlen(HEAD) + 7, "f:2: raw_usage");
	refused(HEAD "a,b,1.5\n", strlen(HEAD) + 8, "f:2: raw_usage");
	refused(HEAD "a,b,1000000000000000001\n", strlen(HEAD) + 24, "f:2: raw_usage");
	refused(HEAD "a,b\0,1\n", strlen(HEAD) + 7, "f:2");
}

/* Shape: load_assoc_usage () of Slurm's src/common/assoc_mgr.c. */
static void test_file(void **state)
{
	static const char usage[] = HEAD "phys,ann,90\nphys,bob,0\nOpt,ANN,7\nopt,\"z|z\",1\ngone,ann,5\n";
	static const char associations[] = "1|root||\n2|root|root|\n3|phys||\n4|phys|ann|short\n5|phys|ann|\n"
					   "6|phys|ann|long\nx|opt|ann|\n7|opt|ann|p\n9|opt|ann|q\n8|phys|bob|\nbroken\n\n";
	static const char wanted[] = "\x26\0" "\0\0\0\0\0\0\x01\x02"
				     "\0\0\0\x05" "\0\0\0\x0a" "90.000000\0" "\0\0\0\0" "\0\0\0\0"
				     "\0\0\0\x07" "\0\0\0\x09" "7.000000\0" "\0\0\0\0" "\0\0\0";
	struct wt_usage_state s = { 0 };

	(void) state;
	assert_int_equal(wt_usage_state_make(&s, usage, associations, 38 << 8, 258, NULL), 0);
	assert_int_equal(s.bytes.len, sizeof(wanted));
	assert_memory_equal(s.bytes.text, wanted, sizeof(wanted));
	assert_int_equal(s.given, 4);
	assert_int_equal(s.taken, 2);
	assert_string_equal(s.missing, "opt/z|z");
	wt_usage_state_clear(&s);
	assert_int_equal(wt_usage_state_make(&s, HEAD, "", 1, 1, NULL), 0);
	assert_int_equal(s.bytes.len, 10);
	wt_usage_state_clear(&s);
	wt_usage_state_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_check), cmocka_unit_test(test_file) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
