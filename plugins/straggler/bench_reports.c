/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays the agents of many nodes, and people who mean no good, against the plugin's port.
 *
 *   bench_reports --job FIRST-LAST [--nodes N] [--seconds S]     heartbeats of these jobs, one report a node and window
 *   bench_reports --job ID --evil replay|garbage|foreign|flood   one kind of misuse; prints what became of it */
#include "config.h"

#include <argp.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask.h"
#include "wt_clock.h"

struct input {
	const char *conf, *evil;
	unsigned int first, last, nodes;
	double seconds, duration_s, slow, age_s;
};

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf", 0 },
	{ "job", 'j', "FIRST-LAST", 0, "The jobs to report for", 0 },
	{ "nodes", 'n', "N", 0, "That have so many nodes (1)", 0 },
	{ "seconds", 's', "S", 0, "For so long (10)", 0 },
	{ "duration", 'd', "S", 0, "Of a task (600)", 0 },
	{ "slow", 'w', "F", 0, "This share of the tasks takes three times as long (0)", 0 },
	{ "age", 'a', "S", 0, "How long the tasks have been running at first (1)", 0 },
	{ "evil", 'e', "KIND", 0, "replay, garbage, foreign, flood", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *in = state->input;

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

static struct wt_beat beat;

static double now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

static void record_add(const struct input *in, unsigned int job, double elapsed_s)
{
	bool slow = (job * 2654435761u) % 10000 < in->slow * 10000;
	double progress = elapsed_s / (in->duration_s * (slow ? 3 : 1));

	beat.records[beat.count++] = (struct wt_beat_record) { job, 0, 0, (uint64_t) (elapsed_s * 1e6), progress > 1 ? 1 : progress };
}

/* All tasks of a node; returns how many, or -1. */
static long node_report(struct ask *a, const struct input *in, unsigned int node, double elapsed_s)
{
	long sent = 0;

	beat.kind = WT_BEAT_REPORT;
	snprintf(beat.node, sizeof(beat.node), "n%u", node);
	beat.count = 0;
	for (unsigned int job = in->first + node; job <= in->last; job += in->nodes) {
		struct wt_beat_reply reply;
		struct wt_error err;

		record_add(in, job, elapsed_s);
		if (beat.count < WT_BEAT_RECORDS_MAX && job + in->nodes <= in->last)
			continue;
		sent += beat.count;
		beat.sequence++;
		if (ask(a, &beat, 10000, &reply, &err) < 0) {
			fprintf(stderr, "bench_reports: %s\n", err.text);
			return -1;
		}
		beat.count = 0;
	}
	return sent;
}

static int play(struct ask *a, const struct input *in)
{
	double begin_s = now_s(), busy_s = 0, late_s = 0;
	long beats = 0, rounds = 0;

	for (double turn_s = begin_s; turn_s - begin_s < in->seconds; turn_s += a->conf->spec.window_s) {
		double start_s = now_s(), left_s;

		for (unsigned int node = 0; node < in->nodes; node++) {
			long sent = node_report(a, in, node, now_s() - begin_s + in->age_s);

			if (sent < 0)
				return 1;
			beats += sent;
		}
		rounds++;
		busy_s += now_s() - start_s;
		left_s = turn_s + a->conf->spec.window_s - now_s();
		if (left_s > 0)
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + (int64_t) (left_s * 1e6));
		else if (-left_s > late_s)
			late_s = -left_s;
	}
	printf("%ld heartbeats in %ld reports, %ld rounds in %.1f s: %.0f heartbeats/s; busy for %.1f s, that is %.0f heartbeats/s; "
	       "late by %.1f s\n", beats, (long) beat.sequence, rounds, now_s() - begin_s, (double) beats / (now_s() - begin_s), busy_s,
	       (double) beats / busy_s, late_s);
	return 0;
}

