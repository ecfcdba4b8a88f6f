/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel twin: the same workload on a real cluster and on its emulation. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/experiment/argv_words.h"
#include "cmd/experiment/experiment_command.h"
#include "cmd/experiment/twin_target.h"
#include "cmd/verbs.h"
#include "harness/experiment/twin.h"
#include "harness/experiment/vary.h"
#include "harness/report/calibration.h"
#include "harness/report/report.h"
#include "harness/report/run_set.h"
#include "lib/options.h"
#include "lib/str.h"

#define REPEAT_DEFAULT 4
#define OUTPUT_DEFAULT "twin"
#define CONF_DEFAULT   "/etc/slurm/slurm.conf" /* Debian's; see slurm.conf(5) */

enum {
	OPT_TWIN_WITH = 0x6300,
	OPT_TWIN_EMULATE,
	OPT_TWIN_SITE,
	OPT_TWIN_PARTITION,
	OPT_TWIN_RESERVATION,
	OPT_TWIN_ACCOUNT,
	OPT_TWIN_QOS,
	OPT_TWIN_MAX_NODES,
	OPT_TWIN_MAX_JOBS,
	OPT_TWIN_MAX_NODE_HOURS,
	OPT_TWIN_SHARED,
	OPT_TWIN_REPEAT,
	OPT_TWIN_SEED,
	OPT_TWIN_OUTPUT,
	OPT_TWIN_RESUME,
	OPT_TWIN_DRY_RUN,
	OPT_TWIN_NO_REPORT,
	OPT_TWIN_JSON,
	OPT_TWIN_QUIET,
};

static const struct argp_option options[] = {
	{ "with", OPT_TWIN_WITH, "NAME=VALUE", 0,
	  "a setting of the workload: workload.kind=burst, time-scale=0.1 (default: Light-ESP); may be repeated", 0 },
	{ "emulate", OPT_TWIN_EMULATE, "NAME=VALUE", 0, "a setting of the emulation alone; may be repeated", 0 },
	{ "site", OPT_TWIN_SITE, "SITE", 0, "emulate the cluster of this folder, which 'windtunnel site import' made", 0 },
	{ "partition", OPT_TWIN_PARTITION, "NAME", 0, "of the real cluster (default: its default one)", 1 },
	{ "reservation", OPT_TWIN_RESERVATION, "NAME", WT_OPTION_RARE, "use this reservation's nodes", 1 },
	{ "account", OPT_TWIN_ACCOUNT, "NAME", WT_OPTION_RARE, "of the jobs there", 1 },
	{ "qos", OPT_TWIN_QOS, "NAME", WT_OPTION_RARE, "of the jobs there", 1 },
	{ "max-nodes", OPT_TWIN_MAX_NODES, "N", 0, "use so many nodes", 1 },
	{ "max-jobs", OPT_TWIN_MAX_JOBS, "N", WT_OPTION_RARE, "refuse a workload of more jobs", 1 },
	{ "max-node-hours", OPT_TWIN_MAX_NODE_HOURS, "X", 0, "refuse, and stop at, more in one run", 1 },
	{ "shared", OPT_TWIN_SHARED, 0, WT_OPTION_RARE, "submit although others have jobs there", 1 },
	{ "repeat", OPT_TWIN_REPEAT, "N", 0, "runs of each (default: 4)", 2 },
	{ "seed", OPT_TWIN_SEED, "N", WT_OPTION_RARE, "of the first of them (default: 1)", 2 },
	{ "output", OPT_TWIN_OUTPUT, "DIR", 0, "the experiment's folder: new or empty (default: twin)", 2 },
	{ "resume", OPT_TWIN_RESUME, 0, 0, "keep what is finished in the folder and run what is missing", 2 },
	{ "dry-run", OPT_TWIN_DRY_RUN, 0, 0, "say what a run would take of the real cluster, and run nothing", 2 },
	{ "no-report", OPT_TWIN_NO_REPORT, 0, WT_OPTION_RARE, "write no report.html at the end", 2 },
	{ "json", OPT_TWIN_JSON, 0, WT_OPTION_RARE, "print JSON at the end", 2 },
	{ "quiet", OPT_TWIN_QUIET, 0, 0, "show no progress", 2 },
	{ 0 }
};

