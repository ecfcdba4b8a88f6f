/* replay.h - follow a run's jobs over its nodes again: what was free at each start, and at any moment.
 *
 * A node is taken when its job starts and free when that node was released, so that completing nodes are not free.  Where
 * nodes are shared and it is not known what each gave, a job's units are laid on its nodes in their order, each giving what
 * it has and keeping one for each later node.  A job's start is believed: where the record says that a node was not free yet
 * (events of different processes may cross within milliseconds), it is taken to have been. Nodes that go out of service stay
 * so.
 * What was free and what slurmctld offered a job differ: jobs are scored against both where the latter is known.
 * Pure; times are seconds on any time line. */
#ifndef WT_TOPOLOGY_REPLAY_H
#define WT_TOPOLOGY_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "topology/room.h"
#include "topology/score.h"

struct wt_replay_job {
	double start_s;
	uint64_t units;			/* asked for: nodes, or CPUs */
	const uint32_t *nodes;		/* [node_count], in the tree */
	const double *release_s;	/* [node_count]; INFINITY: never */
	uint32_t node_count;
	const uint32_t *node_units;	/* [node_count], what each gave, at least 1; NULL: not known */
	/* What slurmctld let choose from at its start (backfill keeps nodes for other jobs): offer_nodes[i] could give
	 * offer_units[i], at least 1; 0: not known.  The job's own nodes are taken to be among them. */
	const uint32_t *offer_nodes, *offer_units;
	uint32_t offer_count;
	int out_of_service; /* no job: from start_s on its nodes are down or drained, and what jobs give back there is not
			     * free. Only nodes, node_count and start_s count.  Jobs that start in the same moment find them
			     * so. */
};

struct wt_replay_result {
	struct wt_score_tally tally;
	struct wt_score_tally offered;	/* its relative counts: against what was offered; else against what was free */
	uint64_t not_offered;	/* jobs of the tally of which it is not known what they were offered */
	uint64_t overlaps;	/* nodes that were not free by the record when a job started on them */
};

/* What the caller wants to know on the way; each may be NULL. */
struct wt_replay_watch {
	void *arg;
	/* The room holds until then (INFINITY: to the end), and has since the moment before. */
	void (*until)(void *arg, double until_s, const struct wt_room *room);
	/* A job that starts (its place in the array), against what was free.  With a result only. */
	void (*job)(void *arg, size_t job, const struct wt_verdict *verdict);
};

/* Follow all starts and releases up to and including 'until_s' (INFINITY: all).  Nodes hold capacity[node] (NULL: 1
 * each).  result (may be NULL) gets the scores; 'room' (may be NULL, of this tree) what is free in the end.  0; -1 with
 * EINVAL (a job without nodes or units, times that are no numbers), ENOMEM. */
int wt_replay(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
	      double until_s, struct wt_replay_result *result, struct wt_room *room, struct wt_error *errp);
/* The same up to the end, and tell 'watch' of it. */
int wt_replay_watched(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
		      struct wt_replay_result *result, const struct wt_replay_watch *watch, struct wt_error *errp);

#endif
