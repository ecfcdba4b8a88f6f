/* room.h - how much is free on each node, and in sum below each switch.
 *
 * The unit is the caller's: nodes (1 for a free node, 0 else) for jobs that take whole nodes, or CPUs (the free ones of
 * each node) where nodes are shared.  A room is filled anew for each decision, or kept and changed node by node.
 *
 * Pure.  Not locked: one writer, or many readers.  The tree must outlive the room. */
#ifndef WT_TOPOLOGY_ROOM_H
#define WT_TOPOLOGY_ROOM_H

#include <stdint.h>

#include "topology/tree.h"

struct wt_room;	/* opaque */

/* Everything 0.  NULL with ENOMEM. */
struct wt_room *wt_room_create(const struct wt_tree *t);
void wt_room_destroy(struct wt_room *room);	/* NULL is ignored; errno is preserved */

/* units[node] for every node of the tree: linear in its size. */
void wt_room_fill(struct wt_room *room, const uint32_t *units);
void wt_room_copy(struct wt_room *to, const struct wt_room *from);	/* of the same tree */
/* One node: as many steps as the tree has levels. */
void wt_room_set(struct wt_room *room, uint32_t node, uint32_t units);

uint32_t wt_room_node(const struct wt_room *room, uint32_t node);
uint64_t wt_room_units(const struct wt_room *room, uint32_t level, uint32_t sw);
uint64_t wt_room_total(const struct wt_room *room);
const struct wt_tree *wt_room_tree(const struct wt_room *room);

#endif
