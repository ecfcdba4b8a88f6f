/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/clusterconf.h"
#include "harness/cluster/conf/nodes.h"
#include "lib/str.h"

#define TREE_WIDTH_MIN 10	/* in virtual time */

struct setting {
	const char *key, *value;
};

static const struct setting plain[] = {
	{ "AuthType", "auth/munge" },
	{ "CredType", "cred/munge" },
	{ "SelectType", "select/cons_tres" },
	{ "SelectTypeParameters", "CR_Core" },
	{ "SchedulerType", "sched/backfill" },
	{ "ProctrackType", "proctrack/pgid" },
	{ "TaskPlugin", "task/none" },
	{ "JobAcctGatherType", "jobacct_gather/none" },
	{ "JobCompType", "jobcomp/none" },
	{ "AccountingStorageType", "accounting_storage/none" },
	{ "MpiDefault", "none" },
	{ "SwitchType", "switch/none" },
	{ "MailProg", "/bin/true" },
	{ "SlurmctldDebug", "info" },
	{ "SlurmctldSyslogDebug", "quiet" },
	{ "SlurmdSyslogDebug", "quiet" },
	{ "ReturnToService", "2" },
	{ "TreeWidth", "50" },
	{ "MaxJobCount", "100000" },
	{ "MinJobAge", "3600" },
	{ "PropagateResourceLimits", "NONE" },
};

unsigned int wt_clusterconf_timeout_s(uint32_t nodes)
{
	uint32_t s = 30 + nodes / 512;

	return s < 100 ? s : 100;
}

static int set_format(struct wt_conf *conf, struct wt_error *errp, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int set_format(struct wt_conf *conf, struct wt_error *errp, const char *key, const char *fmt, ...)
{
	char value[4096];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t) len >= sizeof(value))
		return wt_error_set(errp, EINVAL, "slurm.conf: the value of %s is too long", key);
	return wt_conf_set(conf, key, value, errp);
}

static int identity_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	const struct wt_clusterinfo *info = in->info;
	const char *dir = info->dir;

	if (set_format(conf, errp, "ClusterName", "%s", info->name) < 0 ||
	    set_format(conf, errp, "SlurmctldHost", "%s(%s)", in->host, info->controller_addr) < 0 ||
	    set_format(conf, errp, "SlurmctldPort", "%u", info->controller_port) < 0 ||
	    set_format(conf, errp, "SlurmdPort", "%u", wt_clusterconf_joining_port(info)) < 0 ||
	    set_format(conf, errp, "AuthInfo", "socket=%s/munge/socket", dir) < 0 ||
	    set_format(conf, errp, "SlurmUser", "%s", in->user) < 0 ||
	    set_format(conf, errp, "SlurmdUser", "%s", in->user) < 0 ||
	    set_format(conf, errp, "StateSaveLocation", "%s/ctld", dir) < 0 ||
	    set_format(conf, errp, "SlurmctldPidFile", "%s/ctld/slurmctld.pid", dir) < 0 ||
	    set_format(conf, errp, "SlurmctldLogFile", "%s/ctld/slurmctld.log", dir) < 0 ||
	    set_format(conf, errp, "SlurmdSpoolDir", "%s/nodes/%%n", dir) < 0 ||
	    set_format(conf, errp, "SlurmdPidFile", "%s/nodes/%%n.pid", dir) < 0 ||
	    set_format(conf, errp, "SlurmdLogFile", "%s/nodes/%%n.log", dir) < 0 ||
	    set_format(conf, errp, "Epilog", "%s/epilog", dir) < 0 ||
	    set_format(conf, errp, "RebootProgram", "%s/reboot", dir) < 0)
		return -1;
	return 0;
}

/* Whatever else the user communicates with: slurmctld stays on the loopback address. */
static int binding_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	const char *key = "CommunicationParameters", *value = wt_conf_get(conf, key);

	if (!in->bind_controller || (value && strcasestr(value, "NoCtldInAddrAny")))
		return 0;
	if (value && value[0] == '"')
		return wt_error_set(errp, EINVAL, "%s: write its value without quotes", key);
	return wt_conf_append(conf, key, "NoCtldInAddrAny", errp);
}

/* For fewer messages: what they cost the machine is most of what an idle cluster's time costs (doc/results-clock.md).  The
 * cube root of the number of nodes is what slurm.conf (5) advises for large systems. */
static unsigned int narrow_tree(uint32_t nodes)
{
	uint64_t width = TREE_WIDTH_MIN;

	while ((width + 1) * (width + 1) * (width + 1) <= nodes)
		width++;
	return (unsigned int) width;
}

