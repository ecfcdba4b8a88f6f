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
	trace->count = trace->copy_count = trace->attempt_count = 0;
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

/* Room for one more of 'count', which is made at 0, 1, 2, 4, ...  NULL: no memory. */
static void *room_make(void *array, size_t count, size_t size, struct wt_error *errp)
{
	void *more = array;

	if (!count || !(count & (count - 1)))
		more = reallocarray(array, count ? 2 * count : 1, size);
	if (!more)
		wt_error_set(errp, ENOMEM, "trace: no memory for %zu lines", count + 1);
	return more;
}

int wt_trace_add_copy(struct wt_trace *trace, const struct wt_trace_copy *copy, struct wt_error *errp)
{
	struct wt_trace_copy *copies = room_make(trace->copies, trace->copy_count, sizeof(*copies), errp);

	if (!copies)
		return -1;
	trace->copies = copies;
	copies[trace->copy_count++] = *copy;
	return 0;
}

int wt_trace_add_attempt(struct wt_trace *trace, const struct wt_trace_attempt *attempt, struct wt_error *errp)
{
	struct wt_trace_attempt *attempts = room_make(trace->attempts, trace->attempt_count, sizeof(*attempts), errp);

	if (!attempts)
		return -1;
	trace->attempts = attempts;
	attempts[trace->attempt_count++] = *attempt;
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
	/* The order is total but for twins, so that a log gives the same result however qsort (3) works. */
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
		/* One that has not ended is a straggler if it has lasted long enough already; else it is not known. */
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
	free(trace->copies);
	free(trace->attempts);
	*trace = (struct wt_trace) { 0 };
	errno = saved_errno;
}
