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

#include "topology/hostlist_private.h"
#include "topology/tree_private.h"

static struct wt_tree *parse(const char *text, struct wt_error *errp)
{
	return wt_tree_parse(text, strlen(text), errp);
}

static struct wt_tree *good(const char *text)
{
	struct wt_error err;
	struct wt_tree *t = parse(text, &err);

	if (!t)
		fail_msg("%s: %s", text, err.text);
	if (wt_tree_check(t, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	return t;
}

/* Each is the same tree of two leaves. */
static const char *const forms[] = {
	"SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n2\nSwitchName=r Switches=a,b\n",
	"SwitchName=r Switches=a,b\nSwitchName=b Nodes=n2\nSwitchName=a Nodes=n[0-1]",
	"switchname=a nodes=n0,n1\nSWITCHNAME=b NODES=n2\nSwitchName=r switches=a,b\n",
	"# comment\n\n  SwitchName=a Nodes=n[0-1]   # more\n\tSwitchName=b\tNodes=n2\r\nSwitchName=r Switches=a,b#x\n",
	"SwitchName=a \\\n  Nodes=n[0-1]\nSwitchName=b Nodes=\\\nn2\nSwitchName=r Switches=a,\\\nb\n",
	"SwitchName = a Nodes = \"n[0-1]\" LinkSpeed=0\nSwitchName=\"b\" Nodes=\"n2\"\nSwitchName=r Switches=\"a,b\"\n",
	"SwitchName=a Nodes=n[0-1] # ends with backslash \\\nSwitchName=b Nodes=n2\nSwitchName=r Switches=a,b",
	"SwitchName=a Nodes=n\\[0-1\\]\nSwitchName=b Nodes=n2\nSwitchName=r Switches=a,b",
};

static void test_forms(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct wt_tree *t = good(forms[i]);
		char *text;

		assert_int_equal(wt_tree_levels(t), 2);
		assert_int_equal(wt_tree_nodes(t), 3);
		assert_int_equal(wt_tree_switches(t, 0), 2);
		text = wt_tree_format(t, NULL);
		assert_string_equal(text, forms[0]);
		free(text);
		wt_tree_destroy(t);
	}
}

static const struct {
	const char *text, *what;
} bad[] = {
	{ "", "no switch is defined" },
	{ "# nothing\n", "no switch is defined" },
	{ "SwitchName=a\n", "line 1: switch 'a': needs either" },
	{ "SwitchName=a Nodes=n1 Switches=b\n", "not both" },
	{ "Nodes=n1 SwitchName=a\n", "line 1: a line must begin with SwitchName=" },
	{ "SwitchName=a Nodes=n1 Colour=red\n", "unknown key Colour=" },
	{ "SwitchName=a Nodes=n1 Nodes=n2\n", "Nodes= stands twice" },
	{ "SwitchName=a Nodes=\n", "Nodes= has no value" },
	{ "SwitchName=a Nodes=\"n1\n", "not closed" },
	{ "SwitchName=a Nodes=\"n1\"x\n", "not closed, or followed" },
	{ "SwitchName=a Nodes n1\n", "'Key=Value' expected" },
	{ "SwitchName=a Nodes+=n1\n", "'Key=Value' expected" },
	{ "SwitchName=a Nodes=n[1\n", "line 1: switch 'a': host list" },
	{ "SwitchName=a Nodes=n[0-4000000000]\n", "too many names" },
	/* two backslashes are one that is meant: the line ends there */
	{ "SwitchName=a Nodes=n[0-1]\\\\\nSwitchName=b Nodes=n2\nSwitchName=r Switches=a,b",
	  "host list 'n[0-1]\\': a character" },
	{ "SwitchName=a LinkSpeed=fast Nodes=n1\n", "LinkSpeed=fast" },
	{ "SwitchName=a LinkSpeed=-1 Nodes=n1\n", "LinkSpeed=-1" },
	{ "SwitchName=a LinkSpeed=4294967296 Nodes=n1\n", "LinkSpeed=4294967296" },
	{ "SwitchName=a[0-1] Nodes=n1\n", "one plain name" },
	{ "Include other.conf\n", "line 1: Include" },
	{ "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n", "line 2: switch 'a': is defined twice, first on line 1" },
	{ "SwitchName=a Nodes=n1\n\nSwitchName=b Nodes=n2\n", "line 3: switch 'b': has no parent, and neither has 'a'" },
	{ "SwitchName=a Nodes=n1\nSwitchName=b Switches=c\n", "child switch 'c' is not defined" },
	{ "SwitchName=a Switches=a\n", "is its own child" },
	{ "SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "form a loop" },
	{ "SwitchName=l Nodes=n1\nSwitchName=r Switches=l\nSwitchName=a Switches=b\nSwitchName=b Switches=a\n",
	  "line 3: switch 'a': is part of a loop" },
	{ "SwitchName=l Nodes=n1\nSwitchName=a Switches=l\nSwitchName=b Switches=l\nSwitchName=r Switches=a,b\n",
	  "line 3: switch 'b': its child switch 'l' already has a parent, 'a'" },
	{ "SwitchName=l Nodes=n1\nSwitchName=a Switches=l,l\n", "twice" },
	{ "SwitchName=l Nodes=n1\nSwitchName=a Switches=l[0-9]\n", "more child switches than" },
	{ "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[0-1]\nSwitchName=r Switches=a,b\n",
	  "line 2: switch 'b': node 'n1' is already on switch 'a'" },
	{ "SwitchName=a Nodes=n1,n1\n", "node 'n1' is already on switch 'a'" },
};

static void test_bad_files(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_error err = { "" };

		errno = 0;
		assert_null(parse(bad[i].text, &err));
		if (!strstr(err.text, bad[i].what) || (errno != EINVAL && errno != E2BIG))
			fail_msg("'%s' gave errno %d, '%s'", bad[i].text, errno, err.text);
		assert_null(parse(bad[i].text, NULL));
	}
	assert_null(wt_tree_parse(NULL, 0, NULL));
	assert_null(wt_tree_parse("SwitchName=a Nodes=n\0n", 22, NULL));
	assert_null(wt_tree_build(NULL, 0, NULL));
	errno = EIO;
	wt_tree_destroy(NULL);
	assert_int_equal(errno, EIO);
	assert_int_equal(wt_tree_check(NULL, NULL), -1);
}

static void test_one_leaf(void **state)
{
	struct wt_tree *t = good("SwitchName=all Nodes=n[0-99] LinkSpeed=7");

	(void) state;
	assert_int_equal(wt_tree_levels(t), 1);
	assert_int_equal(wt_tree_switch_nodes(t, 0, 0).count, 100);
	assert_int_equal(wt_tree_link_speed(t, 0, 0), 7);
	assert_int_equal(wt_tree_parent(t, 0, 0), WT_TREE_NONE);
	wt_tree_destroy(t);
}

/* A leaf right below the root beside switches of two levels stands for itself on the level between. */
static void test_uneven_depth(void **state)
{
	static const char text[] = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-4]\nSwitchName=c Nodes=n[5-8]\n"
				   "SwitchName=m Switches=a,b\nSwitchName=r Switches=m,c\n";
	struct wt_tree *t = good(text);
	char *back = wt_tree_format(t, NULL);

