/* hostlist_private.h - how a host list is stored: names one behind the other, each terminated. */
#ifndef WT_TOPOLOGY_HOSTLIST_PRIVATE_H
#define WT_TOPOLOGY_HOSTLIST_PRIVATE_H

#include "topology/hostlist.h"

#define DIGITS_MAX 15	/* of one number: far from any overflow */

struct wt_hostlist {
	size_t count, name_cap, byte_count, byte_cap;
	size_t *offsets;
	char *bytes;
};

/* Graphic characters but those that mean something in a host list or in a configuration file. */
int hostlist_name_char(char c);

/* 0, or -1 with ENOMEM. */
int hostlist_append(struct wt_hostlist *hl, const char *name, size_t len, struct wt_error *errp);

#endif
