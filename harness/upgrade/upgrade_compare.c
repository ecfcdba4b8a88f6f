/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/upgrade/upgrade_arrays.h"
#include "harness/upgrade/upgrade_fields.h"

struct comparison {
	struct upgrade_result *result;
	const struct upgrade_side *before, *control, *after;
	enum upgrade_kind kind;
	bool failed; /* memory has ended */
};

const char *upgrade_cause_word(enum upgrade_cause cause)
{
	static const char *const words[UPGRADE_CAUSES] = { "release", "restart", "known", "expected", "moves" };

	return words[cause];
}

/* Room for one more of 'items', which doubles at each power of two.  NULL: there is none. */
static void *room_make(struct comparison *c, void *items, size_t count, size_t size)
{
	void *more = items;

	if (!(count & (count - 1)))
		more = reallocarray(items, count ? 2 * count : 1, size);
	c->failed = c->failed || !more;
	return more;
}

static void change_add(struct comparison *c, const struct upgrade_change *change)
{
	struct upgrade_change *more = room_make(c, c->result->changes, c->result->change_count, sizeof(*more));

	if (!more)
		return;
	c->result->changes = more;
	more[c->result->change_count++] = *change;
}

static void loss_add(struct comparison *c, const struct upgrade_loss *loss)
{
	struct upgrade_loss *more = room_make(c, c->result->losses, c->result->loss_count, sizeof(*more));

	if (!more)
		return;
	c->result->losses = more;
	more[c->result->loss_count++] = *loss;
}

static void layout_add(struct comparison *c, const char *field, bool appeared)
{
	struct upgrade_layout *more = room_make(c, c->result->layouts, c->result->layout_count, sizeof(*more));

	if (!more)
		return;
	c->result->layouts = more;
	more[c->result->layout_count++] = (struct upgrade_layout){ c->kind, field, appeared };
}

/* ---- fields that one of two releases does not print ---- */

static size_t field_holders(const struct upgrade_records *records, const char *field)
{
	size_t holders = 0;

	for (size_t i = 0; i < records->count; i++)
		holders += upgrade_record_get(&records->items[i], field) != NULL;
	return holders;
}

static bool layout_there(const struct comparison *c, const char *field)
{
	for (size_t i = 0; i < c->result->layout_count; i++)
		if (c->result->layouts[i].kind == c->kind && !strcmp(c->result->layouts[i].field, field))
			return true;
	return false;
}

struct field_names {
	const char *names[UPGRADE_FIELDS_MAX];
	size_t count;
};

/* Is the name a new one?  Of more names than there is room for none is. */
static bool name_new(struct field_names *seen, const char *name)
{
	for (size_t i = 0; i < seen->count; i++)
		if (!strcmp(seen->names[i], name))
			return false;
	if (seen->count == UPGRADE_FIELDS_MAX)
		return false;
	seen->names[seen->count++] = name;
	return true;
}

/* Only the other release's doing: of the same one a field that is gone is a value that is gone.  What only some records
 * had (a node's Reason) can be lost, what all had and none has is not printed any more. */
static void layout_find(struct comparison *c)
{
	const struct upgrade_records *b = &c->before->records[c->kind], *a = &c->after->records[c->kind];
	struct field_names seen = { .count = 0 };

	if (!strcmp(c->before->release, c->after->release) || !b->count || !a->count)
		return;
	for (size_t f = 0; f < b->items[0].field_count; f++) {
		const char *field = b->items[0].fields[f].name;

		if (field_holders(b, field) == b->count && !field_holders(a, field))
			layout_add(c, field, false);
	}
	for (size_t i = 0; i < a->count; i++)
		for (size_t f = 0; f < a->items[i].field_count; f++) {
			const char *field = a->items[i].fields[f].name;

			if (name_new(&seen, field) && !field_holders(b, field))
				layout_add(c, field, true);
		}
}

/* ---- one record ---- */

/* Why the job or what else it is counts as lost; NULL: it does not.  'after' may be NULL. */
static const char *loss_why(enum upgrade_kind kind, const struct upgrade_record *before, const struct upgrade_record *after)
{
	const char *state;

	if (!after)
		return kind == UPGRADE_JOB && upgrade_job_ended(before) ? NULL : "no record of it is left";
	if (kind != UPGRADE_JOB || upgrade_job_ended(before))
		return NULL;
	if (upgrade_job_ended(after))
		return "it has ended";
	state = upgrade_record_get(after, "JobState");
	return upgrade_job_ran(before) && state && !strcmp(state, "PENDING") ? "it ran, and waits again" : NULL;
}

static void lost_note(struct comparison *c, const struct upgrade_record *before, const struct upgrade_record *control,
		      const struct upgrade_record *after, const char *why)
{
	struct upgrade_loss loss = { .kind = c->kind, .record = before };
	const char *from = upgrade_record_get(before, "JobState"), *to = upgrade_record_get(after, "JobState");

	loss.restart = c->control && loss_why(c->kind, before, control);
	if (c->kind == UPGRADE_JOB && after)
		snprintf(loss.why, sizeof(loss.why), "%s: %.20s, now %.20s", why, from ? from : "?", to ? to : "?");
	else
		snprintf(loss.why, sizeof(loss.why), "%s", why);
	loss_add(c, &loss);
}

