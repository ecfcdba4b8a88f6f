/* live_cluster.h - the state of a cluster, out of the files that its supervisor and its virtual nodes write anyway
 * (doc/formats.md): no daemon is asked.
 *
 * Reads below the working directory, which is the cluster's folder.  One thread. */
#ifndef WT_HARNESS_LIVE_LIVE_CLUSTER_H
#define WT_HARNESS_LIVE_LIVE_CLUSTER_H

#include <sys/types.h>

#include "harness/live/live_state.h"
#include "lib/proc.h"
#include "record/events.h"

struct live_cluster {			/* zeroed at first */
	struct wt_proc supervisor;	/* as state.json names it; pid 0: not known */
	/* private */
	struct wt_proc controller;
	struct wt_event_reader *events;
	off_t events_offset;
	struct timespec state_changed, nodes_changed;
	double began_s;			/* of events.csv's clock: that of the first row */
};

/* Take in what the files have now (of events.csv at most a MiB at each call).  What cannot be read stays as it was. */
void live_cluster_look(struct live_cluster *cluster, struct live_state *state);
void live_cluster_clear(struct live_cluster *cluster);

/* Parts of it, for texts of those files; foreign bytes are no danger. */
void live_cluster_take_state(struct live_cluster *cluster, struct live_state *state, const char *json, size_t len);
void live_cluster_take_nodes(struct live_state *state, const char *json, size_t len);
void live_cluster_take_events(struct live_cluster *cluster, struct live_state *state, const char *bytes, size_t len);

#endif
