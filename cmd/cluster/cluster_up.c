/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster up. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "compat/client.h"
#include "cmd/cluster/cmd_cluster.h"
#include "lib/clock.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/live/live_start.h"
#include "lib/options.h"
#include "lib/str.h"

#define LINE_EVERY_US ((int64_t) 3 * 1000000)	/* without a terminal */
#define EXIT_INTERRUPTED 130

#define RUN_TIME_MAX_S 31536000.0

enum { KEY_CLOCK = 0x200, KEY_CHARGE, KEY_OWNER, KEY_RUN_TIME, KEY_SERVE, KEY_DYNAMIC };

struct up_args {
	struct wt_cluster_wanted wanted;
	const char *name, *charge, *serve_address;
	bool quiet, dry_run, virtual_clock, serve;
	pid_t owner;		/* 0: none */
	struct live_page *page;	/* NULL: none */
};

struct shown {
	int64_t began_us, last_us;
	uint32_t nodes;		/* that are waited for */
	bool terminal, line_open, quiet;
};

static volatile int cancelled;

static void cancel(int sig)
{
	(void) sig;
	cancelled = 1;
}

static void up_check(const struct up_args *args, struct argp_state *state)
{
	if (!args->name)
		argp_error(state, "the cluster's NAME is missing");
	if (!args->wanted.nodes && !args->wanted.site)
		argp_error(state, "--nodes or --site is missing");
	if (args->charge && !args->virtual_clock)
		argp_error(state, "--charge is for --clock virtual");
	if (args->wanted.credentials == WT_CREDENTIALS_PROCESS && !args->virtual_clock)
		argp_error(state, "--credentials process is for --clock virtual");
	if (args->wanted.save_interval_s && !args->virtual_clock)
		argp_error(state, "--save-interval is for --clock virtual");
	if (args->wanted.timer_slack_ms && !args->virtual_clock)
		argp_error(state, "--timer-slack is for --clock virtual");
	if (args->wanted.timer_slack_ms && args->charge && !strcmp(args->charge, "none"))
		argp_error(state, "--timer-slack is not for --charge none: what happens would not repeat itself");
	if (args->serve && args->dry_run)
		argp_error(state, "--dry-run starts nothing: leave out --serve");
}

static void run_time_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	char *end;

	wanted->default_run_time_s = strtod(arg, &end);
	wanted->run_time_given = true;
	if (end == arg || *end || strspn(arg, "0123456789.") != strlen(arg) || wanted->default_run_time_s > RUN_TIME_MAX_S)
		argp_error(state, "--default-run-time %s: give seconds, from 0 to %.0f", arg, RUN_TIME_MAX_S);
}

static void dynamic_take(struct argp_state *state, const char *arg, struct wt_cluster_wanted *wanted)
{
	struct wt_error err;
	uint64_t count;

	/* How many there can be depends on --nodes. */
	if (wt_str_to_u64(arg, 1, UINT32_MAX, "dynamic", &count, &err) < 0)
		argp_error(state, "--dynamic %s: give a number of nodes, from 1 on", arg);
	else
		wanted->dynamic_nodes = (uint32_t) count;
}

static void clock_take(struct argp_state *state, const char *arg, struct up_args *args)
{
	if (strcmp(arg, "real") && strcmp(arg, "virtual"))
		argp_error(state, "--clock %s: give real or virtual", arg);
	args->virtual_clock = args->wanted.virtual_clock = !strcmp(arg, "virtual");
}

