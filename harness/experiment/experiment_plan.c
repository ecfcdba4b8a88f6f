/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/settings_table.h"
#include "lib/str.h"

#define FOLDER_NAME_MAX 100 /* bytes; NAME_MAX is 255, and a number may be put behind it */

static int option_add(struct experiment_case *c, char *option)
{
	char **options = option ? reallocarray(c->options, c->option_count + 1, sizeof(*options)) : NULL;

	if (!options) {
		free(option);
		return -1;
	}
	c->options = options;
	c->options[c->option_count++] = option;
	return 0;
}

/* A path that the file names is meant from where the file is. */
static char *path_from(const char *experiment_path, const char *path)
{
	const char *slash = strrchr(experiment_path, '/');

	if (*path == '/' || !slash)
		return strdup(path);
	return wt_str_format("%.*s/%s", (int) (slash - experiment_path), experiment_path, path);
}

static int file_add(struct experiment_case *c, const char *experiment_path, const char *option, const char *value)
{
	char *path = path_from(experiment_path, value);
	int rc = path ? option_add(c, wt_str_format("--%s=%s", option, path)) : -1;

	free(path);
	return rc;
}

static int list_add(struct experiment_case *c, const char *option, const char *list)
{
	for (const char *item = list; *item; item += strspn(item, ",")) {
		size_t len = strcspn(item, ",");

		if (len && option_add(c, wt_str_format("--%s=%.*s", option, (int) len, item)) < 0)
			return -1;
		item += len;
	}
	return 0;
}

static int kind_add(struct experiment_case *c, const char *experiment_path, const char *kind)
{
	const char *colon = strchr(kind, ':');
	char *path;
	int rc;

	free(c->verb);
	if (!strcmp(kind, "esp") || !strcmp(kind, "light") || !strcmp(kind, "parallel-light")) {
		c->verb = strdup("esp");
		return c->verb ? option_add(c, wt_str_format("--variant=%s", kind)) : -1;
	}
	c->verb = strdup("run");
	if (!c->verb || !colon)
		return c->verb ? option_add(c, wt_str_format("--workload=%s", kind)) : -1;
	path = path_from(experiment_path, colon + 1);
	rc = path ? option_add(c, wt_str_format("--workload=%.*s:%s", (int) (colon - kind), kind, path)) : -1;
	free(path);
	return rc;
}

/* "SchedulerParameters.bf_interval" is one word of the site's own list: it takes the place of an earlier one. */
static int conf_add(struct experiment_case *c, const char *key, const char *value)
{
	const char *point = strchr(key, '.');

	if (!point)
		return option_add(c, wt_str_format("--set=%s=%s", key, value));
	if (!strcmp(value, "true") || !strcmp(value, "yes"))
		return option_add(c, wt_str_format("--set=%.*s+=%s", (int) (point - key), key, point + 1));
	return option_add(c, wt_str_format("--set=%.*s+=%s=%s", (int) (point - key), key, point + 1, value));
}

static int setting_add(struct experiment_case *c, const char *experiment_path, const struct experiment_setting *s)
{
	switch (setting_find(s->section, s->key)->form) {
	case SETTING_VALUE:
		return option_add(c, wt_str_format("--%s=%s", s->key, s->value));
	case SETTING_FILE:
		return file_add(c, experiment_path, s->key, s->value);
	case SETTING_LIST:
		return list_add(c, s->key, s->value);
	case SETTING_FLAG:
		return strcmp(s->value, "true") ? 0 : option_add(c, wt_str_format("--%s", s->key));
	case SETTING_KIND:
		return kind_add(c, experiment_path, s->value);
	case SETTING_PAIR:
		return option_add(c, wt_str_format("--%s=%s=%s", s->section, s->key, s->value));
	case SETTING_CONF:
		return conf_add(c, s->key, s->value);
	}
	return 0;
}

