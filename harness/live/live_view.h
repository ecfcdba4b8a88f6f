/* live_view.h - what the server has to say: states become messages for EventSource (server-sent events, HTML Living
 * Standard, 9.2), a snapshot for a new reader and a delta for one that has the state before.
 *
 * Messages are made once for all readers, and live as long as the slowest of these.  Pure; one thread. */
#ifndef WT_HARNESS_LIVE_LIVE_VIEW_H
#define WT_HARNESS_LIVE_LIVE_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/live/live_state.h"

#define LIVE_POINTS 720		/* of the curves; of more every second one is dropped, as often as it takes */

struct live_message {
	unsigned int refs;
	size_t len;
	char text[];		/* terminated */
};

struct live_view {
	struct live_state state;	/* the latest */
	uint64_t generation;		/* grows with each message; 0: there is no state yet */
	/* private */
	json_t *values;			/* of the latest */
	json_t *points[LIVE_POINTS];
	size_t point_count, stride, skipped;
	uint64_t samples_seen, jobs_seen;
	struct wt_sample sample_before;
	bool sampled;
	struct live_message *delta, *snapshot;	/* of this generation, when a reader has asked for it */
	json_t *change;			/* what the delta says */
};

struct live_view *live_view_create(void);	/* NULL: ENOMEM */
void live_view_destroy(struct live_view *view);

/* A new generation.  -1: ENOMEM, and the view is as before. */
int live_view_update(struct live_view *view, const struct live_state *state);

/* A new generation that says nothing: readers learn that the server lives. */
void live_view_ping(struct live_view *view);

/* The message that brings a reader of generation 'from' (0: none) to this one: the caller's until live_message_drop ().
 * NULL: ENOMEM, or there is no state yet. */
struct live_message *live_view_message(struct live_view *view, uint64_t from);
void live_message_drop(struct live_message *message);	/* NULL is ignored */

/* The snapshot as JSON; the caller frees it; NULL: ENOMEM, or there is no state yet. */
char *live_view_json(const struct live_view *view);

#endif
