/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster up. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd_cluster.h"
#include "wt_clock.h"
#include "wt_cluster.h"

#define LINE_EVERY_US ((int64_t) 3 * 1000000)	/* without a terminal */
#define EXIT_INTERRUPTED 130

struct up_args {
	struct wt_cluster_spec spec;
	const char *name;
	bool quiet;
};

struct shown {
	int64_t began_us, last_us;
	bool terminal, line_open, quiet;
};

static volatile int cancelled;

static void cancel(int sig)
{
	(void) sig;
	cancelled = 1;
}

static error_t up_parse(int key, char *arg, struct argp_state *state)
{
	struct up_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->spec;
		break;
	case 'q':
		args->quiet = true;
		break;
	case ARGP_KEY_ARG:
		if (args->name)
			argp_error(state, "'%s' is one argument too many", arg);
		args->name = arg;
		break;
	case ARGP_KEY_END:
		if (!args->name)
			argp_error(state, "the cluster's NAME is missing");
		if (!args->spec.nodes)
			argp_error(state, "--nodes is missing");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void progress_show(const char *phase, uint32_t registered, uint32_t nodes, void *arg)
{
	struct shown *s = arg;
	int64_t now_us = wt_clock_now_us(wt_clock_real());

	if (s->quiet || (!s->terminal && now_us - s->last_us < LINE_EVERY_US))
		return;
	fprintf(stderr, "%s%6.1f s  %-9s  %" PRIu32 " of %" PRIu32 " nodes registered%s", s->terminal ? "\r" : "",
		(double) (now_us - s->began_us) / 1e6, phase, registered, nodes, s->terminal ? "\033[K" : "\n");
	s->last_us = now_us;
	s->line_open = s->terminal;
}

static void signals_catch(void)
{
	struct sigaction sa = { .sa_handler = cancel };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

int cmd_cluster_up(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "quiet", 'q', NULL, 0, "No progress", 2 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp_child children[] = { { &wt_cluster_spec_argp, 0, "The cluster:", 1 }, { NULL, 0, NULL, 0 } };
	const struct argp argp = { options, up_parse, "NAME", "Start a cluster: a real slurmctld, a munged of its own, and emulated nodes; "
				   "return when all nodes are IDLE.", children, NULL, NULL };
	struct shown shown = { .began_us = wt_clock_now_us(wt_clock_real()), .terminal = isatty(STDERR_FILENO) };
	struct up_args args = { 0 };
	struct wt_error err = { "" };
	int rc, status = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	shown.quiet = args.quiet;
	shown.last_us = shown.began_us;
	signals_catch();
	rc = wt_cluster_up(args.name, &args.spec, 0, &cancelled, progress_show, &shown, &err);
	if (rc < 0)
		status = errno == EINTR ? EXIT_INTERRUPTED : errno == EINVAL ? 2 : 1;
	if (shown.line_open)
		fprintf(stderr, "\r\033[K");
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
	else if (!args.quiet)
		fprintf(stderr, "cluster '%s' is up: %" PRIu32 " nodes IDLE after %.1f s\n", args.name, args.spec.nodes,
			(double) (wt_clock_now_us(wt_clock_real()) - shown.began_us) / 1e6);
	wt_cluster_spec_clear(&args.spec);
	return status;
}
