/* real_kind.h - what the nodes of a real cluster are, and whether they are all alike: for its emulation.
 *
 * Asks slurmctld through the public libslurm; changes nothing there. */
#ifndef WT_HARNESS_RUN_REAL_KIND_H
#define WT_HARNESS_RUN_REAL_KIND_H

#include <stdbool.h>
#include <stdint.h>
#include <slurm/slurm.h>

#include "harness/run/real_options.h"
#include "lib/error.h"

#define REAL_KIND_TEXT 192

struct real_kind {
	uint32_t nodes; /* that a run would have */
	char shape[64]; /* of the first, as shape.h takes it */
	uint64_t memory_mib;
	char shapes_differ[REAL_KIND_TEXT], memory_differs[REAL_KIND_TEXT]; /* two nodes that do; "": there are none */
};

/* Look at the nodes that a run with these options would have in partition 'name' (NULL: the default one); with 'refuse' not
 * if others are there.  0; or -1 with errno: EINVAL, the options do not fit, or the cluster is in use. */
int real_kind_look(struct real_kind *kind, const struct run_real *options, const char *name, bool refuse,
		   struct wt_error *errp);

/* Pure: one more node.  All zero before the first. */
void real_kind_add(struct real_kind *kind, const node_info_t *first, const node_info_t *node);

#endif
