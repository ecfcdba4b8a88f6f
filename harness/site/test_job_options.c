/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>

#include "harness/site/job_options.h"
#include "lib/test_cmocka.h"

static struct wt_job_options line_read(const char *line)
{
	struct wt_job_options o;

	assert_int_equal(wt_job_options_line(&o, line, 0), 0);
	return o;
}

static void test_line(void **state)
{
	struct wt_job_options o = line_read("/usr/bin/sbatch -N2 -HJ name --ntasks=4 --mem 100G --exclusive -W -p a,b "
					    "job.sh -n 9");

	(void) state;
	assert_string_equal(o.value[WT_OPTION_NODES], "2");
	assert_string_equal(o.value[WT_OPTION_NAME], "name");
	assert_string_equal(o.value[WT_OPTION_HOLD], "");
	assert_string_equal(o.value[WT_OPTION_TASKS], "4");	/* what stands behind the script is the script's */
	assert_string_equal(o.value[WT_OPTION_MEMORY], "100G");
	assert_string_equal(o.value[WT_OPTION_EXCLUSIVE], "");
	assert_string_equal(o.value[WT_OPTION_PARTITION], "a,b");	/* -W takes nothing */
	assert_false(o.stopped || o.doubtful);
	wt_job_options_clear(&o);
	o = line_read("srun -W 60 --exclusi=user --dep=afterok:3 -- -n 5");
	assert_null(o.value[WT_OPTION_TASKS]);
	assert_string_equal(o.value[WT_OPTION_EXCLUSIVE], "user");
	assert_string_equal(o.value[WT_OPTION_DEPENDENCY], "afterok:3");	/* a beginning */
	wt_job_options_clear(&o);
}

static void test_line_stops(void **state)
{
	struct wt_job_options o = line_read("sbatch -n 2 --frobnicate=3 -N 4");

	(void) state;
	assert_true(o.stopped);
	assert_string_equal(o.value[WT_OPTION_TASKS], "2");
	assert_null(o.value[WT_OPTION_NODES]);
	wt_job_options_clear(&o);
	o = line_read("sbatch --comment=two words -N 4 job.sh");
	assert_true(o.doubtful);
	wt_job_options_clear(&o);
	o = line_read("sbatch -n 2 --comment=one -N");	/* its value is missing */
	assert_true(o.stopped);
	wt_job_options_clear(&o);
	o = line_read("sbatch --n=2");	/* nice, nodes, ntasks: not to be told apart */
	assert_true(o.stopped);
	wt_job_options_clear(&o);
	o = line_read("sbatch --hint=nomultithread -m cyclic --wrap=x y z");
	assert_int_equal(o.other_count, 2);
	assert_string_equal(o.others[1], "distribution");
	wt_job_options_clear(&o);
}

/* What stands behind --wrap may be what it runs: its quotes are lost. */
static void test_wrap(void **state)
{
	struct wt_job_options o = line_read("sbatch -N 4 -n 64 --wrap srun -N 1 -n 1 hostname");

	(void) state;
	assert_string_equal(o.value[WT_OPTION_NODES], "4");
	assert_string_equal(o.value[WT_OPTION_TASKS], "64");
	assert_true(o.doubtful);
	wt_job_options_clear(&o);
	o = line_read("sbatch --wrap=hostname -n 2");
	assert_null(o.value[WT_OPTION_TASKS]);
	assert_true(o.doubtful);
	wt_job_options_clear(&o);
	o = line_read("sbatch -n 2 --wra true");
	assert_string_equal(o.value[WT_OPTION_TASKS], "2");
	assert_false(o.doubtful || o.stopped);
	wt_job_options_clear(&o);
}

static void component_has(const char *line, unsigned int component, const char *nodes, const char *tasks)
{
	struct wt_job_options o;

	assert_int_equal(wt_job_options_line(&o, line, component), 0);
	if (nodes)
		assert_string_equal(o.value[WT_OPTION_NODES], nodes);
	else
		assert_null(o.value[WT_OPTION_NODES]);
	if (tasks)
		assert_string_equal(o.value[WT_OPTION_TASKS], tasks);
	else
		assert_null(o.value[WT_OPTION_TASKS]);
	wt_job_options_clear(&o);
}

