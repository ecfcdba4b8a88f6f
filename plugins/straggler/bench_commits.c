/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays wt-commit of many tasks against the plugin's port, one after another: asks for the right to publish, and says that it is done.
 *
 *   bench_commits FILE ARRAY FIRST-LAST     straggler.conf; job FIRST + i is task i of ARRAY */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"
#include "wt_clock.h"

#define AGAIN_US 100000
#define GIVE_UP_S 60.

struct times {
	double sum_s, max_s;
	long count;
};

static double now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

/* One question; the time of the last one, which was answered with OK, counts: *waits of them were answered with "wait". */
static int put(struct ask *a, struct wt_beat *beat, enum wt_beat_commit operation, struct times *times, long *waits)
{
	double begin_s = now_s();

	for (;;) {
		struct wt_beat_reply reply;
		struct wt_error err;
		double start_s = now_s();

		beat->operation = operation;
		beat->nonce++;
		if (ask(a, beat, 60000, &reply, &err) < 0) {
			fprintf(stderr, "bench_commits: %s\n", err.text);
			return -1;
		}
		if (reply.code == WT_BEAT_OK) {
			times->sum_s += now_s() - start_s;
			times->max_s = fmax(times->max_s, now_s() - start_s);
			times->count++;
			return 0;
		}
		if (now_s() - begin_s > GIVE_UP_S) {
			fprintf(stderr, "bench_commits: job %u: %s\n", beat->job_id, wt_beat_code_name(reply.code));
			return -1;
		}
		++*waits;
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_US);
	}
}

static int play(struct ask *a, unsigned int array, unsigned int first, unsigned int last)
{
	static struct wt_beat beat = { .kind = WT_BEAT_COMMIT, .instance = 1 };
	struct times grants = { 0, 0, 0 }, dones = { 0, 0, 0 };
	double begin_s = now_s();
	long waits = 0;

	beat.array_job_id = array;
	for (unsigned int job = first; job <= last; job++) {
		beat.job_id = job;
		beat.array_task_id = job - first;
		if (put(a, &beat, WT_COMMIT_ACQUIRE, &grants, &waits) < 0 || put(a, &beat, WT_COMMIT_DONE, &dones, &waits) < 0)
			return 1;
	}
	printf("%ld tasks published in %.1f s: %.1f a second; a grant took %.1f ms (at most %.0f), \"done\" %.1f ms (at most %.0f); %ld times told to wait\n",
	       grants.count, now_s() - begin_s, (double) grants.count / (now_s() - begin_s), grants.sum_s / (double) grants.count * 1e3, grants.max_s * 1e3,
	       dones.sum_s / (double) dones.count * 1e3, dones.max_s * 1e3, waits);
	return 0;
}

int main(int argc, char **argv)
{
	static struct specconf conf;
	struct ask a = { .conf = &conf, .fd = -1 };
	unsigned int array, first, last;
	struct wt_error err;
	int rc;

	if (argc != 4 || sscanf(argv[2], "%u", &array) != 1 || sscanf(argv[3], "%u-%u", &first, &last) != 2 || last < first) {
		fputs("Usage: bench_commits STRAGGLER.CONF ARRAY FIRST-LAST\n", stderr);
		return 2;
	}
	if (specconf_read(&conf, argv[1], &err) < 0) {
		fprintf(stderr, "bench_commits: %s\n", err.text);
		return 1;
	}
	rc = play(&a, array, first, last);
	ask_end(&a);
	return rc;
}
