/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/option_value.h"
#include "harness/run/real_options.h"
#include "harness/run/scenario.h"
#include "lib/options.h"

enum {
	OPT_REAL = 0x6000, OPT_SHARED, OPT_RESERVATION, OPT_ACCOUNT, OPT_QOS, OPT_MAX_JOBS, OPT_MAX_NODES,
	OPT_MAX_NODE_HOURS, OPT_CLEAN,
};

static const struct argp_option options[] = {
	{ 0, 0, 0, 0, "A real cluster, the one that SLURM_CONF names:", 2 },
	{ "real", OPT_REAL, 0, 0, "submit to it, and make no cluster for the run", 2 },
	{ "reservation", OPT_RESERVATION, "NAME", WT_OPTION_RARE, "use this reservation, and its nodes only", 2 },
	{ "account", OPT_ACCOUNT, "NAME", WT_OPTION_RARE, "charge this account", 2 },
	{ "qos", OPT_QOS, "NAME", WT_OPTION_RARE, "with this quality of service", 2 },
	{ "max-jobs", OPT_MAX_JOBS, "N", WT_OPTION_RARE, "refuse a workload of more jobs", 2 },
	{ "max-nodes", OPT_MAX_NODES, "N", WT_OPTION_RARE,
	  "use N nodes of the partition, idle ones first, and exclude the others; the workload is made for N nodes", 2 },
	{ "max-node-hours", OPT_MAX_NODE_HOURS, "X", WT_OPTION_RARE,
	  "refuse a workload that needs more, and cancel what is left when so many were used", 2 },
	{ "shared", OPT_SHARED, 0, WT_OPTION_RARE, "submit although others have jobs on these nodes or wait for them", 2 },
	{ "clean", OPT_CLEAN, "DIR", WT_OPTION_RARE,
	  "cancel the jobs that the run in this folder has left behind, and end", 2 },
	{ 0 }
};

static int name_take(struct argp_state *state, const char *option, const char *text, char **field)
{
	if (!*text) {
		argp_error(state, "--%s: the argument is empty", option);
		return EINVAL;
	}
	free(*field);
	*field = strdup(text);
	return *field ? 0 : ENOMEM;
}

static int cap_option(int key, const char *arg, struct argp_state *state, struct run_real *real)
{
	switch (key) {
	case OPT_MAX_JOBS:
		return wt_option_whole(state, "max-jobs", arg, 1, UINT32_MAX, &real->max_jobs);
	case OPT_MAX_NODES:
		return wt_option_whole(state, "max-nodes", arg, 1, UINT32_MAX, &real->max_nodes);
	case OPT_MAX_NODE_HOURS:
		return wt_option_number(state, "max-node-hours", arg, 1e-6, 1e9, &real->max_node_hours);
	case OPT_SHARED:
		real->shared = true;
		return 0;
	case OPT_RESERVATION:
		return name_take(state, "reservation", arg, &real->reservation);
	case OPT_ACCOUNT:
		return name_take(state, "account", arg, &real->account);
	case OPT_QOS:
		return name_take(state, "qos", arg, &real->qos);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct wt_scenario *scenario = state->input;
	int rc;

	switch (key) {
	case OPT_REAL:
		scenario->choice.real = true;
		return 0;
	case OPT_CLEAN:
		return name_take(state, "clean", arg, &scenario->real.clean);
	default:
		rc = cap_option(key, arg, state, &scenario->real);
		scenario->real.given |= rc == 0;
		return rc;
	}
}

const struct argp run_real_argp = { .options = options, .parser = option_parse };

void run_real_clear(struct run_real *real)
{
	free(real->reservation);
	free(real->account);
	free(real->qos);
	free(real->clean);
	memset(real, 0, sizeof(*real));
}
