/* addresses.h - which address a node has in each of its boots: another than in the boot before, and never another node's.
 *
 * Nodes keep to the /16 network that all of them are in; each of the blocks of it that are as large as what they take at
 * first is one boot's.  Pure. */
#ifndef WT_HARNESS_VNODE_MODEL_ADDRESSES_H
#define WT_HARNESS_VNODE_MODEL_ADDRESSES_H

#include <netinet/in.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_addresses {
	uint32_t network, first, span, blocks;	/* host byte order; span: of the addresses of one boot */
	in_addr_t *own;				/* of each node at first */
};

/* 'own' is copied.  0, or -1 with EINVAL (they are in several networks, or too many) or ENOMEM. */
int wt_addresses_init(struct wt_addresses *addresses, const in_addr_t *own, uint32_t count, struct wt_error *errp);
void wt_addresses_clear(struct wt_addresses *addresses);
in_addr_t wt_addresses_of(const struct wt_addresses *addresses, uint32_t node, uint32_t boot);

#endif
