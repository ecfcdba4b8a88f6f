/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/option_value.h"
#include "harness/run/provision_options.h"
#include "harness/run/scenario.h"
#include "lib/options.h"

#define MARGIN_S 60	/* Slurm begins to switch a node off within ten seconds, and that takes its time */
#define BOOT_S 60	/* the default of --elastic */
#define UNIT_MIN_S 120
#define PROGRAM    "program:"

enum { OPT_PROVISION = 0x7000, OPT_QUOTA, OPT_FULL, OPT_MARGIN, OPT_BOOT };

static const struct argp_option options[] = {
	{ "provision", OPT_PROVISION, "STRATEGY", WT_OPTION_RARE,
	  "who rents nodes with power (--elastic) for jobs, and gives them back: slurm (its own suspending and resuming; "
	  "default), or a strategy beside it, by billing units (--cost unit): 1vm4all, 1vmpertask, asap, afap, or "
	  "program:COMMAND, which is asked (windtunnel-run(5))", 4 },
	{ "provision-quota", OPT_QUOTA, "N", WT_OPTION_RARE, "rent at most N nodes at once (default: all)", 4 },
	{ "provision-full", OPT_FULL, "queue|wait", WT_OPTION_RARE,
	  "when no more nodes can be rented: queue on the node that is free first (default), or wait", 4 },
	{ "provision-margin", OPT_MARGIN, "S", WT_OPTION_RARE,
	  "give idle nodes back S seconds before their billing unit ends (default 60)", 4 },
	{ "provision-boot", OPT_BOOT, "S", WT_OPTION_RARE,
	  "expect S seconds of a boot until the first was seen (default 60)", 4 },
	{ 0 }
};

static int strategy_take(struct argp_state *state, const char *arg, struct run_provision *provision)
{
	const char *command = strncmp(arg, PROGRAM, strlen(PROGRAM)) ? NULL : arg + strlen(PROGRAM);

	provision->given = true;
	run_provision_clear(provision);
	provision->strategy = PROVISION_SLURM;
	if (command && *command) {
		provision->program = strdup(command);
		return provision->program ? 0 : ENOMEM;
	}
	if (provision_strategy_parse(arg, &provision->strategy))
		return 0;
	argp_error(state, "--provision %s: give slurm, 1vm4all, 1vmpertask, asap, afap or program:COMMAND", arg);
	return EINVAL;
}

static int full_take(struct argp_state *state, const char *arg, struct run_provision *provision)
{
	if (strcmp(arg, "queue") && strcmp(arg, "wait")) {
		argp_error(state, "--provision-full %s: give queue or wait", arg);
		return EINVAL;
	}
	provision->full = strcmp(arg, "queue") ? PROVISION_FULL_WAIT : PROVISION_FULL_QUEUE;
	return 0;
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct run_provision *provision = &((struct wt_scenario *) state->input)->provision;

	provision->rule_given |= key == OPT_QUOTA || key == OPT_FULL || key == OPT_MARGIN || key == OPT_BOOT;
	switch (key) {
	case OPT_PROVISION:
		return strategy_take(state, arg, provision);
	case OPT_QUOTA:
		return wt_option_whole(state, "provision-quota", arg, 1, UINT32_MAX - 1, &provision->quota);
	case OPT_FULL:
		return full_take(state, arg, provision);
	case OPT_MARGIN:
		provision->margin_given = true;
		return wt_option_number(state, "provision-margin", arg, 0, 1e6, &provision->margin_s);
	case OPT_BOOT:
		provision->boot_given = true;
		return wt_option_number(state, "provision-boot", arg, 0, 1e6, &provision->boot_s);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp run_provision_argp = { .options = options, .parser = option_parse };

bool run_provision_active(const struct run_provision *provision)
{
	return provision->strategy != PROVISION_SLURM || provision->program;
}

const char *run_provision_name(const struct run_provision *provision)
{
	return provision->program ? "program" : provision_strategy_name(provision->strategy);
}

void run_provision_clear(struct run_provision *provision)
{
	free(provision->program);
	provision->program = NULL;
}

double run_provision_margin_s(const struct run_provision *provision)
{
	return provision->margin_given ? provision->margin_s : MARGIN_S;
}

double run_provision_boot_s(const struct run_provision *provision)
{
	return provision->boot_given ? provision->boot_s : BOOT_S;
}

double run_provision_unit_s(const struct wt_scenario *scenario)
{
	struct cost_tariff tariff;

	cost_tariff_make(&scenario->cost, 0, &tariff);
	return (double) tariff.unit_us / 1e6;
}

/* A strategy goes by one unit, which is longer than a node takes to come and go. */
static int unit_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	double unit_s = run_provision_unit_s(scenario);
	struct cost_tariff tariff;

	if (unit_s < UNIT_MIN_S)
		return wt_error_set(errp, EINVAL, "--provision %s goes by billing units: give --cost unit=S, at least %d",
				    run_provision_name(&scenario->provision), UNIT_MIN_S);
	for (size_t i = 1; i < scenario->cost.class_count; i++) {
		cost_tariff_make(&scenario->cost, i, &tariff);
		if ((double) tariff.unit_us / 1e6 != unit_s)
			return wt_error_set(errp, EINVAL, "--provision goes by one billing unit, and --cost has several");
	}
	if (run_provision_margin_s(&scenario->provision) > unit_s / 2)
		return wt_error_set(errp, EINVAL, "--provision-margin %g: at most half of the billing unit of %g s",
				    run_provision_margin_s(&scenario->provision), unit_s);
	return 0;
}

static int sets_check(const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	for (size_t i = 0; i < wanted->set_count; i++)
		if (!strncasecmp(wanted->sets[i], "SuspendTime=", 12))
			return wt_error_set(errp, EINVAL, "--set %s: with --provision Slurm's own power saving rests",
					    wanted->sets[i]);
	return 0;
}

int run_provision_check(const struct wt_scenario *scenario, struct wt_error *errp)
{
	const struct run_provision *p = &scenario->provision;

	if (p->rule_given && !run_provision_active(p))
		return wt_error_set(errp, EINVAL, "--provision-quota, --provision-full, --provision-margin and "
				    "--provision-boot are for a strategy other than Slurm's own (--provision)");
	if (!p->given)
		return 0;
	if (!scenario->own_cluster.given)
		return wt_error_set(errp, EINVAL, "--provision is for a cluster that is made for the run: its nodes are "
				    "switched on and off");
	if (!scenario->own_cluster.elastic_count)
		return wt_error_set(errp, EINVAL, "--provision is for nodes that are switched on and off: give --elastic, "
				    "boot=60 for instance");
	if (!run_provision_active(p))
		return 0;
	return unit_check(scenario, errp) < 0 || sets_check(&scenario->own_cluster, errp) < 0 ? -1 : 0;
}

int run_provision_json(json_t *json, const struct run_provision *provision)
{
	json_t *value, *strategy;

	if (!provision->given)
		return 0;
	strategy = provision->program ? json_sprintf(PROGRAM "%s", provision->program) :
		   json_string(run_provision_name(provision));
	value = json_pack("{s:o, s:o*, s:o*, s:o*, s:o*}", "provision", strategy, "provision_quota",
			  provision->quota ? json_integer((json_int_t) provision->quota) : NULL, "provision_full",
			  provision->full == PROVISION_FULL_WAIT ? json_string("wait") : NULL, "provision_margin",
			  provision->margin_given ? json_real(provision->margin_s) : NULL, "provision_boot",
			  provision->boot_given ? json_real(provision->boot_s) : NULL);
	return value ? json_object_update_new(json, value) : -1;
}
