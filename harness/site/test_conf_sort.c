/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>

#include "harness/site/imported.h"
#include "lib/test_cmocka.h"

static const char text[] =
	"ClusterName=lab\nSlurmctldHost=head\nStateSaveLocation=/var/x\nSchedulerType=sched/backfill\n"
	"TaskPlugin=task/cgroup\nProlog=/site/prolog\nAccountingStoragePass=secret\n"
	"JobCompLoc=http://slurm:secret@elastic.lab:9200/index\nHashPlugin=hash/k12\nFrobnicate=3\n"
	"AccountingStorageEnforce=limits\nNodeName=n[1-4] CPUs=8 NodeAddr=10.0.0.[1-4] Gres=gpu:2 Colour=red\n"
	"PartitionName=p Nodes=n[1-4] AllowAccounts=phys AllowGroups=chem MaxTime=60\n";

/* The class of a key, of an attribute behind a line's: '-' when it is not listed. */
static char class_of(const struct wt_site_conf *conf, const char *key, bool attribute)
{
	for (size_t i = 0; i < conf->count; i++)
		if (!strcmp(conf->list[i].key, key) && attribute == (conf->list[i].line != NULL))
			return wt_site_class_name(conf->list[i].class)[0];
	return '-';
}

static void test_classes(void **state)
{
	static const struct { const char *key; bool attribute; char class, with_accounts; } rows[] = {
		{ "ClusterName", false, 'f', 'f' }, { "SlurmctldHost", false, 'f', 'f' },
		{ "SchedulerType", false, 'k', 'k' }, { "TaskPlugin", false, 'f', 'f' }, { "Prolog", false, 'd', 'd' },
		{ "JobCompLoc", false, 'd', 'd' },
		{ "HashPlugin", false, 'u', 'u' }, { "Frobnicate", false, 'u', 'u' },
		{ "AccountingStorageEnforce", false, 'd', 'k' }, { "NodeName", false, 'k', 'k' },
		{ "NodeAddr", true, 'f', 'f' }, { "Gres", true, '-', '-' }, { "Colour", true, 'u', 'u' },
		{ "CPUs", true, '-', '-' }, { "AllowAccounts", true, 'd', '-' }, { "AllowGroups", true, '-', '-' },
		{ "Nodes", true, '-', '-' }, { "MaxTime", true, '-', '-' },
	};

	(void) state;
	for (int with = 0; with < 2; with++) {
		const struct wt_site_has has = { .accounts = with };
		struct wt_demands demands = { 0 };
		struct wt_site_conf conf = { 0 };
		struct wt_error err = { "" };
		json_t *json;

		assert_int_equal(wt_demands_text(&demands, text, "/x/slurm.conf", &err), 0);
		if (wt_site_conf_sort(&conf, &demands, &has, &err) < 0)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (class_of(&conf, rows[i].key, rows[i].attribute) !=
			    (with ? rows[i].with_accounts : rows[i].class))
				fail_msg("%s: %c", rows[i].key, class_of(&conf, rows[i].key, rows[i].attribute));
		json = wt_site_conf_json(&conf);
		assert_int_equal(json_array_size(json), conf.count);
		for (size_t i = 0; i < conf.count; i++)
			assert_null(strstr(conf.list[i].value, "secret"));
		json_decref(json);
		assert_string_equal(conf.list[0].where, "slurm.conf:1");
		wt_site_conf_clear(&conf);
		wt_demands_clear(&demands);
	}
}

