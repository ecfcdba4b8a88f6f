/* lanes.h - as few lanes as possible in which nothing overlaps, and the lowest that is free.  Pure.  One thread at a
 * time. */
#ifndef WT_HARNESS_EXPORT_LANES_H
#define WT_HARNESS_EXPORT_LANES_H

#include <stddef.h>
#include <stdint.h>

struct lane_heap {		/* of struct lane_end, the least first; private */
	struct lane_end *items;
	size_t count, capacity;
};

struct lanes {			/* a zeroed one is empty */
	uint32_t count;		/* lanes until now */
	struct lane_heap busy, idle;	/* private */
};

#define LANE_NONE UINT32_MAX	/* no memory */

/* The lane, from 0, of what lasts from start_us to end_us; what has no length keeps its lane for 1 us.  Calls in the
 * order of starts. */
uint32_t lane_take(struct lanes *lanes, int64_t start_us, int64_t end_us);
void lanes_clear(struct lanes *lanes);

#endif
