/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel node stuck: what ran and what Slurm believes, apart, where they do not fit. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node/node_verb.h"
#include "cmd/node/stuck.h"
#include "cmd/child_run.h"
#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cost/cost_run.h"
#include "harness/upgrade/upgrade_records.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

#define FOR_DEFAULT_S 60
#define FOR_MAX_S     1000000000

enum { STUCK_CLUSTER = 0x100, STUCK_FOR };

struct stuck_command {
	const char *cluster;
	uint64_t for_s;
};

static const struct argp_option options[] = {
	{ "cluster", STUCK_CLUSTER, "NAME", 0, "The cluster; default: the one whose slurm.conf SLURM_CONF names", 0 },
	{ "for", STUCK_FOR, "S", 0, "Only what a machine has done, or not, for so many seconds (default 60)", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct stuck_command *cmd = state->input;
	struct wt_error err;

	switch (key) {
	case STUCK_CLUSTER:
		cmd->cluster = arg;
		return 0;
	case STUCK_FOR:
		if (wt_str_to_u64(arg, 0, FOR_MAX_S, "--for", &cmd->for_s, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "there is nothing to be said here: '%s'", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

struct looked {
	struct wt_power_log log;	/* what machines did */
	struct upgrade_records nodes;	/* what Slurm believes */
	int64_t now_us;			/* the cluster's */
	const char **states, **reasons;	/* of log's names; NULL: none */
	uint64_t for_s;
	size_t told;
};

/* By a child, which lives in the cluster's time. */
static int slurm_ask(struct looked *l, const char *cluster, struct wt_error *errp)
{
	static const char script[] = "date +%s && exec scontrol -a -o show node";
	const char *const argv[] = { "windtunnel", "cluster", "exec", cluster, "--", "sh", "-c", script, NULL };
	struct child_runner runner;
	char *output = NULL, *lines;
	size_t len = 0;
	int rc;

	child_runner_begin(&runner);
	rc = child_run(&runner, argv, &output, &len, NULL, NULL, errp);
	child_runner_end(&runner);
	lines = rc == 0 ? memchr(output, '\n', len) : NULL;
	if (rc == 0 && !lines)
		rc = wt_error_set(errp, EIO, "cluster '%s' does not tell its time", cluster);
	if (rc == 0) {
		l->now_us = strtoll(output, NULL, 10) * 1000000;
		lines++;
		rc = upgrade_records_parse(&l->nodes, UPGRADE_NODE, lines, len - (size_t) (lines - output), errp);
	}
	free(output);
	return rc;
}

static int beliefs_take(struct looked *l, struct wt_error *errp)
{
	/* A node that was never switched is known to Slurm only. */
	for (size_t i = 0; i < l->nodes.count; i++)
		if (wt_power_log_node_add(&l->log, l->nodes.items[i].key) == WT_POWER_NODE_NONE)
			return wt_error_errno(errp, ENOMEM, "nodes");
	l->states = calloc((size_t) l->log.name_count + 1, sizeof(*l->states));
	l->reasons = calloc((size_t) l->log.name_count + 1, sizeof(*l->reasons));
	if (!l->states || !l->reasons)
		return wt_error_errno(errp, ENOMEM, "nodes");
	for (size_t i = 0; i < l->nodes.count; i++) {
		uint32_t node = wt_power_log_node(&l->log, l->nodes.items[i].key);

		l->states[node] = upgrade_record_get(&l->nodes.items[i], "State");
		l->reasons[node] = upgrade_record_get(&l->nodes.items[i], "Reason");
	}
	return 0;
}

static void row_add(struct looked *l, struct wt_table *table, uint32_t node, const struct wt_power_row *rows, size_t count)
{
	struct stuck_machine machine = stuck_machine_of(rows, count);
	struct stuck_belief belief = stuck_belief_of(l->states[node]);
	int64_t for_s = (l->now_us - machine.since_us) / 1000000;
	const char *why = stuck_why(&machine, &belief), *reason = l->reasons[node];

	if (!why || (machine.since_us && for_s < (int64_t) l->for_s))
		return;
	wt_table_cell(table, "%s", l->log.names[node]);
	wt_table_cell(table, "%s", stuck_machine_name(machine.state));
	if (machine.since_us)
		wt_table_cell(table, "%" PRId64, for_s);
	else
		wt_table_cell(table, "always");
	wt_table_cell(table, "%s", l->states[node] ? l->states[node] : "not shown");
	wt_table_cell(table, "%s%s%s%s", why, reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
	l->told++;
}

static int report(struct looked *l, struct wt_error *errp)
{
	static const char *const head[] = { "NODE", "MACHINE", "FOR S", "SLURM", "WHY (REASON)" };
	struct wt_table *table = wt_table_create("llrll");
	size_t first = 0, end;

	if (!table)
		return wt_error_errno(errp, ENOMEM, "table");
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		wt_table_cell(table, "%s", head[i]);
	/* Rows stand by node, in the order of names; names that were added behind have none. */
	for (uint32_t node = 0; node < l->log.name_count; node++, first = end) {
		for (end = first; end < l->log.count && l->log.rows[end].node == node;)
			end++;
		row_add(l, table, node, l->log.rows + first, end - first);
	}
	if (l->told)
		wt_table_print(table, stdout, "");
	else
		printf("nothing sticks: machines and Slurm agree\n");
	wt_table_destroy(table);
	return 0;
}

static int look(struct looked *l, const char *folder, struct wt_error *errp)
{
	char *nodes = wt_str_format("%s/nodes", folder);
	struct wt_clusterinfo info;
	int rc;

	if (!nodes)
		return wt_error_errno(errp, ENOMEM, "%s", folder);
	if (wt_clusterinfo_load(folder, &info, errp) < 0) {
		free(nodes);
		return -1;
	}
	/* Slurm first: it may know of a change that the file, read before, would not have. */
	rc = slurm_ask(l, info.name, errp) < 0 || cost_power_read(nodes, &l->log, errp) < 0 || beliefs_take(l, errp) < 0 ?
	     -1 : report(l, errp);
	wt_clusterinfo_clear(&info);
	free(nodes);
	return rc;
}

int node_stuck_run(int argc, char **argv)
{
	static const struct argp argp = {
		options, option_parse, NULL, "Tell which nodes stick, since when and why: what their machines do, and what "
		"Slurm believes of them, where the two do not fit or nothing but an operator ends it.", NULL, NULL, NULL,
	};
	struct stuck_command cmd = { .for_s = FOR_DEFAULT_S };
	struct looked l = { 0 };
	struct wt_error err;
	char *folder;
	int rc = -1;

	wt_options_parse(&argp, argc, argv, 0, &cmd);
	l.for_s = cmd.for_s;
	folder = node_folder(cmd.cluster, &err);
	if (folder)
		rc = look(&l, folder, &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
	wt_power_log_clear(&l.log);
	upgrade_records_clear(&l.nodes);
	free(l.states);
	free(l.reasons);
	free(folder);
	return rc < 0;
}
