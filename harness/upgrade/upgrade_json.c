/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_report.h"

#include <errno.h>

#include "lib/json.h"

static json_t *text_or_null(const char *text)
{
	return text ? wt_json_text(text) : json_null();
}

static json_t *tallies_json(const struct upgrade_result *result)
{
	json_t *object = json_object();

	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		const struct upgrade_tally *t = &result->tallies[kind];
		json_t *one =
			json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "before", (json_int_t) t->before, "kept",
				  (json_int_t) t->kept, "changed", (json_int_t) t->changed, "lost", (json_int_t) t->lost,
				  "forgotten", (json_int_t) t->forgotten, "appeared", (json_int_t) t->appeared);

		if (json_object_set_new(object, upgrade_kind_plural((enum upgrade_kind) kind), one) < 0) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

static json_t *change_json(const struct upgrade_change *c)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o}", "kind", upgrade_kind_word(c->kind), "key",
			 wt_json_text(c->record->key), "name", text_or_null(upgrade_record_get(c->record, "JobName")),
			 "field", wt_json_text(c->field), "cause", upgrade_cause_word(c->cause), "before",
			 text_or_null(c->before), "control", text_or_null(c->control), "after", text_or_null(c->after),
			 "why", text_or_null(c->why));
}

static json_t *changes_json(const struct upgrade_result *result)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < result->change_count; i++) {
		if (result->changes[i].cause == UPGRADE_MOVES)
			continue;
		if (json_array_append_new(list, change_json(&result->changes[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *losses_json(const struct upgrade_result *result)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < result->loss_count; i++) {
		const struct upgrade_loss *l = &result->losses[i];
		json_t *one = json_pack("{s:s, s:o, s:o, s:o, s:b}", "kind", upgrade_kind_word(l->kind), "key",
					wt_json_text(l->record->key), "name",
					text_or_null(upgrade_record_get(l->record, "JobName")), "why", wt_json_text(l->why),
					"restart", (int) l->restart);

		if (json_array_append_new(list, one) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *layouts_json(const struct upgrade_result *result)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < result->layout_count; i++) {
		const struct upgrade_layout *l = &result->layouts[i];
		json_t *one = json_pack("{s:s, s:o, s:s}", "kind", upgrade_kind_word(l->kind), "field",
					wt_json_text(l->field), "what", l->appeared ? "appeared" : "vanished");

		if (json_array_append_new(list, one) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static json_t *said_json(const struct upgrade_said *said)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < said->count; i++)
		if (json_array_append_new(list, wt_json_text(said->lines[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *hop_json(const struct upgrade_hop *hop)
{
	bool read = !hop->refused && !hop->control_refused;

	return json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "from", hop->from, "to",
			 hop->to, "back", (int) hop->back, "read", (int) read, "refused", text_or_null(hop->refused),
			 "control_refused", text_or_null(hop->control_refused), "lost",
			 (json_int_t) upgrade_lost(&hop->result), "records", tallies_json(&hop->result), "losses",
			 losses_json(&hop->result), "changes", changes_json(&hop->result), "fields",
			 layouts_json(&hop->result), "slurmctld_errors", said_json(&hop->said), "slurmctld_errors_more",
			 (json_int_t) hop->said.more, "state_errors", said_json(&hop->recovering));
}

json_t *upgrade_json(const struct upgrade_hop *hops, size_t count, const char *state)
{
	json_t *steps = json_array(), *object = NULL;

	for (size_t i = 0; steps && i < count; i++)
		if (json_array_append_new(steps, hop_json(&hops[i])) < 0) {
			json_decref(steps);
			steps = NULL;
		}
	if (steps)
		object = json_pack("{s:i, s:o, s:i, s:o}", "format", UPGRADE_FORMAT, "state", text_or_null(state), "status",
				   upgrade_status(hops, count), "steps", steps);
	if (!object)
		errno = ENOMEM;
	return object;
}
