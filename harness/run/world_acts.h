/* world_acts.h - what happens to a run's cluster while it goes on, as its workload tells (workload/world.h): nodes fail, are
 * drained and come back, reservations are made and deleted.
 *
 * A node that goes down: if it is virtual, its machine fails, with all that runs there; then slurmctld is told.  What
 * happens at the first submission or before is done before it; what happens at the time of a later one, just behind it.
 * What is done to a cluster that stays is taken back when the run ends. */
#ifndef WT_HARNESS_RUN_WORLD_ACTS_H
#define WT_HARNESS_RUN_WORLD_ACTS_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/clock.h"
#include "lib/error.h"
#include "workload/world.h"

#define WORLD_FILE "world.csv"	/* in the run folder */

enum world_outcome {
	WORLD_UNREACHED,	/* the run ended before */
	WORLD_DONE,
	WORLD_ALREADY,		/* it was so already: a node, or one of several, serves; a reservation is gone */
	WORLD_REFUSED,
	WORLD_OUTCOMES
};

struct world_row {
	enum world_outcome outcome;
	double planned_s;
	double time_s;		/* when it was asked for, seconds since the epoch; 0: never */
	char *answer;		/* of slurmctld, or of the nodes' process; NULL: it is done */
};

struct world_acts {		/* filled by the caller, constant while it is at work, except where noted */
	const struct wt_clock *clock;
	const struct wt_world *world;
	const char *file;	/* where its events stand */
	const char *nodes_dir;	/* the cluster's folder, if its nodes are virtual; NULL */
	bool shared;		/* the cluster stays when the run ends */
	pthread_mutex_t *lock;	/* around what is noted below */
	atomic_bool stop;	/* set by any thread: no further event happens */
	/* under the lock, written by the thread */
	struct world_row *rows;	/* of each event */
	double progress_s;	/* of the last event; 0: none */
	/* once it is taken back */
	size_t back_nodes, back_reservations;
	char back_problem[sizeof(((struct wt_error *) 0)->text)];	/* the first thing that was not; "" */
	/* private */
	char *all;		/* the names of all nodes */
	json_t *before;		/* of a shared cluster: nodes that were out of service before, as keys */
	int64_t until_us;	/* while it is taken back: no longer than this; 0 */
	int64_t base_us;
	size_t next;
	bool started;
	pthread_t thread;
};

/* Are the nodes that its events name there?  0, or -1 with EINVAL ("FILE:LINE: text"), ENOMEM, or what slurmctld answers.
 * Needed before world_acts_start (). */
int world_acts_check(struct world_acts *a, struct wt_error *errp);

/* What comes before the first submission is done when it returns; the rest by a thread.  The first submission is now.  0, or
 * -1 with errno. */
int world_acts_start(struct world_acts *a, struct wt_error *errp);

/* Ends the thread; true when it has ended within 'timeout_s', or none was started. */
bool world_acts_join(struct world_acts *a, double timeout_s);

/* Behind the thread's end, of a shared cluster: nodes that its events have taken out of service, and that are not back,
 * serve again, but for those that did not before; its reservations are deleted.  What slurmctld does not do within a
 * minute, or a second signal leaves, stands in back_problem. */
void world_acts_take_back(struct world_acts *a);
void world_acts_clear(struct world_acts *a);

/* Under the lock, or behind the thread's end.  The first event that was refused, as "FILE:LINE: text", and how many there
 * were.  "": none. */
size_t world_acts_refused(const struct world_acts *a, struct wt_error *first);
json_t *world_acts_json(const struct world_acts *a);	/* JSON null: there are no events */
void world_acts_print(FILE *out, const struct world_acts *a);

/* For wt_outfile_write: 'arg' is a struct world_acts *. */
int world_acts_write(FILE *out, const void *arg, struct wt_error *errp);

#endif
