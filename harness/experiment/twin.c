/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "harness/experiment/experiment_text.h"
#include "harness/experiment/twin.h"

static int put(struct experiment_settings *all, const char *section, const char *key, const char *value)
{
	struct experiment_setting s = { (char *) section, (char *) key, (char *) value, 0 };

	return experiment_settings_put(all, &s);
}

/* What the user says of the emulation stands above what was read from the real cluster. */
static int put_unless_given(struct experiment_settings *all, const struct experiment_settings *given, const char *section,
			    const char *key, const char *value)
{
	return !value || experiment_settings_find(given, section, key) ? 0 : put(all, section, key, value);
}

static int emulation_make(const struct twin_plan *twin, struct experiment_settings *all)
{
	const struct experiment_settings *given = &twin->emulated;
	char nodes[16];
	int rc = 0;

	snprintf(nodes, sizeof(nodes), "%" PRIu32, twin->nodes);
	if (!experiment_settings_find(given, "cluster", "site"))
		rc = put_unless_given(all, given, "cluster", "nodes", nodes) < 0 ||
		     put_unless_given(all, given, "cluster", "shape", twin->shape) < 0 ||
		     put_unless_given(all, given, "cluster", "memory", twin->memory) < 0 ||
		     put_unless_given(all, given, "cluster", "conf", twin->conf) < 0 ? -1 : 0;
	for (size_t i = 0; i < given->count && rc == 0; i++)
		rc = experiment_settings_put(all, &given->items[i]);
	return rc;
}

static void variant_add(struct wt_str *s, const char *name, const struct experiment_settings *all)
{
	wt_str_printf(s, "  %s:\n", name);
	experiment_text_settings(s, all, 4);
}

static int emulations_add(struct wt_str *s, const struct twin_plan *twin)
{
	struct experiment_settings all = { 0 };
	int rc = emulation_make(twin, &all);

	if (rc == 0)
		variant_add(s, TWIN_EMULATED, &all);
	if (rc == 0 && (twin->launch || twin->epilog)) {
		rc = put_unless_given(&all, &twin->emulated, "node", "launch-delay", twin->launch) < 0 ||
		     put_unless_given(&all, &twin->emulated, "node", "epilog-time", twin->epilog) < 0 ? -1 : 0;
		variant_add(s, TWIN_EMULATED " with delays", &all);
	}
	experiment_settings_clear(&all);
	return rc;
}

char *twin_file(const struct twin_plan *twin, struct wt_error *errp)
{
	struct wt_str s = { 0 };
	char *text;

	experiment_text_head(&s, twin->command, "A real cluster and its emulation: do they give the same schedule?",
			     twin->seed, twin->repeat);
	wt_str_add(&s, "figures: [makespan_s, wait_mean_s, utilization, turnaround_mean_s, bounded_slowdown_mean]\n");
	experiment_text_settings(&s, &twin->both, 0);
	wt_str_add(&s, "variants:\n");
	variant_add(&s, TWIN_REAL, &twin->real);
	if (twin->nodes && emulations_add(&s, twin) < 0)
		s.failed = true;
	text = wt_str_take(&s);
	if (!text)
		wt_error_errno(errp, ENOMEM, "experiment");
	return text;
}
