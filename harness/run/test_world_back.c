/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stays to be undone of events: pure. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "harness/run/world_back.h"

static void nodes_event(struct world_back *b, enum wt_world_kind kind, const char *nodes, bool asked, bool done)
{
	const struct wt_world_event event = { .kind = kind };
	struct wt_error err;

	assert_int_equal(world_back_event(b, &event, nodes, asked, done, &err), 0);
}

static void name_event(struct world_back *b, enum wt_world_kind kind, char *name, bool done)
{
	const struct wt_world_event event = { .kind = kind, .text[WT_WORLD_NAME] = name };
	struct wt_error err;

	/* A reservation's own nodes are of no weight. */
	assert_int_equal(world_back_event(b, &event, "a,b", true, done, &err), 0);
}

static void expect(const json_t *names, const char *wanted)
{
	char *list = world_back_list(names);

	assert_non_null(list);
	assert_string_equal(list, wanted);
	free(list);
}

static void test_nodes(void **state)
{
	struct world_back b = { 0 };
	struct wt_error err;
	json_t *before = json_pack("{s:b, s:b}", "c", 1, "z", 1);

	(void) state;
	assert_int_equal(world_back_init(&b, &err), 0);
	expect(b.nodes, "");
	nodes_event(&b, WT_WORLD_DOWN, "a,b", true, true);
	nodes_event(&b, WT_WORLD_DRAIN, "c,d", true, true);
	nodes_event(&b, WT_WORLD_RESUME, "a", true, true);
	expect(b.nodes, "b,c,d");
	expect(b.machines, "b");
	nodes_event(&b, WT_WORLD_DOWN, "e", true, false);	/* slurmctld refused, the machine is off */
	nodes_event(&b, WT_WORLD_DOWN, "f", false, false);	/* never reached */
	nodes_event(&b, WT_WORLD_DRAIN, "g", true, false);
	nodes_event(&b, WT_WORLD_RESUME, "b", true, false);	/* repaired, and still not in service */
	expect(b.nodes, "b,c,d");
	expect(b.machines, "e");
	world_back_except(&b, before);
	world_back_except(&b, NULL);
	expect(b.nodes, "b,d");
	json_decref(before);
	world_back_clear(&b);
	world_back_clear(&b);
}

static void test_reservations(void **state)
{
	static char first[] = "m", second[] = "later", third[] = "refused";
	struct world_back b = { 0 };
	struct wt_error err;

	(void) state;
	assert_int_equal(world_back_init(&b, &err), 0);
	name_event(&b, WT_WORLD_RESERVE, first, true);
	name_event(&b, WT_WORLD_RESERVE, second, true);
	name_event(&b, WT_WORLD_RESERVE, third, false);
	name_event(&b, WT_WORLD_UNRESERVE, first, true);
	name_event(&b, WT_WORLD_UNRESERVE, second, false);
	expect(b.reservations, "later");
	expect(b.nodes, "");
	expect(b.machines, "");
	name_event(&b, WT_WORLD_RESERVE, first, true);
	expect(b.reservations, "later,m");
	world_back_clear(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nodes), cmocka_unit_test(test_reservations) };

	return cmocka_run_group_tests_name("world_back", tests, NULL, NULL);
}
