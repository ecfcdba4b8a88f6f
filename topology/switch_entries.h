/* switch_entries.h - lines of a topology.conf that own their strings. */
#ifndef WT_TOPOLOGY_SWITCH_ENTRIES_H
#define WT_TOPOLOGY_SWITCH_ENTRIES_H

#include "topology/tree.h"

struct switch_entries {	/* a zeroed one is empty */
	struct wt_switch_entry *entries;
	size_t count, cap;
};

/* One more, zeroed, valid until the next; NULL with ENOMEM. */
struct wt_switch_entry *switch_entries_add(struct switch_entries *list, struct wt_error *errp);
void switch_entries_clear(struct switch_entries *list);

#endif
