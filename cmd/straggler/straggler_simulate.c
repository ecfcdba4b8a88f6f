/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler simulate: detectors over jobs drawn from the model of Lambert et al. 2022. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/straggler_options.h"
#include "cmd/straggler/failure.h"
#include "cmd/straggler/straggler_verb.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "straggler/trace_log.h"

enum {
	KEY_TASKS = 0x100, KEY_DURATION, KEY_SPREAD, KEY_STARTS, KEY_LATENCY, KEY_RUNS, KEY_SEED, KEY_WINDOW, KEY_NOISE,
	KEY_OFFSET, KEY_LOSS, KEY_HANG, KEY_HANG_WAIT, KEY_SLOW, KEY_SLOW_RANGE, KEY_LOG
};

#define RUNS_MAX 10000000

struct detector_simulation {
	struct detector_options options;
	struct wt_study study;
	struct wt_tally *tallies;	/* one of each detector */
	char *log;		/* path, or NULL */
};

static const struct argp_option model_options[] = {
	{ .name = "tasks", .key = KEY_TASKS, .arg = "N", .doc = "of a job (50)" },
	{ .name = "duration", .key = KEY_DURATION, .arg = "S", .doc = "mean duration of a task (20)" },
	{ .name = "spread", .key = KEY_SPREAD, .arg = "F", .flags = WT_OPTION_RARE,
	  .doc = "durations are uniform in S (1 +- F) (0.25)" },
	{ .name = "starts", .key = KEY_STARTS, .arg = "HOW", .doc = "uniform: all at 0; skewed: after one another" },
	{ .name = "latency", .key = KEY_LATENCY, .arg = "HOW", .flags = WT_OPTION_RARE,
	  .doc = "of heartbeats: none, or pareto" },
	{ .name = "runs", .key = KEY_RUNS, .arg = "N", .doc = "jobs (50)" },
	{ .name = "seed", .key = KEY_SEED, .arg = "N", .doc = "of the random numbers (1)" },
	{ .name = "window", .key = KEY_WINDOW, .arg = "S", .doc = "between heartbeats of a task (6)" },
	{ .name = "noise", .key = KEY_NOISE, .arg = "X", .flags = WT_OPTION_RARE,
	  .doc = "speed in each window varies by up to X (0)" },
	{ .name = "offset", .key = KEY_OFFSET, .arg = "S", .flags = WT_OPTION_RARE,
	  .doc = "wall clocks are wrong by up to S (0)" },
	{ .name = "loss", .key = KEY_LOSS, .arg = "X", .flags = WT_OPTION_RARE,
	  .doc = "share of heartbeats that get lost (0)" },
	{ .name = "hang", .key = KEY_HANG, .arg = "X", .doc = "share of tasks that fall silent for ever (0)" },
	{ .name = "hang-wait", .key = KEY_HANG_WAIT, .arg = "S", .flags = WT_OPTION_RARE,
	  .doc = "a job with hung tasks goes on for S (60)" },
	{ .name = "slow", .key = KEY_SLOW, .arg = "X", .doc = "share of slow tasks (0)" },
	{ .name = "slow-range", .key = KEY_SLOW_RANGE, .arg = "A:B", .flags = WT_OPTION_RARE,
	  .doc = "they take A to B times as long (1.5:3)" },
	{ .name = "log", .key = KEY_LOG, .arg = "FILE", .doc = "keep the heartbeats there, for replay" },
	{ 0 }
};

static void slow_range_read(struct wt_trace_model *model, struct argp_state *state, char *arg)
{
	char *colon = strchr(arg, ':');

	if (!colon)
		argp_error(state, "--slow-range: '%s' is not of the form A:B", arg);
	*colon = '\0';
	model->slow_min = option_number(state, "slow-range", arg);
	model->slow_max = option_number(state, "slow-range", colon + 1);
}

static int word_read(struct argp_state *state, const char *name, const char *arg, const char *zero, const char *one)
{
	if (strcmp(arg, zero) && strcmp(arg, one))
		argp_error(state, "--%s: '%s' is neither %s nor %s", name, arg, zero, one);
	return !strcmp(arg, one);
}

