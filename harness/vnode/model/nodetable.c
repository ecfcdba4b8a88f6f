/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/nodetable.h"

struct wt_nodetable *wt_nodetable_create(uint32_t capacity)
{
	struct wt_nodetable *nodes = calloc(1, sizeof(*nodes));

	if (!nodes)
		return NULL;
	nodes->table_size = 16;
	/* At most half full, and a power of two: chains stay short, and a search always finds a free place and ends. */
	while (nodes->table_size < capacity * 2)
		nodes->table_size *= 2;
	nodes->name_offsets = calloc(capacity + 1, sizeof(*nodes->name_offsets));
	nodes->own_count = UINT32_MAX;
	nodes->addresses = calloc(capacity + 1, sizeof(*nodes->addresses));
	nodes->ports = calloc(capacity + 1, sizeof(*nodes->ports));
	nodes->class_numbers = calloc(capacity + 1, sizeof(*nodes->class_numbers));
	nodes->name_table = calloc(nodes->table_size, sizeof(*nodes->name_table));
	nodes->address_table = calloc(nodes->table_size, sizeof(*nodes->address_table));
	if (!nodes->name_offsets || !nodes->addresses || !nodes->ports || !nodes->class_numbers || !nodes->name_table ||
	    !nodes->address_table) {
		wt_nodetable_destroy(nodes);
		return NULL;
	}
	return nodes;
}

void wt_nodetable_destroy(struct wt_nodetable *nodes)
{
	int saved_errno = errno;

	if (nodes) {
		free(nodes->names);
		free(nodes->name_offsets);
		free(nodes->addresses);
		free(nodes->ports);
		free(nodes->class_numbers);
		free(nodes->classes);
		free(nodes->name_table);
		free(nodes->address_table);
		free(nodes);
	}
	errno = saved_errno;
}

static uint32_t name_hash(const char *name)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (uint8_t) *name) * 16777619u;
	/* FNV's low bits, which choose the place, know little of the high ones. */
	return hash ^ hash >> 15;
}

static uint32_t address_hash(in_addr_t address, uint16_t port)
{
	uint32_t hash = (address + port * 40503u) * 2654435761u;

	/* A product's low bits depend on the low bits alone, and those are, in network byte order, the network's: the same
	 * for all nodes. */
	return hash ^ hash >> 16;
}

/* The entry of 'name', or the free one where it belongs. */
static uint32_t *name_entry(const struct wt_nodetable *nodes, const char *name)
{
	uint32_t at = name_hash(name);

	for (;; at++) {
		uint32_t *entry = &nodes->name_table[at & (nodes->table_size - 1)];

		if (!*entry || !strcmp(wt_nodetable_name(nodes, *entry - 1), name))
			return entry;
	}
}

static uint32_t *address_entry(const struct wt_nodetable *nodes, in_addr_t address, uint16_t port)
{
	uint32_t at = address_hash(address, port);

	for (;; at++) {
		uint32_t *entry = &nodes->address_table[at & (nodes->table_size - 1)];

		if (!*entry || (nodes->addresses[*entry - 1] == address && nodes->ports[*entry - 1] == port))
			return entry;
	}
}

static int name_append(struct wt_nodetable *nodes, const char *name)
{
	size_t size = strlen(name) + 1;

	if (nodes->names_used + size > nodes->names_capacity) {
		/* Doubled: names are appended one by one, of a cluster of 65,536 nodes as well. */
		size_t capacity = (nodes->names_used + size) * 2;
		char *names = realloc(nodes->names, capacity);

		if (!names)
			return -1;
		nodes->names = names;
		nodes->names_capacity = capacity;
	}
	memcpy(nodes->names + nodes->names_used, name, size);
	/* Offsets, not pointers: realloc () moves the names. */
	nodes->name_offsets[nodes->count] = (uint32_t) nodes->names_used;
	nodes->names_used += size;
	return 0;
}

int wt_nodetable_add(struct wt_nodetable *nodes, const char *name, in_addr_t address, uint16_t port, uint32_t class_number)
{
	uint32_t *by_name = name_entry(nodes, name), *by_address = address_entry(nodes, address, port);

	/* Both before anything is changed: a refused node leaves no trace. */
	if (*by_name || *by_address) {
		errno = *by_name ? EEXIST : EADDRINUSE;
		return -1;
	}
	if (name_append(nodes, name) < 0)
		return -1;
	nodes->addresses[nodes->count] = address;
	nodes->ports[nodes->count] = port;
	nodes->class_numbers[nodes->count] = class_number;
	nodes->count++;
	*by_name = *by_address = nodes->count;
	return 0;
}

/* Of an open hash without marks of what was removed: what stands behind, up to a free place, may belong before. */
static void address_remove(struct wt_nodetable *nodes, uint32_t node)
{
	uint32_t mask = nodes->table_size - 1, at = address_hash(nodes->addresses[node], nodes->ports[node]) & mask;
	uint32_t kept;

	while (nodes->address_table[at] != node + 1)
		at = (at + 1) & mask;
	nodes->address_table[at] = 0;
	while ((kept = nodes->address_table[at = (at + 1) & mask])) {
		nodes->address_table[at] = 0;
		*address_entry(nodes, nodes->addresses[kept - 1], nodes->ports[kept - 1]) = kept;
	}
}

int wt_nodetable_move(struct wt_nodetable *nodes, uint32_t node, in_addr_t address)
{
	uint32_t *entry = address_entry(nodes, address, nodes->ports[node]);

	if (*entry) {
		errno = EADDRINUSE;
		return *entry == node + 1 ? 0 : -1;
	}
	address_remove(nodes, node);
	nodes->addresses[node] = address;
	*address_entry(nodes, address, nodes->ports[node]) = node + 1;
	return 0;
}

int wt_nodetable_class_add(struct wt_nodetable *nodes, const struct wt_node_class *node_class)
{
	struct wt_node_class *classes = realloc(nodes->classes, (nodes->class_count + 1) * sizeof(*classes));

	if (!classes)
		return -1;
	nodes->classes = classes;
	classes[nodes->class_count] = *node_class;
	return (int) nodes->class_count++;
}

uint32_t wt_nodetable_by_name(const struct wt_nodetable *nodes, const char *name)
{
	uint32_t entry = *name_entry(nodes, name);

	return entry ? entry - 1 : WT_NODE_NONE;
}

uint32_t wt_nodetable_by_address(const struct wt_nodetable *nodes, in_addr_t address, uint16_t port)
{
	uint32_t entry = *address_entry(nodes, address, port);

	return entry ? entry - 1 : WT_NODE_NONE;
}

void wt_nodetable_own_set(struct wt_nodetable *nodes, uint32_t first, uint32_t count)
{
	nodes->own_first = first;
	nodes->own_count = count;
}

uint32_t wt_nodetable_own_count(const struct wt_nodetable *nodes)
{
	return nodes->own_count < nodes->count ? nodes->own_count : nodes->count;
}

uint64_t wt_nodetable_id(const struct wt_nodetable *nodes)
{
	uint64_t hash = 14695981039346656037u;	/* FNV-1a */

	for (size_t i = 0; i < nodes->names_used; i++)
		hash = (hash ^ (uint8_t) nodes->names[i]) * 1099511628211u;
	return hash;
}
