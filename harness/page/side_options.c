/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which options, versions and machines the variants' runs differ, from their scenario.json. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/side.h"
#include "lib/json.h"

#define ROWS_MAX   40
#define ROWS_SHORT 6	/* more are behind a click */

/* What differs between any two runs, and says nothing about them. */
static bool ignored(const char *path)
{
	static const char *const paths[] = { "tag", "cluster", "workload", "trace", "options.seed", "options.repeat",
					     "options.timeout_s", "options.keep_going", "machine.load_average" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (!strcmp(path, paths[i]))
			return true;
	return false;
}

/* The value at a path of names with points between them; NULL: nothing, or null. */
static const json_t *value_at(const json_t *object, const char *path)
{
	char name[128];

	while (object && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		object = json_object_get(object, name);
		path += len + (path[len] == '.');
	}
	return json_is_null(object) || (json_is_array(object) && !json_array_size(object)) ? NULL : object;
}

static const json_t *scenario_of(const struct side *side, size_t variant)
{
	return side->input->runs[side->variants[variant].of->first].scenario;
}

static bool differs(const struct side *side, const char *path)
{
	const json_t *first = value_at(scenario_of(side, 0), path);

	for (size_t i = 1; i < side->count; i++) {
		const json_t *other = value_at(scenario_of(side, i), path);

		if ((first || other) && !(first && other && json_equal(first, other)))
			return true;
	}
	return false;
}

static void value_write(FILE *out, const json_t *value)
{
	char *text = json_is_string(value) ? NULL : wt_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT);
	const json_t *item;
	size_t i;

	if (json_is_string(value)) {
		html_text(out, json_string_value(value));
	} else if (json_is_array(value) && json_is_string(json_array_get(value, 0))) {
		json_array_foreach((json_t *) value, i, item) {
			fputs(i ? "<br>" : "", out);
			html_text(out, json_string_value(item));
		}
	} else if (value) {
		html_text(out, text);
	} else {
		fputs("\xe2\x80\x93", out);	/* a dash */
	}
	free(text);
}

/* As it is called on the command line: "options.own_cluster.set" is --set. */
static const char *option_name(const char *path)
{
	static const char *const groups[] = { "options.", "own_cluster." };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!strncmp(path, groups[i], strlen(groups[i])))
			path += strlen(groups[i]);
	return path;
}

static void row_write(const struct side *side, const char *path)
{
	FILE *out = side->section.out;

	fputs("<tr><th scope=\"row\">", out);
	html_name(out, option_name(path));
	fputs("</th>", out);
	for (size_t i = 0; i < side->count; i++) {
		fputs("<td>", out);
		value_write(out, value_at(scenario_of(side, i), path));
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

static int begin(const struct side *side)
{
	const char **columns = calloc(side->count + 2, sizeof(*columns));

	if (!columns)
		return -1;
	columns[0] = "option";
	for (size_t i = 0; i < side->count; i++)
		columns[i + 1] = side->variants[i].label;
	table_begin(&side->section, "class=\"options\"", "What was run differently", columns);
	free(columns);
	return 0;
}

/* The rows below 'object', each path once: those that an earlier variant has, too, are written already.  Those that differ
 * are counted in *rows, and written to a stream if 'write'. */
static void rows_walk(const struct side *side, size_t variant, const json_t *object, const char *path, size_t *rows,
		      bool write)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *) object, key, value) {
		char *name = wt_str_format("%s%s%s", path, *path ? "." : "", key);
		bool before = false;

		for (size_t i = 0; name && i < variant; i++)
			before |= value_at(scenario_of(side, i), name) != NULL;
		if (!name || ignored(name)) {
			;
		} else if (json_is_object(value)) {
			rows_walk(side, variant, value, name, rows, write);
		} else if (!before && value_at(scenario_of(side, variant), name) && differs(side, name)) {
			if (++*rows <= ROWS_MAX && write)
				row_write(side, name);
		}
		free(name);
	}
}

static size_t rows_write(const struct side *side, bool write)
{
	size_t rows = 0;

	for (size_t i = 0; i < side->count; i++)
		rows_walk(side, i, scenario_of(side, i), "", &rows, write);
	return rows;
}

int side_options_write(const struct side *side)
{
	FILE *out = side->section.out;
	/* Counted first, without writing: the summary above the table says how many there are. */
	size_t rows = rows_write(side, false), unknown = 0;

	if (side->count < 2)
		return 0;
	for (size_t i = 0; i < side->count; i++)
		unknown += !scenario_of(side, i);
	if (rows > ROWS_SHORT)
		fprintf(out, "<details><summary>%zu options differ</summary>\n", rows);
	if (rows) {
		if (begin(side) < 0)
			return -1;
		rows_write(side, true);
		table_end(&side->section);
	}
	if (rows > ROWS_MAX)
		fprintf(out, "<p class=\"none\">%zu more rows are left out.</p>\n", rows - ROWS_MAX);
	if (rows > ROWS_SHORT)
		fputs("</details>\n", out);
	if (unknown)
		fputs("<p class=\"none\">Not all have a scenario.json: what was run differently is not known.</p>\n", out);
	else if (!rows)
		fputs("<p>All options, versions and the machine are the same.</p>\n", out);
	return 0;
}
