/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel profile: where the CPU time of a cluster's slurmctld goes. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verbs.h"
#include "harness/cluster/cluster_private.h"
#include "harness/profile/flame.h"
#include "harness/profile/perf.h"
#include "harness/profile/stacks.h"
#include "harness/profile/thread_times.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"
#include "lib/table.h"

#define SECONDS_DEFAULT 10
#define SECONDS_MAX 600		/* 1.6 MB of copied stacks a second and CPU in use */
#define RATE_DEFAULT 99		/* not in step with what runs a hundred times a second */
#define RATE_MAX 1000
#define TOP_DEFAULT 20
#define LOOK_US 50000

enum { KEY_SECONDS = 0x100, KEY_RATE, KEY_TOP, KEY_STACKS, KEY_SVG, KEY_JSON, KEY_DAEMON };

static const struct argp_option options[] = {
	{ "seconds", KEY_SECONDS, "N", 0, "Look for so long (default: 10); Ctrl-C ends it before", 0 },
	{ "daemon", KEY_DAEMON, "NAME", 0, "Of this daemon: slurmctld (default), vnoded, slurmdbd, mariadbd, munged", 0 },
	{ "top", KEY_TOP, "N", 0, "Show so many functions (default: 20)", 0 },
	{ "rate", KEY_RATE, "HZ", 0, "Samples a second (default: 99)", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "Write a flame graph", 0 },
	{ "stacks", KEY_STACKS, "FILE", 0, "Write the stacks, one a line, as flamegraph.pl and speedscope take them", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 },
};

struct profile_args {
	const char *cluster, *daemon, *svg, *stacks;
	uint64_t duration_s, rate_hz, top;
	bool json;
};

struct profile {
	const struct profile_args *args;
	pid_t pid;
	double wall_s, cpu_s;
	struct thread_use *threads;
	size_t thread_count;
	struct stacks stacks;
	struct stack_function *functions;
	size_t function_count;
	bool recorded;			/* by perf */
	struct wt_error why;		/* no function is known; "": they are */
};

static volatile sig_atomic_t ended;

static void signal_note(int sig)
{
	(void) sig;
	ended = 1;
}

static void number_take(struct argp_state *state, const char *arg, const char *option, uint64_t max, uint64_t *value)
{
	struct wt_error err;

	if (wt_str_to_u64(arg, 1, max, option, value, &err) < 0)
		argp_error(state, "%s", err.text);
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct profile_args *args = state->input;

	switch (key) {
	case KEY_SECONDS:
		number_take(state, arg, "--seconds", SECONDS_MAX, &args->duration_s);
		return 0;
	case KEY_RATE:
		number_take(state, arg, "--rate", RATE_MAX, &args->rate_hz);
		return 0;
	case KEY_TOP:
		number_take(state, arg, "--top", 100000, &args->top);
		return 0;
	case KEY_DAEMON:
		args->daemon = arg;
		return 0;
	case KEY_SVG:
		args->svg = arg;
		return 0;
	case KEY_STACKS:
		args->stacks = arg;
		return 0;
	case KEY_JSON:
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->cluster)
			argp_error(state, "one cluster is enough");
		args->cluster = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->cluster)
			argp_error(state, "the CLUSTER is missing; 'windtunnel cluster list' has their names");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int daemon_find(const struct profile_args *args, struct wt_proc *proc, struct wt_error *errp)
{
	struct wt_cluster_view view;
	int rc = -1;

	if (wt_cluster_look(args->cluster, &view, errp) < 0)
		return -1;
	for (size_t i = 0; i < view.state.daemon_count && rc < 0; i++)
		if (!strcmp(view.state.daemons[i].name, args->daemon)) {
			*proc = view.state.daemons[i].proc;
			rc = 0;
		}
	if (rc < 0)
		wt_error_set(errp, EINVAL, "cluster '%s' has no %s", args->cluster, args->daemon);
	else if (proc->pid <= 0 || !wt_proc_alive(proc))
		rc = wt_error_set(errp, ESRCH, "cluster '%s': its %s does not run", args->cluster, args->daemon);
	wt_cluster_view_clear(&view);
	return rc;
}

