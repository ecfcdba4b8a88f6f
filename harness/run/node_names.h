/* node_names.h - the nodes that a cluster has, by name, as slurmctld tells them.
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_RUN_NODE_NAMES_H
#define WT_HARNESS_RUN_NODE_NAMES_H

#include <jansson.h>

#include "lib/error.h"

/* The names are the keys of a new object; *list (NULL: not wanted) becomes all of them with commas, to be freed.  NULL with
 * errno (often one of Slurm's). */
json_t *node_names_load(char **list, struct wt_error *errp);

/* The names of those that are down, drained or failing now are the keys of a new object.  NULL as above. */
json_t *node_names_unserving(struct wt_error *errp);

/* Are all nodes of this host list among them?  EINVAL: it is none, or has another ("the cluster has no node n9"). */
int node_names_check(const json_t *names, const char *text, struct wt_error *errp);

#endif
