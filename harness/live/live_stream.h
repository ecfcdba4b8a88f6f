/* live_stream.h - a reader of the server's events, at a pace of its own.
 *
 * Holds at most one message: a slow reader gets a snapshot next, and nothing is queued for it.  Pure; one thread. */
#ifndef WT_HARNESS_LIVE_LIVE_STREAM_H
#define WT_HARNESS_LIVE_LIVE_STREAM_H

#include <sys/types.h>

#include "harness/live/live_view.h"

struct live_stream {			/* zeroed but for 'view' */
	struct live_view *view;
	/* private */
	struct live_message *message;
	size_t offset;
	uint64_t generation;
};

enum { LIVE_STREAM_WAIT = 0, LIVE_STREAM_END = -1 };

/* Copy up to 'max' bytes of what is next.  How many, LIVE_STREAM_WAIT: nothing new, or LIVE_STREAM_END: all has been told,
 * for ever. */
ssize_t live_stream_read(struct live_stream *stream, char *buf, size_t max);

void live_stream_clear(struct live_stream *stream);

#endif
