/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/choice.h"
#include "harness/run/near_bandwidth.h"
#include "lib/options.h"
#include "lib/str.h"
#include "harness/run/scenario.h"
#include "harness/run/option_value.h"

enum {
	OPT_WORKLOAD = 0x4000, OPT_JOBS, OPT_RUN_TIME, OPT_JOB_CPUS, OPT_INTERVAL, OPT_FROM, OPT_DURATION, OPT_FIRST_JOB,
		OPT_LAST_JOB,
	OPT_LOAD, OPT_CPUS_SCALE, OPT_MAX_RUN_TIME, OPT_LEAVE_OUT, OPT_BANDWIDTH,
	OPT_NEAR_BANDWIDTH, OPT_SUBMITTERS,
	OPT_MAPS, OPT_REDUCES, OPT_MAP_TIME, OPT_REDUCE_TIME, OPT_INPUT, OPT_REPLICAS, OPT_ROUNDS, OPT_SLOTS, OPT_SPECULATE,
};

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "Workload:", 1 },
	{ "workload", OPT_WORKLOAD, "NAME", 0,
	  "burst, spaced, lublin, mapreduce, or FORMAT:FILE; burst is 200 jobs of 170 s at once, "
	  "spaced the same, one every 10 s, lublin the model of Lublin and Feitelson, mapreduce arrays of map and reduce "
	  "tasks, swf:FILE a trace in the Standard "
	  "Workload Format, batsim:FILE a workload of Batsim, jobs:FILE a file as in windtunnel-jobs(5), dax:FILE a "
	  "workflow of Pegasus, wfcommons:FILE one of WfCommons; files may be packed with gzip",
	  1 },
	{ "jobs", OPT_JOBS, "N", 0, "burst, spaced and lublin: how many jobs (default 200; lublin 1000)", 1 },
	{ "run-time", OPT_RUN_TIME, "S", WT_OPTION_RARE, "burst and spaced: of each job", 1 },
	{ "job-cpus", OPT_JOB_CPUS, "N|MIN-MAX", WT_OPTION_RARE,
	  "burst and spaced: CPUs of each job (default 1), or drawn from this range", 1 },
	{ "interval", OPT_INTERVAL, "S", WT_OPTION_RARE, "burst and spaced: from one submission to the next", 1 },
	{ "from", OPT_FROM, "[@]S", WT_OPTION_RARE,
	  "trace: jobs submitted from S seconds after its first job on (default 0), or, with @, from this time of "
	  "the trace on", 1 },
	{ "duration", OPT_DURATION, "S", WT_OPTION_RARE,
	  "trace: and within so many seconds of the trace (default: to its end)", 1 },
	{ "first-job", OPT_FIRST_JOB, "N", WT_OPTION_RARE, "trace: jobs with this number or a higher one", 1 },
	{ "last-job", OPT_LAST_JOB, "N", WT_OPTION_RARE, "trace: jobs with this number or a lower one", 1 },
	{ "load", OPT_LOAD, "X", WT_OPTION_RARE,
	  "trace and lublin: stretch or shrink the times between submissions to this offered load, as 0.8 or 80%", 1 },
	{ "cpus-scale", OPT_CPUS_SCALE, "X|fit", WT_OPTION_RARE,
	  "trace: multiply jobs' processors by X (default 1), or by the machine's CPUs over the "
	  "trace's MaxProcs", 1 },
	{ "max-run-time", OPT_MAX_RUN_TIME, "S", WT_OPTION_RARE, "trace: cut longer run times, in seconds of the trace", 1 },
	{ "leave-out", OPT_LEAVE_OUT, "LIST", WT_OPTION_RARE,
	  "trace: leave out, and count, what else would end the command: lines that are bad, "
	  "jobs that are large (more than the machine has), or with a profile that cannot be run", 1 },
	{ "bandwidth", OPT_BANDWIDTH, "MB/S", WT_OPTION_RARE,
	  "workflows, mapreduce, and jobs with data_bytes: a job runs longer by its files at so many megabytes a second "
	  "(default: files take no time)", 1 },
	{ "near-bandwidth", OPT_NEAR_BANDWIDTH, "NODES:MB/S", WT_OPTION_RARE,
	  "workflows, and jobs with data_bytes: on these nodes more than --bandwidth", 1 },
	{ "maps", OPT_MAPS, "N", WT_OPTION_RARE, "mapreduce: map tasks (default 150)", 1 },
	{ "reduces", OPT_REDUCES, "N", WT_OPTION_RARE, "mapreduce: reduce tasks (default 1)", 1 },
	{ "map-time", OPT_MAP_TIME, "S", WT_OPTION_RARE,
	  "mapreduce: of a map task on a node with its split (default 7)", 1 },
	{ "reduce-time", OPT_REDUCE_TIME, "S", WT_OPTION_RARE,
	  "mapreduce: of a reduce task, without what it fetches (default 550)", 1 },
	{ "input", OPT_INPUT, "MB", WT_OPTION_RARE, "mapreduce: of all maps together (default 100000)", 1 },
	{ "replicas", OPT_REPLICAS, "N", WT_OPTION_RARE, "mapreduce: nodes that have each split (default 3)", 1 },
	{ "rounds", OPT_ROUNDS, "N", WT_OPTION_RARE, "mapreduce: so many times maps and reduces (default 1)", 1 },
	{ "slots", OPT_SLOTS, "N", WT_OPTION_RARE,
	  "mapreduce: tasks of an array that run at once (default: all that fit)", 1 },
	{ "speculate", OPT_SPECULATE, "POLICY", WT_OPTION_RARE,
	  "mapreduce: slow tasks get copies, as sbatch --speculate=POLICY (--plugin straggler)", 1 },
	{ "submitters", OPT_SUBMITTERS, "N", WT_OPTION_RARE,
	  "submissions that may be under way at once (default: a burst 4, others and in virtual time "
	  "1)", 1 },
	{ 0 }
};

