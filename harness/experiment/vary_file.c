/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vary.h: the experiment's file. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/experiment/experiment_text.h"
#include "harness/experiment/vary.h"
#include "lib/str.h"

/* What is there for all cases, if nobody says otherwise. */
static int defaults_put(const struct vary *vary, struct experiment_settings *all)
{
	char *kind = wt_str_format("jobs:%s/jobs.jsonl", vary->site);
	const char *const rows[][3] = {
		{ "workload", "kind", kind }, { "cluster", "site", vary->site },
		{ "cluster", "clock", "virtual" }, { "cluster", "charge", "none" },
	};
	int rc = kind ? 0 : -1;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && rc == 0; i++) {
		struct experiment_setting s = { (char *) rows[i][0], (char *) rows[i][1], (char *) rows[i][2], 0 };

		rc = experiment_settings_put(all, &s);
	}
	for (size_t i = 0; i < vary->settings.count && rc == 0; i++)
		rc = experiment_settings_put(all, &vary->settings.items[i]);
	free(kind);
	return rc;
}

static void grid_add(struct wt_str *s, const struct vary *vary)
{
	wt_str_add(s, "grid:  # ~: as the site has it\n");
	for (size_t a = 0; a < vary->axis_count; a++) {
		const struct experiment_axis *axis = &vary->axes[a];
		char *name = wt_str_format("%s.%s", axis->section, axis->key);

		wt_str_add(s, "  ");
		experiment_text_quoted(s, name ? name : "");
		s->failed = s->failed || !name;
		free(name);
		wt_str_add(s, ": [");
		for (size_t i = 0; i < axis->value_count; i++) {
			wt_str_add(s, i ? ", " : "");
			if (axis->values[i])
				experiment_text_quoted(s, axis->values[i]);
			else
				wt_str_add(s, "~");
		}
		wt_str_add(s, "]\n");
	}
}

static void head_add(struct wt_str *s, const struct vary *vary)
{
	const char *slash = strrchr(vary->site, '/');
	struct wt_str names = { 0 };
	char *title;

	for (size_t a = 0; a < vary->axis_count; a++) {
		const char *key = vary->axes[a].key, *point = strrchr(key, '.');

		wt_str_printf(&names, "%s%s", !a ? "" : a + 1 < vary->axis_count ? ", " : " and ", point ? point + 1 : key);
	}
	wt_str_printf(&names, " on %s: who waits longer, and who less?", slash && slash[1] ? slash + 1 : vary->site);
	title = wt_str_take(&names);
	s->failed = s->failed || !title;
	experiment_text_head(s, vary->command, title ? title : "", vary->seed, vary->repeat);
	wt_str_add(s, "figures: [wait_mean_s, makespan_s, utilization]\n");
	free(title);
}

static int vary_check(const struct vary *vary, struct wt_error *errp)
{
	size_t cases = vary->axis_count ? 1 : 0;

	for (size_t a = 0; a < vary->axis_count && cases <= EXPERIMENT_CASES_MAX; a++)
		cases *= vary->axes[a].value_count;
	if (cases < 2)
		return wt_error_set(errp, EINVAL, "give two values at least; 'site' is the site's own, as in "
				    "bf_interval=site,120");
	for (size_t a = 0; a < vary->axis_count; a++)
		if (experiment_settings_find(&vary->settings, vary->axes[a].section, vary->axes[a].key))
			return wt_error_set(errp, EINVAL, "%s is varied, and set for all cases", vary->axes[a].key);
	return 0;
}

char *wt_vary_file(const struct vary *vary, struct wt_error *errp)
{
	struct experiment_settings all = { 0 };
	struct wt_str s = { 0 };
	char *text = NULL;

	if (vary_check(vary, errp) < 0)
		return NULL;
	head_add(&s, vary);
	s.failed = defaults_put(vary, &all) < 0 || s.failed;
	experiment_text_settings(&s, &all, 0);
	grid_add(&s, vary);
	experiment_settings_clear(&all);
	text = wt_str_take(&s);
	if (!text)
		wt_error_errno(errp, ENOMEM, "experiment");
	return text;
}
