/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>

#include "harness/vnode/wire/in_order.h"

struct frame {
	uint8_t bytes[128];
	size_t len;
	struct wt_turn turn;
};

static void put(struct frame *f, const void *bytes, size_t n)
{
	memcpy(f->bytes + f->len, bytes, n);
	f->len += n;
}

static void put_number(struct frame *f, uint32_t v, size_t n)
{
	const uint8_t bytes[] = { (uint8_t) (v >> 24), (uint8_t) (v >> 16), (uint8_t) (v >> 8), (uint8_t) v };

	put(f, bytes + 4 - n, n);
}

/* A message of Slurm 22.05 as header.h reads it, with a credential of its own. */
static void make(struct frame *f, uint16_t type, const char *credential, uint32_t job_id, const char *address)
{
	memset(f, 0, sizeof(*f));
	put_number(f, 38 << 8, 2);
	put_number(f, 0, 2);		/* flags */
	put_number(f, type, 2);
	put_number(f, 4, 4);		/* length of the body */
	put_number(f, 0, 2);		/* forwards to */
	put_number(f, 0, 2);		/* answers inside */
	put_number(f, 0, 2);		/* address family */
	put_number(f, 101, 4);		/* munge */
	put_number(f, (uint32_t) strlen(credential) + 1, 4);
	put(f, credential, strlen(credential) + 1);
	put_number(f, job_id, 4);
	wt_turn_read(&f->turn, f->bytes, f->len, inet_addr(address));
}

static void assert_order(const struct frame *first, const struct frame *second)
{
	assert_true(wt_turn_before(&first->turn, &second->turn));
	assert_false(wt_turn_before(&second->turn, &first->turn));
}

static void test_type_then_job_then_node(void **state)
{
	struct frame launch, launch_next, end, end_other_node;

	(void) state;
	make(&launch, 4005, "MUNGE:zzz:", 7, "127.0.0.9");
	make(&launch_next, 4005, "MUNGE:aaa:", 8, "127.0.0.1");
	make(&end, 6011, "MUNGE:mmm:", 7, "127.0.0.200");
	make(&end_other_node, 6011, "MUNGE:aaaaaaaaaa:", 7, "127.0.1.1");
	assert_int_equal(launch.turn.kind, 4005);
	assert_int_equal(launch.turn.body_len, 4);
	assert_order(&launch, &launch_next);
	assert_order(&launch_next, &end);
	assert_order(&end, &end_other_node);
}

static void test_equals_have_no_order(void **state)
{
	struct frame a, b;

	(void) state;
	make(&a, 1008, "MUNGE:a:", 1, "127.0.0.1");
	make(&b, 1008, "MUNGE:b:", 1, "127.0.0.1");
	assert_false(wt_turn_before(&a.turn, &b.turn));
	assert_false(wt_turn_before(&b.turn, &a.turn));
}

static void test_what_is_no_message_comes_last(void **state)
{
	const uint8_t nonsense[] = { 0, 1, 2 };
	struct wt_turn strange, nothing;
	struct frame good;

	(void) state;
	make(&good, 6011, "MUNGE:a:", 1, "127.0.0.1");
	wt_turn_read(&strange, nonsense, sizeof(nonsense), inet_addr("127.0.0.1"));
	wt_turn_read(&nothing, nonsense, 0, inet_addr("127.0.0.1"));
	assert_true(wt_turn_before(&good.turn, &strange));
	assert_false(wt_turn_before(&strange, &good.turn));
	assert_true(wt_turn_before(&nothing, &strange));	/* the shorter one */
	assert_false(wt_turn_before(&strange, &nothing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_type_then_job_then_node),
		cmocka_unit_test(test_equals_have_no_order),
		cmocka_unit_test(test_what_is_no_message_comes_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
