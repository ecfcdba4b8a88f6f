/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON, by hand: slurmctld must not load a library for it, and nothing printed here needs quoting
 * (port_message_decode ()). */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "straggler/spec_private.h"

static void number_show(FILE *out, const char *name, double value)
{
	/* JSON has neither NaN nor infinity. */
	if (isfinite(value))
		fprintf(out, ",\"%s\":%.6g", name, value);
	else
		fprintf(out, ",\"%s\":null", name);
}

static const char *state_name(const struct spec_attempt *a)
{
	static const char *const names[] = { "gone", "pending", "running", "completed", "failed", "cancelled" };

	return a->holding ? "waiting" : names[a->state];
}

static void attempt_show(const struct spec_attempt *a, double now_s, FILE *out)
{
	fprintf(out, "{\"job_id\":%" PRIu32 ",\"attempt\":%" PRIu32 ",\"state\":\"%s\",\"node\":\"%s\"", a->job_id,
		a->number,
		state_name(a), a->node);
	number_show(out, "progress", a->heard ? a->progress : NAN);
	number_show(out, "elapsed_s", a->heard ? a->elapsed_s : NAN);
	number_show(out, "silence_s", a->heard && spec_alive(a) ? now_s - a->received_s : NAN);
	fputc('}', out);
}

/* Also of a task whose original is gone: what was published, and by whom, is asked for afterwards. */
static void task_show(const struct spec_task *t, double now_s, FILE *out)
{
	const struct spec_attempt *original = spec_task_original(t), *a;
	struct wt_straggler_view view = { .duration_s = NAN };
	const char *comma = "";

	if (t->array->detector && t->index < t->array->tasks)
		wt_straggler_view(t->array->detector, t->index, now_s, &view, NULL);
	fprintf(out, "{\"task\":%" PRIu32 ",\"state\":\"%s\",\"flagged\":%s", t->id, original ? state_name(original) :
		"gone",
		t->flagged ? "true" : "false");
	number_show(out, "expected_s", view.duration_s);
	number_show(out, "ends_in_s", original && original->heard && original->state == WT_SPEC_RUNNING ?
		    fmax(0, view.duration_s - original->elapsed_s - (now_s - original->received_s)) : NAN);
	fprintf(out, ",\"copies\":%" PRIu32 ",\"may_publish\":%" PRIu32 ",\"published\":%s,\"winner\":%" PRIu32, t->copies,
		t->holder,
		t->committed ? "true" : "false", t->winner);
	if (t->doubted)
		fputs(",\"doubt\":true", out);
	if (t->refused)
		fprintf(out, ",\"no_copy\":\"%s\"", t->refused);
	fputs(",\"attempts\":[", out);
	LIST_FOREACH(a, &t->attempts, of_task) {
		fputs(comma, out);
		attempt_show(a, now_s, out);
		comma = ",";
	}
	fputs("]}", out);
}

static void array_show(const struct spec_array *array, bool tasks, double now_s, FILE *out)
{
	uint32_t running = 0, ended = 0, flagged = 0, copies = 0;

	for (uint32_t i = 0; i < array->known; i++) {
		const struct spec_task *t = array->order[i];
		const struct spec_attempt *a = spec_task_original(t);

		running += a && a->state == WT_SPEC_RUNNING;
		ended += t->ended;
		flagged += t->flagged;
		copies += t->copies;
	}
	fprintf(out, "{\"array_job_id\":%" PRIu32 ",\"user_id\":%" PRIu32 ",\"tasks\":%" PRIu32 ",\"running\":%"
		PRIu32 ",\"ended\":%" PRIu32
		",\"flagged\":%" PRIu32 ",\"copies\":%" PRIu32 ",\"copies_running\":%" PRIu32, array->id, array->uid,
		array->tasks, running,
		ended, flagged, copies, array->copies_alive);
	number_show(out, "limit_s", array->detector ? wt_straggler_limit(array->detector, now_s) : NAN);
	if (tasks) {
		fputs(",\"task\":[", out);
		for (uint32_t i = 0; i < array->known; i++) {
			if (i)
				fputc(',', out);
			task_show(array->order[i], now_s, out);
		}
		fputc(']', out);
	}
	fputc('}', out);
}

