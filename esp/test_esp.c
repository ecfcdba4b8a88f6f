/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "esp/esp.h"

static struct wt_esp_options curie(enum wt_esp_variant variant)
{
	struct wt_esp_options o;

	wt_esp_options_init(&o);
	o.variant = variant;
	o.cpus = 80640;
	o.nodes = 5040;
	return o;
}

static struct wt_workload *create(const struct wt_esp_options *o)
{
	struct wt_error err = { "" };
	struct wt_workload *w = wt_esp_create(o, &err);

	if (!w)
		fail_msg("%s", err.text);
	assert_int_equal(wt_workload_check(w, &err), 0);
	return w;
}

static void test_counts_and_ideal_times(void **state)
{
	static const size_t jobs[] = { 230, 230, 2282 };

	(void) state;
	for (int v = WT_ESP_NORMAL; v <= WT_ESP_PARALLEL_LIGHT; v++) {
		struct wt_esp_options o = curie((enum wt_esp_variant) v);
		struct wt_workload *w = create(&o);

		assert_int_equal(w->job_count, jobs[v]);
		assert_float_equal(w->ideal_s, wt_esp_ideal_s((enum wt_esp_variant) v, 1), 0);
		wt_workload_destroy(w);
	}
}

static void test_every_class_is_complete(void **state)
{
	(void) state;
	for (int v = WT_ESP_NORMAL; v <= WT_ESP_PARALLEL_LIGHT; v++) {
		const struct wt_esp_class *classes = wt_esp_classes((enum wt_esp_variant) v);
		struct wt_esp_options o = curie((enum wt_esp_variant) v);
		struct wt_workload *w = create(&o);

		for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++) {
			uint32_t count = 0;

			for (size_t j = 0; j < w->job_count; j++) {
				const struct wt_job *job = &w->jobs[j];

				if (job->class_name[0] != classes[i].name)
					continue;
				count++;
				assert_int_equal(job->cpus, wt_esp_size(classes[i].fraction, o.cpus, o.unit));
				assert_int_equal(job->nodes, 0);
				assert_float_equal(job->run_time_s, classes[i].run_time_s, 0);
				assert_float_equal(job->time_limit_s, 2 * classes[i].run_time_s, 1e-9);
			}
			assert_int_equal(count, classes[i].job_count);
		}
		wt_workload_destroy(w);
	}
}

/* Z alone in the last stage, whatever the variant; all other lanes in stage 0. */
static void test_z_is_last_and_alone(void **state)
{
	(void) state;
	for (int v = WT_ESP_NORMAL; v <= WT_ESP_PARALLEL_LIGHT; v++) {
		struct wt_esp_options o = curie((enum wt_esp_variant) v);
		struct wt_workload *w = create(&o);
		const struct wt_lane *z = &w->lanes[w->lane_count - 1];

		assert_int_equal(w->lane_count, v == WT_ESP_PARALLEL_LIGHT ? 14 : 2);
		assert_string_equal(z->name, "Z");
		assert_int_equal(z->stage, 1);
		assert_int_equal(z->count, 2);
		for (size_t i = 0; i + 1 < w->lane_count; i++)
			assert_int_equal(w->lanes[i].stage, 0);
		for (size_t i = 0; i < w->job_count; i++)
			assert_int_equal(w->jobs[i].class_name[0] == 'Z', i >= w->job_count - 2);
		assert_int_equal(w->jobs[w->job_count - 1].cpus, 80640);
		wt_workload_destroy(w);
	}
}

static void test_parallel_lanes_hold_one_class_each(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_PARALLEL_LIGHT);
	struct wt_workload *w = create(&o);

	(void) state;
	for (size_t i = 0; i < w->lane_count; i++)
		for (size_t n = 0; n < w->lanes[i].count; n++)
			assert_string_equal(w->jobs[w->lanes[i].first + n].class_name, w->lanes[i].name);
	assert_string_equal(w->jobs[0].name, "parallel-light-esp.A.1");
	assert_string_equal(w->jobs[749].name, "parallel-light-esp.A.750");
	assert_string_equal(w->jobs[2281].name, "parallel-light-esp.Z.2");
	wt_workload_destroy(w);
}

static void classes_text(const struct wt_workload *w, char *text)
{
	for (size_t i = 0; i < w->job_count; i++)
		text[i] = w->jobs[i].class_name[0];
	text[w->job_count] = '\0';
}

/* Stable for ever: results of a seed must be comparable between versions.  Checked against MT19937, SplitMix64 and the
 * shuffle written once more in another language. */
