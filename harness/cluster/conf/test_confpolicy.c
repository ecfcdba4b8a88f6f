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

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confpolicy.h"

static const char own[] =
	"AuthInfo=socket=/t/munge\nStateSaveLocation=/t/ctld\nSlurmctldHost=box(127.0.0.1)\nEpilog=/t/epilog\n"
	"MailProg=/bin/true\nNodeName=n[0-3] NodeAddr=127.1.0.[0-3] Port=7\n";

/* windtunnel's own settings in 'own', then a file "f" and --set options (NULL: none), with these --keep options, up to a
 * NULL. */
static struct wt_conf *ask(const char *file, const char *set, char *const *keeps, struct wt_confnotes *notes,
			   struct wt_error *errp)
{
	struct wt_confpolicy policy = { .nodes = 4, .keeps = keeps };
	struct wt_demands mine = { 0 }, d = { 0 };
	struct wt_conf *conf = wt_conf_create();
	int rc;

	assert_int_equal(wt_demands_text(&mine, own, "own", NULL), 0);
	for (size_t i = 0; i < mine.count; i++)
		assert_int_equal(wt_conf_set(conf, mine.list[i].key, mine.list[i].value, NULL), 0);
	while (keeps && keeps[policy.keep_count])
		policy.keep_count++;
	assert_int_equal(wt_demands_text(&d, file ? file : "", "f", NULL), 0);
	if (set)
		assert_int_equal(wt_demands_option(&d, set, NULL), 0);
	memset(notes, 0, sizeof(*notes));
	rc = wt_confpolicy_check(&policy, &d, errp);
	if (rc == 0)
		rc = wt_confpolicy_apply(conf, &d, &policy, notes, errp);
	wt_demands_clear(&mine);
	wt_demands_clear(&d);
	if (rc == 0)
		return conf;
	wt_conf_destroy(conf);
	wt_confnotes_clear(notes);
	return NULL;
}

/* 'key' is 'want' afterwards (NULL: not there), and so many notes were made. */
static void expect(const char *file, const char *set, const char *key, const char *want, size_t notes_want)
{
	struct wt_confnotes notes;
	struct wt_error err = { "" };
	struct wt_conf *c = ask(file, set, NULL, &notes, &err);

	assert_string_equal(err.text, "");
	assert_non_null(c);
	if (want)
		assert_string_equal(wt_conf_get(c, key), want);
	else
		assert_null(wt_conf_get(c, key));
	assert_int_equal(notes.count, notes_want);
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
}

static void expect_refused(const char *file, const char *set, char *const *keeps, const char *want)
{
	struct wt_confnotes notes;
	struct wt_error err = { "" };

	assert_null(ask(file, set, keeps, &notes, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, want));
}

static void test_taken(void **state)
{
	(void) state;
	expect("killwait=7\n", NULL, "KillWait", "7", 0);
	expect("SchedulerParameters=defer\n", "schedulerparameters+=bf_interval=5", "SchedulerParameters",
	       "defer,bf_interval=5", 0);
	expect("KillWait=7\n", "KillWait=", "KillWait", NULL, 0);
}

static void test_ours(void **state)
{
	(void) state;
	expect("StateSaveLocation=/prod\n", NULL, "StateSaveLocation", "/t/ctld", 1);
	expect("STATESAVELOCATION=\"/prod\"\n", NULL, "StateSaveLocation", "/t/ctld", 1);
	expect("StateSaveLocation=/t/ctld\n", NULL, "StateSaveLocation", "/t/ctld", 0);
	expect("SlurmctldHost=a\nSlurmctldHost=b\n", NULL, "SlurmctldHost", "box(127.0.0.1)", 2);
	expect("ControlMachine=a\n", NULL, "ControlMachine", NULL, 1);
	expect("FrontendName=a FrontendAddr=b\n", NULL, "FrontendName", NULL, 1);
	expect_refused(NULL, "StateSaveLocation=/prod", NULL, "StateSaveLocation cannot be set");
	expect_refused(NULL, "statesavelocation+=x", NULL, "StateSaveLocation cannot be set");
	expect_refused(NULL, "SlurmctldHost=", NULL, "SlurmctldHost cannot be set");
}

