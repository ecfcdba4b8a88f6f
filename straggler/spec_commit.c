/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which attempt may publish, and which failed one waits for the others. */
#include "config.h"

#include <string.h>

#include "straggler/spec_private.h"

static struct spec_attempt *holder_of(const struct spec_task *task)
{
	struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task) {
		if (a->job_id == task->holder)
			return a;
	}
	return NULL;
}

/* Of the attempt's start 'instance' no acquisition up to this one counts any more, whenever it arrives. */
static void over_set(struct wt_spec *s, struct spec_attempt *a, uint64_t instance, uint64_t acquisition)
{
	if (a->over_instance == instance && a->over >= acquisition)
		return;
	a->over_instance = instance;
	a->over = acquisition;
	spec_task_changed(s, a->task);
}

static bool is_held(const struct spec_task *task, uint64_t acquisition)
{
	for (uint32_t i = 0; i < task->held_count; i++) {
		if (task->held[i] == acquisition)
			return true;
	}
	return false;
}

static void held_drop(struct spec_task *task, uint64_t acquisition)
{
	/* Backwards: the last one takes the place of the one that goes, and has been looked at. */
	for (uint32_t i = task->held_count; i-- > 0; ) {
		if (task->held[i] == acquisition)
			task->held[i] = task->held[--task->held_count];
	}
}

static void held_clear(struct spec_task *task)
{
	task->held_count = 0;
	task->held_more = false;
	task->holder_newest = 0;
}

/* All acquisitions up to the newest are over with the right: what of them still arrives, however late, changes
 * nothing. */
static void release(struct wt_spec *s, struct spec_task *task)
{
	struct spec_attempt *a = holder_of(task);

	if (a)
		over_set(s, a, task->holder_instance, task->holder_newest);
	task->holder = 0;
	held_clear(task);
	task->stray_s = 0;
	s->counters.releases++;
	spec_task_changed(s, task);
}

/* What was published stays so; a right that was not used is free again when its holder runs no more, or from anew; not
 * before its nodes have said that its processes are gone: they might be publishing.
 * After a restart the holder is in the saved text, but not heard of yet: then it is looked up first. */
void spec_commit_check(struct wt_spec *s, struct spec_task *task)
{
	const struct spec_attempt *a = task->holder ? holder_of(task) : NULL;

	if (!a || task->committed || a->completing || (a->state == WT_SPEC_RUNNING && a->restart == task->holder_restart))
		return;
	if (a->state == WT_SPEC_OK)	/* it ended well without a word: scripts may do without "done" */
		return;
	release(s, task);
}

static enum port_code refuse(struct wt_spec *s, enum port_code code)
{
	s->counters.commits_refused++;
	return code;
}

/* Whether the right to publish is that of the start that asks. */
static bool holds(const struct spec_task *task, const struct port_message *message)
{
	return task->holder == message->job_id && task->holder_restart == message->restart &&
		task->holder_instance == message->instance;
}

/* The newest acquisition that is known of the start that asks. */
static uint64_t newest_of(const struct spec_attempt *a, const struct port_message *message)
{
	uint64_t over = a->over_instance == message->instance ? a->over : 0, newest = a->task->holder_newest;

	return holds(a->task, message) && newest > over ? newest : over;
}

/* The job's number and its restarts are the holder's, but it is another start: slurmctld was killed and has forgotten the
 * holder's (port_message.h).  It is killed as soon as its node registers, and its slurmstepd says so; when that is lost,
 * too, time must do. */
static bool stray_gone(struct wt_spec *s, struct spec_task *task, const struct port_message *message, double now_s)
{
	if (task->holder != message->job_id || task->holder_restart != message->restart)
		return false;
	/* The clock starts when the other start first asks, not when the holder began: a holder that no start disputes
	 * keeps its right. */
	if (!task->stray_s)
		task->stray_s = now_s;
	if (now_s - task->stray_s < SPEC_STRAY_S)
		return false;
	release(s, task);
	return true;
}

/* The one place at which a right is given; the caller has made sure that no other start can have it. */
static void hold(struct wt_spec *s, struct spec_attempt *a, const struct port_message *message)
{
	struct spec_task *task = a->task;

	task->holder = message->job_id;
	task->holder_restart = message->restart;
	task->holder_instance = message->instance;
	held_clear(task);
	task->held_more = a->unknown;
	spec_task_held(task, message->acquisition);
	task->stray_s = 0;
	spec_doubt_clear(s, task);
	spec_task_changed(s, task);
}

static enum port_code acquire(struct wt_spec *s, struct spec_attempt *a, const struct port_message *message, double now_s)
{
	struct spec_task *task = a->task;
	bool mine = holds(task, message);

	/* Before all else: an attempt that has won without a word (it ended with 0) may have published all the same. */
	if (task->winner && task->winner != message->job_id)
		return refuse(s, PORT_LOST);
	/* The same start may publish again, as often as its script likes: it is one attempt, and the others have lost for
	 * good. */
	if (task->committed)
		return mine ? PORT_OK : refuse(s, PORT_LOST);
	if (mine && is_held(task, message->acquisition))
		return PORT_OK;
	/* the process that asked so has done with it, or another one of this start has asked since */
	if (message->acquisition <= newest_of(a, message))
		return refuse(s, PORT_OLD);
	if (mine) {
		spec_task_held(task, message->acquisition);
		spec_task_changed(s, task);
		return PORT_OK;
	}
	if (task->holder && !stray_gone(s, task, message, now_s)) {
		const struct spec_attempt *holder = holder_of(task);

		/* It was read from the file, and slurmctld was not asked for it yet: until then it counts as alive. */
		if (!holder)
			spec_lookup_add(s, task->holder, now_s);
		return refuse(s, holder && holder->state == WT_SPEC_OK ? PORT_LOST : PORT_WAIT);
	}
	if (task->doubted && !spec_doubt_gone(s, a))
		return refuse(s, PORT_WAIT);
	if (!spec_saved(s, a)) {	/* it may have been seen last before the scheduler's clock was set back */
		spec_lookup_add(s, a->job_id, now_s);
		return PORT_WAIT;
	}
	hold(s, a, message);
	s->counters.commits++;
	return PORT_OK;
}