	(void) state;
	assert_int_equal(wt_tree_levels(t), 3);
	assert_int_equal(wt_tree_switches(t, 1), 2);
	assert_string_equal(wt_tree_switch_name(t, 1, 1), "c");
	assert_true(wt_tree_is_stand_in(t, 1, 1));
	assert_false(wt_tree_is_stand_in(t, 0, 2));
	assert_int_equal(wt_tree_switch_nodes(t, 1, 1).count, 4);
	assert_int_equal(wt_tree_children(t, 1, 1).count, 1);
	assert_int_equal(wt_tree_parent(t, 1, 1), 0);
	assert_int_equal(wt_tree_leaf(t, 8), 2);
	assert_string_equal(back, text);
	free(back);
	wt_tree_destroy(t);
}

static void test_curie(void **state)
{
	struct wt_tree *t = wt_tree_curie(NULL), *again;
	struct wt_error err;
	char *text;

	(void) state;
	assert_int_equal(wt_tree_check(t, &err), 0);
	assert_int_equal(wt_tree_nodes(t), 5040);
	assert_int_equal(wt_tree_levels(t), 3);
	assert_int_equal(wt_tree_switches(t, 0), 280);
	assert_int_equal(wt_tree_switches(t, 1), 16);
	assert_int_equal(wt_tree_switch_nodes(t, 1, 0).count, 324);
	assert_int_equal(wt_tree_children(t, 1, 15).count, 10);
	assert_int_equal(wt_tree_node_find(t, "n5039"), 5039);
	assert_int_equal(wt_tree_node_find(t, "n5040"), WT_TREE_NONE);
	for (uint32_t i = 0; i < 280; i++)
		assert_int_equal(wt_tree_switch_nodes(t, 0, i).count, 18);
	text = wt_tree_format(t, NULL);
	assert_non_null(strstr(text, "SwitchName=leaf1 Nodes=n[18-35]\n"));
	assert_non_null(strstr(text, "SwitchName=s1_15 Switches=leaf[270-279]\n"));
	assert_non_null(strstr(text, "SwitchName=root Switches=s1_[0-15]\n"));
	again = good(text);
	free(text);
	wt_tree_destroy(again);
	wt_tree_destroy(t);
}