/* argp gives the options in the order of the command line: what stood before --workload is in 'set', and goes over
 * the defaults that --workload brings. */
static int regular_parse(struct argp_state *state, const char *text, struct wt_workload_choice *choice)
{
	const struct wt_regular_options set = choice->regular;

	if (!strcmp(text, "burst"))
		wt_regular_burst(&choice->regular);
	else if (!strcmp(text, "spaced"))
		wt_regular_spaced(&choice->regular);
	else {
		argp_error(state, "--workload %s: give burst, spaced, lublin, mapreduce, swf:FILE, batsim:FILE, jobs:FILE, "
			   "dax:FILE or wfcommons:FILE", text);
		return EINVAL;
	}
	if (choice->jobs_set)
		choice->regular.jobs = set.jobs;
	if (choice->regular_set & 1u << (OPT_RUN_TIME - OPT_WORKLOAD))
		choice->regular.run_time_s = set.run_time_s;
	if (choice->regular_set & 1u << (OPT_JOB_CPUS - OPT_WORKLOAD)) {
		choice->regular.cpus_min = set.cpus_min;
		choice->regular.cpus_max = set.cpus_max;
	}
	if (choice->regular_set & 1u << (OPT_INTERVAL - OPT_WORKLOAD))
		choice->regular.interval_s = set.interval_s;
	return 0;
}

static int workload_parse(struct argp_state *state, const char *text, struct wt_workload_choice *choice)
{
	const char *colon = strchr(text, ':');
	const struct wt_trace_format *format = colon ? wt_trace_format_find(text, (size_t) (colon - text)) : NULL;

	choice->given = true;
	if (format && colon[1]) {
		choice->kind = WT_CHOICE_TRACE;
		choice->format = format;
		choice->slice.name = format->name;
		free(choice->trace_path);
		choice->trace_path = strdup(colon + 1);
		return choice->trace_path ? 0 : ENOMEM;
	}
	if (!strcmp(text, "mapreduce")) {
		choice->kind = WT_CHOICE_MAPREDUCE;
		return 0;
	}
	choice->kind = strcmp(text, "lublin") ? WT_CHOICE_REGULAR : WT_CHOICE_LUBLIN;
	if (choice->kind == WT_CHOICE_REGULAR)
		return regular_parse(state, text, choice);
	if (!choice->jobs_set)
		wt_lublin_options_init(&choice->lublin);
	return 0;
}

