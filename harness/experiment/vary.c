/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/schedparams.h"
#include "harness/experiment/settings_table.h"
#include "harness/experiment/vary.h"
#include "lib/str.h"
#include "lib/suggest.h"

#define NAMES_MAX 256 /* settings and words, to suggest from */

/* ---- names --------------------------------------------------------------------------------------------------------- */

static bool conf_key(const char *name, size_t len)
{
	char key[64];

	if (len && name[len - 1] == '+')
		len--;
	if (!len || len >= sizeof(key))
		return false;
	memcpy(key, name, len);
	key[len] = 0;
	return wt_confkey_find(NULL, key) || wt_confkey_other(NULL, key);
}

/* Words of newer Slurms are told as SchedulerParameters.WORD: slurmctld passes over a mistyped one. */
static const char *scheduler_word(const char *name)
{
	for (size_t i = 0; i < wt_schedparams_count; i++)
		if (!strcasecmp(wt_schedparams_words[i], name))
			return wt_schedparams_words[i];
	return NULL;
}

static const struct setting_info *own_setting(const char *key)
{
	for (size_t i = 0; i < setting_info_count; i++)
		if (setting_infos[i].key && !strcmp(setting_infos[i].key, key))
			return &setting_infos[i];
	return NULL;
}

/* "cluster.plugin", "slurm.conf.EpilogMsgTime": the length of the section, or 0. */
static size_t section_length(const char *name)
{
	static const char conf[] = "slurm.conf.";
	size_t len = strncmp(name, conf, strlen(conf)) ? strcspn(name, ".") : strlen(conf) - 1;
	char *section = name[len] == '.' && name[len + 1] ? strndup(name, len) : NULL;
	size_t found = section && setting_section_exists(section) ? len : 0;

	free(section);
	return found;
}

static int name_refuse(const char *name, struct wt_error *errp)
{
	const char *names[NAMES_MAX], *near;
	size_t count = 0;

	for (size_t i = 0; i < wt_schedparams_count && count < NAMES_MAX; i++)
		names[count++] = wt_schedparams_words[i];
	for (size_t i = 0; i < setting_info_count && count < NAMES_MAX; i++)
		if (setting_infos[i].key)
			names[count++] = setting_infos[i].key;
	near = wt_suggest(name, names, count, sizeof(names[0]));
	return wt_error_set(errp, EINVAL, "'%s' is neither a key of slurm.conf, nor a word of SchedulerParameters, nor a "
			    "setting of an experiment%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
			    near ? "'?" : "");
}

/* Section and key of a name, to be freed.  0, or -1 with EINVAL or ENOMEM. */
static int name_resolve(const char *name, char **section, char **key, struct wt_error *errp)
{
	size_t len = section_length(name), point = strcspn(name, ".");

	*section = *key = NULL;
	if (len) {
		*section = strndup(name, len);
		*key = strdup(name + len + 1);
		if (*section && *key && !setting_find(*section, *key))
			return wt_error_set(errp, EINVAL, "%s has no '%s'", *section, *key);
	} else if (own_setting(name)) {
		*section = strdup(own_setting(name)->section);
		*key = strdup(name);
	} else if (scheduler_word(name)) {
		*section = strdup("slurm.conf");
		*key = wt_str_format("SchedulerParameters.%s", scheduler_word(name));
	} else if (conf_key(name, point) && (!name[point] || name[point + 1])) {
		*section = strdup("slurm.conf");
		*key = strdup(name);
	} else {
		return name_refuse(name, errp);
	}
	return *section && *key ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);
}

/* The name before the first '=', which is not empty; NULL with *errp. */
static char *name_cut(const char *text, const char **value, struct wt_error *errp)
{
	const char *equals = strchr(text, '=');
	char *name;

	/* A line of slurm.conf ends at a newline: what follows would be a setting that nobody asked for. */
	for (const char *c = text; *c; c++)
		if (iscntrl((unsigned char) *c)) {
			wt_error_set(errp, EINVAL, "'%.*s...': a newline, or another control character, stands in it",
				     (int) (c - text), text);
			return NULL;
		}
	if (!equals || equals == text) {
		wt_error_set(errp, EINVAL, "'%s': give NAME=VALUE", text);
		return NULL;
	}
	*value = equals + 1;
	name = strndup(text, (size_t) (equals - text));
	if (!name)
		wt_error_errno(errp, ENOMEM, "%s", text);
	return name;
}

