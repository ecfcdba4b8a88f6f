/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_json.h"
#include "harness/live/live_view.h"
#include "lib/str.h"

#define JSON_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(10))
#define END_TEXT "event: end\ndata: {}\n\n"	/* the page does not ask again */

struct live_view *live_view_create(void)
{
	struct live_view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->stride = 1;
	live_state_init(&view->state);
	return view;
}

static void messages_forget(struct live_view *view)
{
	live_message_drop(view->delta);
	live_message_drop(view->snapshot);
	view->delta = view->snapshot = NULL;
}

static void points_forget(struct live_view *view)
{
	for (size_t i = 0; i < view->point_count; i++)
		json_decref(view->points[i]);
	view->point_count = view->skipped = 0;
	view->stride = 1;
	view->samples_seen = view->jobs_seen = 0;
	view->sampled = false;
}

void live_view_destroy(struct live_view *view)
{
	if (!view)
		return;
	points_forget(view);
	messages_forget(view);
	json_decref(view->values);
	json_decref(view->change);
	free(view);
}

/* Every second point goes, and from then on every second sample is one: a run of any length has at most LIVE_POINTS. */
static void points_halve(struct live_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < view->point_count; i++) {
		if (i % 2)
			json_decref(view->points[i]);
		else
			view->points[kept++] = view->points[i];
	}
	view->point_count = kept;
	view->stride *= 2;
}

/* Keep it for snapshots, and tell it to the readers that are there. */
static void point_add(struct live_view *view, const struct live_state *state, const struct wt_sample *sample, json_t *told)
{
	json_t *point;

	if (++view->skipped < view->stride)
		return;
	point = live_json_point(state, sample, view->sampled ? &view->sample_before : NULL);
	if (!point)
		return;
	view->skipped = 0;
	view->sample_before = *sample;
	view->sampled = true;
	if (view->point_count == LIVE_POINTS)
		points_halve(view);
	json_array_append(told, point);
	view->points[view->point_count++] = point;
}

static json_t *points_new(struct live_view *view, const struct live_state *state)
{
	uint64_t from = view->samples_seen;
	json_t *told = json_array();

	if (state->sample_count > from + LIVE_SAMPLES)
		from = state->sample_count - LIVE_SAMPLES;
	for (; from < state->sample_count; from++)
		point_add(view, state, &state->samples[from % LIVE_SAMPLES], told);
	view->samples_seen = state->sample_count;
	return told;
}

static json_t *jobs_since(const struct live_state *state, uint64_t from)
{
	json_t *told = json_array();

	if (state->job_count > from + LIVE_JOBS)
		from = state->job_count - LIVE_JOBS;
	for (; from < state->job_count; from++)
		json_array_append_new(told, live_json_job(&state->last_jobs[from % LIVE_JOBS]));
	return told;
}

/* With --repeat another run begins in the same place. */
static bool is_another_run(const struct live_view *view, const struct live_state *state)
{
	return view->state.run_number != state->run_number || state->sample_count < view->samples_seen ||
	       state->job_count < view->jobs_seen;
}

int live_view_update(struct live_view *view, const struct live_state *state)
{
	json_t *values = live_json_values(state);
	json_t *changed = view->values ? live_json_delta(view->values, values) : json_object();
	bool again = is_another_run(view, state);

	if (!values || !changed) {
		json_decref(values);
		json_decref(changed);
		errno = ENOMEM;
		return -1;
	}
	if (again)
		points_forget(view);
	json_decref(view->change);
	view->change = json_pack("{s:o, s:o, s:o}", "set", changed, "points", points_new(view, state), "jobs",
				 jobs_since(state, view->jobs_seen));
	if (again)
		json_object_set_new(view->change, "again", json_true());
	view->jobs_seen = state->job_count;
	json_decref(view->values);
	view->values = values;
	view->state = *state;
	view->generation++;
	messages_forget(view);
	return 0;
}

void live_view_ping(struct live_view *view)
{
	if (!view->generation)
		return;
	json_decref(view->change);
	view->change = json_object();
	view->generation++;
	messages_forget(view);
}

static json_t *snapshot_json(const struct live_view *view)
{
	json_t *points = json_array();

	for (size_t i = 0; i < view->point_count; i++)
		json_array_append(points, view->points[i]);
	return json_pack("{s:O, s:o, s:o}", "set", view->values, "points", points, "jobs", jobs_since(&view->state, 0));
}

char *live_view_json(const struct live_view *view)
{
	json_t *json = view->generation ? snapshot_json(view) : NULL;
	char *text = json ? json_dumps(json, JSON_FLAGS) : NULL;

	json_decref(json);
	return text;
}

static struct live_message *message_make(const struct live_view *view, const char *event, char *json)
{
	const char *end = view->state.phase == LIVE_ENDED ? END_TEXT : "";
	char *text = json ? wt_str_format("event: %s\ndata: %s\n\n%s", event, json, end) : NULL;
	size_t len = text ? strlen(text) : 0;
	struct live_message *message = text ? malloc(sizeof(*message) + len + 1) : NULL;

	if (message) {
		message->refs = 1;
		message->len = len;
		memcpy(message->text, text, len + 1);
	}
	free(text);
	free(json);
	return message;
}

struct live_message *live_view_message(struct live_view *view, uint64_t from)
{
	bool next = from && from + 1 == view->generation;
	/* Made once for all readers that want the same: a reader that missed one gets a snapshot, not all changes
	 * since. */
	struct live_message **kept = next ? &view->delta : &view->snapshot;

	if (!view->generation)
		return NULL;
	if (!*kept)
		*kept = next ? message_make(view, "delta", json_dumps(view->change, JSON_FLAGS))
			     : message_make(view, "snapshot", live_view_json(view));
	if (*kept)
		(*kept)->refs++;
	return *kept;
}

void live_message_drop(struct live_message *message)
{
	if (message && --message->refs == 0)
		free(message);
}
