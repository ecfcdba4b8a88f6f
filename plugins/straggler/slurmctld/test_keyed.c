/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of a session over a connection; without munged: sessions are put into the table (t/t0611-speculate-hostile.t has
 * munged). */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/connection.h"
#include "straggler/protocol/key.h"

#define JOB 100u

static struct service service;
static struct answerer answerer;
static struct connection *c;
static int client;
static struct port_session ours;
static char said[512];
static double elapsed_s;
static uint8_t bytes[3 * (4 + KEY_FRAME_MAX)];
static size_t len;

static void say(enum service_level level, const char *text)
{
	(void) level;
	snprintf(said, sizeof(said), "%s", text);
}

static void session_make(uint32_t uid, bool trusted)
{
	struct session_random drawn;
	const struct session *session;
	bool dropped;

	assert_int_equal(key_draw(&drawn, sizeof(drawn), NULL), 0);
	session = session_open(answerer.sessions, uid, trusted, &drawn, 0, &dropped);
	ours.id = session->id;
	memcpy(ours.key, session->key, sizeof(ours.key));
}

static int begin(void **state)
{
	struct straggler_conf conf = { .enabled = true, .munge_socket = "/nonexistent/munge", .spec = wt_spec_defaults() };
	struct wt_spec_fact fact = { .job_id = JOB, .state = WT_SPEC_RUNNING, .policy = "on", .uid = 1000,
				     .array_job_id = JOB, .tasks = 4 };
	int pair[2];

	(void) state;
	service.log = say;
	said[0] = '\0';
	conf.spec.window_s = .1;	/* of seconds by the clock only a flood would remain */
	if (service_init(&service, &conf, "/nonexistent/state", NULL) < 0 || answerer_init(&answerer, &service, NULL) < 0 ||
	    wt_spec_fact(service.spec, &fact, 0, NULL) < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	client = pair[0];
	c = connection_open(pair[1], 0);
	c->agent = c->trusted = c->known = true;
	elapsed_s = 0;
	len = 0;
	session_make(0, true);
	return 0;
}

static int end(void **state)
{
	(void) state;
	connection_close(c);
	close(client);
	answerer_fini(&answerer);
	service_fini(&service);
	return 0;
}

static void frame_add(uint64_t sequence, unsigned int flags)
{
	static struct port_message message;
	uint32_t head;
	int n;

	elapsed_s += 1;
	message = (struct port_message) { .kind = PORT_REPORT, .sequence = sequence, .window_ms = 100, .node = "n1",
		.count = 1 };
	message.records[0] = (struct beat_record) { .job_id = JOB, .elapsed_us = (uint64_t) (elapsed_s * 1e6),
						    .progress = elapsed_s / 100 };
	n = key_frame(&ours, &message, flags, bytes + len + 4, sizeof(bytes) - len - 4, NULL);
	assert_true(n > 0);
	head = htonl((uint32_t) n);
	memcpy(bytes + len, &head, 4);
	len += 4 + (size_t) n;
}

static void bytes_send(size_t from, size_t to)
{
	assert_int_equal(send(client, bytes + from, to - from, 0), (ssize_t) (to - from));
}

static const struct wt_spec_counters *counters(void)
{
	return wt_spec_counters(service.spec);
}

/* The code of the answer that has come; -1: none. */
static int answer_code(void)
{
	uint8_t got[512];
	struct port_reply reply;
	ssize_t n = recv(client, got, sizeof(got), 0);

	if (n < 0)
		return -1;
	assert_int_equal(n, 4 + PORT_REPLY_HEAD);
	assert_int_equal(port_reply_decode(&reply, got + 4, (size_t) n - 4, NULL), 0);
	return (int) reply.code;
}

static void test_no_answer(void **state)
{
	(void) state;
	frame_add(1, 0);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->messages, 1);
	assert_int_equal(counters()->accepted, 1);
	assert_int_equal(answer_code(), -1);
	assert_true(c->agent && c->trusted && connection_between(c));
	len = 0;
	frame_add(2, PORT_ANSWER);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->messages, 2);
	assert_int_equal(answer_code(), PORT_OK);
	assert_true(connection_reports(c, &answerer, 0));	/* nothing has come */
	assert_int_equal(counters()->messages, 2);
}

static void test_several(void **state)
{
	(void) state;
	for (uint64_t i = 1; i <= 5; i++)
		frame_add(i, 0);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->messages, 5);
	assert_int_equal(counters()->accepted + counters()->flood, 5);
}

