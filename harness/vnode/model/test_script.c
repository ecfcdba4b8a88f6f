/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts, and the plans made of them: written as one letter and number for each item. */
#include "lib/test_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/script.h"
#include "lib/str.h"

static char seen[8192];		/* the words of each srun line, in brackets */

static bool srun(void *arg, const struct wt_script_srun *line, struct wt_plan_item *item)
{
	const char *refuse = arg;
	size_t len = strlen(seen);

	for (size_t i = 1; i < line->argc; i++)
		if (!line->sure[i] || !strcmp(line->argv[i], refuse))
			return false;
	for (size_t i = 1; i < line->argc; i++)
		len += (size_t) snprintf(seen + len, sizeof(seen) - len, "%s%s%s", i == 1 ? "[" : " ", line->argv[i],
					 i + 1 == line->argc ? "]" : "");
	item->run_time_us = 1000000;
	return true;
}

static void plan_print(const struct wt_script_plan *plan, struct wt_str *out)
{
	static const char kinds[] = "czswx", *const whens[] = { "", "&&", "||" };

	for (uint32_t i = 0; i < plan->count; i++) {
		const struct wt_plan_item *item = &plan->items[i];

		wt_str_printf(out, "%s%s%c", i ? " " : "", whens[item->when], kinds[item->kind]);
		if (item->kind == WT_PLAN_SPAN)
			wt_str_printf(out, "%lld", (long long) (item->run_time_us / 1000000));
		else if ((item->kind == WT_PLAN_STATUS && item->status) || (item->kind == WT_PLAN_EXIT && !item->keeps))
			wt_str_printf(out, "%u", item->status);
		wt_str_printf(out, "%s%s%s", item->background ? "&" : "", item->hides ? "|" : "", item->ends ? "!" : "");
	}
}

static uint32_t unread;

/* The plan of a script, and what its sruns were; free () it. */
static char *plan_text(const char *script)
{
	static char *environment[] = { "N=4", "EMPTY=", "BLANKS=a b", "DIR=/tmp", NULL };
	struct wt_script_conf conf = {
		.script = script, .environment = environment, .count = 5, .cwd = "/home", .srun = srun, .arg = "--bad",
	};
	struct wt_script_found found;
	struct wt_str out = { 0 };
	struct wt_script_plan plan, again;
	struct wt_str bytes = { 0 };

	*seen = '\0';
	assert_int_equal(wt_script_read(&conf, &plan, &found), 0);
	unread = found.unread;
	wt_plan_pack(&plan, &bytes);
	assert_int_equal(wt_plan_unpack(&again, (const uint8_t *) bytes.text, bytes.len), 0);
	assert_int_equal(again.steps, plan.steps);
	plan_print(&again, &out);
	wt_str_clear(&bytes);
	wt_script_plan_clear(&plan);
	wt_script_plan_clear(&again);
	return wt_str_take(&out);
}

static void expect(const char *script, const char *plan, const char *sruns, uint32_t lines_unread)
{
	char *text = plan_text(script);

	assert_string_equal(text, plan);
	assert_string_equal(seen, sruns);
	assert_int_equal(unread, lines_unread);
	free(text);
}

static void test_sequence(void **state)
{
	(void) state;
	expect("#!/bin/sh\n#SBATCH -n4\nsrun a\nsleep 2\nsrun b; srun c # srun d\n", "s z2 s s", "[a][b][c]", 0);
	expect("/usr/bin/srun -n 2 \\\n  a b\nexit 3\n", "s x3", "[-n 2 a b]", 0);
	expect("srun a >out 2>&1 <in &\nsrun b 2>/dev/null&\nwait\n", "s& s& w", "[a][b]", 0);
	expect("srun a && srun b || srun c\n", "s &&s ||s", "[a][b][c]", 0);
	expect("srun a | sort | tee x\n", "s|", "[a]", 0);
	expect("set -e\nsrun a\nsrun b || true\nset +e\nsrun c\n", "c! s! s ||c c s", "[a][b][c]", 0);
	expect("exec srun a\nsrun b\n", "s x s", "[a][b]", 0);
	expect("sleep 1m 2s\nfalse\nsrun x", "z62 c1 s", "[x]", 0);
	expect("srun 'a b' \"c $N\" d\\ e", "s", "[a b c 4 d e]", 0);
}

static void test_variables(void **state)
{
	(void) state;
	expect("M=2\nsrun -n$M -N ${N} a\n", "c s", "[-n2 -N 4 a]", 0);
	expect("M=$(nproc)\nsrun -n$M a\n", "c", "", 1);
	expect("export M=$N\nM=`x`\nsrun $M\nsrun $UNSET\nsrun $BLANKS\nsrun $EMPTY\nsrun \"$BLANKS\"\n", "c s", "[a b]", 4);
	expect("if x; then N=3; fi\nsrun -n$N a\nsrun b\n", "c s", "[b]", 1);
	expect("if x; then for N in 1 2; do :; done; fi\nsrun -n$N a\nsrun b\n", "c s", "[b]", 1);
	expect("read N <f\nsrun -n$N a\nfor N in x y; do :; done; srun $N", "c", "", 2);
	expect("A=(1 2 srun)\nsrun b\n", "c s", "[b]", 0);
}

