/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel try: an experiment on a site's own cluster, of one line. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/experiment/argv_words.h"
#include "cmd/experiment/experiment_command.h"
#include "cmd/verbs.h"
#include "harness/experiment/vary.h"
#include "lib/options.h"
#include "lib/str.h"

#define REPEAT_DEFAULT  4
#define PERTURB_DEFAULT "uniform 5"

enum {
	OPT_TRY_VARY = 0x6200,
	OPT_TRY_WITH,
	OPT_TRY_REPEAT,
	OPT_TRY_SEED,
	OPT_TRY_PERTURB,
	OPT_TRY_OUTPUT,
	OPT_TRY_JOBS,
	OPT_TRY_KEEP_GOING,
	OPT_TRY_DRY_RUN,
	OPT_TRY_NO_REPORT,
	OPT_TRY_JSON,
	OPT_TRY_QUIET,
};

static const struct argp_option options[] = {
	{ "vary", OPT_TRY_VARY, "NAME=VALUE,VALUE...", 0,
	  "what is changed; 'site' is the site's own value; repeated: each value with each", 0 },
	{ "with", OPT_TRY_WITH, "NAME=VALUE", 0, "set this in all cases; may be repeated", 0 },
	{ "repeat", OPT_TRY_REPEAT, "N", 0, "runs of each case (default: 4)", 0 },
	{ "seed", OPT_TRY_SEED, "N", 0, "of the first of them (default: 1)", 0 },
	{ "perturb", OPT_TRY_PERTURB, "MODEL P", 0,
	  "draw run times around their own, so that repeats differ (default: 'uniform 5', in percent), or none", 0 },
	{ "output", OPT_TRY_OUTPUT, "DIR", 0, "the experiment's folder: new or empty (default: try-SITE, here)", 0 },
	{ "jobs", OPT_TRY_JOBS, "N", 0, "runs at once (default: as many as CPUs and memory allow)", 0 },
	{ "keep-going", OPT_TRY_KEEP_GOING, 0, 0, "go on after a run that failed", 0 },
	{ "dry-run", OPT_TRY_DRY_RUN, 0, 0, "print the cases and their commands, check each, and run nothing", 0 },
	{ "no-report", OPT_TRY_NO_REPORT, 0, 0, "write no report.html at the end", 0 },
	{ "json", OPT_TRY_JSON, 0, 0, "print JSON at the end", 0 },
	{ "quiet", OPT_TRY_QUIET, 0, 0, "show no progress", 0 },
	{ 0 }
};

struct try_command {
	struct experiment_command run;
	struct vary vary;
	const char *site, *perturb;
};

static error_t vary_take(struct argp_state *state, const char *option, char *arg, struct vary *vary,
			 int (*take)(struct vary *, const char *, struct wt_error *))
{
	struct wt_error error;

	if (take(vary, arg, &error) == 0)
		return 0;
	argp_error(state, "--%s: %s", option, error.text);
	return EINVAL;
}