/* True: it is a change that counts. */
static bool field_compare(struct comparison *c, const struct upgrade_record *before, const struct upgrade_record *control,
			  const struct upgrade_record *after, const char *field)
{
	struct upgrade_change change = { .kind = c->kind, .record = before, .field = field };

	change.before = upgrade_record_get(before, field);
	change.control = upgrade_record_get(control, field);
	change.after = upgrade_record_get(after, field);
	if (upgrade_value_same(c->kind, field, change.before, change.after) || layout_there(c, field))
		return false;
	change.cause = upgrade_field_cause(&change, c->before->release, c->after->release, &change.why);
	if (change.cause == UPGRADE_BY_RELEASE && control &&
	    !upgrade_value_same(c->kind, field, change.before, change.control))
		change.cause = UPGRADE_BY_RESTART;
	change_add(c, &change);
	return change.cause == UPGRADE_BY_RELEASE || change.cause == UPGRADE_BY_RESTART;
}

static void record_compare(struct comparison *c, const struct upgrade_record *before, const struct upgrade_record *control,
			   const struct upgrade_record *after)
{
	struct upgrade_tally *tally = &c->result->tallies[c->kind];
	const char *why = loss_why(c->kind, before, after);
	bool changed = false;

	tally->before++;
	for (size_t f = 0; after && f < before->field_count; f++)
		changed |= field_compare(c, before, control, after, before->fields[f].name);
	for (size_t f = 0; after && f < after->field_count; f++)
		if (!upgrade_record_get(before, after->fields[f].name))
			changed |= field_compare(c, before, control, after, after->fields[f].name);
	if (why) {
		tally->lost++;
		lost_note(c, before, control, after, why);
	} else if (!after) {
		tally->forgotten++;
	} else {
		tally->kept += !changed;
		tally->changed += changed;
	}
}

/* ---- all records of a kind ---- */

/* The record with this key at *at or behind it, where *at stays behind it; NULL: there is none. */
static const struct upgrade_record *record_step(const struct upgrade_records *records, size_t *at, const char *key,
						size_t *skipped)
{
	int order = -1;

	while (*at < records->count && (order = strverscmp(records->items[*at].key, key)) < 0) {
		++*at;
		++*skipped;
	}
	return *at < records->count && order == 0 ? &records->items[(*at)++] : NULL;
}

static void kind_compare(struct comparison *c)
{
	const struct upgrade_records *b = &c->before->records[c->kind], *a = &c->after->records[c->kind];
	size_t at = 0, control_at = 0, appeared = 0, ignored = 0;

	layout_find(c);
	for (size_t i = 0; !c->failed && i < b->count; i++) {
		const struct upgrade_record *before = &b->items[i], *control = NULL, *after;

		after = record_step(a, &at, before->key, &appeared);
		if (c->control)
			control = record_step(&c->control->records[c->kind], &control_at, before->key, &ignored);
		record_compare(c, before, control, after);
	}
	c->result->tallies[c->kind].appeared = appeared + (a->count - at);
}

static bool loss_there(const struct comparison *c, const struct upgrade_record *job)
{
	for (size_t i = 0; i < c->result->loss_count; i++)
		if (c->result->losses[i].record == job)
			return true;
	return false;
}

/* Tasks that wait are one record, so a record that is there says too little. */
static void arrays_compare(struct comparison *c)
{
	struct upgrade_array *arrays = NULL;
	size_t count = 0;

	if (upgrade_arrays_count(&arrays, &count, &c->before->records[UPGRADE_JOB],
				 c->control ? &c->control->records[UPGRADE_JOB] : NULL, &c->after->records[UPGRADE_JOB]) < 0)
		c->failed = true;
	for (size_t i = 0; i < count && !c->failed; i++) {
		struct upgrade_loss loss = { .kind = UPGRADE_JOB, .record = arrays[i].record };

		if (arrays[i].after >= arrays[i].before)
			continue;
		loss.restart = c->control && arrays[i].control < arrays[i].before;
		snprintf(loss.why, sizeof(loss.why), "of its array's %llu tasks %llu are left", arrays[i].before,
			 arrays[i].after);
		c->result->arrays_short++;
		if (!loss_there(c, loss.record))
			loss_add(c, &loss);
	}
	free(arrays);
}

int upgrade_compare(struct upgrade_result *result, const struct upgrade_side *before, const struct upgrade_side *control,
		    const struct upgrade_side *after, struct wt_error *errp)
{
	struct comparison c = { .result = result, .before = before, .control = control, .after = after };

	*result = (struct upgrade_result){ 0 };
	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		c.kind = (enum upgrade_kind) kind;
		kind_compare(&c);
	}
	c.kind = UPGRADE_JOB;
	arrays_compare(&c);
	return c.failed ? wt_error_errno(errp, ENOMEM, "comparison of %s and %s", before->release, after->release) : 0;
}

void upgrade_result_clear(struct upgrade_result *result)
{
	free(result->changes);
	free(result->losses);
	free(result->layouts);
	*result = (struct upgrade_result){ 0 };
}

size_t upgrade_lost(const struct upgrade_result *result)
{
	return result->loss_count;
}

bool upgrade_at_rest(const struct upgrade_side *before, const struct upgrade_side *after)
{
	struct upgrade_result result;
	bool rest = upgrade_compare(&result, before, NULL, after, NULL) == 0 && !result.loss_count;

	for (size_t i = 0; i < result.change_count; i++)
		rest = rest && (result.changes[i].cause == UPGRADE_MOVES || result.changes[i].cause == UPGRADE_EXPECTED);
	for (int kind = 0; kind < UPGRADE_KINDS; kind++)
		rest = rest && !result.tallies[kind].appeared && !result.tallies[kind].forgotten;
	upgrade_result_clear(&result);
	return rest;
}

bool upgrade_nodes_answered(const struct upgrade_records *nodes)
{
	for (size_t i = 0; i < nodes->count; i++) {
		const char *state = upgrade_record_get(&nodes->items[i], "State");

		if (!state || strchr(state, '*') || strstr(state, "NOT_RESPONDING") || strstr(state, "UNKNOWN"))
			return false;
	}
	return nodes->count > 0;
}
