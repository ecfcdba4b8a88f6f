/* rpc.h - requests from the controller and from clients.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_RPC_H
#define WT_HARNESS_VNODE_SLURM_RPC_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/slurm/node_process.h"

void wt_rpc_serve(struct wt_daemon *daemon, in_addr_t local, in_addr_t peer, const uint8_t *frame, size_t len,
		  struct wt_bytes *answer);

#endif
