/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/straggler_options.h"
#include "cmd/straggler/plot.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"

enum { KEY_TICK = 0x200, KEY_LAG, KEY_Z, KEY_SILENCE, KEY_RATIO, KEY_GAP, KEY_JSON, KEY_CSV, KEY_SVG };

static const struct argp_option options_list[] = {
	{ .name = "detector", .key = 'd', .arg = "LIST",
	  .doc = "score, rate (the paper's), r1, r2, fresh (ours), several with commas, or all" },
	{ .name = "lag", .key = KEY_LAG, .arg = "WHEN", .flags = WT_OPTION_RARE,
	  .doc = "flag from WHEN on: finish (a task has ended), none, or seconds; else as the detector has it" },
	{ .name = "tick", .key = KEY_TICK, .arg = "S", .flags = WT_OPTION_RARE,
	  .doc = "look for stragglers each S seconds (1)" },
	{ .name = "slow-ratio", .key = KEY_RATIO, .arg = "X", .doc = "a straggler takes X times the mean (1.2)" },
	{ .name = "score-gap", .key = KEY_GAP, .arg = "X", .flags = WT_OPTION_RARE,
	  .doc = "score: X below the mean progress (0.2)" },
	{ .name = "z", .key = KEY_Z, .arg = "Z", .flags = WT_OPTION_RARE,
	  .doc = "fresh: standard deviations of margin (1)" },
	{ .name = "silence", .key = KEY_SILENCE, .arg = "S", .flags = WT_OPTION_RARE,
	  .doc = "fresh: silence counts after S seconds (20), or never: inf" },
	{ .name = "json", .key = KEY_JSON, .doc = "print JSON" },
	{ .name = "csv", .key = KEY_CSV, .arg = "FILE", .doc = "write means, quartiles, deciles there, too" },
	{ .name = "svg", .key = KEY_SVG, .arg = "FILE", .doc = "draw box plots there (with gnuplot)" },
	{ 0 }
};

void options_init(struct detector_options *o, bool all)
{
	const struct wt_straggler_options d = wt_straggler_defaults(WT_STRAGGLER_FRESH, 1);

	*o = (struct detector_options) {
		.tick_s = 1, .z = d.z, .silence_s = d.silence_s, .slow_ratio = d.slow_ratio, .score_gap = d.score_gap,
		.lag = WT_LAG_METHOD, .count = all ? WT_STRAGGLER_METHODS : 1,
	};
}

double option_number(struct argp_state *state, const char *name, const char *arg)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || isnan(value))
		argp_error(state, "--%s: '%s' is not a number", name, arg);
	return value;
}

uint64_t option_count(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max)
{
	struct wt_error err;
	uint64_t value = 0;
	char option[32];

	snprintf(option, sizeof(option), "--%s", name);
	if (wt_str_to_u64(arg, min, max, option, &value, &err) < 0)
		argp_error(state, "%s", err.text);
	return value;
}

static void detectors_read(struct detector_options *o, struct argp_state *state, char *list)
{
	memset(o->asked, 0, sizeof(o->asked));
	for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
		bool found = false;

		for (int method = 0; method < WT_STRAGGLER_METHODS; method++) {
			if (strcmp(name, "all") && strcmp(name, wt_straggler_method_name(method)))
				continue;
			o->asked[method] = true;
			found = true;
		}
		if (!found)
			argp_error(state, "--detector: '%s' is none of score, rate, r1, r2, fresh, all", name);
	}
}

static void lag_read(struct detector_options *o, struct argp_state *state, const char *arg)
{
	if (!strcmp(arg, "finish")) {
		o->lag = WT_LAG_FINISH;
	} else if (!strcmp(arg, "none")) {
		o->lag = WT_LAG_NONE;
	} else {
		o->lag = WT_LAG_TIME;
		o->lag_s = option_number(state, "lag", arg);
	}
}