/* Cut anywhere, the rest comes later. */
static void test_cut(void **state)
{
	size_t whole;

	(void) state;
	frame_add(1, 0);
	whole = len;
	for (size_t cut = 1; cut < whole; cut++) {
		uint64_t before = counters()->messages;

		len = 0;
		frame_add(2 * cut, 0);
		frame_add(2 * cut + 1, 0);
		bytes_send(0, whole + cut);
		assert_true(connection_reports(c, &answerer, 0));
		assert_int_equal(counters()->messages, before + 1);
		assert_false(connection_between(c));
		bytes_send(whole + cut, len);
		for (int i = 0; i < 2 && !connection_ready(c); i++)
			assert_true(connection_move(c, 0));
		assert_true(connection_ready(c) && connection_answer(c, &answerer, 0));
		assert_int_equal(counters()->messages, before + 2);
		assert_true(connection_between(c));
	}
	assert_int_equal(counters()->replayed + counters()->bad_mac + counters()->garbage, 0);
}

/* 'wrong' is what should be counted; the connection is closed, and the session goes on over another one. */
static void refused(const uint64_t *wrong)
{
	uint64_t before = counters()->messages, count = *wrong;

	bytes_send(0, len);
	assert_false(connection_reports(c, &answerer, 0));
	assert_int_equal(*wrong, count + 1);
	assert_int_equal(counters()->messages, before);
	assert_int_equal(answer_code(), -1);
	c->agent = c->trusted = true;	/* the next one */
	len = 0;
}

static void test_refused(void **state)
{
	(void) state;
	frame_add(5, 0);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	refused(&counters()->replayed);			/* the same bytes */
	frame_add(4, 0);
	refused(&counters()->replayed);			/* an earlier number */
	frame_add(6, 0);
	bytes[len - 1] ^= 1;
	refused(&counters()->bad_mac);
	frame_add(6, 0);
	bytes[4 + 5] ^= PORT_ANSWER;			/* the head is under the MAC, too */
	refused(&counters()->bad_mac);
	frame_add(6, 0);
	bytes[4 + 5] = 0x80;
	refused(&counters()->garbage);
	ours.key[3] ^= 1;				/* another session's */
	frame_add(6, 0);
	refused(&counters()->bad_mac);
	ours.key[3] ^= 1;
	frame_add(6, 0);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->messages, 2);
}

static void test_no_session(void **state)
{
	(void) state;
	ours.id ^= 1ull << 50;
	frame_add(1, 0);
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(answer_code(), PORT_NO_SESSION);
	assert_int_equal(counters()->no_session, 1);
	assert_false(c->agent || c->trusted);
	ours.id ^= 1ull << 50;
	len = 0;
	frame_add(1, 0);
	assert_true(answer_proven(&answerer, bytes + 4, len - 4, 0));
	assert_false(answer_proven(&answerer, bytes + 4, len - 5, 0));
	assert_false(answer_proven(&answerer, bytes + 4, len - 4, SESSION_LIFETIME_S));
	assert_false(answer_proven(&answerer, bytes + 4, 0, 0));
}

/* A session is worth what its user may: nothing about others' jobs; its own go on slowly, as a stranger's. */
static void test_rights(void **state)
{
	(void) state;
	session_make(1001, false);
	frame_add(1, 0);
	assert_false(answer_proven(&answerer, bytes + 4, len - 4, 0));
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(answer_code(), PORT_DENIED);
	assert_int_equal(counters()->foreign, 1);
	assert_int_equal(counters()->accepted, 0);
	assert_false(c->agent || c->trusted);
	session_make(1000, false);
	len = 0;
	frame_add(1, 0);
	bytes_send(0, len);
	c->agent = true;
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->accepted, 1);
	assert_false(c->agent || c->trusted);
}

static void test_other_version(void **state)
{
	uint8_t got[512];
	ssize_t n;

	(void) state;
	frame_add(1, 0);
	bytes[4 + 4] = PORT_VERSION + 1;
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	n = recv(client, got, sizeof(got) - 1, 0);
	assert_true(n > 4 + PORT_REPLY_HEAD);
	got[n] = '\0';
	assert_int_equal(got[4 + 4], PORT_VERSION + 1);
	assert_non_null(strstr((char *) got + 4 + PORT_REPLY_HEAD, "version 4"));
	assert_non_null(strstr((char *) got + 4 + PORT_REPLY_HEAD, "version 5"));
	assert_non_null(strstr(said, "version 4"));
	assert_non_null(strstr(said, "version 5"));
	assert_int_equal(counters()->other_version, 1);
	said[0] = '\0';					/* once */
	c->agent = true;
	bytes_send(0, len);
	assert_true(connection_reports(c, &answerer, 0));
	assert_int_equal(counters()->other_version, 2);
	assert_string_equal(said, "");
}

