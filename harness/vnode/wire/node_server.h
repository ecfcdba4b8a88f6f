/* node_server.h - accept requests for all nodes; a connection's own address and port tell the node.
 *
 * One socket listens for all of them or, where nodes are switched on and off or have a port each, one for each: then the
 * kernel itself refuses connections to a node that is off, as it would for a slurmd that is not there.
 *
 * One request and at most one answer for each connection, as with slurmd.  Connections are bounded in number and in time.
 * One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_WIRE_NODE_SERVER_H
#define WT_HARNESS_VNODE_WIRE_NODE_SERVER_H

#include <ev.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_server;	/* opaque */

struct wt_server_conf {
	uint16_t port;
	bool any_device;		/* else only what comes in through the loopback device */
	uint32_t max_connections;	/* more wait in the kernel's queue */
	uint32_t frame_limit;		/* longest message, bytes; 0: default of frame.h */
	double timeout_s;		/* to send a whole message, and to take a whole answer */
	bool in_order;			/* requests wait for wt_server_turn () */
	const in_addr_t *addresses;	/* of the nodes that listen by themselves; NULL: one socket for all; copied */
	const uint16_t *ports;		/* of each of them; NULL: 'port' for all; copied */
	uint32_t address_count;
};

enum wt_drop { WT_DROP_HUGE, WT_DROP_SHORT, WT_DROP_TRUNCATED, WT_DROP_TIMEOUT, WT_DROP_UNANSWERED, WT_DROP_MEMORY };

struct wt_server_answer {	/* zeroed at first */
	uint8_t *data;		/* length prefix and all, from malloc (); NULL: close without an answer */
	size_t len;
	double delay_s;		/* before it is sent, or the connection closed */
	/* Not 0: it follows by wt_server_answer_later () under this number of the callee's own; the rest does not count. */
	uint64_t later;
};

struct wt_server_calls {
	/* A whole frame from 'peer' to a node's address and port; of 'peer' only the address counts. */
	void (*request)(void *arg, const struct sockaddr_in *local, in_addr_t peer, const uint8_t *frame, size_t len,
			struct wt_server_answer *answer);
	void (*waits)(void *arg);	/* a request waits for its turn; only with in_order */
	void (*dropped)(void *arg, enum wt_drop why);	/* UNANSWERED: the peer did not wait for its answer */
	void *arg;
};

/* NULL with EADDRINUSE, EPERM, ENOMEM ... and *errp.  'calls' is copied.  With conf.addresses no node listens yet, but the
 * port is ours. */
struct wt_server *wt_server_create(struct ev_loop *loop, const struct wt_server_conf *conf,
				   const struct wt_server_calls *calls, struct wt_error *errp);
/* Serve the one of the waiting requests that has to come first (in_order.h).  True: there was one. */
bool wt_server_turn(struct wt_server *server);
bool wt_server_waits(const struct wt_server *server);	/* at least one does */

/* The node with this number in conf.addresses listens from now on, or refuses connections.  Nothing changes where one socket
 * listens for all.  0, or -1 with errno and *errp. */
int wt_server_listen(struct wt_server *server, uint32_t number, bool listens, struct wt_error *errp);

/* It has this address from the next time on that it listens. */
void wt_server_move(struct wt_server *server, uint32_t number, in_addr_t address);

/* The answer to a request that said so; answer->data is taken in any case, also when that connection is gone. */
void wt_server_answer_later(struct wt_server *server, uint64_t later, const struct wt_server_answer *answer);

void wt_server_destroy(struct wt_server *server);	/* NULL is ignored; errno is preserved */

#endif