static void test_credentials_stay_ours(void **state)
{
	(void) state;
	expect("AuthInfo=socket=/run/munge/socket,cred_expire=9\n", NULL, "AuthInfo", "socket=/t/munge,cred_expire=9", 1);
	expect(NULL, "AuthInfo+=,cred_expire=5", "AuthInfo", "socket=/t/munge,cred_expire=5", 0);
	expect(NULL, "AuthInfo+=socket=/prod", "AuthInfo", "socket=/t/munge", 1);
	expect("AuthInfo=ttl=1\n", "AuthInfo=ttl=2", "AuthInfo", "socket=/t/munge,ttl=2", 0);
	expect("AuthInfo=ttl=socket=/prod\n", NULL, "AuthInfo", "socket=/t/munge", 1);
}

static void test_neutral(void **state)
{
	(void) state;
	expect("Prolog=/prod\n", NULL, "Prolog", NULL, 1);
	expect(NULL, "Prolog+=/prod", "Prolog", NULL, 1);
	expect("epilog=/prod\n", NULL, "Epilog", "/t/epilog", 1);
	expect(NULL, "Epilog=", "Epilog", NULL, 0);
	expect(NULL, "Epilog=/bin/true", "Epilog", "/bin/true", 0);
	expect(NULL, "MailProg=", "MailProg", "/bin/true", 1);
	expect("TopologyPlugin=topology/tree\n", NULL, "TopologyPlugin", "topology/none", 1);
	expect("SuspendExcNodes=n[0-1]\n", NULL, "SuspendExcNodes", "n[0-1]", 0);
	expect("SuspendExcNodes=c1\n", NULL, "SuspendExcNodes", NULL, 1);
}

/* slurmctld finds words anywhere in the value: a word that only begins, or ends, like one that is known must go. */
static void test_words(void **state)
{
	(void) state;
	expect("SlurmctldParameters=\"cloud_dns, IDLE_on_node_suspend\"\n", NULL, "SlurmctldParameters",
	       "IDLE_on_node_suspend", 1);
	expect("PrologFlags=\" Alloc ,Contain X11,\tSerial Extra\"\n", NULL, "PrologFlags", "Alloc", 1);
	expect(NULL, "SlurmctldParameters=user_resv_delete+cloud_dns", "SlurmctldParameters", NULL, 1);
	expect(NULL, "SlurmctldParameters=node_reg_mem_percent=90", "SlurmctldParameters", "node_reg_mem_percent=90", 0);
	expect(NULL, "SlurmctldParameters=node_reg_mem_percent=9cloud_dns", "SlurmctldParameters", NULL, 1);
	expect(NULL, "SlurmctldParameters=node_reg_mem_percent=", "SlurmctldParameters", NULL, 1);
	expect("CommunicationParameters=NoAddrCache\n", "CommunicationParameters+=EnableIPv6", "CommunicationParameters",
	       "NoAddrCache", 1);
	expect("BcastParameters=DestDir=/prod,Compression=lz4\n", NULL, "BcastParameters", "Compression=lz4", 1);
	expect("PriorityWeightTRES=CPU=1000,gres/gpu=2\n", NULL, "PriorityWeightTRES", "CPU=1000", 1);
}

/* Of the two that count only with a slurmdbd of the cluster's own. */
static void test_without_accounting(void **state)
{
	(void) state;
	expect("AccountingStorageEnforce=limits\n", NULL, "AccountingStorageEnforce", NULL, 1);
	expect("AccountingStorageTRES=gres/gpu\n", NULL, "AccountingStorageTRES", NULL, 1);
}

