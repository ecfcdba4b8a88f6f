/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "esp/esp.h"

/* The sizes that Table 1 prints in parentheses. */
static void test_sizes_of_table_1(void **state)
{
	static const uint32_t light[] = {
		2520, 5040, 40320, 20160, 40320, 5040, 10080, 12757, 2520, 5040, 7717, 10080, 20160, 80640,
	};
	static const uint32_t parallel[] = {
		252, 504, 4032, 2016, 4032, 504, 1008, 1276, 252, 504, 772, 1008, 2016, 80640,
	};

	(void) state;
	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++) {
		const struct wt_esp_class *c = wt_esp_classes(WT_ESP_PARALLEL_LIGHT);

		assert_int_equal(wt_esp_size(wt_esp_classes(WT_ESP_NORMAL)[i].fraction, 80640, WT_ESP_CPUS), light[i]);
		assert_int_equal(wt_esp_size(wt_esp_classes(WT_ESP_LIGHT)[i].fraction, 80640, WT_ESP_CPUS), light[i]);
		assert_int_equal(wt_esp_size(c[i].fraction, 80640, WT_ESP_CPUS), parallel[i]);
	}
}

static void test_sizes_in_nodes(void **state)
{
	static const uint32_t nodes[] = { 158, 315, 2520, 1260, 2520, 315, 630, 798, 158, 315, 483, 630, 1260, 5040 };

	(void) state;
	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		assert_int_equal(wt_esp_size(wt_esp_classes(WT_ESP_LIGHT)[i].fraction, 5040, WT_ESP_NODES), nodes[i]);
	/* whole numbers stay whole, however the product comes out in binary */
	for (uint32_t k = 1; k < 200; k++) {
		assert_int_equal(wt_esp_size(0.00957, 100000 * k, WT_ESP_NODES), 957 * k);
		assert_int_equal(wt_esp_size(0.1582, 10000 * k, WT_ESP_NODES), 1582 * k);
	}
}

static void test_sizes_at_the_ends(void **state)
{
	(void) state;
	assert_int_equal(wt_esp_size(0.003125, 1, WT_ESP_CPUS), 1);
	assert_int_equal(wt_esp_size(0.003125, 1, WT_ESP_NODES), 1);
	assert_int_equal(wt_esp_size(1, 1048576, WT_ESP_CPUS), 1048576);
	assert_int_equal(wt_esp_size(1, UINT32_MAX, WT_ESP_NODES), UINT32_MAX);
}

static void test_names(void **state)
{
	enum wt_esp_variant variant;
	enum wt_esp_unit unit;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_esp_variant_parse("parallel-light", &variant, NULL), 0);
	assert_int_equal(variant, WT_ESP_PARALLEL_LIGHT);
	assert_int_equal(wt_esp_variant_parse("esp", &variant, NULL), 0);
	assert_int_equal(variant, WT_ESP_NORMAL);
	assert_string_equal(wt_esp_variant_name(WT_ESP_LIGHT), "light");
	assert_string_equal(wt_esp_workload_name(WT_ESP_LIGHT), "light-esp");
	assert_int_equal(wt_esp_variant_parse("heavy", &variant, &err), -1);
	assert_string_equal(err.text, "'heavy' is not a variant of ESP: give esp, light or parallel-light");
	assert_int_equal(wt_esp_unit_parse("nodes", &unit, NULL), 0);
	assert_int_equal(unit, WT_ESP_NODES);
	assert_string_equal(wt_esp_unit_name(WT_ESP_CPUS), "cpus");
	assert_int_equal(wt_esp_unit_parse("", &unit, &err), -1);
	assert_string_equal(err.text, "'' is not a unit of job sizes: give cpus or nodes");
}

static void test_sums(void **state)
{
	static const uint32_t jobs[] = { 230, 230, 2282 };
	/* Table 1 prints 10773 for ESP, but its lines add up to 11002.9; 935 for both others is their sum. */
	static const double ideal_s[] = { 11002.916, 935.2093, 935.2093 };

	(void) state;
	for (int v = WT_ESP_NORMAL; v <= WT_ESP_PARALLEL_LIGHT; v++) {
		const struct wt_esp_class *classes = wt_esp_classes((enum wt_esp_variant) v);
		uint32_t count = 0;

		for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
			count += classes[i].job_count;
		assert_int_equal(count, jobs[v]);
		assert_float_equal(wt_esp_ideal_s((enum wt_esp_variant) v, 1), ideal_s[v], 0.001);
	}
	assert_float_equal(wt_esp_ideal_s(WT_ESP_LIGHT, 0.1), 93.52093, 1e-4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_of_table_1),
		cmocka_unit_test(test_sizes_in_nodes),
		cmocka_unit_test(test_sizes_at_the_ends),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
