/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port against bytes that are no messages; there is no munged here (t/t0610-speculate.t has one). */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/ring.h"
#include "plugins/straggler/slurmctld/server.h"
#include "lib/clock.h"

static struct service service;
static char state_path[] = "/tmp/wt-server.XXXXXX";
static unsigned int said;

static void say(enum service_level level, const char *text)
{
	(void) level;
	(void) text;
	said++;
}

static int socket_bound(unsigned int *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *) &a, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *) &a, &len), 0);
	*port = ntohs(a.sin_port);
	return fd;
}

static void begin(unsigned int port)
{
	struct straggler_conf conf = { .enabled = true, .controller = "127.0.0.1", .port = port,
				 .munge_socket = "/nonexistent/munge",
				 .spec = wt_spec_defaults() };

	service.log = say;
	said = 0;
	assert_int_equal(service_init(&service, &conf, state_path, NULL), 0);
}

static int client(unsigned int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				 .sin_port = htons((uint16_t) port) };

	for (int i = 0; i < 200; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(fd, (struct sockaddr *) &a, sizeof(a)) == 0)
			return fd;
		close(fd);
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 50000);
	}
	fail_msg("no connection");
	return -1;
}

static void closed_after(unsigned int port, const void *bytes, size_t len)
{
	int fd = client(port);
	char got;

	assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
	assert_true(recv(fd, &got, 1, 0) <= 0);
	close(fd);
}

static void test_garbage(void **state)
{
	static const unsigned char huge[4] = { 0xff, 0xff, 0xff, 0xff }, none[4], text[9] = { 0, 0, 0, 5, 'h', 'e', 'l', 'l',
		'o' };
	struct server *server;
	unsigned int port;
	int idle[64];

	(void) state;
	close(socket_bound(&port));
	begin(port);
	server = server_start(&service, NULL);
	assert_non_null(server);
	for (int i = 0; i < 64; i++)
		idle[i] = client(port);		/* others' silence delays no client */
	closed_after(port, huge, sizeof(huge));
	closed_after(port, none, sizeof(none));
	closed_after(port, text, sizeof(text));
	for (int i = 0; i < 64; i++)
		close(idle[i]);
	server_stop(server);
	assert_int_equal(said, 1);		/* no munged: said once */
	assert_int_equal(wt_spec_counters(service.spec)->munge_failed, 1);
	service_fini(&service);
}

static void test_port_taken(void **state)
{
	struct server *server;
	unsigned int port;
	int fd = socket_bound(&port);

	(void) state;
	assert_int_equal(listen(fd, 1), 0);
	begin(port);
	server = server_start(&service, NULL);
	assert_non_null(server);
	for (int i = 0; i < 200 && !said; i++)
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 50000);
	server_stop(server);
	assert_int_equal(said, 1);
	service_fini(&service);
	close(fd);
}

static void test_state_file(void **state)
{
	char aside[64];
	FILE *out;

	(void) state;
	unlink(state_path);
	begin(1);
	assert_int_equal(service_open(&service, NULL), 1);	/* there is none */
	assert_int_equal(service_begin(&service, NULL), 0);
	assert_int_equal(service_save(&service), 0);
	assert_int_equal(service_open(&service, NULL), 0);
	out = fopen(state_path, "w");
	fputs("windtunnel-straggler 1\ntask 1 2", out);
	fclose(out);
	assert_int_equal(service_open(&service, NULL), 1);
	assert_int_equal(access(state_path, F_OK), -1);		/* put aside */
	snprintf(aside, sizeof(aside), "%s.broken", state_path);
	assert_int_equal(unlink(aside), 0);
	service_fini(&service);
}

static long file_size(void)
{
	struct stat st;

	assert_int_equal(stat(state_path, &st), 0);
	return (long) st.st_size;
}

static enum port_code ask(const struct port_message *message)
{
	enum port_code code;
	char *text;
	size_t len;

	code = service_answer(&service, 1000, message, &text, &len);
	assert_null(text);
	return service_commits_save(&service) ? code : PORT_BUSY;
}

