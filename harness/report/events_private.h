/* events_private.h - raw lines of events.csv, for wt_events.c and wt_events_merge.c. */
#ifndef EVENTS_PRIVATE_H
#define EVENTS_PRIVATE_H

#include "wt_events.h"

/* wt_event_reader_next () that also gives the line's text, without newline, valid until the next feed. */
int event_reader_next_line(struct wt_event_reader *reader, struct wt_event *event, const char **line, size_t *len,
			   struct wt_error *errp);

#endif
