/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "straggler/heap.h"

struct heap_seen {
	uint32_t count;
	uint32_t items[8];
};

static void see(uint32_t item, void *arg)
{
	struct heap_seen *seen = arg;

	assert_true(seen->count < 8);
	seen->items[seen->count++] = item;
}

static uint32_t count_from(const struct wt_heap *heap, double bound)
{
	struct heap_seen seen = { 0 };

	wt_heap_visit(heap, bound, see, &seen);
	return seen.count;
}

static void test_visit_finds_keys_from_the_bound_on(void **state)
{
	struct wt_heap heap;
	struct heap_seen seen = { 0 };

	(void) state;
	assert_int_equal(wt_heap_init(&heap, 8), 0);
	assert_int_equal(count_from(&heap, -INFINITY), 0);
	for (uint32_t i = 0; i < 8; i++)
		wt_heap_set(&heap, i, i % 4);
	assert_true(wt_heap_ok(&heap));
	assert_int_equal(count_from(&heap, -INFINITY), 8);
	assert_int_equal(count_from(&heap, 2), 4);
	assert_int_equal(count_from(&heap, 2.5), 2);
	assert_int_equal(count_from(&heap, INFINITY), 0);
	wt_heap_visit(&heap, 3, see, &seen);
	assert_int_equal(seen.items[0] + seen.items[1], 3 + 7);
	wt_heap_fini(&heap);
}

static void test_keys_change_and_items_leave(void **state)
{
	struct wt_heap heap;

	(void) state;
	assert_int_equal(wt_heap_init(&heap, 4), 0);
	for (uint32_t i = 0; i < 4; i++)
		wt_heap_set(&heap, i, i);
	wt_heap_set(&heap, 3, -1);
	wt_heap_set(&heap, 0, 9);
	assert_int_equal(heap.items[0], 0);
	wt_heap_remove(&heap, 0);
	wt_heap_remove(&heap, 0);
	assert_int_equal(heap.items[0], 2);
	assert_int_equal(heap.count, 3);
	assert_true(wt_heap_ok(&heap));
	for (uint32_t i = 0; i < 4; i++)
		wt_heap_remove(&heap, i);
	assert_int_equal(heap.count, 0);
	assert_true(wt_heap_ok(&heap));
	wt_heap_fini(&heap);
}

static void test_order_holds_through_many_changes(void **state)
{
	struct wt_heap heap;
	uint32_t random = 1;

	(void) state;
	assert_int_equal(wt_heap_init(&heap, 100), 0);
	for (int i = 0; i < 5000; i++) {
		random = random * 1664525 + 1013904223;
		if (random >> 30)
			wt_heap_set(&heap, (random >> 8) % 100, (random >> 16) % 50);
		else
			wt_heap_remove(&heap, (random >> 8) % 100);
		assert_true(wt_heap_ok(&heap));
	}
	wt_heap_fini(&heap);
}

static void test_check_sees_disorder(void **state)
{
	struct wt_heap heap;

	(void) state;
	assert_int_equal(wt_heap_init(&heap, 3), 0);
	for (uint32_t i = 0; i < 3; i++)
		wt_heap_set(&heap, i, i);
	heap.keys[heap.items[2]] = 7;
	assert_false(wt_heap_ok(&heap));
	heap.keys[heap.items[2]] = NAN;
	assert_false(wt_heap_ok(&heap));
	wt_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visit_finds_keys_from_the_bound_on),
		cmocka_unit_test(test_keys_change_and_items_leave),
		cmocka_unit_test(test_order_holds_through_many_changes),
		cmocka_unit_test(test_check_sees_disorder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