/* A right is told when it is on the disk: a few bytes behind the rest, and all is written anew now and then. */
static void test_state_grows(void **state)
{
	struct wt_spec_fact fact = { .job_id = 7, .state = WT_SPEC_RUNNING, .policy = "on", .uid = 1000, .array_job_id = 7,
				     .tasks = 1, .seen_s = 1 };
	struct port_message message = { .kind = PORT_COMMIT, .operation = WT_COMMIT_ACQUIRE, .job_id = 7, .array_job_id = 7,
				.acquisition = 1 };
	long last, least = LONG_MAX;

	(void) state;
	unlink(state_path);
	begin(1);
	service_open(&service, NULL);
	assert_int_equal(service_begin(&service, NULL), 0);
	wt_spec_fact(service.spec, &fact, 1, NULL);
	last = file_size();
	assert_int_equal(ask(&message), PORT_WAIT);	/* slurmctld has not saved the job */
	assert_int_equal(file_size(), last);
	wt_spec_saved(service.spec, 2);
	assert_int_equal(ask(&message), PORT_OK);
	last = file_size();
	for (int i = 0; i < 4000; i++) {
		message.operation = i % 2 ? WT_COMMIT_ACQUIRE : WT_COMMIT_RELEASE;
		message.acquisition += i % 2;
		assert_int_equal(ask(&message), PORT_OK);
		assert_true(file_size() - last < 120);
		last = file_size();
		least = last < least ? last : least;
	}
	assert_true(least < 250 && last < 140000);
	service_fini(&service);
	begin(1);
	assert_int_equal(service_open(&service, NULL), 0);
	assert_int_equal(ask(&message), PORT_BUSY);	/* not all jobs are known yet */
	assert_int_equal(service_begin(&service, NULL), 0);
	message.operation = WT_COMMIT_DONE;
	assert_int_equal(ask(&message), PORT_OK);	/* it still holds the right */
	service_fini(&service);
}

static void test_ring(void **state)
{
	struct ring *ring = ring_create();
	struct wt_heartbeat hb = { .task = 1, .progress = .5 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void) state;
	for (unsigned int i = 0; i < RING_SIZE + 5; i++)
		ring_add(1000 + i % 2, 7, 10, 2, &hb, ring);
	ring_show(ring, 1000, 7, RING_SIZE + 1, out);
	fclose(out);
	assert_non_null(strstr(text, "{\"next\":65541,\"lost\":0}"));
	assert_non_null(strstr(text, "\"task\":1,\"attempt\":2,\"received_s\":"));
	assert_non_null(strstr(text, "\"progress\":0.5"));
	free(text);
	out = open_memstream(&text, &len);
	ring_show(ring, 2000, 0, 0, out);	/* no other user's */
	fclose(out);
	assert_string_equal(text, "{\"next\":65541,\"lost\":5}\n");
	free(text);
	out = open_memstream(&text, &len);
	ring_show(ring, RING_ALL, 0, RING_SIZE + 5, out);	/* from what is to come next: nothing is told twice */
	fclose(out);
	assert_string_equal(text, "{\"next\":65541,\"lost\":0}\n");
	free(text);
	out = open_memstream(&text, &len);
	ring_show(ring, 2000, 0, RING_SIZE + 6, out);	/* of a slurmctld before this one: from the oldest on */
	fclose(out);
	assert_string_equal(text, "{\"next\":65541,\"lost\":5}\n");
	free(text);
	ring_destroy(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_garbage), cmocka_unit_test(test_port_taken), cmocka_unit_test(test_state_file),
			cmocka_unit_test(test_state_grows),
		cmocka_unit_test(test_ring),
	};
	int fd = mkstemp(state_path), rc;
	char owner[64];

	close(fd);
	rc = cmocka_run_group_tests_name("server", tests, NULL, NULL);
	unlink(state_path);
	snprintf(owner, sizeof(owner), "%s.owner", state_path);
	unlink(owner);
	return rc;
}
