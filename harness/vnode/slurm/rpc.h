/* rpc.h - requests from the controller and from clients.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_RPC_H
#define WT_HARNESS_VNODE_SLURM_RPC_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/wire/node_server.h"

struct wt_daemon;

struct wt_serving {
	struct wt_server *server;
	int64_t last_controller_us;	/* when the controller was last heard */
	int64_t answer_delay_us;	/* of the message that is being answered */
	uint64_t later;			/* not 0: its answer follows under this number (node_server.h) */
	bool all_stopped;		/* all nodes were shut down: nothing is left to do but what has to leave still */
};

/* 'peer': the address that it comes from. */
void wt_rpc_serve(struct wt_daemon *daemon, const struct sockaddr_in *local, in_addr_t peer, const uint8_t *frame,
		  size_t len, struct wt_bytes *answer);

#endif