static void arrays_show(struct wt_spec *s, uint32_t uid, uint32_t job_id, double now_s, FILE *out)
{
	const struct spec_attempt *a = job_id ? spec_attempt_find(s, job_id) : NULL;
	const struct spec_array *array, *wanted = job_id ? spec_array_get(s, job_id, false) : NULL;
	const char *comma = "";

	if (job_id && !wanted && a)
		wanted = a->task->array;
	fputs("\"arrays\":[", out);
	LIST_FOREACH(array, &s->arrays, of_all) {
		/* Of others' arrays not even the number is told. */
		if (!spec_may(s, uid, array->uid) || (job_id && array != wanted))
			continue;
		fputs(comma, out);
		array_show(array, job_id != 0, now_s, out);
		comma = ",";
	}
	fputc(']', out);
}

static void counters_show(const struct wt_spec *s, FILE *out)
{
	const struct wt_spec_counters *c = &s->counters;
	const struct { const char *name; uint64_t value; } rows[] = {
		{ "messages", c->messages }, { "accepted", c->accepted }, { "foreign", c->foreign },
			{ "unknown", c->unknown },
		{ "stale", c->stale }, { "range", c->range }, { "backwards", c->backwards }, { "flood", c->flood },
		{ "flagged", c->flagged }, { "copies", c->copies }, { "copies_won", c->copies_won },
		{ "copies_lost", c->copies_lost },
		{ "copies_failed", c->copies_failed }, { "copies_refused", c->copies_refused }, { "commits", c->commits },
		{ "commits_refused", c->commits_refused }, { "releases", c->releases }, { "held", c->held },
		{ "garbage", c->garbage },
		{ "replayed", c->replayed }, { "expired", c->expired }, { "bad_credential", c->bad_credential },
		{ "refused_busy", c->refused_busy }, { "munge_failed", c->munge_failed },
		{ "bad_mac", c->bad_mac }, { "no_session", c->no_session }, { "other_version", c->other_version },
		{ "sessions", c->sessions }, { "sessions_dropped", c->sessions_dropped },
	};

	fputs("\"counters\":{", out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, "%s\"%s\":%" PRIu64, i ? "," : "", rows[i].name, rows[i].value);
	fputc('}', out);
}

static void nodes_show(const struct wt_spec *s, FILE *out)
{
	const struct spec_node *node;
	const char *comma = "";

	fputs("\"nodes\":[", out);
	LIST_FOREACH(node, &s->nodes, of_all) {
		fprintf(out, "%s{\"node\":\"%s\",\"tasks\":%" PRIu64 ",\"flagged\":%" PRIu64 "}", comma, node->name,
			node->tasks, node->flagged);
		comma = ",";
	}
	fputc(']', out);
}

void wt_spec_show(struct wt_spec *s, enum port_what what, uint32_t uid, uint32_t job_id, double now_s, FILE *out)
{
	fputc('{', out);
	if (what == WT_STATUS_NODES) {
		nodes_show(s, out);
	} else if (what == WT_STATUS_COUNTERS) {
		counters_show(s, out);
	} else {
		arrays_show(s, uid, job_id, now_s, out);
		fputc(',', out);
		counters_show(s, out);
	}
	fputs("}\n", out);
}

/* One that is being made counts as alive, as in copies_start (). */
static uint32_t alive_copies(const struct spec_array *array)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < array->known; i++) {
		const struct spec_attempt *a;

		count += array->order[i]->copying;
		LIST_FOREACH(a, &array->order[i]->attempts, of_task)
			count += a->number > 1 && spec_alive(a);
	}
	return count;
}

int wt_spec_check(const struct wt_spec *s, struct wt_error *errp)
{
	const struct spec_array *array;
	const struct spec_attempt *a;
	uint32_t copies = 0, attempts = 0;

	LIST_FOREACH(a, &s->attempts, of_all) {
		attempts++;
		if (spec_attempt_find(s, a->job_id) != a)
			return wt_error_set(errp, EPROTO, "job %" PRIu32 " is not found", a->job_id);
		if (!spec_look_filed(a))
			return wt_error_set(errp, EPROTO, "job %" PRIu32 " is not filed where it belongs", a->job_id);
	}
	LIST_FOREACH(array, &s->arrays, of_all) {
		uint32_t alive = alive_copies(array);

		copies += alive;
		if (alive != array->copies_alive)
			return wt_error_set(errp, EPROTO, "array %" PRIu32 " has %" PRIu32 " copies, not %" PRIu32,
					    array->id, alive, array->copies_alive);
		if (array->detector && wt_straggler_check(array->detector, errp) < 0)
			return -1;
	}
	if (copies != s->copies_alive || attempts != s->attempt_count)
		return wt_error_set(errp, EPROTO, "%" PRIu32 " copies and %" PRIu32 " attempts are counted wrongly", copies,
				    attempts);
	return 0;
}
