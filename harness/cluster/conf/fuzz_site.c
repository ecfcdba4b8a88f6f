/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz a site's slurm.conf on its way into a cluster's: what is printed for slurmctld, read again, has windtunnel's own
 * values for its own keys and nothing that reaches out, whatever the file was. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confpolicy.h"
#include "lib/fuzz.h"

#define NODES "n[0-3] NodeAddr=127.1.0.[0-3] Port=7"

static const struct { const char *key, *value; } own[] = {
	{ "ClusterName", "c" }, { "SlurmctldHost", "box(127.0.0.1)" }, { "StateSaveLocation", "/t/ctld" },
		{ "AuthInfo", "socket=/t/munge" },
	{ "AuthType", "auth/munge" }, { "SlurmUser", "me" }, { "Epilog", "/t/epilog" }, { "MailProg", "/bin/true" },
	{ "NodeName", NODES },
};

static const char *const seeds[] = {
	"ClusterName=prod\nSlurmctldHost=a(10.0.0.1)\nStateSaveLocation = "
	"\"/prod\"\nAuthInfo=socket=/prod,ttl=5\nKillWait=7 # x\n",
	"Prolog=/prod\\#x\nSlurmctldParameters=cloud_dns,\\\nuser_resv_delete\nMailProg=/prod\nSlurmUser=root\n"
	"TaskPlugin=affinity\n",
	"NodeName=DEFAULT Port=3 Weight=2\nNodeName=c[1-9] NodeAddr=10.0.0.1\nPartitionName=p Nodes=c1 AllocNodes=x "
	"Default=YES\n",
	"NodeName=" NODES " Weight=3 NodeAddr=10.0.0.1\nNodeSet=s Nodes=n[0-3]\nPartitionName=\"p\" Nodes=s\nDownNodes=n1 "
	"Reason=\"a b\"\n",
	"SchedulerParameters+=defer\nEpilog=/bin/true\nPriorityWeightTRES=CPU=1.5K,gres/gpu=3\nAuthType=auth/none\n"
	"Licenses=a:1,b:2\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static const char *own_value(const char *key)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcasecmp(own[i].key, key))
			return own[i].value;
	return NULL;
}

static void require(bool good)
{
	if (!good)
		abort();
}

/* An attribute that is windtunnel's own stands in its own line only, and there but once. */
static void line_check(const struct wt_confkey *row, const char *value)
{
	bool is_own = !strncmp(value, NODES, strlen(NODES)) && !strcasecmp(row->name, "NodeName");
	struct wt_confattrs attrs;

	require(wt_confattrs_parse(&attrs, is_own ? value + strlen(NODES) : value, !is_own, NULL) == 0);
	require(row->class == WT_CONF_TAKEN || is_own || !strcasecmp(attrs.name, "DEFAULT"));
	for (size_t i = 0; i < attrs.count; i++) {
		const struct wt_confkey *attr = wt_confkey_find(row->name, attrs.list[i].name);

		require(attr && attr->class != WT_CONF_OURS);
	}
	wt_confattrs_clear(&attrs);
}

static void demand_check(const struct wt_demand *d)
{
	const struct wt_confkey *row = wt_confkey_find(NULL, d->key);
	const char *mine = own_value(d->key);

	require(row && !d->append);
	if (wt_conf_key_repeats(row->name)) {
		line_check(row, d->value);
		return;
	}
	if (!strcasecmp(row->name, "AuthInfo"))
		require(!strncmp(d->value, mine, strlen(mine)) && !strstr(d->value + strlen(mine), "socket"));
	else if (row->class == WT_CONF_OURS)
		require(mine && !strcmp(d->value, mine));
	else if (row->class == WT_CONF_NEUTRAL && strcasecmp(row->name, "SuspendExcNodes") && !row->words &&
		 !row->not_words)
		require((mine && !strcmp(d->value, mine)) || (row->instead && !strcmp(d->value, row->instead)) ||
			(row->values && strcasestr(row->values, d->value)));
}

static void result_check(const struct wt_conf *conf)
{
	struct wt_demands again = { 0 };
	char *text = wt_conf_print(conf);

	require(text && wt_demands_text(&again, text, "printed", NULL) == 0);
	for (size_t i = 0; i < again.count; i++)
		demand_check(&again.list[i]);
	wt_demands_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wt_confpolicy policy = { .nodes = 4 };
	char *text = strndup((const char *) data, size);
	struct wt_conf *conf = wt_conf_create();
	struct wt_confnotes notes = { 0 };
	struct wt_demands demands = { 0 };

	require(text && conf);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		require(wt_conf_set(conf, own[i].key, own[i].value, NULL) == 0);
	if (wt_demands_text(&demands, text, "/nowhere/f", NULL) == 0 &&
	    wt_confpolicy_apply(conf, &demands, &policy, &notes, NULL) == 0) {
		char *block = wt_confnotes_text(&notes);

		require(block);
		free(block);
		result_check(conf);
	}
	wt_confnotes_clear(&notes);
	wt_demands_clear(&demands);
	wt_conf_destroy(conf);
	free(text);
	return 0;
}
