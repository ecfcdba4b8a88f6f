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

#include "harness/cluster/conf/clusterconf.h"

static char name[] = "c1", dir[] = "/t/c1", addr[] = "127.0.0.1";

static struct wt_clusterinfo info = {
	.name = name, .dir = dir, .controller_addr = addr, .nodes = 300, .network = 12, .controller_port = 10001,
	.nodes_port = 10002,
	.shape = { .cpus = 4, .sockets = 1, .cores_per_socket = 4, .threads_per_core = 1, .memory_mib = 100 },
};

static struct wt_clusterconf plain(void)
{
	return (struct wt_clusterconf) { .info = &info, .user = "me", .host = "box" };
}

static void expect(const struct wt_clusterconf *in, const char *key, const char *want)
{
	struct wt_conf *c = wt_clusterconf_create(in, NULL, NULL);

	assert_non_null(c);
	if (want)
		assert_string_equal(wt_conf_get(c, key), want);
	else
		assert_null(wt_conf_get(c, key));
	wt_conf_destroy(c);
}

/* Like --conf with 'extra' (NULL: none) and then --set, up to a NULL. */
static void ask(struct wt_clusterconf *in, struct wt_demands *d, const char *extra, char *const *sets)
{
	memset(d, 0, sizeof(*d));
	if (extra)
		assert_int_equal(wt_demands_text(d, extra, "f", NULL), 0);
	for (; sets && *sets; sets++)
		assert_int_equal(wt_demands_option(d, *sets, NULL), 0);
	in->demands = d;
}

static void test_defaults(void **state)
{
	struct wt_clusterconf in = plain();

	(void) state;
	expect(&in, "SlurmctldHost", "box(127.0.0.1)");
	expect(&in, "SlurmctldPort", "10001");
	expect(&in, "SlurmUser", "me");
	expect(&in, "SlurmdUser", "me");
	expect(&in, "AuthInfo", "socket=/t/c1/munge/socket");
	expect(&in, "Epilog", "/t/c1/epilog");
	expect(&in, "RebootProgram", "/t/c1/reboot");
	expect(&in, "SelectTypeParameters", "CR_Core");
	expect(&in, "TopologyPlugin", NULL);
	expect(&in, "CommunicationParameters", NULL);
	expect(&in, "PartitionName", "main Default=YES Nodes=ALL MaxTime=UNLIMITED State=UP");
	expect(&in, "TreeWidth", "50");
	in.topology = in.bind_controller = true;
	expect(&in, "TopologyPlugin", "topology/tree");
	expect(&in, "CommunicationParameters", "NoCtldInAddrAny");
}

static void test_virtual_time_has_a_narrow_tree(void **state)
{
	static const struct { uint32_t nodes; const char *width; } want[] = {
		{ 1, "10" }, { 1024, "10" }, { 1330, "10" }, { 1331, "11" }, { 4096, "16" }, { 16384, "25" },
			{ 65536, "40" },
	};
	struct wt_clusterinfo sized = info;
	struct wt_clusterconf in = plain();
	char set[] = "TreeWidth=50", *sets[] = { set, NULL };
	struct wt_demands d;

	(void) state;
	in.info = &sized;
	in.virtual_time = true;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		sized.nodes = want[i].nodes;
		expect(&in, "TreeWidth", want[i].width);
	}
	ask(&in, &d, NULL, sets);
	expect(&in, "TreeWidth", "50");
	wt_demands_clear(&d);
}

static void test_timeouts_grow_with_the_cluster(void **state)
{
	unsigned int last = 0;

	(void) state;
	for (uint32_t n = 1; n <= 65536; n *= 2) {
		assert_true(wt_clusterconf_timeout_s(n) >= last);
		last = wt_clusterconf_timeout_s(n);
	}
	assert_int_equal(wt_clusterconf_timeout_s(1), 30);
	assert_true(wt_clusterconf_timeout_s(16384) >= 60);
	assert_int_equal(wt_clusterconf_timeout_s(65536), 100);
}

static void test_user_settings_in_order(void **state)
{
	static char s1[] = "TreeWidth=7", s2[] = "SchedulerParameters+=defer", s3[] = "Epilog=";
	char *sets[] = { s1, s2, s3, NULL };
	struct wt_clusterconf in = plain();
	struct wt_demands d;

	(void) state;
	ask(&in, &d, "treewidth=6\nKillWait=3\nSchedulerParameters=bf_interval=9\n", sets);
	expect(&in, "TreeWidth", "7");
	expect(&in, "KillWait", "3");
	expect(&in, "SchedulerParameters", "bf_interval=9,defer");
	expect(&in, "Epilog", NULL);
	wt_demands_clear(&d);
}

