/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to publish, asked for by many at once over the port: with a munged of its own. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "key.h"
#include "seal.h"
#include "server.h"
#include "wire.h"
#include "wt_clock.h"

#define TASKS 40u
#define ARRAY 100u

static struct service service;
static struct server *server;
static struct specconf conf;
static char dir[] = "/tmp/wt-commits.XXXXXX", state_dir[64];
static munge_ctx_t munge;
static pid_t munged;
static unsigned int errors;

static void say(enum service_level level, const char *text)
{
	(void) text;
	errors += level == SERVICE_ERROR;
}

static int64_t until_us(void)
{
	return wt_clock_monotonic_us() + 60 * 1000000ll;
}

static void nap(void)
{
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 20000);
}

static void munged_run(void)
{
	static const char *const names[] = { "--socket=%s/m", "--key-file=%s/key", "--pid-file=%s/pid", "--seed-file=%s/seed" };
	char words[4][64];
	int fd = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	for (size_t i = 0; i < 4; i++)
		snprintf(words[i], sizeof(words[i]), names[i], dir);
	execl(MUNGED_PATH, "munged", "--foreground", "--force", words[0], words[1], words[2], words[3], (char *) NULL);
	_exit(127);
}

static int munged_start(void **state)
{
	char path[64], key[128], *credential = NULL;
	int fd;

	(void) state;
	if (!mkdtemp(dir) || chmod(dir, 0755) < 0 || key_draw(key, sizeof(key), NULL) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/key", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0400);
	if (fd < 0 || write(fd, key, sizeof(key)) != (ssize_t) sizeof(key) || close(fd) < 0)
		return -1;
	snprintf(conf.munge_socket, sizeof(conf.munge_socket), "%s/m", dir);
	snprintf(state_dir, sizeof(state_dir), "%s/state", dir);
	munged = fork();
	if (munged == 0)
		munged_run();
	munge = seal_context(conf.munge_socket);
	for (int i = 0; i < 1500 && !credential; i++) {
		credential = seal(munge, "", 0, NULL);
		if (!credential)
			nap();
	}
	free(credential);
	return credential ? 0 : -1;
}

static int munged_stop(void **state)
{
	static const char *const names[] = { "m", "m.lock", "key", "pid", "seed" };
	char path[80];

	(void) state;
	kill(munged, SIGTERM);
	waitpid(munged, NULL, 0);
	munge_ctx_destroy(munge);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

static unsigned int port_free(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *) &a, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *) &a, &len), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static int begin(void **state)
{
	char path[80];

	(void) state;
	mkdir(state_dir, 0700);
	snprintf(path, sizeof(path), "%s/rights", state_dir);
	conf.enabled = true;
	conf.port = port_free();
	conf.owner = geteuid();
	conf.spec = wt_spec_defaults();
	strcpy(conf.controller, "127.0.0.1");
	memset(&service, 0, sizeof(service));
	service.log = say;
	errors = 0;
	if (service_init(&service, &conf, path, NULL) < 0)
		return -1;
	for (uint32_t i = 0; i < TASKS; i++) {
		struct wt_spec_fact fact = { .job_id = ARRAY + i, .state = WT_SPEC_RUNNING, .policy = "on", .uid = geteuid(),
					     .array_job_id = ARRAY, .array_task_id = i, .tasks = TASKS, .seen_s = 1 };

		if (wt_spec_fact(service.spec, &fact, 1, NULL) < 0)
			return -1;
	}
	wt_spec_saved(service.spec, 2);
	server = server_start(&service, NULL);
	return server ? 0 : -1;
}

static int end(void **state)
{
	(void) state;
	server_stop(server);
	service_fini(&service);
	unlink(service.state_path);
	return rmdir(state_dir);
}

/* One question is under way on the socket that is returned. */
static int question(uint32_t task, enum wt_beat_commit operation)
{
	static struct wt_beat beat;
	uint8_t body[256];
	struct wt_error err = { "" };
	char *credential;
	uint32_t len;
	int fd = -1, size;

	beat = (struct wt_beat) { .kind = WT_BEAT_COMMIT, .operation = operation, .job_id = ARRAY + task, .array_job_id = ARRAY,
				  .array_task_id = task, .instance = 1, .nonce = task + 1 };
	size = wt_beat_encode(&beat, body, sizeof(body), NULL);
	assert_true(size > 0);
	credential = seal(munge, body, (size_t) size, NULL);
	assert_non_null(credential);
	len = htonl((uint32_t) strlen(credential));
	for (int i = 0; i < 500 && fd < 0; i++) {	/* the port's thread may not listen yet */
		fd = wire_connect(&conf, until_us(), &err);
		if (fd < 0)
			nap();
	}
	assert_true(fd >= 0);
	assert_int_equal(wire_send(fd, &len, sizeof(len), MSG_MORE, until_us()), 0);
	assert_int_equal(wire_send(fd, credential, strlen(credential), 0, until_us()), 0);
	free(credential);
	return fd;
}

static enum wt_beat_code told(int fd, uint32_t task)
{
	struct wt_beat_reply reply;
	void *credential, *body;
	uint32_t len;
	size_t body_len;
	uid_t uid;

