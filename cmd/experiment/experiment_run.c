/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel experiment run, check. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/experiment/expectations.h"
#include "cmd/experiment/experiment_command.h"
#include "cmd/experiment/experiment_lock.h"
#include "cmd/experiment/experiment_verb.h"
#include "harness/experiment/array_job.h"
#include "harness/experiment/experiment_results.h"
#include "harness/experiment/settings_check.h"
#include "harness/experiment/try_out.h"
#include "harness/report/case_waits.h"
#include "harness/run/run_lock.h"
#include "lib/fs.h"
#include "lib/options.h"
#include "lib/str.h"

#define UNTIL_REPEAT_DEFAULT 100
#define EXIT_OPEN            3 /* check: more runs would be needed to tell */

enum {
	OPT_OUTPUT = 0x6000,
	OPT_VARIANT,
	OPT_REPEAT,
	OPT_UNTIL,
	OPT_RESUME,
	OPT_JOBS,
	OPT_KEEP_GOING,
	OPT_DRY_RUN,
	OPT_QUIET,
	OPT_JSON,
	OPT_EXPECT,
	OPT_NO_REPORT,
	OPT_ON,
};

static const struct argp_option options[] = {
	{ "output", OPT_OUTPUT, "DIR", 0,
	  "the experiment's folder: new or empty (default: the file's name without its ending, here)", 0 },
	{ "variant", OPT_VARIANT, "NAME", 0, "run only this variant, or the cases of this name ('stock, *')", 0 },
	{ "repeat", OPT_REPEAT, "N", 0, "runs of each case, in place of the file's", 0 },
	{ "repeat-until", OPT_UNTIL, "PRECISION", 0,
	  "add runs until each case has it, as ci95(makespan)<0.5%; --repeat is then the most (default 100)", 0 },
	{ "resume", OPT_RESUME, 0, 0, "keep what is finished in the folder and run what is missing", 0 },
	{ "jobs", OPT_JOBS, "N", 0,
	  "runs at once (default: 1; in virtual time with a charge of none or cpu as many as CPUs and memory allow)", 0 },
	{ "on", OPT_ON, "slurm[:PARTITION]", 0,
	  "each run is a task of a job array of the Slurm cluster that sbatch finds; --jobs is then the most at once", 0 },
	{ "keep-going", OPT_KEEP_GOING, 0, 0, "go on after a run that failed", 0 },
	{ "dry-run", OPT_DRY_RUN, 0, 0, "print the cases and their commands, check each, and run nothing", 0 },
	{ "no-report", OPT_NO_REPORT, 0, 0, "write no report.html at the end", 0 },
	{ "json", OPT_JSON, 0, 0, "print JSON at the end", 0 },
	{ "quiet", OPT_QUIET, 0, 0, "show no progress", 0 },
	{ 0 }
};
static const struct argp_option check_options[] = {
	{ "expect", OPT_EXPECT, "BOUND", 0,
	  "what has to hold for each case beside the first, as 'wait_mean_s <= +2%'; may be repeated", 0 },
	{ 0 }
};

static int number_parse(struct argp_state *state, const char *name, const char *text, unsigned int max, unsigned int *value)
{
	struct wt_error error;
	uint64_t n;

	if (wt_str_to_u64(text, 1, max, name, &n, &error) < 0) {
		argp_error(state, "--%s %s: give a whole number from 1 to %u", name, text, max);
		return EINVAL;
	}
	*value = (unsigned int) n;
	return 0;
}

static int until_parse(struct argp_state *state, struct experiment_command *cmd, const char *text)
{
	struct wt_error error;

	if (precision_parse(&cmd->until, text, &error) < 0) {
		argp_error(state, "--repeat-until %s", error.text);
		return EINVAL;
	}
	cmd->engine.until = &cmd->until;
	cmd->until_text = text;
	return 0;
}

static int on_parse(struct argp_state *state, struct experiment_command *cmd, const char *text)
{
	if (strcmp(text, "slurm") && (strncmp(text, "slurm:", 6) || !text[6])) {
		argp_error(state, "--on %s: give slurm or slurm:PARTITION", text);
		return EINVAL;
	}
	cmd->engine.on = text[5] ? text + 6 : "";
	return 0;
}

