/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that describe a cluster: for "cluster up" and for every verb that makes a cluster of its own. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster.h"
#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/conf/nodes.h"
#include "lib/options.h"
#include "harness/cluster/conf/shape.h"
#include "lib/str.h"
#include "harness/vnode/model/elastic.h"
#include "harness/vnode/model/node_settings.h"

enum { KEY_NODES = 0x100, KEY_BACKEND, KEY_SHAPE, KEY_MEMORY, KEY_TOPOLOGY, KEY_SET, KEY_CONF, KEY_KEEP, KEY_PLUGIN,
       KEY_NODE, KEY_ELASTIC, KEY_ACCOUNTING, KEY_SACCTMGR, KEY_SITE, KEY_PASSWD, KEY_GROUP, KEY_FILE, KEY_HOSTS,
       KEY_ENGINE, KEY_HOST_SHELL, KEY_CREDENTIALS, KEY_ALLOCATOR, KEY_SAVE_INTERVAL,
       KEY_TIMER_SLACK };

static const struct argp_option options[] = {
	{ "nodes", KEY_NODES, "N", 0, "Number of nodes, 1 to 65536: n0 to n(N-1)", 1 },
	{ "site", KEY_SITE, "SITE", WT_OPTION_RARE,
	  "A site's own cluster: its slurm.conf with its nodes, accounts and users, in a folder of "
	  "windtunnel-site(5)", 1 },
	{ "backend", KEY_BACKEND, "NAME", WT_OPTION_RARE,
	  "The nodes: virtual (one process answers for all; the default) or slurmd "
	  "(a real slurmd for each)", 1 },
	{ "shape", KEY_SHAPE, "SHAPE", 0,
	  "A node's hardware: an hwloc synthetic description, \"host\" (this machine), or a file "
	  "written by 'lstopo FILE.xml' (default: \"" WT_SHAPE_DEFAULT "\")", 1 },
	{ "memory", KEY_MEMORY, "MIB", WT_OPTION_RARE,
	  "A node's memory in MiB (default: what the shape has, else 4096 for each CPU)", 1 },
	{ "topology", KEY_TOPOLOGY, "FILE", 0, "A topology.conf; implies TopologyPlugin=topology/tree", 1 },
	{ "accounting", KEY_ACCOUNTING, NULL, WT_OPTION_RARE,
	  "With accounting: a MariaDB and a slurmdbd of the cluster's own, so that sacct, sshare, sreport and "
	  "limits work", 1 },
	{ "sacctmgr", KEY_SACCTMGR, "FILE", WT_OPTION_RARE,
	  "Accounts, users, QOS and limits: a script of sacctmgr's commands, or what 'sacctmgr dump' or "
	  "'sacctmgr -P show qos' has written; implies --accounting, may be repeated", 1 },
	{ "passwd", KEY_PASSWD, "FILE", WT_OPTION_RARE,
	  "The cluster's users, as lines of passwd(5): it knows them, you and root, and nobody else of this machine", 1 },
	{ "group", KEY_GROUP, "FILE", WT_OPTION_RARE, "Groups of these users, as lines of group(5)", 1 },
	{ "file", KEY_FILE, "FILE", WT_OPTION_RARE,
	  "Put a file beside slurm.conf: job_submit.lua, cli_filter.lua, helpers.conf ...; may be repeated", 1 },
	{ "hosts", KEY_HOSTS, "FILE|slurm", WT_OPTION_RARE,
	  "Put the nodes on several hosts, one a line: NAME [address=IPV4] [nodes=N]; the first is this machine, where "
	  "slurmctld runs; slurm: the nodes of the Slurm job in which you are", 1 },
	{ "engine", KEY_ENGINE, "NAME", WT_OPTION_RARE,
	  "What runs commands on these hosts: clush (the default) or ssh", 1 },
	{ "host-shell", KEY_HOST_SHELL, "COMMAND", WT_OPTION_RARE,
	  "Another such command, to which a host's name and the command are added: \"ip netns exec\"", 1 },
	{ "plugin", KEY_PLUGIN, "NAME", 0,
	  "Load our plugin: bestfit or straggler (nodes by best fit on every level of the topology; sbatch "
	  "--speculate, copies of slow array tasks)", 1 },
	{ "set", KEY_SET, "KEY=VALUE", 0,
	  "Replace a slurm.conf parameter (may be repeated); KEY+=VALUE appends, KEY= removes", 1 },
	{ "conf", KEY_CONF, "FILE", WT_OPTION_RARE, "slurm.conf lines that replace generated ones; --set comes after them",
	  1 },
	{ "keep", KEY_KEEP, "KEY", WT_OPTION_RARE,
	  "Take over a parameter of --conf or --set although it reaches out of the emulation: a "
	  "program, a host, a path; may be repeated", 1 },
	{ "node", KEY_NODE, "KEY=VALUE", WT_OPTION_RARE,
	  "How virtual nodes differ from perfect ones: launch-delay, end-delay, epilog-time, "
	  "reboot-time, hop-delay, fail, loss, slow, noise, hang, beat-loss, beat-delay, prolog-fail, launch-fail, seed; "
	  "may be repeated", 1 },
	{ "elastic", KEY_ELASTIC, "KEY=VALUE", WT_OPTION_RARE,
	  "Nodes are switched off when idle and on for jobs: boot, stop, fail, notice, on-notice, on-resume-fail, "
	  "on-stock-out, together, address, limit, seed, or just \"on\"; behind NODES: of these alone; may be repeated", 1 },
	{ "credentials", KEY_CREDENTIALS, "process|munged", WT_OPTION_RARE,
	  "Who seals and opens credentials in virtual time: munged (default), or each process that may read its key, which "
	  "saves a conversation for each message", 1 },
	{ "allocator", KEY_ALLOCATOR, "NAME", WT_OPTION_RARE,
	  "Another memory allocator for slurmctld, which can spare it CPU time: tcmalloc, jemalloc, mimalloc, or the path "
	  "of a library", 1 },
	{ "save-interval", KEY_SAVE_INTERVAL, "SECONDS", WT_OPTION_RARE,
	  "In virtual time: slurmctld saves its state only so often, instead of every 5 s while anything changes, which "
	  "spares it CPU time", 1 },
	{ "timer-slack", KEY_TIMER_SLACK, "MS", WT_OPTION_RARE,
	  "In virtual time: whoever waits may go on so many milliseconds later, and so together with others, which spares "
	  "jumps of the clock where little happens", 1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* The caller is told by argp's own words and the exit status of wrong use. */
static void number_take(struct argp_state *state, const char *arg, const char *option, uint64_t max, uint64_t *value)
{
	struct wt_error err;

	if (wt_str_to_u64(arg, 1, max, option, value, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void string_take(struct argp_state *state, const char *arg, char **field)
{
	free(*field);
	*field = strdup(arg);
	if (!*field)
		argp_failure(state, 1, ENOMEM, "options");
}

static void list_take(struct argp_state *state, const char *arg, char ***list, size_t *count)
{
	char **longer = realloc(*list, (*count + 1) * sizeof(*longer));

	if (longer)
		*list = longer;
	if (!longer || !(longer[*count] = strdup(arg)))
		argp_failure(state, 1, ENOMEM, "options");
	else
		++*count;
}

/* Which nodes there are is known later: wt-vnoded checks the names. */
static void node_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	struct wt_settings settings = { 0 };
	struct wt_error err;

	if (wt_settings_add(&settings, arg, &err) < 0)
		argp_error(state, "--node %s", err.text);
	wt_settings_clear(&settings);
	list_take(state, arg, &wanted->node_settings, &wanted->node_setting_count);
}

static void elastic_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	struct wt_elastic elastic = { 0 };
	struct wt_error err;

	if (wt_elastic_add(&elastic, arg, &err) < 0)
		argp_error(state, "--elastic %s", err.text);
	wt_elastic_clear(&elastic);
	list_take(state, arg, &wanted->elastic, &wanted->elastic_count);
}

static void plugin_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	if (wanted->plugin && strcmp(wanted->plugin, arg))
		argp_error(state, "--plugin: '%s' or '%s'; both at once only in a slurm.conf of your own "
				  "(windtunnel-speculate(5))",
			   wanted->plugin, arg);
	string_take(state, arg, &wanted->plugin);
}

const char *wt_credentials_name(enum wt_credentials credentials)
{
	static const char *const names[] = { NULL, "munged", "process" };

	return names[credentials];
}

static void credentials_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	if (!strcmp(arg, "process"))
		wanted->credentials = WT_CREDENTIALS_PROCESS;
	else if (!strcmp(arg, "munged"))
		wanted->credentials = WT_CREDENTIALS_MUNGED;
	else
		argp_error(state, "--credentials %s: give process or munged", arg);
}

/* Once for each text: a verb may start the same cluster again and again. */
static void text_tell(const char *text)
{
	static char *told;

	if (told && !strcmp(told, text))
		return;
	free(told);
	told = strdup(text);
	fputs(text, stderr);
}

/* Where the value of an option that is taken as it stands goes; NULL: not such an option. */
static char **text_of(struct wt_cluster_wanted *wanted, int key)
{
	switch (key) {
	case KEY_BACKEND:
		return &wanted->backend;
	case KEY_SHAPE:
		return &wanted->shape;
	case KEY_SITE:
		return &wanted->site;
	case KEY_PASSWD:
		return &wanted->passwd_file;
	case KEY_GROUP:
		return &wanted->group_file;
	case KEY_TOPOLOGY:
		return &wanted->topology_file;
	case KEY_CONF:
		return &wanted->conf_file;
	case KEY_HOSTS:
		return &wanted->hosts_file;
	case KEY_ENGINE:
		return &wanted->engine;
	case KEY_HOST_SHELL:
		return &wanted->host_shell;
	case KEY_ALLOCATOR:
		return &wanted->allocator;
	default:
		return NULL;
	}
}

/* Of options that may be repeated; false: not such an option. */
static bool list_option_take(struct argp_state *state, const char *arg, int key, struct wt_cluster_wanted *wanted)
{
	if (key == KEY_SACCTMGR)
		list_take(state, arg, &wanted->accounts_files, &wanted->accounts_file_count);
	else if (key == KEY_SET)
		list_take(state, arg, &wanted->sets, &wanted->set_count);
	else if (key == KEY_FILE)
		list_take(state, arg, &wanted->files, &wanted->file_count);
	else if (key == KEY_KEEP)
		list_take(state, arg, &wanted->keeps, &wanted->keep_count);
	else
		return false;
	return true;
}

static void number_option_take(struct argp_state *state, const char *arg, int key, struct wt_cluster_wanted *wanted)
{
	uint64_t n = 0;

	if (key == KEY_NODES) {
		number_take(state, arg, "--nodes", WT_NODES_MAX, &n);
		wanted->nodes = (uint32_t) n;
	} else if (key == KEY_SAVE_INTERVAL) {
		number_take(state, arg, "--save-interval", WT_SAVE_INTERVAL_MAX_S, &n);
		wanted->save_interval_s = (uint32_t) n;
	} else if (key == KEY_TIMER_SLACK) {
		number_take(state, arg, "--timer-slack", WT_TIMER_SLACK_MAX_MS, &n);
		wanted->timer_slack_ms = (uint32_t) n;
	} else {
		number_take(state, arg, "--memory", (uint64_t) 1 << 40, &wanted->memory_mib);
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct wt_cluster_wanted *wanted = state->input;
	char **text;

	switch (key) {
	case ARGP_KEY_INIT:
		wanted->tell = text_tell;
		return 0;
	case KEY_NODES:
	case KEY_MEMORY:
	case KEY_SAVE_INTERVAL:
	case KEY_TIMER_SLACK:
		number_option_take(state, arg, key, wanted);
		break;
	case KEY_PLUGIN:
		plugin_take(state, arg, wanted);
		break;
	case KEY_ACCOUNTING:
		wanted->accounting = true;
		break;
	case KEY_NODE:
		node_take(state, arg, wanted);
		break;
	case KEY_ELASTIC:
		elastic_take(state, arg, wanted);
		break;
	case KEY_CREDENTIALS:
		credentials_take(state, arg, wanted);
		break;
	default:
		text = text_of(wanted, key);
		if (text)
			string_take(state, arg, text);
		else if (!list_option_take(state, arg, key, wanted))
			return ARGP_ERR_UNKNOWN;
	}
	wanted->given = true;
	return 0;
}

const struct argp wt_cluster_wanted_argp = { options, option_parse, NULL, NULL, NULL, NULL, NULL };

void wt_cluster_wanted_clear(struct wt_cluster_wanted *wanted)
{
	int saved_errno = errno;

	free(wanted->backend);
	free(wanted->shape);
	free(wanted->site);
	free(wanted->passwd_file);
	free(wanted->group_file);
	for (size_t i = 0; i < wanted->file_count; i++)
		free(wanted->files[i]);
	free(wanted->files);
	free(wanted->topology_file);
	free(wanted->hosts_file);
	free(wanted->engine);
	free(wanted->host_shell);
	free(wanted->allocator);
	free(wanted->plugin);
	free(wanted->conf_file);
	for (size_t i = 0; i < wanted->set_count; i++)
		free(wanted->sets[i]);
	free(wanted->sets);
	for (size_t i = 0; i < wanted->keep_count; i++)
		free(wanted->keeps[i]);
	free(wanted->keeps);
	for (size_t i = 0; i < wanted->accounts_file_count; i++)
		free(wanted->accounts_files[i]);
	free(wanted->accounts_files);
	for (size_t i = 0; i < wanted->node_setting_count; i++)
		free(wanted->node_settings[i]);
	free(wanted->node_settings);
	for (size_t i = 0; i < wanted->elastic_count; i++)
		free(wanted->elastic[i]);
	free(wanted->elastic);
	memset(wanted, 0, sizeof(*wanted));
	errno = saved_errno;
}
