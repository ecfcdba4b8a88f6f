/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster logs: which files a cluster's daemons write; tail(1) shows them. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cluster/cmd_cluster.h"
#include "harness/cluster/cluster_private.h"
#include "lib/options.h"
#include "lib/str.h"

#define LINES_MAX 1000000

struct logs_args {
	const char *name, *which;
	uint64_t lines;
	bool follow, paths;
};

/* Of every daemon, in the order in which they start; a file that is not there, or is empty, is left out. */
static const struct {
	const char *which, *file;
} logs[] = {
	{ "supervisor", "daemons.log" },
	{ "clock", "clock.log" },
	{ "munge", "munge/munged.log" },
	{ "mariadbd", "accounting/mariadbd.log" },
	{ "slurmdbd", "accounting/slurmdbd.log" },
	{ "sacctmgr", "accounting/sacctmgr.log" },
	{ "slurmctld", "ctld/slurmctld.stderr" },
	{ "slurmctld", "ctld/slurmctld.log" },
	{ "nodes", "nodes/vnoded.log" },
	{ "nodes", "nodes/slurmd.stderr" },
};
#define LOG_COUNT (sizeof(logs) / sizeof(logs[0]))

static error_t logs_parse(int key, char *arg, struct argp_state *state)
{
	struct logs_args *args = state->input;
	struct wt_error err;

	switch (key) {
	case 'n':
		if (wt_str_to_u64(arg, 0, LINES_MAX, "--lines", &args->lines, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case 'f':
		args->follow = true;
		return 0;
	case 'p':
		args->paths = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->which)
			argp_error(state, "'%s' is one argument too many", arg);
		*(args->name ? &args->which : &args->name) = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->name)
			argp_error(state, "the cluster's NAME is missing");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool has_text(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

/* Add the path to the NULL-terminated list, if there is something in it. */
static void file_add(char **files, size_t *count, char *path)
{
	if (path && has_text(path))
		files[(*count)++] = path;
	else
		free(path);
}

/* A real node's own log: nodes/nX.log.  A name with a slash in it is no node's. */
static char *node_log(const struct wt_clusterinfo *info, const char *node)
{
	char *file = strchr(node, '/') ? NULL : wt_str_format("nodes/%s.log", node);
	char *path = file ? wt_clusterinfo_path(info, file) : NULL;

	free(file);
	return path;
}

/* Returns whether 'which' (NULL: all) names a daemon or a node that has a log of its own. */
static bool files_find(const struct wt_clusterinfo *info, const char *which, char **files, size_t *count)
{
	bool known = !which;

	for (size_t i = 0; i < LOG_COUNT; i++) {
		if (which && strcmp(which, logs[i].which))
			continue;
		known = true;
		file_add(files, count, wt_clusterinfo_path(info, logs[i].file));
	}
	if (!known)
		file_add(files, count, node_log(info, which));
	return known || *count;
}

static int tail_run(const struct logs_args *args, char **files, size_t count)
{
	char lines[32];
	char *argv[LOG_COUNT + 8] = { "tail", "-n", lines };
	size_t n = 3;

	snprintf(lines, sizeof(lines), "%llu", (unsigned long long) args->lines);
	if (args->follow)
		/* By name, not by descriptor: a daemon that is started again makes its log anew. */
		argv[n++] = "-F";
	argv[n++] = "--";
	memcpy(&argv[n], files, count * sizeof(*files));
	/* In this process's place: Ctrl-C ends tail, and its exit status is ours. */
	execvp(argv[0], argv);
	fprintf(stderr, "windtunnel cluster logs: tail: %s\n", strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static int files_show(const struct logs_args *args, char **files, size_t count)
{
	if (!count) {
		fprintf(stderr, "windtunnel cluster logs: %s%snothing has been logged yet\n", args->which ? args->which : "",
			args->which ? ": " : "");
		return 0;
	}
	if (!args->paths)
		return tail_run(args, files, count);
	for (size_t i = 0; i < count; i++)
		puts(files[i]);
	return fflush(stdout) == 0 ? 0 : 1;
}

int cmd_cluster_logs(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "lines", 'n', "N", 0, "Of each log the last N lines (default 20)", 0 },
		{ "follow", 'f', NULL, 0, "Go on with what is added, until Ctrl-C", 0 },
		{ "paths", 'p', NULL, 0, "Print where the logs lie, and nothing of them", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	static const struct argp argp = {
		.options = options, .parser = logs_parse, .args_doc = "NAME [LOG]",
		.doc = "Show the end of a cluster's logs: all, or of LOG: supervisor, clock, munge, mariadbd, slurmdbd, "
		       "sacctmgr, slurmctld, nodes, or "
		       "the name of a real node.",
	};
	struct logs_args args = { .lines = 20 };
	char *files[LOG_COUNT + 1] = { NULL };
	struct wt_cluster_view view;
	struct wt_error err;
	size_t count = 0;
	int status = 2;

	wt_options_parse(&argp, argc, argv, 0, &args);
	if (wt_cluster_look(args.name, &view, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return errno == EINVAL ? 2 : 1;
	}
	if (files_find(&view.info, args.which, files, &count))
		status = files_show(&args, files, count);
	else
		fprintf(stderr, "%s: '%s' has no log of its own: give supervisor, clock, munge, mariadbd, slurmdbd, "
		       "sacctmgr, slurmctld, nodes, or a "
				"real node's name\n",
			argv[0], args.which);
	wt_cluster_view_clear(&view);
	for (size_t i = 0; i < count; i++)
		free(files[i]);
	return status;
}
