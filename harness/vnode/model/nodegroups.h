/* nodegroups.h - nodes grouped by the process that stands in for them.
 *
 * Pure.  Nodes of one process have one address: its host's.  A zeroed struct has no groups.  One writer, or many readers. */
#ifndef WT_HARNESS_VNODE_MODEL_NODEGROUPS_H
#define WT_HARNESS_VNODE_MODEL_NODEGROUPS_H

#include <netinet/in.h>
#include <stdint.h>

struct wt_nodegroup {
	uint32_t first, count;	/* in wt_nodegroups.nodes */
};

struct wt_nodegroups {
	uint32_t *nodes;	/* their numbers, group by group */
	struct wt_nodegroup *groups;
	uint32_t count;		/* groups */
};

/* Groups in the order of their first nodes, and within a group the order of 'nodes', of which there are 'count'.
 * 'addresses' is by node number.  0; -1 with ENOMEM, and *groups is empty. */
int wt_nodegroups_make(struct wt_nodegroups *groups, const uint32_t *nodes, uint32_t count, const in_addr_t *addresses);
void wt_nodegroups_clear(struct wt_nodegroups *groups);

#endif
