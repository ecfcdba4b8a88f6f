/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* An experiment's file into a struct experiment.  Its depth is that of this code, so aliases can make neither circles nor
 * mountains. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/experiment/experiment.h"
#include "harness/experiment/settings_table.h"
#include "harness/experiment/yaml_reader.h"
#include "lib/fs.h"
#include "lib/str.h"

/* An experiment has some hundred lines: more than a MiB is another file by mistake. */
#define FILE_MAX        ((size_t) 1 << 20)
#define NAME_LENGTH_MAX 80

struct settings_reading {
	struct experiment_settings *settings;
	const char *section;
};

static int memory_refuse(const struct yaml_reader *reader, struct wt_error *errp)
{
	return wt_error_errno(errp, ENOMEM, "%s", reader->path);
}

static int key_check(struct yaml_reader *reader, const yaml_node_t *node, const char *section, const char *key,
		     struct wt_error *errp)
{
	const char *near;

	if (setting_find(section, key))
		return *key && !strchr(key, '=')
			       ? 0
			       : yaml_reader_refuse(reader, node, errp, "%s: '%s' is no name of a setting", section, key);
	near = setting_suggest(section, key);
	return yaml_reader_refuse(reader, node, errp, "%s has no '%s'%s%s%s", section, key, near ? "; did you mean '" : "",
				  near ? near : "", near ? "'?" : "");
}

static int item_join(struct yaml_reader *reader, const char *key, yaml_node_t *value, void *arg, struct wt_error *errp)
{
	const char *text = yaml_reader_text(reader, value, "list", errp);
	struct wt_str *s = arg;

	(void) key;
	if (!text)
		return -1;
	if (!*text || strchr(text, ','))
		return yaml_reader_refuse(reader, value, errp, "'%s': an item of a list is not empty and has no comma",
					  text);
	wt_str_printf(s, "%s%s", s->len ? "," : "", text);
	return 0;
}

static const char *flag_text(struct yaml_reader *reader, yaml_node_t *node, const char *key, const char *text,
			     struct wt_error *errp)
{
	if (!strcmp(text, "true") || !strcmp(text, "yes"))
		return "true";
	if (!strcmp(text, "false") || !strcmp(text, "no"))
		return "false";
	yaml_reader_refuse(reader, node, errp, "%s: give true or false", key);
	return NULL;
}

/* One word of a list ("SchedulerParameters.defer") can be put in, not taken out. */
static bool option_refused(const char *key, const char *text)
{
	return strchr(key, '.') && (!*text || !strcmp(text, "false") || !strcmp(text, "no"));
}

/* The value of a setting as the plan wants it; the caller frees it. */
static char *value_take(struct yaml_reader *reader, yaml_node_t *node, const char *section, const char *key,
			struct wt_error *errp)
{
	enum setting_form form = setting_find(section, key)->form;
	struct wt_str list = { 0 };
	const char *text;
	char *value;

	if (form == SETTING_LIST && node->type == YAML_SEQUENCE_NODE) {
		if (yaml_reader_list(reader, node, key, item_join, &list, errp) < 0) {
			wt_str_clear(&list);
			return NULL;
		}
		value = wt_str_take(&list);
	} else {
		text = yaml_reader_text(reader, node, key, errp);
		if (text && form == SETTING_FLAG)
			text = flag_text(reader, node, key, text, errp);
		if (!text)
			return NULL;
		if (form == SETTING_CONF && option_refused(key, text)) {
			yaml_reader_refuse(reader, node, errp, "%s: give a value, or true for a word alone", key);
			return NULL;
		}
		if (!*text && form != SETTING_CONF) {
			yaml_reader_refuse(reader, node, errp, "%s: the value is empty", key);
			return NULL;
		}
		value = strdup(text);
	}
	if (!value)
		memory_refuse(reader, errp);
	return value;
}

static int setting_take(struct yaml_reader *reader, const char *key, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct settings_reading *reading = arg;
	struct experiment_setting s = { (char *) reading->section, (char *) key, NULL, yaml_reader_line(node) };
	int rc;

	if (key_check(reader, node, reading->section, key, errp) < 0)
		return -1;
	/* "EpilogMsgTime" and "epilogmsgtime", or "slurm" here and above: the second would silently be all there is. */
	if (experiment_settings_find(reading->settings, reading->section, key))
		return yaml_reader_refuse(reader, node, errp, "%s: %s stands there twice", reading->section, key);
	if (!yaml_reader_is_null(node)) {
		s.value = value_take(reader, node, reading->section, key, errp);
		if (!s.value)
			return -1;
	}
	rc = experiment_settings_put(reading->settings, &s);
	free(s.value);
	return rc < 0 ? memory_refuse(reader, errp) : 0;
}

