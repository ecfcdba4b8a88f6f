/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* What the engine's ways of running share: a run's command, its files, and what is written down when it has ended. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/experiment/engine_private.h"
#include "lib/fs.h"
#include "lib/str.h"

/* A run's memory, roughly: slurmctld, the node process and munged, and what slurmctld keeps for each node (measured with
 * 1,024 to 65,536 nodes: doc/results-nodes.md has the processes' sizes). */
#define RUN_MIB      400
#define RUN_NODE_MIB 0.05

static const char *option_value(const struct experiment_case *c, const char *option)
{
	size_t len = strlen(option);

	for (size_t i = 0; i < c->option_count; i++)
		if (!strncmp(c->options[i], option, len))
			return c->options[i] + len;
	return "";
}

unsigned int engine_jobs(const struct experiment_plan *plan, unsigned int cpus, double free_mib)
{
	double nodes = 0, fit;

	for (size_t i = 0; i < plan->count; i++) {
		const struct experiment_case *c = &plan->cases[i];
		const char *charge = option_value(c, "--charge=");

		if (!c->wanted)
			continue;
		/* Runs beside each other disturb each other's real time, and in virtual time a charge for the
		 * machine's own speed: only what is computed may be run at once. */
		if (strcmp(option_value(c, "--clock="), "virtual") || (strcmp(charge, "none") && strncmp(charge, "cpu", 3)))
			return 1;
		nodes = fmax(nodes, strtod(option_value(c, "--nodes="), NULL));
	}
	fit = floor(free_mib / (RUN_MIB + RUN_NODE_MIB * nodes));
	return (unsigned int) fmax(1, fmin(cpus, fit));
}

/* The same seed for the same run number in each case: this is what makes pairs. */
uint64_t engine_seed(const struct engine *g, unsigned int number)
{
	return g->experiment->seed + number - 1;
}

char *engine_run_dir(const struct engine *g, size_t case_index, unsigned int number)
{
	return wt_str_format("%s/%s/%u", g->dir, g->plan->cases[case_index].folder, number);
}

char *engine_run_log(const struct engine *g, size_t case_index, unsigned int number)
{
	return wt_str_format("%s/logs/%s-%u.log", g->dir, g->plan->cases[case_index].folder, number);
}

/* "windtunnel esp --resume --output=... --seed=... OPTIONS"; --resume keeps nothing of a run that was cut off. */
char **engine_command(const struct engine *g, size_t case_index, unsigned int number)
{
	const struct experiment_case *c = &g->plan->cases[case_index];
	char **argv = calloc(c->option_count + 6, sizeof(*argv)), *dir = engine_run_dir(g, case_index, number);
	size_t n = 0;

	if (!argv || !dir) {
		free(argv);
		free(dir);
		return NULL;
	}
	argv[n++] = strdup("windtunnel");
	argv[n++] = strdup(c->verb);
	argv[n++] = strdup("--resume");
	argv[n++] = wt_str_format("--output=%s", dir);
	argv[n++] = wt_str_format("--seed=%llu", (unsigned long long) engine_seed(g, number));
	for (size_t i = 0; i < c->option_count; i++)
		argv[n++] = strdup(c->options[i]);
	free(dir);
	/* One that is missing would end the list: a run with fewer options is another run. */
	for (size_t i = 0; i < n; i++)
		if (!argv[i]) {
			while (n)
				free(argv[--n]);
			free(argv);
			return NULL;
		}
	return argv;
}

void engine_command_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* The last line that is a message of the command, else the last of all; 'text' is cut behind it. */
static char *reason_find(char *text)
{
	char *reason = NULL, *last = text, *line;

	while ((line = strsep(&text, "\n"))) {
		last = line;
		if (!strncmp(line, "windtunnel ", strlen("windtunnel ")))
			reason = line;
	}
	return reason ? reason : last;
}

static void failure_tell(const struct engine *g, size_t case_index, unsigned int number, int status)
{
	char *log = engine_run_log(g, case_index, number), *text = NULL, *line;
	size_t len;

	if (!log || wt_fs_read_tail(log, 4096, &text, &len, NULL) < 0)
		text = NULL;
	while (text && len && text[len - 1] == '\n')
		text[--len] = 0;
	line = wt_str_make_line(text ? reason_find(text) : "", 300);
	engine_progress_note(&g->progress, "%s, run %u failed (%s %d): %s (%s)", g->plan->cases[case_index].name, number,
			     status < 0 ? "signal" : "status", abs(status), line ? line : "", log ? log : "");
	free(line);
	free(text);
	free(log);
}

void engine_figures_read(const struct engine *g, size_t case_index, unsigned int number, struct wt_run_set *set)
{
	char *dir = engine_run_dir(g, case_index, number);

	memset(set, 0, sizeof(*set));
	if (!dir || wt_run_set_read(set, dir, NULL) < 0) {
		wt_run_set_clear(set);
		memset(set, 0, sizeof(*set));
	}
	free(dir);
}

int engine_run_note(struct engine *g, size_t case_index, unsigned int number, int status, double wall_s,
		    struct wt_error *errp)
{
	struct wt_run_set set;
	struct experiment_run run = {
		.folder = g->plan->cases[case_index].folder,
		.number = number,
		.seed = engine_seed(g, number),
		.status = status,
		.wall_s = wall_s,
		.set = &set,
	};
	int rc, saved_errno;

	engine_figures_read(g, case_index, number, &set);
	if (isnan(wall_s))
		run.wall_s = set.count ? set.runs[0].values[WT_FIG_WALL] : 0;
	if (run.status == 0 && !set.count)
		run.status = 1; /* it says that all is well, and has no figures: a full disk, say */
	rc = experiment_index_put(g->index, &run, errp);
	saved_errno = errno;	/* what is told of a run looks for its log */
	g->result->ended++;
	if (run.status) {
		g->result->failed++;
		g->result->refused |= run.status == 2;
		g->stop = g->stop || !g->options->keep_going;
		failure_tell(g, case_index, number, run.status);
	} else if (!g->options->on) {
		engine_progress_ended(&g->progress, case_index, number, run.wall_s, set.runs[0].values);
	}
	wt_run_set_clear(&set);
	errno = saved_errno;
	return rc;
}
