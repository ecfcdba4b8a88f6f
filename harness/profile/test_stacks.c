/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/profile/flame.h"
#include "harness/profile/stacks.h"

/* As perf 6.1 prints them, cut. */
static const char said[] =
	"rpcmgr 10568 \n"
	"\tffffffff8135e5b2 copy_process ([kernel.kallsyms])\n"
	"\t          1098d9 clone3 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
	"\n"
	"sched agent 10543 \n"
	"\t           11568 can_job_run_on_node (/usr/lib/slurm/select_cons_tres.so)\n"
	"\t           230cc [unknown] (/usr/lib/slurm/select_cons_tres.so)\n"
	"\t           12cc9 tc::Free(int, void**; a) (/usr/lib/a b.so)\n"
	"\t           1\n"
	"\n"
	"rpcmgr 10569 \n"
	"\tffffffff8135e5b2 copy_process ([kernel.kallsyms])\n"
	"\t          1098d9 clone3 (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
	"\n"
	"rpcmgr 10569 \n"
	"\n"
	"rpcmgr-x 1 \n"
	"\t 1 f (g)\n"
	"\t 1 [unknown] ([vdso])\n"
	"\t 1 f (g)";

static void test_samples_become_stacks(void **state)
{
	struct stacks stacks;

	(void) state;
	assert_int_equal(stacks_parse(said, strlen(said), &stacks, NULL), 0);
	assert_int_equal(stacks.samples, 5);
	assert_int_equal(stacks.count, 4);
	assert_string_equal(stacks.list[0].text, "rpcmgr");
	assert_string_equal(stacks.list[1].text, "rpcmgr;clone3;copy_process_[k]");
	assert_int_equal(stacks.list[1].samples, 2);
	assert_string_equal(stacks.list[2].text, "rpcmgr-x;f;[vdso];f");
	assert_string_equal(stacks.list[3].text,
			    "sched agent;tc::Free(int, void**: a);[select_cons_tres.so];can_job_run_on_node");
	stacks_clear(&stacks);
	assert_null(stacks.list);
}

static void test_nothing_and_nonsense_are_no_samples(void **state)
{
	static const char *const texts[] = { "", "\n\n", "\t1 f (g)\n", "   \n 1 2 3\n", "1234 \n\t1 f (g)\n\n" };
	struct stack_function *functions;
	struct stacks stacks;
	size_t count;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(stacks_parse(texts[i], strlen(texts[i]), &stacks, NULL), 0);
		assert_int_equal(stacks.samples, 0);
		assert_int_equal(stacks_functions(&stacks, &functions, &count, NULL), 0);
		assert_int_equal(count, 0);
		stacks_functions_free(functions, count);
		stacks_clear(&stacks);
	}
}

static void test_deep_stacks_are_cut(void **state)
{
	char *text = malloc(10 + 1000 * 8), *at = text;
	struct stacks stacks;
	size_t frames = 0;

	(void) state;
	assert_non_null(text);
	at = stpcpy(at, "deep 1\n");
	for (int i = 0; i < 1000; i++)
		at = stpcpy(at, " 1 f (g\n");
	*--at = '\0';
	assert_int_equal(stacks_parse(text, strlen(text), &stacks, NULL), 0);
	assert_int_equal(stacks.count, 1);
	for (const char *c = stacks.list[0].text; (c = strchr(c, ';')); c++)
		frames++;
	assert_int_equal(frames, 256);
	stacks_clear(&stacks);
	free(text);
}

static void test_functions_are_counted_once_a_sample(void **state)
{
	struct stack_function *functions;
	struct stacks stacks;
	size_t count;

	(void) state;
	assert_int_equal(stacks_parse(said, strlen(said), &stacks, NULL), 0);
	assert_int_equal(stacks_functions(&stacks, &functions, &count, NULL), 0);
	assert_int_equal(count, 7);
	assert_string_equal(functions[0].name, "copy_process_[k]");
	assert_int_equal(functions[0].self, 2);
	assert_int_equal(functions[0].total, 2);
	assert_string_equal(functions[2].name, "f");
	assert_int_equal(functions[2].self, 1);
	assert_int_equal(functions[2].total, 1);
	assert_string_equal(functions[3].name, "clone3");
	assert_int_equal(functions[3].self, 0);
	assert_int_equal(functions[3].total, 2);
	stacks_functions_free(functions, count);
	stacks_clear(&stacks);
}

static char *picture_of(const struct stacks *stacks, const char *title)
{
	char *picture = NULL;
	size_t len;
	FILE *out = open_memstream(&picture, &len);

	assert_non_null(out);
	flame_print(stacks, title, out);
	assert_int_equal(fclose(out), 0);
	return picture;
}

static void test_the_picture_has_a_box_for_each(void **state)
{
	struct stacks stacks;
	char *picture;

	(void) state;
	assert_int_equal(stacks_parse(said, strlen(said), &stacks, NULL), 0);
	picture = picture_of(&stacks, "a < b & \"c\"");
	assert_non_null(strstr(picture, "a &lt; b &amp; &quot;c&quot;</text>"));
	assert_non_null(strstr(picture, "5 samples"));
	/* Three of five samples are of this thread, two of them in clone3, behind the one without a stack. */
	assert_non_null(strstr(picture, "<title>rpcmgr: 60.0 %</title><rect x=\"0.0\""));
	assert_non_null(strstr(picture, "<title>clone3: 40.0 %</title><rect x=\"240.0\""));
	assert_non_null(strstr(picture, "<title>copy_process_[k]: 40.0 %</title><rect x=\"240.0\""));
	assert_non_null(strstr(picture, "<title>rpcmgr-x: 20.0 %</title><rect x=\"720.0\""));
	free(picture);
	stacks_clear(&stacks);
	picture = picture_of(&stacks, "nothing");
	assert_non_null(strstr(picture, "0 samples"));
	assert_null(strstr(picture, "nan"));
	free(picture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_become_stacks),
		cmocka_unit_test(test_nothing_and_nonsense_are_no_samples),
		cmocka_unit_test(test_deep_stacks_are_cut),
		cmocka_unit_test(test_functions_are_counted_once_a_sample),
		cmocka_unit_test(test_the_picture_has_a_box_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
