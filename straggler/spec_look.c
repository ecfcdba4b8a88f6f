/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs the scheduler is asked for.
 *
 * Of ten thousand attempts nearly all run, are heard of, and have no copy: of these the agents tell all that matters.  To
 * look at each of them, or only to ask each whether to look, would be the plugin's largest cost.  So attempts are filed:
 * those in 'keen' are looked at each second, and the calm ones are in CALM_TURNS groups, one of which is gone through in a
 * second. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "straggler/spec_private.h"

#define CALM_ROUNDS (WT_SPEC_LOOK_S / SPEC_CALM_TURNS)	/* of all groups until each calm attempt was looked at */

_Static_assert(WT_SPEC_LOOK_S % SPEC_CALM_TURNS == 0, "whole rounds");

static enum spec_file file_of(const struct spec_attempt *a)
{
	const struct spec_task *task = a->task;

	if (a->number > 1 || task->copies || task->copying)
		return SPEC_KEEN;
	if (!spec_alive(a))	/* what has become of a task that never had a copy does not change */
		return a->completing || (a->state == WT_SPEC_OK && !a->end_fed) ? SPEC_KEEN : SPEC_UNFILED;
	return a->state == WT_SPEC_RUNNING && !a->end_heard ? SPEC_CALM : SPEC_KEEN;
}

bool spec_look_filed(const struct spec_attempt *a)
{
	return a->file == file_of(a);
}

void spec_look_file(struct wt_spec *s, struct spec_attempt *a)
{
	enum spec_file file = file_of(a);

	if (file == a->file)
		return;
	spec_look_unfile(a);
	a->file = file;
	if (file == SPEC_KEEN)
		LIST_INSERT_HEAD(&s->keen, a, of_file);
	else if (file == SPEC_CALM)
		LIST_INSERT_HEAD(&s->calm[a->job_id % SPEC_CALM_TURNS], a, of_file);
}

void spec_look_unfile(struct spec_attempt *a)
{
	if (a->file != SPEC_UNFILED)
		LIST_REMOVE(a, of_file);
	a->file = SPEC_UNFILED;
}

void spec_look_task(struct wt_spec *s, struct spec_task *task)
{
	struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task)
		spec_look_file(s, a);
}

void spec_lookup_add(struct wt_spec *s, uint32_t job_id, double now_s)
{
	uint16_t *tag = &s->lookup_tags[job_id % SPEC_LOOKUPS_MAX];

	/* Agents report whole nodes of unknown jobs at a start: by the tags most searches of up to 4,096 places end
	 * before they begin. */
	for (size_t i = 0; *tag && i < s->lookup_count; i++) {
		if (s->lookups[i].job_id == job_id)
			return;
	}
	/* The report comes again with the next window, when these have been looked up. */
	if (s->lookup_count == SPEC_LOOKUPS_MAX)
		return;
	s->lookups[s->lookup_count++] = (struct spec_lookup) { .job_id = job_id, .since_s = now_s };
	++*tag;
}

/* Users, who can only ask, have half of the places at most: what agents and SlurmUser tell of finds room. */
void spec_lookup_asked(struct wt_spec *s, uint32_t uid, uint32_t job_id, double now_s)
{
	if (s->lookup_count < SPEC_LOOKUPS_MAX / 2 || uid == SPEC_ROOT || uid == s->options.owner_uid)
		spec_lookup_add(s, job_id, now_s);
}

static struct spec_lookup *lookup_find(struct wt_spec *s, uint32_t job_id)
{
	for (size_t i = 0; s->lookup_tags[job_id % SPEC_LOOKUPS_MAX] && i < s->lookup_count; i++) {
		if (s->lookups[i].job_id == job_id)
			return &s->lookups[i];
	}
	return NULL;
}

void spec_lookup_record(struct wt_spec *s, uint32_t uid, const struct beat_record *r)
{
	struct spec_lookup *lookup = lookup_find(s, r->job_id);
	bool trusted = uid == SPEC_ROOT || uid == s->options.owner_uid;

	/* an agent's word is not replaced by a stranger's */
	if (!lookup || (lookup->reported && lookup->uid != uid && !trusted))
		return;
	lookup->reported = true;
	lookup->uid = uid;
	lookup->record = *r;
}

