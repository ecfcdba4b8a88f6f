/* nodes.h - the NodeName lines of an emulated cluster: names n0 to n(N-1), one loopback address each.
 *
 * Pure.  Node i of a cluster in network A has the address 127.A.(i / 256).(i % 256): Slurm expands brackets in NodeAddr with
 * the last one fastest, so whole rows of 256 fit into one line and a rest needs a second one. */
#ifndef WT_HARNESS_CLUSTER_CONF_NODES_H
#define WT_HARNESS_CLUSTER_CONF_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/hosts.h"
#include "harness/cluster/conf/shape.h"
#include "lib/str.h"

#define WT_NODES_MAX 65536	/* Slurm's own limit (MAX_SLURM_NODES in its read_config.h), and one /16 */

/* Where the nodes listen. */
struct wt_nodes_ports {
	uint16_t first;
	bool each;		/* node i at port first + i; else all at 'first' */
};

/* Add the lines to *conf.  'network' is A (1 to 254).  0, or -1 with EINVAL or ENOMEM. */
int wt_nodes_add(struct wt_conf *conf, uint32_t nodes, unsigned int network, const struct wt_nodes_ports *ports,
		 const struct wt_shape *shape, struct wt_error *errp);

/* The same for a cluster whose nodes run on these hosts: a line for each that has nodes, all at its address, each node at a
 * port of its own from ports->first on, which is the same on all hosts. */
int wt_nodes_add_hosts(struct wt_conf *conf, const struct wt_hosts *hosts, const struct wt_nodes_ports *ports,
		       const struct wt_shape *shape, struct wt_error *errp);

/* " NodeAddr=... Port=..." for 'count' nodes from node 'first' on, in the order in which Slurm expands it: the addresses
 * of their own for lines that name nodes otherwise. */
void wt_nodes_address_add(struct wt_str *s, uint32_t first, uint32_t count, unsigned int network, uint16_t port);

/* The line of 'count' nodes from node 'first' on, which join at run time: for wt-vnoded, not for slurm.conf.  The caller
 * frees it; NULL: ENOMEM. */
char *wt_nodes_hardware(const struct wt_shape *shape);	/* "CPUs=4 Boards=1 ...", which the caller frees */
char *wt_nodes_dynamic(uint32_t first, uint32_t count, unsigned int network, uint16_t port, const struct wt_shape *shape);

/* Have the nodes of such lines State=CLOUD or FUTURE?  (They all have the same: settings are of all lines.) */
bool wt_nodes_begin_off(const struct wt_conf *conf);

#endif
