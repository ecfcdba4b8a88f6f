/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/virtual.h"
#include "lib/clock.h"
#include "harness/live/live_request.h"
#include "lib/options.h"
#include "harness/run/run_profile.h"
#include "harness/run/scenario.h"
#include "harness/run/option_value.h"
#include "harness/run/scenario_private.h"

/* Between two questions for all jobs and nodes.  In virtual time nothing but them would happen most of the time, and their
 * answers cost the controller what the whole schedule does. */
#define INTERVAL_S 1
#define INTERVAL_VIRTUAL_S 10

enum {
	OPT_SEED = 0x3000, OPT_TIME_SCALE, OPT_REPEAT, OPT_DRY_RUN, OPT_OUTPUT, OPT_RESUME, OPT_CLUSTER,
	OPT_PARTITION, OPT_LIMIT_FACTOR, OPT_PROBE, OPT_SAMPLE_INTERVAL, OPT_TIMEOUT, OPT_JSON, OPT_QUIET,
	OPT_KEEP_GOING, OPT_CLOCK, OPT_CHARGE, OPT_SERVE, OPT_PERTURB, OPT_WORKLOAD_SEED, OPT_CANCEL_AFTER, OPT_PROFILE,
	OPT_COST,
};

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "Every workload:", 1 },
	{ "seed", OPT_SEED, "N", 0, "of what is random (default 1); the order and the waiting times of ESP", 1 },
	{ "time-scale", OPT_TIME_SCALE, "X", 0,
	  "multiply times by X (default 1); run times, waiting times and time limits alike", 1 },
	{ "limit-factor", OPT_LIMIT_FACTOR, "X", WT_OPTION_RARE,
	  "time limit = run time x X, rounded up to minutes (default 2)", 1 },
	{ "probe", OPT_PROBE, "KIND", WT_OPTION_RARE,
	  "what each job asks slurmctld when it starts; its run time begins with the answer: none, ping, job (job "
	  "information, "
	  "default) or step (step creation)", 1 },
	{ "perturb", OPT_PERTURB, "MODEL P", WT_OPTION_RARE,
	  "draw each run time around its own, limits stay: 'uniform P', 'normal P/2', 'normal P/3' or 'lognormal P', P in "
	  "percent", 1 },
	{ "workload-seed", OPT_WORKLOAD_SEED, "N", WT_OPTION_RARE,
	  "draw the workload with this seed in each run, and only what --perturb draws with the run's", 1 },
	{ 0, 0, 0, 0, "Where:", 2 },
	{ "cluster", OPT_CLUSTER, "NAME", 0, "a running cluster of 'windtunnel cluster'", 2 },
	{ "partition", OPT_PARTITION, "NAME", WT_OPTION_RARE, "submit there (default: the default partition)", 2 },
	{ 0, 0, 0, 0, "Run:", 4 },
	{ "clock", OPT_CLOCK, "real|virtual", 0, "live in real (default) or virtual time; virtual time passes only while "
	  "something happens, and needs a cluster of its own", 4 },
	{ "charge", OPT_CHARGE, "none|real|cpu[:X]", WT_OPTION_RARE,
	  "what a busy controller costs in virtual time: nothing, the time "
	  "that it takes (default), or the CPU time of its busiest thread, times X", 4 },
	{ "output", OPT_OUTPUT, "DIR", 0, "run folder: new or empty (default: WORKLOAD-DATE-TIME here)", 4 },
	{ "repeat", OPT_REPEAT, "N", 0, "N runs; in DIR/1 to DIR/N, with seeds SEED, SEED+1 and so on", 4 },
	{ "resume", OPT_RESUME, 0, WT_OPTION_RARE, "keep what is finished in DIR, run what is missing or was not finished",
	  4 },
	{ "keep-going", OPT_KEEP_GOING, 0, WT_OPTION_RARE,
	  "go on after a job that slurmctld refuses and after a run that failed", 4 },
	{ "cancel-after", OPT_CANCEL_AFTER, "S", WT_OPTION_RARE,
	  "when all jobs are submitted and none has waited for S seconds, cancel those that are left, as scancel does", 4 },
	{ "cost", OPT_COST, "[NODES:]KEY=VALUE", WT_OPTION_RARE,
	  "what nodes cost and draw, to be billed from what they did: price (of a node's hour), unit (S; each started one "
	  "in full), minimum (S), boot and stop (paid or free), idle-watts, busy-watts, boot-watts, stop-watts, off-watts; "
	  "may be repeated", 4 },
	{ "serve", OPT_SERVE, "ADDRESS:PORT", OPTION_ARG_OPTIONAL,
	  "a page of the run as it goes: prints its URL (default: a free port of 127.0.0.1); /metrics for Prometheus", 4 },
	{ "profile", OPT_PROFILE, "HZ", OPTION_ARG_OPTIONAL | WT_OPTION_RARE,
	  "tell where slurmctld's CPU time goes: by thread and queue length, and by function with so many samples of perf "
	  "in a second of it (default 49)", 4 },
	{ "timeout", OPT_TIMEOUT, "S", WT_OPTION_RARE,
	  "fail when nothing happens for S seconds (default: the longest run time + 600 s)", 4 },
	{ "sample-interval", OPT_SAMPLE_INTERVAL, "S", WT_OPTION_RARE,
	  "between two samples of series.csv (default 1, in virtual time 10)", 4 },
	{ "dry-run", OPT_DRY_RUN, 0, 0, "print the workload and touch nothing", 4 },
	{ "json", OPT_JSON, 0, WT_OPTION_RARE, "print summary.json (with --dry-run: the workload) instead of text", 4 },
	{ "quiet", OPT_QUIET, 0, WT_OPTION_RARE, "show no progress", 4 },
	{ 0 }
};