/* The options behind those that have a line come from this one. */
static int lines_fill(struct experiment_case *c, unsigned long line)
{
	unsigned long *lines = reallocarray(c->lines, c->option_count + 1, sizeof(*lines));

	if (!lines)
		return -1;
	c->lines = lines;
	while (c->line_count < c->option_count)
		c->lines[c->line_count++] = line;
	return 0;
}

static int settings_over(struct experiment_settings *all, const struct experiment_settings *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		if (experiment_settings_put(all, &changes->items[i]) < 0)
			return -1;
	return 0;
}

/* The last axis changes fastest. */
char *experiment_grid_value(const struct experiment *e, size_t axis, size_t point)
{
	for (size_t a = e->axis_count; --a > axis;)
		point /= e->axes[a].value_count;
	return e->axes[axis].values[point % e->axes[axis].value_count];
}

const char *experiment_axis_name(const struct experiment_axis *axis)
{
	const char *point = strcmp(axis->section, "slurm.conf") ? NULL : strrchr(axis->key, '.');

	return point ? point + 1 : axis->key;
}

const char *experiment_value_name(const char *value)
{
	return value ? value : "as it is";
}

static int grid_over(struct experiment_settings *all, const struct experiment *e, size_t point)
{
	for (size_t a = 0; a < e->axis_count; a++) {
		const struct experiment_axis *axis = &e->axes[a];
		struct experiment_setting setting = {
			axis->section,
			axis->key,
			experiment_grid_value(e, a, point),
			axis->line,
		};

		if (experiment_settings_put(all, &setting) < 0)
			return -1;
	}
	return 0;
}

static int names_make(struct experiment_case *c, const struct experiment *e, const struct experiment_variant *variant,
		      size_t point)
{
	struct wt_str name = { 0 }, folder = { 0 };
	const char *between = "";

	if (variant) {
		wt_str_add(&name, variant->name);
		wt_str_add(&folder, variant->name);
		between = ", ";
	}
	for (size_t a = 0; a < e->axis_count; a++) {
		const struct experiment_axis *axis = &e->axes[a];
		const char *value = experiment_value_name(experiment_grid_value(e, a, point));

		wt_str_printf(&name, "%s%s %s", between, experiment_axis_name(axis), *value ? value : "(none)");
		wt_str_printf(&folder, "%s%s=%s", *between ? "_" : "", experiment_axis_name(axis), value);
		between = ", ";
	}
	if (!*between) {
		wt_str_add(&name, "all");
		wt_str_add(&folder, "all");
	}
	c->name = wt_str_take(&name);
	c->folder = wt_str_take(&folder);
	return c->name && c->folder ? 0 : -1;
}

/* Letters, digits and what no shell takes for its own stay; a name does not begin with a dot. */
static void folder_clean(char *folder)
{
	for (char *p = folder; *p; p++)
		if (!isalnum((unsigned char) *p) && (!strchr("._=+-", *p) || (p == folder && *p == '.')))
			*p = '-';
	if (strlen(folder) > FOLDER_NAME_MAX)
		/* Cut names may become equal: folder_make_unique () numbers them. */
		folder[FOLDER_NAME_MAX] = 0;
}

/* Also by what lies beside the cases' folders. */
static int folder_taken(const struct experiment_plan *plan, const char *folder)
{
	static const char *const ours[] = { "logs", "experiment.yaml", "report.html", "array.json", "index.sqlite",
					    "index.sqlite-journal", "index.sqlite-wal", "index.sqlite-shm" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(ours[i], folder))
			return 1;
	for (size_t i = 0; i < plan->count; i++)
		if (!strcmp(plan->cases[i].folder, folder))
			return 1;
	return 0;
}

/* "name", "name-2", "name-3": what differs only in letters that were replaced differs here as well. */
static int folder_make_unique(const struct experiment_plan *plan, struct experiment_case *c)
{
	char *plain, *numbered = NULL;

	folder_clean(c->folder);
	if (!folder_taken(plan, c->folder))
		return 0;
	plain = c->folder;
	c->folder = NULL;
	for (unsigned int n = 2; !c->folder; n++) {
		numbered = wt_str_format("%s-%u", plain, n);
		if (!numbered)
			break;
		if (folder_taken(plan, numbered))
			free(numbered);
		else
			c->folder = numbered;
	}
	free(plain);
	return c->folder ? 0 : -1;
}

