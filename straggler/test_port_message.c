/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/port_message.h"

static struct port_message in, out;
static uint8_t buf[PORT_BODY_MAX];

static int report(uint32_t count)
{
	memset(&in, 0, sizeof(in));
	in.kind = PORT_REPORT;
	in.sequence = 0x0102030405060708;
	in.window_ms = 6000;
	strcpy(in.node, "n17");
	in.count = count;
	for (uint32_t i = 0; i < count; i++)
		in.records[i] = (struct beat_record) { 100 + i, i % 3, BEAT_END, i * 1000003ull, i / 1024. };
	return port_message_encode(&in, buf, sizeof(buf), NULL);
}

static void test_report(void **state)
{
	int len = report(PORT_RECORDS_MAX);

	(void) state;
	assert_true(len > 0);
	assert_int_equal(port_message_decode(&out, buf, (size_t) len, NULL), 0);
	assert_int_equal(out.sequence, in.sequence);
	assert_int_equal(out.window_ms, 6000);
	assert_string_equal(out.node, "n17");
	assert_int_equal(out.count, PORT_RECORDS_MAX);
	for (uint32_t i = 0; i < out.count; i++) {
		assert_int_equal(out.records[i].job_id, 100 + i);
		assert_int_equal(out.records[i].restart, i % 3);
		assert_int_equal(out.records[i].elapsed_us, i * 1000003ull);
		assert_true(out.records[i].progress == i / 1024.);
	}
}

/* The bytes are a contract between releases. */
static void test_golden(void **state)
{
	static const uint8_t want[] = {
		'W', 'T', 'B', '1', 4, 1, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x17, 0x70, 3, 'n', '1', '7',
		0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0 };

	(void) state;
	report(1);
	in.records[0].progress = .5;
	assert_int_equal(port_message_encode(&in, buf, sizeof(buf), NULL), sizeof(want));
	assert_memory_equal(buf, want, sizeof(want));
}

static void test_questions(void **state)
{
	(void) state;
	for (int kind = PORT_COMMIT; kind <= PORT_STATUS; kind++) {
		int len;

		memset(&in, 0, sizeof(in));
		in.kind = kind;
		in.job_id = 7;
		in.restart = kind == PORT_STATUS ? 0 : 2;
		in.operation = kind == PORT_EXIT ? 0 : 2;
		in.status = kind == PORT_EXIT ? -9 : 0;
		in.instance = kind == PORT_STATUS ? 0 : 0x0123456789abcdef;
		in.array_job_id = kind == PORT_STATUS ? 0 : 5;
		in.array_task_id = kind == PORT_STATUS ? 0 : 6;
		in.acquisition = kind == PORT_COMMIT ? 0x1122334455667788 : 0;
		in.nonce = UINT64_MAX;
		len = port_message_encode(&in, buf, sizeof(buf), NULL);
		assert_true(len > 0);
		assert_int_equal(port_message_decode(&out, buf, (size_t) len, NULL), 0);
		assert_int_equal(out.kind, kind);
		assert_int_equal(out.job_id, 7);
		assert_int_equal(out.restart, in.restart);
		assert_true(out.instance == in.instance && out.array_job_id == in.array_job_id &&
			    out.array_task_id == in.array_task_id);
		assert_int_equal(out.operation, in.operation);
		assert_int_equal(out.status, in.status);
		assert_true(out.nonce == UINT64_MAX && out.acquisition == in.acquisition);
	}
}

static void bad_decode(size_t len)
{
	struct wt_error err = { "" };

	errno = 0;
	assert_int_equal(port_message_decode(&out, buf, len, &err), -1);
	assert_int_equal(errno, EPROTO);
	assert_true(err.text[0]);
}

