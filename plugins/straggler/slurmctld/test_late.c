/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to publish, asked for as programs do, through a proxy on the network that holds single frames back and sends
 * them on later. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/listener.h"
#include "plugins/straggler/slurmctld/test_port.h"
#include "straggler/protocol/wire.h"
#include "plugins/straggler/task/wt_progress.h"

#define TASK 3u

static int proxy = -1;
static pthread_t thread;
static char conf_path[96];
static atomic_bool holds;	/* the next frame is kept, and its sender's connection closed; */
static char *held;		/* it is this one */
static uint32_t held_len;

/* One connection: frames to the plugin, and its answers back. */
static void pass(int client)
{
	int plugin = frame_sent(NULL, 0);
	uint32_t head, answer_len;
	void *answer = NULL;
	char *frame;

	while (wire_receive(client, &head, sizeof(head), until_us()) == 0) {
		uint32_t len = ntohl(head);

		frame = malloc(len);
		if (!frame || wire_receive(client, frame, len, until_us()) < 0)
			abort();
		if (atomic_exchange(&holds, false)) {
			held_len = len;
			held = frame;
			break;
		}
		if (wire_send(plugin, &head, sizeof(head), MSG_MORE, until_us()) < 0 ||
		    wire_send(plugin, frame, len, 0, until_us()) < 0 ||
		    wire_frame(plugin, &answer, &answer_len, until_us()) < 0)
			abort();
		free(frame);
		head = htonl(answer_len);
		if (wire_send(client, &head, sizeof(head), 0, until_us()) < 0 ||
		    wire_send(client, answer, answer_len, 0, until_us()) < 0)
			abort();
		free(answer);
	}
	close(plugin);
	close(client);
}

static void *proxy_run(void *arg)
{
	int client;

	(void) arg;
	while ((client = accept4(proxy, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		pass(client);
	return NULL;
}

static int begin(void **state)
{
	unsigned int port = port_free();
	char text[32];
	FILE *out;

	if (port_begin(state) < 0)
		return -1;
	proxy = listener_open("127.0.0.1", port, NULL);
	snprintf(conf_path, sizeof(conf_path), "%s/conf", port_dir);
	out = fopen(conf_path, "w");
	if (proxy < 0 || fcntl(proxy, F_SETFL, 0) < 0 || !out || pthread_create(&thread, NULL, proxy_run, NULL))
		return -1;
	fprintf(out, "Controller=127.0.0.1\nPort=%u\nMungeSocket=%s\n", port, conf.munge_socket);
	fclose(out);
	setenv("WT_STRAGGLER_CONF", conf_path, 1);
	setenv("WT_PROGRESS_FILE", "/dev/null", 1);
	snprintf(text, sizeof(text), "%u", ARRAY + TASK);
	setenv("SLURM_JOB_ID", text, 1);
	snprintf(text, sizeof(text), "%u_%u.0.%016x", ARRAY, TASK, 0xaau);
	setenv("WT_INSTANCE", text, 1);
	return 0;
}

static int end(void **state)
{
	shutdown(proxy, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(proxy);
	unlink(conf_path);
	free(held);
	held = NULL;
	return port_end(state);
}

/* What was held back arrives; its answer goes nowhere. */
static void held_send(void)
{
	uint32_t len;
	void *answer;
	int fd = frame_sent(held, held_len);

	assert_int_equal(wire_frame(fd, &answer, &len, until_us()), 0);
	free(answer);
	close(fd);
}

/* Another start of the task, as after a slurmctld that was killed, asks for the right. */
static enum port_code other_asks(uint64_t acquisition)
{
	char *credential = commit_sealed(TASK, WT_COMMIT_ACQUIRE, acquisition);
	int fd = frame_sent(credential, strlen(credential));

	free(credential);
	return told(fd, TASK);
}

/* A command fails and its right is given back, which is said twice, since the first time no answer comes; the next one
 * runs. */
static void test_release(void **state)
{
	(void) state;
	assert_int_equal(wt_commit_begin(60), 0);
	atomic_store(&holds, true);
	assert_int_equal(wt_commit_release(60), 0);
	assert_non_null(held);
	assert_int_equal(wt_commit_begin(60), 0);
	held_send();
	assert_int_equal(other_asks(1), PORT_WAIT);
	assert_int_equal(wt_commit_done(60), 0);
	assert_int_equal(other_asks(1), PORT_LOST);
}

/* A question arrives when its asker has had its answer to another one, and has given the right back. */
static void test_acquire(void **state)
{
	(void) state;
	atomic_store(&holds, true);
	assert_int_equal(wt_commit_begin(60), 0);
	assert_int_equal(wt_commit_release(60), 0);
	held_send();
	assert_int_equal(other_asks(1), PORT_OK);
	assert_int_equal(wt_commit_begin(0), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(wt_commit_done(0), -1);	/* nothing was begun */
	assert_int_equal(errno, EINVAL);
}

/* Of an asker that has given up, too. */
static void test_given_up(void **state)
{
	(void) state;
	atomic_store(&holds, true);
	assert_int_equal(wt_commit_begin(0), -1);
	assert_non_null(held);
	held_send();
	assert_int_equal(other_asks(1), PORT_OK);
}

/* Infinity is a time to wait as any other, and not over at once: the question that got lost is asked again. */
static void test_for_ever(void **state)
{
	(void) state;
	atomic_store(&holds, true);
	assert_int_equal(wt_commit_begin(INFINITY), 0);
	assert_non_null(held);
	assert_int_equal(wt_commit_release(1e300), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_release, begin, end), cmocka_unit_test_setup_teardown(test_acquire,
			begin, end),
		cmocka_unit_test_setup_teardown(test_given_up, begin, end),
		cmocka_unit_test_setup_teardown(test_for_ever, begin, end),
	};

	return cmocka_run_group_tests_name("late", tests, munged_start, munged_stop);
}
