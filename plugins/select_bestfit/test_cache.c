/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plugins/select_bestfit/cache.h"

static void add_text(struct cache *c, const char *question, const char *answer)
{
	assert_int_equal(cache_add(c, question, strlen(question), answer, strlen(answer)), 0);
}

static void assert_answer(struct cache *c, const char *question, const char *answer)
{
	size_t size = 99;
	const char *found = cache_find(c, question, strlen(question), &size);

	if (!answer) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(size, strlen(answer));
	assert_memory_equal(found, answer, size);
}

static void test_the_same_question_gets_its_own_answer(void **state)
{
	struct cache *c = cache_create(4, 1000);

	(void) state;
	assert_answer(c, "a", NULL);
	add_text(c, "a", "one");
	add_text(c, "ab", "two");
	add_text(c, "", "nothing asked");
	assert_answer(c, "a", "one");
	assert_answer(c, "ab", "two");
	assert_answer(c, "", "nothing asked");
	assert_answer(c, "abc", NULL);
	add_text(c, "a", "other");
	assert_answer(c, "a", "other");
	assert_int_equal(cache_entries(c), 3);
	cache_clear(c);
	assert_answer(c, "a", NULL);
	assert_int_equal(cache_bytes(c), 0);
	cache_destroy(c);
}

static void test_the_least_lately_used_goes_first(void **state)
{
	struct cache *c = cache_create(2, 1000);

	(void) state;
	add_text(c, "a", "1");
	add_text(c, "b", "2");
	assert_answer(c, "a", "1");
	add_text(c, "c", "3");
	assert_answer(c, "a", "1");
	assert_answer(c, "b", NULL);
	assert_answer(c, "c", "3");
	cache_destroy(c);
}

static void test_bytes_are_bounded(void **state)
{
	struct cache *c = cache_create(100, 10);

	(void) state;
	add_text(c, "1234", "5678");
	assert_int_equal(cache_bytes(c), 8);
	add_text(c, "abc", "def");
	assert_int_equal(cache_bytes(c), 6);
	assert_answer(c, "1234", NULL);
	assert_int_equal(cache_add(c, "12345", 5, "678901", 6), -1);
	assert_int_equal(errno, EFBIG);
	assert_answer(c, "abc", "def");
	add_text(c, "12345", "67890");
	assert_int_equal(cache_entries(c), 1);
	cache_destroy(c);
}

static void test_a_large_answer_replaces_and_forgets_the_old_one(void **state)
{
	struct cache *c = cache_create(4, 8);

	(void) state;
	add_text(c, "q", "old");
	assert_int_equal(cache_add(c, "q", 1, "larger than all", 15), -1);
	assert_answer(c, "q", NULL);
	cache_destroy(c);
}

/* Against a plain array of what was added last. */
static void test_random_use_never_gives_a_wrong_answer(void **state)
{
	struct cache *c = cache_create(16, 4096);
	uint32_t last[64] = { 0 };
	unsigned int found = 0;

	(void) state;
	srand(1);
	for (uint32_t step = 1; step < 20000; step++) {
		uint32_t key = (uint32_t) (rand() % 64);
		size_t size;
		const void *answer = cache_find(c, &key, sizeof(key), &size);

		if (answer) {
			assert_int_equal(size, sizeof(last[key]));
			assert_memory_equal(answer, &last[key], size);
			found++;
		}
		if (rand() % 2) {
			last[key] = step;
			assert_int_equal(cache_add(c, &key, sizeof(key), &step, sizeof(step)), 0);
		}
		if (rand() % 5000 == 0)
			cache_clear(c);
		assert_in_range(cache_entries(c), 0, 16);
	}
	assert_in_range(found, 1000, 20000);
	cache_destroy(c);
}

static void test_limits_of_nothing_are_refused(void **state)
{
	(void) state;
	assert_null(cache_create(0, 1));
	assert_int_equal(errno, EINVAL);
	assert_null(cache_create(1, 0));
	cache_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_question_gets_its_own_answer),
		cmocka_unit_test(test_the_least_lately_used_goes_first),
		cmocka_unit_test(test_bytes_are_bounded),
		cmocka_unit_test(test_a_large_answer_replaces_and_forgets_the_old_one),
		cmocka_unit_test(test_random_use_never_gives_a_wrong_answer),
		cmocka_unit_test(test_limits_of_nothing_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
