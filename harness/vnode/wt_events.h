/* wt_events.h - append to events.csv (doc/internals.md): whole rows, buffered, flushed by the caller's timer.
 *
 * One thread at a time. */
#ifndef WT_EVENTS_H
#define WT_EVENTS_H

#include <stdint.h>

#include "wt_error.h"

struct wt_events;	/* opaque */

/* Opens or makes the file; a new one gets the header.  NULL with errno and *errp. */
struct wt_events *wt_events_open(const char *path, struct wt_error *errp);
int wt_events_close(struct wt_events *events, struct wt_error *errp);	/* flushes; NULL is ignored */

/* 'node' and 'value' (NAN) may be missing; array ids: 0 and UINT32_MAX mean none. */
void wt_events_add(struct wt_events *events, int64_t time_us, const char *event, uint32_t job_id, uint32_t array_job_id,
		   uint32_t array_task_id, const char *node, double value);

int wt_events_flush(struct wt_events *events, struct wt_error *errp);	/* what could not be written is kept and tried again */

#endif
