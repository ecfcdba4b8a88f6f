/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An array and its detector, and what the scheduler says of its jobs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/spec_private.h"

/* The detector of 'tasks' tasks; one that exists is made anew when there are more, and hears of the tasks again soon. */
void spec_array_size(struct wt_spec *s, struct spec_array *array, uint32_t tasks)
{
	struct wt_straggler_options options = wt_straggler_defaults(array->policy.by_score ? WT_STRAGGLER_SCORE
							    : WT_STRAGGLER_FRESH, tasks);

	if (tasks <= array->tasks || tasks > WT_STRAGGLER_TASKS_MAX)
		return;
	options.window_s = s->options.window_s;
	options.silence_s = s->options.silence_s;
	options.z = array->policy.z;
	wt_straggler_destroy(array->detector);
	array->detector = wt_straggler_create(&options, NULL);
	array->tasks = tasks;
}

/* The smaller of what the user asks for and what the site allows. */
static void policy_apply(struct wt_spec *s, struct spec_array *array, const char *text)
{
	const struct wt_spec_policy *site = &s->options.policy;
	struct wt_spec_policy want = *site;

	/* sbatch refuses words that make no sense (spank_speculate.c); a job that has some all the same speculates by the
	 * site's defaults. */
	if (text)
		wt_spec_policy_parse(text, &want, NULL);
	array->policy = want;
	array->policy.copies = want.copies < site->copies ? want.copies : site->copies;
	array->policy.share = fmin(want.share, site->share);
	/* A larger z finds fewer tasks slow: the user may be more careful than the site, not less. */
	array->policy.z = fmax(want.z, site->z);
	array->policy.by_score = want.by_score && s->options.score_allowed;
}

/* An array's number that is now another user's was given anew: what was known of the old one has ended, or is looked up at
 * once, and then makes room. */
static struct spec_array *array_of_owner(struct wt_spec *s, const struct wt_spec_fact *f, double now_s)
{
	struct spec_array *array = spec_array_get(s, f->array_job_id, true);
	const struct spec_attempt *a;
	bool alive = false;

	if (!array || !array->owned || array->uid == f->uid)
		return array;
	for (uint32_t i = 0; i < array->known; i++) {
		LIST_FOREACH(a, &array->order[i]->attempts, of_task) {
			if (spec_alive(a)) {
				alive = true;
				spec_lookup_add(s, a->job_id, now_s);
			}
		}
	}
	if (alive)
		return NULL;
	spec_array_remove(s, array);
	return spec_array_get(s, f->array_job_id, true);
}

/* Of a copy the task is its original's, whatever array and task the fact names. */
static struct spec_task *task_of_fact(struct wt_spec *s, const struct wt_spec_fact *f, double now_s)
{
	struct spec_attempt *original = f->copy_of ? spec_attempt_find(s, f->copy_of) : NULL;
	struct spec_array *array;

	/* Which job a copy is one of is the submitter's word: it must be a job of the same user that is known for one. */
	if (f->copy_of)
		return original && original->number == 1 && original->task->array->uid == f->uid ? original->task : NULL;
	array = array_of_owner(s, f, now_s);
	if (!array)
		return NULL;
	if (!array->tasks)
		policy_apply(s, array, f->policy);
	/* Root's uid is 0: that it is known needs a word of its own. */
	array->owned = true;
	array->uid = f->uid;
	spec_array_size(s, array, f->tasks);
	return spec_task_get(array, f->array_task_id, true);
}

/* A job that speculates and is not known yet. */
static struct spec_attempt *attempt_of_fact(struct wt_spec *s, const struct wt_spec_fact *f, double now_s)
{
	struct spec_task *task = task_of_fact(s, f, now_s);
	struct spec_attempt *a;
	uint32_t number = f->copy_of ? f->number : 1;

	if (!task || (number == 1 && spec_task_original(task)))
		return NULL;
	/* slurmctld's number may fall short: once the array's own record is gone, a task counts as an array of one. */
	if (task->index >= task->array->tasks)
		spec_array_size(s, task->array, task->index + 1);
	a = spec_attempt_add(s, task, f->job_id, number);
	if (!a)
		return NULL;
	a->restart = f->restart;
	a->state = WT_SPEC_PENDING;
	task->array->active_s = now_s;
	/* Counted as alive, whatever its state is: attempt_update () follows, and takes it off again if it has ended. */
	if (number > 1) {
		task->array->copies_alive++;
		s->copies_alive++;
		if (task->copies < number - 1)
			task->copies = number - 1;
		spec_look_task(s, task);
	}
	return a;
}

