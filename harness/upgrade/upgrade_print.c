/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_report.h"

#include <stdlib.h>
#include <string.h>

#include "lib/str.h"
#include "lib/table.h"

#define SHOWN_MAX 20
#define VALUE_MAX 60

int upgrade_status(const struct upgrade_hop *hops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hops[i].refused || hops[i].control_refused || upgrade_lost(&hops[i].result))
			return 1;
	return 0;
}

/* A foreign value, in a cell. */
static void value_cell(struct wt_table *table, const char *value)
{
	char *line = value ? wt_str_make_line(value, VALUE_MAX) : NULL;

	wt_table_cell(table, "%s", !value ? "(not there)" : !line ? "?" : *line ? line : "(empty)");
	free(line);
}

static void record_cells(struct wt_table *table, enum upgrade_kind kind, const struct upgrade_record *record)
{
	const char *name = kind == UPGRADE_JOB ? upgrade_record_get(record, "JobName") : "";
	char *key = wt_str_make_line(record->key, VALUE_MAX), *shown = wt_str_make_line(name ? name : "", VALUE_MAX);

	wt_table_cell(table, "%s %s", upgrade_kind_word(kind), key ? key : "?");
	wt_table_cell(table, "%s", shown ? shown : "?");
	free(key);
	free(shown);
}

static void rest_print(FILE *out, size_t count)
{
	if (count > SHOWN_MAX)
		fprintf(out, "    ... and %zu more (upgrade.json has all)\n", count - SHOWN_MAX);
}

static void tallies_print(FILE *out, const struct upgrade_result *result)
{
	struct wt_table *table = wt_table_create("lrrrrrr");
	static const char *const heads[] = { "", "before", "kept", "changed", "lost", "ended before, forgotten", "new" };

	for (size_t i = 0; table && i < sizeof(heads) / sizeof(*heads); i++)
		wt_table_cell(table, "%s", heads[i]);
	for (int kind = 0; table && kind < UPGRADE_KINDS; kind++) {
		const struct upgrade_tally *t = &result->tallies[kind];

		wt_table_cell(table, "%s", upgrade_kind_plural((enum upgrade_kind) kind));
		wt_table_cell(table, "%zu", t->before);
		wt_table_cell(table, "%zu", t->kept);
		wt_table_cell(table, "%zu", t->changed);
		wt_table_cell(table, "%zu", t->lost);
		wt_table_cell(table, "%zu", t->forgotten);
		wt_table_cell(table, "%zu", t->appeared);
	}
	if (table)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
}

static void losses_print(FILE *out, const struct upgrade_result *result)
{
	struct wt_table *table = result->loss_count ? wt_table_create("lll") : NULL;

	if (!table)
		return;
	fprintf(out, "  Lost:\n");
	for (size_t i = 0; i < result->loss_count && i < SHOWN_MAX; i++) {
		const struct upgrade_loss *l = &result->losses[i];

		char *why = wt_str_make_line(l->why, sizeof(l->why)); /* it has words of the record */

		record_cells(table, l->kind, l->record);
		wt_table_cell(table, "%s%s", why ? why : "?", l->restart ? " (a restart alone loses it, too)" : "");
		free(why);
	}
	wt_table_print(table, out, "    ");
	wt_table_destroy(table);
	rest_print(out, result->loss_count);
}

/* All changes of one cause. */
static void cause_print(FILE *out, const struct upgrade_result *result, enum upgrade_cause cause, const char *title)
{
	struct wt_table *table = wt_table_create("lllll");
	size_t count = 0;

	for (size_t i = 0; table && i < result->change_count; i++) {
		const struct upgrade_change *c = &result->changes[i];

		if (c->cause != cause || ++count > SHOWN_MAX)
			continue;
		record_cells(table, c->kind, c->record);
		value_cell(table, c->field);
		value_cell(table, c->before);
		value_cell(table, c->after);
	}
	if (count) {
		fprintf(out, "  %s:\n", title);
		wt_table_print(table, out, "    ");
		rest_print(out, count);
	}
	wt_table_destroy(table);
}

struct known_line {
	const struct upgrade_change *first;
	size_t count;
};

/* Of changes that are known a line for each field and reason. */
static void known_print(FILE *out, const struct upgrade_result *result)
{
	struct known_line lines[16]; /* more than upgrade_fields.c has */
	size_t count = 0, at;

	for (size_t i = 0; i < result->change_count; i++) {
		const struct upgrade_change *c = &result->changes[i];

		if (c->cause != UPGRADE_KNOWN)
			continue;
		for (at = 0; at < count; at++)
			if (!strcmp(lines[at].first->field, c->field) && !strcmp(lines[at].first->why, c->why))
				break;
		if (at == sizeof(lines) / sizeof(*lines))
			continue;
		if (at == count)
			lines[count++] = (struct known_line){ .first = c };
		lines[at].count++;
	}
	for (size_t i = 0; i < count; i++)
		fprintf(out, "  Known: %s of %zu %s (%s)\n", lines[i].first->field, lines[i].count,
			upgrade_kind_plural(lines[i].first->kind), lines[i].first->why);
}

static void layouts_print(FILE *out, const struct upgrade_result *result)
{
	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		bool begun = false;

		for (size_t i = 0; i < result->layout_count; i++) {
			const struct upgrade_layout *l = &result->layouts[i];
			char *field = wt_str_make_line(l->field, VALUE_MAX);

			if ((int) l->kind == kind) {
				if (!begun)
					fprintf(out, "  scontrol prints of %s:", upgrade_kind_plural(l->kind));
				fprintf(out, " %c%s", l->appeared ? '+' : '-', field ? field : "?");
				begun = true;
			}
			free(field);
		}
		if (begun)
			fprintf(out, "\n");
	}
}

static void said_print(FILE *out, const char *release, const char *when, const struct upgrade_said *said)
{
	for (size_t i = 0; i < said->count; i++)
		fprintf(out, "  slurmctld %s%s: %s\n", release, when, said->lines[i]);
	if (said->more)
		fprintf(out, "  slurmctld %s%s: and %zu more lines of errors\n", release, when, said->more);
}

static void hop_print(FILE *out, const struct upgrade_hop *hop)
{
	size_t lost = upgrade_lost(&hop->result);

	fprintf(out, "%s -> %s%s: ", hop->from, hop->to, hop->back ? " (back)" : "");
	if (hop->control_refused) {
		fprintf(out, "not tried\n  slurmctld %s refuses its own state: %s\n", hop->from, hop->control_refused);
		return;
	}
	if (hop->refused) {
		fprintf(out, "refused\n  slurmctld %s: %s\n", hop->to, hop->refused);
		return;
	}
	if (lost)
		fprintf(out, "%zu lost\n", lost);
	else
		fprintf(out, "nothing is lost\n");
	said_print(out, hop->from, ", reading the state given", &hop->recovering);
	tallies_print(out, &hop->result);
	losses_print(out, &hop->result);
	cause_print(out, &hop->result, UPGRADE_BY_RELEASE, "Changed by the release");
	cause_print(out, &hop->result, UPGRADE_BY_RESTART, "Changed by a restart alone");
	cause_print(out, &hop->result, UPGRADE_EXPECTED, "Expected otherwise");
	known_print(out, &hop->result);
	layouts_print(out, &hop->result);
	said_print(out, hop->to, "", &hop->said);
}

void upgrade_print(FILE *out, const struct upgrade_hop *hops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hop_print(out, &hops[i]);
}
