/* ports.h - TCP ports for one cluster that no other process uses.
 *
 * A cluster gets a block of WT_PORTS_BLOCK consecutive ports outside net.ipv4.ip_local_port_range, so that no outgoing
 * connection of any program can be given one (a daemon would fail for minutes with "Address already in use").  The
 * block's first port is a lock: bound, never listened on, by the cluster's supervisor for the cluster's life.  It keeps
 * other clusters away, of other users as well; foreign programs are seen because the other ports are bound for a moment.
 * Real nodes need one port each.  Their cluster takes as many neighbouring blocks, from the other end of the range, and
 * holds each node's port, whose slurmd may be off, or just being restarted.
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_PORTS_H
#define WT_HARNESS_CLUSTER_FOLDER_PORTS_H

#include <stdint.h>

#include "lib/error.h"

#define WT_PORTS_BLOCK 5	/* lock, slurmctld, slurmdbd, nodes, one spare */
#define WT_PORTS_OWN 3		/* of them before the nodes' */

struct wt_ports {
	int lock_fd;			/* close-on-exec; -1: none */
	uint16_t lock, controller, slurmdbd, nodes;	/* 'nodes': shared by all of them, or the first node's */
	unsigned int network;		/* 1 to 254: the nodes' addresses are 127.network.0.0/16 */
};

/* Pure: the first port of the block number 'index' when the system's ephemeral ports are 'low' to 'high'; 0 when there
 * are not so many blocks.  Blocks lie from 10000 up to 'low', or behind 'high' when that leaves too few. */
uint16_t wt_ports_block(unsigned int low, unsigned int high, unsigned int index);

/* Pure: how many blocks there are. */
unsigned int wt_ports_blocks(unsigned int low, unsigned int high);

/* The system's ephemeral ports, from /proc. */
int wt_ports_ephemeral(unsigned int *low, unsigned int *high, struct wt_error *errp);

/* Take the first free block, or for real nodes ('each' of them with its own port; 0: one port for all) the last free
 * neighbouring ones.  'from' is 0 at first and then the *next of the call before, so that a caller whose daemon met a busy
 * port can go on.  EADDRINUSE: none is free. */
int wt_ports_take(unsigned int from, uint32_t each, struct wt_ports *ports, unsigned int *next, struct wt_error *errp);

/* Keep a real node's port from other clusters also while no slurmd has it, until the descriptor that is returned is closed.
 * It is bound at an address of the cluster's network that no node has, and does not listen: a slurmd can take the port at
 * its own address, or at all.  -1 with errno. */
int wt_ports_hold(uint16_t port, unsigned int network);

void wt_ports_release(struct wt_ports *ports);		/* closes the lock; errno is preserved */

#endif
