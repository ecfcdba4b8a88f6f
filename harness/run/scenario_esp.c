/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that only "windtunnel esp" has. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/options.h"
#include "harness/run/scenario.h"
#include "harness/run/option_value.h"
#include "harness/run/scenario_private.h"

enum { OPT_VARIANT = 0x3800, OPT_UNIT, OPT_BURST, OPT_ARRIVAL };

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "Workload:", 1 },
	{ "variant", OPT_VARIANT, "NAME", 0, "esp, light (default) or parallel-light", 1 },
	{ "unit", OPT_UNIT, "cpus|nodes", 0, "what jobs ask for; with cpus (default) they share nodes", 1 },
	{ "burst", OPT_BURST, "N", WT_OPTION_RARE, "jobs submitted at once at the start, of 230 (default 50)", 1 },
	{ "arrival", OPT_ARRIVAL, "MODEL", WT_OPTION_RARE,
	  "uniform:MIN,MAX or gaussian:MEAN,SD: seconds between a reply and the next submission (default uniform:1,3)", 1 },
	{ 0 }
};

static int arrival_parse(struct argp_state *state, const char *text, struct wt_arrival *arrival)
{
	const char *colon = strchr(text, ':');
	char model[16] = "";
	double a, b;
	int used = 0;
	struct wt_error error;

	if (colon && (size_t) (colon - text) < sizeof(model))
		memcpy(model, text, colon - text);
	if (!colon || !wt_option_decimal(colon + 1) || sscanf(colon + 1, "%lf,%lf%n", &a, &b, &used) != 2 ||
	    colon[1 + used]) {
		argp_error(state, "--arrival %s: give uniform:MIN,MAX or gaussian:MEAN,SD in seconds", text);
		return EINVAL;
	}
	if (wt_arrival_model_parse(model, &arrival->model, &error) < 0) {
		argp_error(state, "--arrival %s: %s", text, error.text);
		return EINVAL;
	}
	if (arrival->model == WT_ARRIVAL_UNIFORM)
		arrival->min_s = a, arrival->max_s = b;
	else
		arrival->mean_s = a, arrival->sd_s = b;
	if (wt_arrival_check(arrival, &error) < 0) {
		argp_error(state, "--arrival %s: %s", text, error.text);
		return EINVAL;
	}
	return 0;
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct wt_scenario *scenario = state->input;
	struct wt_error error;
	uint64_t n;
	int rc;

	switch (key) {
	case OPT_VARIANT:
		if (wt_esp_variant_parse(arg, &scenario->esp.variant, &error) == 0)
			return 0;
		argp_error(state, "--variant %s: %s", arg, error.text);
		return EINVAL;
	case OPT_UNIT:
		if (wt_esp_unit_parse(arg, &scenario->esp.unit, &error) == 0)
			return 0;
		argp_error(state, "--unit %s: %s", arg, error.text);
		return EINVAL;
	case OPT_BURST:
		rc = wt_option_whole(state, "burst", arg, 0, 230, &n);
		scenario->esp.burst_jobs = rc ? 0 : n;
		return rc;
	case OPT_ARRIVAL:
		return arrival_parse(state, arg, &scenario->esp.arrival);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp wt_scenario_esp_argp = { .options = options, .parser = option_parse };
