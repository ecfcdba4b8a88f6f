/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/vnode/wire/frame.h"

static const uint8_t good[] = { 0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o', 'X', 'Y' };

static void test_whole_frame_leaves_the_rest(void **state)
{
	struct wt_frame frame;

	(void) state;
	wt_frame_init(&frame, 0);
	assert_true(wt_frame_empty(&frame));
	assert_int_equal(wt_frame_feed(&frame, good, sizeof(good)), 9);
	assert_true(wt_frame_complete(&frame));
	assert_memory_equal(frame.body, "hello", 5);
	assert_int_equal(wt_frame_feed(&frame, good, 1), 0);	/* complete: takes nothing more */
	wt_frame_clear(&frame);
	assert_true(wt_frame_empty(&frame));
}

static void test_byte_by_byte(void **state)
{
	struct wt_frame frame;

	(void) state;
	wt_frame_init(&frame, 5);
	for (size_t i = 0; i < 9; i++) {
		assert_false(wt_frame_complete(&frame));
		assert_int_equal(wt_frame_feed(&frame, good + i, 1), 1);
	}
	assert_true(wt_frame_complete(&frame));
	assert_memory_equal(frame.body, "hello", 5);
	wt_frame_clear(&frame);
	assert_int_equal(frame.limit, 5);
}

static void test_limits(void **state)
{
	static const uint8_t six[] = { 0, 0, 0, 6 }, huge[] = { 0xff, 0xff, 0xff, 0xff }, one[] = { 0, 0, 0, 1 }, none[4];
	struct wt_frame frame;

	(void) state;
	wt_frame_init(&frame, 5);
	assert_int_equal(wt_frame_feed(&frame, six, 4), -1);
	assert_int_equal(errno, EMSGSIZE);
	wt_frame_clear(&frame);
	assert_int_equal(wt_frame_feed(&frame, huge, 4), -1);
	assert_int_equal(errno, EMSGSIZE);
	wt_frame_clear(&frame);
	assert_int_equal(wt_frame_feed(&frame, one, 4), -1);
	assert_int_equal(errno, EBADMSG);
	wt_frame_clear(&frame);
	assert_int_equal(wt_frame_feed(&frame, none, 4), -1);
	assert_int_equal(errno, EBADMSG);
	wt_frame_clear(&frame);
	wt_frame_clear(NULL);
}

static void test_memory_follows_the_bytes(void **state)
{
	static const uint8_t big[] = { 0, 0xff, 0, 0, 'x' };
	struct wt_frame frame;
	char block[10000] = { 0 };

	(void) state;
	wt_frame_init(&frame, 0);
	assert_int_equal(wt_frame_feed(&frame, big, sizeof(big)), 5);
	assert_true(frame.capacity <= 4096);
	assert_int_equal(wt_frame_feed(&frame, block, sizeof(block)), sizeof(block));
	assert_true(frame.capacity <= 4 * sizeof(block));
	wt_frame_clear(&frame);
}

static void test_long_frame(void **state)
{
	uint32_t length = 1000003;
	uint8_t prefix[4] = { 0, (uint8_t) (length >> 16), (uint8_t) (length >> 8), (uint8_t) length },
		*body = malloc(length);
	struct wt_frame frame;

	(void) state;
	assert_non_null(body);
	for (uint32_t i = 0; i < length; i++)
		body[i] = (uint8_t) (i * 7);
	wt_frame_init(&frame, length);
	assert_int_equal(wt_frame_feed(&frame, prefix, 4), 4);
	for (uint32_t at = 0, n; at < length; at += n) {
		n = length - at < 77777 ? length - at : 77777;
		assert_int_equal(wt_frame_feed(&frame, body + at, n), n);
	}
	assert_true(wt_frame_complete(&frame));
	assert_memory_equal(frame.body, body, length);
	assert_int_equal(frame.capacity, length);
	wt_frame_clear(&frame);
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_frame_leaves_the_rest),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_memory_follows_the_bytes),
		cmocka_unit_test(test_long_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