static void attempt_ended(struct wt_spec *s, struct spec_attempt *a, double now_s)
{
	a->ended_s = now_s;
	spec_doubt_over(s, a);
	/* Exit codes and late reports still come for a while (wt_spec_settled ()). */
	s->settle_until_s = now_s + SPEC_SETTLE_S;
	a->holding = false;
	if (a->number > 1) {
		a->task->array->copies_alive--;
		s->copies_alive--;
		if (a->state == WT_SPEC_OK && !a->task->winner)
			;	/* counted when it has won */
		else if (a->cancelled || a->state == WT_SPEC_OK)
			s->counters.copies_lost++;
		else
			s->counters.copies_failed++;
	}
}

/* A copy whose processes may still be there, and that may be publishing. */
static bool copy_publishes(const struct spec_task *task)
{
	const struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task) {
		if (a->number > 1 && (spec_alive(a) || a->completing) &&
		    (a->doubted || (task->holder == a->job_id && !task->committed)))
			return true;
	}
	return false;
}

/* A user wants all of it again.  The right that a copy has is free when the copy has gone. */
static void task_again(struct wt_spec *s, struct spec_task *task)
{
	/* Asked before 'committed' is cleared: what has published does not publish any more. */
	bool publishes = copy_publishes(task);

	task->ended = task->committed = false;
	task->winner = 0;
	if (!publishes) {
		task->holder = 0;
		task->stray_s = 0;
		spec_doubt_clear(s, task);
	}
	spec_task_changed(s, task);
}

static void attempt_restarted(struct wt_spec *s, struct spec_attempt *a, uint32_t restart)
{
	struct spec_task *task = a->task;

	if (a->number == 1 && task->ended)
		task_again(s, task);
	spec_doubt_over(s, a);
	a->restart = restart;
	a->doubted = a->unknown = false;
	a->heard = a->end_heard = a->end_fed = a->holding = false;
	a->elapsed_s = a->progress = 0;
	if (a->number == 1)
		spec_detector_forget(task);
}

/* When the scheduler was first seen to know the attempt's present state and start.  Its clock may be set back. */
static void attempt_seen(struct wt_spec *s, struct spec_attempt *a, const struct wt_spec_fact *f)
{
	/* Only the first sight counts: each later one would need a younger file, and a task that asks would wait for
	 * ever. */
	bool same = a->seen_s && a->state == f->state && a->restart == f->restart;

	if (!same || f->seen_s < a->seen_s)
		a->seen_s = f->seen_s;
	if (!same || f->seen_s < s->unsaved_s)
		s->unsaved_s = f->seen_s;
}

static void attempt_update(struct wt_spec *s, struct spec_attempt *a, const struct wt_spec_fact *f, double now_s)
{
	bool was_alive = spec_alive(a);

	/* Both before a->state and a->restart are written over: they compare the old ones with the new. */
	if (f->state != WT_SPEC_GONE)
		attempt_seen(s, a, f);
	if (f->state != WT_SPEC_GONE && f->restart != a->restart)
		attempt_restarted(s, a, f->restart);
	a->state = f->state;
	a->run_time_s = f->run_time_s;
	a->exit_code = f->exit_code;
	a->completing = f->completing;
	if (f->node && f->node[0])
		snprintf(a->node, sizeof(a->node), "%s", f->node);
	if (was_alive && !spec_alive(a)) {
		attempt_ended(s, a, now_s);
	} else if (!was_alive && spec_alive(a) && a->number > 1) {
		/* Its user has requeued a copy that had ended: uncounted, its second end would wrap the counts, and the
		 * cluster would seem to have its share of copies for ever. */
		a->task->array->copies_alive++;
		s->copies_alive++;
	}
	if (a->number > 1 && !a->written && spec_saved(s, a)) {
		a->written = true;
		spec_task_changed(s, a->task);
	}
	/* After what it looks at; also without a new state, for 'completing' ends later than the attempt. */
	spec_commit_check(s, a->task);
	if (a->number == 1 && f->state != WT_SPEC_GONE && f->state > WT_SPEC_RUNNING)
		a->task->ended = true;
	spec_look_file(s, a);
}