static void test_notes_are_told(void **state)
{
	struct wt_confnotes notes;
	struct wt_conf *c = ask("MailProg=/usr/bin/mail\nAccountingStoragePass=secret\nProlog=/site/prolog\n", NULL, NULL,
				&notes, NULL);
	char *text = wt_confnotes_text(&notes);

	(void) state;
	assert_non_null(c);
	assert_int_equal(notes.count, 3);
	assert_memory_equal(text, "3 of these settings", 19);
	assert_non_null(strstr(text, "\n  f:1: MailProg=/usr/bin/mail; here "));
	assert_non_null(strstr(text, "\n  f:2: AccountingStoragePass=***; here "));
	assert_non_null(strstr(text, "\n  f:3: Prolog=/site/prolog; here "));
	assert_null(strstr(text, "secret"));
	free(text);
	wt_confnotes_clear(&notes);
	text = wt_confnotes_text(&notes);
	assert_string_equal(text, "");
	free(text);
	wt_conf_destroy(c);
}

static void test_passwords_in_addresses_are_not_told(void **state)
{
	struct wt_confnotes notes;
	struct wt_conf *c = ask("JobCompLoc=http://slurm:hush/hush@elastic.lab:9200/index\n", NULL, NULL, &notes, NULL);
	char *text = wt_confnotes_text(&notes);

	(void) state;
	assert_non_null(c);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(text, "\n  f:1: JobCompLoc=***; here "));
	assert_null(strstr(text, "hush"));
	assert_true(wt_confkey_secret("JobCompLoc", "mysql://u:p@h/db"));
	assert_true(wt_confkey_secret("X", "a=1,url=https://u@h b"));
	assert_false(wt_confkey_secret("JobCompLoc", "http://elastic.lab:9200/index"));
	assert_false(wt_confkey_secret("MailDomain", "a@b"));
	assert_false(wt_confkey_secret("X", "http://h a@b"));
	assert_false(wt_confkey_secret("NodeName", NULL));
	assert_true(wt_confkey_secret("CertToken", NULL));
	free(text);
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
}

static void test_keep(void **state)
{
	char k1[] = "prolog", k2[] = "StateSaveLocation", k3[] = "Nonsense", k4[] = "AccountingStorageType",
		k5[] = "AccountingStorageHost",
	     k6[] = "AllowGroups";
	char *keep[] = { k1, NULL }, *state_too[] = { k1, k2, NULL }, *nonsense[] = { k3, NULL }, *half[] = { k4, NULL },
	     *whole[] = { k4, k5, NULL }, *groups[] = { k6, NULL };
	static const char dbd[] = "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=mine\n";
	struct wt_confnotes notes;
	struct wt_conf *c = ask("Prolog=/mine\nTaskProlog=/x\n", NULL, keep, &notes, NULL);

	(void) state;
	assert_non_null(c);
	assert_string_equal(wt_conf_get(c, "Prolog"), "/mine");
	assert_null(wt_conf_get(c, "TaskProlog"));
	assert_int_equal(notes.count, 1);
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
	expect_refused(NULL, NULL, state_too, "--keep StateSaveLocation cannot be");
	expect_refused(NULL, NULL, nonsense, "no such key");
	expect_refused(dbd, NULL, half, "add --keep AccountingStorageHost");
	c = ask(dbd, NULL, whole, &notes, NULL);
	assert_non_null(c);
	assert_string_equal(wt_conf_get(c, "AccountingStorageHost"), "mine");
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
	c = ask("PartitionName=a AllowGroups=g AllowQos=q\n", NULL, groups, &notes, NULL);
	assert_non_null(c);
	assert_string_equal(wt_conf_get(c, "PartitionName"), "a AllowGroups=g");
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
}

