/* live_feed.h - a run tells the live page how it goes.
 *
 * All functions take a NULL feed and do nothing: a run without --serve.  Called by one thread; where records are read, their
 * owner holds its lock.  The times of a call go by the machine's clock (seconds, any origin), so that a run in virtual time
 * tells as often as one in real time. */
#ifndef WT_HARNESS_LIVE_LIVE_FEED_H
#define WT_HARNESS_LIVE_LIVE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/live/live_state.h"
#include "record/record.h"

struct live_feed {
	struct live_memory *memory;
	struct live_state state;	/* what is laid down next; the caller sets the fields that are not named below */
	/* private */
	unsigned char *seen;	/* of each job: started, ended */
	size_t seen_count, sample_read;
	double due_wall_s, began_wall_s;
};

struct live_feed *live_feed_create(struct live_memory *memory);	/* NULL: ENOMEM */
void live_feed_destroy(struct live_feed *feed);

/* A run begins (the next one, with --repeat): what was told of another is forgotten. */
void live_feed_begin(struct live_feed *feed, const char *title, const char *folder, double wall_s);

/* Before and after the jobs: "starting the cluster: 12 of 64 nodes". */
void live_feed_phase(struct live_feed *feed, enum live_phase phase, const char *doing, double wall_s);

/* Is it time to tell how the jobs are?  At most four times a second, and so that telling takes at most a fiftieth of the
 * time: a workload of a million jobs takes a while to be looked through. */
bool live_feed_due(const struct live_feed *feed, double wall_s);

/* Take the starts and ends since the last call from the records, which must be the same jobs in the same order, and the new
 * samples; add them to the state's histograms and lists.  'begin_s': the run's. */
void live_feed_record(struct live_feed *feed, const struct wt_record *record, double begin_s);

/* Lay the state down.  'wall_s' now, 'since_s' when this telling began. */
void live_feed_put(struct live_feed *feed, double since_s, double wall_s);

/* The command is about to end: what was laid down last, and its exit status. */
void live_feed_end(struct live_feed *feed, int exit_status);

#endif
