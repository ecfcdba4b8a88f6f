/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel node: power of nodes, for SuspendProgram and ResumeProgram. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node/node_verb.h"
#include "cmd/node/resume_file.h"
#include "cmd/verbs.h"
#include "harness/cluster/folder/power_programs.h"
#include "lib/dispatch.h"
#include "lib/options.h"
#include "lib/str.h"

#define PATIENCE_S 60		/* a nodes' process that has died is back before that */

enum { KEY_CLUSTER = 0x100 };

struct node_command {
	const char *cluster, *nodes;
};

static const struct argp_option options[] = {
	{ "cluster", KEY_CLUSTER, "NAME", 0, "The cluster; default: the one whose slurm.conf SLURM_CONF names", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct node_command *cmd = state->input;

	switch (key) {
	case KEY_CLUSTER:
		cmd->cluster = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (cmd->nodes || !*arg || strpbrk(arg, " \t\r\n"))
			argp_error(state, "one host list is needed, as n[0-3,7]");
		cmd->nodes = arg;
		return 0;
	case ARGP_KEY_END:
		if (!cmd->nodes)
			argp_error(state, "the NODES are missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int ask(const char *folder, const char *verb, const char *nodes, char **answer, struct wt_error *errp)
{
	char *line = wt_str_format("%s %s 0", verb, nodes);
	int rc = line ? wt_power_ask(folder, line, PATIENCE_S, answer, errp) : wt_error_errno(errp, ENOMEM, "nodes");

	free(line);
	return rc;
}

/* First those that jobs wait for, by job, then all.  One request: at each node the program fails once, or not, and one that
 * fails keeps no others from being switched on. */
static int switch_on(const char *folder, const char *nodes, struct wt_error *errp)
{
	struct resume_job *jobs;
	size_t count = resume_jobs_read(getenv("SLURM_RESUME_FILE"), &jobs);
	struct wt_str line = { 0 };
	char *text;
	int rc;

	wt_str_printf(&line, "on ");
	for (size_t i = 0; i < count; i++)
		wt_str_printf(&line, "%s %" PRIu32 " ", jobs[i].nodes, jobs[i].job_id);
	wt_str_printf(&line, "%s 0", nodes);
	resume_jobs_free(jobs, count);
	text = wt_str_take(&line);
	rc = text ? wt_power_ask(folder, text, PATIENCE_S, NULL, errp) : wt_error_errno(errp, ENOMEM, "nodes");
	free(text);
	return rc;
}

static int command_read(int argc, char **argv, const char *doc, struct node_command *cmd, char **folder)
{
	struct argp argp = { options, option_parse, "NODES", doc, NULL, NULL, NULL };
	struct wt_error err;

	memset(cmd, 0, sizeof(*cmd));
	wt_options_parse(&argp, argc, argv, 0, cmd);
	*folder = node_folder(cmd->cluster, &err);
	if (*folder)
		return 0;
	fprintf(stderr, "%s: %s\n", argv[0], err.text);
	return -1;
}

static int result(const char *name, int rc, const struct wt_error *err, char *folder)
{
	free(folder);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", name, err->text);
	return rc < 0;
}

static int on_run(int argc, char **argv)
{
	struct node_command cmd;
	struct wt_error err;
	char *folder;

	if (command_read(argc, argv, "Switch nodes on: a ResumeProgram, or a part of one.  They boot by the laws of "
			 "--elastic; nodes that boot already, or are on, go on as they are.", &cmd, &folder) < 0)
		return 1;
	return result(argv[0], switch_on(folder, cmd.nodes, &err), &err, folder);
}

static int off_run(int argc, char **argv)
{
	struct node_command cmd;
	struct wt_error err;
	char *folder;

	if (command_read(argc, argv, "Switch nodes off: a SuspendProgram, or a part of one.  Their slurmds end at "
			 "once, whatever runs there.", &cmd, &folder) < 0)
		return 1;
	return result(argv[0], ask(folder, "off", cmd.nodes, NULL, &err), &err, folder);
}

static int drop_run(int argc, char **argv)
{
	struct node_command cmd;
	struct wt_error err;
	char *folder;

	if (command_read(argc, argv, "Switch nodes off that have not come in time: a ResumeFailProgram, or a part of one.",
			 &cmd, &folder) < 0)
		return 1;
	return result(argv[0], ask(folder, "drop", cmd.nodes, NULL, &err), &err, folder);
}

static int take_run(int argc, char **argv)
{
	struct node_command cmd;
	struct wt_error err;
	char *folder;

	if (command_read(argc, argv, "The machines of nodes are taken back, as spot machines are, after the notice that "
			 "--elastic has for them (notice=, on-notice=).  Nodes that are not on go on as they are.", &cmd,
			 &folder) < 0)
		return 1;
	return result(argv[0], ask(folder, "take", cmd.nodes, NULL, &err), &err, folder);
}

/* "COUNT n0=on n1=off" as a line for each. */
static void states_print(char *answer)
{
	char *rest = answer, *word;

	strsep(&rest, " ");
	while ((word = strsep(&rest, " "))) {
		char *sign = strchr(word, '=');

		if (sign)
			*sign = ' ';
		puts(word);
	}
}

static int told_run(int argc, char **argv, const char *verb, const char *doc)
{
	struct node_command cmd;
	struct wt_error err;
	char *folder, *answer;
	int rc;

	if (command_read(argc, argv, doc, &cmd, &folder) < 0)
		return 1;
	rc = ask(folder, verb, cmd.nodes, &answer, &err);
	if (rc == 0) {
		states_print(answer);
		free(answer);
	}
	return result(argv[0], rc, &err, folder);
}

static int state_run(int argc, char **argv)
{
	return told_run(argc, argv, "state", "Print what the machines of nodes do: on, off, booting or stopping.  sinfo "
			"shows what Slurm believes.");
}

static int address_run(int argc, char **argv)
{
	return told_run(argc, argv, "address", "Print the addresses of nodes that have machines, for a ResumeProgram that "
			"tells slurmctld (scontrol update NodeAddr=), where each boot has another (--elastic address=new).");
}

int wt_verb_node(int argc, char **argv)
{
	static const struct wt_verb verbs[] = {
		{ "address", address_run, "the addresses of their machines" },
		{ "drop", drop_run, "switch them off that have not come in time, as a ResumeFailProgram does" },
		{ "off", off_run, "switch them off, as a SuspendProgram does" },
		{ "on", on_run, "switch them on, as a ResumeProgram does" },
		{ "state", state_run, "what their machines do" },
		{ "stuck", node_stuck_run, "which of them stick, since when and why" },
		{ "take", take_run, "they are taken back, as spot machines" },
	};
	static const struct wt_dispatch dispatch = {
		"windtunnel node", "Power of nodes.", verbs, sizeof(verbs) / sizeof(verbs[0]), NULL,
	};

	return wt_dispatch(&dispatch, argc, argv);
}