static int defaults_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	unsigned int timeout_s = wt_clusterconf_timeout_s(in->info->nodes);

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!(in->site && !strncmp(plain[i].key, "SelectType", 10)) &&
		    wt_conf_set(conf, plain[i].key, plain[i].value, errp) < 0)
			return -1;
	if (in->virtual_time && !wt_clusterinfo_real_nodes(in->info) &&
	    set_format(conf, errp, "TreeWidth", "%u", narrow_tree(in->info->nodes)) < 0)
		return -1;
	/* A node is pinged every third of SlurmdTimeout and down after it: keep several message timeouts in between. */
	if (set_format(conf, errp, "MessageTimeout", "%u", timeout_s) < 0 ||
	    set_format(conf, errp, "BatchStartTimeout", "%u", timeout_s) < 0 ||
	    set_format(conf, errp, "SlurmdTimeout", "%u", timeout_s * 6 > 300 ? timeout_s * 6 : 300) < 0)
		return -1;
	return in->topology ? wt_conf_set(conf, "TopologyPlugin", "topology/tree", errp) : 0;
}

/* Is there a setting of --elastic that begins so? */
static bool elastic_says(const struct wt_clusterinfo *info, const char *begin)
{
	for (size_t i = 0; i < info->elastic_count; i++) {
		const char *equals = strchr(info->elastic[i], '='), *at = strstr(info->elastic[i], begin);

		/* Also behind the nodes that it is said of, as "n[0-3]:". */
		if (equals && at && at < equals && (at == info->elastic[i] || at[-1] == ':'))
			return true;
	}
	return false;
}

/* SuspendTimeout and ResumeTimeout leave room for the default laws of --elastic; --set changes all but the programs. */
static int power_add(struct wt_conf *conf, const struct wt_clusterinfo *info, struct wt_error *errp)
{
	if (!info->elastic_count)
		return 0;
	return set_format(conf, errp, "SuspendProgram", "%s/power-off", info->dir) < 0 ||
	       set_format(conf, errp, "ResumeProgram", "%s/power-on", info->dir) < 0 ||
	       ((elastic_says(info, "on-resume-fail=") || elastic_says(info, "fail=resume-fail-")) &&
		set_format(conf, errp, "ResumeFailProgram", "%s/power-fail", info->dir) < 0) ||
	       wt_conf_set(conf, "SuspendTime", "300", errp) < 0 || wt_conf_set(conf, "SuspendTimeout", "60", errp) < 0 ||
	       wt_conf_set(conf, "ResumeTimeout", "600", errp) < 0 ? -1 : 0;
}

/* Clients and slurmctld take munge's socket, towards slurmdbd, from AccountingStoragePass alone. */
static int accounting_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	const struct wt_clusterinfo *info = in->info;

	if (!info->accounting)
		return 0;
	if (in->accounts && wt_conf_set(conf, "AccountingStorageEnforce", "associations,limits,qos", errp) < 0)
		return -1;
	return set_format(conf, errp, "AccountingStorageType", "accounting_storage/slurmdbd") < 0 ||
	       set_format(conf, errp, "AccountingStorageHost", "%s", info->controller_addr) < 0 ||
	       set_format(conf, errp, "AccountingStoragePort", "%u", info->slurmdbd_port) < 0 ||
	       set_format(conf, errp, "AccountingStoragePass", "%s/munge/socket", info->dir) < 0 ? -1 : 0;
}

/* Behind the user's settings: with --keep one may lead to another slurmdbd. */
static int accounting_check(const struct wt_conf *conf, const struct wt_clusterinfo *info, struct wt_error *errp)
{
	const char *type = wt_conf_get(conf, "AccountingStorageType"), *host = wt_conf_get(conf, "AccountingStorageHost");
	const char *port = wt_conf_get(conf, "AccountingStoragePort"), *pass = wt_conf_get(conf, "AccountingStoragePass");
	char number[16];

	snprintf(number, sizeof(number), "%u", info->slurmdbd_port);
	if (!info->accounting)
		return 0;
	if (!type || strcmp(type, "accounting_storage/slurmdbd") || !host || strcmp(host, info->controller_addr) || !port ||
	    strcmp(port, number) || !pass || strncmp(pass, info->dir, strlen(info->dir)) ||
	    wt_conf_get(conf, "AccountingStorageBackupHost") || wt_conf_get(conf, "AccountingStorageExternalHost"))
		return wt_error_set(errp, EINVAL, "--accounting has a slurmdbd of its own: do not set "
				    "AccountingStorageType, and do not keep another's host, port or password");
	return 0;
}

