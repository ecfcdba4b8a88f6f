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

#include "wt_beat.h"

static struct wt_beat in, out;
static uint8_t buf[WT_BEAT_BODY_MAX];

static int report(uint32_t count)
{
	memset(&in, 0, sizeof(in));
	in.kind = WT_BEAT_REPORT;
	in.sequence = 0x0102030405060708;
	in.window_ms = 6000;
	strcpy(in.node, "n17");
	in.count = count;
	for (uint32_t i = 0; i < count; i++)
		in.records[i] = (struct wt_beat_record) { 100 + i, i % 3, WT_BEAT_END, i * 1000003ull, i / 1024. };
	return wt_beat_encode(&in, buf, sizeof(buf), NULL);
}

static void test_report(void **state)
{
	int len = report(WT_BEAT_RECORDS_MAX);

	(void) state;
	assert_true(len > 0);
	assert_int_equal(wt_beat_decode(&out, buf, (size_t) len, NULL), 0);
	assert_int_equal(out.sequence, in.sequence);
	assert_int_equal(out.window_ms, 6000);
	assert_string_equal(out.node, "n17");
	assert_int_equal(out.count, WT_BEAT_RECORDS_MAX);
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
		'W', 'T', 'B', '1', 2, 1, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x17, 0x70, 3, 'n', '1', '7',
		0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0 };

	(void) state;
	report(1);
	in.records[0].progress = .5;
	assert_int_equal(wt_beat_encode(&in, buf, sizeof(buf), NULL), sizeof(want));
	assert_memory_equal(buf, want, sizeof(want));
}

static void test_questions(void **state)
{
	(void) state;
	for (int kind = WT_BEAT_COMMIT; kind <= WT_BEAT_STATUS; kind++) {
		int len;

		memset(&in, 0, sizeof(in));
		in.kind = kind;
		in.job_id = 7;
		in.restart = kind == WT_BEAT_STATUS ? 0 : 2;
		in.operation = kind == WT_BEAT_EXIT ? 0 : 2;
		in.status = kind == WT_BEAT_EXIT ? -9 : 0;
		in.instance = kind == WT_BEAT_STATUS ? 0 : 0x0123456789abcdef;
		in.array_job_id = kind == WT_BEAT_STATUS ? 0 : 5;
		in.array_task_id = kind == WT_BEAT_STATUS ? 0 : 6;
		in.nonce = UINT64_MAX;
		len = wt_beat_encode(&in, buf, sizeof(buf), NULL);
		assert_true(len > 0);
		assert_int_equal(wt_beat_decode(&out, buf, (size_t) len, NULL), 0);
		assert_int_equal(out.kind, kind);
		assert_int_equal(out.job_id, 7);
		assert_int_equal(out.restart, in.restart);
		assert_true(out.instance == in.instance && out.array_job_id == in.array_job_id && out.array_task_id == in.array_task_id);
		assert_int_equal(out.operation, in.operation);
		assert_int_equal(out.status, in.status);
		assert_true(out.nonce == UINT64_MAX);
	}
}

static void bad_decode(size_t len)
{
	struct wt_error err = { "" };

	errno = 0;
	assert_int_equal(wt_beat_decode(&out, buf, len, &err), -1);
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
	in.count = WT_BEAT_RECORDS_MAX + 1;
	assert_int_equal(wt_beat_encode(&in, buf, sizeof(buf), NULL), -1);
	report(2);
	in.node[0] = '\0';
	assert_int_equal(wt_beat_encode(&in, buf, sizeof(buf), NULL), -1);
	report(2);
	assert_int_equal(wt_beat_encode(&in, buf, (size_t) len - 1, NULL), -1);
	assert_int_equal(errno, ENOSPC);
	in.kind = 0;
	assert_int_equal(wt_beat_encode(&in, buf, sizeof(buf), NULL), -1);
	memset(&in, 0, sizeof(in));
	in.kind = WT_BEAT_COMMIT;
	in.operation = 4;
	len = wt_beat_encode(&in, buf, sizeof(buf), NULL);
	bad_decode((size_t) len);
}

static void test_reply(void **state)
{
	struct wt_beat_reply reply = { WT_BEAT_EXIT, WT_BEAT_WAIT, 42, "why", 3 }, got;
	int len = wt_beat_reply_head(&reply, buf, sizeof(buf), NULL);

	(void) state;
	assert_int_equal(len, WT_BEAT_REPLY_HEAD + 3);
	assert_int_equal(wt_beat_reply_decode(&got, buf, (size_t) len, NULL), 0);
	assert_int_equal(got.kind, WT_BEAT_EXIT);
	assert_int_equal(got.code, WT_BEAT_WAIT);
	assert_int_equal(got.nonce, 42);
	assert_memory_equal(got.text, "why", 3);
	assert_int_equal(wt_beat_reply_decode(&got, buf, WT_BEAT_REPLY_HEAD - 1, NULL), -1);
	buf[7] = WT_BEAT_BAD + 1;
	assert_int_equal(wt_beat_reply_decode(&got, buf, (size_t) len, NULL), -1);
	assert_string_equal(wt_beat_code_name(WT_BEAT_DENIED), "denied");
	assert_null(wt_beat_code_name(WT_BEAT_BAD + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report), cmocka_unit_test(test_golden), cmocka_unit_test(test_questions),
		cmocka_unit_test(test_bad), cmocka_unit_test(test_reply),
	};

	return cmocka_run_group_tests_name("beat", tests, NULL, NULL);
}
