/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent's side of a session, against a plugin that is played here; nothing listens where it would connect anew, and there
 * is no munged. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "straggler/protocol/channel.h"
#include "straggler/protocol/key.h"

static struct straggler_conf conf = { .controller = "127.0.0.1", .port = 1, .munge_socket = "/nonexistent/munge" };
static struct channel channel;
static struct port_message message;
static struct wt_error err;
static int plugin;

static int begin(void **state)
{
	int pair[2];

	(void) state;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	channel_begin(&channel, &conf);
	channel.ask.fd = pair[0];
	channel.session = (struct port_session) { .id = 7, .key = { 1, 2, 3 }, .lifetime_s = 3600 };
	channel.renew_us = INT64_MAX;
	channel.proven = true;
	plugin = pair[1];
	message = (struct port_message) { .kind = PORT_REPORT, .window_ms = 6000, .node = "n1" };
	err.text[0] = '\0';
	return 0;
}

static int end(void **state)
{
	(void) state;
	channel_end(&channel);
	close(plugin);
	return 0;
}

/* The frame that has come; whether it asks for an answer. */
static bool frame_got(uint64_t sequence)
{
	static struct port_message got;
	uint8_t in[512];
	uint32_t len;
	uint64_t session;
	unsigned int flags;

	assert_int_equal(recv(plugin, &len, sizeof(len), 0), sizeof(len));
	len = ntohl(len);
	assert_int_equal(recv(plugin, in, len, 0), (ssize_t) len);
	assert_int_equal(port_keyed_read(in, len, &session, &flags, NULL), 0);
	assert_int_equal(session, 7);
	assert_true(key_good(channel.session.key, in, len));
	assert_int_equal(port_message_decode(&got, in + PORT_KEYED_HEAD, len - PORT_KEYED_HEAD - PORT_MAC, NULL), 0);
	assert_int_equal(got.sequence, sequence);
	return flags & PORT_ANSWER;
}

static void answer(enum port_code code, size_t cut)
{
	struct port_reply reply = { .kind = PORT_REPORT, .code = code };
	uint8_t out[4 + PORT_REPLY_HEAD] = { 0, 0, 0, PORT_REPLY_HEAD };

	port_reply_head(&reply, out + 4, PORT_REPLY_HEAD, NULL);
	assert_int_equal(send(plugin, out, cut ? cut : sizeof(out), 0), (ssize_t) (cut ? cut : sizeof(out)));
	if (cut) {	/* the rest comes with the next report */
		assert_int_equal(channel_report(&channel, &message, 100, &err), 0);
		assert_int_equal(send(plugin, out + cut, sizeof(out) - cut, 0), (ssize_t) (sizeof(out) - cut));
	}
}

static void test_one_in_ten(void **state)
{
	(void) state;
	for (uint64_t i = 1; i <= 40; i++) {
		bool asked;

		assert_int_equal(channel_report(&channel, &message, 100, &err), 0);
		asked = frame_got(i);
		assert_int_equal(asked, i % CHANNEL_ANSWER_EACH == 0);
		if (asked)
			answer(PORT_OK, 0);
	}
}

static void test_cut_answer(void **state)
{
	(void) state;
	for (size_t cut = 1; cut < 4 + PORT_REPLY_HEAD; cut++)
		answer(PORT_OK, cut);
	assert_int_equal(channel_report(&channel, &message, 100, &err), 0);
	assert_int_equal(channel.in_got, 0);
	assert_true(channel.ask.fd >= 0);
}

static void test_refused(void **state)
{
	(void) state;
	answer(PORT_DENIED, 0);
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(errno, EPERM);
	assert_non_null(strstr(err.text, "denied"));
	assert_false(frame_got(1));			/* that one was sent all the same */
	assert_int_equal(channel_report(&channel, &message, 100, &err), 0);
}

/* No munged: no other session. */
static void test_no_session(void **state)
{
	(void) state;
	answer(PORT_NO_SESSION, 0);
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(channel.session.id, 0);
	assert_int_equal(errno, EIO);
}

static void test_renewed(void **state)
{
	(void) state;
	channel.renew_us = 0;
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(errno, EIO);
}

static void test_other_version(void **state)
{
	uint8_t out[512] = { 0 };
	int len = port_refuse(PORT_VERSION, PORT_REPORT, out + 4, sizeof(out) - 4, NULL);

	(void) state;
	out[3] = (uint8_t) len;
	assert_int_equal(send(plugin, out, 4 + (size_t) len, 0), 4 + len);
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_non_null(strstr(err.text, "speaks version 4 of the protocol"));
}