/* Where perf cannot look, threads are watched for as long all the same. */
static void wait_until(int64_t end_us)
{
	while (!ended && wt_clock_wall_us() < end_us)
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
}

/* What cannot be known of functions is told with the rest. */
static int functions_take(struct profile *p, const struct perf_recording *recording, struct wt_error *errp)
{
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (perf_read(recording, &text, &len, &p->why) < 0)
		return 0;
	rc = stacks_parse(text, len, &p->stacks, errp);
	free(text);
	return rc < 0 ? -1 : stacks_functions(&p->stacks, &p->functions, &p->function_count, errp);
}

static int profile_take(struct profile *p, struct wt_error *errp)
{
	struct thread_times before, after = { 0 };
	struct perf_recording recording;
	int64_t begin_us = wt_clock_wall_us();
	int rc;

	if (thread_times_read(p->pid, &before, errp) < 0)
		return -1;
	if (perf_record(&recording, p->pid, (unsigned int) p->args->rate_hz, (unsigned int) p->args->duration_s, &ended,
			&p->why) < 0)
		wait_until(begin_us + (int64_t) p->args->duration_s * 1000000);
	else
		p->recorded = true;
	rc = thread_times_read(p->pid, &after, errp);
	p->wall_s = (double) (wt_clock_wall_us() - begin_us) / 1e6;
	if (rc == 0)
		rc = thread_uses(&before, &after, &p->threads, &p->thread_count, errp);
	/* Not what the process says: it is read a moment after its threads, before and after. */
	for (size_t i = 0; rc == 0 && i < p->thread_count; i++)
		p->cpu_s += p->threads[i].cpu_s;
	if (rc == 0 && p->recorded)
		rc = functions_take(p, &recording, errp);
	perf_remove(&recording);
	thread_times_clear(&before);
	thread_times_clear(&after);
	return rc;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void threads_print(const struct profile *p)
{
	struct wt_table *table = wt_table_create("lrrr");

	wt_table_cell(table, "thread");
	wt_table_cell(table, "number");
	wt_table_cell(table, "CPU s");
	wt_table_cell(table, "%%");
	for (size_t i = 0; i < p->thread_count && p->threads[i].cpu_s >= 0.005; i++) {
		wt_table_cell(table, "%s", p->threads[i].name);
		if (p->threads[i].threads)
			wt_table_cell(table, "%" PRIu32, p->threads[i].threads);
		else
			wt_table_cell(table, "-");
		wt_table_cell(table, "%.2f", p->threads[i].cpu_s);
		wt_table_cell(table, "%.1f", percent(p->threads[i].cpu_s, p->cpu_s));
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
}

static void functions_print(const struct profile *p)
{
	struct wt_table *table = wt_table_create("lrr");
	double all = (double) p->stacks.samples;

	wt_table_cell(table, "function");
	wt_table_cell(table, "itself %%");
	wt_table_cell(table, "with what it calls %%");
	for (size_t i = 0; i < p->function_count && i < p->args->top; i++) {
		char *name = wt_str_make_line(p->functions[i].name, 60);

		wt_table_cell(table, "%s", name ? name : "?");
		wt_table_cell(table, "%.1f", percent((double) p->functions[i].self, all));
		wt_table_cell(table, "%.1f", percent((double) p->functions[i].total, all));
		free(name);
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
}

static void profile_print(const struct profile *p)
{
	printf("%s of '%s' (pid %ld): %.2f s of CPU time in %.1f s\n\n", p->args->daemon, p->args->cluster, (long) p->pid,
	       p->cpu_s, p->wall_s);
	threads_print(p);
	if (*p->why.text)
		printf("\nIts functions are not known: %s\n", p->why.text);
	else
		printf("\n%" PRIu64 " samples\n", p->stacks.samples);
	if (p->function_count)
		functions_print(p);
}

static json_t *functions_json(const struct profile *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->function_count; i++)
		json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "name", wt_json_text(p->functions[i].name), "self",
						      (json_int_t) p->functions[i].self, "total",
						      (json_int_t) p->functions[i].total));
	return list;
}