static void test_lines(void **state)
{
	static const char site[] =
		"NodeName=DEFAULT Weight=9\nNodeName=c[1-9]\nNodeSet=fast Feature=x\nDownNodes=c1 State=DOWN\n"
				   "PartitionName=p Nodes=c[1-9] MaxTime=5 AllocNodes=login\n";

	(void) state;
	expect(site, NULL, "NodeName", "n[0-3] NodeAddr=127.1.0.[0-3] Port=7", 5);
	expect(site, NULL, "PartitionName", "p Nodes=ALL MaxTime=5", 5);
	expect("PartitionName=\"p\" Nodes = s,n1 Default=YES\nNodeSet=s Nodes=n[2-3]\n", NULL, "PartitionName",
	       "p Nodes=s,n1 Default=YES", 0);
	expect(NULL, "NodeName+=Weight=5 Reason=\"a b\"", "NodeName",
	       "n[0-3] NodeAddr=127.1.0.[0-3] Port=7 Weight=5 Reason=\"a b\"", 0);
	expect("NodeName=n[0-3] NodeAddr=127.1.0.[0-3] Port=7 Weight=5\n", NULL, "NodeName",
	       "n[0-3] NodeAddr=127.1.0.[0-3] Port=7 Weight=5", 0);
	expect("NodeName=n[0-3] NodeAddr=127.1.0.[0-3] Port=7 NodeAddr=10.0.0.1\n", NULL, "NodeName",
	       "n[0-3] NodeAddr=127.1.0.[0-3] Port=7", 1);
	expect("NodeName=DEFAULT Port=6818 Weight=2\n", NULL, "NodeName", "DEFAULT Weight=2", 1);
	expect_refused(NULL, "NodeName+=NodeAddr=10.0.0.1", NULL, "NodeAddr cannot be set");
	expect_refused(NULL, "NodeName=c1", NULL, "NodeName lines come from");
	expect_refused("PartitionName=p StateSaveLocation=/prod\n", NULL, NULL,
		       "f:1: Slurm " WT_SLURM_VERSION " has no attribute 'StateSaveLocation'");
	expect_refused("PartitionName=\"p AllowGroups=staff\" Nodes=ALL\n", NULL, NULL,
		       "f:1: PartitionName: 'p AllowGroups=staff' is no name");
	expect_refused(NULL, "PartitionName=\"\" Nodes=ALL", NULL, "--set: PartitionName: '' is no name");
	expect_refused("NodeSet=\"s Nodes=ALL\" Feature=x\n", NULL, NULL, "f:1: NodeSet: 's Nodes=ALL' is no name");
	expect_refused("PartitionName=p Nodes\n", NULL, NULL, "f:1: PartitionName: 'Nodes' is not");
}

/* Slurm: a DEFAULT is for the lines behind it, until the next one says otherwise. */
static void test_defaults_keep_their_places(void **state)
{
	struct wt_confnotes notes;
	struct wt_conf *c = ask("PartitionName=DEFAULT MaxTime=1\nPartitionName=DEFAULT MinNodes=2 QOS=q\nPartitionName=a "
				"Nodes=n0\n"
				"PartitionName=DEFAULT MaxTime=3\nPartitionName=b Nodes=n1\nNodeName=default Weight=2\n",
				NULL, NULL, &notes, NULL);
	char *text = wt_conf_print(c);

	(void) state;
	assert_non_null(strstr(text,
			       "PartitionName=DEFAULT MaxTime=1\nPartitionName=DEFAULT MinNodes=2\nPartitionName=a "
			       "Nodes=n0\n"
				     "PartitionName=DEFAULT MaxTime=3\nPartitionName=b Nodes=n1\n"));
	assert_non_null(strstr(text, "NodeName=default Weight=2\nNodeName=n[0-3]"));
	assert_int_equal(notes.count, 1);
	free(text);
	wt_confnotes_clear(&notes);
	wt_conf_destroy(c);
}

static void test_unknown_keys(void **state)
{
	(void) state;
	expect_refused("\n\nNonsense=1\n", NULL, NULL, "f:3: Slurm " WT_SLURM_VERSION " has no key 'Nonsense'");
	expect_refused(NULL, "Include=/prod/slurm.conf", NULL, "has no key 'Include'");
	/* all at once */
	expect_refused("Nonsense=1\nPartitionName=p Nodes=ALL Fnord=2\nMore=3\n", NULL, NULL,
		       "f:1: Slurm " WT_SLURM_VERSION " has no key 'Nonsense' in slurm.conf; f:2: Slurm " WT_SLURM_VERSION
		       " has no attribute 'Fnord' for PartitionName; f:3: Slurm " WT_SLURM_VERSION " has no key 'More'");
}

