/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/provision/program_words.h"

static char n3[] = "n3", n5[] = "n5";
static char *const names[] = { NULL, NULL, NULL, n3, NULL, n5 };
static const struct provision_vm two[] = { { 3, 1100, 1600 }, { 5, 1020.25, 4020 } };
static const struct provision_view view = { .now_s = 1000.5, .boot_s = 60, .vms = two, .vm_count = 2, .can_rent = true };
static char why[PROGRAM_WHY_SIZE];

static struct provision_choice good(const char *line)
{
	struct provision_choice choice;
	struct wt_error error;

	if (program_answer(line, strlen(line), &view, names, &choice, why, &error) < 0)
		fail_msg("%s: %s", line, error.text);
	return choice;
}

static void bad(const char *line, size_t len, const struct provision_view *v, const char *words)
{
	struct provision_choice choice;
	struct wt_error error = { "" };

	errno = 0;
	if (program_answer(line, len, v, names, &choice, why, &error) == 0)
		fail_msg("taken: %s", line);
	assert_int_equal(errno, EPROTO);
	if (!strstr(error.text, words))
		fail_msg("%s: %s", line, error.text);
}

static void test_a_question_is_one_line_with_all_that_is_known(void **state)
{
	char *line = program_question(&view, names, "bag.1 \"a\"", 12.5);
	json_t *json, *nodes;

	(void) state;
	assert_non_null(line);
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	json = json_loads(line, 0, NULL);
	assert_true(json_number_value(json_object_get(json, "now_s")) == 1000.5);
	assert_true(json_number_value(json_object_get(json, "boot_s")) == 60);
	assert_true(json_is_true(json_object_get(json, "can_rent")));
	assert_string_equal(json_string_value(json_object_get(json_object_get(json, "task"), "name")), "bag.1 \"a\"");
	nodes = json_object_get(json, "nodes");
	assert_int_equal(json_array_size(nodes), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(nodes, 1), "node")), "n5");
	assert_true(json_number_value(json_object_get(json_array_get(nodes, 1), "free_s")) == 1020.25);
	json_decref(json);
	free(line);
}

static void test_answers(void **state)
{
	(void) state;
	assert_int_equal(good("{\"use\": \"n5\"}").vm, 1);
	assert_int_equal(good("{\"use\": \"n3\", \"why\": \"so\"}").verdict, PROVISION_USE);
	assert_string_equal(why, "so");
	assert_int_equal(good("{\"rent\": true}").verdict, PROVISION_RENT);
	assert_string_equal(why, "program");
	assert_int_equal(good("{\"wait\": true, \"rent\": false, \"more\": [1]}").verdict, PROVISION_WAIT);
}

static void test_rubbish(void **state)
{
	struct provision_view full = view;
	char nul[] = "{\"wait\": true}\0";

	(void) state;
	bad("", 0, &view, "no JSON object");
	bad("rent", 4, &view, "no JSON object");
	bad("[]", 2, &view, "no JSON object");
	bad(nul, sizeof(nul) - 1, &view, "no JSON object");
	bad("{}", 2, &view, "not one of");
	bad("{\"rent\": 1}", 11, &view, "not one of");
	bad("{\"rent\": true, \"wait\": true}", 28, &view, "not one of");
	bad("{\"rent\": true, \"rent\": true}", 28, &view, "no JSON object");
	bad("{\"use\": \"n4\"}", 13, &view, "not among");
	bad("{\"use\": 3}", 10, &view, "not among");
	bad("{\"wait\": true, \"why\": 3}", 24, &view, "no text");
	bad("{\"wait\": true, \"why\": \"a\\nb\"}", 30 - 1, &view, "printable");
	full.can_rent = false;
	bad("{\"rent\": true}", 14, &full, "can_rent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_question_is_one_line_with_all_that_is_known),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_rubbish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