static void test_coarsen(void **state)
{
	struct wt_tree *t = wt_tree_curie(NULL), *c;
	struct wt_error err;

	(void) state;
	for (uint32_t level = 0; level < 3; level++) {
		c = wt_tree_coarsen(t, level, &err);
		assert_int_equal(wt_tree_check(c, &err), 0);
		assert_int_equal(wt_tree_levels(c), 3 - level);
		assert_int_equal(wt_tree_nodes(c), 5040);
		assert_int_equal(wt_tree_switches(c, 0), wt_tree_switches(t, level));
		wt_tree_destroy(c);
	}
	assert_null(wt_tree_coarsen(t, 3, &err));
	wt_tree_destroy(t);
	t = good("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\nSwitchName=m Switches=a\nSwitchName=r Switches=m,b\n");
	c = wt_tree_coarsen(t, 1, &err);
	assert_int_equal(wt_tree_check(c, &err), 0);
	assert_string_equal(wt_tree_switch_name(c, 0, 1), "b");
	wt_tree_destroy(c);
	wt_tree_destroy(t);
}

static void test_fat_trees(void **state)
{
	const struct wt_tree_shape shape = { .arity = "3/2,2,2", .link_speed = "4,2", .prefix = "c" };
	struct wt_tree *t = wt_tree_fat(&shape, NULL);
	char *text = wt_tree_format(t, NULL);

	(void) state;
	assert_string_equal(text, "SwitchName=leaf0 Nodes=c[0-2] LinkSpeed=4\nSwitchName=leaf1 Nodes=c[3-4] LinkSpeed=4\n"
			    "SwitchName=leaf2 Nodes=c[5-7] LinkSpeed=4\nSwitchName=leaf3 Nodes=c[8-9] LinkSpeed=4\n"
			    "SwitchName=s1_0 Switches=leaf[0-1] LinkSpeed=2\n"
			    "SwitchName=s1_1 Switches=leaf[2-3] LinkSpeed=2\n"
			    "SwitchName=root Switches=s1_[0-1] LinkSpeed=2\n");
	free(text);
	wt_tree_destroy(t);
	for (uint32_t nodes = 1; nodes <= 64; nodes++) {
		const struct wt_tree_shape pruned = { .arity = "4,2/3,2/1,4", .nodes = nodes };
		struct wt_error err = { "" };

		t = wt_tree_fat(&pruned, &err);
		if (nodes > 60) {	/* 4 switches of 2,1,2,1 = 6 of 2,3,... leaves = 15 leaves */
			assert_null(t);
			assert_non_null(strstr(err.text, "has room for 60"));
			continue;
		}
		assert_int_equal(wt_tree_check(t, &err), 0);
		assert_int_equal(wt_tree_nodes(t), nodes);
		wt_tree_destroy(t);
	}
}