/* What older and newer versions have is left out of a file, and said. */
static void test_other_versions(void **state)
{
	(void) state;
	expect("CacheGroups=0\nMemLimitEnforce=no\n", NULL, "CacheGroups", NULL, 2);
	expect("hashplugin=hash/k12\nSuspendExcStates=DRAIN\n", NULL, "HashPlugin", NULL, 2);
	expect("PartitionName=p Nodes=ALL MaxCPUsPerSocket=4\n", NULL, "PartitionName",
	       "p Nodes=ALL", 1);
	expect_refused(NULL, "CacheGroups=0", NULL, "--set: Slurm " WT_SLURM_VERSION " has no key 'CacheGroups'");
	expect("TaskPluginParam=Sched,autobind=Threads\n", NULL, "TaskPluginParam", "autobind=Threads", 1);
	expect("TaskPluginParam=Sched\n", NULL, "TaskPluginParam", NULL, 1);
	expect("MaxNodeCount=2000\n", NULL, "MaxNodeCount", NULL, 1);
}

/* Shares of GPUs need what virtual nodes have not. */
static void test_shares(void **state)
{
	(void) state;
	expect("GresTypes=gpu,mps,shard\n", NULL, "GresTypes", "gpu", 1);
	expect("GresTypes=gpu,mps_like\n", NULL, "GresTypes", "gpu,mps_like", 0);
	expect("NodeName=DEFAULT Gres=gpu:tesla:2,MPS:200,shard\n", NULL, "NodeName", "DEFAULT Gres=gpu:tesla:2", 1);
	expect("NodeName=DEFAULT Gres=mps:200\n", NULL, "GresTypes", NULL, 1);
}

static void test_block(void **state)
{
	struct wt_confnotes notes;
	struct wt_conf *c = ask("Prolog=/prod\nAccountingStoragePass=hidden\nStateSaveLocation=/prod/\xff\n", NULL, NULL,
				&notes, NULL);
	char *text = wt_confnotes_text(&notes);

	(void) state;
	assert_non_null(strstr(text, "3 of these settings"));
	assert_non_null(strstr(text, "\n  f:1: Prolog=/prod; here nothing: a program of the site\n"));
	assert_null(strstr(text, "hidden"));
	assert_non_null(strstr(text,
			       "\n  f:3: StateSaveLocation=/prod/?; here /t/ctld: each cluster has its own folder "
			       "(always)\n"));
	free(text);
	wt_confnotes_clear(&notes);
	text = wt_confnotes_text(&notes);
	assert_string_equal(text, "");
	free(text);
	wt_conf_destroy(c);
}

static void test_node_lists(void **state)
{
	static const char *const good[] = { "ALL", "all", "n0", "n3", "n[0-3]", "n[0,2-3]", "n0,n[1-2],n3" };
	static const char *const bad[] = { "", "n4", "n[0-4]", "n[0-3", "n0,", ",n0", "c1", "n", "n[]", "n[a]", "n0:2",
					   "n0 n1", "n99999999999999999999" };

	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(wt_confattrs_nodes_exist(good[i], 4));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(wt_confattrs_nodes_exist(bad[i], 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_credentials_stay_ours),
		cmocka_unit_test(test_neutral),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_without_accounting), cmocka_unit_test(test_notes_are_told),
		cmocka_unit_test(test_passwords_in_addresses_are_not_told),
		cmocka_unit_test(test_keep),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_defaults_keep_their_places),
		cmocka_unit_test(test_unknown_keys), cmocka_unit_test(test_other_versions), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_block),
		cmocka_unit_test(test_node_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
