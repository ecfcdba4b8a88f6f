/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>

#include "harness/vnode/model/hostnames.h"
#include "harness/vnode/model/steptree.h"

static void expect_place(uint32_t rank, uint32_t count, uint32_t parent, uint32_t children, uint32_t depth,
			 uint32_t max_depth)
{
	struct wt_steptree place;

	wt_steptree_place(rank, count, &place);
	assert_int_equal(place.parent, parent);
	assert_int_equal(place.children, children);
	assert_int_equal(place.depth, depth);
	assert_int_equal(place.max_depth, max_depth);
}

/* The figures were taken from Slurm's own reverse_tree_info (). */
static void test_places(void **state)
{
	(void) state;
	expect_place(0, 1, WT_STEPTREE_NO_PARENT, 0, 0, 0);
	expect_place(5, 6, WT_STEPTREE_NO_PARENT, 0, 0, 0);
	expect_place(0, 7, WT_STEPTREE_NO_PARENT, 6, 0, 1);
	expect_place(6, 7, 0, 0, 1, 1);
	expect_place(0, 57, WT_STEPTREE_NO_PARENT, 56, 0, 2);
	expect_place(1, 57, 0, 7, 1, 2);
	expect_place(8, 57, 1, 0, 2, 2);
	expect_place(9, 57, 0, 7, 1, 2);
	expect_place(1, 60, 0, 56, 1, 3);
	expect_place(57, 60, 50, 0, 3, 3);
	expect_place(58, 60, 0, 1, 1, 3);
	expect_place(59, 60, 58, 0, 2, 3);
}

/* Every rank but the root lies below exactly its parent, and nothing is left out. */
static void test_every_rank_has_its_place(void **state)
{
	static const uint32_t counts[] = { 7, 8, 9, 50, 57, 58, 399, 400, 401, 4096, 65536 };

	(void) state;
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (uint32_t rank = 1; rank < counts[c]; rank++) {
			struct wt_steptree place, parent;

			wt_steptree_place(rank, counts[c], &place);
			assert_true(place.parent < rank && rank + place.children < counts[c]);
			wt_steptree_place(place.parent, counts[c], &parent);
			assert_int_equal(parent.depth + 1, place.depth);
			assert_true(rank + place.children <= place.parent + parent.children);
		}
	}
}

static void expect_names(const char *text, const char *const *expected, int end)
{
	struct wt_hostnames names = { .text = text };

	for (; *expected; expected++) {
		assert_int_equal(wt_hostnames_next(&names), 1);
		assert_string_equal(names.name, *expected);
	}
	errno = 0;
	assert_int_equal(wt_hostnames_next(&names), end);
	if (end)
		assert_int_equal(errno, EINVAL);
}

#define NAMES(...) ((const char *const[]) { __VA_ARGS__, NULL })

static void test_names(void **state)
{
	static const char *const none[] = { NULL };

	(void) state;
	expect_names(NULL, none, 0);
	expect_names("", none, 0);
	expect_names("n1", NAMES("n1"), 0);
	expect_names("n[0-2,7],m,x[08-10]", NAMES("n0", "n1", "n2", "n7", "m", "x08", "x09", "x10"), 0);
	expect_names("n[3]", NAMES("n3"), 0);
}

static void test_bad_names(void **state)
{
	static const char *const bad[] = {
		"[", ",a", "n[", "n[]", "n[a]", "n[2-1]", "n[1-]", "n[1234567890]", "n[1 2]", "n]", "a b", "n[-3]", "n[1]x",
	};
	static const char *const none[] = { NULL };
	char huge[400];

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_names(bad[i], none, -1);
	memset(huge, 'a', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	expect_names(huge, none, -1);
	memcpy(huge + 254, "[10]", 5);	/* one digit too long */
	expect_names(huge, none, -1);
}

/* A short text may name very many: they come one by one. */
static void test_many_names(void **state)
{
	struct wt_hostnames names = { .text = "n[0-999999999]" };

	(void) state;
	for (int i = 0; i < 100000; i++)
		assert_int_equal(wt_hostnames_next(&names), 1);
	assert_string_equal(names.name, "n99999");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places), cmocka_unit_test(test_every_rank_has_its_place),
		cmocka_unit_test(test_names), cmocka_unit_test(test_bad_names), cmocka_unit_test(test_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