static void serve_take(struct argp_state *state, const char *address, struct up_args *args)
{
	struct live_address parsed;
	struct wt_error err;

	args->serve = true;
	args->serve_address = address;
	if (live_address_parse(address, &parsed, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void charge_take(struct argp_state *state, const char *arg, struct up_args *args)
{
	struct wt_error err;

	if (wt_virtual_charge_check(arg, &err) < 0)
		argp_error(state, "--charge %s: %s", arg, err.text);
	args->charge = arg;
}

static void owner_take(struct argp_state *state, const char *arg, struct up_args *args)
{
	struct wt_error err;
	uint64_t pid;

	if (wt_str_to_u64(arg, 1, INT_MAX, "owner", &pid, &err) < 0)
		argp_error(state, "--owner %s: give the id of a process", arg);
	else
		args->owner = (pid_t) pid;
}

static error_t up_parse(int key, char *arg, struct argp_state *state)
{
	struct up_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->wanted;
		break;
	case 'q': args->quiet = true; break;
	case 'n': args->dry_run = true; break;
	case KEY_CLOCK:
		clock_take(state, arg, args);
		break;
	case KEY_OWNER:
		owner_take(state, arg, args);
		break;
	case KEY_SERVE:
		serve_take(state, arg, args);
		break;
	case KEY_RUN_TIME:
		run_time_take(state, arg, &args->wanted);
		break;
	case KEY_CHARGE:
		charge_take(state, arg, args);
		break;
	case KEY_DYNAMIC: dynamic_take(state, arg, &args->wanted); break;
	case ARGP_KEY_ARG:
		if (args->name)
			argp_error(state, "'%s' is one argument too many", arg);
		args->name = arg;
		break;
	case ARGP_KEY_END:
		up_check(args, state);
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

	s->nodes = nodes;
	if (s->quiet || (!s->terminal && now_us - s->last_us < LINE_EVERY_US))
		return;
	fprintf(stderr, "%s%6.1f s  %-9s  %" PRIu32 " of %" PRIu32 " nodes registered%s", s->terminal ? "\r" : "",
		(double) (now_us - s->began_us) / 1e6, phase, registered, nodes, s->terminal ? "\033[K" : "\n");
	s->last_us = now_us;
	s->line_open = s->terminal;
}

static void signals_catch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = cancel }, old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup, or a shell's background, wants it so. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &sa, NULL);
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);	/* a caller may have blocked them */
}

static int error_print(const char *verb, const struct wt_error *err)
{
	int errnum = errno;

	fprintf(stderr, "%s: %s\n", verb, err->text);
	return errnum == EINTR ? EXIT_INTERRUPTED : errnum == EINVAL ? 2 : 1;
}

static int conf_show(const char *verb, const struct up_args *args)
{
	struct wt_error err;
	char *text = wt_cluster_conf_text(args->name, &args->wanted, &err);

	if (!text)
		return error_print(verb, &err);
	fputs(text, stdout);
	free(text);
	return fflush(stdout) == 0 ? 0 : 1;
}

/* Not an error: a client that connects still needs a credential of this cluster's munged. */
static void listening_warn(const char *verb, const char *name)
{
	struct wt_cluster_view view;

	if (wt_cluster_look(name, &view, NULL) < 0)
		return;
	if (view.info.listens_everywhere)
		fprintf(stderr, "%s: warning: slurmctld listens on all addresses, port %u (it answers only to this "
				"cluster's own "
			"credentials); with this machine's name at a loopback address in /etc/hosts (127.0.1.1, say) it "
			"would not\n",
			verb, view.info.controller_port);
	wt_cluster_view_clear(&view);
}

static void database_warn(const char *verb, const char *name)
{
	const char *caveat = compat_no_database_caveat();
	struct wt_cluster_view view;

	if (!caveat || wt_cluster_look(name, &view, NULL) < 0)
		return;
	if (!view.info.accounting)
		fprintf(stderr, "%s: warning: %s\n", verb, caveat);
	wt_cluster_view_clear(&view);
}

/* A site names its nodes itself. */
static uint32_t nodes_of(const char *name)
{
	struct wt_cluster_view view;
	uint32_t nodes;

	if (wt_cluster_look(name, &view, NULL) < 0)
		return 0;
	nodes = view.info.nodes;
	wt_cluster_view_clear(&view);
	return nodes;
}

static void success_print(const struct up_args *args, const struct shown *shown)
{
	double took_s = (double) (wt_clock_now_us(wt_clock_real()) - shown->began_us) / 1e6;
	uint32_t nodes = args->wanted.site ? nodes_of(args->name) : args->wanted.nodes;

	fprintf(stderr, "cluster '%s' is up: %" PRIu32 " nodes IDLE after %.1f s", args->name, shown->nodes, took_s);
	if (shown->nodes < nodes)
		fprintf(stderr, "; %" PRIu32 " are not there (State=CLOUD or FUTURE)", nodes - shown->nodes);
	fputc('\n', stderr);
}

/* From here on the page is the cluster's, and its URL is in its folder as well. */
static void page_leave(const char *verb, const struct up_args *args, uint32_t nodes)
{
	struct wt_cluster *cluster;
	struct wt_error err;

	cluster = wt_cluster_open(args->name, &err);
	if (!cluster || live_page_note(args->page, cluster->dir, &err) < 0)
		fprintf(stderr, "%s: live page: %s\n", verb, err.text);
	if (cluster) {
		live_page_tell(args->page, "cluster up");
		live_page_leave(args->page, args->name, cluster->dir, nodes, cluster->clock ? "virtual" : "real");
	} else {
		live_page_end(args->page, 1);
	}
	wt_cluster_close(cluster);
}

