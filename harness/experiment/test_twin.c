/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdlib.h>

#include "harness/experiment/twin.h"

static void put(struct experiment_settings *all, const char *section, const char *key, const char *value)
{
	struct experiment_setting s = { (char *) section, (char *) key, (char *) value, 0 };

	assert_int_equal(experiment_settings_put(all, &s), 0);
}

static void given(struct twin_plan *twin)
{
	*twin = (struct twin_plan) { .command = "Made by: windtunnel twin", .seed = 3, .repeat = 2 };
	put(&twin->both, "workload", "kind", "light");
	put(&twin->real, "cluster", "real", "yes");
	put(&twin->real, "cluster", "partition", "it's");
}

static void done(struct twin_plan *twin)
{
	experiment_settings_clear(&twin->both);
	experiment_settings_clear(&twin->real);
	experiment_settings_clear(&twin->emulated);
}

/* The file is read again, as "experiment run" reads it. */
static char *file_of(const struct twin_plan *twin, struct experiment *e)
{
	struct wt_error error = { "" };
	char *text = twin_file(twin, &error);

	if (!text || experiment_parse(e, "twin.yaml", text, strlen(text), &error) < 0)
		fail_msg("%s\n%s", error.text, text ? text : "");
	return text;
}

static const char *value_of(const struct experiment *e, size_t variant, const char *section, const char *key)
{
	const struct experiment_setting *s = experiment_settings_find(&e->variants[variant].changes, section, key);

	return s ? s->value : NULL;
}

static void first_the_real_cluster(void **state)
{
	struct experiment e;
	struct twin_plan twin;
	char *text;

	(void) state;
	given(&twin);
	text = file_of(&twin, &e);
	assert_int_equal(e.variant_count, 1);
	assert_string_equal(e.variants[0].name, TWIN_REAL);
	assert_string_equal(value_of(&e, 0, "cluster", "partition"), "it's");
	assert_int_equal(e.seed, 3);
	assert_int_equal(e.repeat, 2);
	experiment_clear(&e);
	free(text);
	done(&twin);
}

static void then_its_emulation(void **state)
{
	struct experiment e;
	struct twin_plan twin;
	char *text;

	(void) state;
	given(&twin);
	twin.nodes = 4;
	twin.shape = "pack:1 core:16 pu:1";
	twin.memory = "1000";
	twin.conf = "/etc/slurm/slurm.conf";
	twin.launch = "gamma:0.400000,0.100000";
	put(&twin.emulated, "cluster", "shape", "pack:2 core:8 pu:1");
	put(&twin.emulated, "slurm.conf", "EpilogMsgTime", "1");
	text = file_of(&twin, &e);
	assert_int_equal(e.variant_count, 3);
	for (size_t v = 1; v < 3; v++) {
		assert_string_equal(value_of(&e, v, "cluster", "nodes"), "4");
		assert_string_equal(value_of(&e, v, "cluster", "shape"), "pack:2 core:8 pu:1");
		assert_string_equal(value_of(&e, v, "cluster", "memory"), "1000");
		assert_string_equal(value_of(&e, v, "cluster", "conf"), "/etc/slurm/slurm.conf");
		assert_string_equal(value_of(&e, v, "slurm.conf", "EpilogMsgTime"), "1");
		assert_null(value_of(&e, v, "cluster", "real"));
	}
	assert_null(value_of(&e, 1, "node", "launch-delay"));
	assert_string_equal(value_of(&e, 2, "node", "launch-delay"), "gamma:0.400000,0.100000");
	assert_null(value_of(&e, 2, "node", "epilog-time"));
	experiment_clear(&e);
	free(text);
	done(&twin);
}

static void the_emulation_of_a_site(void **state)
{
	struct experiment e;
	struct twin_plan twin;
	char *text;

	(void) state;
	given(&twin);
	twin.nodes = 3;
	twin.shape = "pack:1 core:16 pu:1";
	twin.memory = "1000";
	put(&twin.emulated, "cluster", "site", "/a/site");
	text = file_of(&twin, &e);
	assert_int_equal(e.variant_count, 2);	/* no delay is known */
	assert_null(value_of(&e, 1, "cluster", "nodes"));
	assert_null(value_of(&e, 1, "cluster", "shape"));
	assert_null(value_of(&e, 1, "cluster", "memory"));
	assert_string_equal(value_of(&e, 1, "cluster", "site"), "/a/site");
	experiment_clear(&e);
	free(text);
	done(&twin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_the_real_cluster),
		cmocka_unit_test(then_its_emulation),
		cmocka_unit_test(the_emulation_of_a_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
