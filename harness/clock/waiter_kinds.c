/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waiter_kinds.c - what the library notes in the clock's memory: of each wait, what it is for; of each call, whose waits it
 * may end, before it is made.  The coordinator passes over those threads whose waits nothing can have ended (surveyor.c). */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/clock/clock_shm.h"
#include "harness/clock/waiter.h"
#include "lib/test_cmocka.h"

static struct wt_shm *shm;

static struct {
	int pipe[2], pair[2], listener, client;
	struct sockaddr_in address;
} files;

static void files_open(void)
{
	socklen_t len = sizeof(files.address);

	files.address = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	assert_int_equal(pipe(files.pipe), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, files.pair), 0);
	files.listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(files.listener, (struct sockaddr *) &files.address, len), 0);
	assert_int_equal(listen(files.listener, 5), 0);
	assert_int_equal(getsockname(files.listener, (struct sockaddr *) &files.address, &len), 0);
	files.client = socket(AF_INET, SOCK_STREAM, 0);
}

static void files_close(void)
{
	for (int i = 0; i < 2; i++) {
		close(files.pipe[i]);
		close(files.pair[i]);
	}
	close(files.listener);
	close(files.client);
}

static struct wt_shm_process *own_process(void)
{
	int i = wt_shm_find_process(shm, getpid());

	assert_true(i >= 0);
	return &shm->processes[i];
}

static struct wt_shm_thread *slot_of(pid_t tid)
{
	for (uint32_t i = 0; i < wt_shm_threads_used(shm); i++)
		if (shm->threads[i].tid == tid)
			return &shm->threads[i];
	return NULL;
}

/* ---- what calls tell ---- */

static bool write_pipe(void)
{
	return write(files.pipe[1], "xy", 2) == 2;
}

static bool read_pipe(void)
{
	char c;

	return read(files.pipe[0], &c, 1) == 1;
}

static bool writev_pipe(void)
{
	const struct iovec part = { .iov_base = "x", .iov_len = 1 };

	return writev(files.pipe[1], &part, 1) == 1;
}

static bool readv_pipe(void)
{
	char c;
	const struct iovec part = { .iov_base = &c, .iov_len = 1 };

	return readv(files.pipe[0], &part, 1) == 1;
}

static bool dup2_over_pipe(void)
{
	return dup2(STDERR_FILENO, files.pipe[0]) >= 0;
}

static bool dup3_over_pipe(void)
{
	return dup3(STDERR_FILENO, files.pipe[1], O_CLOEXEC) >= 0;
}

static bool close_pipe(void)
{
	int other[2];

	return pipe(other) == 0 && close(other[0]) == 0 && close(other[1]) == 0;
}

static bool write_socket(void)
{
	return write(files.pair[0], "x", 1) == 1 && send(files.pair[0], "x", 1, 0) == 1;
}

static bool read_socket(void)
{
	char c;

	return read(files.pair[1], &c, 1) == 1 && recv(files.pair[1], &c, 1, 0) == 1;
}

static bool dup2_over_socket(void)
{
	return dup2(files.pair[0], files.pair[1]) >= 0;
}

static bool connect_client(void)
{
	return connect(files.client, (const struct sockaddr *) &files.address, sizeof(files.address)) == 0;
}

static bool accept_client(void)
{
	return close(accept(files.listener, NULL, NULL)) == 0;
}

static bool shut_listener(void)
{
	return shutdown(files.listener, SHUT_RDWR) == 0;
}

struct kind_told {
	uint32_t sends, connects, pipes;
};

static struct kind_told told_now(void)
{
	const struct wt_shm_process *p = own_process();

	return (struct kind_told) { p->sends, p->connects, p->pipes };
}

/* In this order: each leaves what the next needs. */
static const struct teller {
	const char *name;
	bool (*call)(void);
	bool connects, pipes;
} tellers[] = {
	{ "write to a pipe", write_pipe, false, true },
	{ "read from a pipe", read_pipe, false, true },
	{ "writev to a pipe", writev_pipe, false, true },
	{ "readv from a pipe", readv_pipe, false, true },
	{ "dup2 over a pipe", dup2_over_pipe, false, true },
	{ "dup3 over a pipe", dup3_over_pipe, false, true },
	{ "close of pipes", close_pipe, false, true },
	{ "write to a socket", write_socket, false, false },
	{ "read from a socket", read_socket, false, false },
	{ "dup2 over a socket", dup2_over_socket, false, false },
	{ "connect", connect_client, true, false },
	{ "accept and close", accept_client, false, false },
	{ "shutdown", shut_listener, true, false },
};

