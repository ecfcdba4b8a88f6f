/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays the agents of many nodes, and people who mean no good, against the plugin's port.
 *
 *   bench_reports --job FIRST-LAST [--nodes N] [--seconds S]     heartbeats of these jobs, one report a node and window
 *   bench_reports --job ID --evil KIND                           one kind of misuse (evil_reports.c); prints what became of
 * it */
#include "config.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/straggler/bench/bench_reports.h"
#include "lib/clock.h"

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf", 0 },
	{ "job", 'j', "FIRST-LAST", 0, "The jobs to report for", 0 },
	{ "nodes", 'n', "N", 0, "That have so many nodes (1)", 0 },
	{ "seconds", 's', "S", 0, "For so long (10)", 0 },
	{ "duration", 'd', "S", 0, "Of a task (600)", 0 },
	{ "slow", 'w', "F", 0, "This share of the tasks takes three times as long (0)", 0 },
	{ "age", 'a', "S", 0, "How long the tasks have been running at first (1)", 0 },
	{ "evil", 'e', "KIND", 0, "replay, garbage, foreign, flood, keyed, theft, letter, opens, old", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct bench_arguments *in = state->input;

	switch (key) {
	case 'c':
		in->conf = arg;
		return 0;
	case 'j':
		if (sscanf(arg, "%u-%u", &in->first, &in->last) == 1)
			in->last = in->first;
		return 0;
	case 'n':
		in->nodes = (unsigned int) strtoul(arg, NULL, 10);
		return 0;
	case 's':
		in->seconds = strtod(arg, NULL);
		return 0;
	case 'd':
		in->duration_s = strtod(arg, NULL);
		return 0;
	case 'w':
		in->slow = strtod(arg, NULL);
		return 0;
	case 'a':
		in->age_s = strtod(arg, NULL);
		return 0;
	case 'e':
		in->evil = arg;
		return 0;
	case ARGP_KEY_END:
		if (!in->conf || !in->first || in->last < in->first || !in->nodes)
			argp_error(state, "--conf and --job are needed");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static struct port_message message;
static long reports;

double bench_now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

void bench_record(struct port_message *message, const struct bench_arguments *in, unsigned int job, double elapsed_s)
{
	/* Knuth's multiplicative hash: the same jobs in each run, spread over the nodes. */
	bool slow = (job * 2654435761u) % 10000 < in->slow * 10000;
	double progress = elapsed_s / (in->duration_s * (slow ? 3 : 1));

	message->records[message->count++] = (struct beat_record) { job, 0, 0, (uint64_t) (elapsed_s * 1e6),
		progress > 1 ? 1 :
								 progress };
}

/* All tasks of a node; returns how many, or -1. */
static long node_report(struct channel *channel, const struct bench_arguments *in, unsigned int node, double elapsed_s)
{
	long sent = 0;

	message.kind = PORT_REPORT;
	snprintf(message.node, sizeof(message.node), "n%u", node);
	message.count = 0;
	for (unsigned int job = in->first + node; job <= in->last; job += in->nodes) {
		struct wt_error err;

		bench_record(&message, in, job, elapsed_s);
		if (message.count < PORT_RECORDS_MAX && job + in->nodes <= in->last)
			continue;
		sent += message.count;
		reports++;
		if (channel_report(channel, &message, 10000, &err) < 0) {
			fprintf(stderr, "bench_reports: %s\n", err.text);
			return -1;
		}
		message.count = 0;
	}
	return sent;
}

static int play(struct channel *channels, const struct straggler_conf *conf, const struct bench_arguments *in)
{
	double begin_s = bench_now_s(), busy_s = 0, late_s = 0;
	long beats = 0, rounds = 0;

	for (double turn_s = begin_s; turn_s - begin_s < in->seconds; turn_s += conf->spec.window_s) {
		double start_s = bench_now_s(), left_s;

		for (unsigned int node = 0; node < in->nodes; node++) {
			long sent = node_report(&channels[node], in, node, bench_now_s() - begin_s + in->age_s);

			if (sent < 0)
				return 1;
			beats += sent;
		}
		rounds++;
		busy_s += bench_now_s() - start_s;
		left_s = turn_s + conf->spec.window_s - bench_now_s();
		if (left_s > 0)
			wt_clock_sleep_until_us(wt_clock_real(),
						wt_clock_now_us(wt_clock_real()) + (int64_t) (left_s * 1e6));
		else if (-left_s > late_s)
			late_s = -left_s;
	}
	printf("%ld heartbeats in %ld reports, %ld rounds in %.1f s: %.0f heartbeats/s; busy for %.1f s, that is %.0f "
	       "heartbeats/s; "
	       "late by %.1f s\n", beats, reports, rounds, bench_now_s() - begin_s,
	       (double) beats / (bench_now_s() - begin_s), busy_s,
	       (double) beats / busy_s, late_s);
	return 0;
}

static int agents_play(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	struct channel *channels = calloc(in->nodes, sizeof(*channels));
	int rc;

	if (!channels)
		return 1;
	for (unsigned int node = 0; node < in->nodes; node++)
		channel_begin(&channels[node], conf);
	rc = play(channels, conf, in);
	for (unsigned int node = 0; node < in->nodes; node++)
		channel_end(&channels[node]);
	free(channels);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { .options = options, .parser = parse };
	struct bench_arguments in = { .nodes = 1, .seconds = 10, .duration_s = 600, .age_s = 1 };
	static struct straggler_conf conf;
	struct wt_error err;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	if (straggler_conf_read(&conf, in.conf, &err) < 0) {
		fprintf(stderr, "bench_reports: %s\n", err.text);
		return 1;
	}
	return in.evil ? evil_reports_send(&conf, &in) : agents_play(&conf, &in);
}