static error_t shape_parse(int key, char *arg, struct argp_state *state, struct wt_trace_model *m)
{
	switch (key) {
	case KEY_TASKS:
		m->tasks = option_count(state, "tasks", arg, 1, WT_TRACE_TASKS_MAX);
		return 0;
	case KEY_DURATION:
		m->duration_s = option_number(state, "duration", arg);
		return 0;
	case KEY_SPREAD:
		m->spread = option_number(state, "spread", arg);
		return 0;
	case KEY_STARTS:
		m->starts = word_read(state, "starts", arg, "uniform", "skewed") ? WT_STARTS_SKEWED : WT_STARTS_UNIFORM;
		return 0;
	case KEY_LATENCY:
		m->latency = word_read(state, "latency", arg, "none", "pareto") ? WT_LATENCY_PARETO : WT_LATENCY_NONE;
		return 0;
	case KEY_WINDOW:
		m->window_s = option_number(state, "window", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t trouble_parse(int key, char *arg, struct argp_state *state, struct wt_trace_model *m)
{
	switch (key) {
	case KEY_NOISE:
		m->noise = option_number(state, "noise", arg);
		return 0;
	case KEY_OFFSET:
		m->offset_s = option_number(state, "offset", arg);
		return 0;
	case KEY_LOSS:
		m->loss = option_number(state, "loss", arg);
		return 0;
	case KEY_HANG:
		m->hang_share = option_number(state, "hang", arg);
		return 0;
	case KEY_HANG_WAIT:
		m->hang_wait_s = option_number(state, "hang-wait", arg);
		return 0;
	case KEY_SLOW:
		m->slow_share = option_number(state, "slow", arg);
		return 0;
	case KEY_SLOW_RANGE:
		slow_range_read(m, state, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t simulate_parse(int key, char *arg, struct argp_state *state)
{
	struct detector_simulation *s = state->input;
	struct wt_error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &s->options;
		return 0;
	case KEY_RUNS:
		s->study.runs = option_count(state, "runs", arg, 1, RUNS_MAX);
		return 0;
	case KEY_SEED:
		s->study.seed = option_count(state, "seed", arg, 1, UINT32_MAX);
		return 0;
	case KEY_LOG:
		s->log = arg;
		return 0;
	case ARGP_KEY_END:
		if (wt_trace_model_check(&s->study.model, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	default:
		return shape_parse(key, arg, state, &s->study.model) == 0 ? 0 :
		       trouble_parse(key, arg, state, &s->study.model);
	}
}

static int log_job(const struct wt_trace *trace, size_t run, void *arg, struct wt_error *errp)
{
	FILE *out = arg;
	char name[32];

	snprintf(name, sizeof(name), "%zu", run + 1);
	wt_trace_log_write(out, name, trace);
	return ferror(out) ? wt_error_errno(errp, errno ? errno : EIO, "cannot write") : 0;
}

static int study_into_log(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct detector_simulation *s = arg;
	struct wt_study study = s->study;

	study.watch = log_job;
	study.arg = out;
	wt_trace_log_begin(out);
	return wt_study_run(&study, s->tallies, errp);
}

static json_t *model_json(const struct detector_simulation *s)
{
	const struct wt_trace_model *m = &s->study.model;
	json_t *head;

	head = json_pack("{s:i, s:f, s:f, s:s, s:s, s:f}", "tasks", (int) m->tasks, "duration_s", m->duration_s, "spread",
			 m->spread, "starts", m->starts == WT_STARTS_SKEWED ? "skewed" : "uniform", "latency",
			 m->latency == WT_LATENCY_PARETO ? "pareto" : "none", "window_s", m->window_s);
	if (head && json_object_update_new(head, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I}", "noise", m->noise,
			"offset_s", m->offset_s, "loss", m->loss, "hang", m->hang_share, "slow", m->slow_share,
			"slow_min", m->slow_min, "slow_max", m->slow_max, "seed", (json_int_t) s->study.seed)) == 0)
		return head;
	json_decref(head);
	return NULL;
}

static int simulate_report(const struct detector_simulation *s, struct wt_error *errp)
{
	const struct wt_trace_model *m = &s->study.model;
	struct figures figures[WT_STRAGGLER_METHODS];
	char title[160];

	for (size_t i = 0; i < s->options.count; i++)
		figures[i] = figures_of(options_name(&s->options, i), &s->tallies[i]);
	snprintf(title, sizeof(title), "%u tasks of %g s +- %g %%, %s starts, %s, window %g s; seed %u", m->tasks,
		 m->duration_s, 100 * m->spread, m->starts == WT_STARTS_SKEWED ? "skewed" : "uniform",
		 m->latency == WT_LATENCY_PARETO ? "latency" : "no latency", m->window_s, s->study.seed);
	return options_report(&s->options, title, s->options.json ? model_json(s) : NULL, figures, errp);
}

int straggler_simulate(int argc, char **argv)
{
	static const struct argp_child children[] = { { &options_argp, 0, "Detectors and output:", 1 }, { 0 } };
	static const struct argp argp = {
		model_options, simulate_parse, NULL,
		"Run detectors of slow tasks over simulated jobs (Lambert et al., CCGrid 2022) and count what they flag.",
		children, NULL, NULL
	};
	struct wt_tally tallies[WT_STRAGGLER_METHODS] = { 0 };
	struct detector_simulation s = {
		.tallies = tallies, .study = { .model = wt_trace_model_defaults(), .runs = 50, .seed = 1 },
	};
	struct wt_error err;
	int rc;

	options_init(&s.options, false);
	if (wt_options_parse(&argp, argc, argv, 0, &s))
		return 2;
	s.study.detectors = s.options.count;
	s.study.options = s.options.detector;
	rc = s.log ? wt_outfile_write(s.log, study_into_log, &s, &err) : wt_study_run(&s.study, s.tallies, &err);
	if (rc == 0)
		rc = simulate_report(&s, &err);
	for (size_t i = 0; i < s.options.count; i++)
		wt_tally_fini(&s.tallies[i]);
	return rc < 0 ? straggler_failed(argv[0], &err) : 0;
}