static int cluster_start(const char *verb, const struct up_args *args)
{
	struct shown shown = {
		.began_us = wt_clock_now_us(wt_clock_real()), .terminal = isatty(STDERR_FILENO), .quiet = args->quiet,
	};
	struct wt_error err = { "" };
	int rc;

	shown.last_us = shown.began_us;
	if (args->page)
		/* Now that the program is not executed again the way back to the page's memory is closed: no daemon
		 * shall inherit it. */
		live_page_settle(args->page);
	signals_catch();
	rc = wt_cluster_up(args->name, &args->wanted, args->owner, &cancelled, progress_show, &shown, &err);
	if (shown.line_open) {
		int saved_errno = errno;

		fprintf(stderr, "\r\033[K");
		errno = saved_errno;
	}
	if (rc < 0) {
		rc = error_print(verb, &err);
		live_page_end(args->page, rc);
		return rc;
	}
	listening_warn(verb, args->name);
	database_warn(verb, args->name);
	if (!args->quiet)
		success_print(args, &shown);
	if (args->page)
		page_leave(verb, args, shown.nodes ? shown.nodes : args->wanted.nodes);
	return 0;
}

/* The coordinator's messages go into the folder that the cluster will have. */
static int virtual_start(const char *verb, const struct up_args *args)
{
	struct wt_error err = { "" };
	char *base = wt_clusterdir_name_check(args->name, &err) == 0 ? wt_clusterdir_base(true, &err) : NULL;
	char *path = base ? wt_clusterdir_path(base, args->name, &err) : NULL, *log = path ? wt_str_format("%s/clock.log",
		path) : NULL;
	int rc = log ? wt_cluster_clock_enter(args->charge, log, &args->wanted, &err) : -1;

	free(log);
	free(path);
	free(base);
	if (rc == 0)
		return cluster_start(verb, args);
	rc = error_print(verb, &err);
	live_page_end(args->page, rc);
	return rc;
}

/* The page's server begins before the clock: it lives by the machine's. */
static int page_and_cluster_start(const char *verb, struct up_args *args)
{
	struct wt_error err = { "" };

	if (args->serve) {
		args->page = live_page_start(args->serve_address, LIVE_CLUSTER, &err);
		if (!args->page)
			return error_print(verb, &err);
	}
	return args->virtual_clock ? virtual_start(verb, args) : cluster_start(verb, args);
}

int cmd_cluster_up(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "quiet", 'q', NULL, 0, "No progress", 2 },
		{ "clock", KEY_CLOCK, "real|virtual", 0, "Live by the machine's clock (default), or in virtual time", 1 },
		{ "charge", KEY_CHARGE, "none|real|cpu[:X]", 0, "What a busy controller costs in virtual time", 1 },
		{ "default-run-time", KEY_RUN_TIME, "S", WT_OPTION_RARE,
		  "Run time, in seconds, of jobs and tasks on virtual nodes that "
		  "say none (default: 60)", 1 },
		{ "dynamic", KEY_DYNAMIC, "N", WT_OPTION_RARE,
		  "N more virtual nodes, of which slurm.conf says nothing: they join, as slurmd -Z does, when they are "
		  "switched on (windtunnel node on)", 1 },
		{ "owner", KEY_OWNER, "PID", WT_OPTION_RARE, "End and remove the cluster when that process has ended", 2 },
		{ "serve", KEY_SERVE, "ADDRESS:PORT", OPTION_ARG_OPTIONAL,
		  "Show the cluster on a page for a browser, and as metrics for Prometheus, at the URL that is printed "
		  "(default: 127.0.0.1 and a free port)", 2 },
		{ "dry-run", 'n', NULL, 0, "Check everything, print the slurm.conf, start nothing", 2 },
		{ NULL, 0, NULL, 0, NULL, 0 },
	};
	const struct argp_child children[] = { { &wt_cluster_wanted_argp, 0, "The cluster:", 1 }, { NULL, 0, NULL, 0 } };
	const struct argp argp = { options, up_parse, "NAME",
				   "Start a cluster: a real slurmctld, a munged of its own, and emulated nodes; "
				   "return when all nodes are IDLE.", children, NULL, NULL };
	struct up_args args = { 0 };
	int status;

	wt_options_parse(&argp, argc, argv, 0, &args);
	if (args.dry_run)
		status = conf_show(argv[0], &args);
	else
		status = page_and_cluster_start(argv[0], &args);
	wt_cluster_wanted_clear(&args.wanted);
	if (status)
		wt_virtual_finish();
	return status;
}