static error_t count_parse(int key, char *arg, struct argp_state *state, struct try_command *cmd)
{
	uint64_t n = 0;
	error_t rc;

	switch (key) {
	case OPT_TRY_REPEAT:
		rc = argv_number_take(state, "repeat", arg, 1, EXPERIMENT_REPEAT_MAX, &n);
		cmd->vary.repeat = rc ? 0 : (unsigned int) n;
		return rc;
	case OPT_TRY_JOBS:
		rc = argv_number_take(state, "jobs", arg, 1, 1024, &n);
		cmd->run.engine.jobs = rc ? 0 : (unsigned int) n;
		return rc;
	case OPT_TRY_SEED:
		return argv_number_take(state, "seed", arg, 0, UINT64_MAX - EXPERIMENT_REPEAT_MAX, &cmd->vary.seed);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t flag_parse(int key, char *arg, struct argp_state *state, struct try_command *cmd)
{
	switch (key) {
	case OPT_TRY_KEEP_GOING:
		cmd->run.engine.keep_going = true;
		return 0;
	case OPT_TRY_DRY_RUN:
		cmd->run.dry_run = true;
		return 0;
	case OPT_TRY_NO_REPORT:
		cmd->run.report = false;
		return 0;
	case OPT_TRY_JSON:
		cmd->run.json = true;
		return 0;
	case OPT_TRY_QUIET:
		cmd->run.engine.quiet = true;
		return 0;
	default:
		return count_parse(key, arg, state, cmd);
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct try_command *cmd = state->input;

	switch (key) {
	case OPT_TRY_VARY:
		return vary_take(state, "vary", arg, &cmd->vary, wt_vary_axis);
	case OPT_TRY_WITH:
		return vary_take(state, "with", arg, &cmd->vary, wt_vary_setting);
	case OPT_TRY_PERTURB:
		cmd->perturb = arg;
		return 0;
	case OPT_TRY_OUTPUT:
		cmd->run.output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (cmd->site)
			argp_error(state, "give one site's folder");
		cmd->site = arg;
		return 0;
	case ARGP_KEY_END:
		if (!cmd->site || !*cmd->site)
			argp_error(state, "give the site's folder, which 'windtunnel site import' makes");
		if (!cmd->vary.axis_count)
			argp_error(state, "give what is changed: --vary 'bf_interval=site,120,300', say");
		return 0;
	default:
		return flag_parse(key, arg, state, cmd);
	}
}

/* The folder's absolute path: the file may be run again from anywhere. */
static int site_find(const struct try_command *cmd, char real[PATH_MAX], struct wt_error *errp)
{
	static const char *const files[] = { "slurm.conf", "jobs.jsonl" };
	bool own_jobs = !experiment_settings_find(&cmd->vary.settings, "workload", "kind");

	if (!realpath(cmd->site, real))
		return wt_error_errno(errp, errno, "%s", cmd->site);
	for (size_t i = 0; i < 1 + (size_t) own_jobs; i++) {
		char *path = wt_str_format("%s/%s", real, files[i]);
		int there = path ? access(path, R_OK) : -1;

		free(path);
		if (!path)
			return wt_error_errno(errp, ENOMEM, "%s", cmd->site);
		if (there < 0)
			return wt_error_errno(errp, errno, "%s/%s: is it a site's folder%s?", cmd->site, files[i],
					      i ? " with jobs" : "");
	}
	return 0;
}

static char *output_default(const char *site)
{
	const char *slash = strrchr(site, '/');

	return wt_str_format("try-%s", slash && slash[1] ? slash + 1 : "site");
}

static int perturb_put(struct try_command *cmd, struct wt_error *errp)
{
	const char *model = cmd->perturb ? cmd->perturb : PERTURB_DEFAULT;
	char *setting;
	int rc;

	if (!strcmp(model, "none") ||
	    (!cmd->perturb && experiment_settings_find(&cmd->vary.settings, "workload", "perturb")))
		return 0;
	for (size_t a = 0; a < cmd->vary.axis_count; a++)
		if (!strcmp(cmd->vary.axes[a].section, "workload") && !strcmp(cmd->vary.axes[a].key, "perturb"))
			return 0;
	setting = wt_str_format("workload.perturb=%s", model);
	rc = setting ? wt_vary_setting(&cmd->vary, setting, errp) : wt_error_errno(errp, ENOMEM, "perturb");
	free(setting);
	return rc;
}

static int try_run(struct try_command *cmd, int argc, char **argv)
{
	char site[PATH_MAX], *command = argv_words("Made by: windtunnel try", argc, argv);
	char *output = NULL, *file = NULL, *text = NULL;
	struct wt_error error = { "" };
	int status = -1;

	if (!command)
		wt_error_errno(&error, ENOMEM, "command");
	else if (site_find(cmd, site, &error) == 0 && perturb_put(cmd, &error) == 0) {
		cmd->vary.site = site;
		cmd->vary.command = command;
		output = cmd->run.output ? strdup(cmd->run.output) : output_default(site);
		file = output ? wt_str_format("%s/experiment.yaml", output) : NULL;
		text = file ? wt_vary_file(&cmd->vary, &error) : NULL;
		if (!file)
			wt_error_errno(&error, ENOMEM, "experiment");
	}
	if (text) {
		cmd->run.output = output;
		cmd->run.file = file;
		cmd->run.text = text;
		status = experiment_command_end(&cmd->run, argv[0]);
	} else {
		fprintf(stderr, "%s: %s\n", argv[0], error.text);
		status = errno == EINVAL ? 2 : 1;
	}
	free(command);
	free(output);
	free(file);
	free(text);
	return status;
}

int wt_verb_try(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option_parse,
		.args_doc = "SITE",
		.doc = "Run a site's own jobs on its own cluster with a setting as it is and changed, and tell who waits "
		       "longer and who less: by account, partition, QOS and size.\v"
		       "NAME is a key of slurm.conf (EpilogMsgTime), a word of its SchedulerParameters (bf_interval), or a "
		       "setting of windtunnel-experiment(5) (plugin).",
	};
	struct try_command cmd = { .run.report = true, .vary = { .seed = 1, .repeat = REPEAT_DEFAULT } };
	int status;

	argp_err_exit_status = 2;
	status = wt_options_parse(&argp, argc, argv, 0, &cmd) ? 2 : try_run(&cmd, argc, argv);
	wt_vary_clear(&cmd.vary);
	return status;
}
