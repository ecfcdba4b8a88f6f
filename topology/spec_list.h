/* spec_list.h - lines of a topology.conf that own their strings. */
#ifndef WT_TOPOLOGY_SPEC_LIST_H
#define WT_TOPOLOGY_SPEC_LIST_H

#include "topology/tree.h"

struct spec_list {	/* a zeroed one is empty */
	struct wt_switch_spec *specs;
	size_t count, cap;
};

/* One more, zeroed, valid until the next; NULL with ENOMEM. */
struct wt_switch_spec *spec_list_add(struct spec_list *list, struct wt_error *errp);
void spec_list_clear(struct spec_list *list);

#endif
