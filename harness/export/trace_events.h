/* trace_events.h - write events of the trace-event format, one a line
 * (https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU, which Perfetto and chrome://tracing
 * read).
 *
 * An event is trace_event_begin, its own fields, trace_event_end.  Texts are foreign: what is no UTF-8 and control
 * characters become '?', and all behind TRACE_TEXT_MAX bytes is cut, with "..." at its end.  Errors stick to the stream. */
#ifndef WT_HARNESS_EXPORT_TRACE_EVENTS_H
#define WT_HARNESS_EXPORT_TRACE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACE_TEXT_MAX 256	/* bytes */

struct trace_events {		/* { .out = stream } */
	FILE *out;
	size_t count;
	bool failed;		/* no memory: a text is "?" */
	bool in_args;		/* private */
};

struct trace_track {
	uint32_t pid, tid;	/* tid 0: of the process as a whole */
};

/* 'phase' is the format's: 'X' slice, 'C' counter, 's' and 'f' ends of a flow, 'M' metadata.  Times are microseconds. */
void trace_event_begin(struct trace_events *events, char phase, const char *name, struct trace_track track, int64_t ts_us);
void trace_event_end(struct trace_events *events);

void trace_field_number(struct trace_events *events, const char *key, int64_t value);	/* of the event itself */
void trace_field_text(struct trace_events *events, const char *key, const char *text);

/* In "args"; after all fields.  A text of NULL or "", and a number that is not finite, is left out. */
void trace_arg_text(struct trace_events *events, const char *key, const char *text);
void trace_arg_count(struct trace_events *events, const char *key, uint64_t value);
void trace_arg_number(struct trace_events *events, const char *key, double value);

/* Names of a process or a thread, and its place among the others: 'what' is "process" or "thread". */
void trace_name(struct trace_events *events, const char *what, struct trace_track track, const char *name, uint32_t place);

#endif
