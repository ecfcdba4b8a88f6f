/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/supervisor/nodetrouble.h"

static void expect(const struct wt_nodetrouble *list, size_t count, const char *want)
{
	char *text = wt_nodetrouble_text(list, count);

	assert_non_null(text);
	if (strcmp(text, want))
		fail_msg("'%s' instead of '%s'", text, want);
	free(text);
}

static void test_grouped(void **state)
{
	const struct wt_nodetrouble list[] = {
		{ "n3", "drained", NULL }, { "n0", "refused", "gres/gpu count reported lower than configured (0 < 2)" },
		{ "n1", "refused", "gres/gpu count reported lower than configured (0 < 2)" }, { "n7", "down", "a fire" },
		{ "n8", "drained", "a fire" }, { "n9", "down", "a flood" },
	};

	(void) state;
	assert_null(wt_nodetrouble_text(list, 0));
	expect(list, 1, "n3 drained: no reason given; slurm.conf says so: leave its State= out, and use scontrol when the "
			"cluster is up");
	expect(list, 3, "n[0-1] (2 nodes) refused: gres/gpu count reported lower than configured (0 < 2); a gpu needs "
	       "devices (gres.conf); a resource of another name, such as fpga:2, does not; n3 drained: no reason given; "
	       "slurm.conf says so: leave "
	       "its State= out, and use scontrol when the cluster is up");
	expect(list + 3, 3, "n7 down: a fire; ctld/slurmctld.log says more; n8 drained: a fire; ctld/slurmctld.log says "
			    "more; "
	       "n9 down: a flood; ctld/slurmctld.log says more");
	expect(list + 2, 4, "n1 refused: gres/gpu count reported lower than configured (0 < 2); a gpu needs "
	       "devices (gres.conf); a resource of another name, such as fpga:2, does not; n7 down: a fire; "
	       "ctld/slurmctld.log says more; "
	       "n8 drained: a fire; ctld/slurmctld.log says more; and 1 more, for other reasons");
}

/* A cluster of the largest size: one range; and names with so many gaps that they are cut. */
static void test_many(void **state)
{
	enum { COUNT = 65536 };
	struct wt_nodetrouble *list = calloc(COUNT, sizeof(*list));
	char (*names)[16] = calloc(COUNT, sizeof(*names)), *text;

	(void) state;
	for (int i = 0; i < COUNT; i++) {
		snprintf(names[i], sizeof(names[i]), "n%d", i);
		list[i] = (struct wt_nodetrouble) { names[i], "refused",
						    "Low RealMemory (reported:1 < 100.00% of configured:2)" };
	}
	expect(list, COUNT, "n[0-65535] (65536 nodes) refused: Low RealMemory (reported:1 < 100.00% of configured:2); with "
			    "--set "
	       "SlurmdParameters=config_overrides slurmctld believes slurm.conf");
	for (int i = 0; i < 1000; i++)
		list[i].name = names[2 * i];
	text = wt_nodetrouble_text(list, 1000);
	assert_non_null(strstr(text, "... (1000 nodes) refused: Low"));
	assert_true(strlen(text) < 400);
	free(text);
	free(names);
	free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_grouped), cmocka_unit_test(test_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
