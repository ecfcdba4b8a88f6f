/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/vnode/wire/header.h"

enum { OLD = 36 << 8, NEW = 38 << 8, NEWEST = 45 << 8 };

struct header_bytes {
	uint8_t bytes[512];
	size_t len;
};

static void put(struct header_bytes *b, const void *bytes, size_t n)
{
	memcpy(b->bytes + b->len, bytes, n);
	b->len += n;
}

static void put16(struct header_bytes *b, uint16_t v)
{
	put(b, (uint8_t[]) { (uint8_t) (v >> 8), (uint8_t) v }, 2);
}

static void put32(struct header_bytes *b, uint32_t v)
{
	put16(b, (uint16_t) (v >> 16));
	put16(b, (uint16_t) v);
}

static void put_string(struct header_bytes *b, const char *text)
{
	put32(b, (uint32_t) strlen(text) + 1);
	put(b, text, strlen(text) + 1);
}

struct shape {
	uint16_t version, forward, answers, family;
	const char *nodes;
	uint32_t plugin, body_length, body;
	uint16_t flags;
	const char *addresses;	/* net_cred, with WT_HEADER_ADDRESSES; "": none */
};

static const struct shape plain = { .version = NEW, .plugin = 101, .body_length = 3, .body = 3 };

static void build(struct header_bytes *b, const struct shape *s)
{
	memset(b, 0, sizeof(*b));
	put16(b, s->version);
	put16(b, s->flags ? s->flags : 0x0102);
	if (s->version < NEW)
		put16(b, 0);
	put16(b, 1008);
	put32(b, s->body_length);
	put16(b, s->forward);
	if (s->forward) {
		put_string(b, s->nodes);
		put32(b, 0x01020304);
		put16(b, 50);
		if (s->addresses && *s->addresses)
			put_string(b, s->addresses);
		else if (s->addresses)
			put32(b, 0);
		if (s->version >= WT_HEADER_VERSION_24_11)
			put16(b, 2);
	}
	put16(b, s->answers);
	put16(b, s->family);
	if (s->family == 2)
		put(b, "\x7f\0\0\1\x12\x34", 6);
	if (s->family == 10) {
		put32(b, 16);
		put(b, "0123456789abcdefPP", 18);
	}
	if (s->plugin) {
		put32(b, s->plugin);
		put_string(b, "MUNGE:xyz:");
	}
	put(b, "BODYBODY", s->body);
}

static int decode(const struct shape *s, struct wt_header *header)
{
	struct header_bytes b;

	build(&b, s);
	return wt_header_decode(header, b.bytes, b.len, OLD, NEW);
}

static void test_plain(void **state)
{
	struct wt_header header;
	struct header_bytes b;

	(void) state;
	build(&b, &plain);
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEW), 0);
	assert_int_equal(header.msg_type, 1008);
	assert_int_equal(header.flags, 0x0102);
	assert_int_equal(header.forward_count, 0);
	assert_null(header.forward_nodes);
	assert_int_equal(header.body_offset, b.len - 3);
	assert_memory_equal(b.bytes + header.auth_offset, "\0\0\0\x65", 4);
}

static void test_forward_and_addresses(void **state)
{
	struct shape s = plain;
	struct wt_header header;
	struct header_bytes b;

	(void) state;
	s.forward = 3;
	s.nodes = "n[1-3]";
	for (uint16_t family = 0; family <= 10; family += family ? 8 : 2) {
		s.family = family;
		build(&b, &s);
		assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEW), 0);
		assert_int_equal(header.forward_count, 3);
		assert_int_equal(header.forward_timeout_ms, 0x01020304);
		assert_string_equal(header.forward_nodes, "n[1-3]");
	}
}

static void test_old_layout(void **state)
{
	struct shape s = plain;
	struct wt_header header;

	(void) state;
	s.version = OLD;
	assert_int_equal(decode(&s, &header), 0);
	assert_int_equal(header.msg_type, 1008);
}

