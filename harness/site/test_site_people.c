/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/conf/users.h"
#include "harness/site/account_commands.h"
#include "harness/site/people.h"
#include "lib/fs.h"
#include "lib/test_cmocka.h"

static void test_people(void **state)
{
	static const char *const bad[] = { "", "root", "a:b", "a,b", "a b", "a\nb", "+nis", "-x", "a/b", "j\xc3\xb6rg" };
	struct wt_people p = { 0 };
	char *passwd, *group;

	(void) state;
	assert_int_equal(wt_people_init(&p, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wt_people_user(&p, bad[i], NULL, NULL), 1);
	assert_int_equal(wt_people_user(&p, "zoe", NULL, NULL), 0);
	assert_int_equal(wt_people_user(&p, "ann", NULL, NULL), 0);
	assert_int_equal(wt_people_user(&p, "ann", "chem", NULL), 0);
	assert_int_equal(wt_people_user(&p, "ann", "phys", NULL), 0);	/* the first that is told stays */
	assert_int_equal(wt_people_member(&p, "gpu", "zoe", NULL), 0);
	assert_int_equal(wt_people_member(&p, "gpu", "ann", NULL), 0);
	passwd = wt_people_passwd(&p);
	group = wt_people_groups(&p);
	assert_string_equal(passwd, "ann:x:2000000001:2000000001::/:/bin/sh\nzoe:x:2000000002:2000000003::/:/bin/sh\n");
	assert_string_equal(group, "chem:x:2000000001:\ngpu:x:2000000002:ann,zoe\nzoe:x:2000000003:\n");
	free(passwd);
	free(group);
	wt_people_clear(&p);
}

/* What a cluster refuses is not written: digits alone are what sacct prints for a group that was deleted. */
static void test_names_that_a_cluster_refuses(void **state)
{
	static const char *const bad[] = { "54321", "a\"b", "a'b", "a=b", "a\\b", "\xff" };
	struct wt_people p = { 0 };
	struct wt_users users;
	char *passwd, *group;

	(void) state;
	assert_int_equal(wt_people_init(&p, NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_people_user(&p, bad[i], NULL, NULL), 1);
		assert_int_equal(wt_people_user(&p, "ann", bad[i], NULL), 0);
		assert_int_equal(wt_people_member(&p, "chem", bad[i], NULL), 1);
	}
	assert_int_equal(wt_people_user(&p, "root", "root", NULL), 1);
	assert_int_equal(json_object_size(p.refused), 6);
	passwd = wt_people_passwd(&p);
	group = wt_people_groups(&p);
	assert_string_equal(passwd, "ann:x:2000000001:2000000001::/:/bin/sh\n");
	assert_int_equal(wt_users_read(&users, &(struct wt_users_from) {
		.passwd = { "p", passwd, strlen(passwd) }, .group = { "g", group, strlen(group) },
		.caller = "ann", .caller_uid = 1000, .caller_gid = 1000 }, NULL), 0);
	wt_users_clear(&users);
	free(passwd);
	free(group);
	wt_people_clear(&p);
}

static void test_aliases(void **state)
{
	struct wt_aliases a = { .key = { 1 } }, b = { .key = { 2 } };
	char *one = wt_alias(&a, WT_ALIAS_USER, "ann"), *two = wt_alias(&a, WT_ALIAS_ACCOUNT, "ann");
	char *three = wt_alias(&b, WT_ALIAS_USER, "ann"), *list = wt_alias_list(&a, WT_ALIAS_USER, "root,+ann");
	char *same = wt_alias(NULL, WT_ALIAS_USER, "ann");
	char want[64];

	(void) state;
	assert_int_equal(strlen(one), 13);
	assert_int_equal(one[0], 'u');
	assert_int_equal(two[0], 'a');
	assert_string_not_equal(one + 1, two + 1);
	assert_string_not_equal(one, three);
	snprintf(want, sizeof(want), "root,+%s", one);
	assert_string_equal(list, want);
	assert_string_equal(same, "ann");
	free(one);
	free(two);
	free(three);
	free(list);
	free(same);
}

static void test_key(void **state)
{
	char folder[] = "/tmp/wt-test-XXXXXX", path[64];
	struct wt_aliases made, again;
	struct wt_error err;
	struct stat st;

	(void) state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/key", folder);
	assert_int_equal(wt_aliases_open(&made, path, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(wt_aliases_open(&again, path, &err), 0);
	assert_memory_equal(made.key, again.key, sizeof(made.key));
	assert_int_equal(wt_fs_write(path, "0123\n", 5, 0600, &err), 0);
	assert_int_equal(wt_aliases_open(&again, path, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_aliases_open(&again, folder, &err), -1);
	wt_fs_remove_tree(folder, NULL);
}

/* What becomes of accounts, and with which users. */
static void accounts(const char *text, const struct wt_aliases *aliases, const char *want, const char *users)
{
	struct wt_people p = { 0 };
	struct wt_account_commands c = { .cluster = "lab", .aliases = aliases, .people = &p };
	struct wt_error err = { "" };
	char *passwd;

	assert_int_equal(wt_people_init(&p, NULL), 0);
	if (wt_account_commands_add(&c, "f", text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(c.text.text ? c.text.text : "", want);
	passwd = wt_people_passwd(&p);
	for (char *line = passwd; *line; line = strchr(line, '\n') + 1)
		assert_non_null(strstr(users, strndupa(line, strcspn(line, ":"))));
	free(passwd);
	wt_account_commands_clear(&c);
	wt_people_clear(&p);
}

static void test_script(void **state)
{
	(void) state;
	accounts("# a\nsacctmgr -i add cluster Name=x Fairshare=1\nadd account a,b parent=root Description=\"two; words\"\n"
		 "add user ann,bob account=a DefaultAccount=a\nmodify user where name=ann set qos+=high\nlist user\n", NULL,
		 "modify cluster where name=lab set Fairshare=1\nadd account a,b parent=root Description='two; words'\n"
		 "add user ann,bob account=a DefaultAccount=a\nmodify user where name=ann set qos+=high\n", "ann bob");
}

static void test_dump(void **state)
{
	(void) state;
	accounts("# To edit\nCluster - 'x':Fairshare=1:QOS='normal'\nParent - 'root'\n"
		 "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1\n"
		 "Account - 'a':Description='a: b':Organization='o':Fairshare=3\nParent - 'a'\n"
		 "User - 'ann':DefaultAccount='b':QOS='high,normal'\nAccount - 'b'\nParent - 'b'\n"
		 "User - 'ann':DefaultAccount='b':Coordinator='a':MaxJobs=4\n", NULL,
		 "add cluster name=x Fairshare=1 QOS=normal\nadd account name=a parent=root Description='a: b' "
		 "Organization=o Fairshare=3\nadd qos name=high\nadd account name=b parent=a\n"
		 "modify user where name=root account=root set Fairshare=1\n"
		 "add user name=ann account=b DefaultAccount=b MaxJobs=4\nadd coordinator account=a name=ann\n"
		 "add user name=ann account=a QOS=high,normal\n", "ann");
}

/* A value that no command can have costs itself alone. */
static void test_dump_values(void **state)
{
	static const char text[] = "Cluster - 'x'\nParent - 'root'\n"
		"User - 'root':DefaultAccount='root':GrpJobs='$':Fairshare=1\n"
		"Account - 'a':Description='50$ \"group\"':Organization='a\\b':Fairshare=3:GrpTRES='cpu=9'\n";
	struct wt_people p = { 0 };
	struct wt_account_commands c = { .cluster = "lab", .people = &p };

	(void) state;
	assert_int_equal(wt_people_init(&p, NULL), 0);
	assert_int_equal(wt_account_commands_add(&c, "f", text, strlen(text), NULL), 0);
	assert_string_equal(c.text.text, "add account name=a parent=root Fairshare=3 GrpTRES=cpu=9\n"
			    "modify user where name=root account=root set Fairshare=1\n");
	assert_int_equal(json_object_size(c.left_out), 1);
	assert_int_equal(json_integer_value(json_object_iter_value(json_object_iter(c.left_out))), 3);
	wt_account_commands_clear(&c);
	wt_people_clear(&p);
}

static void test_dump_bad(void **state)
{
	static const char *const bad[] = {
		"Cluster - 'x\n", "Cluster - 'x':a\n", "Cluster - 'x':Fairshare='1\n", "Cluster - 'x':QOS='a'b\n",
		"Cluster - 'x'\nParent - ''\n", "Cluster - 'x'\nAccount - 'a`b'\n", "Cluster - 'x':1=2\n",
		"Cluster - 'x'\nAccount - 'a':QOS='\xff'\n",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_people p = { 0 };
		struct wt_account_commands c = { .cluster = "lab", .people = &p };
		struct wt_error err = { "" };

		assert_int_equal(wt_people_init(&p, NULL), 0);
		assert_int_equal(wt_account_commands_add(&c, "f", bad[i], strlen(bad[i]), &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "f: line "));
		wt_account_commands_clear(&c);
		wt_people_clear(&p);
	}
}

static void test_accounts_renamed(void **state)
{
	const struct wt_aliases a = { .key = { 1 } };
	char *ann = wt_alias(&a, WT_ALIAS_USER, "ann"), *phys = wt_alias(&a, WT_ALIAS_ACCOUNT, "phys"), want[256];

	(void) state;
	snprintf(want, sizeof(want), "add account name=%s parent=root\nadd user name=%s account=%s defaultaccount=%s\n",
		 phys, ann, phys, phys);
	accounts("add account name=phys parent=root organization=secret\n"
		 "add user name=ann account=phys defaultaccount=phys\n", &a, want, ann);
	free(ann);
	free(phys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_people), cmocka_unit_test(test_names_that_a_cluster_refuses),
		cmocka_unit_test(test_aliases), cmocka_unit_test(test_key),
		cmocka_unit_test(test_script), cmocka_unit_test(test_dump), cmocka_unit_test(test_dump_values),
		cmocka_unit_test(test_dump_bad),
		cmocka_unit_test(test_accounts_renamed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
