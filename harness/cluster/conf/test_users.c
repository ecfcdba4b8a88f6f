/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/cluster/conf/users.h"
#include "lib/test_cmocka.h"

static const char *machine(uint32_t uid, void *arg)
{
	(void) arg;
	return uid == 33 ? "www-data" : uid == 700 ? "alice" : NULL;
}

static int read_both(struct wt_users *users, const char *passwd, const char *group, struct wt_error *errp)
{
	const struct wt_users_from from = {
		.passwd = { "passwd", passwd, passwd ? strlen(passwd) : 0 },
		.group = { "group", group, group ? strlen(group) : 0 },
		.caller = "me", .caller_group = "us", .caller_uid = 1000, .caller_gid = 100, .machine_name = machine,
	};

	return wt_users_read(users, &from, errp);
}

static void refused(const char *passwd, const char *group, const char *why)
{
	struct wt_error err = { "" };
	struct wt_users users;

	assert_int_equal(read_both(&users, passwd, group, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	assert_null(users.passwd);
	assert_null(users.group);
}

static void test_users_and_groups(void **state)
{
	struct wt_users users;

	(void) state;
	assert_int_equal(read_both(&users, "# site\n\nalice:secret:700:600:A:/home/a:/bin/sh\r\nbob.k:x:701:600:::\n",
				   "chem:x:600:\nphys:x:601:alice,,bob.k,carol,me\n", NULL), 0);
	assert_string_equal(users.passwd, "root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
			    "me:x:1000:100::/nonexistent:/usr/sbin/nologin\n"
			    "alice:x:700:600::/nonexistent:/usr/sbin/nologin\n"
			    "bob.k:x:701:600::/nonexistent:/usr/sbin/nologin\n");
	assert_string_equal(users.group, "root:x:0:\nchem:x:600:\nphys:x:601:alice,bob.k,me\nus:x:100:\n");
	assert_int_equal(users.user_count, 2);
	assert_int_equal(users.group_count, 2);
	assert_int_equal(users.members_unknown, 1);
	wt_users_clear(&users);
	wt_users_clear(&users);
}

static void test_nothing_is_the_caller_and_root(void **state)
{
	struct wt_users users;

	(void) state;
	assert_int_equal(read_both(&users, NULL, NULL, NULL), 0);
	assert_string_equal(users.passwd, "root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
			    "me:x:1000:100::/nonexistent:/usr/sbin/nologin\n");
	assert_string_equal(users.group, "root:x:0:\nus:x:100:\n");
	wt_users_clear(&users);
	/* The caller himself at the site, and the site's group of his group's name. */
	assert_int_equal(read_both(&users, "me:x:1000:7:::", "us:x:7:me", NULL), 0);
	assert_string_equal(users.passwd, "root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
			    "me:x:1000:100::/nonexistent:/usr/sbin/nologin\n");
	assert_string_equal(users.group, "root:x:0:\nus:x:7:me\n");
	wt_users_clear(&users);
}

/* A site's import numbers all its users anew, also the one who starts its cluster: he keeps his number, and his groups. */
static void test_caller_of_another_number(void **state)
{
	struct wt_users users;

	(void) state;
	assert_int_equal(read_both(&users, "a:x:5:6:::\nme:x:2000000001:7:::\n", "chem:x:7:a\nphys:x:6:\n", NULL), 0);
	assert_string_equal(users.passwd, "root:x:0:0::/nonexistent:/usr/sbin/nologin\n"
			    "me:x:1000:100::/nonexistent:/usr/sbin/nologin\n"
			    "a:x:5:6::/nonexistent:/usr/sbin/nologin\n");
	assert_string_equal(users.group, "root:x:0:\nchem:x:7:a,me\nphys:x:6:\nus:x:100:\n");
	assert_int_equal(users.user_count, 2);
	wt_users_clear(&users);
}

static void test_who_may_not_be_there(void **state)
{
	(void) state;
	refused("toor:x:0:0:::\n", NULL, "line 1: 'toor': 0 is root's number");
	refused("a:x:5:0:::\n", NULL, "0 is root's number");
	refused("root:x:5:5:::\n", NULL, "may be root");
	refused("me:x:5:5:::\nme:x:6:5:::\n", NULL, "line 2: 'me': this name stands here twice");
	refused("me:x:0:5:::\n", NULL, "0 is root's number");
	refused("you:x:1000:5:::\n", NULL, "your own number");
	refused("x:x:5:5:::\nweb:x:33:33:::\n", NULL, "line 2: 'web': his number is another user's");
	refused("a:x:5:5:::\na:x:6:5:::\n", NULL, "twice");
	refused("a:x:5:5:::\nb:x:5:5:::\n", NULL, "another one has this number");
	refused(NULL, "root:x:5:\n", "root's");
	refused(NULL, "wheel:x:0:\n", "0 is root's number");
	refused(NULL, "g:x:5:\ng:x:6:\n", "twice");
}

static void test_what_is_no_line(void **state)
{
	static const char nul[] = "a:x:5:5:::\n\0b:x:6:6:::\n";
	const struct wt_users_from from = {
		.passwd = { "f", nul, sizeof(nul) - 1 }, .caller = "me", .caller_uid = 1000, .caller_gid = 100,
	};
	struct wt_error err = { "" };
	struct wt_users users;

	(void) state;
	refused("a:x:5:5::\n", NULL, "seven fields");
	refused("a\nx:5:5:::\n", NULL, "line 1: 'a'");
	refused("a:x:5:5:::\nb:x:5:::::\n", NULL, "seven fields");
	refused("a b:x:5:5:::\n", NULL, "without blanks");
	refused("a,b:x:5:5:::\n", NULL, "without blanks");
	refused("a=b:x:5:5:::\n", NULL, "without blanks");
	refused("12:x:5:5:::\n", NULL, "digits alone");
	refused("-a:x:5:5:::\n", NULL, "begins with");
	refused("a\x1b[31m:x:5:5:::\n", NULL, "without blanks");
	refused("a:x:-1:5:::\n", NULL, "its number is none");
	refused("a:x:4294967294:5:::\n", NULL, "too large");
	refused(NULL, "g:x:5\n", "four fields");
	assert_int_equal(wt_users_read(&users, &from, &err), -1);
	assert_non_null(strstr(err.text, "f: it has a NUL after 11 bytes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users_and_groups), cmocka_unit_test(test_nothing_is_the_caller_and_root),
		cmocka_unit_test(test_caller_of_another_number),
		cmocka_unit_test(test_who_may_not_be_there), cmocka_unit_test(test_what_is_no_line),
	};

	return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