static int case_fill(struct experiment_case *c, const struct experiment *e, const struct experiment_variant *variant,
		     size_t point)
{
	struct experiment_settings all = { 0 };
	int rc = settings_over(&all, &e->base);

	if (rc == 0 && variant)
		rc = settings_over(&all, &variant->changes);
	if (rc == 0)
		rc = grid_over(&all, e, point);
	for (size_t i = 0; rc == 0 && i < all.count; i++)
		if (all.items[i].value)
			rc = setting_add(c, e->path, &all.items[i]) < 0 ? -1 : lines_fill(c, all.items[i].line);
	experiment_settings_clear(&all);
	return rc == 0 ? names_make(c, e, variant, point) : -1;
}

static void case_clear(struct experiment_case *c)
{
	for (size_t i = 0; i < c->option_count; i++)
		free(c->options[i]);
	free(c->options);
	free(c->lines);
	free(c->name);
	free(c->folder);
	free(c->verb);
}

/* A variant's own name, which may have brackets and stars in it, is no pattern. */
static bool is_wanted(const struct experiment *e, size_t variant, const char *name, const char *only)
{
	if (!only)
		return true;
	for (size_t v = 0; v < e->variant_count; v++)
		if (!strcmp(e->variants[v].name, only))
			return v == variant;
	return !strcmp(name, only) || fnmatch(only, name, FNM_NOESCAPE) == 0;
}

static int case_add(struct experiment_plan *plan, const struct experiment *e, const struct experiment_variant *variant,
		    size_t point, const char *only, struct wt_error *errp)
{
	struct experiment_case *cases = reallocarray(plan->cases, plan->count + 1, sizeof(*cases)), one = { .point = point };

	if (cases)
		plan->cases = cases;
	if (!cases || case_fill(&one, e, variant, point) < 0 || folder_make_unique(plan, &one) < 0) {
		case_clear(&one);
		return wt_error_errno(errp, ENOMEM, "%s", e->path);
	}
	one.variant = variant ? (size_t) (variant - e->variants) : 0;
	one.wanted = is_wanted(e, one.variant, one.name, only);
	plan->cases[plan->count++] = one;
	if (!one.verb)
		return wt_error_set(errp, EINVAL, "%s: %s: the workload has no kind; give workload: {kind: light}, say",
				    e->path, one.name);
	return 0;
}

static int variants_add(struct experiment_plan *plan, const struct experiment *e, const char *only, size_t points,
			struct wt_error *errp)
{
	size_t variants = e->variant_count ? e->variant_count : 1;
	bool found = false;

	for (size_t v = 0; v < variants; v++) {
		const struct experiment_variant *variant = e->variant_count ? &e->variants[v] : NULL;

		for (size_t point = 0; point < points; point++) {
			if (case_add(plan, e, variant, point, only, errp) < 0)
				return -1;
			found = found || plan->cases[plan->count - 1].wanted;
		}
	}
	return found ? 0 : wt_error_set(errp, EINVAL, "%s has no variant '%s', and no case of that name", e->path, only);
}

int experiment_plan_make(struct experiment_plan *plan, const struct experiment *e, const char *only, struct wt_error *errp)
{
	size_t points = 1;

	memset(plan, 0, sizeof(*plan));
	for (size_t a = 0; a < e->axis_count && points <= EXPERIMENT_CASES_MAX; a++)
		points *= e->axes[a].value_count;
	if (points * (e->variant_count ? e->variant_count : 1) > EXPERIMENT_CASES_MAX)
		return wt_error_set(errp, EINVAL, "%s: more than %d cases", e->path, EXPERIMENT_CASES_MAX);
	return variants_add(plan, e, only, points, errp);
}

void experiment_plan_clear(struct experiment_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		case_clear(&plan->cases[i]);
	free(plan->cases);
	memset(plan, 0, sizeof(*plan));
}