/* Another version's question over munge: an asker who waits for a sealed answer has a sealed one, as what else would he
 * believe; an agent's report has a plain one. */
static void test_other_version_sealed(void **state)
{
	static const enum port_kind sealed[] = { PORT_COMMIT, PORT_EXIT, PORT_OPEN };
	static struct port_message message = { .kind = PORT_STATUS };
	struct answer answer;
	uint8_t body[256];
	int size = port_message_encode(&message, body, sizeof(body), NULL);

	(void) state;
	assert_true(size > 5);
	body[4] = PORT_VERSION + 1;
	for (size_t i = 0; i < sizeof(sealed) / sizeof(sealed[0]); i++) {
		body[5] = (uint8_t) sealed[i];
		answer_unsealed(&answerer, client, 1000, body, (size_t) size, 4096, 0, &answer);
		assert_true(answer.keep && answer.seal);
		assert_int_equal(answer.uid, 1000);
		assert_int_equal((uint8_t) answer.bytes[5], 0x80 | sealed[i]);
		free(answer.bytes);
	}
	body[5] = PORT_REPORT;
	answer_unsealed(&answerer, client, 1000, body, (size_t) size, 4096, 0, &answer);
	assert_true(answer.keep && !answer.seal);
	assert_int_equal((uint8_t) answer.bytes[4 + 5], 0x80 | PORT_REPORT);
	free(answer.bytes);
	assert_int_equal(counters()->other_version, 4);
}

/* What munge says about a credential is counted where an administrator looks for it: a clock that is wrong is no attack,
 * and neither is a munged that does not answer. */
static void test_credential_refused(void **state)
{
	static const munge_err_t late[] = { EMUNGE_CRED_EXPIRED, EMUNGE_CRED_REWOUND };
	static const munge_err_t failed[] = { EMUNGE_SOCKET, EMUNGE_TIMEOUT, EMUNGE_SNAFU };

	(void) state;
	for (uint64_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
		answer_refused(&answerer, late[i]);
		assert_int_equal(counters()->expired, i + 1);
	}
	for (uint64_t i = 0; i < sizeof(failed) / sizeof(failed[0]); i++) {
		answer_refused(&answerer, failed[i]);
		assert_int_equal(counters()->munge_failed, i + 1);
	}
	assert_int_equal(counters()->replayed + counters()->bad_credential, 0);
	answer_refused(&answerer, EMUNGE_CRED_REPLAYED);
	assert_int_equal(counters()->replayed, 1);
	answer_refused(&answerer, EMUNGE_CRED_INVALID);
	assert_int_equal(counters()->bad_credential, 1);
}

/* Lengths that cannot be, and an agent that hangs up. */
static void test_lengths(void **state)
{
	static const uint8_t huge[4] = { 0, 1, 0, 1 }, none[4];

	(void) state;
	assert_int_equal(send(client, huge, 4, 0), 4);
	assert_false(connection_reports(c, &answerer, 0));
	assert_int_equal(send(client, none, 4, 0), 4);
	assert_false(connection_reports(c, &answerer, 0));
	shutdown(client, SHUT_WR);
	assert_false(connection_reports(c, &answerer, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_no_answer, begin, end), cmocka_unit_test_setup_teardown(test_several,
			begin, end),
		cmocka_unit_test_setup_teardown(test_cut, begin, end), cmocka_unit_test_setup_teardown(test_refused, begin,
		end),
		cmocka_unit_test_setup_teardown(test_no_session, begin, end), cmocka_unit_test_setup_teardown(test_rights,
		begin, end),
		cmocka_unit_test_setup_teardown(test_other_version, begin, end),
		cmocka_unit_test_setup_teardown(test_other_version_sealed, begin, end),
		cmocka_unit_test_setup_teardown(test_credential_refused, begin, end),
		cmocka_unit_test_setup_teardown(test_lengths, begin, end),
	};

	return cmocka_run_group_tests_name("keyed", tests, NULL, NULL);
}
