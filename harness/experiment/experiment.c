/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/experiment/experiment.h"

static int setting_copy(struct experiment_setting *to, const struct experiment_setting *from)
{
	*to = (struct experiment_setting){
		.section = strdup(from->section),
		.key = strdup(from->key),
		.value = from->value ? strdup(from->value) : NULL,
		.line = from->line,
	};
	return to->section && to->key && (to->value || !from->value) ? 0 : -1;
}

static void setting_clear(struct experiment_setting *s)
{
	free(s->section);
	free(s->key);
	free(s->value);
}

/* Slurm takes no notice of the case of its keys. */
static bool setting_is(const struct experiment_setting *s, const char *section, const char *key)
{
	if (strcmp(s->section, section))
		return false;
	return strcmp(section, "slurm.conf") ? !strcmp(s->key, key) : !strcasecmp(s->key, key);
}

int experiment_settings_put(struct experiment_settings *settings, const struct experiment_setting *setting)
{
	struct experiment_setting *items, copy;

	if (setting_copy(&copy, setting) < 0) {
		setting_clear(&copy);
		return -1;
	}
	for (size_t i = 0; i < settings->count; i++)
		if (setting_is(&settings->items[i], copy.section, copy.key)) {
			setting_clear(&settings->items[i]);
			settings->items[i] = copy;
			return 0;
		}
	items = reallocarray(settings->items, settings->count + 1, sizeof(*items));
	if (!items) {
		setting_clear(&copy);
		return -1;
	}
	settings->items = items;
	settings->items[settings->count++] = copy;
	return 0;
}

const struct experiment_setting *experiment_settings_find(const struct experiment_settings *settings, const char *section,
							  const char *key)
{
	for (size_t i = 0; i < settings->count; i++)
		if (setting_is(&settings->items[i], section, key))
			return &settings->items[i];
	return NULL;
}

void experiment_settings_clear(struct experiment_settings *settings)
{
	for (size_t i = 0; i < settings->count; i++)
		setting_clear(&settings->items[i]);
	free(settings->items);
	memset(settings, 0, sizeof(*settings));
}

static void axis_clear(struct experiment_axis *axis)
{
	for (size_t i = 0; i < axis->value_count; i++)
		free(axis->values[i]);
	free(axis->values);
	free(axis->section);
	free(axis->key);
}

void experiment_clear(struct experiment *e)
{
	experiment_settings_clear(&e->base);
	for (size_t i = 0; i < e->variant_count; i++) {
		free(e->variants[i].name);
		experiment_settings_clear(&e->variants[i].changes);
	}
	for (size_t i = 0; i < e->axis_count; i++)
		axis_clear(&e->axes[i]);
	free(e->variants);
	free(e->axes);
	free(e->figures);
	free(e->path);
	free(e->title);
	memset(e, 0, sizeof(*e));
}
