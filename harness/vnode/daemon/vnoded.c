/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-vnoded - one process that stands in for every slurmd of a cluster.  See wt-vnoded(8). */
#include "compat/credential.h"
#include "harness/vnode/daemon/daemon.h"

#include <argp.h>
#include <stdlib.h>
#include <unistd.h>

/* Measured: enough to keep slurmctld busy; more only lengthens its queue. */
#define DEFAULT_MAX_IN_FLIGHT 64
#define DEFAULT_RUN_TIME_S 60

enum { OPT_CONF = 256, OPT_DIR, OPT_MAX_IN_FLIGHT, OPT_ANY_DEVICE, OPT_RUN_TIME, OPT_NODE, OPT_ELASTIC, OPT_OWN, OPT_SINCE,
       OPT_DYNAMIC };

struct arguments {
	struct wt_options options;
	struct wt_settings settings;
	struct wt_elastic elastic;
	int verbosity;
};

static const struct argp_option option_list[] = {
	{ "conf", OPT_CONF, "SLURM.CONF", 0, "slurm.conf of the cluster (required)", 0 },
	{ "dir", OPT_DIR, "DIR", 0, "where events.csv, journal and stats.json go (required)", 0 },
	{ "own", OPT_OWN, "NODES", 0,
	  "stand in for these nodes only, which lie side by side; other processes have the others, each host's at its "
	  "address", 0 },
	{ "max-in-flight", OPT_MAX_IN_FLIGHT, "N", 0, "requests to the controller at once (default 64)", 0 },
	{ "listen-any-device", OPT_ANY_DEVICE, NULL, 0, "accept from all network devices, not only from loopback", 0 },
	{ "default-run-time", OPT_RUN_TIME, "S", 0, "run time of jobs that say none, in seconds (default 60)", 0 },
	{ "node", OPT_NODE, "KEY=VALUE", 0,
	  "how nodes differ from perfect ones: launch-delay, end-delay, epilog-time, reboot-time, "
	  "hop-delay, fail, loss, slow, noise, hang, beat-loss, beat-delay, prolog-fail, launch-fail, seed (wt-vnoded(8)); "
	  "may be repeated", 0 },
	{ "elastic", OPT_ELASTIC, "KEY=VALUE", 0,
	  "what switching nodes on and off takes, and what goes wrong with it: boot, stop, fail, notice, on-notice, "
	  "on-resume-fail, on-stock-out, together, address, limit, seed (wt-vnoded(8)); may be repeated", 0 },
	{ "dynamic", OPT_DYNAMIC, "NODELINE", 0,
	  "stand in for these, too, a NodeName line that slurm.conf does not have: when they are switched on they register "
	  "as slurmd -Z does", 0 },
	{ "since", OPT_SINCE, "S", 0,
	  "when the cluster began, from which on --elastic limit= counts, in seconds since the epoch (default: when this "
	  "process begins)", 0 },
	{ "verbose", 'v', NULL, 0, "log more; twice: still more", 0 },
	{ 0 },
};

static double number_parse(struct argp_state *state, const char *name, const char *text, double low, double high)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !(number >= low && number <= high))
		argp_error(state, "--%s=%s: a number from %.0f to %.0f is needed", name, text, low, high);
	return number;
}

static void setting_take(struct argp_state *state, int key, const char *arg)
{
	struct arguments *arguments = state->input;
	struct wt_error err;

	if (key == OPT_NODE && wt_settings_add(&arguments->settings, arg, &err) < 0)
		argp_error(state, "--node %s", err.text);
	else if (key == OPT_ELASTIC && wt_elastic_add(&arguments->elastic, arg, &err) < 0)
		argp_error(state, "--elastic %s", err.text);
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct wt_options *options = &arguments->options;

	switch (key) {
	case OPT_CONF:
		options->conf = arg;
		break;
	case OPT_DIR:
		options->dir = arg;
		break;
	case OPT_OWN: options->own = arg; break;
	case OPT_DYNAMIC: options->dynamic = arg; break;
	case OPT_MAX_IN_FLIGHT:
		options->max_in_flight = (uint32_t) number_parse(state, "max-in-flight", arg, 1, 65536);
		break;
	case OPT_ANY_DEVICE: options->any_device = true; break;
	case OPT_RUN_TIME:
		options->default_run_time_us = (int64_t) (number_parse(state, "default-run-time", arg, 0, 31536000) * 1e6);
		break;
	case OPT_SINCE: options->since_us = (int64_t) (number_parse(state, "since", arg, 0, 1e11) * 1e6); break;
	case OPT_NODE:
	case OPT_ELASTIC: setting_take(state, key, arg); break;
	case 'v':
		arguments->verbosity++;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': only options are understood", arg);
		break;
	case ARGP_KEY_END:
		if (!options->conf || !options->dir)
			argp_error(state, "--conf and --dir are required");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp parser = {
	.options = option_list, .parser = option_parse,
	.doc = "Stand in for every slurmd of the cluster that SLURM.CONF describes, in the foreground."
	       "\vSee wt-vnoded(8), and fidelity.md for what such a node does as slurmd does.",
};

int main(int argc, char **argv)
{
	log_options_t log = LOG_OPTS_STDERR_ONLY;
	struct arguments arguments = {
		.options = {
			.max_in_flight = DEFAULT_MAX_IN_FLIGHT, .default_run_time_us = DEFAULT_RUN_TIME_S * 1000000LL,
		},
	};
	struct wt_daemon daemon;
	struct wt_main_loop loop;
	struct wt_error err;

	argp_program_version = "wt-vnoded " WT_VERSION " (Slurm " SLURM_VERSION_STRING ")";
	argp_err_exit_status = 2;
	argp_parse(&parser, argc, argv, 0, NULL, &arguments);
	arguments.options.settings = &arguments.settings;
	wt_elastic_defaults(&arguments.elastic);
	arguments.options.elastic = &arguments.elastic;
	log.stderr_level += (log_level_t) arguments.verbosity * 2;
	compat_count_as_slurmd();
	log_init("wt-vnoded", log, LOG_DAEMON, NULL);
	if (wt_daemon_init(&daemon, &loop, &arguments.options, &err) < 0) {
		fprintf(stderr, "wt-vnoded: %s\n", err.text);
		wt_daemon_fini(&daemon);
		return 1;
	}
	wt_daemon_run(&daemon);
	wt_daemon_fini(&daemon);
	wt_settings_clear(&arguments.settings);
	wt_elastic_clear(&arguments.elastic);
	return 0;
}