static int connect_to(const struct specconf *conf)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	char port[16];
	int fd;

	snprintf(port, sizeof(port), "%u", conf->port);
	if (getaddrinfo(conf->controller, port, &hints, &list))
		return -1;
	fd = socket(list->ai_family, SOCK_STREAM, 0);
	if (fd >= 0 && connect(fd, list->ai_addr, list->ai_addrlen) < 0) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(list);
	return fd;
}

/* Send bytes as a frame on a connection of their own; whether there was an answer. */
static bool frame_answered(const struct specconf *conf, const char *text, size_t len)
{
	uint32_t head = htonl((uint32_t) len);
	int fd = connect_to(conf);
	char got;
	bool answered;

	if (fd < 0)
		return false;
	answered = send(fd, &head, sizeof(head), MSG_NOSIGNAL) == sizeof(head) && send(fd, text, len, MSG_NOSIGNAL) == (ssize_t) len &&
		   recv(fd, &got, 1, 0) == 1;
	close(fd);
	return answered;
}

static char *sealed(const struct specconf *conf, const void *bytes, size_t len)
{
	munge_ctx_t ctx = seal_context(conf->munge_socket);
	char *credential = ctx ? seal(ctx, bytes, len, NULL) : NULL;

	if (ctx)
		munge_ctx_destroy(ctx);
	return credential;
}

static int replay(const struct specconf *conf, const struct input *in)
{
	uint8_t body[WT_BEAT_BODY_MAX];
	bool first, second;
	char *credential;
	int len;

	beat.kind = WT_BEAT_REPORT;
	memcpy(beat.node, "n1", 3);
	record_add(in, in->first, in->age_s);
	len = wt_beat_encode(&beat, body, sizeof(body), NULL);
	credential = len > 0 ? sealed(conf, body, (size_t) len) : NULL;
	first = credential && frame_answered(conf, credential, strlen(credential));
	second = credential && frame_answered(conf, credential, strlen(credential));
	free(credential);
	printf("first %s, again %s\n", first ? "answered" : "refused", second ? "answered" : "refused");
	return 0;
}

static int garbage(const struct specconf *conf)
{
	static const char noise[] = "MUNGE:AwQDAAD:", body[] = "WTB1 but not a message";
	char *credential = sealed(conf, body, sizeof(body));
	bool one = frame_answered(conf, noise, sizeof(noise)), two = credential && frame_answered(conf, credential, strlen(credential));

	free(credential);
	printf("noise %s, a sealed non-message %s\n", one ? "answered" : "refused", two ? "answered" : "refused");
	return 0;
}

/* Reports for a job, or as many as can be sent. */
static int reports(struct ask *a, const struct input *in, bool flood)
{
	double begin_s = now_s();
	struct wt_beat_reply reply = { .code = WT_BEAT_BAD };
	long count = 0;

	do {
		beat.kind = WT_BEAT_REPORT;
		memcpy(beat.node, "n1", 3);
		beat.count = 0;
		record_add(in, in->first, now_s() - begin_s + in->age_s);
		if (ask(a, &beat, 60000, &reply, NULL) == 0)
			count++;
	} while (flood && now_s() - begin_s < in->seconds);
	printf("%ld answered in %.1f s, last: %s\n", count, now_s() - begin_s, wt_beat_code_name(reply.code));
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { .options = options, .parser = parse };
	struct input in = { .nodes = 1, .seconds = 10, .duration_s = 600, .age_s = 1 };
	static struct specconf conf;
	struct ask a = { .conf = &conf, .fd = -1 };
	struct wt_error err;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &in);
	if (specconf_read(&conf, in.conf, &err) < 0) {
		fprintf(stderr, "bench_reports: %s\n", err.text);
		return 1;
	}
	if (!in.evil)
		rc = play(&a, &in);
	else if (!strcmp(in.evil, "replay"))
		rc = replay(&conf, &in);
	else if (!strcmp(in.evil, "garbage"))
		rc = garbage(&conf);
	else
		rc = reports(&a, &in, !strcmp(in.evil, "flood"));
	ask_end(&a);
	return rc;
}