static void test_bad(void **state)
{
	int len = report(2);

	(void) state;
	for (int shorter = 0; shorter < len; shorter++)
		bad_decode((size_t) shorter);
	bad_decode((size_t) len + 1);
	for (int at = 0; at < 6; at++) {	/* magic, version, kind */
		report(2);
		buf[at] ^= 0x40;
		bad_decode((size_t) len);
	}
	report(2);
	buf[21] = '"';				/* the node's name goes into JSON and the log */
	bad_decode((size_t) len);
	buf[21] = '\n';
	bad_decode((size_t) len);
	report(2);
	in.count = PORT_RECORDS_MAX + 1;
	assert_int_equal(port_message_encode(&in, buf, sizeof(buf), NULL), -1);
	report(2);
	in.node[0] = '\0';
	assert_int_equal(port_message_encode(&in, buf, sizeof(buf), NULL), -1);
	report(2);
	assert_int_equal(port_message_encode(&in, buf, (size_t) len - 1, NULL), -1);
	assert_int_equal(errno, ENOSPC);
	in.kind = 0;
	assert_int_equal(port_message_encode(&in, buf, sizeof(buf), NULL), -1);
	memset(&in, 0, sizeof(in));
	in.kind = PORT_COMMIT;
	in.operation = 4;
	in.acquisition = 1;
	len = port_message_encode(&in, buf, sizeof(buf), NULL);
	bad_decode((size_t) len);
	in.operation = WT_COMMIT_RELEASE;
	in.acquisition = 0;
	len = port_message_encode(&in, buf, sizeof(buf), NULL);
	bad_decode((size_t) len);
}

