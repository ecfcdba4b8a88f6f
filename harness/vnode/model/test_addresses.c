/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/addresses.h"

static in_addr_t *own_make(uint32_t count, uint32_t first)
{
	in_addr_t *own = calloc(count + 1, sizeof(*own));

	assert_non_null(own);
	for (uint32_t i = 0; i < count; i++)
		own[i] = htonl(0x7f0c0000u + first + i);
	return own;
}

/* No address is two nodes' at any time, whatever their boots are, and the next boot always has another one. */
static void distinct(uint32_t count, uint32_t first)
{
	in_addr_t *own = own_make(count, first);
	struct wt_addresses a;
	struct wt_error err;
	uint32_t *owner = calloc(65536, sizeof(*owner));

	assert_int_equal(wt_addresses_init(&a, own, count, &err), 0);
	free(own);	/* a copy is kept */
	for (uint32_t node = 0; node < count; node++)
		for (uint32_t boot = 0; boot < 70; boot++) {
			uint32_t address = ntohl(wt_addresses_of(&a, node, boot));

			assert_int_equal(address >> 16, 0x7f0c);
			assert_true(!owner[address & 65535] || owner[address & 65535] == node + 1);
			owner[address & 65535] = node + 1;
			assert_int_not_equal(address, ntohl(wt_addresses_of(&a, node, boot + 1)));
			assert_true(boot || address == 0x7f0c0000u + first + node);
		}
	free(owner);
	wt_addresses_clear(&a);
}

static void test_addresses_are_nobody_elses(void **state)
{
	(void) state;
	distinct(1, 0);
	distinct(8, 0);
	distinct(1000, 0);
	distinct(1000, 64000);	/* around the end */
	distinct(32768, 0);
	distinct(21846, 3);
}

static void test_addresses_that_cannot_be(void **state)
{
	in_addr_t *own = own_make(32769, 0), two[] = { htonl(0x7f0c0001u), htonl(0x7f0d0001u) };
	struct wt_addresses a;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_addresses_init(&a, own, 32769, &err), -1);
	assert_non_null(strstr(err.text, "32768 are the most"));
	assert_int_equal(wt_addresses_init(&a, two, 2, &err), -1);
	assert_non_null(strstr(err.text, "same two numbers"));
	assert_int_equal(wt_addresses_init(&a, own, 0, &err), 0);
	wt_addresses_clear(&a);
	wt_addresses_clear(&a);
	free(own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_are_nobody_elses),
		cmocka_unit_test(test_addresses_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
