/* event_log.h - append to events.csv and power.csv (doc/formats.md): rows, buffered, flushed by the caller's timer.
 *
 * One thread at a time. */
#ifndef WT_HARNESS_VNODE_STORE_EVENT_LOG_H
#define WT_HARNESS_VNODE_STORE_EVENT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

struct event_log;	/* opaque */

/* Opens or makes the file; a new one gets the header, a string literal that ends its line.  NULL with errno and *errp. */
struct event_log *event_log_open(const char *path, const char *header, struct wt_error *errp);
int event_log_close(struct event_log *events, struct wt_error *errp);	/* flushes; NULL is ignored */

/* 'node' and 'value' (NAN) may be missing; array ids: 0 and UINT32_MAX mean none. */
void event_log_add(struct event_log *events, int64_t time_us, const char *event, uint32_t job_id, uint32_t array_job_id,
		   uint32_t array_task_id, const char *node, double value);

/* A row as it stands in the file, with its end of line. */
void event_log_add_row(struct event_log *events, const char *row);

/* The rows that have been added since the last call, and where they stand or will stand in the file: for a journal that has
 * them before the file does.  Borrowed until the next call of any function here; *len 0: none. */
const char *event_log_new(struct event_log *events, size_t *len, uint64_t *offset);

/* Before any event_log_add (): add what of these bytes, which belong to 'offset', the file does not have.  How many they
 * were;
 * -1 with EINVAL (the file ends before 'offset'), ENOMEM. */
long event_log_restore(struct event_log *events, uint64_t offset, const char *text, size_t len, struct wt_error *errp);

bool event_log_waiting(const struct event_log *events);		/* is there anything to be flushed? */
/* what could not be written is kept and tried again */
int event_log_flush(struct event_log *events, struct wt_error *errp);

#endif