struct spec_lookup spec_lookup_remove(struct wt_spec *s, uint32_t job_id)
{
	struct spec_lookup *lookup = lookup_find(s, job_id), was = { 0 };

	if (!lookup)
		return was;
	was = *lookup;
	*lookup = s->lookups[--s->lookup_count];
	s->lookup_tags[job_id % SPEC_LOOKUPS_MAX]--;
	return was;
}

static int ids_room(struct wt_spec *s, size_t want)
{
	uint32_t *more;

	if (want <= s->ids_size)
		return 0;
	more = realloc(s->ids, (want + 1024) * sizeof(*more));
	if (!more)
		return -1;
	s->ids = more;
	s->ids_size = want + 1024;
	return 0;
}

/* An original that was ended for a copy may take KillWait and more until its script has gone. */
static double settle_time_s(const struct spec_attempt *a)
{
	return a->number == 1 && a->task->winner && a->task->winner != a->job_id ? SPEC_FORGET_S : SPEC_SETTLE_S;
}

static bool keen_now(const struct spec_attempt *a, double now_s)
{
	return spec_alive(a) || a->completing || (a->task->copies && now_s - a->ended_s < settle_time_s(a));
}

/* One that has fallen silent in each turn of its group: it may have ended. */
static bool calm_now(const struct wt_spec *s, const struct spec_attempt *a, double now_s)
{
	/* Two windows: one report may be late or lost without a look at slurmctld's job. */
	return !a->heard || now_s - a->received_s > 2 * s->options.window_s ||
	       ((uint64_t) now_s / SPEC_CALM_TURNS + a->job_id / SPEC_CALM_TURNS) % CALM_ROUNDS == 0;
}

/* One that has been silent for a turn of its group longer than it needs: so it was looked at since then, and runs. */
static void silence_see(struct wt_spec *s, const struct spec_attempt *a, double now_s)
{
	struct spec_array *array = a->task->array;

	/* Once for an array, and one at a time: a node's end silences all of its tasks, and a log line for each would
	 * tell no more. */
	if (s->silent.job_id || array->silence_told)
		return;
	array->silence_told = true;
	s->silent = (struct wt_spec_silent) { .job_id = a->job_id, .array_job_id = array->id, .array_task_id = a->task->id,
					      .silence_s = now_s - a->received_s };
	memcpy(s->silent.node, a->node, sizeof(s->silent.node));
}

bool wt_spec_silent(struct wt_spec *s, struct wt_spec_silent *silent)
{
	*silent = s->silent;
	s->silent.job_id = 0;
	return silent->job_id != 0;
}

size_t wt_spec_unknown(const struct wt_spec *s)
{
	return s->unsure + s->lookup_count;
}

bool wt_spec_settled(const struct wt_spec *s, double now_s)
{
	return !s->copies_known && now_s > s->settle_until_s;
}

size_t wt_spec_watch(struct wt_spec *s, double now_s, const uint32_t **ids)
{
	const struct spec_attempt *a;
	size_t count = 0;

	*ids = NULL;
	if (ids_room(s, s->attempt_count + s->lookup_count) < 0)
		return 0;
	/* The order matters: wt_spec_unknown () promises that those of which all fields are needed come last. */
	LIST_FOREACH(a, &s->keen, of_file) {
		if (!a->unsure && keen_now(a, now_s))
			s->ids[count++] = a->job_id;
	}
	LIST_FOREACH(a, &s->calm[(uint64_t) now_s % SPEC_CALM_TURNS], of_file) {
		if (!a->unsure && calm_now(s, a, now_s))
			s->ids[count++] = a->job_id;
		if (a->heard && now_s - a->received_s > s->options.silence_s + SPEC_CALM_TURNS)
			silence_see(s, a, now_s);
	}
	if (s->unsure) {
		LIST_FOREACH(a, &s->attempts, of_all) {
			if (a->unsure)
				s->ids[count++] = a->job_id;
		}
	}
	for (size_t i = 0; i < s->lookup_count; i++)
		s->ids[count++] = s->lookups[i].job_id;
	*ids = s->ids;
	return count;
}
