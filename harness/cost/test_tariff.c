/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/cost/tariff.h"

static void add(struct cost_settings *s, const char *text)
{
	struct wt_error err;

	if (cost_settings_add(s, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void test_nothing_given(void **state)
{
	struct cost_settings s = { 0 };
	struct cost_tariff t;

	(void) state;
	cost_tariff_make(&s, 0, &t);
	assert_true(isnan(t.price));
	assert_int_equal(t.unit_us, 1000000);
	assert_int_equal(t.minimum_us, 0);
	assert_true(t.boot_paid && t.stop_paid);
	for (int i = 0; i < COST_STATES; i++)
		assert_true(isnan(t.watts[i]));
	assert_int_equal(cost_settings_check(&s, NULL), 0);
	assert_int_equal(cost_settings_nodes_check(&s, 0, NULL), 0);
	cost_settings_clear(&s);
}

static void test_a_class_takes_what_it_does_not_say_from_all(void **state)
{
	struct cost_settings s = { 0 };
	struct cost_tariff t;

	(void) state;
	add(&s, "n[0-3]:price=2.5");
	add(&s, "price=1");
	add(&s, "unit=3600");
	add(&s, "idle-watts=100");
	add(&s, "busy-watts=300");
	add(&s, "n[0-3]:boot=free");
	add(&s, "n[0-3]:boot-watts=250");
	assert_int_equal(s.class_count, 2);
	assert_int_equal(s.text_count, 7);
	assert_null(s.classes[0].nodes);
	assert_string_equal(s.classes[1].nodes, "n[0-3]");
	cost_tariff_make(&s, 0, &t);
	assert_true(t.price == 1 && t.boot_paid && t.watts[COST_BOOTING] == 100 && t.watts[COST_OFF] == 0);
	cost_tariff_make(&s, 1, &t);
	assert_true(t.price == 2.5 && !t.boot_paid && t.unit_us == 3600000000 && t.watts[COST_BOOTING] == 250);
	assert_true(t.watts[COST_STOPPING] == 100 && t.watts[COST_BUSY] == 300);
	assert_int_equal(cost_settings_check(&s, NULL), 0);
	cost_settings_clear(&s);
}

static void test_what_makes_no_sense_is_refused(void **state)
{
	static const char *const texts[] = {
		"", "price", "=1", ":price=1", "price=", "price=x", "price=-1", "price=nan", "price=0x10", "price=inf",
		"price=1 ", "price=1e400", "unit=0", "unit=1e99", "boot=yes", "boot=", "stop=PAID", "cost=1", "prices=1",
		"n[0-:price=1", "n[0-99999]:price=1", "idle_watts=1", "n0:n1:price=1", "minimum=-0.1",
	};
	struct cost_settings s = { 0 };
	struct wt_error err;

	(void) state;
	add(&s, "price=3");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		errno = 0;
		if (cost_settings_add(&s, texts[i], &err) == 0)
			fail_msg("'%s' was taken", texts[i]);
		assert_true(*err.text);
	}
	assert_int_equal(s.class_count, 1);
	assert_int_equal(s.text_count, 1);
	assert_int_equal(cost_settings_add(&s, "no", NULL), -1);
	cost_settings_clear(&s);
}

static void test_boundaries(void **state)
{
	struct cost_settings s = { 0 };
	struct cost_tariff t;

	(void) state;
	add(&s, "price=0");
	add(&s, "unit=0.001");
	add(&s, "minimum=31622400");
	add(&s, "price=1e9");
	cost_tariff_make(&s, 0, &t);
	assert_true(t.price == 1e9 && t.unit_us == 1000 && t.minimum_us == 31622400000000);
	cost_settings_clear(&s);
}

static void test_power_is_known_whole_or_not(void **state)
{
	static const char *const texts[] = { "idle-watts=1", "busy-watts=1", "off-watts=1", "n1:boot-watts=1" };
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cost_settings s = { 0 };

		add(&s, texts[i]);
		assert_int_equal(cost_settings_check(&s, &err), -1);
		assert_non_null(strstr(err.text, "both"));
		cost_settings_clear(&s);
	}
}

static void test_nodes_of_a_cluster(void **state)
{
	struct cost_settings s = { 0 };
	struct wt_error err;

	(void) state;
	add(&s, "n[0-3]:price=1");
	assert_int_equal(cost_settings_nodes_check(&s, 4, &err), 0);
	assert_int_equal(cost_settings_nodes_check(&s, 3, &err), -1);
	assert_non_null(strstr(err.text, "no node n3"));
	assert_int_equal(cost_settings_nodes_check(&s, 0, &err), -1);
	add(&s, "n01:price=1");
	assert_int_equal(cost_settings_nodes_check(&s, 4, &err), -1);
	cost_settings_clear(&s);
}

static void test_too_many_classes(void **state)
{
	struct cost_settings s = { 0 };
	struct wt_error err;
	char text[32];

	(void) state;
	for (int i = 0; i < COST_CLASSES_MAX - 1; i++) {
		snprintf(text, sizeof(text), "n%d:price=1", i);
		add(&s, text);
	}
	assert_int_equal(cost_settings_add(&s, "n999:price=1", &err), -1);
	assert_int_equal(errno, E2BIG);
	add(&s, "n0:price=2");
	cost_settings_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_given),
		cmocka_unit_test(test_a_class_takes_what_it_does_not_say_from_all),
		cmocka_unit_test(test_what_makes_no_sense_is_refused),
		cmocka_unit_test(test_boundaries),
		cmocka_unit_test(test_power_is_known_whole_or_not),
		cmocka_unit_test(test_nodes_of_a_cluster),
		cmocka_unit_test(test_too_many_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