static void detectors_fill(struct detector_options *o, struct argp_state *state)
{
	struct wt_straggler *probe;
	struct wt_error err;
	bool asked = false;

	for (int method = 0; method < WT_STRAGGLER_METHODS; method++)
		asked = asked || o->asked[method];
	for (int method = 0; !asked && method < WT_STRAGGLER_METHODS; method++)
		o->asked[method] = o->count > 1 || method == WT_STRAGGLER_FRESH;
	o->count = 0;
	for (int method = 0; method < WT_STRAGGLER_METHODS; method++) {
		struct wt_trial_options *t = &o->detector[o->count];

		if (!o->asked[method])
			continue;
		*t = wt_trial_defaults(method);
		t->tick_s = o->tick_s;
		t->lag = o->lag;
		t->lag_s = o->lag_s;
		t->detector.z = o->z;
		t->detector.silence_s = o->silence_s;
		t->detector.slow_ratio = o->slow_ratio;
		t->detector.score_gap = o->score_gap;
		o->count++;
	}
	if (!(o->tick_s > 0) || isinf(o->tick_s))
		argp_error(state, "--tick: wanted more than 0");
	probe = wt_straggler_create(&o->detector[0].detector, &err);	/* it knows the ranges */
	if (!probe)
		argp_error(state, "%s", err.text);
	wt_straggler_destroy(probe);
}

static error_t options_parse(int key, char *arg, struct argp_state *state)
{
	struct detector_options *o = state->input;

	switch (key) {
	case 'd':
		detectors_read(o, state, arg);
		return 0;
	case KEY_LAG:
		lag_read(o, state, arg);
		return 0;
	case KEY_TICK:
		o->tick_s = option_number(state, "tick", arg);
		return 0;
	case KEY_RATIO:
		o->slow_ratio = option_number(state, "slow-ratio", arg);
		return 0;
	case KEY_GAP:
		o->score_gap = option_number(state, "score-gap", arg);
		return 0;
	case KEY_Z:
		o->z = option_number(state, "z", arg);
		return 0;
	case KEY_SILENCE:
		o->silence_s = option_number(state, "silence", arg);
		return 0;
	case KEY_JSON:
		o->json = true;
		return 0;
	case KEY_CSV:
		o->csv = arg;
		return 0;
	case KEY_SVG:
		o->svg = arg;
		return 0;
	case ARGP_KEY_END:
		detectors_fill(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp options_argp = { .options = options_list, .parser = options_parse };

const char *options_name(const struct detector_options *o, size_t detector)
{
	return wt_straggler_method_name(o->detector[detector].detector.method);
}

struct trial_report {
	const char *title;
	const struct figures *figures;
	size_t count;
};

static int write_csv(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct trial_report *report = arg;

	(void) errp;
	figures_csv_header(out, "");
	for (size_t i = 0; i < report->count; i++)
		figures_csv(out, "", &report->figures[i]);
	return 0;
}

static int draw(const char *path, const struct trial_report *report, struct wt_error *errp)
{
	struct plot_box boxes[FIGURE_KINDS][WT_STRAGGLER_METHODS];
	struct plot_panel panels[FIGURE_KINDS];

	for (int kind = 0; kind < FIGURE_KINDS; kind++) {
		panels[kind] = (struct plot_panel) { .title = figure_title(kind), .boxes = boxes[kind],
						     .count = report->count, .percent = figure_scale(kind) == 100 };
		for (size_t i = 0; i < report->count; i++)
			boxes[kind][i] = (struct plot_box) { .label = report->figures[i].detector,
							     .quantiles = report->figures[i].of[kind],
							     .scale = figure_scale(kind) };
	}
	return plot_draw(path, report->title, panels, FIGURE_KINDS, errp);
}

int options_report(const struct detector_options *o, const char *title, json_t *head, const struct figures *figures,
		   struct wt_error *errp)
{
	struct trial_report report = { .title = title, .figures = figures, .count = o->count };

	if ((o->csv && wt_outfile_write(o->csv, write_csv, &report, errp) < 0) ||
	    (o->svg && draw(o->svg, &report, errp) < 0)) {
		json_decref(head);
		return -1;
	}
	if (o->json)
		return figures_json_print(head, figures, o->count, errp);
	json_decref(head);
	printf("%s\n", title);
	return figures_print(stdout, figures, o->count, errp);
}
