/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "straggler/spec_private.h"

#define CANCEL_AGAIN_S 10.

struct actions {
	struct wt_spec_action *list;
	size_t room, count;
};

static struct wt_spec_action *action_add(struct actions *out, enum wt_spec_kind kind, const struct spec_attempt *a)
{
	const struct spec_task *task = a->task;
	struct wt_spec_action *action;

	if (out->count == out->room)
		return NULL;
	action = &out->list[out->count++];
	*action = (struct wt_spec_action){
		.kind = kind,
		.job_id = a->job_id,
		.restart = a->restart,
		.array_job_id = task->array->id,
		.array_task_id = task->id,
		.tasks = task->array->tasks,
		.uid = task->array->uid,
		.number = a->number,
	};
	memcpy(action->node, a->node, sizeof(action->node));
	return action;
}

/* A copy wins by ending well, or by having published, whatever becomes of it then; but not while another one publishes.
 * What was decided stands, also when the scheduler was killed before it wrote down that the copy had ended, and takes it for
 * running. */
static bool has_won(const struct spec_task *task, const struct spec_attempt *a)
{
	bool holds = task->holder == a->job_id;

	if (a->number == 1 || (task->holder && !holds))
		return false;
	if (task->winner == a->job_id)
		return true;
	if (spec_alive(a))
		return false;
	/* it has asked for the right and did not get it, or never began while we looked */
	if (task->doubted && !a->doubted)
		return false;
	return a->state == WT_SPEC_OK || (holds && task->committed);
}

static void end_feed(struct wt_spec *s, struct spec_attempt *a, double now_s)
{
	/* Only ends that were good say how long tasks take.  Its agent's word is the better one: slurmctld counts whole
	 * seconds, and the prolog's. */
	if (a->end_fed || a->state != WT_SPEC_OK || (!a->end_heard && now_s - a->ended_s < SPEC_REPORT_WAIT_S))
		return;
	a->end_fed = true;
	spec_detector_feed(s, a, true, now_s);
	if (a->number == 1 && a->node[0]) {
		struct spec_node *node = spec_node_get(s, a->node);

		if (node && !a->task->flagged)
			node->tasks++;
	}
}

static void winner_set(struct wt_spec *s, struct spec_task *task, const struct spec_attempt *a)
{
	if (task->winner)
		return;
	task->winner = a->job_id;
	if (a->number > 1)
		s->counters.copies_won++;
	spec_task_changed(s, task);
}

/* The attempt that has won ends the others. */
static void attempt_settle(struct wt_spec *s, struct spec_attempt *a, double now_s, struct actions *out)
{
	struct spec_task *task = a->task;
	struct spec_attempt *original = spec_task_original(task);

	if (a->unsure || (original && original->unsure))	/* another job may have that number */
		return;
	end_feed(s, a, now_s);
	if (a->number == 1) {
		struct wt_spec_action *action;

		if (a->state == WT_SPEC_OK && task->copies)
			winner_set(s, task, a);
		/* Its script was killed by being completed, and slurmstepd told of the signal afterwards. */
		if (a->state == WT_SPEC_OK && a->exit_code && task->winner != a->job_id && task->winner &&
		    (action = action_add(out, WT_SPEC_REPAIR, a)))
			action->other_id = task->winner;
		return;
	}
	if (has_won(task, a) && original && original->state == WT_SPEC_RUNNING &&
	    (!task->winner || task->winner == a->job_id)) {
		struct wt_spec_action *action = action_add(out, WT_SPEC_COMPLETE, original);

		if (action) {
			winner_set(s, task, a);
			action->other_id = a->job_id;
		}
	} else if (spec_alive(a) && (!a->cancelled || now_s - a->cancelled_s > CANCEL_AGAIN_S) &&
		   (task->ended || !original || (task->winner && task->winner != a->job_id))) {
		if (action_add(out, WT_SPEC_CANCEL, a)) {
			a->cancelled = true;
			a->cancelled_s = now_s;
		}
	}
}

/* A task that has fallen silent while others went on talking will not end by itself: what it had still to do when it was
 * heard of last says nothing.  When no task is heard, the way is broken, and for a while after that, too. */
