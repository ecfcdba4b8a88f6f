/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant - waits in every way that the clock library knows, and checks how long it took by every clock.
 * Usage: participant UNIT_S [ring|kinds].  t/t0700-clock.t runs it with the library attached (a unit of hours) and without a
 * clock. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "harness/clock/waiter.h"

static double unit_s;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;

static double clock_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static struct timespec after(clockid_t clock, double s)
{
	double t = clock_s(clock) + s;

	return (struct timespec) { .tv_sec = t, .tv_nsec = (t - floor(t)) * 1e9 };
}

static struct timespec span(double s)
{
	return (struct timespec) { .tv_sec = s, .tv_nsec = (s - floor(s)) * 1e9 };
}

/* At least as long as asked for; a loaded machine may add to it. */
static void took(double since_s, double want_s)
{
	double s = clock_s(CLOCK_MONOTONIC) - since_s;

	if (s < want_s - 0.002 || s > want_s + 5)
		fail_msg("took %.3f s, wanted %.3f", s, want_s);
}

static void test_clocks_agree(void **state)
{
	struct timeval tv;
	struct sysinfo info;
	struct timespec ts = span(unit_s);
	double real_s = clock_s(CLOCK_REALTIME), mono_s = clock_s(CLOCK_MONOTONIC), boot_s = clock_s(CLOCK_BOOTTIME);

	(void) state;
	nanosleep(&ts, NULL);
	took(mono_s, unit_s);
	assert_true(fabs((clock_s(CLOCK_REALTIME) - real_s) - (clock_s(CLOCK_MONOTONIC) - mono_s)) < 0.1);
	assert_true(fabs((clock_s(CLOCK_BOOTTIME) - boot_s) - (clock_s(CLOCK_MONOTONIC) - mono_s)) < 0.1);
	gettimeofday(&tv, NULL);
	assert_true(fabs(tv.tv_sec + tv.tv_usec / 1e6 - clock_s(CLOCK_REALTIME)) < 0.1);
	assert_true(llabs((long long) time(NULL) - tv.tv_sec) <= 1);
	assert_int_equal(sysinfo(&info), 0);
	assert_true(fabs(info.uptime - clock_s(CLOCK_BOOTTIME)) < 2);
}

static void test_sleeps(void **state)
{
	double began_s = clock_s(CLOCK_MONOTONIC);
	struct timespec until = after(CLOCK_MONOTONIC, 2 * unit_s);

	(void) state;
	assert_int_equal(usleep(unit_s < 1 ? unit_s * 1e6 : 900000), 0);
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
	took(began_s, 2 * unit_s);
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL), 0);
	assert_int_equal(sleep(0), 0);
	errno = 0;
	until.tv_nsec = 2000000000;
	assert_int_equal(nanosleep(&until, NULL), -1);
	assert_int_equal(errno, EINVAL);
}

