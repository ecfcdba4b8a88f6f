/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/conf/accounts.h"

static void expect(const char *text, const char *want)
{
	struct wt_accounts a = { .cluster = "c" };
	struct wt_error err = { "" };

	if (wt_accounts_add(&a, "f", text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(a.commands.text ? a.commands.text : "", want);
	wt_accounts_clear(&a);
}

static void bytes_refused(const char *text, size_t len, const char *why)
{
	struct wt_accounts a = { .cluster = "c" };
	struct wt_error err = { "" };

	assert_int_equal(wt_accounts_add(&a, "f", text, len, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	wt_accounts_clear(&a);
}

static void refused(const char *text, const char *why)
{
	bytes_refused(text, strlen(text), why);
}

static void test_script(void **state)
{
	(void) state;
	expect("", "");
	expect("# nothing\n\n  \n", "");
	expect("add account a\r\n\tmod user u set qos=x\n", "add account a\nmod user u set qos=x\n");
	expect("sacctmgr -i -Q add account 'a b' org=\"x;y\"", "add account 'a b' org=\"x;y\"\n");
	expect("/opt/slurm/bin/sacctmgr -i add \\\n account a\n", "add account a\n");
	expect("sacctmgr -i\n", "");
}

static void test_the_cluster_is_this_one(void **state)
{
	(void) state;
	expect("add cluster micro\n", "");
	expect("add cluster Name=micro Fairshare=1 QOS=normal\n",
	       "modify cluster where name=c set Fairshare=1 QOS=normal\n");
	expect("add account a cluster=micro Clusters=x\n", "add account a cluster=c Clusters=c\n");
	expect("modify cluster where name=micro set qos+=x\n", "modify cluster where name=c set qos+=x\n");
	expect("add user name=u account=a\n", "add user name=u account=a\n");
}

static void test_not_taken(void **state)
{
	(void) state;
	refused("shutdown\n", "'shutdown' is no command");
	refused("add account a\ndump c file=/etc/x\n", "line 2: 'dump'");
	refused("load /etc/passwd\n", "'load'");
	refused("archive dump\n", "'archive'");
	refused("a account x\n", "'a' is no command");
	refused("sacctmgr -i add account $X\n", "'$'");
	refused("add account a; rm x\n", "';'");
	refused("add account \"`id`\"\n", "'`'");
	refused("add account \"a\n", "without its end");
	refused("add account a\033[A\n", "control character");
}

static void test_no_cluster_is_deleted(void **state)
{
	(void) state;
	refused("add account a\ndelete cluster lab\n", "line 2: 'delete cluster' is not taken");
	refused("sacctmgr -i rem CL where name=lab\n", "line 1: 'rem CL'");
	refused("remove clusters\n", "'remove clusters'");
	expect("delete account a where cluster=lab\n", "delete account a where cluster=c\n");
	expect("del co names=u accounts=a\n", "del co names=u accounts=a\n");
	expect("delete c x\nadd cl name=lab\n", "delete c x\n");	/* sacctmgr knows no 'c' */
	expect("delete\n", "delete\n");
}

#define BYTES(text) text, sizeof(text) - 1

static void test_nul(void **state)
{
	(void) state;
	bytes_refused(BYTES("\0"), "f: line 1 has a NUL");
	bytes_refused(BYTES("add account a\n\nadd ac\0count b\n"), "f: line 3 has a NUL");
	bytes_refused(BYTES("add account a\n\0"), "f: line 2 has a NUL");
	bytes_refused(BYTES("Cluster - 'lab'\n\0Parent - 'root'\n"), "line 2 has a NUL");
	bytes_refused(BYTES("Name|Priority\nhigh|1\n\0low|2\n"), "line 3 has a NUL");
}

static void complains(const char *line, const char *want)
{
	const char *complaint = wt_accounts_complaint(line);

	if (want)
		assert_string_equal(complaint ? complaint : "no complaint", want);
	else
		assert_null(complaint);
}

static void test_complaints(void **state)
{
	(void) state;
	complains(" Unknown option: colour=blue", "Unknown option: colour=blue");
	complains(" Problem adding accounts: x\n", "Problem adding accounts: x\n");
	complains("sacctmgr: error: Problem talking", "error: Problem talking");
	complains("sacctmgr: sacctmgr: fatal: x", "fatal: x");
	complains("sacctmgr:  Problem with query.", "Problem with query.");
	complains("  Can't add accounts, no cluster defined yet.", "Can't add accounts, no cluster defined yet.");
	complains(" Bad MaxWall time format: x", "Bad MaxWall time format: x");
	complains("", NULL);
	complains("sacctmgr: ", NULL);
	complains("sacctmgr: add account Bad descr='error: Problem '", NULL);
	complains(" Nothing new added.", NULL);
	complains("Bad                  Descr", NULL);
	complains("       Bad ones", NULL);
	complains("Problem ", "Problem ");
	complains("Badly|x", NULL);
}

static void test_too_many_words(void **state)
{
	struct wt_str s = { 0 };
	char *text;

	(void) state;
	wt_str_add(&s, "add account");
	for (int i = 0; i < 99; i++)
		wt_str_add(&s, " x");
	text = wt_str_take(&s);
	refused(text, "more than 100 words");
	text[strlen(text) - 2] = '\0';
	wt_str_add(&s, text);
	wt_str_add(&s, "\n");
	expect(text, s.text);
	wt_str_clear(&s);
	free(text);
}

static void test_dump(void **state)
{
	struct wt_accounts a = { .cluster = "c" };
	const char *text = "# To edit\nCluster - 'lab':Fairshare=1:QOS='normal,high'\nParent - 'root'\n"
			   "User - 'u':DefaultAccount='root':DefaultQOS='low':QOS='+high'\n";

	(void) state;
	assert_int_equal(wt_accounts_add(&a, "f", text, strlen(text), NULL), 0);
	assert_string_equal(a.commands.text, "add qos normal\nadd qos high\nadd qos low\n"
			    "load file=dump-0 cluster=c\n");
	wt_str_clear(&a.commands);
	a.user = "me";
	assert_int_equal(wt_accounts_add(&a, "f", "Cluster - 'x'\n", 14, NULL), 0);
	assert_string_equal(a.commands.text, "add user name=me account=root fairshare=0 adminlevel=Administrator\n"
			    "load file=dump-1 cluster=c\n");
	assert_int_equal(a.dump_count, 2);
	assert_string_equal(a.dumps[0], text);
	assert_int_equal(wt_accounts_add(&a, "f", "Cluster - 'lab'\nrm -rf\n", 23, NULL), -1);
	assert_int_equal(a.dump_count, 2);
	wt_accounts_clear(&a);
}

static void test_qos_table(void **state)
{
	(void) state;
	expect("Name|Priority|GraceTime|Preempt|PreemptMode|Flags|GrpTRES|MaxWall|MaxJobsPU\n"
	       "normal|0|00:00:00|||||||\n"
	       "high|10|1-00:01:30|normal|requeue|DenyOnLimit|cpu=4,gres/gpu=2|1-00:00:00|7\n",
	       "add qos high\n"
	       "modify qos where name=normal set Priority=0 GraceTime=0\n"
	       "modify qos where name=high set Priority=10 GraceTime=86490 Preempt=normal PreemptMode=requeue "
	       "Flags=DenyOnLimit GrpTRES=cpu=4,gres/gpu=2 MaxWallDurationPerJob=1-00:00:00 MaxJobsPerUser=7\n");
	expect("Name|PreemptMode|Unknown\nlow|cluster|x\n", "add qos low\n");
	refused("Name|Priority\nhigh\n", "1 fields, its header has 2");
	refused("Name|Priority\na b|1\n", "no row");
	refused("Name|Priority\na|1 Flags=x\n", "the value of Priority");
}

static void test_clear(void **state)
{
	struct wt_accounts a = { 0 };

	(void) state;
	wt_accounts_clear(&a);
	wt_accounts_clear(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_the_cluster_is_this_one), cmocka_unit_test(test_not_taken),
		cmocka_unit_test(test_no_cluster_is_deleted), cmocka_unit_test(test_nul), cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_too_many_words), cmocka_unit_test(test_dump), cmocka_unit_test(test_qos_table),
		cmocka_unit_test(test_clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
