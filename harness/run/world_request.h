/* world_request.h - one event of the world as a request to slurmctld, and what its answers mean.
 *
 * Any thread. */
#ifndef WT_HARNESS_RUN_WORLD_REQUEST_H
#define WT_HARNESS_RUN_WORLD_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <slurm/slurm.h>

#include "workload/world.h"

/* The description of a reservation; its texts are the event's and 'nodes' (NULL: none named).  It begins at 'made_s' +
 * start_after_s, but not before 'now_s'; all seconds since the epoch.  Pure. */
void world_reservation(const struct wt_world_event *event, const char *nodes, double made_s, int64_t now_s,
		       resv_desc_msg_t *msg, uint32_t count[2]);

/* Send it, once.  0, or the errno. */
int world_request(const struct wt_world_event *event, const char *nodes, double made_s, int64_t now_s);

/* 0, or slurmctld's own answer: not one that may never have reached it. */
bool world_request_final(int errnum);
/* It was so already, or for a part of its nodes. */
bool world_request_already(enum wt_world_kind kind, int errnum);
/* What slurmctld answers to a request that it has carried out before. */
bool world_request_repeated(enum wt_world_kind kind, int errnum);

#endif