/* A copy that a killed scheduler had not written down yet is as good as never made: the task gets another one, without being
 * found slow again, for which too little may be known by now. */
static void copy_forgotten(struct wt_spec *s, struct spec_attempt *a)
{
	struct spec_task *task = a->task;

	/* seen_s: slurmctld has told of it, so that it has ended since, and was not forgotten.  Only the latest one: else
	 * two copies would bear one number. */
	if (a->number == 1 || a->seen_s || a->written || task->copies != a->number - 1 || task->holder == a->job_id ||
	    task->winner == a->job_id)
		return;
	task->copies--;
	task->again = true;
	if (!task->flagged)
		LIST_INSERT_HEAD(&s->flagged, task, of_flagged);
	task->flagged = true;
	spec_task_changed(s, task);
	spec_look_task(s, task);
}

static void attempt_sure(struct wt_spec *s, struct spec_attempt *a)
{
	s->unsure -= a->unsure;
	a->unsure = false;
}

static void attempt_gone(struct wt_spec *s, struct spec_attempt *a, double now_s)
{
	struct wt_spec_fact gone = { .job_id = a->job_id };

	copy_forgotten(s, a);
	if (spec_alive(a))
		attempt_update(s, a, &gone, now_s);
	attempt_sure(s, a);
	/* A copy that has published still has to win: its original is completed by it, whenever that is seen to run. */
	if (!(a->number > 1 && a->task->committed && a->task->holder == a->job_id))
		spec_attempt_remove(s, a);
}

/* Of an array that was loaded only its number and its owner are known.  What a copy says of it is its submitter's word. */
static void array_learn(struct wt_spec *s, struct spec_array *array, const struct wt_spec_fact *f)
{
	if (!array->tasks)
		policy_apply(s, array, f->policy);
	spec_array_size(s, array, f->tasks);
}

/* Whether the fact, if it is a full one, is of that attempt, and not of a job that has its number now: a killed scheduler
 * gives those anew that it has not written down. */
static bool is_job(const struct spec_attempt *a, const struct wt_spec_fact *f)
{
	const struct spec_task *task = a->task;

	if (!f->array_job_id)
		return true;
	return (!task->array->owned || task->array->uid == f->uid) && task->array->id == f->array_job_id &&
		task->id == f->array_task_id &&
	       a->number == (f->copy_of ? f->number : 1);
}

int wt_spec_fact(struct wt_spec *s, const struct wt_spec_fact *f, double now_s, struct wt_error *errp)
{
	struct spec_attempt *a = spec_attempt_find(s, f->job_id);
	struct spec_lookup lookup = spec_lookup_remove(s, f->job_id);
	bool fresh;

	if (f->state == WT_SPEC_GONE) {
		if (a)
			attempt_gone(s, a, now_s);
		return 0;
	}
	if (a && !is_job(a, f)) {
		attempt_gone(s, a, now_s);
		a = spec_attempt_find(s, f->job_id);
		if (a)		/* it has published, which stays known */
			return 0;
	}
	if (!a && !f->policy && !f->copy_of)
		return 0;
	fresh = !a;
	if (a && f->array_job_id) {
		if (!f->copy_of)
			array_learn(s, a->task->array, f);
		attempt_sure(s, a);
	}
	/* spec_doubt_unfollowed () tells by it whether memory was short. */
	errno = 0;
	if (!a)
		a = attempt_of_fact(s, f, now_s);
	if (!a) {
		spec_doubt_unfollowed(s, f);
		return wt_error_set(errp, ENOSPC, "job %u cannot be followed: too many jobs, or not a task of its own",
				    f->job_id);
	}
	attempt_update(s, a, f, now_s);
	if (fresh)
		spec_doubt_fact(s, a, f);
	spec_report_late(s, a, &lookup, now_s);
	return 0;
}

void wt_spec_saved(struct wt_spec *s, int64_t stamp_s)
{
	s->saved_s = stamp_s;
}

bool wt_spec_save_wanted(const struct wt_spec *s)
{
	return s->saved_s <= s->unsaved_s;
}
