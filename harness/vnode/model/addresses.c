/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/addresses.h"

#define NETWORK 0xffff0000u
#define HOSTS 65536u

int wt_addresses_init(struct wt_addresses *addresses, const in_addr_t *own, uint32_t count, struct wt_error *errp)
{
	uint32_t last = 0;

	*addresses = (struct wt_addresses) { .first = HOSTS - 1, .network = count ? ntohl(own[0]) & NETWORK : 0 };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t host = ntohl(own[i]) & ~NETWORK;

		if ((ntohl(own[i]) & NETWORK) != addresses->network)
			return wt_error_set(errp, EINVAL, "address=new needs nodes whose addresses begin with the same two "
					    "numbers");
		addresses->first = host < addresses->first ? host : addresses->first;
		last = host > last ? host : last;
	}
	addresses->span = count ? last - addresses->first + 1 : 1;
	addresses->blocks = HOSTS / addresses->span;
	if (addresses->blocks < 2)
		return wt_error_set(errp, EINVAL, "address=new: %" PRIu32 " nodes leave no addresses for a second boot: %u "
				    "are the most", count, HOSTS / 2);
	addresses->own = malloc(((size_t) count + 1) * sizeof(*own));
	if (!addresses->own)
		return wt_error_errno(errp, ENOMEM, "addresses");
	if (count)
		memcpy(addresses->own, own, count * sizeof(*own));
	return 0;
}

void wt_addresses_clear(struct wt_addresses *addresses)
{
	free(addresses->own);
	addresses->own = NULL;
}

in_addr_t wt_addresses_of(const struct wt_addresses *addresses, uint32_t node, uint32_t boot)
{
	uint32_t host = ntohl(addresses->own[node]) & ~NETWORK;

	return htonl(addresses->network | (host + boot % addresses->blocks * addresses->span) % HOSTS);
}