static void test_components(void **state)
{
	static const char *const without[] = {
		"sbatch -N1 job.sh", "sbatch -N1 job.sh : -N4", "sbatch --frob : -N4 x", "sbatch", "salloc -N 1 bash",
	};
	struct wt_job_options o;

	(void) state;
	component_has("sbatch -N1 -n 8 : -N4 : -n 2 job.sh : -N9", 0, "1", "8");
	component_has("sbatch -N1 -n 8 : -N4 : -n 2 job.sh : -N9", 1, "4", NULL);
	component_has("sbatch -N1 -n 8 : -N4 : -n 2 job.sh : -N9", 2, NULL, "2");
	component_has("srun -N1 hostname : -N4 uptime", 1, "4", NULL);
	for (size_t i = 0; i < sizeof(without) / sizeof(without[0]); i++) {
		assert_int_equal(wt_job_options_line(&o, without[i], 1), 1);
		wt_job_options_clear(&o);
	}
	assert_int_equal(wt_job_options_line(&o, "sbatch -N1 : -N2 x", UINT_MAX), 1);
	wt_job_options_clear(&o);
}

static void test_line_other(void **state)
{
	struct wt_job_options o;

	(void) state;
	assert_int_equal(wt_job_options_line(&o, "", 0), 1);
	wt_job_options_clear(&o);
	assert_int_equal(wt_job_options_line(&o, "my-submit -n 4", 0), 1);
	wt_job_options_clear(&o);
	assert_int_equal(wt_job_options_words(&o, " -n 4 "), 0);
	assert_string_equal(o.value[WT_OPTION_TASKS], "4");
	wt_job_options_clear(&o);
}

static void test_time(void **state)
{
	(void) state;
	assert_float_equal(wt_job_option_time("30"), 1800, 0);
	assert_float_equal(wt_job_option_time("1:30"), 90, 0);
	assert_float_equal(wt_job_option_time("01:00:05"), 3605, 0);
	assert_float_equal(wt_job_option_time("2-0"), 172800, 0);
	assert_float_equal(wt_job_option_time("1-2:3:4"), 93784, 0);
	assert_true(isinf(wt_job_option_time("UNLIMITED")));
	assert_true(isnan(wt_job_option_time("")));
	assert_true(isnan(wt_job_option_time("1:2:3:4")));
	assert_true(isnan(wt_job_option_time("-5")));
	assert_true(isnan(wt_job_option_time("99999999999999999999")));
}

static void test_memory(void **state)
{
	char per;

	(void) state;
	assert_float_equal(wt_job_option_memory("100", NULL), 100, 0);
	assert_float_equal(wt_job_option_memory("1.5G", NULL), 1536, 0);
	assert_float_equal(wt_job_option_memory("2GB", NULL), 2048, 0);
	assert_float_equal(wt_job_option_memory("1K", NULL), 1, 0);
	assert_float_equal(wt_job_option_memory("4000Mc", &per), 4000, 0);
	assert_int_equal(per, 'c');
	assert_float_equal(wt_job_option_memory("16Gn", &per), 16384, 0);
	assert_int_equal(per, 'n');
	assert_true(isnan(wt_job_option_memory("", NULL)));
	assert_true(isnan(wt_job_option_memory("4x", NULL)));
	assert_true(isnan(wt_job_option_memory("4Mn", NULL)));
	assert_true(isnan(wt_job_option_memory("99999999999999P", NULL)));
}

static void test_ask(void **state)
{
	struct wt_job_options o = line_read("sbatch -N 2-4 -c 8 --nice --switches=1@10:00 --mem-per-cpu=2G --gres=gpu:2 "
					    "--no-requeue -w /etc/passwd --deadline=noon --hint=x job");
	struct wt_job_ask *ask = wt_job_ask_create();
	json_t *unknown = json_object();

	(void) state;
	assert_int_equal(wt_job_options_ask(&o, ask, unknown, NULL), 0);
	assert_float_equal(ask->number[WT_ASK_NODES_MIN], 2, 0);
	assert_float_equal(ask->number[WT_ASK_NODES_MAX], 4, 0);
	assert_float_equal(ask->number[WT_ASK_CPUS_PER_TASK], 8, 0);
	assert_float_equal(ask->number[WT_ASK_NICE], 100, 0);
	assert_float_equal(ask->number[WT_ASK_SWITCHES_WAIT_S], 600, 0);
	assert_float_equal(ask->number[WT_ASK_MEMORY_PER_CPU], 2048, 0);
	assert_float_equal(ask->number[WT_ASK_REQUEUE], 0, 0);
	assert_string_equal(ask->text[WT_ASK_GRES], "gpu:2");
	assert_null(ask->text[WT_ASK_NODE_LIST]);	/* a file, which is not opened */
	assert_int_equal(json_object_size(unknown), 3);
	wt_job_options_clear(&o);
	wt_job_ask_destroy(ask);
	json_decref(unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line), cmocka_unit_test(test_line_stops),
		cmocka_unit_test(test_wrap), cmocka_unit_test(test_components), cmocka_unit_test(test_line_other),
		cmocka_unit_test(test_time), cmocka_unit_test(test_memory), cmocka_unit_test(test_ask),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