static void test_bad_shapes(void **state)
{
	static const struct wt_tree_shape shapes[] = {
		{ .arity = "" }, { .arity = NULL }, { .arity = "0" }, { .arity = "18," }, { .arity = "18;2" },
		{ .arity = "18/,2" }, { .arity = "-1" }, { .arity = "4,2/3" }, { .arity = "4096,4096,4096" },
		{ .arity = "2,2", .nodes = 5 }, { .arity = "2", .prefix = "n[" }, { .arity = "2", .link_speed = "x" },
		{ .arity = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1" },
		{ .arity = "1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1,2" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct wt_error err = { "" };

		assert_null(wt_tree_fat(&shapes[i], &err));
		assert_true(strlen(err.text) > 0);
	}
}

static void test_depth(void **state)
{
	char text[4096];
	struct wt_error err;
	size_t used;

	(void) state;
	for (int depth = WT_TREE_LEVELS_MAX; depth <= WT_TREE_LEVELS_MAX + 1; depth++) {
		struct wt_tree *t;

		used = (size_t) snprintf(text, sizeof(text), "SwitchName=s0 Nodes=n0\n");
		for (int i = 1; i < depth; i++)
			used += (size_t) snprintf(text + used, sizeof(text) - used, "SwitchName=s%d Switches=s%d\n",
						  i, i - 1);
		t = parse(text, &err);
		assert_int_equal(t != NULL, depth == WT_TREE_LEVELS_MAX);
		if (t)
			assert_int_equal(wt_tree_check(t, &err), 0);
		else
			assert_non_null(strstr(err.text, "levels"));
		wt_tree_destroy(t);
	}
}

static void test_check_nodes(void **state)
{
	static const char *const names[] = { "n0", "n7", "n9" };
	struct wt_tree *t = good("SwitchName=a Nodes=n[0-3]");
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_tree_check_nodes(t, names, 1, &err), 0);
	assert_int_equal(wt_tree_check_nodes(t, names, 3, &err), -1);
	assert_string_equal(err.text, "node 'n7' (and 1 more) is below no switch");
	wt_tree_destroy(t);
}

/* Whatever is wrong with a tree in memory is found, one thing at a time. */
static void test_check_finds_damage(void **state)
{
	struct wt_tree *t = good("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=r Switches=a,b");
	struct { uint32_t *at, wrong; } damages[] = {
		{ &t->level_count, WT_TREE_LEVELS_MAX + 1 }, { &t->level_count, 0 }, { &t->node_count, 0 },
		{ &t->levels[1].count, 2 }, { &t->switch_count, 4 }, { &t->leaf[1], 1 }, { &t->levels[0].parent[1], 1 },
		{ &t->levels[0].first_node[1], 1 },
	};
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		uint32_t right = *damages[i].at;

		*damages[i].at = damages[i].wrong;
		if (wt_tree_check(t, &err) == 0)
			fail_msg("damage %zu was not found", i);
		*damages[i].at = right;
	}
	t->node_names->count--;
	assert_int_equal(wt_tree_check(t, &err), -1);
	t->node_names->count++;
	assert_int_equal(wt_tree_check(t, &err), 0);
	wt_tree_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_one_leaf),
		cmocka_unit_test(test_uneven_depth),
		cmocka_unit_test(test_curie),
		cmocka_unit_test(test_coarsen),
		cmocka_unit_test(test_fat_trees),
		cmocka_unit_test(test_bad_shapes),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_check_nodes),
		cmocka_unit_test(test_check_finds_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