/* The connection is made anew: slurmctld went, does not answer for ten reports, or what comes is nonsense. */
static void test_reconnects(void **state)
{
	static const uint8_t huge[4] = { 0xff, 0xff, 0xff, 0xff };

	(void) state;
	for (uint64_t i = 1; i < 2 * CHANNEL_ANSWER_EACH; i++)
		assert_int_equal(channel_report(&channel, &message, 100, &err), 0);
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(errno, ECONNREFUSED);
	end(state);
	begin(state);
	assert_int_equal(send(plugin, huge, sizeof(huge), 0), sizeof(huge));
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(errno, ECONNREFUSED);
	end(state);
	begin(state);
	shutdown(plugin, SHUT_RDWR);
	assert_int_equal(channel_report(&channel, &message, 100, &err), -1);
	assert_int_equal(errno, ECONNREFUSED);
	assert_int_equal(channel.session.id, 7);	/* it may go on over another connection */
}

/* Over a connection that is new it waits for the answer. */
static void test_first(void **state)
{
	(void) state;
	channel.proven = false;
	answer(PORT_OK, 0);		/* is taken for one that came too early */
	assert_int_equal(channel_report(&channel, &message, 50, &err), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(channel.ask.fd, -1);
}

static void *first_answered(void *arg)
{
	struct pollfd p = { .fd = plugin, .events = POLLIN };

	if (poll(&p, 1, 60000) == 1)
		*(bool *) arg = frame_got(1);
	answer(PORT_OK, 0);
	return NULL;
}

static void *first_refused(void *arg)
{
	struct pollfd p = { .fd = plugin, .events = POLLIN };

	if (poll(&p, 1, 60000) == 1)
		*(bool *) arg = frame_got(1);
	answer(PORT_DENIED, 0);
	return NULL;
}

/* What the plugin thinks of the first report is told at once, not with the next one. */
static void test_first_is_refused(void **state)
{
	bool asked = false;
	pthread_t thread;

	(void) state;
	channel.proven = false;
	assert_int_equal(pthread_create(&thread, NULL, first_refused, &asked), 0);
	assert_int_equal(channel_report(&channel, &message, 60000, &err), -1);
	assert_int_equal(errno, EPERM);
	assert_non_null(strstr(err.text, "denied"));
	pthread_join(thread, NULL);
	assert_true(asked);
	assert_true(channel.ask.fd >= 0);	/* it was heard: the next report goes over the same connection */
}

/* A plugin that closes the connection does not like what it was sent, and its log may say why; any other error is told as
 * it is. */
static void test_words_of_failures(void **state)
{
	static const int errnums[] = { ECONNRESET, EPIPE, ETIMEDOUT, ECONNREFUSED };

	(void) state;
	for (size_t i = 0; i < sizeof(errnums) / sizeof(errnums[0]); i++) {
		struct ask failed = { .conf = &conf, .fd = -1 };

		errno = errnums[i];
		assert_int_equal(ask_failed(&failed, &err), -1);
		assert_int_equal(errno, errnums[i]);
		assert_int_equal(strstr(err.text, "closed the connection without an answer") != NULL, i < 2);
		assert_int_equal(strstr(err.text, strerror(errnums[i])) != NULL, i >= 2);
	}
}

/* A long report over a new connection: an empty one goes before it, and is answered. */
static void test_introduces(void **state)
{
	bool asked = false;
	pthread_t thread;
	uint32_t len;

	(void) state;
	channel.proven = false;
	message.count = PORT_RECORDS_MAX;
	assert_int_equal(pthread_create(&thread, NULL, first_answered, &asked), 0);
	assert_int_equal(channel_report(&channel, &message, 60000, &err), 0);
	pthread_join(thread, NULL);
	assert_true(asked);
	assert_int_equal(recv(plugin, &len, sizeof(len), 0), sizeof(len));
	assert_true(ntohl(len) > PORT_STRANGER_MAX);
	assert_int_equal(message.count, PORT_RECORDS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_one_in_ten, begin, end),
			cmocka_unit_test_setup_teardown(test_cut_answer, begin, end),
		cmocka_unit_test_setup_teardown(test_refused, begin, end), cmocka_unit_test_setup_teardown(test_no_session,
		begin, end),
		cmocka_unit_test_setup_teardown(test_renewed, begin, end),
		cmocka_unit_test_setup_teardown(test_other_version, begin, end),
		cmocka_unit_test_setup_teardown(test_reconnects, begin, end), cmocka_unit_test_setup_teardown(test_first,
		begin, end),
		cmocka_unit_test_setup_teardown(test_first_is_refused, begin, end),
		cmocka_unit_test(test_words_of_failures),
		cmocka_unit_test_setup_teardown(test_introduces, begin, end),
	};

	return cmocka_run_group_tests_name("channel", tests, NULL, NULL);
}
