/* site_world.h - what happened to a site's nodes, and its reservations, as events of windtunnel-jobs(5).
 *
 * Pure; foreign text.  Unless noted: 0, or -1 with ENOMEM. */
#ifndef WT_HARNESS_SITE_SITE_WORLD_H
#define WT_HARNESS_SITE_SITE_WORLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/site/aliases.h"
#include "harness/site/people.h"
#include "lib/error.h"
#include "workload/world.h"

struct wt_site_world {		/* zeroed, with what is the caller's, and wt_site_world_init () */
	struct wt_world world;	/* once wt_site_world_finish () is done */
	size_t read;		/* records of nodes, and reservations */
	json_t *left_out, *assumed;	/* counts by reason (reasons.h) */
	json_t *nodes;		/* of the caller: the names that slurm.conf has, as keys */
	const struct wt_aliases *aliases;	/* of the caller; NULL */
	bool reasons_left_out;		/* of the caller: what people wrote is not for others */
	struct wt_people *people;	/* of the caller */
	/* private */
	struct node_period *periods;
	size_t period_count;
	json_t *names;		/* of reservations */
};

int wt_site_world_init(struct wt_site_world *w, struct wt_error *errp);
void wt_site_world_clear(struct wt_site_world *w);	/* errno is preserved */

/* What "sacctmgr -P show event" prints with SLURM_TIME_FORMAT=%s. */
int wt_site_world_events(struct wt_site_world *w, const char *text, struct wt_error *errp);

/* What "scontrol show reservation -o" prints with SLURM_TIME_FORMAT=%s.  They are made at 'from_s', for when they were is
 * not told. */
int wt_site_world_reservations(struct wt_site_world *w, const char *text, double from_s, struct wt_error *errp);

int wt_site_world_finish(struct wt_site_world *w, struct wt_error *errp);

#endif
