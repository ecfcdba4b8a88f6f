/* address.h - IPv4 addresses of this machine and of others. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_ADDRESS_H
#define WT_HARNESS_CLUSTER_FOLDER_ADDRESS_H

#include <stdbool.h>

#include "harness/cluster/conf/hosts.h"
#include "lib/error.h"

/* Is it one of this machine, to listen on?  0 or 1; -1 with errno and *errp: it cannot be found out. */
int wt_address_is_own(const char *address, struct wt_error *errp);

/* The first one that 'name' (also an address) leads to.  0; -1 with EINVAL and *errp. */
int wt_address_of(const char *name, char address[WT_HOST_ADDRESS_SIZE], struct wt_error *errp);

/* Of this machine, that which another one sees when we connect to its address 'there'.  0; -1 with errno and *errp. */
int wt_address_towards(const char *there, char address[WT_HOST_ADDRESS_SIZE], struct wt_error *errp);

#endif