static void test_polls_time_out(void **state)
{
	int fds[2], epoll = epoll_create1(0);
	struct pollfd p = { .events = POLLIN };
	struct epoll_event event = { .events = EPOLLIN };
	struct timespec ts = span(unit_s);
	struct timeval tv = { ts.tv_sec, ts.tv_nsec / 1000 };
	double began_s = clock_s(CLOCK_MONOTONIC);
	fd_set set;

	(void) state;
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[0];
	FD_ZERO(&set);
	FD_SET(fds[0], &set);
	epoll_ctl(epoll, EPOLL_CTL_ADD, fds[0], &event);
	assert_int_equal(poll(&p, 1, unit_s * 1000), 0);
	assert_int_equal(ppoll(&p, 1, &ts, NULL), 0);
	assert_int_equal(select(fds[0] + 1, &set, NULL, NULL, &tv), 0);
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(epoll_wait(epoll, &event, 1, unit_s * 1000), 0);
	took(began_s, 4 * unit_s);
	assert_int_equal(poll(&p, 1, 0), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	began_s = clock_s(CLOCK_MONOTONIC);
	assert_int_equal(poll(&p, 1, 1000 * unit_s), 1);
	assert_int_equal(p.revents, POLLIN);
	assert_int_equal(epoll_wait(epoll, &event, 1, -1), 1);
	took(began_s, 0);
	close(fds[0]);
	close(fds[1]);
	close(epoll);
}

static void test_impossible_times_are_refused(void **state)
{
	const struct timespec times[] = { { .tv_sec = -1 }, { .tv_nsec = -1 }, { .tv_nsec = 1000000000 } };
	int epoll = epoll_create1(0);
	struct epoll_event event;

	(void) state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		errno = 0;
		assert_int_equal(ppoll(NULL, 0, &times[i], NULL), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_int_equal(pselect(0, NULL, NULL, NULL, &times[i], NULL), -1);
		assert_int_equal(errno, EINVAL);
		errno = 0;
		assert_int_equal(epoll_pwait2(epoll, &event, 1, &times[i], NULL), -1);
		assert_int_equal(errno, EINVAL);
	}
	close(epoll);
	pthread_mutex_lock(&mutex);
	assert_int_equal(pthread_mutex_timedlock(&mutex, &times[2]), EINVAL);
	pthread_mutex_unlock(&mutex);
}

static void *write_later(void *fd)
{
	struct timespec ts = span(unit_s);

	nanosleep(&ts, NULL);
	assert_int_equal(write(*(int *) fd, "x", 1), 1);
	return NULL;
}

static void test_data_ends_a_poll_before_its_limit(void **state)
{
	double began_s = clock_s(CLOCK_MONOTONIC);
	struct pollfd p = { .events = POLLIN };
	pthread_t thread;
	int fds[2];

	(void) state;
	assert_int_equal(pipe(fds), 0);
	p.fd = fds[0];
	assert_int_equal(pthread_create(&thread, NULL, write_later, &fds[1]), 0);
	assert_int_equal(poll(&p, 1, 100000 * unit_s), 1);
	took(began_s, unit_s);
	pthread_join(thread, NULL);
	close(fds[0]);
	close(fds[1]);
}

static void *signal_later(void *unused)
{
	struct timespec ts = span(unit_s);

	nanosleep(&ts, NULL);
	pthread_mutex_lock(&mutex);
	ready = 1;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void test_conditions(void **state)
{
	struct timespec until = after(CLOCK_REALTIME, unit_s);
	double began_s = clock_s(CLOCK_MONOTONIC);
	pthread_condattr_t attr;
	pthread_cond_t mono;
	pthread_t thread;

	(void) state;
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&cond, &mutex, &until) == 0)
		;
	took(began_s, unit_s);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&mono, &attr);
	until = after(CLOCK_MONOTONIC, unit_s);
	while (pthread_cond_timedwait(&mono, &mutex, &until) == 0)
		;
	took(began_s, 2 * unit_s);
	pthread_cond_destroy(&mono);
	until.tv_nsec = -1;
	assert_int_equal(pthread_cond_timedwait(&cond, &mutex, &until), EINVAL);
	ready = 0;
	assert_int_equal(pthread_create(&thread, NULL, signal_later, NULL), 0);
	until = after(CLOCK_REALTIME, 1000 * unit_s);
	while (!ready)
		assert_int_equal(pthread_cond_timedwait(&cond, &mutex, &until), 0);
	took(began_s, 3 * unit_s);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

/* As slurmstepd's thread of this name: waits for each second in turn, until told; counts at how many moments it was
 * awake. */
static void *profile(void *count)
{
	struct timespec until = after(CLOCK_REALTIME, 0);
	prctl(PR_SET_NAME, "acctg_prof");
	pthread_mutex_lock(&mutex);
	for (double last_s = 0; !ready; last_s = clock_s(CLOCK_REALTIME)) {
		until.tv_sec++;
		pthread_cond_timedwait(&cond, &mutex, &until);
		*(int *) count += clock_s(CLOCK_REALTIME) - last_s > 0.5;
	}
	pthread_mutex_unlock(&mutex);
	return count;
}