static bool hung(const struct wt_spec *s, const struct spec_task *task, const struct spec_attempt *a, double now_s)
{
	/* After a gap in which no task of the array was heard, silence counts from its end: all of them were silent. */
	double since_s = fmax(a->received_s, task->array->heard_since_s);

	return now_s - since_s > s->options.silence_s && task->array->active_s -
		since_s > SPEC_GAP_WINDOWS * s->options.window_s;
}

/* What the task still takes (INFINITY: silent for ever), and what the mean task takes; false while unknown. */
static bool estimate(const struct wt_spec *s, const struct spec_task *task, const struct spec_attempt *a, double now_s,
		     double *rest_s, double *mean_s)
{
	const struct wt_straggler *d = task->array->detector;
	struct wt_straggler_view view;

	if (!d || wt_straggler_view(d, task->index, now_s, &view, NULL) < 0)
		return false;
	/* The detector tells its limit, which is slow_ratio times the mean. */
	*mean_s = wt_straggler_limit(d, now_s) / wt_straggler_defaults(WT_STRAGGLER_FRESH, 1).slow_ratio;
	*rest_s = isnan(view.duration_s) || hung(s, task, a, now_s) ? INFINITY : view.duration_s - a->elapsed_s -
		(now_s - a->received_s);
	return !isnan(*mean_s);
}

/* As many copies as are still free, and not more, may be one user's: alone he has half of them, two have a third each.  So
 * there is always room for one more user's first copy, and no user's copies have to be taken away. */
static bool has_share(const struct wt_spec *s, uint32_t uid)
{
	const struct spec_array *array;
	uint32_t alive = 0;

	LIST_FOREACH(array, &s->arrays, of_all)
		alive += array->uid == uid ? array->copies_alive : 0;
	return alive >= s->options.copies_max - s->copies_alive;
}

/* The first reason that holds is shown as "no_copy": cheap ones come first, the estimate last. */
static const char *copy_refusal(struct wt_spec *s, const struct spec_task *task, const struct spec_attempt *a, double now_s)
{
	const struct spec_array *array = task->array;
	double rest_s, mean_s;
	const struct spec_attempt *other;

	if (task->copies >= array->policy.copies)
		return "no more copies of this task are allowed";
	if (array->tasks < s->options.tasks_min)
		return "the array is too small";
	if (now_s - a->received_s + a->elapsed_s < s->options.age_min_s)
		return "the task is too young";
	if (task->holder)
		return "an attempt is publishing";
	if (task->doubted)
		return "it is not known whether an attempt has published";
	LIST_FOREACH(other, &task->attempts, of_task) {
		if (other != a && spec_alive(other))
			return "a copy is under way";
	}
	/* One copy always, however small the array: else a share of 0.1 would mean none below ten tasks. */
	if (array->copies_alive >= fmax(1, floor(array->policy.share * array->tasks)))
		return "the array has its share of copies";
	if (s->copies_alive >= s->options.copies_max)
		return "the cluster has its share of copies";
	if (has_share(s, array->uid))
		return "the user has his share of copies";
	/* It was found worth a copy before slurmctld forgot that; by now too little may be known to find it again. */
	if (task->again)
		return NULL;
	if (!task->reported && 2 * array->reporting < array->known)	/* that it says nothing means nothing then */
		return "the array does not report progress";
	if (array->policy.by_score)	/* allowed when the array came; the site may have changed its mind */
		return s->options.score_allowed ? NULL : "the site does not allow rule=score";
	if (!estimate(s, task, a, now_s, &rest_s, &mean_s))
		return "too little is known";
	if (rest_s - mean_s <= fmax(0, s->options.cost * (2 * mean_s - rest_s)))
		return "it would gain less than it costs";
	return NULL;
}

