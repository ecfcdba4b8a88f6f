/* room_private.h - a room as arrays: what the code that chooses nodes works on. */
#ifndef WT_TOPOLOGY_ROOM_PRIVATE_H
#define WT_TOPOLOGY_ROOM_PRIVATE_H

#include "topology/tree_private.h"
#include "topology/room.h"

struct wt_room {
	const struct wt_tree *tree;
	uint32_t *node;					/* [nodes] */
	uint64_t *units[WT_TREE_LEVELS_MAX];		/* [level][switches] */
};

#endif
