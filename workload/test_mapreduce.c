/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/test_cmocka.h"

#include "workload/mapreduce.h"

static struct wt_mapreduce_options options(void)
{
	struct wt_mapreduce_options o;

	wt_mapreduce_init(&o);
	o.shared.seed = 3;
	o.nodes = 16;
	o.machine_cpus = 64;
	return o;
}

static struct wt_workload *create(const struct wt_mapreduce_options *o)
{
	struct wt_error error;
	struct wt_workload *w = wt_mapreduce_create(o, &error);

	assert_non_null(w);
	assert_int_equal(wt_workload_check(w, &error), 0);
	return w;
}

/* Without a bandwidth no task knows where its split lies. */
static void test_arrays(void **state)
{
	struct wt_mapreduce_options o = options();
	struct wt_workload *w = create(&o);

	(void) state;
	assert_int_equal(w->job_count, 151);
	assert_string_equal(w->jobs[0].name, "map.0");
	assert_string_equal(w->jobs[149].name, "map.149");
	assert_string_equal(w->jobs[149].class_name, "map");
	assert_int_equal(w->jobs[149].array_tasks, 150);
	assert_int_equal(w->jobs[149].array_task, 149);
	assert_int_equal(w->jobs[149].waits_for, 0);
	assert_string_equal(w->jobs[150].name, "reduce.0");
	assert_int_equal(w->jobs[150].array_tasks, 1);
	assert_int_equal(w->jobs[150].waits_for, 1);
	assert_true(w->jobs[0].run_time_s == 7 && w->jobs[150].run_time_s == 550);
	assert_true(w->jobs[150].time_limit_s == 1100);
	assert_null(w->jobs[0].near);
	assert_true(fabs(w->ideal_s - (150 * 7 + 550) / 64.0) < 1e-9);
	wt_workload_destroy(w);
}

/* 100 MB a split at 50 MB/s: 2 s elsewhere; 1,600 MB a reduce, of which 15 of 16 lie elsewhere: 30 s. */
static void test_data(void **state)
{
	struct wt_mapreduce_options o = options();
	unsigned int on_first = 0;
	struct wt_workload *w;

	(void) state;
	o.maps = 160;
	o.reduces = 10;
	o.input_bytes = 16e9;
	o.bandwidth = 50e6;
	o.shared.time_scale = 0.5;
	w = create(&o);
	for (size_t i = 0; i < 160; i++) {
		unsigned int node[3];
		char end;

		assert_int_equal(sscanf(w->jobs[i].near, "n%u,n%u,n%u%c", &node[0], &node[1], &node[2], &end), 3);
		assert_true(node[0] != node[1] && node[1] != node[2] && node[0] != node[2]);
		assert_true(node[0] < 16 && node[1] < 16 && node[2] < 16);
		on_first += !node[0] || !node[1] || !node[2];
		assert_true(fabs(w->jobs[i].away_s - 1) < 1e-9 && w->jobs[i].run_time_s == 3.5);
		assert_true(fabs(w->jobs[i].time_limit_s - 9) < 1e-9);
	}
	assert_in_range(on_first, 10, 60);	/* 30 expected, and always the same of this seed */
	assert_true(fabs(w->jobs[160].run_time_s - (550 + 30) * 0.5) < 1e-9);
	assert_null(w->jobs[160].near);
	wt_workload_destroy(w);
}

/* The seed alone decides where splits lie; of fewer nodes than replicas each has all. */
static void test_seed(void **state)
{
	struct wt_mapreduce_options o = options();
	struct wt_workload *a, *b;
	unsigned int same = 0;

	(void) state;
	o.bandwidth = 1e8;
	a = create(&o);
	o.map_s = 30;
	b = create(&o);
	for (size_t i = 0; i < 150; i++)
		assert_string_equal(a->jobs[i].near, b->jobs[i].near);
	wt_workload_destroy(b);
	o.shared.seed = 4;
	b = create(&o);
	for (size_t i = 0; i < 150; i++)
		same += !strcmp(a->jobs[i].near, b->jobs[i].near);
	assert_in_range(same, 0, 15);
	wt_workload_destroy(a);
	wt_workload_destroy(b);
	o.nodes = 1;
	o.replicas = 10;
	a = create(&o);
	assert_string_equal(a->jobs[149].near, "n0");
	assert_true(a->jobs[150].run_time_s == 550);	/* all lies here */
	wt_workload_destroy(a);
}

static void test_rounds(void **state)
{
	struct wt_mapreduce_options o = options();
	struct wt_workload *w;

	(void) state;
	o.maps = 4;
	o.reduces = 2;
	o.rounds = 3;
	w = create(&o);
	assert_int_equal(w->job_count, 18);
	assert_string_equal(w->jobs[6].name, "map2.0");
	assert_string_equal(w->jobs[6].class_name, "map");
	assert_int_equal(w->jobs[6].waits_for, 5);	/* reduce.0 is the job of number 4 */
	assert_string_equal(w->jobs[16].name, "reduce3.0");
	assert_int_equal(w->jobs[17].waits_for, 13);
	wt_workload_destroy(w);
}

static void test_refused(void **state)
{
	struct {
		struct wt_mapreduce_options o;
		const char *text;
	} cases[] = {
		{ options(), "0 maps" }, { options(), "10001 reduces" }, { options(), "0 rounds" },
		{ options(), "11 replicas" }, { options(), "maps of nan s" }, { options(), "-1 bytes" },
		{ options(), "without nodes" }, { options(), "time scale 0" },
	};
	struct wt_error error;

	(void) state;
	cases[0].o.maps = 0;
	cases[1].o.reduces = 10001;
	cases[2].o.rounds = 0;
	cases[3].o.replicas = 11;
	cases[4].o.map_s = NAN;
	cases[5].o.input_bytes = -1;
	cases[6].o.nodes = 0;
	cases[7].o.shared.time_scale = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		errno = 0;
		assert_null(wt_mapreduce_create(&cases[i].o, &error));
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(error.text, cases[i].text));
	}
}

/* What a workload's own check says of arrays that are not whole. */
static void test_check(void **state)
{
	struct wt_mapreduce_options o = options();
	struct wt_workload *w = create(&o);
	struct wt_error error;

	(void) state;
	w->jobs[20].array_task = 21;
	assert_int_equal(wt_workload_check(w, &error), -1);
	assert_non_null(strstr(error.text, "not a whole array"));
	w->jobs[20].array_task = 20;
	w->jobs[20].cpus = 2;
	assert_int_equal(wt_workload_check(w, &error), -1);
	w->jobs[20].cpus = 1;
	w->jobs[149].array_tasks = w->jobs[149].array_task = 0;	/* the array ends before its last task */
	assert_int_equal(wt_workload_check(w, &error), -1);
	w->jobs[149].array_tasks = 150;
	w->jobs[149].array_task = 149;
	w->jobs[150].waits_for = 151;	/* for itself */
	assert_int_equal(wt_workload_check(w, &error), -1);
	w->jobs[150].waits_for = 150;
	assert_int_equal(wt_workload_check(w, &error), 0);
	w->jobs[0].away_s = NAN;
	assert_int_equal(wt_workload_check(w, &error), -1);
	assert_non_null(strstr(error.text, "longer elsewhere"));
	wt_workload_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arrays), cmocka_unit_test(test_data), cmocka_unit_test(test_seed),
		cmocka_unit_test(test_rounds), cmocka_unit_test(test_refused), cmocka_unit_test(test_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
