/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When it is lost which attempt may publish, and which has.
 *
 * Then every start that had begun may have published, or be about to.  One that asks for the right shows that it is not: its
 * command has not been run.  One that ends without having asked, and every earlier start, may have published for ever; the
 * task is spoiled, and what is left of it waits until its patience ends, so that a person looks.  Nothing else tells:
 * slurmctld knows only whether scripts ended well.
 *
 * What gives one acquisition back proves nothing about the others of its start: another wt-commit of the same script may
 * have the right since before, and no record has it.  So such a word clears no doubt, a start that had begun keeps the
 * right it gets until it ends, and what it says it has published counts. */
#include "config.h"

#include <errno.h>

#include "straggler/spec_private.h"

void wt_spec_doubt(struct wt_spec *s, bool lost)
{
	s->lost = lost;
}

static bool in_doubt(const struct spec_task *task)
{
	const struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task) {
		if (task->doubted && spec_alive(a))
			return true;
	}
	return false;
}

int wt_spec_doubted(const struct wt_spec *s, struct wt_error *errp)
{
	const struct spec_array *array;
	int count = 0;

	LIST_FOREACH(array, &s->arrays, of_all) {
		for (uint32_t i = 0; i < array->known; i++)
			count += in_doubt(array->order[i]);
	}
	return s->lost_some ? wt_error_errno(errp, ENOMEM, "tasks in doubt") : count;
}

void spec_doubt_fact(struct wt_spec *s, struct spec_attempt *a, const struct wt_spec_fact *f)
{
	struct spec_task *task = a->task;
	bool runs = f->state == WT_SPEC_RUNNING;

	/* A restart, nodes that end its processes, or a node of a job that does not wait: each shows that some start has
	 * begun. */
	if (!s->lost || !(runs || f->restart || f->completing || (f->state != WT_SPEC_PENDING && f->node && f->node[0])))
		return;		/* it has never begun */
	task->doubted = true;
	/* A start that is over cannot be asked any more whether it published. */
	task->spoiled = task->spoiled || !runs || f->restart;
	a->doubted = a->unknown = runs;
	spec_task_changed(s, task);
}

void spec_doubt_unfollowed(struct wt_spec *s, const struct wt_spec_fact *f)
{
	struct spec_attempt *original = f->copy_of ? spec_attempt_find(s, f->copy_of) : NULL;
	struct spec_array *array = original ? original->task->array : spec_array_get(s, f->array_job_id, false);
	struct spec_task *task = original ? original->task : array ? spec_task_get(array, f->array_task_id, false) : NULL;

	/* of which task it is a copy is the submitter's word */
	if (!s->lost || (task && task->array->owned && task->array->uid != f->uid))
		return;
	if (!task) {
		s->lost_some = s->lost_some || errno == ENOMEM;
		return;
	}
	/* It may run, and cannot be asked for, since there is no room to follow it: as if it had ended. */
	task->doubted = task->spoiled = true;
	spec_task_changed(s, task);
}

void spec_doubt_over(struct wt_spec *s, struct spec_attempt *a)
{
	if (!a->doubted)
		return;
	a->task->spoiled = true;	/* a->doubted stays: it may have won */
	spec_task_changed(s, a->task);
}

void spec_doubt_clear(struct wt_spec *s, struct spec_task *task)
{
	struct spec_attempt *a;

	if (!task->doubted)
		return;
	task->doubted = task->spoiled = false;
	LIST_FOREACH(a, &task->attempts, of_task)
		a->doubted = a->unknown = false;
	spec_task_changed(s, task);
}

bool spec_doubt_gone(struct wt_spec *s, struct spec_attempt *a)
{
	const struct spec_attempt *other;

	/* That it asks shows that it has not published; kept also when others still prevent that it gets the right. */
	if (a->doubted)
		spec_task_changed(s, a->task);
	a->doubted = false;
	if (a->task->spoiled)
		return false;
	LIST_FOREACH(other, &a->task->attempts, of_task) {
		/* Also one that has asked: another wt-commit of its script may have the right since before.  One that
		 * holds has failed, and slurmstepd tells that only when nothing of it publishes any more
		 * (publish_lock.h). */
		if (other != a &&
		    (other->doubted || other->completing || (other->state == WT_SPEC_RUNNING && !other->holding)))
			return false;
	}
	return true;
}
