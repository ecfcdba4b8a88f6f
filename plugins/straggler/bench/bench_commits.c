/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays wt-commit of many tasks against the plugin's port: asks for the right to publish, and says that it is done.
 *
 *   bench_commits FILE ARRAY FIRST-LAST [AT-ONCE]     straggler.conf; job FIRST + i is task i of ARRAY
 *
 * One after another over one connection; or AT-ONCE of them at the same moment, each over its own, and a second later the
 * next: in less time the plugin's budget for those that it does not know yet (server.h) would be what is measured. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "straggler/protocol/ask.h"
#include "lib/clock.h"

#define AGAIN_US 100000
#define PAUSE_US 1000000
#define GIVE_UP_S 60.
#define AT_ONCE_MAX 1000

struct commit_times {
	double sum_s, max_s;
	long count;
};

struct player {
	pthread_t thread;
	pthread_barrier_t *barrier;	/* of all players; NULL: there is one only */
	struct ask ask;
	struct port_message message;
	unsigned int array, first, at, last, step;
	struct commit_times grants, dones, rounds;	/* rounds: from one barrier to the next */
	long waits;
};

static double now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

static void times_add(struct commit_times *times, double seconds)
{
	times->sum_s += seconds;
	times->max_s = fmax(times->max_s, seconds);
	times->count++;
}

static void times_sum(struct commit_times *sum, const struct commit_times *times)
{
	sum->sum_s += times->sum_s;
	sum->max_s = fmax(sum->max_s, times->max_s);
	sum->count += times->count;
}

/* One question; the time of the last one, which was answered with OK, counts: p->waits of them were answered with "wait".  A
 * failure ends the program: other players would wait for this one. */
static void put(struct player *p, enum port_commit operation, struct commit_times *times)
{
	double begin_s = now_s();

	for (;;) {
		struct port_reply reply;
		struct wt_error err;
		double start_s = now_s();

		p->message.operation = operation;
		p->message.nonce++;
		if (ask(&p->ask, &p->message, 60000, &reply, &err) < 0) {
			fprintf(stderr, "bench_commits: %s\n", err.text);
			exit(1);
		}
		if (reply.code == PORT_OK) {
			times_add(times, now_s() - start_s);
			return;
		}
		if (now_s() - begin_s > GIVE_UP_S) {
			fprintf(stderr, "bench_commits: job %u: %s\n", p->message.job_id, port_code_name(reply.code));
			exit(1);
		}
		p->waits++;
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_US);
	}
}

static void *play(void *arg)
{
	struct player *p = arg;
	double begin_s = 0;

	p->message = (struct port_message) { .kind = PORT_COMMIT, .instance = 1, .array_job_id = p->array };
	for (unsigned int job = p->at; job <= p->last; job += p->step) {
		p->message.job_id = job;
		p->message.array_task_id = job - p->first;
		if (p->barrier) {
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + PAUSE_US);
			pthread_barrier_wait(p->barrier);
			begin_s = now_s();
		}
		p->message.acquisition++;
		put(p, WT_COMMIT_ACQUIRE, &p->grants);
		put(p, WT_COMMIT_DONE, &p->dones);
		if (p->barrier) {
			ask_end(&p->ask);	/* as a wt-commit of its own */
			pthread_barrier_wait(p->barrier);
			times_add(&p->rounds, now_s() - begin_s);
		}
	}
	ask_end(&p->ask);
	return NULL;
}

static void tell(const struct player *players, unsigned int count, double seconds)
{
	struct commit_times grants = { 0, 0, 0 }, dones = grants;
	const struct commit_times *rounds = &players[0].rounds;
	long waits = 0;

	for (unsigned int i = 0; i < count; i++) {
		times_sum(&grants, &players[i].grants);
		times_sum(&dones, &players[i].dones);
		waits += players[i].waits;
	}
	printf("%ld tasks published in %.1f s: %.1f a second; a grant took %.1f ms (at most %.0f), \"done\" %.1f ms (at "
	       "most %.0f); %ld times told to wait\n",
	       grants.count, seconds, (double) grants.count / seconds, grants.sum_s / (double) grants.count * 1e3,
	       grants.max_s * 1e3,
	       dones.sum_s / (double) dones.count * 1e3, dones.max_s * 1e3, waits);
	if (count > 1)
		printf("%u at once: all have published after %.1f ms (mean of %ld times; at most %.0f)\n", count,
		       rounds->sum_s / (double) rounds->count * 1e3, rounds->count, rounds->max_s * 1e3);
}

/* Only whole rounds: all players take part in each. */
static int players_run(const struct straggler_conf *conf, unsigned int array, unsigned int first, unsigned int last,
		       unsigned int count)
{
	struct player *players = calloc(count, sizeof(*players));
	double begin_s = now_s();
	pthread_barrier_t barrier;

	if (!players)
		return 1;
	pthread_barrier_init(&barrier, NULL, count);
	for (unsigned int i = 0; i < count; i++) {
		struct player *p = &players[i];

		p->barrier = count > 1 ? &barrier : NULL;
		p->ask = (struct ask) { .conf = conf, .fd = -1 };
		p->array = array;
		p->first = first;
		p->at = first + i;
		p->step = count;
		p->last = first + (last - first + 1) / count * count - 1;
		if (pthread_create(&p->thread, NULL, play, p) != 0) {
			fputs("bench_commits: no thread\n", stderr);
			exit(1);
		}
	}
	for (unsigned int i = 0; i < count; i++)
		pthread_join(players[i].thread, NULL);
	tell(players, count, now_s() - begin_s);
	pthread_barrier_destroy(&barrier);
	free(players);
	return 0;
}

int main(int argc, char **argv)
{
	static struct straggler_conf conf;
	unsigned int array, first, last, count = 1;
	struct wt_error err;

	if (argc < 4 || argc > 5 || sscanf(argv[2], "%u", &array) != 1 || sscanf(argv[3], "%u-%u", &first, &last) != 2 ||
	    last < first ||
	    (argc == 5 && sscanf(argv[4], "%u", &count) != 1) || count < 1 || count > AT_ONCE_MAX || count > last - first +
	    1) {
		fputs("Usage: bench_commits STRAGGLER.CONF ARRAY FIRST-LAST [AT-ONCE]\n", stderr);
		return 2;
	}
	if (straggler_conf_read(&conf, argv[1], &err) < 0) {
		fprintf(stderr, "bench_commits: %s\n", err.text);
		return 1;
	}
	return players_run(&conf, array, first, last, count);
}