static void test_calls_tell_whose_waits_they_may_end(void **state)
{
	(void) state;
	files_open();
	for (size_t i = 0; i < sizeof(tellers) / sizeof(tellers[0]); i++) {
		struct kind_told before = told_now(), after;

		if (!tellers[i].call())
			fail_msg("%s failed: %s", tellers[i].name, strerror(errno));
		after = told_now();
		if (after.sends == before.sends || (after.connects != before.connects) != tellers[i].connects
		    || (after.pipes != before.pipes) != tellers[i].pipes)
			fail_msg("%s: %u calls, %u of them connections, %u pipes", tellers[i].name,
				 after.sends - before.sends, after.connects - before.connects, after.pipes - before.pipes);
	}
	files_close();
}

/* ---- what waits are for ---- */

static void *read_for_ever(void *unused)
{
	read_pipe();
	return unused;
}

static void *poll_files(int a, int b, int timeout_ms)
{
	struct pollfd fds[] = { { .fd = a, .events = POLLIN }, { .fd = b, .events = POLLIN } };

	poll(fds, 2, timeout_ms);
	return NULL;
}

static void *wait_pipe(void *unused)
{
	(void) unused;
	return poll_files(files.pipe[0], -1, -1);
}

static void *wait_pipe_a_while(void *unused)
{
	(void) unused;
	return poll_files(files.pipe[0], -1, 100000000);
}

static void *wait_clients(void *unused)
{
	(void) unused;
	return poll_files(files.listener, -1, -1);
}

static void *wait_clients_and_pipe(void *unused)
{
	(void) unused;
	return poll_files(files.listener, files.pipe[0], -1);
}

static void *wait_socket(void *unused)
{
	(void) unused;
	return poll_files(files.pair[0], -1, -1);
}

static void *wait_accept(void *unused)
{
	accept(files.listener, NULL, NULL);
	return unused;
}

static void *wait_select(void *unused)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(files.pipe[0], &set);
	select(files.pipe[0] + 1, &set, NULL, NULL, NULL);
	return unused;
}

static void *wait_signal(int which)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, which);
	sigwait(&set, &sig);
	return NULL;
}

static void *wait_plain_signal(void *unused)
{
	(void) unused;
	return wait_signal(SIGUSR2);
}

static void *wait_file_signal(void *unused)
{
	(void) unused;
	return wait_signal(SIGIO);
}

static pthread_t joined;

static void *wait_thread(void *unused)
{
	pthread_join(joined, NULL);
	return unused;
}

struct kind_waiting {
	void *(*wait)(void *);
	_Atomic pid_t tid;
};

static void *begin_waiting(void *arg)
{
	struct kind_waiting *w = arg;

	w->tid = syscall(SYS_gettid);
	return w->wait(NULL);
}

