/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waiter_ring.c - work that goes round a ring of threads, by conditions and by pipes in turn, while another thread sleeps:
 * at each moment exactly one thread has been woken or works, so the clock must not jump to the sleeper's time before the
 * work is done. */
#include "config.h"

#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "harness/clock/waiter.h"

#define MEMBERS 6
#define HOPS 1500

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn = -1;		/* the thread whose work it is, of those that wait for a condition */
static int pipes[MEMBERS][2];

static bool hears_files(int member)
{
	return member % 2;
}

static void pass_to(int member)
{
	if (hears_files(member)) {
		if (write(pipes[member][1], "x", 1) != 1)
			abort();
		return;
	}
	pthread_mutex_lock(&mutex);
	turn = member;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static void wait_for_work(int member)
{
	struct pollfd in = { .fd = pipes[member][0], .events = POLLIN };
	char c;

	if (hears_files(member)) {
		if (poll(&in, 1, -1) != 1 || read(pipes[member][0], &c, 1) != 1)
			abort();
		return;
	}
	pthread_mutex_lock(&mutex);
	while (turn != member)
		pthread_cond_wait(&cond, &mutex);
	turn = -1;
	pthread_mutex_unlock(&mutex);
}

static void *take_part(void *arg)
{
	int member = (int) (intptr_t) arg;

	for (int hop = member; hop < HOPS; hop += MEMBERS) {
		volatile int work = hop * 7919 % 20000;

		wait_for_work(member);
		while (work > 0)
			work--;
		if (hop + 1 < HOPS)
			pass_to((member + 1) % MEMBERS);
	}
	return NULL;
}

static void ring_run(void)
{
	pthread_t threads[MEMBERS];

	for (int i = 0; i < MEMBERS; i++)
		if (pipe(pipes[i]) < 0 || pthread_create(&threads[i], NULL, take_part, (void *) (intptr_t) i) != 0)
			abort();
	pass_to(0);
	for (int i = 0; i < MEMBERS; i++) {
		pthread_join(threads[i], NULL);
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}

static void *sleep_for(void *unit_s)
{
	struct timespec ts = { .tv_sec = (time_t) *(double *) unit_s };

	nanosleep(&ts, NULL);
	return NULL;
}

int ring_check(double unit_s)
{
	double began_s = now_s(), worked_s, slept_s;
	pthread_t sleeper;

	if (pthread_create(&sleeper, NULL, sleep_for, &unit_s) != 0)
		abort();
	ring_run();
	worked_s = now_s() - began_s;
	pthread_join(sleeper, NULL);
	slept_s = now_s() - began_s;
	if (worked_s < unit_s / 2 && slept_s >= unit_s)
		return 0;
	printf("the work took %.3f s, the sleep %.3f s of %.3f\n", worked_s, slept_s, unit_s);
	return 1;
}
