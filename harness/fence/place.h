/* place.h - what libwtaddress.so makes of addresses.  Pure. */
#ifndef WT_HARNESS_FENCE_PLACE_H
#define WT_HARNESS_FENCE_PLACE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#define WT_ADDRESS_ENV "WT_NODE_ADDRESS"	/* "127.10.0.7:17003": the address, and the port on which it listens */

/* Both take the value of that variable (NULL: not set) and fill *own.  false: it is as if there were no library. */
/* Who wants to listen on that port, on all addresses, does on 'own'. */
bool address_to_listen(const struct sockaddr *addr, socklen_t len, const char *setting, struct sockaddr_in *own);
/* Who connects to a loopback address comes from 'own', with any port. */
bool address_to_come_from(const struct sockaddr *addr, socklen_t len, const char *setting, struct sockaddr_in *own);

#endif