static void test_golden_order_of_seed_1(void **state)
{
	static const char golden[] =
		"AALBAJBAAJALALBJAMAMKEILLALJLJALFHBKAAFJAADIMIJKJLLMLLAKIMAAAMJIIAJLABLIAAFKAAALLLAGALKIALAJLCEIAALM"
		"AFALALJIMMAAJAFCLHIAJLIAAAKKMAJJAGBAIJAKKKDFAAAFBAAAIIJAJIFAIKBAAJAGILBKGALDFJACMAAAGLIAAAAJIAAAAKIJ"
		"KMAMAMLJEHLLLILLIAHALLMAGHIHZZ";
	struct wt_esp_options o = curie(WT_ESP_LIGHT);
	struct wt_workload *w = create(&o);
	char text[256];

	(void) state;
	classes_text(w, text);
	assert_string_equal(text, golden);
	assert_float_equal(w->jobs[50].delay_s, 1.884733331, 1e-6);
	assert_float_equal(w->jobs[229].delay_s, 1.568608609, 1e-6);
	wt_workload_destroy(w);
}

static void test_order_depends_on_the_seed_only(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_LIGHT);
	struct wt_workload *w = create(&o);
	char first[256], other[256];

	(void) state;
	classes_text(w, first);
	wt_workload_destroy(w);
	o.cpus = 128;
	o.nodes = 8;
	o.shared.time_scale = 0.1;
	o.burst_jobs = 0;
	o.arrival.model = WT_ARRIVAL_GAUSSIAN;
	w = create(&o);
	classes_text(w, other);
	assert_string_equal(first, other);
	wt_workload_destroy(w);
	for (uint64_t seed = 0; seed < 4; seed++) {
		/* also seeds that differ above 32 bits only, and GSL's own 0 */
		static const uint64_t seeds[] = { 0, 2, 4357, 1 + (1ull << 32) };

		o.shared.seed = seeds[seed];
		w = create(&o);
		classes_text(w, other);
		assert_string_not_equal(first, other);
		wt_workload_destroy(w);
	}
}

static void test_burst_then_waits(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_LIGHT);
	struct wt_workload *w = create(&o);
	double sum_s = 0;

	(void) state;
	for (size_t i = 0; i < 230; i++) {
		double delay_s = w->jobs[i].delay_s;

		if (i < 50)
			assert_float_equal(delay_s, 0, 0);
		else
			assert_true(delay_s >= 1 && delay_s <= 3);
		sum_s += delay_s;
	}
	/* 180 waits of 2 s; their sum's deviation is 7.7 s */
	assert_float_equal(sum_s, 360, 30);
	wt_workload_destroy(w);
}

static void test_burst_of_all_and_none(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_LIGHT);
	struct wt_workload *w;

	(void) state;
	for (int v = WT_ESP_NORMAL; v <= WT_ESP_PARALLEL_LIGHT; v++) {
		o.variant = (enum wt_esp_variant) v;
		o.burst_jobs = 230;
		w = create(&o);
		for (size_t i = 0; i < w->job_count; i++)
			assert_float_equal(w->jobs[i].delay_s, 0, 0);
		wt_workload_destroy(w);
		o.burst_jobs = 0;
		w = create(&o);
		for (size_t i = 0; i < w->job_count; i++)
			assert_true(w->jobs[i].delay_s > 0);
		wt_workload_destroy(w);
	}
	o = curie(WT_ESP_LIGHT);
	o.burst_jobs = 229;
	w = create(&o);
	assert_float_equal(w->jobs[228].delay_s, 0, 0);
	assert_true(w->jobs[229].delay_s >= 1);
	wt_workload_destroy(w);
}

/* Each class' waits: the same span as Light-ESP's 360 s on average, a burst of 22 % of its jobs. */
static void test_parallel_lanes_are_adapted(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_PARALLEL_LIGHT);
	struct wt_workload *w = create(&o);

	(void) state;
	for (size_t i = 0; i + 1 < w->lane_count; i++) {
		const struct wt_lane *lane = &w->lanes[i];
		size_t burst = (size_t) lround(50.0 / 230 * (double) lane->count);
		double mean_s = 360.0 / (double) (lane->count - burst);
		double sum_s = 0;

		for (size_t n = 0; n < lane->count; n++) {
			double delay_s = w->jobs[lane->first + n].delay_s;

			if (n < burst)
				assert_float_equal(delay_s, 0, 0);
			else
				assert_true(delay_s >= mean_s / 2 - 1e-9 && delay_s <= mean_s * 1.5 + 1e-9);
			sum_s += delay_s;
		}
		/* of the sum of the fewest (23) waits, 360 / sqrt (12 x 23) = 22 s is one deviation */
		assert_float_equal(sum_s, 360, 75);
	}
	assert_true(w->jobs[2280].delay_s >= 1 && w->jobs[2280].delay_s <= 3);
	assert_true(w->jobs[2281].delay_s >= 1 && w->jobs[2281].delay_s <= 3);
	wt_workload_destroy(w);
}