struct scenario_parse {
	struct wt_scenario *scenario;
	FILE *messages;		/* what argp and child parsers say */
};

static int text_take(struct argp_state *state, const char *option, const char *text, char **field)
{
	if (!*text) {
		argp_error(state, "--%s: the argument is empty", option);
		return EINVAL;
	}
	free(*field);
	*field = strdup(text);
	return *field ? 0 : ENOMEM;
}

static int probe_parse(struct argp_state *state, const char *text, enum wt_probe *probe)
{
	if (wt_probe_parse(text, probe) == 0)
		return 0;
	argp_error(state, "--probe %s: give none, ping, job or step", text);
	return EINVAL;
}

static int perturb_parse(struct argp_state *state, const char *text, struct wt_perturb *perturb)
{
	struct wt_error error;

	if (wt_perturb_parse(text, perturb, &error) == 0)
		return 0;
	argp_error(state, "--perturb %s", error.text);
	return EINVAL;
}

static int cost_take(struct argp_state *state, const char *text, struct cost_settings *settings)
{
	struct wt_error error;

	if (cost_settings_add(settings, text, &error) == 0)
		return 0;
	argp_error(state, "--cost %s", error.text);
	return EINVAL;
}

static int profile_take(struct argp_state *state, const char *hz, struct wt_scenario *scenario)
{
	uint64_t n = RUN_PROFILE_HZ;
	int rc = hz ? wt_option_whole(state, "profile", hz, 1, RUN_PROFILE_HZ_MAX, &n) : 0;

	scenario->profile_hz = rc ? 0 : (unsigned int) n;
	return rc;
}

