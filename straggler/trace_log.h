/* trace_log.h - heartbeats in a file: JSON objects, one a line (windtunnel-straggler(1), "HEARTBEAT LOG").
 *
 *   {"type":"windtunnel-heartbeats","version":1}                              first line
 *   {"type":"job","job":"7","tasks":50,"window_s":6}                          before all other lines of this job
 *   {"type":"heartbeat","job":"7","task":3,"received_s":6.2,"sent_s":6.1,"elapsed_s":6,"progress":0.3}
 *   {"type":"heartbeat","job":"7","task":3,"received_s":20.2,"elapsed_s":20,"progress":1,"end":true}
 *   {"type":"task","job":"7","task":3,"start_s":0,"duration_s":20,"straggler":false}    optional: the truth
 *   {"type":"task","job":"7","task":4,"start_s":0,"hang_s":12.5,"straggler":true}
 *   {"type":"copy","job":"7","task":3,"attempt":2,"received_s":16.2,"elapsed_s":6,"progress":0.6}       of a copy
 *   {"type":"attempt","job":"7","task":3,"attempt":2,"task_id":3,"node":"n5","state":"completed","flagged":true,"won":true}
 *   {"type":"end","job":"7","time_s":26.5}                                    optional: nothing more comes of this job
 *
 * Jobs may be interleaved, heartbeats out of order; sent_s may be missing; other members are ignored.  Times are those
 * of straggler.h.  Values out of range are kept: detectors refuse them and are counted for it.
 *
 * Without "task" lines a task's duration is the elapsed_s of its end, and it is a straggler from 1.2 times the mean on; one
 * that had not ended when the job's log did is a straggler if it had lasted that long, else nothing is known of it.
 * Pure but for the stream; one thread at a time. */
#ifndef WT_STRAGGLER_TRACE_LOG_H
#define WT_STRAGGLER_TRACE_LOG_H

#include <stdio.h>

#include "straggler/trace.h"

#define WT_TRACE_LOG_LINE_MAX 65536	/* bytes */
#define WT_TRACE_LOG_TASKS_MAX 4000000	/* of all jobs that are open at a time */

/* Whether 'job' can be a job's name: 1 to 64 of A-Z a-z 0-9 and _ . : + - */
bool wt_trace_log_name_ok(const char *job);

/* Writing, line by line.  'job' must be a name.  Errors stick to the stream (ferror), as with stdio. */
void wt_trace_log_begin(FILE *out);
void wt_trace_log_job(FILE *out, const char *job, uint32_t tasks, double window_s);
void wt_trace_log_heartbeat(FILE *out, const char *job, const struct wt_heartbeat *hb);
void wt_trace_log_copy(FILE *out, const char *job, const struct wt_trace_copy *copy);
void wt_trace_log_attempt(FILE *out, const char *job, const struct wt_trace_attempt *attempt);
void wt_trace_log_task(FILE *out, const char *job, uint32_t number, const struct wt_trace_task *task);
void wt_trace_log_end(FILE *out, const char *job, double time_s);

/* A whole job: all of the above but the first. */
void wt_trace_log_write(FILE *out, const char *job, const struct wt_trace *trace);

/* One job, when its end is read, or at the end of the file; the trace is valid during the call.  0, or -1 to stop. */
typedef int (*wt_trace_log_fn)(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp);

/* Read a log of foreign bytes.  'name' is for messages ("NAME:LINE: ...").  0; -1 with EINVAL (not such a log), ENOMEM,
 * E2BIG (too many tasks at a time), the read error, or what 'fn' set. */
int wt_trace_log_read(FILE *in, const char *name, wt_trace_log_fn fn, void *arg, struct wt_error *errp);

#endif
