/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster stop, start: outages that are staged. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <slurm/slurm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cluster/cmd_cluster.h"
#include "lib/clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/control.h"
#include "harness/cluster/supervisor/nodestates.h"
#include "lib/options.h"
#include "harness/cluster/folder/slurmenv.h"

/* for slurmctld, which recovers its jobs first, and 1 ms more for each node */
#define ANSWER_WAIT_US ((int64_t) 60 * 1000000)
#define ANSWER_POLL_US 100000

enum { KEY_HOST = 0x100 };

struct control_args {
	const char *name;
	const char *host;	/* NULL: all of the nodes */
	unsigned int services;
	bool kill;
};

static error_t control_parse(int key, char *arg, struct argp_state *state)
{
	struct control_args *args = state->input;
	unsigned int service;

	switch (key) {
	case 'k':
		args->kill = true;
		break;
	case KEY_HOST:
		args->host = arg;
		break;
	case ARGP_KEY_ARG:
		if (!args->name) {
			args->name = arg;
			break;
		}
		service = control_service_named(arg);
		if (!service)
			argp_error(state, "'%s' is not a part of a cluster: give slurmctld, nodes or munge, or with "
					  "accounting mariadbd or slurmdbd", arg);
		args->services |= service;
		break;
	case ARGP_KEY_END:
		if (!args->name)
			argp_error(state, "the cluster's NAME is missing");
		if (args->host && args->services & ~(unsigned int) WT_CONTROL_NODES)
			argp_error(state, "--host is for nodes only");
		if (args->host && (!*args->host || strlen(args->host) > WT_HOST_NAME_MAX || strpbrk(args->host, " \n")))
			argp_error(state, "--host: '%s' is no host's name", args->host);
		if (args->host)
			args->services = WT_CONTROL_NODES;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* It answers when it has read its state; with munge still stopped no client could be understood. */
static int controller_wait(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + ANSWER_WAIT_US + info->nodes * INT64_C(1000);
	int rc = 0;

	while (rc == 0 && slurm_ping(0) != SLURM_SUCCESS) {
		if (wt_clock_now_us(clock) > end_us)
			rc = wt_error_set(errp, ETIMEDOUT,
					  "slurmctld was started and does not answer; see %s/ctld/slurmctld.log", info->dir);
		else
			wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + ANSWER_POLL_US);
	}
	return rc;
}

/* Its database is asked first, and may have to recover. */
static int slurmdbd_wait(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + ANSWER_WAIT_US;

	while (!wt_slurmdbd_listens(info)) {
		if (wt_clock_now_us(clock) > end_us)
			return wt_error_set(errp, ETIMEDOUT, "slurmdbd was started and does not listen; see "
					    "%s/accounting/slurmdbd.log", info->dir);
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + ANSWER_POLL_US);
	}
	return 0;
}

/* Asked before the daemons are started: a slurm.conf that cannot be read must not leave them half started. */
static int client_prepare(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *conf = wt_clusterinfo_path(info, "slurm.conf");
	int rc;

	if (!conf)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	rc = wt_slurmenv_use(conf) < 0 ? wt_error_errno(errp, errno, "%s", conf) : 0;
	if (rc == 0)
		wt_nodestates_init(conf);
	free(conf);
	return rc;
}

static int control(const struct control_args *args, enum wt_control_verb verb, struct wt_error *errp)
{
	unsigned int services = args->services ? args->services : CONTROL_SERVICES_END - 1;
	struct wt_cluster_view view;
	int rc;

	if (wt_cluster_look(args->name, &view, errp) < 0)
		return -1;
	if (!view.busy || view.state.phase != WT_PHASE_UP)
		rc = wt_error_set(errp, ENOTCONN, "it is not up: it is %s", wt_cluster_view_status(&view));
	else if (args->services & WT_CONTROL_ACCOUNTING && !view.info.accounting)
		rc = wt_error_set(errp, EINVAL, "it has neither mariadbd nor slurmdbd: it was started without --accounting");
	else if (verb == WT_CONTROL_START && client_prepare(&view.info, errp) < 0)
		rc = -1;
	else
		rc = wt_control_ask(view.info.dir, verb, services, args->host, errp);
	if (rc == 0 && verb == WT_CONTROL_START && services & WT_CONTROL_SLURMCTLD &&
	    (services & WT_CONTROL_MUNGE || !wt_state_stopped(&view.state, "munged")))
		rc = controller_wait(&view.info, errp);
	if (rc == 0 && verb == WT_CONTROL_START && view.info.accounting && services & WT_CONTROL_SLURMDBD)
		rc = slurmdbd_wait(&view.info, errp);
	wt_cluster_view_clear(&view);
	return rc < 0 ? wt_error_prefix(errp, "cluster '%s'", args->name) : 0;
}

static int control_run(const char *verb, const struct control_args *args, enum wt_control_verb what)
{
	struct wt_error err;

	if (control(args, what, &err) == 0)
		return 0;
	fprintf(stderr, "%s: %s\n", verb, err.text);
	return errno == EINVAL ? 2 : 1;
}

int cmd_cluster_stop(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "kill", 'k', NULL, 0, "By SIGKILL: a crash, or a loss of power", 0 },
		{ "host", KEY_HOST, "NAME", 0, "The nodes of this host only (cluster up --hosts)", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = { options, control_parse, "NAME [slurmctld|nodes|munge|mariadbd|slurmdbd]...",
				   "Stage an outage: end these daemons of a cluster "
				   "that is up, or all, and do not restart them until 'windtunnel cluster start'.", NULL,
				   NULL, NULL };
	struct control_args args = { 0 };

	wt_options_parse(&argp, argc, argv, 0, &args);
	return control_run(argv[0], &args, args.kill ? WT_CONTROL_KILL : WT_CONTROL_STOP);
}

int cmd_cluster_start(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "host", KEY_HOST, "NAME", 0, "The nodes of this host only (cluster up --hosts)", 0 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp argp = { options, control_parse, "NAME [slurmctld|nodes|munge|mariadbd|slurmdbd]...",
				   "Start these daemons of a cluster again, or all, "
				   "that 'windtunnel cluster stop' has ended.", NULL, NULL, NULL };
	struct control_args args = { 0 };

	wt_options_parse(&argp, argc, argv, 0, &args);
	return control_run(argv[0], &args, WT_CONTROL_START);
}