struct twin_command {
	struct experiment_command run;
	struct vary both, emulated; /* their settings alone */
	struct twin_plan twin;
	bool out_of_memory;
};

static void setting_put(struct twin_command *cmd, struct experiment_settings *all, const char *key, const char *value)
{
	static char section[] = "cluster";
	struct experiment_setting s = { section, (char *) key, (char *) value, 0 };

	cmd->out_of_memory |= experiment_settings_put(all, &s) < 0;
}

/* What is set for both must not be the real cluster's: that one stays as it is. */
static error_t vary_take(struct argp_state *state, const char *option, const char *arg, struct vary *vary, bool both)
{
	const struct experiment_setting *last;
	struct wt_error error;
	bool of_both;

	if (wt_vary_setting(vary, arg, &error) < 0) {
		argp_error(state, "--%s: %s", option, error.text);
		return EINVAL;
	}
	last = &vary->settings.items[vary->settings.count - 1];
	of_both = !strcmp(last->section, "workload") || !strcmp(last->section, "run");
	if (of_both == both)
		return 0;
	if (both)
		argp_error(state, "--with %s: the real cluster stays as it is; for the emulation alone: --emulate %s", arg,
			   arg);
	else
		argp_error(state, "--emulate %s: both get the same workload; give --with %s", arg, arg);
	return EINVAL;
}

