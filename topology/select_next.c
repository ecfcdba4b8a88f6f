/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs that wait behind this one.  Those that start in the same moment meet what this one leaves: a switch that the next
 * job needs whole should not be the one that a small job takes a corner of.  They are laid out on the root's children in
 * their order, each as tight as can be; that is rough, and enough to tell the children apart. */
#include "config.h"

#include "topology/select_private.h"

/* The tightest of the rooms that holds 'units', or the largest. */
static uint32_t room_find(const uint64_t *room, uint32_t count, uint64_t units)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (room[best] < units ? room[i] > room[best] : room[i] >= units && room[i] < room[best])
			best = i;
	return best;
}

/* How many rooms give 'units': one when one can, else the largest first. */
static uint32_t room_take(uint64_t *room, uint32_t count, uint64_t units)
{
	uint32_t taken = 0;

	while (units) {
		uint32_t i = room_find(room, count, units);
		uint64_t part = room[i] < units ? room[i] : units;

		room[i] -= part;
		units -= part;
		taken++;
	}
	return taken;
}

uint32_t next_lost(struct wt_select *s, uint32_t count, uint32_t child, uint64_t units)
{
	const struct select_request *r = s->request;
	uint32_t level = s->tree->level_count - 2, lost = 0;
	uint64_t left = 0;

	/* Each child that is tried costs a look at all of them: beyond this the hint is not worth its time. */
	if (count > NEXT_CHILDREN_MAX)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		s->next_room[i] = s->children[i].units - (i == child ? units : 0);
		left += s->next_room[i];
	}
	for (size_t i = 0; i < r->next_count && i < WT_SELECT_NEXT_MAX && r->next_units[i] <= left; i++) {
		left -= r->next_units[i];
		lost += room_take(s->next_room, count, r->next_units[i]) > wt_select_least(s, level, r->next_units[i]);
	}
	return lost;
}
