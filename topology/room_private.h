/* room_private.h - a room as arrays: what the code that chooses nodes works on. */
#ifndef WT_ROOM_PRIVATE_H
#define WT_ROOM_PRIVATE_H

#include "tree_private.h"
#include "wt_room.h"

struct wt_room {
	const struct wt_tree *tree;
	uint32_t *node;					/* [nodes] */
	uint64_t *units[WT_TREE_LEVELS_MAX];		/* [level][switches] */
};

#endif