/* From 23.11 on: addresses behind the list of nodes, no credential in answers; from 24.11 on the depth of the tree. */
static void test_newer_layouts(void **state)
{
	static const struct shape shapes[] = {
		{ .version = WT_HEADER_VERSION_23_11, .plugin = 101, .forward = 2, .nodes = "n[1-2]" },
		{ .version = WT_HEADER_VERSION_23_11, .plugin = 101, .forward = 2, .nodes = "n[1-2]",
		  .flags = WT_HEADER_ADDRESSES, .addresses = "secret" },
		{ .version = WT_HEADER_VERSION_24_11, .plugin = 101, .forward = 2, .nodes = "n[1-2]",
		  .flags = WT_HEADER_ADDRESSES, .addresses = "" },
		{ .version = NEWEST, .plugin = 101, .forward = 2, .nodes = "n[1-2]" },
		{ .version = NEWEST, .flags = WT_HEADER_BARE, .forward = 2, .nodes = "n[1-2]" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct shape s = shapes[i];
		struct wt_header header;
		struct header_bytes b;

		s.body_length = s.body = 3;
		build(&b, &s);
		assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEWEST), 0);
		assert_string_equal(header.forward_nodes, "n[1-2]");
		assert_int_equal(header.body_offset, b.len - 3);
		assert_int_equal(header.bare, !s.plugin);
		assert_int_equal(header.bare, header.auth_offset == header.body_offset);
	}
}

/* The flag meant nothing before 23.11: a credential has to be there. */
static void test_old_messages_are_never_bare(void **state)
{
	struct shape s = plain;
	struct wt_header header;
	struct header_bytes b;

	(void) state;
	s.flags = WT_HEADER_BARE;
	s.plugin = 0;
	build(&b, &s);
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEWEST), -1);
	s.plugin = 101;
	build(&b, &s);
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEWEST), 0);
	assert_false(header.bare);
}

static void test_refused(void **state)
{
	static const struct { struct shape shape; int error; } cases[] = {
		{ { .version = NEW + 1, .plugin = 101 }, EPROTONOSUPPORT },
		{ { .version = OLD - 1, .plugin = 101 }, EPROTONOSUPPORT },
		{ { .version = NEW, .plugin = 101, .answers = 1 }, ENOTSUP },
		{ { .version = NEW, .plugin = 102 }, ENOTSUP },
		{ { .version = NEW, .plugin = 101, .body_length = 4, .body = 3 }, EBADMSG },
		{ { .version = NEW, .plugin = 101, .body_length = 2, .body = 3 }, EBADMSG },
		{ { .version = NEW, .plugin = 101, .body_length = 3 + (1U << 24), .body = 3 }, EBADMSG },
		{ { .version = NEW, .plugin = 101 + (1U << 24), .body_length = 3, .body = 3 }, ENOTSUP },
		{ { .version = NEW, .plugin = 101, .body_length = UINT32_MAX, .body = 3 }, EBADMSG },
	};
	struct wt_header header;

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(decode(&cases[i].shape, &header), -1);
		assert_int_equal(errno, cases[i].error);
	}
}

static void test_every_truncation_is_refused(void **state)
{
	struct shape s = plain;
	struct wt_header header;
	struct header_bytes b;

	(void) state;
	s.forward = 3;
	s.nodes = "n[1-3]";
	s.family = 2;
	build(&b, &s);
	for (size_t len = 0; len < b.len; len++) {
		uint8_t *copy = malloc(len + 1);	/* exact, so that a sanitizer sees a read behind it */

		assert_non_null(copy);
		copy = realloc(copy, len ? len : 1);
		memcpy(copy, b.bytes, len);
		assert_int_equal(wt_header_decode(&header, copy, len, OLD, NEW), -1);
		free(copy);
	}
}

static void test_strings_must_end(void **state)
{
	struct shape s = plain;
	struct wt_header header;
	struct header_bytes b;

	(void) state;
	build(&b, &s);
	b.bytes[b.len - 4] = 'x';	/* the credential's terminator */
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEW), -1);
	assert_int_equal(errno, EBADMSG);
	build(&b, &s);
	b.bytes[b.len - 6] = '\0';	/* one in the middle */
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEW), -1);
	assert_int_equal(errno, EBADMSG);
}

