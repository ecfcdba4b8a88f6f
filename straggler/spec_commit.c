/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may publish, and which failed attempt waits for the others. */
#include "config.h"

#include <string.h>

#include "spec_private.h"

static struct spec_attempt *holder_of(const struct spec_task *task)
{
	struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task) {
		if (a->job_id == task->holder)
			return a;
	}
	return NULL;
}

/* What was published stays so; a right that was not used is free again when its holder runs no more, or from anew.
 * After a restart the holder is in the saved text, but not heard of yet: then it is looked up first. */
void spec_commit_check(struct wt_spec *s, struct spec_task *task)
{
	const struct spec_attempt *a = task->holder ? holder_of(task) : NULL;

	if (!a || task->committed || (a->state == WT_SPEC_RUNNING && a->restart == task->holder_restart))
		return;
	if (a->state == WT_SPEC_OK)	/* it ended well without a word: scripts may do without "done" */
		return;
	task->holder = 0;
	s->counters.releases++;
	s->changed = true;
}

static enum wt_beat_code refuse(struct wt_spec *s, enum wt_beat_code code)
{
	s->counters.commits_refused++;
	return code;
}

static enum wt_beat_code acquire(struct wt_spec *s, struct spec_task *task, const struct spec_attempt *a, double now_s)
{
	bool mine = task->holder == a->job_id && task->holder_restart == a->restart;

	if (task->winner && task->winner != a->job_id)
		return refuse(s, WT_BEAT_LOST);
	if (task->committed)
		return mine ? WT_BEAT_OK : refuse(s, WT_BEAT_LOST);
	if (mine)
		return WT_BEAT_OK;
	if (task->holder) {
		const struct spec_attempt *holder = holder_of(task);

		if (!holder)
			spec_lookup_add(s, task->holder, now_s);
		return refuse(s, holder && holder->state == WT_SPEC_OK ? WT_BEAT_LOST : WT_BEAT_WAIT);
	}
	task->holder = a->job_id;
	task->holder_restart = a->restart;
	s->changed = true;
	s->counters.commits++;
	return WT_BEAT_OK;
}

static enum wt_beat_code asker(struct wt_spec *s, uint32_t uid, const struct wt_beat *beat, double now_s, struct spec_attempt **found)
{
	struct spec_attempt *a = spec_attempt_find(s, beat->job_id);

	if (!a || (spec_may(s, uid, a->task->array->uid) && (a->restart != beat->restart || a->state != WT_SPEC_RUNNING))) {
		spec_lookup_add(s, beat->job_id, now_s);
		return WT_BEAT_UNKNOWN;
	}
	if (!spec_may(s, uid, a->task->array->uid)) {
		s->counters.foreign++;
		return WT_BEAT_DENIED;
	}
	*found = a;
	return WT_BEAT_OK;
}

enum wt_beat_code wt_spec_commit(struct wt_spec *s, uint32_t uid, const struct wt_beat *beat, double now_s)
{
	struct spec_attempt *a;
	enum wt_beat_code code = asker(s, uid, beat, now_s, &a);
	struct spec_task *task;
	bool mine;

	if (code != WT_BEAT_OK)
		return code;
	task = a->task;
	mine = task->holder == a->job_id && task->holder_restart == a->restart;
	switch (beat->operation) {
	case WT_COMMIT_ACQUIRE:
		return acquire(s, task, a, now_s);
	case WT_COMMIT_DONE:
		if (!mine)
			return refuse(s, WT_BEAT_LOST);
		s->changed |= !task->committed;
		task->committed = true;
		return WT_BEAT_OK;
	case WT_COMMIT_RELEASE:
		if (mine && !task->committed) {
			task->holder = 0;
			s->counters.releases++;
			s->changed = true;
		}
		return WT_BEAT_OK;
	}
	return WT_BEAT_BAD;
}

enum wt_beat_code wt_spec_exit(struct wt_spec *s, uint32_t uid, const struct wt_beat *beat, double now_s)
{
	struct spec_attempt *a, *other;
	enum wt_beat_code code = asker(s, uid, beat, now_s, &a);
	struct spec_task *task;

	if (code != WT_BEAT_OK)
		return code;
	task = a->task;
	if (task->holder == a->job_id && !task->committed) {	/* the process is dead, whatever its job may be */
		task->holder = 0;
		s->counters.releases++;
		s->changed = true;
	}
	if (a->number != 1)
		return WT_BEAT_OK;
	LIST_FOREACH(other, &task->attempts, of_task) {
		/* One that has ended well is about to win. */
		if (other != a && (other->state == WT_SPEC_RUNNING || (other->state == WT_SPEC_OK && !task->ended))) {
			s->counters.held += !a->holding;
			a->holding = true;
			return WT_BEAT_WAIT;
		}
	}
	a->holding = false;
	return WT_BEAT_OK;
}
