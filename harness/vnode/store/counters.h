/* counters.h - counters, and stats.json (doc/formats.md) made of them.
 *
 * Pure but for the file.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_STORE_COUNTERS_H
#define WT_HARNESS_VNODE_STORE_COUNTERS_H

#include <stdint.h>

#include "lib/error.h"

#define COUNTERS_RPC_TYPES 48	/* different message types counted by name; the rest together as "other" */
#define COUNTERS_DROPS 9

struct rpc_counters {
	uint16_t type;		/* 0: free */
	const char *name;
	uint64_t received;	/* for one node each: forwarded ones count for each node */
	uint64_t refused;	/* sender not allowed */
	uint64_t unsupported;	/* a slurmd would do it, virtual nodes do not yet */
};

struct wt_counters {
	uint32_t nodes, off, registered,	/* off: without power, among the nodes */
		 may_join, joined,		/* nodes that slurm.conf does not name; of them, on and registered */
		 stopped, jobs_running, jobs_known, stepds_running, nodes_allocated, nodes_completing;
	uint32_t outgoing_in_flight, outgoing_waiting;
	uint64_t sent, retried, refused_connections, ignored_variables, reconfigured, lost;
	uint64_t forwarded, forward_failures;	/* messages to other processes' nodes, and groups that did not answer */
	uint64_t script_steps, script_lines_unread;	/* steps made, and srun lines not understood, of batch scripts */
	uint64_t beats, heartbeat_reports, heartbeat_reports_lost, heartbeat_reports_failed;	/* heartbeats: beatsend.h */
	uint64_t dropped[COUNTERS_DROPS];	/* by enum wt_drop of node_server.h, then the three reasons below */
	struct rpc_counters rpcs[COUNTERS_RPC_TYPES];
};

enum { COUNTERS_DROP_HEADER = 6, COUNTERS_DROP_CREDENTIAL = 7, COUNTERS_DROP_BODY = 8 };

/* The counters of one type.  Never NULL: when the table is full, those of "other". */
struct rpc_counters *counters_rpc(struct wt_counters *stats, uint16_t type, const char *name);

/* Replace 'path' atomically.  Memory is that of this process now.  0, or -1 with errno and *errp. */
int counters_write(const struct wt_counters *stats, const char *path, struct wt_error *errp);

#endif