static error_t number_parse(int key, const char *arg, struct argp_state *state, struct twin_command *cmd)
{
	uint64_t n = 0;
	error_t rc;

	switch (key) {
	case OPT_TWIN_REPEAT:
		rc = argv_number_take(state, "repeat", arg, 1, EXPERIMENT_REPEAT_MAX, &n);
		cmd->twin.repeat = rc ? 0 : (unsigned int) n;
		return rc;
	case OPT_TWIN_SEED:
		return argv_number_take(state, "seed", arg, 0, UINT64_MAX - EXPERIMENT_REPEAT_MAX, &cmd->twin.seed);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t flag_parse(int key, const char *arg, struct argp_state *state, struct twin_command *cmd)
{
	switch (key) {
	case OPT_TWIN_SHARED:
		setting_put(cmd, &cmd->twin.real, "shared", "yes");
		return 0;
	case OPT_TWIN_RESUME:
		cmd->run.resume = true;
		return 0;
	case OPT_TWIN_DRY_RUN:
		cmd->run.dry_run = true;
		return 0;
	case OPT_TWIN_NO_REPORT:
		cmd->run.report = false;
		return 0;
	case OPT_TWIN_JSON:
		cmd->run.json = true;
		return 0;
	case OPT_TWIN_QUIET:
		cmd->run.engine.quiet = true;
		return 0;
	default:
		return number_parse(key, arg, state, cmd);
	}
}

/* The options of the real run have the names of their settings. */
static error_t real_parse(int key, const char *arg, struct argp_state *state, struct twin_command *cmd)
{
	if (key >= OPT_TWIN_PARTITION && key <= OPT_TWIN_MAX_NODE_HOURS)
		for (const struct argp_option *o = options; o->name; o++)
			if (o->key == key) {
				setting_put(cmd, &cmd->twin.real, o->name, arg);
				return 0;
			}
	return flag_parse(key, arg, state, cmd);
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct twin_command *cmd = state->input;
	char site[PATH_MAX];

	switch (key) {
	case OPT_TWIN_WITH:
		return vary_take(state, "with", arg, &cmd->both, true);
	case OPT_TWIN_EMULATE:
		return vary_take(state, "emulate", arg, &cmd->emulated, false);
	case OPT_TWIN_SITE:
		if (!realpath(arg, site))
			argp_error(state, "--site %s: %s", arg, strerror(errno));
		else
			setting_put(cmd, &cmd->emulated.settings, "site", site);
		return 0;
	case OPT_TWIN_OUTPUT:
		cmd->run.output = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is too much: the workload is given by --with", arg);
		return EINVAL;
	default:
		return real_parse(key, arg, state, cmd);
	}
}

/* Run the file's cases; the exit status, or -1 when there is no file. */
static int file_run(struct twin_command *cmd, bool part, const char *verb, struct wt_error *errp)
{
	struct experiment_command run = cmd->run;
	char *file = wt_str_format("%s/experiment.yaml", run.output), *text;
	int status = -1;

	text = file ? twin_file(&cmd->twin, errp) : NULL;
	if (!file)
		wt_error_errno(errp, ENOMEM, "experiment");
	if (text) {
		run.file = file;
		run.text = text;
		run.part = part;
		run.resume = run.resume || !part;
		status = experiment_command_end(&run, verb);
	}
	free(text);
	free(file);
	return status;
}

/* What the command that would run there says of it, which is then this process. */
static int real_try(struct twin_command *cmd, struct wt_error *errp)
{
	static char program[] = "windtunnel", dry_run[] = "--dry-run";
	struct experiment_plan plan = { 0 };
	struct experiment e = { 0 };
	char *text = twin_file(&cmd->twin, errp), **argv;
	int rc = text ? experiment_parse(&e, "twin", text, strlen(text), errp) : -1;

	if (rc == 0)
		rc = experiment_plan_make(&plan, &e, TWIN_REAL, errp);
	if (rc == 0) {
		argv = calloc(plan.cases[0].option_count + 4, sizeof(*argv));
		if (argv) {
			argv[0] = program;
			argv[1] = plan.cases[0].verb;
			for (size_t i = 0; i < plan.cases[0].option_count; i++)
				argv[i + 2] = plan.cases[0].options[i];
			argv[plan.cases[0].option_count + 2] = dry_run;
			execv("/proc/self/exe", argv);
		}
		wt_error_errno(errp, errno, "windtunnel %s", plan.cases[0].verb);
		free(argv);
	}
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	free(text);
	return -1;
}

static int runs_add(struct calibration *c, const struct wt_run_set *set, struct wt_error *errp)
{
	for (size_t i = 0; i < set->count; i++) {
		char *dir = wt_str_format("%s/%lu", set->path, set->runs[i].number);
		struct wt_record *record = dir ? wt_report_read(dir, errp) : NULL;

		if (!dir)
			wt_error_errno(errp, ENOMEM, "%s", set->path);
		free(dir);
		if (!record)
			return -1;
		calibration_add(c, record);
		wt_record_destroy(record);
	}
	return 0;
}

static void delays_tell(const struct calibration *c, const struct calibration_delays *d)
{
	fprintf(stderr, "windtunnel twin: %zu jobs of the real cluster took %.3f +- %.3f s longer than their run times "
		"(95 %%), each %.3f s more or less", c->jobs, d->launch_mean_s, 1.96 * d->launch_error_s,
		d->launch_deviation_s);
	if (isnan(d->epilog_mean_s))
		fprintf(stderr, "; how long nodes were completing is not seen there\n");
	else
		fprintf(stderr, "; a node was completing for %.3f s\n", d->epilog_mean_s);
	if (c->cut == c->jobs && c->jobs)
		fprintf(stderr, "windtunnel twin: its times are whole seconds: where jobs start in bursts the mean may be "
			"off by up to one\n");
}

/* What the runs on the real cluster tell of it. */
static int real_read(struct twin_command *cmd, char **launch, char **epilog, struct wt_error *errp)
{
	char *dir = wt_str_format("%s/" TWIN_REAL, cmd->run.output);
	struct wt_run_set set = { 0 };
	struct calibration c = { 0 };
	struct calibration_delays delays;
	int rc = dir ? wt_run_set_read(&set, dir, errp) : wt_error_errno(errp, ENOMEM, "%s", cmd->run.output);

	if (rc == 0)
		rc = runs_add(&c, &set, errp);
	if (rc == 0) {
		cmd->twin.nodes = set.nodes;
		calibration_delays(&c, &delays);
		rc = calibration_laws(&delays, launch, epilog, errp);
	}
	if (rc == 0 && !cmd->run.engine.quiet)
		delays_tell(&c, &delays);
	wt_run_set_clear(&set);
	free(dir);
	return rc;
}

/* Its Includes are looked for beside it, so its own place is better than a copy in the run's folder. */
static char *conf_find(struct wt_error *errp)
{
	const char *env = getenv("SLURM_CONF"), *path = env && *env ? env : CONF_DEFAULT;
	char *conf = realpath(path, NULL);

	if (!conf)
		wt_error_errno(errp, errno, "%s", path);
	return conf;
}

static int emulation_run(struct twin_command *cmd, const char *verb, struct wt_error *errp)
{
	char *launch = NULL, *epilog = NULL;
	int status = real_read(cmd, &launch, &epilog, errp);

	cmd->twin.launch = launch;
	cmd->twin.epilog = epilog;
	if (status == 0)
		status = file_run(cmd, false, verb, errp);
	free(launch);
	free(epilog);
	return status;
}

/* What of the real cluster decides what is emulated: looked at before it is asked for hours. */
static int target_look(struct twin_command *cmd, struct real_kind *kind, char *memory, size_t size, struct wt_error *errp)
{
	if (twin_target_look(kind, &cmd->twin, !cmd->run.dry_run && !cmd->run.resume, errp) < 0)
		return -1;
	cmd->twin.shape = kind->shape;
	if (kind->memory_mib) {
		snprintf(memory, size, "%" PRIu64, kind->memory_mib);
		cmd->twin.memory = memory;
	}
	cmd->twin.nodes = kind->nodes;
	if (twin_target_try(&cmd->twin, errp) < 0)
		return -1;
	cmd->twin.nodes = 0;
	return 0;
}

static int twin_run(struct twin_command *cmd, const char *verb, struct wt_error *errp)
{
	char *conf = conf_find(errp), memory[24];
	struct real_kind kind;
	int status = -1;

	cmd->twin.conf = conf;
	if (conf && target_look(cmd, &kind, memory, sizeof(memory), errp) == 0) {
		status = cmd->run.dry_run ? real_try(cmd, errp) : file_run(cmd, true, verb, errp);
		if (status == 0)
			status = emulation_run(cmd, verb, errp);
	}
	free(conf);
	return status;
}

static int twin_begin(struct twin_command *cmd, int argc, char **argv)
{
	char *made = argv_words("Made by: windtunnel twin", argc, argv);
	char *again = argv_words(cmd->run.resume ? "windtunnel twin" : "windtunnel twin --resume", argc, argv);
	struct wt_error error = { "" };
	int status = -1;

	setting_put(cmd, &cmd->twin.real, "real", "yes");
	if (!experiment_settings_find(&cmd->both.settings, "workload", "kind"))
		cmd->out_of_memory |= wt_vary_setting(&cmd->both, "workload.kind=light", &error) < 0;
	cmd->twin.both = cmd->both.settings;
	cmd->twin.emulated = cmd->emulated.settings;
	cmd->twin.command = made;
	cmd->run.again = again;
	if (made && again && !cmd->out_of_memory)
		status = twin_run(cmd, argv[0], &error);
	else
		wt_error_errno(&error, ENOMEM, "twin");
	if (status < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], error.text);
		status = errno == EINVAL ? 2 : 1;
	}
	free(made);
	free(again);
	return status;
}

int wt_verb_twin(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option_parse,
		.doc = "Run the same workload on the real cluster that SLURM_CONF names and on its emulation, without and "
		       "with the delays of the real nodes, and compare.\v"
		       "All runs on the real cluster come first: 'windtunnel twin --dry-run' says what they take.",
	};
	struct twin_command cmd = { .run = { .report = true, .output = OUTPUT_DEFAULT },
				    .twin = { .seed = 1, .repeat = REPEAT_DEFAULT } };
	int status;

	argp_err_exit_status = 2;
	status = wt_options_parse(&argp, argc, argv, 0, &cmd) ? 2 : twin_begin(&cmd, argc, argv);
	experiment_settings_clear(&cmd.twin.real);
	wt_vary_clear(&cmd.both);
	wt_vary_clear(&cmd.emulated);
	return status;
}
