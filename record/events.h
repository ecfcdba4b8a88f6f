/* events.h - rows of events.csv (doc/formats.md), from bytes that another process may still be writing.
 *
 * Pure: the caller reads the file and feeds the bytes.  A reader: one thread at a time. */
#ifndef WT_RECORD_EVENTS_H
#define WT_RECORD_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/error.h"
#include "record/event_format.h"
#include "record/record.h"

#define WT_EVENT_LINE_MAX 512	/* bytes without the newline; a longer line is malformed */
#define WT_EVENT_NO_ID UINT32_MAX	/* an empty id column */

struct wt_event {	/* plain value */
	double time_s;		/* since the epoch */
	enum wt_event_kind kind;
	uint32_t job_id, array_job_id, array_task_id;
	char node[256];		/* "" : none */
	double value;		/* NAN: none */
};

/* One line without its newline: exactly 7 columns, finite time >= 0, a known event, ids of at most 32 bits (job_id is
 * never empty), a node name of printable characters, a finite value or none.  0, or -1 with
 * EINVAL and what is wrong. */
int wt_event_parse(struct wt_event *event, const char *line, size_t len, struct wt_error *errp);

/* Write one row.  Errors stick to the stream. */
void wt_event_write(FILE *out, const struct wt_event *event);

struct wt_event_reader;	/* opaque: bytes in, events out */

/* 'name' (copied) is for messages ("NAME:LINE: ...").  NULL with ENOMEM. */
struct wt_event_reader *wt_event_reader_create(const char *name);
void wt_event_reader_destroy(struct wt_event_reader *reader);	/* NULL is ignored; errno is preserved */

/* Append bytes as they come; lines may be cut anywhere.  0, or -1 with ENOMEM. */
int wt_event_reader_feed(struct wt_event_reader *reader, const char *bytes, size_t len, struct wt_error *errp);

/* The next whole line.  1: *event is set; 0: feed more; -1 with EINVAL and "NAME:LINE: ..." for a malformed line, which is
 * skipped, so that the caller may count it and go on.  Header lines (the first, and again where a restarted writer began
 * anew) are passed over. */
int wt_event_reader_next(struct wt_event_reader *reader, struct wt_event *event, struct wt_error *errp);

/* Bytes of a last line without newline: at the end of a file, one that its writer did not finish (killed; disk full). */
size_t wt_event_reader_pending(const struct wt_event_reader *reader);

/* Take what an event says into the job's record: start, probe, end and release times; "requeue" and a second "start" begin
 * anew.  Times that slurmctld told may be in the record before: they give way, and an end that the nodes do not tell (the
 * node process was killed) stays slurmctld's.  It sets no states: those are the controller's.  1; 0 when the job is not one
 * of ours (perhaps not yet: a job may start before the reply to its submission is recorded; keep the event and apply it
 * later). */
int wt_record_apply(struct wt_record *record, const struct wt_event *event);

/* Write the run's events.csv: the record's submissions and the nodes' events, ordered by time (equal times: submissions
 * first, then as they came).  'node_events' (may be NULL) is read from where it stands to its end; a last line without
 * newline is left out; malformed lines are left out and counted, with the first one in *errp ("NAME:LINE: ...", lines
 * counted from where it stood).  Holds the text in memory: about 90 bytes a row.  The number of malformed lines, or -1 with
 * ENOMEM or the stream's error. */
ssize_t wt_events_merge(FILE *out, const struct wt_record *record, FILE *node_events, const char *name,
			struct wt_error *errp);

#endif
