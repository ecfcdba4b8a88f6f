/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an array's detector hears of. */
#include "config.h"

#include <math.h>

#include "straggler/spec_private.h"

void spec_detector_feed(struct wt_spec *s, struct spec_attempt *a, bool end, double now_s)
{
	struct spec_array *array = a->task->array;
	struct wt_heartbeat hb = { .task = a->task->index, .end = end, .received_s = now_s, .sent_s = NAN,
				   .elapsed_s = a->elapsed_s, .progress = a->progress };

	if (end && !a->end_heard)
		hb.elapsed_s = fmax(a->run_time_s, a->elapsed_s);
	if (!array->detector || hb.task >= array->tasks)
		return;
	/* A copy's progress would mix with its original's, whose task it shares; its duration is one more good task's. */
	if ((a->number == 1 || end) && wt_straggler_heartbeat(array->detector, &hb, NULL) < 0)
		s->counters.range++;
	if (s->heard)
		s->heard(array->uid, array->id, array->tasks, a->number, &hb, s->heard_arg);
}

void spec_detector_forget(struct spec_task *task)
{
	if (task->array->detector && task->index < task->array->tasks)
		wt_straggler_forget(task->array->detector, task->index, NULL);
	if (task->flagged)
		LIST_REMOVE(task, of_flagged);
	task->flagged = false;
}