/* A site's SelectType=select/linear stands alone: windtunnel's CR_Core would end slurmctld. */
static void test_select_parameters_go_with_select(void **state)
{
	static char empty[] = "SelectType=";
	char *sets[] = { empty, NULL };
	struct wt_clusterconf in = plain();
	struct wt_demands d;

	(void) state;
	ask(&in, &d, "selecttype=select/linear\n", NULL);
	expect(&in, "SelectTypeParameters", NULL);
	wt_demands_clear(&d);
	ask(&in, &d, "SelectType=select/linear\nselecttypeparameters=CR_Memory\n", NULL);
	expect(&in, "SelectTypeParameters", "CR_Memory");
	wt_demands_clear(&d);
	ask(&in, &d, NULL, sets);
	expect(&in, "SelectTypeParameters", NULL);
	wt_demands_clear(&d);
	ask(&in, &d, "SelectType=select/cons_res\n", NULL);
	expect(&in, "SelectTypeParameters", "CR_Core");
	wt_demands_clear(&d);
}

/* As slurm.conf is written for Slurm 23.11 and later. */
static void test_select_parameters_of_a_site_choose_the_select(void **state)
{
	static char linear[] = "SelectType=select/linear";
	char *sets[] = { linear, NULL };
	struct wt_clusterconf in = plain();
	struct wt_demands d;

	(void) state;
	in.site = true;
	ask(&in, &d, "NodeName=a CPUs=2\nSelectTypeParameters=CR_core_Memory\n", NULL);
	expect(&in, "SelectType", "select/cons_tres");
	expect(&in, "SelectTypeParameters", "CR_core_Memory");
	wt_demands_clear(&d);
	ask(&in, &d, "NodeName=a CPUs=2\nSelectTypeParameters=CR_LLN\n", NULL);
	expect(&in, "SelectType", NULL);
	wt_demands_clear(&d);
	ask(&in, &d, "NodeName=a CPUs=2\nSelectTypeParameters=CR_CPU\n", sets);
	expect(&in, "SelectType", "select/linear");
	wt_demands_clear(&d);
	ask(&in, &d, "NodeName=a CPUs=2\n", NULL);
	expect(&in, "SelectType", NULL);
	expect(&in, "SelectTypeParameters", NULL);
	wt_demands_clear(&d);
}

static void test_controller_stays_on_loopback(void **state)
{
	static char s1[] = "CommunicationParameters=NoAddrCache",
		s2[] = "communicationparameters=noctldinaddrany,NoAddrCache",
		s3[] = "CommunicationParameters=";
	static const char *const want[] = { "NoAddrCache,NoCtldInAddrAny", "noctldinaddrany,NoAddrCache",
					    "NoCtldInAddrAny" };
	char *sets[] = { s1, s2, s3 };
	struct wt_clusterconf in = plain();
	struct wt_demands d;

	(void) state;
	in.bind_controller = true;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		char *one[] = { sets[i], NULL };

		ask(&in, &d, NULL, one);
		expect(&in, "CommunicationParameters", want[i]);
		wt_demands_clear(&d);
	}
}

static void expect_refused(const char *set, const char *extra)
{
	char *copy = set ? strdup(set) : NULL, *sets[] = { copy, NULL };
	struct wt_clusterconf in = plain();
	struct wt_error err = { "" };
	struct wt_demands d;

	ask(&in, &d, extra, sets);
	assert_null(wt_clusterconf_create(&in, NULL, &err));
	assert_int_equal(errno, EINVAL);
	assert_true(err.text[0] != '\0');
	assert_null(wt_clusterconf_create(&in, NULL, NULL));
	wt_demands_clear(&d);
	free(copy);
}

static void test_what_is_fixed_is_refused(void **state)
{
	(void) state;
	expect_refused("SlurmctldPort=1", NULL);
	expect_refused("slurmdport+=1", NULL);
	expect_refused("SlurmctldHost=", NULL);
	expect_refused("NodeName=x", NULL);
	expect_refused("NodeName=n[0-255] CPUs=1", NULL);
	expect_refused("Nonsense=1", NULL);
	expect_refused("NodeName+=NodeAddr=10.0.0.1", NULL);
	expect_refused("NodeName=DEFAULT Port=6818", NULL);
	expect_refused("PartitionName=x Nonsense=1", NULL);
	expect_refused(NULL, "Nonsense=1\n");
}

static void test_node_attributes_can_be_added(void **state)
{
	static char s1[] = "NodeName+=Weight=5", s2[] = "NodeName=DEFAULT Features=x";
	char *sets[] = { s1, s2, NULL };
	struct wt_clusterconf in = plain();
	struct wt_demands d;
	struct wt_conf *c;
	char *text;

	(void) state;
	ask(&in, &d, NULL, sets);
	c = wt_clusterconf_create(&in, NULL, NULL);
	assert_non_null(c);
	text = wt_conf_print(c);
	assert_non_null(strstr(text, "NodeName=DEFAULT Features=x\nNodeName=n[0-255] NodeAddr=127.12.0.[0-255] "));
	assert_non_null(strstr(text, "State=UNKNOWN Weight=5\nNodeName=n[256-299] NodeAddr=127.12.1.[0-43] "));
	free(text);
	wt_conf_destroy(c);
	wt_demands_clear(&d);
}

