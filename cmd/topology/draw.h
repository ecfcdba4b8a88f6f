/* draw.h - a tree and what is free in it, as text or as SVG. */
#ifndef WT_CMD_TOPOLOGY_DRAW_H
#define WT_CMD_TOPOLOGY_DRAW_H

#include <stdio.h>

#include "topology/room.h"

/* 'capacity' is what the nodes hold when nothing runs, 'room' what is free, 'title' a line of text above.  Errors stick
 * to the stream. */
struct drawing {
	const struct wt_room *capacity, *room;
	const char *title;
};

/* One line for each switch above the leaves, deeper ones indented; the leaves of a level-1 switch as a row of one sign
 * each: '.' free, '1' to '9' tenths in use, '#' full. */
void draw_text(FILE *out, const struct drawing *d);

/* One row of boxes for each switch of level 1, a box for each leaf, filled from below as far as it is in use; names and
 * numbers appear under the mouse. */
void draw_svg(FILE *out, const struct drawing *d);

#endif