static void test_text(void **state)
{
	struct wt_imported site = { .anonymised = false };
	struct wt_error err = { "" };
	char *made;

	(void) state;
	assert_int_equal(wt_demands_text(&site.demands, text, "slurm.conf", &err), 0);
	assert_int_equal(wt_demands_text(&site.demands, "SrunProlog=\"a b\"\nEpilog=/a\\#b\n", "slurm.conf", &err), 0);
	made = wt_imported_conf(&site);
	assert_null(strstr(made, "secret"));
	assert_non_null(strstr(made, "\nPartitionName=p Nodes=n[1-4] AllowAccounts=phys AllowGroups=chem MaxTime=60\n"));
	assert_non_null(strstr(made, "\nSrunProlog=\"a b\"\nEpilog=/a\\#b\n"));
	free(made);
	site.anonymised = site.has_key = true;
	made = wt_imported_conf(&site);
	assert_null(strstr(made, "phys"));
	assert_null(strstr(made, "chem"));
	assert_null(strstr(made, "head"));
	assert_null(strstr(made, "/site"));
	assert_non_null(strstr(made, "SchedulerType=sched/backfill\n"));
	free(made);
	wt_demands_clear(&site.demands);
}

static const char telling[] =
	"ClusterName=lab\nJobCompLoc=http://elastic.acme.org:9200\nAuthAltParameters=jwt_key=/srv/acme/key\n"
	"BcastParameters=DestDir=/acme\nInteractiveStepOptions=\"--pty /home/acme/sh\"\nMCSParameters=acme|b\n"
	"PrologFlags=x,acme/a/b\nTaskPlugin=task/affinity,task/cgroup\nFrontendName=login1.acme FrontendAddr=10.9.9.9\n"
	"NodeName=n1 CPUs=4 NodeAddr=10.1.2.3 NodeHostname=r1.acme.org Reason=\"acme broke it\" CertToken=hush Foo=acme\n"
	"NodeName=n2 BcastAddr=acme MyPassWord=\"hush hush\"\nDownNodes=n1 State=DOWN Reason=\"by acme\"\n"
	"NodeName+=NodeAddr=acme CertToken=hush\n"
	"PartitionName=p Nodes=n[1-2] AllocNodes=login1 TRESBillingWeights=\"CPU=1.0,gres/gpu=10\" AllowAccounts=phys\n";

static void told_check(const char *made, bool anonymised, bool key)
{
	static const char *const hidden[] = { "acme", "login1", "10.1.2.3", "10.9.9.9", "Reason", "FrontendName=" };

	assert_null(strstr(made, "hush"));
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (!anonymised != !!strstr(made, hidden[i]))
			fail_msg("%s in %s", hidden[i], made);
	assert_non_null(strstr(made, "task/affinity,task/cgroup"));
	assert_non_null(strstr(made, "CPU=1.0,gres/gpu=10"));
	assert_true(!key == !!strstr(made, "phys"));
}

/* In slurm.conf and in import.json: as it is, of a capture with other names, and with a key. */
static void test_telling(void **state)
{
	static const struct wt_site_has has = { .accounts = true };

	(void) state;
	for (int step = 0; step < 3; step++) {
		struct wt_imported site = { .anonymised = step > 0, .has_key = step > 1 };
		struct wt_error err = { "" };
		char *made;
		json_t *json;

		assert_int_equal(wt_demands_text(&site.demands, telling, "slurm.conf", &err), 0);
		made = wt_imported_conf(&site);
		told_check(made, step > 0, step > 1);
		assert_non_null(strstr(made, step ? "NodeName=n1 CPUs=4\n" : "NodeName=n1 CPUs=4 NodeAddr=10.1.2.3 "));
		free(made);
		assert_int_equal(wt_site_conf_sort(&site.conf, &site.demands, &has, &err), 0);
		if (site.anonymised)
			assert_int_equal(wt_imported_mask(&site, &err), 0);
		json = wt_site_conf_json(&site.conf);
		for (size_t i = 0; i < json_array_size(json); i++) {
			json_t *setting = json_array_get(json, i);

			made = json_dumps(setting, JSON_SORT_KEYS);
			assert_null(strstr(made, "hush"));
			if (step && (strstr(made, "acme") || strstr(made, "login1") || strstr(made, "10.1.2.3")))
				fail_msg("%s", made);
			free(made);
		}
		json_decref(json);
		wt_site_conf_clear(&site.conf);
		wt_demands_clear(&site.demands);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_classes), cmocka_unit_test(test_text),
					     cmocka_unit_test(test_telling) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