static int workload_option(int key, char *arg, struct argp_state *state, struct wt_scenario *scenario)
{
	switch (key) {
	case OPT_SEED:
		return wt_option_whole(state, "seed", arg, 0, UINT64_MAX, &scenario->shared.seed);
	case OPT_TIME_SCALE:
		return wt_option_number(state, "time-scale", arg, 1e-6, 1000, &scenario->shared.time_scale);
	case OPT_LIMIT_FACTOR:
		return wt_option_number(state, "limit-factor", arg, 1, 1000, &scenario->shared.limit_factor);
	case OPT_PERTURB:
		return perturb_parse(state, arg, &scenario->perturb);
	case OPT_WORKLOAD_SEED:
		scenario->workload_seed_given = true;
		return wt_option_whole(state, "workload-seed", arg, 0, UINT64_MAX, &scenario->workload_seed);
	case OPT_COST:
		return cost_take(state, arg, &scenario->cost);
	case OPT_PROFILE:
		return profile_take(state, arg, scenario);
	case OPT_CANCEL_AFTER:
		scenario->cancel = true;
		return wt_option_number(state, "cancel-after", arg, 0, 1e8, &scenario->cancel_after_s);
	case OPT_PROBE:
		return probe_parse(state, arg, &scenario->probe);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int clock_option(int key, char *arg, struct argp_state *state, struct wt_scenario *scenario)
{
	struct wt_error error;

	switch (key) {
	case OPT_CLOCK:
		if (strcmp(arg, "real") && strcmp(arg, "virtual")) {
			argp_error(state, "--clock %s: give real or virtual", arg);
			return EINVAL;
		}
		scenario->virtual_clock = !strcmp(arg, "virtual");
		return 0;
	case OPT_CHARGE:
		if (wt_virtual_charge_check(arg, &error) < 0) {
			argp_error(state, "--charge %s: %s", arg, error.text);
			return EINVAL;
		}
		return text_take(state, "charge", arg, &scenario->charge);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int serve_take(struct argp_state *state, const char *address, struct wt_scenario *scenario)
{
	struct live_address parsed;
	struct wt_error error;

	scenario->serve = true;
	if (live_address_parse(address, &parsed, &error) < 0) {
		argp_error(state, "%s", error.text);
		return EINVAL;
	}
	return address ? text_take(state, "serve", address, &scenario->serve_address) : 0;
}

static int run_option(int key, char *arg, struct argp_state *state, struct wt_scenario *scenario)
{
	uint64_t n;
	int rc;

	switch (key) {
	case OPT_CLUSTER:
		return text_take(state, "cluster", arg, &scenario->cluster);
	case OPT_PARTITION:
		return text_take(state, "partition", arg, &scenario->partition);
	case OPT_OUTPUT:
		return text_take(state, "output", arg, &scenario->output);
	case OPT_REPEAT:
		rc = wt_option_whole(state, "repeat", arg, 1, 10000, &n);
		scenario->repeat = rc ? 0 : n;
		return rc;
	case OPT_TIMEOUT:
		return wt_option_number(state, "timeout", arg, 1, 1e6, &scenario->timeout_s);
	case OPT_SAMPLE_INTERVAL:
		return wt_option_number(state, "sample-interval", arg, 0.1, 3600, &scenario->sample_interval_s);
	case OPT_SERVE:
		return serve_take(state, arg, scenario);
	case OPT_RESUME:
		scenario->resume = true;
		return 0;
	case OPT_KEEP_GOING:
		scenario->keep_going = true;
		return 0;
	case OPT_DRY_RUN:
		scenario->dry_run = true;
		return 0;
	case OPT_JSON:
		scenario->json = true;
		return 0;
	case OPT_QUIET:
		scenario->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct scenario_parse *p = state->input;
	int rc;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &p->scenario->own_cluster;
		state->child_inputs[1] = p->scenario;
		state->child_inputs[2] = p->scenario;
		state->err_stream = p->messages;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected here", arg);
		return EINVAL;
	default:
		rc = workload_option(key, arg, state, p->scenario);
		if (rc == ARGP_ERR_UNKNOWN)
			rc = clock_option(key, arg, state, p->scenario);
		return rc == ARGP_ERR_UNKNOWN ? run_option(key, arg, state, p->scenario) : rc;
	}
}

static const struct argp_child children[] = {
	{ &wt_cluster_wanted_argp, 0, "A cluster of its own, made for the run and removed after it:", 3 },
	{ &run_real_argp, 0, NULL, 2 },
	{ &run_provision_argp, 0, NULL, 4 },
	{ 0 }
};
static const struct argp common_argp = { .options = options, .parser = option_parse, .children = children };

/* The verb's own options stand before those that all share. */
static error_t verb_parse(int key, char *arg, struct argp_state *state)
{
	struct scenario_parse *p = state->input;

	(void) arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = p;
	state->child_inputs[1] = p->scenario;
	return 0;
}

#define LAST_LINE "\vThe last line of the output is 'run folder: PATH'."
static const struct argp_child esp_children[] = { { &common_argp, 0, NULL, 2 }, { &wt_scenario_esp_argp, 0, NULL, 1 },
						  { 0 } };
static const struct argp esp_argp = {
	.parser = verb_parse, .children = esp_children,
	.doc = "Run ESP, Light-ESP or Parallel Light-ESP through slurmctld and measure it; without --nodes and --cluster "
	       "on the "
	       "cluster that SLURM_CONF names." LAST_LINE,
};
static const struct argp_child run_children[] = { { &common_argp, 0, NULL, 2 }, { &wt_choice_argp, 0, NULL, 1 }, { 0 } };
static const struct argp run_argp = {
	.parser = verb_parse, .children = run_children,
	.doc = "Run equal jobs, those of a model, or a trace through slurmctld and measure it, by default on a cluster made "
	       "for the run." LAST_LINE,
};

static int real_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	if (scenario->choice.real && (scenario->cluster || scenario->own_cluster.given))
		return wt_error_set(errp, EINVAL,
				    "--real uses the cluster that SLURM_CONF names: leave out the options of another one");
	if (scenario->real.given && !wt_scenario_is_real(scenario))
		return wt_error_set(errp, EINVAL,
				    "--reservation, --account, --qos, --max-jobs, --max-nodes, --max-node-hours and "
				    "--shared are for a real cluster (--real)");
	/* Its requests go by numbers alone, which a slurmctld that lost its state gives to others' jobs. */
	if (scenario->cancel && wt_scenario_is_real(scenario))
		return wt_error_set(errp, EINVAL, "--cancel-after is for clusters of ours: not for a real one");
	/* Its limits are kept by what is known of jobs before: not of those that name partitions and nodes, or never end. */
	if (scenario->choice.trace.has_asks && wt_scenario_is_real(scenario))
		return wt_error_set(errp, EINVAL, "--workload %s:FILE is for clusters of ours: not for a real one",
				    scenario->choice.slice.name);
	return 0;
}

static int cost_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	if (cost_settings_check(&scenario->cost, errp) < 0 ||
	    (scenario->own_cluster.nodes &&
	     cost_settings_nodes_check(&scenario->cost, scenario->own_cluster.nodes, errp) < 0))
		return wt_error_prefix(errp, "--cost");
	return 0;
}

static int clock_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	bool is_virtual = scenario->virtual_clock || wt_clock_own() != wt_clock_real();

	if (scenario->virtual_clock && !scenario->own_cluster.given && !scenario->cluster)
		return wt_error_set(errp, EINVAL, "--clock virtual needs a cluster of its own: give --nodes N");
	if (scenario->charge && (!scenario->virtual_clock || scenario->cluster))
		return wt_error_set(errp, EINVAL, "--charge is for --clock virtual with a cluster of its own");
	if (scenario->own_cluster.credentials == WT_CREDENTIALS_PROCESS && !is_virtual)
		return wt_error_set(errp, EINVAL, "--credentials process is for --clock virtual");
	if (scenario->own_cluster.save_interval_s && !is_virtual)
		return wt_error_set(errp, EINVAL, "--save-interval is for --clock virtual");
	if (scenario->own_cluster.timer_slack_ms && !is_virtual)
		return wt_error_set(errp, EINVAL, "--timer-slack is for --clock virtual");
	if (scenario->own_cluster.timer_slack_ms && scenario->charge && !strcmp(scenario->charge, "none"))
		return wt_error_set(errp, EINVAL, "--timer-slack is not for --charge none: the run would not repeat itself");
	return 0;
}

static int conflicts_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	if (real_check(scenario, errp) < 0 || cost_check(scenario, errp) < 0)
		return -1;
	if (scenario->cluster && scenario->own_cluster.given)
		return wt_error_set(errp, EINVAL,
				    "--cluster uses a running cluster: leave out the options that describe a new one");
	if (scenario->own_cluster.given && !scenario->own_cluster.nodes && !scenario->own_cluster.site)
		return wt_error_set(errp, EINVAL, "a cluster of its own needs --nodes N, or --site SITE");
	if (clock_check(scenario, errp) < 0 || run_provision_check(scenario, errp) < 0)
		return -1;
	if (scenario->dry_run &&
	    (scenario->output || scenario->repeat || scenario->resume || scenario->keep_going || scenario->serve))
		return wt_error_set(errp, EINVAL, "--dry-run runs nothing: leave out --output, --repeat, --resume, "
						  "--keep-going and --serve");
	if (scenario->resume && !scenario->output)
		return wt_error_set(errp, EINVAL, "--resume needs the --output of the run to be resumed");
	if (scenario->repeat && scenario->shared.seed > UINT64_MAX - scenario->repeat)
		return wt_error_set(errp, EINVAL, "--seed %llu: too large for --repeat %u",
				    (unsigned long long) scenario->shared.seed, scenario->repeat);
	return 0;
}