/* The attempt of this user that works at the task it names. */
static enum port_code asker(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s,
			       struct spec_attempt **found)
{
	struct spec_attempt *a = spec_attempt_find(s, message->job_id);

	if (a && !spec_may(s, uid, a->task->array->uid)) {
		s->counters.foreign++;
		return PORT_DENIED;
	}
	/* The asker names its task, too: a number that was given to another job since must not speak for that. */
	if (a && a->task->array->id == message->array_job_id && a->task->id == message->array_task_id) {
		*found = a;
		return PORT_OK;
	}
	spec_lookup_asked(s, uid, message->job_id, now_s);
	return PORT_UNKNOWN;
}

static bool runs(struct wt_spec *s, const struct spec_attempt *a, const struct port_message *message, double now_s)
{
	if (a->restart == message->restart && a->state == WT_SPEC_RUNNING)
		return true;
	spec_lookup_add(s, a->job_id, now_s);
	return false;
}

static bool was_given_back(const struct spec_attempt *a, const struct port_message *message)
{
	return a->over_instance == message->instance && a->over == message->acquisition;
}

/* Of an acquisition that was given back nothing is known that was published under those that still have the right. */
static enum port_code done(struct wt_spec *s, struct spec_attempt *a, const struct port_message *message)
{
	struct spec_task *task = a->task;

	/* it had the right when that was lost */
	if (task->doubted && a->unknown && !task->holder && !was_given_back(a, message))
		hold(s, a, message);
	if (!holds(task, message))
		return refuse(s, PORT_LOST);
	if (task->committed)
		return PORT_OK;
	/* With held_more any acquisition may be one of those that are not known one by one, but not one that was given
	 * back. */
	if (!is_held(task, message->acquisition) && (!task->held_more || was_given_back(a, message)))
		return refuse(s, PORT_LOST);
	task->committed = true;
	spec_task_changed(s, task);
	return PORT_OK;
}

/* One acquisition's word does not take the right from the others of its start, whose commands may be running; nor does the
 * word of one that never got it. */
static void give_back(struct wt_spec *s, struct spec_attempt *a, const struct port_message *message)
{
	struct spec_task *task = a->task;

	if (task->committed)
		return;
	/* An acquisition that never got the right: noted as over, so that its question, if that arrives late, gets
	 * nothing. */
	if (!holds(task, message) || message->acquisition > task->holder_newest)
		over_set(s, a, message->instance, message->acquisition);
	else if (is_held(task, message->acquisition)) {
		held_drop(task, message->acquisition);
		spec_task_changed(s, task);
		if (!task->held_count && !task->held_more)
			release(s, task);
	}
}

enum port_code wt_spec_commit(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s,
			      uint64_t *newest)
{
	struct spec_attempt *a;
	enum port_code code = asker(s, uid, message, now_s, &a);

	if (code != PORT_OK)
		return code;
	/* the holder's word counts whatever slurmctld thinks of its job */
	if (!holds(a->task, message) && !runs(s, a, message, now_s))
		return PORT_UNKNOWN;
	switch (message->operation) {
	case WT_COMMIT_ACQUIRE:
		if (newest)
			*newest = newest_of(a, message);
		return acquire(s, a, message, now_s);
	case WT_COMMIT_DONE:
		return done(s, a, message);
	case WT_COMMIT_RELEASE:
		give_back(s, a, message);
		return PORT_OK;
	}
	return PORT_BAD;
}

/* It runs, or is about to: what we know of it may be a second old.  One that has ended well is about to win. */
static bool may_win(const struct spec_attempt *a, double now_s)
{
	return a->state == WT_SPEC_RUNNING || (a->state == WT_SPEC_OK && !a->task->ended) ||
	       (a->state == WT_SPEC_PENDING && a->made_s && now_s - a->made_s < SPEC_START_WAIT_S);
}

enum port_code wt_spec_exit(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s)
{
	struct spec_attempt *a, *other;
	enum port_code code = asker(s, uid, message, now_s, &a);
	struct spec_task *task;
	bool wait;

	if (code != PORT_OK)
		return code;
	task = a->task;
	if (holds(task, message) && !task->committed)	/* the process is dead, whatever its job may be */
		release(s, task);
	if (a->restart == message->restart)
		over_set(s, a, message->instance, UINT64_MAX);	/* nor does it ask any more: what still comes is late */
	if (!runs(s, a, message, now_s))
		return PORT_UNKNOWN;
	/* Only an original's failure is waited with: a copy's decides nothing, since its original goes on. */
	if (a->number != 1)
		return PORT_OK;
	wait = task->copying;	/* it is being submitted */
	LIST_FOREACH(other, &task->attempts, of_task)
		wait = wait || (other != a && may_win(other, now_s));
	s->counters.held += wait && !a->holding;
	a->holding = wait;
	return wait ? PORT_WAIT : PORT_OK;
}
