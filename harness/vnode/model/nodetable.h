/* nodetable.h - the nodes of the cluster: names, addresses, hardware, and which of them this process stands in for.
 *
 * Pure.  A node's number is its place in the sorted Slurm host list of all nodes (see nodeset.h), also where other processes
 * stand in for some of them: what is drawn or counted by number is the same however they are shared out.  Tables are dense.
 * One writer, or many readers. */
#ifndef WT_HARNESS_VNODE_MODEL_NODETABLE_H
#define WT_HARNESS_VNODE_MODEL_NODETABLE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/vnode/model/nodeset.h"

struct wt_node_class {		/* one NodeName line of slurm.conf */
	uint16_t cpus, boards, sockets, cores, threads;	/* sockets: of the whole node; cores, threads: of one socket, core */
	uint64_t memory_mib;
	uint32_t tmp_disk_mib;
	bool begins_off;		/* State=CLOUD or FUTURE */
	bool joins;			/* slurm.conf does not name it: slurmctld learns of it when it registers */
};

struct wt_nodetable {
	uint32_t count;
	char *names;			/* one after the other, each terminated */
	size_t names_used, names_capacity;
	uint32_t *name_offsets;
	in_addr_t *addresses;		/* network byte order */
	uint16_t *ports;		/* host byte order */
	uint32_t own_first, own_count;	/* this process's; wt_nodetable_own_set () */
	uint32_t *class_numbers;
	struct wt_node_class *classes;
	uint32_t class_count;
	uint32_t *name_table, *address_table;	/* open hashing: node number + 1 */
	uint32_t table_size;
};

struct wt_nodetable *wt_nodetable_create(uint32_t capacity);	/* NULL, ENOMEM */
void wt_nodetable_destroy(struct wt_nodetable *nodes);		/* NULL is ignored; errno is preserved */

/* Nodes must come in the order of their numbers.  0; -1 with EEXIST (name), EADDRINUSE (address and port), ENOMEM. */
int wt_nodetable_add(struct wt_nodetable *nodes, const char *name, in_addr_t address, uint16_t port, uint32_t class_number);
/* This process stands in for these alone; without it, for all. */
void wt_nodetable_own_set(struct wt_nodetable *nodes, uint32_t first, uint32_t count);
uint32_t wt_nodetable_own_count(const struct wt_nodetable *nodes);
/* its number, or -1 with ENOMEM */
int wt_nodetable_class_add(struct wt_nodetable *nodes, const struct wt_node_class *node_class);

/* Equal for tables with the same names in the same order, and hardly for others. */
uint64_t wt_nodetable_id(const struct wt_nodetable *nodes);

uint32_t wt_nodetable_by_name(const struct wt_nodetable *nodes, const char *name);	/* WT_NODE_NONE: not one of them */
/* A node has another address from now on.  0, or -1 with EADDRINUSE. */
int wt_nodetable_move(struct wt_nodetable *nodes, uint32_t node, in_addr_t address);
uint32_t wt_nodetable_by_address(const struct wt_nodetable *nodes, in_addr_t address, uint16_t port);

static inline bool wt_nodetable_is_own(const struct wt_nodetable *nodes, uint32_t node)
{
	return node - nodes->own_first < nodes->own_count;	/* unsigned: one before the first is far behind the last */
}

static inline const char *wt_nodetable_name(const struct wt_nodetable *nodes, uint32_t node)
{
	return nodes->names + nodes->name_offsets[node];
}

static inline const struct wt_node_class *wt_nodetable_class(const struct wt_nodetable *nodes, uint32_t node)
{
	return &nodes->classes[nodes->class_numbers[node]];
}

#endif