/* ---- what is varied ------------------------------------------------------------------------------------------------ */

static int value_add(struct experiment_axis *axis, const char *text, size_t len, struct wt_error *errp)
{
	bool own = len == strlen("site") && !strncmp(text, "site", len);
	char **values = reallocarray(axis->values, axis->value_count + 1, sizeof(*values)), *value = NULL;

	if (values)
		axis->values = values;
	if (values && !own)
		value = strndup(text, len);
	if (!values || (!own && !value))
		return wt_error_errno(errp, ENOMEM, "%s", axis->key);
	for (size_t i = 0; i < axis->value_count; i++)
		if (value ? values[i] && !strcmp(value, values[i]) : !values[i]) {
			wt_error_set(errp, EINVAL, "%s: the value '%s' stands there twice", axis->key,
				     value ? value : "site");
			free(value);
			return -1;
		}
	values[axis->value_count++] = value;
	return 0;
}

static int values_add(struct experiment_axis *axis, const char *text, struct wt_error *errp)
{
	const char *between = strchr(text, ';') ? ";" : ",";

	for (;;) {
		size_t len = strcspn(text, between);

		if (axis->value_count >= EXPERIMENT_CASES_MAX)
			return wt_error_set(errp, EINVAL, "%s: more than %d values", axis->key, EXPERIMENT_CASES_MAX);
		if (value_add(axis, text, len, errp) < 0)
			return -1;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

static int axis_check(const struct vary *vary, const struct experiment_axis *axis, struct wt_error *errp)
{
	for (const struct experiment_axis *one = vary->axes; one < axis; one++)
		if (!strcmp(one->section, axis->section) && !strcasecmp(one->key, axis->key))
			return wt_error_set(errp, EINVAL, "%s is named twice", axis->key);
	return 0;
}

int wt_vary_axis(struct vary *vary, const char *text, struct wt_error *errp)
{
	struct experiment_axis *axes, *axis;
	const char *values;
	char *name = name_cut(text, &values, errp);
	int rc;

	if (!name)
		return -1;
	axes = reallocarray(vary->axes, vary->axis_count + 1, sizeof(*axes));
	if (!axes) {
		free(name);
		return wt_error_errno(errp, ENOMEM, "%s", text);
	}
	vary->axes = axes;
	axis = &axes[vary->axis_count++];
	*axis = (struct experiment_axis) { 0 };
	rc = name_resolve(name, &axis->section, &axis->key, errp);
	if (rc == 0)
		rc = axis_check(vary, axis, errp);
	if (rc == 0)
		rc = values_add(axis, values, errp);
	free(name);
	return rc;
}

int wt_vary_setting(struct vary *vary, const char *text, struct wt_error *errp)
{
	struct experiment_setting setting = { 0 };
	const char *value;
	char *name = name_cut(text, &value, errp);
	int rc = name ? name_resolve(name, &setting.section, &setting.key, errp) : -1;

	setting.value = (char *) value;
	if (rc == 0 && experiment_settings_put(&vary->settings, &setting) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", text);
	if (name) {
		free(setting.section);
		free(setting.key);
	}
	free(name);
	return rc;
}

void wt_vary_clear(struct vary *vary)
{
	for (size_t a = 0; a < vary->axis_count; a++) {
		for (size_t i = 0; i < vary->axes[a].value_count; i++)
			free(vary->axes[a].values[i]);
		free(vary->axes[a].values);
		free(vary->axes[a].section);
		free(vary->axes[a].key);
	}
	free(vary->axes);
	experiment_settings_clear(&vary->settings);
	*vary = (struct vary) { 0 };
}