/* argp's messages are "NAME: text", a line of advice, and perhaps more: the first line's text is enough. */
static int message_take(const char *messages, const char *name, struct wt_error *errp)
{
	size_t prefix = strlen(name);

	if (!strncmp(messages, name, prefix) && !strncmp(messages + prefix, ": ", 2))
		messages += prefix + 2;
	return wt_error_set(errp, EINVAL, "%.*s", (int) strcspn(messages, "\n"), messages);
}

/* --clean ends what is there, and nothing that another option says. */
static int clean_check(const struct wt_scenario *scenario, int argc, char **argv, struct wt_error *errp)
{
	bool alone = argc == 2 || (argc == 3 && !strchr(argv[1], '=') && !strcmp(argv[2], scenario->real.clean));

	if (!alone)
		return wt_error_set(errp, EINVAL, "--clean DIR stands alone: what the run used is in its folder");
	return 0;
}

int wt_scenario_parse(struct wt_scenario *scenario, enum wt_choice_kind kind, int argc, char **argv, struct wt_error *errp)
{
	struct scenario_parse p = { .scenario = scenario };
	char *messages = NULL;
	size_t len = 0;
	int rc;

	memset(scenario, 0, sizeof(*scenario));
	scenario->shared = (struct workload_options) WORKLOAD_OPTIONS_DEFAULT;
	wt_esp_options_init(&scenario->esp);
	scenario->choice.kind = kind;
	wt_mapreduce_init(&scenario->choice.mapreduce);
	wt_slice_options_init(&scenario->choice.slice);
	scenario->probe = WT_PROBE_JOB;
	p.messages = open_memstream(&messages, &len);
	if (!p.messages)
		return wt_error_errno(errp, ENOMEM, "options");
	rc = wt_options_parse(kind == WT_CHOICE_ESP ? &esp_argp : &run_argp, argc, argv, ARGP_NO_EXIT, &p);
	fclose(p.messages);
	if (rc == ECANCELED)
		rc = 1;
	else if (len && strncmp(messages, "Try", 3))
		rc = message_take(messages, argv[0], errp);
	else if (rc)	/* getopt has told it itself */
		rc = wt_error_set(errp, EINVAL, "%s", "");
	else if (scenario->real.clean)
		rc = clean_check(scenario, argc, argv, errp);
	else if (wt_choice_finish(scenario, errp) < 0)
		rc = -1;
	else
		rc = conflicts_check(scenario, errp);
	if (rc == 0 && scenario->sample_interval_s == 0)
		scenario->sample_interval_s = scenario->virtual_clock || wt_clock_own() != wt_clock_real() ?
			INTERVAL_VIRTUAL_S : INTERVAL_S;
	free(messages);
	return rc;
}

bool wt_scenario_is_real(const struct wt_scenario *scenario)
{
	return !scenario->cluster && !scenario->own_cluster.given;
}

const char *wt_scenario_verb(const struct wt_scenario *scenario)
{
	return scenario->choice.kind == WT_CHOICE_ESP ? "esp" : "run";
}

void wt_scenario_clear(struct wt_scenario *scenario)
{
	wt_cluster_wanted_clear(&scenario->own_cluster);
	wt_choice_clear(&scenario->choice);
	free(scenario->cluster);
	free(scenario->partition);
	run_real_clear(&scenario->real);
	cost_settings_clear(&scenario->cost);
	run_provision_clear(&scenario->provision);
	free(scenario->charge);
	free(scenario->serve_address);
	free(scenario->output);
	memset(scenario, 0, sizeof(*scenario));
}

double wt_scenario_timeout_s(const struct wt_scenario *scenario, double longest_run_s)
{
	return scenario->timeout_s > 0 ? scenario->timeout_s : longest_run_s + 600;
}
