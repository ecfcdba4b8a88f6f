/* event_log.h - append to events.csv and power.csv (doc/formats.md): rows, buffered, flushed by the caller's timer.
 *
 * One thread at a time. */
#ifndef WT_HARNESS_VNODE_STORE_EVENT_LOG_H
#define WT_HARNESS_VNODE_STORE_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_events;	/* opaque */

/* Opens or makes the file; a new one gets the header, a string literal that ends its line.  NULL with errno and *errp. */
struct wt_events *wt_events_open(const char *path, const char *header, struct wt_error *errp);
int wt_events_close(struct wt_events *events, struct wt_error *errp);	/* flushes; NULL is ignored */

/* 'node' and 'value' (NAN) may be missing; array ids: 0 and UINT32_MAX mean none. */
void wt_events_add(struct wt_events *events, int64_t time_us, const char *event, uint32_t job_id, uint32_t array_job_id,
		   uint32_t array_task_id, const char *node, double value);

/* A row as it stands in the file, with its end of line. */
void wt_events_add_row(struct wt_events *events, const char *row);

/* The rows that have been added since the last call, and where they stand or will stand in the file: for a journal that has
 * them before the file does.  Borrowed until the next call of any function here; *len 0: none. */
const char *wt_events_new(struct wt_events *events, size_t *len, uint64_t *offset);

/* Before any wt_events_add (): add what of these bytes, which belong to 'offset', the file does not have.  How many they
 * were;
 * -1 with EINVAL (the file ends before 'offset'), ENOMEM. */
long wt_events_restore(struct wt_events *events, uint64_t offset, const char *text, size_t len, struct wt_error *errp);

bool wt_events_waiting(const struct wt_events *events);		/* is there anything to be flushed? */
/* what could not be written is kept and tried again */
int wt_events_flush(struct wt_events *events, struct wt_error *errp);

#endif