/* What goes on to another node has the same credential and contents, and says where it came from. */
static void test_forwarded(void **state)
{
	static const uint16_t versions[] = { OLD, NEW, WT_HEADER_VERSION_23_11, WT_HEADER_VERSION_24_11, NEWEST };

	(void) state;
	for (size_t i = 0; i < 2 * sizeof(versions) / sizeof(versions[0]); i++) {
		struct shape s = { .version = versions[i / 2], .plugin = 101, .body_length = 3, .body = 3, .forward = 5,
				   .nodes = "n[1-5]" };
		const char *nodes = i % 2 ? "n3,x[4-5]" : "";
		struct wt_header before, after;
		struct header_bytes b;
		uint8_t *frame;
		size_t size;

		if (s.version >= WT_HEADER_VERSION_23_11) {
			s.flags = WT_HEADER_ADDRESSES | 0x100;
			s.addresses = "addresses";
		}
		build(&b, &s);
		assert_int_equal(wt_header_decode(&before, b.bytes, b.len, OLD, NEWEST), 0);
		frame = wt_header_forward(&before, b.bytes, b.len, nodes, i % 2 ? 3 : 0, 0x0100007f, &size);
		assert_non_null(frame);
		assert_int_equal(frame[0] << 24 | frame[1] << 16 | frame[2] << 8 | frame[3], size - 4);
		assert_int_equal(wt_header_decode(&after, frame + 4, size - 4, OLD, NEWEST), 0);
		assert_int_equal(after.version, s.version);
		assert_int_equal(after.flags, before.flags & ~WT_HEADER_ADDRESSES);
		assert_int_equal(after.msg_type, 1008);
		assert_int_equal(after.forward_count, i % 2 ? 3 : 0);
		if (i % 2) {
			assert_string_equal(after.forward_nodes, nodes);
			assert_int_equal(after.forward_timeout_ms, 0x01020304);
			assert_int_equal(after.forward_tree_width, 50);
			assert_int_equal(after.forward_tree_depth, before.forward_tree_depth);
		}
		assert_true(after.has_origin);
		assert_int_equal(after.origin, 0x0100007f);
		assert_int_equal(size - 4 - after.auth_offset, b.len - before.auth_offset);
		assert_memory_equal(frame + 4 + after.auth_offset, b.bytes + before.auth_offset, b.len - before.auth_offset);
		free(frame);
	}
}

static void test_origin(void **state)
{
	struct shape s = plain;
	struct wt_header header;

	(void) state;
	assert_int_equal(decode(&s, &header), 0);
	assert_false(header.has_origin);
	s.family = 2;
	assert_int_equal(decode(&s, &header), 0);
	assert_true(header.has_origin);
	assert_int_equal(header.origin, 0x7f000001);	/* as pack32 () has it */
	s.family = 10;
	assert_int_equal(decode(&s, &header), 0);
	assert_false(header.has_origin);
}

/* A header with bytes in it that nobody may read yet: 'answers' of them behind their number. */
static void answer_build(struct header_bytes *b, uint16_t version, uint16_t flags, const void *answers, size_t len)
{
	memset(b, 0, sizeof(*b));
	put16(b, version);
	put16(b, flags);
	put16(b, 8001);
	put32(b, 4);
	put16(b, 0);
	put16(b, 2);
	put(b, answers, len);
	put16(b, 0);
	if (!(flags & WT_HEADER_BARE)) {
		put32(b, 101);
		put_string(b, "MUNGE:xyz:");
	}
	put(b, "BODY", 4);
}

static void test_answers_are_not_looked_at(void **state)
{
	static const char inside[] = "\0\0\0\1" "\37\101" "\0\0\0\3n1\0" "\0\0\0\145" "\0\0\0\7MUNGE:\0" "tail";
	struct wt_header header, plain_header;
	struct header_bytes b;

	(void) state;
	answer_build(&b, NEW, 0, inside, sizeof(inside));
	assert_int_equal(wt_header_decode(&header, b.bytes, b.len, OLD, NEW), -1);
	assert_int_equal(wt_header_decode_answers(&header, b.bytes, b.len, OLD, NEW), 0);
	assert_int_equal(header.body_offset, b.len - 4);
	assert_int_equal(header.auth_offset, b.len - 4 - 4 - 4 - 11);
	b.bytes[b.len - 4 - 11 - 4 - 1] = 102;
	assert_int_equal(wt_header_decode_answers(&header, b.bytes, b.len, OLD, NEW), -1);
	assert_int_equal(errno, EBADMSG);
	answer_build(&b, NEW, 0, "answers", 7);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(wt_header_decode_answers(&header, b.bytes, len, OLD, NEW), -1);
	answer_build(&b, NEWEST, WT_HEADER_BARE, inside, sizeof(inside));
	assert_int_equal(wt_header_decode_answers(&header, b.bytes, b.len, OLD, NEWEST), 0);
	assert_true(header.bare);
	build(&b, &plain);
	assert_int_equal(wt_header_decode(&plain_header, b.bytes, b.len, OLD, NEW), 0);
	assert_int_equal(wt_header_decode_answers(&header, b.bytes, b.len, OLD, NEW), 0);
	assert_int_equal(header.auth_offset, plain_header.auth_offset);
	assert_int_equal(header.body_offset, plain_header.body_offset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_forward_and_addresses),
		cmocka_unit_test(test_old_layout),
		cmocka_unit_test(test_newer_layouts),
		cmocka_unit_test(test_old_messages_are_never_bare),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_every_truncation_is_refused),
		cmocka_unit_test(test_strings_must_end),
		cmocka_unit_test(test_forwarded),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_answers_are_not_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
