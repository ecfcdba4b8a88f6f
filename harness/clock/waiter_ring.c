/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waiter_ring.c - work that goes round a ring of threads, to each in another way, while another thread sleeps:
 * at each moment exactly one thread has been woken or works, so the clock must not jump to the sleeper's time before the
 * work is done. */
#include "config.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "harness/clock/waiter.h"

/* What each member waits for: one for each kind that the coordinator tells apart. */
enum kind { KIND_COND, KIND_PIPE, KIND_CLIENT, KIND_THREAD, KIND_SOCKET, KIND_SIGNAL, MEMBERS };
#define HOPS 1500

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn = -1;		/* the thread whose work it is, of those that wait for a condition */
static int files[MEMBERS][2];	/* of KIND_CLIENT the first listens, and the second is not used */
static struct sockaddr_in address;
static sigset_t signals;

static void require(int ok)
{
	if (!ok)
		abort();
}

static void listen_on(int *fd)
{
	socklen_t len = sizeof(address);

	address = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	*fd = socket(AF_INET, SOCK_STREAM, 0);
	require(*fd >= 0 && bind(*fd, (struct sockaddr *) &address, len) == 0 && listen(*fd, 5) == 0
		&& getsockname(*fd, (struct sockaddr *) &address, &len) == 0);
}

static void files_open(int member)
{
	if (member == KIND_CLIENT)
		listen_on(&files[member][0]);
	else if (member == KIND_SOCKET)
		require(socketpair(AF_UNIX, SOCK_STREAM, 0, files[member]) == 0);
	else
		require(pipe(files[member]) == 0);
}

static void files_close(int member)
{
	close(files[member][0]);
	if (member != KIND_CLIENT)
		close(files[member][1]);
}

static void pass_to(int member)
{
	int fd;

	switch (member) {
	case KIND_COND:
		pthread_mutex_lock(&mutex);
		turn = member;
		pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
		return;
	case KIND_CLIENT:
		fd = socket(AF_INET, SOCK_STREAM, 0);
		require(fd >= 0 && connect(fd, (struct sockaddr *) &address, sizeof(address)) == 0);
		close(fd);
		return;
	case KIND_SIGNAL:
		require(kill(getpid(), SIGUSR1) == 0);
		return;
	default:
		require(write(files[member][1], "x", 1) == 1);
	}
}

static void wait_for_files(int member)
{
	struct pollfd in = { .fd = files[member][0], .events = POLLIN };
	char c;

	require(poll(&in, 1, -1) == 1);
	if (member == KIND_CLIENT)
		require(close(accept(in.fd, NULL, NULL)) == 0);
	else
		require(read(in.fd, &c, 1) == 1);
}

static void *wait_for_other(void *unused)
{
	wait_for_files(KIND_THREAD);
	return unused;
}

static void wait_for_work(int member)
{
	pthread_t other;
	int sig;

	switch (member) {
	case KIND_COND:
		pthread_mutex_lock(&mutex);
		while (turn != member)
			pthread_cond_wait(&cond, &mutex);
		turn = -1;
		pthread_mutex_unlock(&mutex);
		return;
	case KIND_THREAD:
		require(pthread_create(&other, NULL, wait_for_other, NULL) == 0 && pthread_join(other, NULL) == 0);
		return;
	case KIND_SIGNAL:
		require(sigwait(&signals, &sig) == 0);
		return;
	default:
		wait_for_files(member);
	}
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
		files_open(i);
	for (int i = 0; i < MEMBERS; i++)
		require(pthread_create(&threads[i], NULL, take_part, (void *) (intptr_t) i) == 0);
	pass_to(0);
	for (int i = 0; i < MEMBERS; i++) {
		pthread_join(threads[i], NULL);
		files_close(i);
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

	/* In all threads: only the one that waits for it gets it. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	require(pthread_create(&sleeper, NULL, sleep_for, &unit_s) == 0);
	ring_run();
	worked_s = now_s() - began_s;
	pthread_join(sleeper, NULL);
	slept_s = now_s() - began_s;
	if (worked_s < unit_s / 2 && slept_s >= unit_s)
		return 0;
	printf("the work took %.3f s, the sleep %.3f s of %.3f\n", worked_s, slept_s, unit_s);
	return 1;
}