static bool is_demanded(const struct wt_clusterconf *in, const char *key)
{
	for (size_t i = 0; in->demands && i < in->demands->count; i++)
		if (!strcasecmp(in->demands->list[i].key, key))
			return true;
	return false;
}

/* Real nodes know each other's addresses of slurm.conf only: nothing may go from one to another. */
static bool addresses_change(const struct wt_clusterinfo *info)
{
	bool change = false;

	for (size_t i = 0; wt_clusterinfo_real_nodes(info) && i < info->elastic_count; i++)
		change = change || strstr(info->elastic[i], "address=new");
	return change;
}

/* A site has its own. */
static int nodes_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	const struct wt_clusterinfo *info = in->info;
	const struct wt_nodes_ports ports = { .first = info->nodes_port, .each = wt_clusterinfo_real_nodes(info) };

	if (info->hosts.count && wt_nodes_add_hosts(conf, &info->hosts, &ports, &info->shape, errp) < 0)
		return -1;
	if (!in->site && !info->hosts.count && wt_nodes_add(conf, info->nodes, info->network, &ports, &info->shape,
			   errp) < 0)
		return -1;
	/* Room for those that join, whom no slurmd could find by its slurm.conf: Slurm's page on dynamic nodes has both. */
	if (info->dynamic_nodes && (set_format(conf, errp, "MaxNodeCount", "%u", info->nodes + info->dynamic_nodes) < 0 ||
				    wt_conf_set(conf, "TreeWidth", "65533", errp) < 0))
		return -1;
	if (addresses_change(info) && wt_conf_set(conf, "TreeWidth", "65533", errp) < 0)
		return -1;
	if (in->site && is_demanded(in, "PartitionName"))
		return 0;
	return wt_conf_set(conf, "PartitionName", "main Default=YES Nodes=ALL MaxTime=UNLIMITED State=UP", errp);
}

/* Behind the user's settings: theirs may name other parameters, or another mode (windtunnel-bestfit(5)). */
static int bestfit_add(struct wt_conf *conf, struct wt_error *errp)
{
	const char *select = wt_conf_get(conf, "SelectType"), *params = wt_conf_get(conf, "SchedulerParameters");

	if (!select || strcmp(select, "select/cons_tres"))
		return wt_error_set(errp, EINVAL,
				    "--plugin bestfit works with SelectType=select/cons_tres only; the settings say %s: "
				    "add --set SelectType=select/cons_tres, or leave out --plugin bestfit",
				    select ? select : "none");
	return params && strcasestr(params, "bestfit=") ? 0 : wt_conf_append(conf, "SchedulerParameters", "bestfit=on",
									     errp);
}

static int straggler_add(struct wt_conf *conf, const struct wt_clusterinfo *info, struct wt_error *errp)
{
	if (wt_conf_get(conf, "PlugStackConfig") || wt_conf_get(conf, STRAGGLER_SETTING))
		return wt_error_set(errp, EINVAL,
				    "--plugin straggler sets PlugStackConfig and " STRAGGLER_SETTING ": do not set them");
	return set_format(conf, errp, "PlugStackConfig", "%s/plugstack.conf", info->dir) < 0 ||
	       wt_conf_set(conf, STRAGGLER_SETTING, "straggler", errp) < 0 ? -1 : 0;
}

static int plugin_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	if (!in->plugin)
		return 0;
	if (wt_conf_get(conf, "PluginDir"))
		return wt_error_set(errp, EINVAL, "--plugin %s needs a PluginDir of its own: do not set it", in->plugin);
	if (set_format(conf, errp, "PluginDir", "%s:%s", in->plugin_dir, SLURM_PLUGIN_DIR) < 0)
		return -1;
	return strcmp(in->plugin, WT_PLUGIN_STRAGGLER) ? bestfit_add(conf, errp) : straggler_add(conf, in->info, errp);
}

/* Slurm takes no other port of a node that joins.  Real ones have it at different addresses, where none of the other nodes,
 * which listen on all, may have it. */
uint16_t wt_clusterconf_joining_port(const struct wt_clusterinfo *info)
{
	return (uint16_t) (info->nodes_port + (wt_clusterinfo_real_nodes(info) && info->dynamic_nodes ? info->nodes : 0));
}

/* Behind the nodes' ports. */
uint16_t wt_clusterconf_straggler_port(const struct wt_clusterinfo *info)
{
	return (uint16_t) (info->nodes_port + (wt_clusterinfo_real_nodes(info) ? info->nodes : 1));
}