static void test_loops(void **state)
{
	(void) state;
	expect("for i in 1 2 3; do\n srun -n$i a &\n done\nwait\n", "s& s& s& w", "[-n1 a][-n2 a][-n3 a]", 0);
	expect("for ((i = 0; i < 3; i++)); do srun -r $i a; done\n", "s s s", "[-r 0 a][-r 1 a][-r 2 a]", 0);
	expect("for ((i=1;i<=N;i++)) do srun a; done\n", "c", "", 1);
	expect("for i in 1 2; do for j in x y; do srun $i$j; done; sleep 1; done", "s s z1 s s z1", "[1x][1y][2x][2y]", 0);
	expect("for i in $(seq 3); do srun a; done; srun b\n", "c s", "[b]", 1);
	expect("for i in *; do srun a; done; for i in {1..3}; do srun b; done\n", "c", "", 2);
	expect("for i in 1 2; do srun a || break; done\nsrun b\n", "c s", "[b]", 1);
	expect("for i in 1 2; do srun a; done | cat\nfor i in 1 2; do srun a; done &\nwait\n", "c w", "", 2);
	expect("for i in 1 2; do sleep 5; done\nsrun a\n", "z5 s", "[a]", 0);
}

static void test_not_understood(void **state)
{
	(void) state;
	expect("if true; then srun a; else sleep 3; fi\nsrun b\n", "z3 s", "[b]", 1);
	expect("while [ -f x ]; do srun a; sleep 2; done\nsrun b\n", "z2 s", "[b]", 1);
	expect("case $x in\n a) srun a;;\n (b|c) srun b;;\nesac\nsrun c\n", "c s", "[c]", 2);
	expect("f() {\n srun a\n}\nfunction g { srun b; }\nf\nsrun c\n", "c s", "[c]", 2);
	expect("( srun a; srun b ) &\n{ srun c; }\nsrun d\nwait\n", "c& s w", "[d]", 3);
	expect("srun --bad a\nsrun b\n", "c s", "[b]", 1);
	expect("srun a && srun b &\nwait\n", "c w", "[a][b]", 2);
	expect("srun a; (( i < 3 )) && srun b\n", "s c &&s", "[a][b]", 0);
	expect("srun a | srun b\n", "s| c", "[a]", 1);
	expect("X=$(srun a)\nmpirun srun\necho srun b\nsrun c\n", "c s", "[c]", 2);
	expect("cat >f <<EOF\nsrun a\nsleep 7\nEOF\nsrun b\ncat <<-'END'; srun c\n\tsrun x\n\tEND\nsrun d\n",
	       "c s c s s", "[b][c][d]", 0);
	expect("if [[ a < b && -n $x ]]; then :; fi\n(( i < 3 )) && srun a\nsrun b <<<word\n", "c &&s s", "[a][b]", 0);
}

/* What cannot be read as a whole gives no plan: the job is a span of time, as without srun lines. */
static void test_broken(void **state)
{
	static const char *const scripts[] = {
		"srun a\nif x; then\n", "srun 'a\n", "srun a )\n", "srun a\ncat <<E\nsrun b\n", "srun a\n;;\n",
		"srun a\ndone | (", "srun \"$(\n",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		char *text = plan_text(scripts[i]);

		assert_string_equal(text, "");
		assert_in_range(unread, 1, 2);
		free(text);
	}
}

static void test_too_long(void **state)
{
	char *text;

	(void) state;
	text = plan_text("for ((i = 0; i < 5000; i++)); do sleep 1; srun a; done");
	assert_string_equal(text, "");
	assert_in_range(unread, 1, 5000);
	free(text);
	text = plan_text("for ((i = 0; i < 2000; i++)); do sleep 1; srun a; done");
	assert_true(strlen(text) > 6000);
	free(text);
}

static void test_foreign_plan(void **state)
{
	static const uint8_t bad[] = { 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct wt_script_plan plan;

	(void) state;
	assert_int_equal(wt_plan_unpack(&plan, bad, sizeof(bad)), -1);
	assert_int_equal(wt_plan_unpack(&plan, bad + 1, sizeof(bad) - 1), -1);
	assert_int_equal(plan.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequence), cmocka_unit_test(test_variables), cmocka_unit_test(test_loops),
		cmocka_unit_test(test_not_understood), cmocka_unit_test(test_broken), cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_foreign_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
