/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster: finds the verb; and down, env, exec. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cluster/cmd_cluster.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "lib/dispatch.h"
#include "harness/cluster/folder/slurmenv.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor.h"
#include "cmd/verbs.h"

static const struct wt_verb verbs[] = {
	{ "up", cmd_cluster_up, "start a cluster and wait until all its nodes are IDLE" },
	{ "down", cmd_cluster_down, "end a cluster and remove its folder" },
	{ "list", cmd_cluster_list, "list the clusters" },
	{ "status", cmd_cluster_status, "show a cluster's daemons and nodes" },
	{ "describe", cmd_cluster_describe, "tell what a cluster is: nodes, settings, ports, versions" },
	{ "logs", cmd_cluster_logs, "show the ends of its daemons' logs" },
	{ "stop", cmd_cluster_stop, "stage an outage: end single daemons of a cluster" },
	{ "start", cmd_cluster_start, "start again what 'stop' has ended" },
	{ "exec", cmd_cluster_exec, "run a Slurm client against a cluster" },
	{ "env", cmd_cluster_env, "print the setting that leads Slurm clients to a cluster" },
	{ "supervise", wt_supervisor_main, NULL },
	{ "host", wt_host_main, NULL },
	{ "resources", wt_resources_main, NULL },
};
static const struct wt_dispatch dispatch = {
	"windtunnel cluster", "Start, inspect and stop emulated clusters.", verbs, sizeof(verbs) / sizeof(verbs[0]), NULL,
};

int wt_verb_cluster(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}

static int down_one(const char *verb, const char *name, bool keep)
{
	struct wt_error err;

	if (wt_cluster_stop(name, keep, &err) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", verb, err.text);
	return errno == EINVAL ? 2 : 1;
}

int cmd_cluster_down(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_error err;
	char **names;
	size_t count;
	int status = 0;

	cmd_cluster_parse(argc, argv, "ak", 1,
			  "End a cluster: exactly its own processes, also after a crash; and remove its folder.",
			  &args);
	if (!args.all)
		return down_one(argv[0], args.name, args.keep);
	if (wt_clusterdir_list(&names, &count, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (down_one(argv[0], names[i], args.keep))
			status = 1;
		free(names[i]);
	}
	free(names);
	return status;
}

static struct wt_cluster *open_or_complain(const char *verb, const char *name)
{
	struct wt_error err;
	struct wt_cluster *c = wt_cluster_open(name, &err);

	if (!c)
		fprintf(stderr, "%s: %s\n", verb, err.text);
	return c;
}

/* As "exec" does: what is set in the caller's shell could lead its clients to another cluster. */
static void misleading_unset(void)
{
	for (char **e = environ; e && *e; e++) {
		size_t len = strspn(*e, "_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");

		if (wt_slurmenv_misleads(*e) && (*e)[len] == '=' && strncmp(*e, "SLURM_CONF=", 11))
			printf("unset %.*s\n", (int) len, *e);
	}
}

/* Clients of another Slurm than the distribution's come before those that PATH has. */
static void path_print(void)
{
	char *quoted = *wt_slurmenv_bindir() ? wt_str_shell_quote(wt_slurmenv_bindir()) : NULL;

	if (quoted)
		printf("export PATH=%s:\"$PATH\"\n", quoted);
	free(quoted);
}

int cmd_cluster_env(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_cluster *c;
	char *quoted;

	cmd_cluster_parse(argc, argv, "", 1, "Print what a shell must know to reach the cluster with any Slurm client:\n"
			  "  eval \"$(windtunnel cluster env NAME)\"", &args);
	c = open_or_complain(argv[0], args.name);
	if (!c)
		return 1;
	quoted = wt_str_shell_quote(c->slurm_conf);
	if (quoted) {
		misleading_unset();
		printf("export SLURM_CONF=%s\n", quoted);
		path_print();
	}
	if (c->clock)
		fprintf(stderr, "%s: cluster '%s' lives in virtual time: while a client from outside is connected, its "
				"clock runs at the "
			"machine's rate; 'windtunnel cluster exec' lets clients in\n", argv[0], args.name);
	free(quoted);
	wt_cluster_close(c);
	return quoted && fflush(stdout) == 0 ? 0 : 1;
}

int cmd_cluster_exec(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_cluster *c;
	struct wt_error err = { "" };
	bool named = false;
	int own = 1;		/* arguments before the command */

	/* What stands behind NAME is a foreign command: its options are not ours, though they may have the same
	 * names. */
	for (; own < argc && strcmp(argv[own], "--") && (!named || argv[own][0] == '-'); own++)
		named = named || argv[own][0] != '-';
	cmd_cluster_parse(own, argv, "d", 1, "Run a command with SLURM_CONF set, and return its exit status:\n"
			  "  windtunnel cluster exec NAME -- sinfo -N", &args);
	if (own < argc && !strcmp(argv[own], "--"))
		own++;
	if (own >= argc) {
		fprintf(stderr, "%s: a command is missing: %s %s -- COMMAND [ARGUMENT...]\n", argv[0], argv[0], args.name);
		return 2;
	}
	c = open_or_complain(argv[0], args.name);
	if (!c)
		return 1;
	if (args.drive && !c->clock)
		wt_error_set(&err, EINVAL, "--drive is for a cluster with a virtual clock");
	else if (wt_slurmenv_use(c->slurm_conf) < 0)
		wt_error_errno(&err, errno, "%s", c->slurm_conf);
	else if (wt_cluster_users_environment(c, &err) == 0)
		wt_cluster_clock_environment(c, args.drive, &err);
	if (*err.text) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return errno == EINVAL ? 2 : 1;
	}
	wt_cluster_close(c);
	execvp(argv[own], argv + own);
	fprintf(stderr, "%s: %s: %s\n", argv[0], argv[own], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