char *wt_clusterconf_straggler(const struct wt_clusterinfo *info)
{
	return wt_str_format("Controller=%s\nPort=%u\nMungeSocket=%s/munge/socket\nDirectory=%s/progress/%%n\n"
			     "RuleScore=yes\n",	/* a cluster to compare on */
			     info->controller_addr,
			     wt_clusterconf_straggler_port(info), info->dir, info->dir);
}

char *wt_clusterconf_plugstack(const struct wt_clusterinfo *info, const char *plugin_dir, const char *agent)
{
	return wt_str_format("required %s/spank_speculate.so conf=%s/straggler.conf%s%s\n", plugin_dir, info->dir,
			     agent ? " agent=" : "", agent ? agent : "");
}

/* What only select/cons_tres takes was written for a Slurm of which it is the default (23.11 on): with an older one's
 * select/linear slurmctld would end. */
static int site_select_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	static const char *const words[] = { "CR_CPU", "CR_Core", "CR_Socket" };
	const char *params = wt_conf_get(conf, "SelectTypeParameters");

	if (!in->site || !params || is_demanded(in, "SelectType"))
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(params, words[i]))
			return wt_conf_set(conf, "SelectType", "select/cons_tres", errp);
	return 0;
}

/* windtunnel's own CR_Core is for select/cons_*; with any other, slurmctld ends.  Without a SelectType Slurm takes
 * select/linear. */
static int select_fit(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	const char *select = wt_conf_get(conf, "SelectType");

	if ((select && strcasestr(select, "cons_")) || is_demanded(in, "SelectTypeParameters"))
		return 0;
	return wt_conf_set(conf, "SelectTypeParameters", "", errp);
}

/* What windtunnel needs whatever the user's settings are. */
static int needs_add(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_error *errp)
{
	/* This machine is no such node: without it slurmctld would find each node smaller than configured, and INVAL. */
	const char *overrides = "config_overrides", *params = wt_conf_get(conf, "SlurmdParameters"), *mcs = wt_conf_get(conf,
		"MCSPlugin");

	/* Without the plugin every client would warn of them. */
	if (mcs && !strcmp(mcs, "mcs/none") && wt_conf_set(conf, "MCSParameters", "", errp) < 0)
		return -1;
	if (wt_clusterinfo_real_nodes(in->info) && !(params && strcasestr(params, overrides)) &&
	    wt_conf_append(conf, "SlurmdParameters", overrides, errp) < 0)
		return -1;
	if (wt_conf_get(conf, "SlurmSchedLogLevel") && set_format(conf, errp, "SlurmSchedLogFile", "%s/ctld/sched.log",
								  in->info->dir) < 0)
		return -1;
	if (accounting_check(conf, in->info, errp) < 0)
		return -1;
	/* Each host's slurm.conf has paths of its own. */
	if (in->info->hosts.count && wt_conf_append(conf, "DebugFlags", "NO_CONF_HASH", errp) < 0)
		return -1;
	return select_fit(conf, in, errp) < 0 ? -1 : binding_add(conf, in, errp);
}

static int user_apply(struct wt_conf *conf, const struct wt_clusterconf *in, struct wt_confnotes *notes,
		      struct wt_error *errp)
{
	const struct wt_confpolicy policy = {
		.nodes = in->info->nodes, .topology = in->topology, .accounting = in->info->accounting,
		.keeps = in->keeps, .keep_count = in->keep_count, .users = in->users, .site = in->site,
		.network = in->info->network, .nodes_port = in->info->nodes_port,
	};
	static const struct wt_demands none;
	const struct wt_demands *demands = in->demands ? in->demands : &none;
	struct wt_confnotes own = { 0 };
	int rc = wt_confpolicy_check(&policy, demands, errp);

	if (rc == 0)
		rc = wt_confpolicy_apply(conf, demands, &policy, notes ? notes : &own, errp);
	wt_confnotes_clear(&own);
	return rc;
}

struct wt_conf *wt_clusterconf_create(const struct wt_clusterconf *in, struct wt_confnotes *notes, struct wt_error *errp)
{
	struct wt_conf *conf = wt_conf_create();

	if (!conf) {
		wt_error_errno(errp, ENOMEM, "slurm.conf");
		return NULL;
	}
	if (identity_add(conf, in, errp) < 0 || defaults_add(conf, in, errp) < 0 ||
	    accounting_add(conf, in, errp) < 0 || power_add(conf, in->info, errp) < 0 ||
	    nodes_add(conf, in, errp) < 0 ||
	    user_apply(conf, in, notes, errp) < 0 || site_select_add(conf, in, errp) < 0 ||
	    plugin_add(conf, in, errp) < 0 || needs_add(conf, in, errp) < 0) {
		wt_conf_destroy(conf);
		return NULL;
	}
	return conf;
}