static int section_refuse(struct yaml_reader *reader, const yaml_node_t *node, const char *where, const char *name,
			  struct wt_error *errp)
{
	const char *near = setting_section_suggest(name);

	return yaml_reader_refuse(reader, node, errp, "%s has no '%s'%s%s%s", where, name, near ? "; did you mean '" : "",
				  near ? near : "", near ? "'?" : "");
}

/* "slurm: 24.11.5" where sections stand is short for "cluster: {slurm: 24.11.5}". */
static int section_take(struct yaml_reader *reader, const char *name, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct settings_reading reading = { arg, name };

	if (!strcmp(name, "slurm")) {
		reading.section = "cluster";
		return setting_take(reader, name, node, &reading, errp);
	}
	if (!setting_section_exists(name))
		return section_refuse(reader, node, "a variant", name, errp);
	if (yaml_reader_is_null(node)) /* a section whose lines are all comments */
		return 0;
	return yaml_reader_mapping(reader, node, name, setting_take, &reading, errp);
}

static int variant_name_check(struct yaml_reader *reader, const yaml_node_t *node, const char *name, struct wt_error *errp)
{
	if (*name && strlen(name) <= NAME_LENGTH_MAX)
		return 0;
	return yaml_reader_refuse(reader, node, errp, "a variant's name has 1 to %d bytes", NAME_LENGTH_MAX);
}

static int variant_take(struct yaml_reader *reader, const char *name, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct experiment *e = arg;
	struct experiment_variant *variants, *variant;

	if (variant_name_check(reader, node, name, errp) < 0)
		return -1;
	variants = reallocarray(e->variants, e->variant_count + 1, sizeof(*variants));
	if (!variants)
		return memory_refuse(reader, errp);
	e->variants = variants;
	variant = &variants[e->variant_count];
	*variant = (struct experiment_variant){ .name = strdup(name) };
	if (!variant->name)
		return memory_refuse(reader, errp);
	e->variant_count++;
	if (yaml_reader_is_null(node)) /* "stock:" changes nothing */
		return 0;
	return yaml_reader_mapping(reader, node, name, section_take, &variant->changes, errp);
}

static bool axis_has(const struct experiment_axis *axis, const char *value)
{
	for (size_t i = 0; i < axis->value_count; i++)
		if (value ? axis->values[i] && !strcmp(axis->values[i], value) : !axis->values[i])
			return true;
	return false;
}

static int axis_value_take(struct yaml_reader *reader, const char *key, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct experiment_axis *axis = arg;
	char **values, *value = NULL;

	(void) key;
	if (axis->value_count >= EXPERIMENT_CASES_MAX)
		return yaml_reader_refuse(reader, node, errp, "%s: more than %d values", axis->key, EXPERIMENT_CASES_MAX);
	if (!yaml_reader_is_null(node)) { /* else: as without it */
		value = value_take(reader, node, axis->section, axis->key, errp);
		if (!value)
			return -1;
	}
	if (axis_has(axis, value)) {
		yaml_reader_refuse(reader, node, errp, "%s: the value '%s' stands there twice", axis->key,
				   value ? value : "null");
		free(value);
		return -1;
	}
	values = reallocarray(axis->values, axis->value_count + 1, sizeof(*values));
	if (!values) {
		free(value);
		return memory_refuse(reader, errp);
	}
	axis->values = values;
	axis->values[axis->value_count++] = value;
	return 0;
}

/* "slurm.conf.EpilogMsgTime": the section is what stands before the last point, as no key has one but for
 * slurm.conf's "SchedulerParameters.bf_interval". */
static int axis_name_take(struct yaml_reader *reader, const char *name, const yaml_node_t *node,
			  struct experiment_axis *axis, struct wt_error *errp)
{
	static const char conf[] = "slurm.conf.";
	const char *point = strncmp(name, conf, strlen(conf)) ? strrchr(name, '.') : name + strlen(conf) - 1;

	if (!point || point == name)
		return yaml_reader_refuse(reader, node, errp, "grid: '%s': give SECTION.KEY, as in cluster.nodes", name);
	axis->section = strndup(name, (size_t) (point - name));
	axis->key = strdup(point + 1);
	if (!axis->section || !axis->key)
		return memory_refuse(reader, errp);
	if (!setting_section_exists(axis->section))
		return section_refuse(reader, node, "an experiment", axis->section, errp);
	return key_check(reader, node, axis->section, axis->key, errp);
}

static int axis_take(struct yaml_reader *reader, const char *name, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct experiment *e = arg;
	struct experiment_axis *axes = reallocarray(e->axes, e->axis_count + 1, sizeof(*axes)), *axis;

	if (!axes)
		return memory_refuse(reader, errp);
	e->axes = axes;
	axis = &axes[e->axis_count++];
	*axis = (struct experiment_axis){ .line = yaml_reader_line(node) };
	if (axis_name_take(reader, name, node, axis, errp) < 0 ||
	    yaml_reader_list(reader, node, name, axis_value_take, axis, errp) < 0)
		return -1;
	if (!axis->value_count)
		return yaml_reader_refuse(reader, node, errp, "grid: %s has no values", name);
	return 0;
}

