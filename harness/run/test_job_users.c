/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/run/job_users.h"

#define UID 3900001111U		/* nobody's on this machine, as are the numbers next to it */
#define GID 3900002222U

static void file_write(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

/* A cluster's folder with a user of its own, in the working folder. */
static int folder_make(void **state)
{
	static char dir[] = "test_job_users.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("etc", 0700) < 0)
		return -1;
	file_write("etc/passwd", "root:x:0:0:::\nwt-ann:x:3900001111:3900002222::/:/bin/sh\n");
	file_write("etc/group", "wt-team:x:3900002223:\nwt-wheel:x:0:\n");
	*state = dir;
	return 0;
}

static int folder_drop(void **state)
{
	unlink("etc/passwd");
	unlink("etc/group");
	rmdir("etc");
	return chdir("..") < 0 ? -1 : rmdir(*state);
}

static struct wt_job_users found(const char *user, const char *group, bool may)
{
	struct wt_error err;
	struct wt_workload *w = wt_workload_create("w", 1, &err);
	struct wt_job_users u;

	assert_non_null(w);
	w->jobs[0].ask = wt_job_ask_create();
	assert_non_null(w->jobs[0].ask);
	assert_int_equal(wt_job_ask_text_set(w->jobs[0].ask, WT_ASK_USER, user), 0);
	assert_int_equal(wt_job_ask_text_set(w->jobs[0].ask, WT_ASK_GROUP, group), 0);
	assert_int_equal(wt_job_users_find(&u, w, ".", may, &err), 0);
	wt_workload_destroy(w);
	return u;
}

static void test_users(void **state)
{
	static const struct { const char *name; uid_t uid; bool unknown; } cases[] = {
		{ "wt-ann", UID, false }, { "3900001111", UID, false }, { "root", 0, false },
		/* of this machine, and none of the cluster's */
		{ "daemon", 0, true }, { "1", 0, true }, { "3900001112", 0, true }, { "wt-nobody", 0, true },
		{ "03900001111", 0, true }, { "00", 0, true }, { "-1", 0, true }, { "4294967295", 0, true },
		{ "99999999999999999999", 0, true },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_job_users u = found(cases[i].name, NULL, true);

		assert_int_equal(u.named, 1);
		assert_int_equal(u.unknown, cases[i].unknown);
		assert_int_equal(u.users[0].uid, cases[i].unknown ? getuid() : cases[i].uid);
		assert_string_equal(u.first_unknown, cases[i].unknown ? cases[i].name : "");
		wt_job_users_clear(&u);
	}
}

static void test_groups(void **state)
{
	static const struct { const char *user, *group; gid_t gid; size_t unknown, refused; } cases[] = {
		{ "wt-ann", NULL, GID, 0, 0 }, { "wt-ann", "wt-team", GID + 1, 0, 0 },
		{ "wt-ann", "3900002223", GID + 1, 0, 0 },
		{ "wt-ann", "3900002229", GID, 1, 0 }, { "wt-ann", "wt-none", GID, 1, 0 },
		{ "wt-ann", "03900002223", GID, 1, 0 }, { "wt-ann", "00", GID, 1, 0 },
		{ "wt-ann", "0", GID, 0, 1 }, { "wt-ann", "wt-wheel", GID, 0, 1 }, { "root", "0", 0, 0, 0 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_job_users u = found(cases[i].user, cases[i].group, true);

		assert_int_equal(u.unknown, 0);
		assert_int_equal(u.users[0].gid, cases[i].gid);
		assert_int_equal(u.groups_unknown, cases[i].unknown);
		assert_int_equal(u.groups_refused, cases[i].refused);
		wt_job_users_clear(&u);
	}
}

static void test_limits_are_not_passed(void **state)
{
	struct wt_job_users unknown = found("wt-nobody", NULL, true), known = found("wt-ann", NULL, true);
	struct wt_job_users callers = found("wt-nobody", NULL, false);
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_job_users_check(&unknown, false, &err), 0);
	assert_int_equal(wt_job_users_check(&known, true, &err), 0);
	assert_int_equal(wt_job_users_check(&callers, true, &err), 0);	/* jobs are the caller's, and held to his limits */
	assert_int_equal(wt_job_users_check(&unknown, true, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "1 jobs are of users whom nobody knows, the first: wt-nobody;"));
	wt_job_users_clear(&unknown);
	wt_job_users_clear(&known);
	wt_job_users_clear(&callers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_users), cmocka_unit_test(test_groups), cmocka_unit_test(test_limits_are_not_passed),
	};

	return cmocka_run_group_tests_name("job_users", tests, folder_make, folder_drop);
}
