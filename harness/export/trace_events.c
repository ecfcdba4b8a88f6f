/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/export/trace_events.h"
#include "lib/str.h"

/* A line has no control characters and is UTF-8: only these two are left. */
static void text_write(struct trace_events *events, const char *text)
{
	char *line = wt_str_make_line(text, TRACE_TEXT_MAX);
	FILE *out = events->out;

	if (!line)
		events->failed = true;
	putc('"', out);
	for (const char *at = line ? line : "?"; *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', out);
		putc(*at, out);
	}
	putc('"', out);
	free(line);
}

void trace_event_begin(struct trace_events *events, char phase, const char *name, struct trace_track track, int64_t ts_us)
{
	fprintf(events->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32, events->count ? ",\n" : "", phase, track.pid);
	if (track.tid)
		fprintf(events->out, ",\"tid\":%" PRIu32, track.tid);
	fprintf(events->out, ",\"ts\":%" PRId64 ",\"name\":", ts_us);
	text_write(events, name);
	events->count++;
	events->in_args = false;
}

void trace_event_end(struct trace_events *events)
{
	fputs(events->in_args ? "}}" : "}", events->out);
}

void trace_field_number(struct trace_events *events, const char *key, int64_t value)
{
	fprintf(events->out, ",\"%s\":%" PRId64, key, value);
}

void trace_field_text(struct trace_events *events, const char *key, const char *text)
{
	fprintf(events->out, ",\"%s\":", key);
	text_write(events, text);
}

static void arg_begin(struct trace_events *events, const char *key)
{
	fprintf(events->out, events->in_args ? ",\"%s\":" : ",\"args\":{\"%s\":", key);
	events->in_args = true;
}

void trace_arg_text(struct trace_events *events, const char *key, const char *text)
{
	if (!text || !*text)
		return;
	arg_begin(events, key);
	text_write(events, text);
}

void trace_arg_count(struct trace_events *events, const char *key, uint64_t value)
{
	arg_begin(events, key);
	fprintf(events->out, "%" PRIu64, value);
}

void trace_arg_number(struct trace_events *events, const char *key, double value)
{
	if (!isfinite(value))
		return;
	arg_begin(events, key);
	fprintf(events->out, "%.12g", value);
}

void trace_name(struct trace_events *events, const char *what, struct trace_track track, const char *name, uint32_t place)
{
	char event[32];

	snprintf(event, sizeof(event), "%s_name", what);
	trace_event_begin(events, 'M', event, track, 0);
	trace_arg_text(events, "name", *name ? name : "?");
	trace_event_end(events);
	snprintf(event, sizeof(event), "%s_sort_index", what);
	trace_event_begin(events, 'M', event, track, 0);
	trace_arg_count(events, "sort_index", place);
	trace_event_end(events);
}