/* Twice in the list, it would count as two comparisons in Holm's correction. */
static bool figure_before(const struct experiment *e, enum wt_figure_id figure)
{
	for (size_t i = 0; i < e->figure_count; i++)
		if (e->figures[i] == figure)
			return true;
	return false;
}

static int figure_take(struct yaml_reader *reader, const char *key, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	const char *name = yaml_reader_text(reader, node, "figures", errp);
	struct experiment *e = arg;

	(void) key;
	for (size_t f = 0; name && f < WT_FIG_COUNT; f++) {
		enum wt_figure_id *figures;

		if (strcmp(name, wt_figure_infos[f].key))
			continue;
		if (figure_before(e, (enum wt_figure_id) f))
			return yaml_reader_refuse(reader, node, errp, "figures: %s stands there twice", name);
		figures = reallocarray(e->figures, e->figure_count + 1, sizeof(*figures));
		if (!figures)
			return memory_refuse(reader, errp);
		e->figures = figures;
		e->figures[e->figure_count++] = (enum wt_figure_id) f;
		return 0;
	}
	return name ? yaml_reader_refuse(reader, node, errp,
					 "figures: '%s' is not a figure; windtunnel-run(5) names them all", name)
		    : -1;
}

static int number_take(struct yaml_reader *reader, const char *key, yaml_node_t *node, uint64_t min, uint64_t max,
		       uint64_t *number, struct wt_error *errp)
{
	const char *text = yaml_reader_text(reader, node, key, errp);

	if (!text)
		return -1;
	if (wt_str_to_u64(text, min, max, key, number, errp) == 0)
		return 0;
	return yaml_reader_refuse(reader, node, errp, "%s: give a whole number from %llu to %llu", key,
				  (unsigned long long) min, (unsigned long long) max);
}

static int title_take(struct yaml_reader *reader, yaml_node_t *node, struct experiment *e, struct wt_error *errp)
{
	const char *text = yaml_reader_text(reader, node, "title", errp);

	if (!text)
		return -1;
	free(e->title);
	e->title = strdup(text);
	return e->title ? 0 : memory_refuse(reader, errp);
}

static int top_take(struct yaml_reader *reader, const char *key, yaml_node_t *node, void *arg, struct wt_error *errp)
{
	struct experiment *e = arg;
	uint64_t number;

	if (!strcmp(key, "title"))
		return title_take(reader, node, e, errp);
	if (!strcmp(key, "seed"))
		return number_take(reader, key, node, 0, UINT64_MAX - EXPERIMENT_REPEAT_MAX, &e->seed, errp);
	if (!strcmp(key, "repeat")) {
		if (number_take(reader, key, node, 1, EXPERIMENT_REPEAT_MAX, &number, errp) < 0)
			return -1;
		e->repeat = (unsigned int) number;
		return 0;
	}
	if (!strcmp(key, "variants"))
		return yaml_reader_mapping(reader, node, key, variant_take, e, errp);
	if (!strcmp(key, "grid"))
		return yaml_reader_mapping(reader, node, key, axis_take, e, errp);
	if (!strcmp(key, "figures"))
		return yaml_reader_list(reader, node, key, figure_take, e, errp);
	if (!setting_section_exists(key) && strcmp(key, "slurm"))
		return section_refuse(reader, node, "an experiment", key, errp);
	return section_take(reader, key, node, &e->base, errp);
}

int experiment_parse(struct experiment *e, const char *path, const char *text, size_t len, struct wt_error *errp)
{
	struct yaml_reader reader;
	int rc;

	*e = (struct experiment){ .path = strdup(path), .title = strdup(""), .seed = 1, .repeat = 1 };
	if (!e->path || !e->title)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	rc = yaml_reader_open(&reader, path, text, len, errp);
	if (rc == 0 && !yaml_reader_root(&reader))
		rc = wt_error_set(errp, EINVAL, "%s: the file is empty", path);
	if (rc == 0)
		rc = yaml_reader_mapping(&reader, yaml_reader_root(&reader), "an experiment", top_take, e, errp);
	yaml_reader_close(&reader);
	return rc;
}

int experiment_read(struct experiment *e, const char *path, struct wt_error *errp)
{
	char *text;
	size_t len;
	int rc;

	memset(e, 0, sizeof(*e));
	if (wt_fs_read(path, FILE_MAX, &text, &len, errp) < 0)
		return -1;
	rc = experiment_parse(e, path, text, len, errp);
	free(text);
	return rc;
}
