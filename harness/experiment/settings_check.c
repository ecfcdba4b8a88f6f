/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/schedparams.h"
#include "harness/experiment/settings_check.h"
#include "lib/suggest.h"

#define KEY_MAX 64 /* bytes; Slurm's longest has 30 */

static int key_refuse(const struct experiment *e, unsigned long line, const char *key, struct wt_error *errp)
{
	size_t count;
	const struct wt_confkey *table = wt_confkey_table(NULL, &count);
	const char *near = wt_suggest(key, &table->name, count, sizeof(*table));

	return wt_error_set(errp, EINVAL, "%s:%lu: slurm.conf has no '%s'%s%s%s", e->path, line, key,
			    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The first word of the list that is a known one's typing error. */
static int words_check(const struct experiment *e, unsigned long line, const char *words, struct wt_error *errp)
{
	for (const char *at = words; *at; at += strcspn(at, ","), at += *at == ',') {
		char *word = strndup(at, strcspn(at, "=, ")), *unknown = NULL;
		const char *near = NULL;
		int rc = word ? 0 : wt_error_errno(errp, ENOMEM, "%s", e->path);

		if (rc == 0)
			unknown = wt_schedparams_unknown(word);
		if (unknown)
			near = wt_suggest(word, wt_schedparams_words, wt_schedparams_count, sizeof(*wt_schedparams_words));
		if (near)
			rc = wt_error_set(errp, EINVAL, "%s:%lu: SchedulerParameters has no '%s'; did you mean '%s'?",
					  e->path, line, word, near);
		free(unknown);
		free(word);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* "KEY", "KEY+", or "KEY.WORD"; value NULL: it is taken back. */
static int conf_check(const struct experiment *e, unsigned long line, const char *name, const char *value,
		      struct wt_error *errp)
{
	size_t len = strcspn(name, ".+");
	char key[KEY_MAX];

	if (len >= sizeof(key))
		return key_refuse(e, line, name, errp);
	memcpy(key, name, len);
	key[len] = 0;
	if (!wt_confkey_find(NULL, key) && !wt_confkey_other(NULL, key))
		return key_refuse(e, line, key, errp);
	if (strcasecmp(key, "SchedulerParameters"))
		return 0;
	if (name[len] == '.')
		value = name + len + 1;
	return value ? words_check(e, line, value, errp) : 0;
}

/* What windtunnel-esp(1) and windtunnel-run(1) submit; a name with a colon has a file behind it. */
static const char *const kinds[] = { "esp", "light", "parallel-light", "burst", "spaced", "lublin", "mapreduce",
				     "swf:", "batsim:", "jobs:", "dax:", "wfcommons:" };

/* A case would be refused by the verb that its kind seemed to be meant for, which knows of no others. */
static int kind_check(const struct experiment *e, unsigned long line, const char *kind, struct wt_error *errp)
{
	const size_t count = sizeof(kinds) / sizeof(kinds[0]);
	size_t len = strcspn(kind, ":"), at = 0;
	const char *near;

	len += kind[len] == ':';
	while (at < count && (strlen(kinds[at]) != len || strncmp(kinds[at], kind, len) != 0))
		at++;
	if (at < count && (kinds[at][len - 1] == ':') == (kind[len] != 0))
		return 0;
	near = wt_suggest(kind, kinds, 7, sizeof(*kinds));
	return wt_error_set(errp, EINVAL, "%s:%lu: workload: kind: '%s' is none of esp, light, parallel-light, burst, "
			    "spaced, lublin, mapreduce, swf:FILE, batsim:FILE, jobs:FILE, dax:FILE and wfcommons:FILE%s%s%s",
			    e->path, line, kind, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_kind(const char *section, const char *key)
{
	return !strcmp(section, "workload") && !strcmp(key, "kind");
}

static int changes_check(const struct experiment *e, const struct experiment_settings *settings, struct wt_error *errp)
{
	for (size_t i = 0; i < settings->count; i++) {
		const struct experiment_setting *s = &settings->items[i];

		if (!strcmp(s->section, "slurm.conf") && conf_check(e, s->line, s->key, s->value, errp) < 0)
			return -1;
		if (is_kind(s->section, s->key) && s->value && kind_check(e, s->line, s->value, errp) < 0)
			return -1;
	}
	return 0;
}

/* The value of a grid takes the place of the file's, which is what it is for; of a variant's own nothing would be left, and
 * the variant would be another one in its name only. */
static int axis_alone_check(const struct experiment *e, const struct experiment_axis *axis, struct wt_error *errp)
{
	for (const struct experiment_axis *one = e->axes; one < axis; one++)
		if (!strcmp(one->section, axis->section) && !strcasecmp(one->key, axis->key))
			return wt_error_set(errp, EINVAL, "%s:%lu: grid: %s.%s stands there twice", e->path, axis->line,
					    axis->section, axis->key);
	for (size_t v = 0; v < e->variant_count; v++) {
		const struct experiment_setting *s =
			experiment_settings_find(&e->variants[v].changes, axis->section, axis->key);

		if (s)
			return wt_error_set(errp, EINVAL, "%s:%lu: variant '%s' sets %s.%s, and the grid would take "
					    "its place: leave one of them out",
					    e->path, s->line, e->variants[v].name, axis->section, axis->key);
	}
	return 0;
}

static int axis_check(const struct experiment *e, const struct experiment_axis *axis, struct wt_error *errp)
{
	if (axis_alone_check(e, axis, errp) < 0)
		return -1;
	for (size_t v = 0; is_kind(axis->section, axis->key) && v < axis->value_count; v++)
		if (axis->values[v] && kind_check(e, axis->line, axis->values[v], errp) < 0)
			return -1;
	for (size_t v = 0; !strcmp(axis->section, "slurm.conf") && v < axis->value_count; v++)
		if (conf_check(e, axis->line, axis->key, axis->values[v], errp) < 0)
			return -1;
	return 0;
}

int settings_check(const struct experiment *e, struct wt_error *errp)
{
	if (changes_check(e, &e->base, errp) < 0)
		return -1;
	for (size_t v = 0; v < e->variant_count; v++)
		if (changes_check(e, &e->variants[v].changes, errp) < 0)
			return -1;
	for (size_t a = 0; a < e->axis_count; a++)
		if (axis_check(e, &e->axes[a], errp) < 0)
			return -1;
	return 0;
}
