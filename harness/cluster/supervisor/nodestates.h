/* nodestates.h - how many nodes are in which state, as the controller tells it through libslurm.
 *
 * libslurm has one configuration for the whole process: call with one cluster only, from one thread. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_NODESTATES_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_NODESTATES_H

#include <stdint.h>
#include <time.h>

#include "lib/error.h"

struct wt_nodestates {
	uint32_t total, idle, allocated, mixed, completing, down, drained, not_responding, other;
	uint32_t absent;	/* State=FUTURE, or powered down (State=CLOUD): "up" does not wait for them */
	uint32_t joined;	/* of the others: slurm.conf does not name them (slurmd -Z, "scontrol create") */
	time_t updated;		/* the controller's time of its last change of a node */
};

/* Make libslurm use this slurm.conf (absolute path). */
void wt_nodestates_init(const char *slurm_conf);

/* Ask the controller.  'since' (0: whole answer): *states is left as it is, and 1 is returned, when nothing has changed
 * since its time 'updated'.  A node counts once: 'absent', 'not_responding', 'down' and 'drained' before 'completing', and
 * that before the rest.  *trouble (may be NULL) becomes wt_nodetrouble_text () of the nodes that are down, drained or
 * refused (the caller frees it), or NULL when there are none.  0, 1, or -1 with errno EIO and Slurm's words in *errp. */
int wt_nodestates_get(time_t since, struct wt_nodestates *states, char **trouble, struct wt_error *errp);

/* slurmctld tells a place that no node has taken yet as it tells a node that is not there, and which of them it hides
 * (State=CLOUD, powered down) is not known: of a cluster with so many nodes in slurm.conf only those are counted from here
 * on, and who has joined. */
void wt_nodestates_places_told(struct wt_nodestates *states, uint32_t nodes);

/* "1000 idle, 24 down": what is not zero, for people. */
void wt_nodestates_text(const struct wt_nodestates *states, char *text, size_t size);

#endif