static void test_newest(void **state)
{
	static const uint8_t want[PORT_NEWEST_TEXT] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t text[PORT_NEWEST_TEXT];
	uint64_t newest;

	(void) state;
	port_newest_write(0x0102030405060708, text);
	assert_memory_equal(text, want, sizeof(want));
	assert_int_equal(port_newest_read(&newest, text, sizeof(text), NULL), 0);
	assert_true(newest == 0x0102030405060708);
	assert_int_equal(port_newest_read(&newest, text, sizeof(text) - 1, NULL), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(port_newest_read(&newest, NULL, 0, NULL), -1);
}

static void test_reply(void **state)
{
	struct port_reply reply = { PORT_EXIT, PORT_WAIT, 42, "why", 3 }, got;
	int len = port_reply_head(&reply, buf, sizeof(buf), NULL);

	(void) state;
	assert_int_equal(len, PORT_REPLY_HEAD + 3);
	assert_int_equal(port_reply_decode(&got, buf, (size_t) len, NULL), 0);
	assert_int_equal(got.kind, PORT_EXIT);
	assert_int_equal(got.code, PORT_WAIT);
	assert_int_equal(got.nonce, 42);
	assert_memory_equal(got.text, "why", 3);
	assert_int_equal(port_reply_decode(&got, buf, PORT_REPLY_HEAD - 1, NULL), -1);
	buf[7] = PORT_OLD + 1;
	assert_int_equal(port_reply_decode(&got, buf, (size_t) len, NULL), -1);
	assert_string_equal(port_code_name(PORT_DENIED), "denied");
	assert_null(port_code_name(PORT_OLD + 1));
}

static void test_open(void **state)
{
	struct port_session session = { 0x0102030405060708, { 9, 10, 11 }, 3600 }, got;
	uint8_t text[PORT_SESSION_TEXT];
	int len;

	(void) state;
	memset(&in, 0, sizeof(in));
	in.kind = PORT_OPEN;
	in.nonce = 77;
	len = port_message_encode(&in, buf, sizeof(buf), NULL);
	assert_int_equal(len, 16);
	assert_int_equal(port_message_decode(&out, buf, (size_t) len, NULL), 0);
	assert_int_equal(out.kind, PORT_OPEN);
	assert_int_equal(out.nonce, 77);
	bad_decode((size_t) len - 1);
	bad_decode((size_t) len + 1);
	buf[7] = 1;				/* it has no records */
	bad_decode((size_t) len);
	port_session_write(&session, text);
	assert_int_equal(port_session_read(&got, text, sizeof(text), NULL), 0);
	assert_int_equal(got.id, session.id);
	assert_memory_equal(got.key, session.key, sizeof(got.key));
	assert_int_equal(got.lifetime_s, 3600);
	assert_int_equal(port_session_read(&got, text, sizeof(text) - 1, NULL), -1);
	assert_int_equal(port_session_read(&got, NULL, 0, NULL), -1);
	memset(text, 0, sizeof(text));
	assert_int_equal(port_session_read(&got, text, sizeof(text), NULL), -1);
	assert_int_equal(errno, EPROTO);
}

static void test_keyed_head(void **state)
{
	static const uint8_t want[] = { 'W', 'T', 'K', '1', 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3 };
	uint64_t session;
	unsigned int flags;

	(void) state;
	memset(buf, 0, sizeof(buf));
	assert_int_equal(port_keyed_head(0x203, PORT_ANSWER, buf, sizeof(buf), NULL), sizeof(want));
	assert_memory_equal(buf, want, sizeof(want));
	assert_true(port_keyed(buf, 4));
	assert_false(port_keyed(buf, 3));
	assert_int_equal(port_keyed_read(buf, 40, &session, &flags, NULL), 0);	/* the shortest body */
	assert_int_equal(session, 0x203);
	assert_int_equal(flags, PORT_ANSWER);
	assert_int_equal(port_keyed_read(buf, 39, &session, &flags, NULL), -1);
	assert_int_equal(port_keyed_read(buf, 0, &session, &flags, NULL), -1);
	for (int at = 0; at < 8; at++) {	/* magic, version, flags, zero */
		buf[at] ^= 0x40;
		assert_int_equal(port_keyed_read(buf, 40, &session, &flags, NULL), -1);
		assert_int_equal(errno, EPROTO);
		buf[at] ^= 0x40;
	}
	assert_int_equal(port_keyed_head(1, 2, buf, sizeof(buf), NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(port_keyed_head(1, 0, buf, PORT_KEYED_HEAD - 1, NULL), -1);
	assert_int_equal(errno, ENOSPC);
}

/* Each side can tell the other which version it is of. */
static void test_other_version(void **state)
{
	struct wt_error err = { "" };
	struct port_reply got;
	unsigned int version = 0, kind = 0;
	int len = report(1);

	(void) state;
	buf[4] = 2;
	assert_true(port_version(buf, (size_t) len, &version, &kind));
	assert_int_equal(version, 2);
	assert_int_equal(kind, PORT_REPORT);
	len = port_refuse(version, kind, buf, sizeof(buf), NULL);
	assert_true(len > PORT_REPLY_HEAD);
	assert_int_equal(buf[4], 2);		/* an agent of version 2 takes it for an answer, "bad" */
	assert_int_equal(buf[5], 0x81);
	assert_int_equal(buf[7], PORT_BAD);
	assert_non_null(strstr((char *) buf + PORT_REPLY_HEAD, "version 4"));
	assert_non_null(strstr((char *) buf + PORT_REPLY_HEAD, "version 2"));
	assert_int_equal(port_refuse(255, 1, buf, sizeof(buf), NULL) > 0, 1);
	assert_int_equal(port_refuse(2, 1, buf, 40, NULL), -1);
	assert_int_equal(port_reply_decode(&got, buf, (size_t) len, &err), -1);	/* one of version 255 */
	assert_non_null(strstr(err.text, "version 255"));
	port_keyed_head(1, 0, buf, sizeof(buf), NULL);
	assert_true(port_version(buf, PORT_KEYED_HEAD, &version, &kind));
	assert_int_equal(version, PORT_VERSION);
	assert_false(port_version(buf, 7, &version, &kind));
	assert_false(port_version((const uint8_t *) "MUNGE:AwQDAAD:", 14, &version, &kind));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report), cmocka_unit_test(test_golden), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_bad), cmocka_unit_test(test_newest), cmocka_unit_test(test_reply),
		cmocka_unit_test(test_open), cmocka_unit_test(test_keyed_head),
		cmocka_unit_test(test_other_version),
	};

	return cmocka_run_group_tests_name("beat", tests, NULL, NULL);
}