static void copies_start(struct wt_spec *s, double now_s, struct actions *out)
{
	struct spec_task *task, *next;

	for (task = LIST_FIRST(&s->flagged); task; task = next) {
		struct spec_attempt *a = spec_task_original(task);
		struct wt_spec_action *action;

		next = LIST_NEXT(task, of_flagged);
		/* Not reasons that users ask for: there is nothing to make a copy of, or one is being made. */
		if (task->ended || task->winner || task->copying || now_s < task->retry_s || !a ||
		    a->state != WT_SPEC_RUNNING || a->holding)
			continue;
		if (s->attempt_count + out->count >= s->options.attempts_max)	/* the copy would not be followed */
			task->refused = "as many attempts are known as MaxAttempts allows";
		else
			task->refused = copy_refusal(s, task, a, now_s);
		if (task->refused || !(action = action_add(out, WT_SPEC_COPY, a)))
			continue;
		action->number = task->copies + 2;
		/* Until wt_spec_copied (): else a second look, before slurmctld has answered, would make a second
		 * copy. */
		task->copying = true;
		spec_look_task(s, task);
		task->array->copies_alive++;	/* until its outcome is known */
		s->copies_alive++;
	}
}

static void array_detect(struct wt_spec *s, struct spec_array *array, double now_s)
{
	size_t count;
	/* The detector tells each task once; what it finds has to be remembered here. */
	const uint32_t *found = array->detector ? wt_straggler_detect(array->detector, now_s, &count) : NULL;

	for (size_t i = 0; found && i < count; i++) {
		struct spec_task *task = found[i] < array->known ? array->order[found[i]] : NULL;
		struct spec_attempt *a;
		struct spec_node *node;

		if (!task || task->flagged)
			continue;
		task->flagged = true;
		LIST_INSERT_HEAD(&s->flagged, task, of_flagged);
		s->counters.flagged++;
		a = spec_task_original(task);
		node = a && a->node[0] ? spec_node_get(s, a->node) : NULL;
		if (node) {
			node->tasks++;
			node->flagged++;
		}
	}
}

static bool array_alive(const struct spec_array *array)
{
	for (uint32_t i = 0; i < array->known; i++) {
		const struct spec_attempt *a;

		LIST_FOREACH(a, &array->order[i]->attempts, of_task) {
			if (spec_alive(a))
				return true;
		}
	}
	return false;
}

/* Copies, tasks that have one, and ends that the detector does not know yet: all of them are keen. */
static void attempts_settle(struct wt_spec *s, double now_s, struct actions *out)
{
	struct spec_attempt *a, *next;

	for (a = LIST_FIRST(&s->keen); a; a = next) {
		next = LIST_NEXT(a, of_file);
		attempt_settle(s, a, now_s, out);
		spec_look_file(s, a);
	}
}

size_t wt_spec_decide(struct wt_spec *s, double now_s, struct wt_spec_action *list, size_t room)
{
	struct actions out = { list, room, 0 };
	struct spec_array *array, *next_array;

	/* First: ends feed the detectors, and a task that has ended needs no copy. */
	attempts_settle(s, now_s, &out);
	for (array = LIST_FIRST(&s->arrays); array; array = next_array) {
		next_array = LIST_NEXT(array, of_all);
		if (now_s - array->active_s > SPEC_FORGET_S && !array_alive(array))
			spec_array_remove(s, array);
		else
			array_detect(s, array, now_s);
	}
	copies_start(s, now_s, &out);
	return out.count;
}

void wt_spec_copied(struct wt_spec *s, const struct wt_spec_action *action, uint32_t job_id, const char *why, double now_s)
{
	struct spec_array *array = spec_array_get(s, action->array_job_id, false);
	struct spec_task *task = array ? spec_task_get(array, action->array_task_id, false) : NULL;
	struct spec_attempt *a;

	/* It was counted when the copy was decided; if there is one now, as an attempt that lives, below. */
	s->copies_alive--;
	if (!task)
		return;
	array->copies_alive--;
	task->copying = false;
	if (!job_id) {
		spec_look_task(s, task);
		task->refused = why;
		task->retry_s = now_s + SPEC_RETRY_S;
		s->counters.copies_refused++;
		return;
	}
	task->copies = action->number - 1;
	/* Also when the attempt cannot be followed, below: its original has to be looked at each second from now on. */
	spec_look_task(s, task);
	task->again = false;
	s->counters.copies++;
	spec_task_changed(s, task);
	a = spec_attempt_add(s, task, job_id, action->number);
	if (!a)
		return;
	a->state = WT_SPEC_PENDING;
	a->made_s = now_s;
	spec_look_task(s, task);
	array->copies_alive++;
	s->copies_alive++;
}