static void test_who_looks_for_samples_does_so_every_ten_seconds(void **state)
{
	double began_s = clock_s(CLOCK_MONOTONIC);
	pthread_t thread;
	int count = 0;

	ready = 0;
	assert_int_equal(pthread_create(&thread, NULL, profile, &count), 0);
	signal_later(state);
	pthread_join(thread, NULL);
	took(began_s, unit_s);	/* it is told of its end at once */
	assert_true(count <= unit_s / 10 + 3);
}

static void *wait_for_ever(void *timed)
{
	struct timespec until = after(CLOCK_REALTIME, 1000000 * unit_s);

	pthread_mutex_lock(&mutex);
	for (;;) {
		if (timed)
			pthread_cond_timedwait(&cond, &mutex, &until);
		else
			pthread_cond_wait(&cond, &mutex);
	}
	return NULL;
}

static void unlock(void *unused)
{
	(void) unused;
	pthread_mutex_unlock(&mutex);
}

static void *wait_cancelled(void *timed)
{
	pthread_cleanup_push(unlock, NULL);
	wait_for_ever(timed);
	pthread_cleanup_pop(0);
	return NULL;
}

static void test_a_waiting_thread_can_be_cancelled(void **state)
{
	struct timespec ts = span(unit_s);

	(void) state;
	for (int timed = 0; timed < 2; timed++) {
		pthread_t thread;
		void *result;

		assert_int_equal(pthread_create(&thread, NULL, wait_cancelled, timed ? &thread : NULL), 0);
		nanosleep(&ts, NULL);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		/* The wait took the mutex again before the thread ended, and its handler gave it back. */
		assert_int_equal(pthread_mutex_trylock(&mutex), 0);
		pthread_mutex_unlock(&mutex);
	}
}

static void *sleep_long(void *unused)
{
	struct timespec ts = span(4 * unit_s);

	nanosleep(&ts, NULL);
	return unused;
}