static int profile_json(const struct profile *p, struct wt_error *errp)
{
	json_t *threads = json_array(), *v;
	int rc;

	for (size_t i = 0; i < p->thread_count; i++)
		json_array_append_new(threads, json_pack("{s:o, s:I, s:f}", "name", wt_json_text(p->threads[i].name),
							 "threads", (json_int_t) p->threads[i].threads, "cpu_s",
							 p->threads[i].cpu_s));
	v = json_pack("{s:i, s:o, s:s, s:I, s:f, s:f, s:o, s:I, s:I, s:o, s:o}", "format", 1, "cluster",
		      wt_json_text(p->args->cluster), "daemon", p->args->daemon, "pid", (json_int_t) p->pid, "wall_s",
		      p->wall_s, "cpu_s", p->cpu_s, "threads", threads, "rate_hz", (json_int_t) p->args->rate_hz, "samples",
		      (json_int_t) p->stacks.samples, "functions", *p->why.text ? json_null() : functions_json(p),
		      "functions_missing", *p->why.text ? wt_json_text(p->why.text) : json_null());
	rc = v ? wt_json_print(stdout, v, errp) : wt_error_errno(errp, ENOMEM, "profile");
	json_decref(v);
	return rc;
}

static int svg_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct profile *p = arg;
	char *title = wt_str_format("%s of %s, %.2f s of CPU time in %.1f s", p->args->daemon, p->args->cluster, p->cpu_s,
				    p->wall_s);

	if (!title)
		return wt_error_errno(errp, ENOMEM, "flame graph");
	flame_print(&p->stacks, title, out);
	free(title);
	return 0;
}

static int stacks_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	stacks_print(&((const struct profile *) arg)->stacks, out);
	return 0;
}

static int profile_tell(const struct profile *p, struct wt_error *errp)
{
	if (p->args->json && profile_json(p, errp) < 0)
		return -1;
	if (!p->args->json)
		profile_print(p);
	if (!p->args->svg && !p->args->stacks)
		return 0;
	if (*p->why.text)
		return wt_error_set(errp, EIO, "no stacks to be written: %s", p->why.text);
	if (p->args->svg && wt_outfile_write(p->args->svg, svg_write, p, errp) < 0)
		return -1;
	return p->args->stacks ? wt_outfile_write(p->args->stacks, stacks_write, p, errp) : 0;
}

int wt_verb_profile(int argc, char **argv)
{
	static const struct argp argp = {
		options, option_parse, "CLUSTER",
		"Where the CPU time of a cluster's slurmctld goes while it runs: by thread, and by function where perf(1) "
		"is there and may look.", NULL, NULL, NULL,
	};
	struct profile_args args = { .daemon = "slurmctld", .duration_s = SECONDS_DEFAULT, .rate_hz = RATE_DEFAULT,
				     .top = TOP_DEFAULT };
	struct profile p = { .args = &args, .why = { "" } };
	struct sigaction action = { .sa_handler = signal_note };
	struct wt_error err = { "" };
	struct wt_proc proc;
	int rc;

	wt_options_parse(&argp, argc, argv, 0, &args);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	rc = daemon_find(&args, &proc, &err);
	p.pid = rc == 0 ? proc.pid : 0;
	if (rc == 0)
		rc = profile_take(&p, &err);
	if (rc == 0)
		rc = profile_tell(&p, &err);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
	stacks_functions_free(p.functions, p.function_count);
	stacks_clear(&p.stacks);
	free(p.threads);
	return rc == 0 ? 0 : 1;
}