static error_t flag_parse(int key, struct experiment_command *cmd)
{
	switch (key) {
	case OPT_RESUME:
		cmd->resume = true;
		return 0;
	case OPT_KEEP_GOING:
		cmd->engine.keep_going = true;
		return 0;
	case OPT_DRY_RUN:
		cmd->dry_run = true;
		return 0;
	case OPT_NO_REPORT:
		cmd->report = false;
		return 0;
	case OPT_JSON:
		cmd->json = true;
		return 0;
	case OPT_QUIET:
		cmd->engine.quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct experiment_command *cmd = state->input;

	switch (key) {
	case OPT_OUTPUT:
		cmd->output = arg;
		return 0;
	case OPT_VARIANT:
		cmd->variant = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (cmd->file)
			argp_error(state, "give one file");
		cmd->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!cmd->file || !*cmd->file)
			argp_error(state, "give the experiment's file");
		return 0;
	case OPT_REPEAT:
		return number_parse(state, "repeat", arg, EXPERIMENT_REPEAT_MAX, &cmd->engine.repeat);
	case OPT_UNTIL:
		return until_parse(state, cmd, arg);
	case OPT_ON:
		return on_parse(state, cmd, arg);
	case OPT_JOBS:
		return number_parse(state, "jobs", arg, 1024, &cmd->engine.jobs);
	default:
		return flag_parse(key, cmd);
	}
}

static const struct argp run_argp = {
	.options = options,
	.parser = option_parse,
	.args_doc = "FILE",
	.doc = "Run the experiment that FILE (YAML, windtunnel-experiment(5)) describes: each case as often as it says, in "
	       "turns, and then all cases side by side.",
};

static int expectation_add(struct argp_state *state, struct experiment_command *cmd, const char *text)
{
	struct expectation *more = reallocarray(cmd->expectations, cmd->expectation_count + 1, sizeof(*more));
	struct wt_error error;

	if (!more)
		return ENOMEM;
	cmd->expectations = more;
	if (expectation_parse(&more[cmd->expectation_count], text, &error) < 0) {
		argp_error(state, "--expect %s", error.text);
		return EINVAL;
	}
	cmd->expectation_count++;
	return 0;
}