	assert_int_equal(wire_frame(fd, &credential, &len, until_us()), 0);
	assert_int_equal(unseal(munge, credential, len, &body, &body_len, &uid), EMUNGE_SUCCESS);
	assert_int_equal(wt_beat_reply_decode(&reply, body, body_len, NULL), 0);
	assert_int_equal(reply.kind, WT_BEAT_COMMIT);
	assert_int_equal(reply.nonce, task + 1);
	free(credential);
	free(body);
	close(fd);
	return reply.code;
}

static void commits_wait(uint64_t want)
{
	uint64_t got = 0;

	for (int i = 0; i < 1500 && got < want; i++) {
		if (i)
			nap();
		pthread_mutex_lock(&service.lock);
		got = wt_spec_counters(service.spec)->commits;
		pthread_mutex_unlock(&service.lock);
	}
	assert_int_equal(got, want);
}

static bool silent(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

/* While the first one is being written, which takes as long as we like, all others ask: they are written together. */
static void test_together(void **state)
{
	int fds[TASKS];

	(void) state;
	for (enum wt_beat_commit operation = WT_COMMIT_ACQUIRE; operation <= WT_COMMIT_DONE; operation++) {
		uint64_t before = service.saves;

		pthread_mutex_lock(&service.save_lock);
		fds[0] = question(0, operation);
		if (operation == WT_COMMIT_ACQUIRE)
			commits_wait(1);
		for (uint32_t i = 1; i < TASKS; i++)
			fds[i] = question(i, operation);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_true(silent(fds[i]));	/* not on the disk: not told */
		for (int i = 0; i < 15; i++)	/* until the strangers' budget has enough for all of them */
			nap();
		assert_int_equal(service.saves, before);
		pthread_mutex_unlock(&service.save_lock);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_int_equal(told(fds[i], i), WT_BEAT_OK);
		assert_in_range(service.saves - before, 1, operation == WT_COMMIT_ACQUIRE ? 2 : 3);
	}
	assert_int_equal(errors, 0);
}

/* All that was told is in the file: another start of a task does not get its right. */
static void test_in_the_file(void **state)
{
	struct wt_spec *rights = wt_spec_create(&conf.spec, NULL);
	struct wt_beat beat = { .kind = WT_BEAT_COMMIT, .operation = WT_COMMIT_ACQUIRE, .array_job_id = ARRAY, .instance = 2 };
	int fds[TASKS], fd;
	char text[8192];
	ssize_t len;

	(void) state;
	for (uint32_t i = 0; i < TASKS; i++)
		fds[i] = question(i, WT_COMMIT_ACQUIRE);
	for (uint32_t i = 0; i < TASKS; i++)
		assert_int_equal(told(fds[i], i), WT_BEAT_OK);
	fd = open(service.state_path, O_RDONLY);
	len = read(fd, text, sizeof(text));
	close(fd);
	assert_in_range(len, 1, sizeof(text) - 1);
	assert_int_equal(wt_spec_load(rights, text, (size_t) len, NULL), 0);
	wt_spec_saved(rights, 2);
	for (uint32_t i = 0; i < TASKS; i++) {
		beat.job_id = ARRAY + i;
		beat.array_task_id = i;
		beat.instance = 2;
		assert_int_equal(wt_spec_commit(rights, geteuid(), &beat, 10), WT_BEAT_WAIT);
		beat.instance = 1;
		assert_int_equal(wt_spec_commit(rights, geteuid(), &beat, 10), WT_BEAT_OK);
	}
	wt_spec_destroy(rights);
}

/* What cannot be written is not told to anybody, and asking again helps once it can. */
static void test_not_written(void **state)
{
	int fds[3];

	(void) state;
	assert_int_equal(rmdir(state_dir), 0);
	for (uint32_t i = 0; i < 3; i++)
		fds[i] = question(i, WT_COMMIT_ACQUIRE);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(told(fds[i], i), WT_BEAT_BUSY);
	assert_in_range(errors, 1, 3);
	assert_int_equal(mkdir(state_dir, 0700), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(told(question(i, WT_COMMIT_ACQUIRE), i), WT_BEAT_OK);
}

/* Who has gone when its turn comes holds nobody up. */
static void test_gone(void **state)
{
	struct linger at_once = { .l_onoff = 1 };
	int fd;

	(void) state;
	pthread_mutex_lock(&service.save_lock);
	fd = question(0, WT_COMMIT_ACQUIRE);
	commits_wait(1);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
	pthread_mutex_unlock(&service.save_lock);
	assert_int_equal(told(question(1, WT_COMMIT_ACQUIRE), 1), WT_BEAT_OK);
	assert_int_equal(told(question(0, WT_COMMIT_ACQUIRE), 0), WT_BEAT_OK);	/* it still has it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_together, begin, end), cmocka_unit_test_setup_teardown(test_in_the_file, begin, end),
		cmocka_unit_test_setup_teardown(test_not_written, begin, end), cmocka_unit_test_setup_teardown(test_gone, begin, end),
	};

	return cmocka_run_group_tests_name("commits", tests, munged_start, munged_stop);
}
