/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "straggler/trace_log.h"

#define NAME_MAX_BYTES 64

bool wt_trace_log_name_ok(const char *job)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+-";
	size_t len = job ? strlen(job) : 0;

	return len >= 1 && len <= NAME_MAX_BYTES && strspn(job, allowed) == len;
}

void wt_trace_log_begin(FILE *out)
{
	fputs("{\"type\":\"windtunnel-heartbeats\",\"version\":1}\n", out);
}

/* 17 digits: the double that is read is the one that was written. */
void wt_trace_log_job(FILE *out, const char *job, uint32_t tasks, double window_s)
{
	fprintf(out, "{\"type\":\"job\",\"job\":\"%s\",\"tasks\":%" PRIu32 ",\"window_s\":%.17g}\n", job, tasks, window_s);
}

/* Behind the task. */
static void beat_write(FILE *out, const struct wt_heartbeat *hb)
{
	fprintf(out, ",\"received_s\":%.17g", hb->received_s);
	if (!isnan(hb->sent_s))
		fprintf(out, ",\"sent_s\":%.17g", hb->sent_s);
	fprintf(out, ",\"elapsed_s\":%.17g,\"progress\":%.17g%s}\n", hb->elapsed_s, hb->progress,
		hb->end ? ",\"end\":true" : "");
}

void wt_trace_log_heartbeat(FILE *out, const char *job, const struct wt_heartbeat *hb)
{
	fprintf(out, "{\"type\":\"heartbeat\",\"job\":\"%s\",\"task\":%" PRIu32, job, hb->task);
	beat_write(out, hb);
}

void wt_trace_log_copy(FILE *out, const char *job, const struct wt_trace_copy *copy)
{
	fprintf(out, "{\"type\":\"copy\",\"job\":\"%s\",\"task\":%" PRIu32 ",\"attempt\":%" PRIu32, job, copy->hb.task,
		copy->attempt);
	beat_write(out, &copy->hb);
}

void wt_trace_log_attempt(FILE *out, const char *job, const struct wt_trace_attempt *a)
{
	fprintf(out, "{\"type\":\"attempt\",\"job\":\"%s\",\"task\":%" PRIu32 ",\"attempt\":%" PRIu32, job, a->task,
		a->attempt);
	if (a->task_id >= 0)
		fprintf(out, ",\"task_id\":%" PRId64, a->task_id);
	if (wt_trace_log_name_ok(a->node))
		fprintf(out, ",\"node\":\"%s\"", a->node);
	if (wt_trace_log_name_ok(a->state))
		fprintf(out, ",\"state\":\"%s\"", a->state);
	fprintf(out, ",\"flagged\":%s,\"won\":%s}\n", a->flagged ? "true" : "false", a->won ? "true" : "false");
}

void wt_trace_log_task(FILE *out, const char *job, uint32_t number, const struct wt_trace_task *task)
{
	fprintf(out, "{\"type\":\"task\",\"job\":\"%s\",\"task\":%" PRIu32, job, number);
	if (isfinite(task->start_s))
		fprintf(out, ",\"start_s\":%.17g", task->start_s);
	if (isfinite(task->duration_s))
		fprintf(out, ",\"duration_s\":%.17g", task->duration_s);
	if (isfinite(task->hang_s))
		fprintf(out, ",\"hang_s\":%.17g", task->hang_s);
	if (task->known)
		fprintf(out, ",\"straggler\":%s", task->straggler ? "true" : "false");
	fputs("}\n", out);
}

void wt_trace_log_end(FILE *out, const char *job, double time_s)
{
	fprintf(out, "{\"type\":\"end\",\"job\":\"%s\",\"time_s\":%.17g}\n", job, time_s);
}

void wt_trace_log_write(FILE *out, const char *job, const struct wt_trace *trace)
{
	wt_trace_log_job(out, job, trace->tasks, trace->window_s);
	for (uint32_t i = 0; i < trace->tasks; i++)
		wt_trace_log_task(out, job, i, &trace->task[i]);
	for (size_t i = 0; i < trace->count; i++)
		wt_trace_log_heartbeat(out, job, &trace->heartbeats[i]);
	wt_trace_log_end(out, job, trace->end_s);
}