static error_t check_parse(int key, char *arg, struct argp_state *state)
{
	struct experiment_command *cmd = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = cmd;
		return 0;
	case OPT_EXPECT:
		return expectation_add(state, cmd, arg);
	case ARGP_KEY_END:
		if (!cmd->expectation_count)
			argp_error(state, "give what is expected: --expect 'wait_mean_s <= +2%%', say");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child check_children[] = { { &run_argp, 0, NULL, 0 }, { 0 } };
static const struct argp check_argp = {
	.options = check_options,
	.parser = check_parse,
	.children = check_children,
	.args_doc = "FILE",
	.doc = "Run an experiment, and end with 0 when each --expect holds for each case beside the first, with 1 when one "
	       "is broken, and with 3 when more runs would be needed to tell.",
};

static char *output_default(const char *file)
{
	const char *base = strrchr(file, '/'), *dot;

	base = base ? base + 1 : file;
	dot = strrchr(base, '.');
	return strndup(base, dot && dot > base ? (size_t) (dot - base) : strlen(base));
}

/* "light-esp" of an experiment may not be another's folder, nor anything else's. */
static int folder_take(const char *dir, bool resume, struct wt_error *errp)
{
	char *index;
	int there;

	if (mkdir(dir, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return wt_error_errno(errp, errno, "%s", dir);
	index = wt_str_format("%s/index.sqlite", dir);
	if (!index)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	there = access(index, F_OK) == 0;
	free(index);
	if (there && resume)
		return 0;
	if (there)
		return wt_error_set(errp, EEXIST,
				    "%s has an experiment already: go on with it by --resume, or take another --output",
				    dir);
	/* rmdir (2) succeeds only on an empty folder: no look and change between which something could come. */
	if (rmdir(dir) < 0 || mkdir(dir, 0777) < 0)
		return resume ? 0
			      : wt_error_set(errp, EEXIST, "%s is there, and not an empty folder: take another --output",
					     dir);
	return 0;
}

/* The folder tells what was run: the file's bytes of the last call. */
static int file_keep(const struct experiment_command *cmd, const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/experiment.yaml", dir), *text = NULL;
	size_t len = cmd->text ? strlen(cmd->text) : 0;
	int rc = path ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);

	if (rc == 0 && !cmd->text)
		rc = wt_fs_read(cmd->file, (size_t) 1 << 20, &text, &len, errp);
	if (rc == 0)
		rc = wt_fs_write(path, cmd->text ? cmd->text : text, len, 0644, errp);
	free(text);
	free(path);
	return rc;
}

static void plan_print(const struct experiment *e, const struct experiment_plan *plan, unsigned int repeat)
{
	unsigned int cases = 0;

	if (*e->title)
		printf("%s\n", e->title);
	for (size_t i = 0; i < plan->count; i++) {
		const struct experiment_case *c = &plan->cases[i];

		if (!c->wanted)
			continue;
		cases++;
		printf("\n%s\n  windtunnel %s", c->name, c->verb);
		for (size_t o = 0; o < c->option_count; o++) {
			char *quoted = wt_str_shell_quote(c->options[o]);

			printf(" %s", quoted ? quoted : c->options[o]);
			free(quoted);
		}
		putchar('\n');
	}
	printf("\n%u cases, %u runs of each, seeds from %llu on\n", cases, repeat, (unsigned long long) e->seed);
}

/* In a process of its own, which trusts the folder no more than a stranger's. */
static void report_write(const char *dir, bool json)
{
	char program[] = "windtunnel", verb[] = "report", end[] = "--", *folder = strdup(dir);
	char *argv[] = { program, verb, end, folder, NULL };
	int status = 1;
	pid_t pid = -1;

	fflush(stdout);
	if (folder)
		pid = fork();
	if (pid == 0) {
		if (json)	/* standard output is one JSON value, which is there already */
			dup2(STDERR_FILENO, STDOUT_FILENO);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		fprintf(stderr, "windtunnel experiment: no report could be written of %s; the runs are there\n", dir);
	free(folder);
}

/* The worst verdict goes to *worst. */
static int results_json(const struct experiment_command *cmd, const struct wt_cases *r, enum expectation_verdict *worst,
			struct wt_error *errp)
{
	json_t *json = experiment_results_json(r), *all = json_array();
	int rc = json && all ? 0 : wt_error_errno(errp, ENOMEM, "results");

	if (rc == 0) {
		rc = expectations_judge(cmd->expectations, cmd->expectation_count, r, all, worst, errp);
		if (rc == 0 && cmd->expectation_count && json_object_set(json, "expectations", all) < 0)
			rc = wt_error_errno(errp, ENOMEM, "results");
	}
	if (rc == 0)
		rc = wt_json_print(stdout, json, errp);
	json_decref(all);
	json_decref(json);
	return rc;
}

static int results_show(const struct experiment_command *cmd, const char *dir, struct wt_error *errp)
{
	enum expectation_verdict worst = EXPECTATION_HOLDS;
	struct wt_cases r;
	int rc = experiment_results_read(&r, dir, NULL, errp);

	if (rc == 0)
		rc = wt_case_waits_read(&r, errp);
	if (rc == 0 && cmd->json) {
		rc = results_json(cmd, &r, &worst, errp);
	} else if (rc == 0) {
		rc = experiment_results_print(stdout, &r) < 0 ? wt_error_errno(errp, ENOMEM, "%s", dir) : 0;
		if (rc == 0)
			rc = expectations_judge(cmd->expectations, cmd->expectation_count, &r, NULL, &worst, errp);
	}
	wt_cases_clear(&r);
	if (rc < 0)
		return -1;
	return worst == EXPECTATION_HOLDS ? 0 : worst == EXPECTATION_BROKEN ? 1 : EXIT_OPEN;
}

static void quoted_add(struct wt_str *s, const char *before, const char *text)
{
	bool plain = *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+-")];
	char *quoted = plain ? NULL : wt_str_shell_quote(text);

	wt_str_printf(s, "%s%s", before, quoted ? quoted : text);
	free(quoted);
}

/* All that decides what is run and said. */
static void again_tell(const struct experiment_command *cmd, const char *dir)
{
	const char *on = cmd->engine.on;
	struct wt_str s = { 0 };
	char *text;

	if (cmd->again) {
		fprintf(stderr, "windtunnel experiment: interrupted; go on with: %s\n", cmd->again);
		return;
	}
	wt_str_printf(&s, "windtunnel experiment %s", cmd->expectation_count ? "check" : "run");
	if (on)
		quoted_add(&s, *on ? " --on slurm:" : " --on slurm", on);
	quoted_add(&s, " --resume --output ", dir);
	if (cmd->variant)
		quoted_add(&s, " --variant ", cmd->variant);
	if (cmd->repeat_given)
		wt_str_printf(&s, " --repeat %u", cmd->engine.repeat);
	if (cmd->until_text)
		quoted_add(&s, " --repeat-until ", cmd->until_text);
	if (cmd->engine.keep_going)
		wt_str_add(&s, " --keep-going");
	for (size_t i = 0; i < cmd->expectation_count; i++)
		quoted_add(&s, " --expect ", cmd->expectations[i].text);
	quoted_add(&s, " ", cmd->file);
	text = wt_str_take(&s);
	fprintf(stderr, "windtunnel experiment: interrupted; go on with: %s\n", text ? text : "the same and --resume");
	free(text);
}

static void interruption_tell(const struct experiment_command *cmd, const char *dir, const struct engine_result *result)
{
	const char *on = cmd->engine.on;

	if (*result->array.id)
		fprintf(stderr, "windtunnel experiment: job array %s goes on; scancel %s ends it\n", result->array.id,
			result->array.id);
	else if (*result->array.name)
		fprintf(stderr, "windtunnel experiment: job array %s goes on, if sbatch came so far; "
				"scancel --name=%s ends it\n", result->array.name, result->array.name);
	else if (on)
		fprintf(stderr, "windtunnel experiment: tasks of the job array were cancelled\n");
	again_tell(cmd, dir);
}

static int engine_status(const struct experiment_command *cmd, const char *dir, const struct engine_result *result,
			 struct wt_error *errp)
{
	int shown;

	if (result->interrupted) {
		interruption_tell(cmd, dir, result);
		return 130;
	}
	if (cmd->part)
		return result->refused ? 2 : result->failed ? 1 : 0;
	shown = results_show(cmd, dir, errp);
	if (shown < 0)
		return -1;
	if (result->unmeasured)
		fprintf(stderr, "windtunnel experiment: the precision cannot be reached: no run of %s has %s\n",
			result->unmeasured, wt_figure_infos[cmd->engine.until->figure].key);
	else if (cmd->engine.until && !result->failed)
		fprintf(stderr, "windtunnel experiment: %s after %u runs of each case\n",
			result->reached ? "the precision was reached" : "the precision was not reached", result->rounds);
	if (cmd->report && result->ended + result->found > result->failed)
		report_write(dir, cmd->json);
	fprintf(cmd->json ? stderr : stdout, "experiment folder: %s\n", dir);
	return result->failed ? 1 : shown;
}

static int plan_run(const struct experiment_command *cmd, const struct experiment *e, const struct experiment_plan *plan,
		    struct wt_error *errp)
{
	char *dir = cmd->output ? strdup(cmd->output) : output_default(cmd->file);
	struct experiment_index *index = NULL;
	struct engine_result result;
	int rc = dir ? 0 : wt_error_errno(errp, ENOMEM, "%s", cmd->file), lock = -1;

	if (rc == 0 && cmd->engine.on)
		rc = array_job_check(errp);
	if (rc == 0)
		rc = folder_take(dir, cmd->resume, errp);
	if (rc == 0)
		rc = lock = experiment_lock_take(dir, errp);
	if (rc >= 0)
		rc = cmd->resume && !cmd->engine.on ? experiment_runs_await(dir, plan, errp) : 0;
	if (rc == 0) {
		index = experiment_index_open(dir, true, errp);
		rc = index ? experiment_index_plan(index, e, plan, errp) : -1;
	}
	/* Behind what may refuse it: the file of a command that ran nothing is not what the folder's runs are of. */
	if (rc == 0)
		rc = file_keep(cmd, dir, errp);
	if (rc == 0)
		rc = engine_run(dir, e, plan, index, &cmd->engine, &result, errp);
	experiment_index_close(index);
	run_lock_drop(dir, lock);
	if (rc == 0)
		rc = engine_status(cmd, dir, &result, errp);
	free(dir);
	return rc;
}

/* Without a word in the file an experiment is about these. */
static int figures_default(struct experiment *e)
{
	static const enum wt_figure_id usual[] = { WT_FIG_MAKESPAN, WT_FIG_WAIT_MEAN, WT_FIG_UTILIZATION };

	if (e->figure_count)
		return 0;
	e->figures = malloc(sizeof(usual));
	if (!e->figures)
		return -1;
	memcpy(e->figures, usual, sizeof(usual));
	e->figure_count = sizeof(usual) / sizeof(usual[0]);
	return 0;
}

/* What is expected has to be measured and compared. */
static int figures_expected(struct experiment *e, const struct experiment_command *cmd)
{
	for (size_t i = 0; i < cmd->expectation_count; i++) {
		enum wt_figure_id *figures;
		bool there = false;

		for (size_t f = 0; f < e->figure_count; f++)
			there = there || e->figures[f] == cmd->expectations[i].figure;
		if (there)
			continue;
		figures = reallocarray(e->figures, e->figure_count + 1, sizeof(*figures));
		if (!figures)
			return -1;
		e->figures = figures;
		e->figures[e->figure_count++] = cmd->expectations[i].figure;
	}
	return 0;
}

static void repeat_choose(struct experiment_command *cmd, const struct experiment *e)
{
	cmd->repeat_given = cmd->engine.repeat > 0;
	if (!cmd->repeat_given)
		cmd->engine.repeat = cmd->engine.until ? UNTIL_REPEAT_DEFAULT : e->repeat;
}

/* The exit status, or -1. */
static int command_run(struct experiment_command *cmd, struct wt_error *errp)
{
	struct experiment_plan plan = { 0 };
	struct experiment e;
	int rc = cmd->text ? experiment_parse(&e, cmd->file, cmd->text, strlen(cmd->text), errp)
			   : experiment_read(&e, cmd->file, errp);

	/* A file that cannot be read is none: check's status of 1 says that a bound is broken. */
	if (rc < 0 && errno != ENOMEM)
		errno = EINVAL;
	if (rc == 0 && (figures_default(&e) < 0 || figures_expected(&e, cmd) < 0))
		rc = wt_error_errno(errp, ENOMEM, "%s", cmd->file);
	if (rc == 0)
		rc = settings_check(&e, errp);
	if (rc == 0)
		rc = experiment_plan_make(&plan, &e, cmd->variant, errp);
	if (rc == 0) {
		repeat_choose(cmd, &e);
		rc = try_out_plan(&plan, cmd->file, errp);
	}
	if (rc == 0 && cmd->dry_run)
		plan_print(&e, &plan, cmd->engine.repeat);
	else if (rc == 0)
		rc = plan_run(cmd, &e, &plan, errp);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	return rc;
}

int experiment_command_end(struct experiment_command *cmd, const char *verb)
{
	struct wt_error error = { "" };
	int status = command_run(cmd, &error);

	if (status < 0) {
		fprintf(stderr, "%s: %s\n", verb, error.text);
		return errno == EINVAL ? 2 : 1;
	}
	if ((fflush(stdout) != 0 || ferror(stdout)) && !status) {
		fprintf(stderr, "%s: standard output could not be written\n", verb);
		return 1;
	}
	return status;
}

static int verb_run(const struct argp *argp, int argc, char **argv)
{
	struct experiment_command cmd = { .report = true };
	int status;

	argp_err_exit_status = 2;
	status = wt_options_parse(argp, argc, argv, 0, &cmd) ? 2 : experiment_command_end(&cmd, argv[0]);
	free(cmd.expectations);
	return status;
}

int cmd_experiment_run(int argc, char **argv)
{
	return verb_run(&run_argp, argc, argv);
}

int cmd_experiment_check(int argc, char **argv)
{
	return verb_run(&check_argp, argc, argv);
}
