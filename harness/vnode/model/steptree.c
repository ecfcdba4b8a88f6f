/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/steptree.h"

void wt_steptree_place(uint32_t rank, uint32_t count, struct wt_steptree *place)
{
	uint64_t size = 1, level = 1;	/* ranks below and including the one looked at, were the tree full */
	uint32_t at = 0;

	*place = (struct wt_steptree) { .parent = WT_STEPTREE_NO_PARENT };
	if (count < WT_STEPTREE_WIDTH)
		return;
	while (size < count) {
		level *= WT_STEPTREE_WIDTH;
		size += level;
		place->max_depth++;
	}
	while (at != rank) {
		uint64_t below = (size - 1) / WT_STEPTREE_WIDTH;	/* of each child, itself included */

		place->parent = at;
		place->depth++;
		at += 1 + (uint32_t) ((rank - at - 1) / below * below);
		size = below;
	}
	place->children = (uint32_t) (at + size > count ? count - at - 1 : size - 1);
}
