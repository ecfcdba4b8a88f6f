/* tree_private.h - a tree as arrays: what the code that chooses nodes works on. */
#ifndef WT_TOPOLOGY_TREE_PRIVATE_H
#define WT_TOPOLOGY_TREE_PRIVATE_H

#include "topology/hostlist_private.h"
#include "topology/name_index.h"
#include "topology/tree.h"

/* A switch as it stands in the file. */
struct tree_switch {
	char *name;
	uint32_t link_speed;
	uint32_t level;
};

/* Arrays with an entry for each switch of a level; first_child and first_node have one more, so that [i + 1] ends [i]. */
struct tree_level {
	uint32_t count;
	uint32_t *first_child;	/* on the level below; on level 0 the same as first_node */
	uint32_t *first_node;
	uint32_t *parent;	/* on the level above; 0 for the root */
	uint32_t *real;		/* index into switches[] */
};

struct wt_tree {
	uint32_t level_count, node_count, switch_count;
	struct tree_level levels[WT_TREE_LEVELS_MAX];
	struct tree_switch *switches;	/* in the order of the file */
	struct wt_hostlist *node_names;
	struct name_index node_index;
	uint32_t *leaf;		/* of each node */
};

#endif