static void sleep_ms(int ms)
{
	const struct timespec ts = { .tv_nsec = ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* The clock moves only when all threads wait. */
static void let_others_wait(void)
{
	sleep_ms(1);
}

static struct wt_shm_thread *start_waiting(struct kind_waiting *w, void *(*wait)(void *), pthread_t *thread)
{
	w->wait = wait;
	w->tid = 0;
	assert_int_equal(pthread_create(thread, NULL, begin_waiting, w), 0);
	let_others_wait();
	return slot_of(w->tid);
}

static void test_calls_tell_before_they_are_made(void **state)
{
	struct kind_told before;
	struct kind_waiting w;
	pthread_t thread;

	(void) state;
	files_open();
	before = told_now();
	start_waiting(&w, read_for_ever, &thread);
	assert_true(told_now().sends != before.sends && told_now().pipes != before.pipes);
	assert_int_equal(write(files.pipe[1], "x", 1), 1);
	pthread_join(thread, NULL);
	files_close();
}

static const struct wait_kind {
	const char *name;
	void *(*wait)(void *);
	enum wt_wait_for kind;
} waits[] = {
	{ "poll, pipe", wait_pipe, WT_WAIT_PIPES },
	{ "poll with a limit, pipe", wait_pipe_a_while, WT_WAIT_PIPES },
	{ "poll, clients", wait_clients, WT_WAIT_CLIENTS },
	{ "poll, clients and pipe", wait_clients_and_pipe, WT_WAIT_FILES },
	{ "poll, socket", wait_socket, WT_WAIT_FILES },
	{ "accept", wait_accept, WT_WAIT_CLIENTS },
	{ "select", wait_select, WT_WAIT_FILES },
	{ "sigwait", wait_plain_signal, WT_WAIT_SIGNALS },
	{ "sigwait, of files, too", wait_file_signal, WT_WAIT_FILES },
};

static void test_waits_say_what_they_are_for(void **state)
{
	(void) state;
	files_open();
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		struct kind_waiting w;
		pthread_t thread;
		const struct wt_shm_thread *t = start_waiting(&w, waits[i].wait, &thread);

		assert_non_null(t);
		if (t->wait_for != waits[i].kind || (t->state != WT_SLOT_BLOCKED && t->state != WT_SLOT_WAITING))
			fail_msg("%s: a wait of kind %u, state %u", waits[i].name, t->wait_for, t->state);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	files_close();
}

/* 0, or what is wrong. */
static int join_is_noted(void)
{
	struct kind_waiting one, other;
	pthread_t joiner;
	const struct wt_shm_thread *of_joined = start_waiting(&one, wait_pipe, &joined);
	const struct wt_shm_thread *t = start_waiting(&other, wait_thread, &joiner);

	if (!t || !of_joined || t->wait_for != WT_WAIT_THREAD)
		return 1;
	if (&shm->threads[t->joined] != of_joined || t->joined_owner != of_joined->owner || of_joined->left)
		return 2;
	if (write(files.pipe[1], "x", 1) != 1)
		return 3;
	pthread_join(joiner, NULL);
	return of_joined->left ? 0 : 4;
}

static void test_a_join_knows_its_thread_and_that_one_says_that_it_leaves(void **state)
{
	(void) state;
	files_open();
	assert_int_equal(join_is_noted(), 0);
	files_close();
}

/* Nothing is known of one that was made behind the library's back: it is looked at each time. */
static void test_a_join_of_an_unknown_thread_is_for_anything(void **state)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	void *libc = dlopen("libc.so.6", RTLD_LAZY);
	struct kind_waiting one = { .wait = wait_pipe }, other;
	const struct wt_shm_thread *t;
	pthread_t joiner;

	(void) state;
	files_open();
	assert_non_null(libc);
	*(void **) &create = dlsym(libc, "pthread_create");
	assert_int_equal(create(&joined, NULL, begin_waiting, &one), 0);
	t = start_waiting(&other, wait_thread, &joiner);
	assert_non_null(t);
	assert_int_equal(t->wait_for, WT_WAIT_ANY);
	assert_int_equal(write(files.pipe[1], "x", 1), 1);
	pthread_join(joiner, NULL);
	files_close();
	dlclose(libc);
}

/* The child has no other threads, and gives its own the handles that its parent's have. */
static void test_a_forked_child_joins_its_own_threads(void **state)
{
	struct kind_waiting w;
	int other[2], status;
	pthread_t thread;
	pid_t pid;

	(void) state;
	files_open();
	start_waiting(&w, wait_pipe, &thread);
	pid = fork();
	if (pid == 0) {
		/* Not the pipe that the parent's thread waits for. */
		if (pipe(other) < 0)
			_exit(9);
		files.pipe[0] = other[0];
		files.pipe[1] = other[1];
		_exit(join_is_noted());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(write(files.pipe[1], "x", 1), 1);
	pthread_join(thread, NULL);
	files_close();
}

static void test_what_exec_closes_is_told(void **state)
{
	const struct wt_shm_process *p;
	struct kind_told before;
	pid_t pid = fork();

	(void) state;
	if (pid == 0) {
		sleep_ms(10);
		execlp("sleep", "sleep", "1", (char *) NULL);
		_exit(127);
	}
	let_others_wait();
	assert_true(wt_shm_find_process(shm, pid) >= 0);
	p = &shm->processes[wt_shm_find_process(shm, pid)];
	before = (struct kind_told) { p->sends, p->connects, p->pipes };
	sleep_ms(100);
	assert_int_equal(p->pid, pid);
	assert_true(p->sends != before.sends && p->connects != before.connects && p->pipes != before.pipes);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void map_clock(void)
{
	const char *path = getenv(WT_SHM_ENV);
	int fd = path ? open(path, O_RDONLY) : -1;

	if (fd < 0)
		abort();
	shm = mmap(NULL, sizeof(*shm), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (shm == MAP_FAILED)
		abort();
}

int kinds_check(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_tell_whose_waits_they_may_end),
		cmocka_unit_test(test_calls_tell_before_they_are_made),
		cmocka_unit_test(test_waits_say_what_they_are_for),
		cmocka_unit_test(test_a_join_knows_its_thread_and_that_one_says_that_it_leaves),
		cmocka_unit_test(test_a_join_of_an_unknown_thread_is_for_anything),
		cmocka_unit_test(test_a_forked_child_joins_its_own_threads),
		cmocka_unit_test(test_what_exec_closes_is_told),
	};

	map_clock();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