/* "4", or "1-8" */
static int sizes_parse(struct argp_state *state, const char *text, struct wt_regular_options *regular)
{
	const char *dash = strchr(text, '-');
	uint64_t min = 0, max = 0;
	struct wt_error error;
	char first[16] = "";
	int rc;

	if (dash && (size_t) (dash - text) < sizeof(first))
		memcpy(first, text, (size_t) (dash - text));
	rc = wt_str_to_u64(dash ? first : text, 1, UINT32_MAX, "job-cpus", &min, &error);
	if (rc == 0)
		rc = dash ? wt_str_to_u64(dash + 1, 1, UINT32_MAX, "job-cpus", &max, &error) : 0;
	if (rc < 0 || (dash && max < min)) {
		argp_error(state, "--job-cpus %s: give a whole number, or two as in 1-8, from 1 to %u", text, UINT32_MAX);
		return EINVAL;
	}
	regular->cpus_min = (uint32_t) min;
	regular->cpus_max = (uint32_t) (dash ? max : min);
	return 0;
}

static int regular_option(int key, const char *arg, struct argp_state *state, struct wt_workload_choice *choice)
{
	uint64_t n = 0;
	int rc;

	switch (key) {
	case OPT_JOBS:
		rc = wt_option_whole(state, "jobs", arg, 1, 1000000, &n);
		choice->regular.jobs = choice->lublin.jobs = (uint32_t) n;
		choice->jobs_set = true;
		return rc;
	case OPT_RUN_TIME:
		rc = wt_option_number(state, "run-time", arg, 0, 1e8, &choice->regular.run_time_s);
		break;
	case OPT_JOB_CPUS:
		rc = sizes_parse(state, arg, &choice->regular);
		break;
	case OPT_INTERVAL:
		rc = wt_option_number(state, "interval", arg, 0, 1e8, &choice->regular.interval_s);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	choice->regular_set |= 1u << (key - OPT_WORKLOAD);
	return rc;
}

/* "0.8" or "80%" */
static int load_parse(struct argp_state *state, const char *text, double *load)
{
	size_t len = strlen(text);
	char *number = strdup(text);
	int rc;

	if (!number)
		return ENOMEM;
	if (len && text[len - 1] == '%') {
		number[len - 1] = '\0';
		rc = wt_option_number(state, "load", number, 0.1, 10000, load);
		*load /= 100;
	} else {
		rc = wt_option_number(state, "load", number, 0.001, 100, load);
	}
	free(number);
	return rc;
}

static int leave_out_parse(struct argp_state *state, const char *text, bool *chosen)
{
	struct wt_error error;

	if (wt_left_out_choose(text, chosen, &error) == 0)
		return 0;
	argp_error(state, "--leave-out %s: %s", text, error.text);
	return EINVAL;
}

static int bandwidth_parse(struct argp_state *state, const char *arg, struct wt_workload_choice *choice)
{
	int rc = wt_option_number(state, "bandwidth", arg, 1e-3, 1e9, &choice->slice.bandwidth);

	choice->slice.bandwidth *= 1e6;
	return rc;
}

static int from_parse(struct argp_state *state, const char *arg, struct wt_workload_choice *choice)
{
	choice->slice.from_absolute = *arg == '@';
	return wt_option_number(state, "from", arg + choice->slice.from_absolute, 0, 1e10, &choice->slice.from_s);
}

static int near_parse(struct argp_state *state, const char *arg, struct wt_workload_choice *choice)
{
	struct wt_error error;

	if (wt_near_bandwidth_parse(arg, &choice->near, &choice->slice.near_bandwidth, &error) == 0) {
		choice->slice.near = choice->near;
		return 0;
	}
	argp_error(state, "--near-bandwidth %s", error.text);
	return EINVAL;
}

static int slice_option(int key, const char *arg, struct argp_state *state, struct wt_workload_choice *choice)
{
	int rc;

	switch (key) {
	case OPT_FROM:
		rc = from_parse(state, arg, choice);
		break;
	case OPT_DURATION:
		rc = wt_option_number(state, "duration", arg, 1, 1e10, &choice->slice.duration_s);
		break;
	case OPT_FIRST_JOB:
		rc = wt_option_whole(state, "first-job", arg, 0, UINT64_MAX, &choice->slice.first_job);
		break;
	case OPT_LAST_JOB:
		rc = wt_option_whole(state, "last-job", arg, 1, UINT64_MAX, &choice->slice.last_job);
		break;
	case OPT_LOAD:
		choice->load_set = true;
		return load_parse(state, arg, &choice->slice.load);
	case OPT_CPUS_SCALE:
		choice->slice.cpus_scale = 0;
		rc = !strcmp(arg, "fit") ? 0 :
		     wt_option_number(state, "cpus-scale", arg, 1e-6, 1e6, &choice->slice.cpus_scale);
		break;
	case OPT_LEAVE_OUT:
		rc = leave_out_parse(state, arg, choice->leave_out);
		break;
	case OPT_BANDWIDTH:
	case OPT_NEAR_BANDWIDTH:
		rc = key == OPT_BANDWIDTH ? bandwidth_parse(state, arg, choice) : near_parse(state, arg, choice);
		break;
	case OPT_MAX_RUN_TIME:
		rc = wt_option_number(state, "max-run-time", arg, 1, 1e10, &choice->slice.max_run_time_s);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	choice->slice_set |= 1u << (key - OPT_WORKLOAD);
	return rc;
}

/* The same of a count, with the most that it may be. */
static int count_parse(struct argp_state *state, const char *name, const char *arg, uint64_t max, uint32_t *count)
{
	uint64_t n = 0;
	int rc = wt_option_whole(state, name, arg, 1, max, &n);

	*count = (uint32_t) n;
	return rc;
}

/* What straggler.conf does not allow the plugin refuses; here only that it can stand in an environment. */
static int speculate_parse(struct argp_state *state, const char *arg, struct wt_workload_choice *choice)
{
	if (!*arg || strspn(arg, "abcdefghijklmnopqrstuvwxyz0123456789.,=") != strlen(arg)) {
		argp_error(state, "--speculate %s: give on, or copies=N,share=F,z=F (windtunnel-speculate(5))", arg);
		return EINVAL;
	}
	free(choice->speculate);
	choice->speculate = strdup(arg);
	return choice->speculate ? 0 : ENOMEM;
}

static int mapreduce_option(int key, const char *arg, struct argp_state *state, struct wt_workload_choice *choice)
{
	struct wt_mapreduce_options *o = &choice->mapreduce;
	int rc;

	choice->mapreduce_set = true;
	switch (key) {
	case OPT_MAPS:
		return count_parse(state, "maps", arg, WT_MAPREDUCE_TASKS_MAX, &o->maps);
	case OPT_REDUCES:
		return count_parse(state, "reduces", arg, WT_MAPREDUCE_TASKS_MAX, &o->reduces);
	case OPT_MAP_TIME:
		return wt_option_number(state, "map-time", arg, 0, 1e7, &o->map_s);
	case OPT_REDUCE_TIME:
		return wt_option_number(state, "reduce-time", arg, 0, 1e7, &o->reduce_s);
	case OPT_INPUT:
		rc = wt_option_number(state, "input", arg, 0, 1e9, &o->input_bytes);
		o->input_bytes *= 1e6;
		return rc;
	case OPT_REPLICAS:
		return count_parse(state, "replicas", arg, WT_MAPREDUCE_REPLICAS_MAX, &o->replicas);
	case OPT_ROUNDS:
		return count_parse(state, "rounds", arg, WT_MAPREDUCE_ROUNDS_MAX, &o->rounds);
	case OPT_SLOTS:
		return count_parse(state, "slots", arg, UINT32_MAX, &choice->slots);
	default:
		return speculate_parse(state, arg, choice);
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct wt_scenario *scenario = state->input;
	uint64_t n = 0;
	int rc;

	switch (key) {
	case OPT_WORKLOAD:
		return workload_parse(state, arg, &scenario->choice);
	case OPT_SUBMITTERS:
		rc = wt_option_whole(state, "submitters", arg, 1, WT_SUBMITTERS_MAX, &n);
		scenario->choice.submitters = (unsigned int) n;
		return rc;
	default:
		if (key >= OPT_MAPS && key <= OPT_SPECULATE)
			return mapreduce_option(key, arg, state, &scenario->choice);
		scenario->choice.others_set |= (key >= OPT_FROM && key <= OPT_LEAVE_OUT) || key == OPT_NEAR_BANDWIDTH;
		rc = regular_option(key, arg, state, &scenario->choice);
		return rc == ARGP_ERR_UNKNOWN ? slice_option(key, arg, state, &scenario->choice) : rc;
	}
}

const struct argp wt_choice_argp = { .options = options, .parser = option_parse };
