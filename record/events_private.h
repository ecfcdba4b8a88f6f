/* events_private.h - raw lines of events.csv, for events.c and events_merge.c. */
#ifndef WT_RECORD_EVENTS_PRIVATE_H
#define WT_RECORD_EVENTS_PRIVATE_H

#include "record/events.h"

/* wt_event_reader_next () that also gives the line's text, without newline, valid until the next feed. */
int event_reader_next_line(struct wt_event_reader *reader, struct wt_event *event, const char **line, size_t *len,
			   struct wt_error *errp);

#endif
