/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plugins/select_bestfit/alike_table.h"

static int table_new(void **state)
{
	*state = calloc(1, sizeof(struct alike_table));
	return *state ? 0 : -1;
}

static int table_free(void **state)
{
	free(*state);
	return 0;
}

static struct alike_key key_of(uint64_t cores, uint64_t memory_mib)
{
	struct alike_key key;

	memset(&key, 0, sizeof(key));
	key.free_cores[0] = cores;
	key.memory_mib = memory_mib;
	key.sockets = 2;
	return key;
}

static void keep(struct alike_table *t, uint64_t cores, uint64_t memory_mib, uint16_t cpus)
{
	struct alike_key key = key_of(cores, memory_mib);
	struct alike_answer answer = { .fits = true, .avail_cpus = cpus };

	alike_table_add(t, &key, &answer);
}

/* -1: none */
static int cpus_of(const struct alike_table *t, uint64_t cores, uint64_t memory_mib)
{
	struct alike_key key = key_of(cores, memory_mib);
	const struct alike_answer *answer = alike_table_find(t, &key);

	return answer ? answer->avail_cpus : -1;
}

static void test_nodes_that_are_alike_have_one_answer(void **state)
{
	struct alike_table *t = *state;

	assert_int_equal(cpus_of(t, 0xff, 1000), -1);
	keep(t, 0xff, 1000, 8);
	keep(t, 0x0f, 1000, 4);
	assert_int_equal(cpus_of(t, 0xff, 1000), 8);
	assert_int_equal(cpus_of(t, 0x0f, 1000), 4);
}

static void test_each_field_of_a_key_counts(void **state)
{
	struct alike_table *t = *state;
	struct alike_key key = key_of(0xff, 1000);
	unsigned char *bytes = (unsigned char *) &key;

	keep(t, 0xff, 1000, 8);
	for (size_t i = 0; i < sizeof(key); i++) {
		bytes[i] ^= 0x80;
		assert_null(alike_table_find(t, &key));
		bytes[i] ^= 0x80;
	}
	assert_non_null(alike_table_find(t, &key));
}

static void test_the_first_answer_stays(void **state)
{
	struct alike_table *t = *state;

	keep(t, 0xff, 1000, 8);
	keep(t, 0xff, 1000, 9);
	assert_int_equal(cpus_of(t, 0xff, 1000), 8);
	assert_int_equal(t->count, 1);
}

static void test_cleared_all_are_forgotten(void **state)
{
	struct alike_table *t = *state;

	keep(t, 0xff, 1000, 8);
	alike_table_clear(t);
	assert_int_equal(cpus_of(t, 0xff, 1000), -1);
	keep(t, 0x0f, 1000, 4);
	assert_int_equal(cpus_of(t, 0xff, 1000), -1);
	assert_int_equal(cpus_of(t, 0x0f, 1000), 4);
}

/* The generation comes round to that of slots which have stood there since. */
static void test_after_very_many_questions_nothing_old_is_found(void **state)
{
	struct alike_table *t = *state;

	keep(t, 0xff, 1000, 8);
	assert_int_equal(t->generation, 1);
	t->generation = UINT32_MAX;
	alike_table_clear(t);
	keep(t, 0x0f, 1000, 4);
	assert_int_equal(cpus_of(t, 0xff, 1000), -1);
	assert_int_equal(cpus_of(t, 0x0f, 1000), 4);
}

static void test_what_has_no_room_is_left_out(void **state)
{
	struct alike_table *t = *state;

	for (uint16_t i = 0; i < ALIKE_FULL + 100; i++)
		keep(t, (uint64_t) i << 20, i, i);
	assert_int_equal(t->count, ALIKE_FULL);
	for (uint16_t i = 0; i < ALIKE_FULL + 100; i++)
		assert_int_equal(cpus_of(t, (uint64_t) i << 20, i), i < ALIKE_FULL ? i : -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nodes_that_are_alike_have_one_answer, table_new, table_free),
		cmocka_unit_test_setup_teardown(test_each_field_of_a_key_counts, table_new, table_free),
		cmocka_unit_test_setup_teardown(test_the_first_answer_stays, table_new, table_free),
		cmocka_unit_test_setup_teardown(test_cleared_all_are_forgotten, table_new, table_free),
		cmocka_unit_test_setup_teardown(test_after_very_many_questions_nothing_old_is_found, table_new, table_free),
		cmocka_unit_test_setup_teardown(test_what_has_no_room_is_left_out, table_new, table_free),
	};

	return cmocka_run_group_tests_name("alike_table", tests, NULL, NULL);
}
