/* world_back.h - what has to be undone of a workload's events, so that a cluster that stays behind the run is as before.
 *
 * Pure. */
#ifndef WT_HARNESS_RUN_WORLD_BACK_H
#define WT_HARNESS_RUN_WORLD_BACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "workload/world.h"

struct world_back {		/* zeroed: nothing */
	json_t *machines;	/* keys: nodes whose machines were made to fail, and not repaired */
	json_t *nodes;		/* keys: nodes that were taken out of service, and are not back */
	json_t *reservations;	/* keys: names of those that were made, and not deleted */
};

int world_back_init(struct world_back *b, struct wt_error *errp);	/* 0, or -1 with ENOMEM */
void world_back_clear(struct world_back *b);

/* The next event, with the names of its nodes (with commas; NULL: it has none).  'asked': its machines were asked for, if it
 * has some; 'done': slurmctld has carried it out, or it was so already.  0, or -1 with ENOMEM. */
int world_back_event(struct world_back *b, const struct wt_world_event *event, const char *nodes, bool asked, bool done,
		     struct wt_error *errp);

/* Nodes that were out of service before (keys) stay so. */
void world_back_except(struct world_back *b, const json_t *before);

/* The keys with commas between them, in their order; to be freed.  NULL with ENOMEM. */
char *world_back_list(const json_t *names);

#endif