static void test_power(void **state)
{
	static char law[] = "boot=60", resume[] = "on-resume-fail=off", some[] = "n[0-3]:fail=resume-fail-program:5%";
	static char moves[] = "n1:address=new", notice[] = "on-notice=/a/on-resume-fail=/b", *laws[] = { law };
	struct wt_clusterinfo elastic = info;
	struct wt_clusterconf in = plain();

	(void) state;
	expect(&in, "SuspendProgram", NULL);
	expect(&in, "ResumeTimeout", NULL);
	in.info = &elastic;
	elastic.elastic = laws;
	elastic.elastic_count = 1;
	expect(&in, "SuspendProgram", "/t/c1/power-off");
	expect(&in, "ResumeProgram", "/t/c1/power-on");
	expect(&in, "ResumeTimeout", "600");
	expect(&in, "ResumeFailProgram", NULL);
	laws[0] = resume;
	expect(&in, "ResumeFailProgram", "/t/c1/power-fail");
	laws[0] = some;
	expect(&in, "ResumeFailProgram", "/t/c1/power-fail");
	laws[0] = notice;
	expect(&in, "ResumeFailProgram", NULL);
	laws[0] = moves;
	expect(&in, "TreeWidth", "50");
	elastic.backend = (char *) WT_BACKEND_SLURMD;	/* which know each other's addresses of slurm.conf only */
	expect(&in, "TreeWidth", "65533");
}

/* Room for all, and no fan-out, also in virtual time, whose tree is narrow; the lines are of those that are there. */
static void test_nodes_that_join(void **state)
{
	struct wt_clusterinfo joined = info;
	struct wt_clusterconf in = plain();

	(void) state;
	expect(&in, "MaxNodeCount", NULL);
	joined.dynamic_nodes = 20;
	in.info = &joined;
	in.virtual_time = true;
	expect(&in, "MaxNodeCount", "320");
	expect(&in, "TreeWidth", "65533");
	expect(&in, "NodeName", "n[0-255] NodeAddr=127.12.0.[0-255] Port=10002 CPUs=4 Boards=1 SocketsPerBoard=1 "
	       "CoresPerSocket=4 ThreadsPerCore=1 RealMemory=100 State=UNKNOWN");
	expect(&in, "SlurmdPort", "10002");
	joined.backend = (char *) WT_BACKEND_SLURMD;	/* no port of these is another node's */
	expect(&in, "SlurmdPort", "10302");
	joined.dynamic_nodes = 0;
	expect(&in, "SlurmdPort", "10002");
}

static void test_accounting(void **state)
{
	static char port[] = "AccountingStoragePort=6819", *sets[] = { port, NULL };
	struct wt_clusterinfo accounting = info;
	struct wt_clusterconf in = plain();
	struct wt_demands d;

	(void) state;
	in.info = &accounting;
	accounting.accounting = true;
	accounting.slurmdbd_port = 10005;
	expect(&in, "AccountingStorageType", "accounting_storage/slurmdbd");
	expect(&in, "AccountingStorageHost", "127.0.0.1");
	expect(&in, "AccountingStoragePort", "10005");
	expect(&in, "AccountingStorageEnforce", NULL);
	in.accounts = true;
	expect(&in, "AccountingStorageEnforce", "associations,limits,qos");
	ask(&in, &d, NULL, sets);
	expect(&in, "AccountingStoragePort", "10005");	/* another's slurmdbd is never touched */
	wt_demands_clear(&d);
}

static void test_bestfit(void **state)
{
	static char off[] = "SchedulerParameters=defer,bestfit=off", more[] = "SchedulerParameters=defer";
	char *sets[] = { off, NULL }, *other[] = { more, NULL };
	struct wt_clusterconf in = plain();
	struct wt_error err = { "" };
	struct wt_demands d;

	(void) state;
	in.plugin = WT_PLUGIN_BESTFIT;
	in.plugin_dir = "/p";
	ask(&in, &d, NULL, sets);
	expect(&in, "SchedulerParameters", "defer,bestfit=off");
	wt_demands_clear(&d);
	ask(&in, &d, NULL, other);
	expect(&in, "SchedulerParameters", "defer,bestfit=on");
	wt_demands_clear(&d);
	ask(&in, &d, "SelectType=select/linear\n", NULL);
	assert_null(wt_clusterconf_create(&in, NULL, &err));
	assert_non_null(strstr(err.text, "the settings say select/linear: add --set SelectType=select/cons_tres"));
	wt_demands_clear(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_virtual_time_has_a_narrow_tree),
		cmocka_unit_test(test_timeouts_grow_with_the_cluster),
		cmocka_unit_test(test_user_settings_in_order),
		cmocka_unit_test(test_select_parameters_go_with_select),
		cmocka_unit_test(test_select_parameters_of_a_site_choose_the_select),
		cmocka_unit_test(test_controller_stays_on_loopback),
		cmocka_unit_test(test_what_is_fixed_is_refused),
		cmocka_unit_test(test_power),
		cmocka_unit_test(test_nodes_that_join),
		cmocka_unit_test(test_accounting),
		cmocka_unit_test(test_bestfit),
		cmocka_unit_test(test_node_attributes_can_be_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