static void test_time_scale_scales_everything(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_PARALLEL_LIGHT);
	struct wt_workload *one = create(&o), *tenth;

	(void) state;
	o.shared.time_scale = 0.1;
	tenth = create(&o);
	assert_float_equal(tenth->time_scale, 0.1, 0);
	assert_float_equal(tenth->ideal_s, one->ideal_s / 10, 1e-9);
	for (size_t i = 0; i < one->job_count; i++) {
		assert_float_equal(tenth->jobs[i].run_time_s, one->jobs[i].run_time_s / 10, 1e-9);
		assert_float_equal(tenth->jobs[i].time_limit_s, one->jobs[i].time_limit_s / 10, 1e-9);
		assert_float_equal(tenth->jobs[i].delay_s, one->jobs[i].delay_s / 10, 1e-9);
		assert_int_equal(tenth->jobs[i].cpus, one->jobs[i].cpus);
	}
	wt_workload_destroy(one);
	wt_workload_destroy(tenth);
}

static void test_whole_nodes(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_LIGHT);
	struct wt_workload *w;

	(void) state;
	o.unit = WT_ESP_NODES;
	w = create(&o);
	for (size_t i = 0; i < w->job_count; i++) {
		assert_true(w->jobs[i].nodes >= 158 && w->jobs[i].nodes <= 5040);
		assert_int_equal(w->jobs[i].cpus, w->jobs[i].nodes * 16);
	}
	wt_workload_destroy(w);
}

static void test_smallest_machine(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_PARALLEL_LIGHT);
	struct wt_workload *w;

	(void) state;
	o.cpus = o.nodes = 1;
	w = create(&o);
	for (size_t i = 0; i < w->job_count; i++)
		assert_int_equal(w->jobs[i].cpus, 1);
	wt_workload_destroy(w);
}

static void expect_refused(const struct wt_esp_options *o, const char *text)
{
	struct wt_error err;

	errno = 0;
	assert_null(wt_esp_create(o, &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
}

static void test_bad_options(void **state)
{
	struct wt_esp_options o = curie(WT_ESP_LIGHT);

	(void) state;
	o.nodes = 0;
	expect_refused(&o, "a machine of 0 nodes with 80640 CPUs: it needs a node, and each node a CPU");
	o.nodes = 80641;
	expect_refused(&o, "a machine of 80641 nodes with 80640 CPUs: it needs a node, and each node a CPU");
	o = curie(WT_ESP_LIGHT);
	o.shared.time_scale = 0;
	expect_refused(&o, "time scale 0: give a number above 0, at most 1000");
	o.shared.time_scale = NAN;
	expect_refused(&o, "time scale nan: give a number above 0, at most 1000");
	o = curie(WT_ESP_LIGHT);
	o.burst_jobs = 231;
	expect_refused(&o, "a burst of 231 jobs: give 0 to 230");
	o = curie(WT_ESP_LIGHT);
	o.shared.limit_factor = 0.99;
	expect_refused(&o, "time limits of 0.99 times the run time: give a factor from 1 to 1000");
	o = curie(WT_ESP_LIGHT);
	o.arrival.max_s = 0.5;
	expect_refused(&o, "uniform arrivals between 1 s and 0.5 s: give 0 <= least <= most <= 1000000");
	o = curie((enum wt_esp_variant) 3);
	expect_refused(&o, "variant 3 of ESP is unknown");
	o = curie(WT_ESP_LIGHT);
	o.unit = (enum wt_esp_unit) 2;
	expect_refused(&o, "unit 2 of job sizes is unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_and_ideal_times),
		cmocka_unit_test(test_every_class_is_complete),
		cmocka_unit_test(test_z_is_last_and_alone),
		cmocka_unit_test(test_parallel_lanes_hold_one_class_each),
		cmocka_unit_test(test_golden_order_of_seed_1),
		cmocka_unit_test(test_order_depends_on_the_seed_only),
		cmocka_unit_test(test_burst_then_waits),
		cmocka_unit_test(test_burst_of_all_and_none),
		cmocka_unit_test(test_parallel_lanes_are_adapted),
		cmocka_unit_test(test_time_scale_scales_everything),
		cmocka_unit_test(test_whole_nodes),
		cmocka_unit_test(test_smallest_machine),
		cmocka_unit_test(test_bad_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