static void test_timed_locks(void **state)
{
	struct timespec until = after(CLOCK_REALTIME, unit_s);
	double began_s = clock_s(CLOCK_MONOTONIC);
	pthread_t thread;
	sem_t sem;

	(void) state;
	sem_init(&sem, 0, 1);
	assert_int_equal(sem_timedwait(&sem, &until), 0);
	assert_int_equal(sem_timedwait(&sem, &until), -1);
	assert_int_equal(errno, ETIMEDOUT);
	took(began_s, unit_s);
	pthread_mutex_lock(&mutex);
	until = after(CLOCK_REALTIME, unit_s);
	assert_int_equal(pthread_mutex_timedlock(&mutex, &until), ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	took(began_s, 2 * unit_s);
	assert_int_equal(pthread_create(&thread, NULL, sleep_long, NULL), 0);
	until = after(CLOCK_REALTIME, unit_s);
	assert_int_equal(pthread_timedjoin_np(thread, NULL, &until), ETIMEDOUT);
	took(began_s, 3 * unit_s);
	until = after(CLOCK_REALTIME, 100 * unit_s);
	assert_int_equal(pthread_timedjoin_np(thread, NULL, &until), 0);
}

static void *hold_mutex(void *arrived)
{
	struct timespec ts = span(unit_s);

	pthread_mutex_lock(&mutex);
	sem_post(arrived);
	nanosleep(&ts, NULL);
	pthread_mutex_unlock(&mutex);
	return NULL;
}

/* Of all these tests the only one in which the machine decides who gets a lock: t/t0700-clock.t counts. */
static void test_a_lock_that_a_sleeper_holds(void **state)
{
	double began_s = clock_s(CLOCK_MONOTONIC);
	pthread_t thread;
	sem_t arrived;

	(void) state;
	sem_init(&arrived, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, hold_mutex, &arrived), 0);
	while (sem_wait(&arrived) < 0)
		;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	took(began_s, unit_s);
	pthread_join(thread, NULL);
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static _Atomic int goes_on;	/* who went on first when the writer had released the lock: 1 itself, 2 the reader */

static void *wait_to_read(void *unused)
{
	int nobody = 0;

	(void) unused;
	pthread_rwlock_rdlock(&rwlock);
	atomic_compare_exchange_strong(&goes_on, &nobody, 2);
	pthread_rwlock_unlock(&rwlock);
	return NULL;
}

/* With charge none (then t/t0700-clock.t says TURNS) the reader goes on when the writer waits again, however long that one
 * works. */
static void test_a_reader_that_waits_for_a_writer(void **state)
{
	struct timespec ts = span(unit_s);
	pthread_t thread;
	int nobody = 0;

	(void) state;
	pthread_rwlock_wrlock(&rwlock);
	assert_int_equal(pthread_create(&thread, NULL, wait_to_read, NULL), 0);
	nanosleep(&ts, NULL);
	pthread_rwlock_unlock(&rwlock);
	for (volatile int i = 0; i < 3000000; i++)
		;
	atomic_compare_exchange_strong(&goes_on, &nobody, 1);
	pthread_join(thread, NULL);
	if (getenv("TURNS"))
		assert_int_equal(goes_on, 1);
	else
		assert_int_not_equal(goes_on, 0);
}

static void test_a_loop_of_short_sleeps_ends(void **state)
{
	double until_s = clock_s(CLOCK_MONOTONIC) + 1e-4;
	struct timespec ts = { .tv_nsec = 1000 };

	(void) state;
	while (clock_s(CLOCK_MONOTONIC) < until_s)
		nanosleep(&ts, NULL);
}

static void on_signal(int sig)
{
	(void) sig;
}

static void test_a_signal_ends_a_sleep(void **state)
{
	const struct sigaction sa = { .sa_handler = on_signal };
	struct timespec ts = span(unit_s), left;
	pid_t pid;

	(void) state;
	sigaction(SIGUSR2, &sa, NULL);
	pid = fork();
	if (pid == 0) {
		nanosleep(&ts, NULL);
		kill(getppid(), SIGUSR2);
		_exit(0);
	}
	ts = span(3 * unit_s);
	assert_int_equal(nanosleep(&ts, &left), -1);
	assert_int_equal(errno, EINTR);
	assert_true(fabs(left.tv_sec + left.tv_nsec / 1e9 - 2 * unit_s) < (unit_s < 1 ? unit_s : 1));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_children_keep_the_time(void **state)
{
	double began_s = clock_s(CLOCK_MONOTONIC);
	char text[64], *argv[] = { "sleep", text, NULL };
	pid_t pid;
	FILE *f;

	(void) state;
	snprintf(text, sizeof(text), "%.3f", unit_s);
	assert_int_equal(posix_spawnp(&pid, "sleep", NULL, NULL, argv, environ), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	took(began_s, unit_s);
	snprintf(text, sizeof(text), "sleep %.3f", unit_s);
	assert_int_equal(system(text), 0);
	f = popen(text, "r");
	assert_non_null(f);
	assert_int_equal(fgetc(f), EOF);
	assert_int_equal(pclose(f), 0);
	took(began_s, 3 * unit_s);
	pid = vfork();
	if (pid == 0) {
		execlp("sleep", "sleep", argv[1] + 6, (char *) NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	took(began_s, 4 * unit_s);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks_agree),
		cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_a_lock_that_a_sleeper_holds),
		cmocka_unit_test(test_a_reader_that_waits_for_a_writer),
		cmocka_unit_test(test_a_loop_of_short_sleeps_ends),
		cmocka_unit_test(test_polls_time_out),
		cmocka_unit_test(test_impossible_times_are_refused),
		cmocka_unit_test(test_data_ends_a_poll_before_its_limit),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_who_looks_for_samples_does_so_every_ten_seconds),
		cmocka_unit_test(test_a_waiting_thread_can_be_cancelled),
		cmocka_unit_test(test_timed_locks),
		cmocka_unit_test(test_a_signal_ends_a_sleep),
		cmocka_unit_test(test_children_keep_the_time),
	};

	if (argc < 2 || !((unit_s = atof(argv[1])) > 0))
		return 2;
	if (argc == 3)
		return strcmp(argv[2], "kinds") == 0 ? kinds_check() : ring_check(unit_s);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
