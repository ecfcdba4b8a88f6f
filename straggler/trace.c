/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "straggler/trace.h"

#define STRAGGLER_RATIO 1.2	/* [P] II.A: the definition, not a detector's setting */

int wt_trace_reset(struct wt_trace *trace, uint32_t tasks, double window_s, struct wt_error *errp)
{
	if (!trace->task || trace->tasks < tasks) {
		struct wt_trace_task *task = reallocarray(trace->task, tasks, sizeof(*task));

		if (!task)
			return wt_error_set(errp, ENOMEM, "trace: no memory for %u tasks", tasks);
		trace->task = task;
	}
	trace->tasks = tasks;
	trace->window_s = window_s;
	trace->count = 0;
	trace->first_finish_s = NAN;
	trace->end_s = NAN;
	for (uint32_t i = 0; i < tasks; i++)
		trace->task[i] = (struct wt_trace_task) { .start_s = NAN, .duration_s = NAN, .hang_s = NAN };
	return 0;
}

int wt_trace_add(struct wt_trace *trace, const struct wt_heartbeat *hb, struct wt_error *errp)
{
	if (trace->count == trace->room) {
		size_t room = trace->room ? 2 * trace->room : 1024;
		struct wt_heartbeat *heartbeats = reallocarray(trace->heartbeats, room, sizeof(*heartbeats));

		if (!heartbeats)
			return wt_error_set(errp, ENOMEM, "trace: no memory for %zu heartbeats", room);
		trace->heartbeats = heartbeats;
		trace->room = room;
	}
	trace->heartbeats[trace->count++] = *hb;
	return 0;
}

static int compare_heartbeats(const void *a, const void *b)
{
	const struct wt_heartbeat *x = a, *y = b;

	if (x->received_s != y->received_s)
		return x->received_s < y->received_s ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->elapsed_s != y->elapsed_s)
		return x->elapsed_s < y->elapsed_s ? -1 : 1;
	return x->end - y->end;
}

void wt_trace_sort(struct wt_trace *trace)
{
	if (trace->count)
		qsort(trace->heartbeats, trace->count, sizeof(*trace->heartbeats), compare_heartbeats);
}

void wt_trace_judge(struct wt_trace *trace, double mean_s)
{
	for (uint32_t i = 0; i < trace->tasks; i++) {
		struct wt_trace_task *task = &trace->task[i];
		double lasted_s = isnan(task->duration_s) ? trace->end_s - task->start_s : task->duration_s;

		task->straggler = lasted_s >= STRAGGLER_RATIO * mean_s;
		task->known = task->straggler || !isnan(task->duration_s);
	}
}

void wt_trace_fini(struct wt_trace *trace)
{
	int saved_errno = errno;

	free(trace->task);
	free(trace->heartbeats);
	*trace = (struct wt_trace) { 0 };
	errno = saved_errno;
}
