/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/wire/registry.h"

struct registry_entry {
	bool waiting : 1;	/* in the ring */
	bool on_its_way : 1;
	bool again : 1;		/* wanted while on its way */
	bool registered : 1;
	bool stopped : 1;
	uint8_t delay_s;	/* after the last failure; 0: none */
};

struct wt_registry {
	uint32_t node_count, registered, stopped;
	uint32_t first, waiting;	/* ring of nodes, each at most once */
	uint32_t *ring;
	struct registry_entry *entries;
};

struct wt_registry *wt_registry_create(uint32_t node_count)
{
	struct wt_registry *registry = calloc(1, sizeof(*registry));

	if (!registry)
		return NULL;
	registry->node_count = node_count;
	registry->ring = calloc(node_count + 1, sizeof(*registry->ring));
	registry->entries = calloc(node_count + 1, sizeof(*registry->entries));
	if (!registry->ring || !registry->entries) {
		wt_registry_destroy(registry);
		return NULL;
	}
	return registry;
}

void wt_registry_destroy(struct wt_registry *registry)
{
	int saved_errno = errno;

	if (registry) {
		free(registry->ring);
		free(registry->entries);
		free(registry);
	}
	errno = saved_errno;
}

void wt_registry_want(struct wt_registry *registry, uint32_t node)
{
	struct registry_entry *entry = &registry->entries[node];

	if (entry->stopped || entry->waiting)
		return;
	/* What is under way was packed before that, and may say what is not so any more. */
	if (entry->on_its_way) {
		entry->again = true;
		return;
	}
	/* A node is in the ring once at most, so that a ring of all nodes never overflows. */
	entry->waiting = true;
	registry->ring[(registry->first + registry->waiting++) % registry->node_count] = node;
}

bool wt_registry_next(struct wt_registry *registry, uint32_t *node)
{
	while (registry->waiting) {
		uint32_t next = registry->ring[registry->first];
		struct registry_entry *entry = &registry->entries[next];

		registry->first = (registry->first + 1) % registry->node_count;
		registry->waiting--;
		entry->waiting = false;
		/* Nothing is taken out of the middle of a ring: a node that has stopped meanwhile leaves it here. */
		if (entry->stopped)
			continue;
		entry->on_its_way = true;
		*node = next;
		return true;
	}
	return false;
}

static void arrived(struct wt_registry *registry, uint32_t node, bool again)
{
	struct registry_entry *entry = &registry->entries[node];

	again |= entry->again;
	entry->on_its_way = entry->again = false;
	if (again)
		wt_registry_want(registry, node);
}

void wt_registry_acked(struct wt_registry *registry, uint32_t node)
{
	struct registry_entry *entry = &registry->entries[node];

	if (!entry->registered)
		registry->registered++;
	entry->registered = true;
	entry->delay_s = 0;
	arrived(registry, node, false);
}

void wt_registry_left(struct wt_registry *registry, uint32_t node)
{
	registry->registered -= registry->entries[node].registered;
	registry->entries[node].registered = false;
}

void wt_registry_forget(struct wt_registry *registry, uint32_t node)
{
	registry->entries[node].again = false;
	arrived(registry, node, false);
}

void wt_registry_put_back(struct wt_registry *registry, uint32_t node)
{
	arrived(registry, node, true);
}

uint32_t wt_registry_failed_s(struct wt_registry *registry, uint32_t node)
{
	struct registry_entry *entry = &registry->entries[node];

	entry->delay_s = !entry->delay_s ? 1 :
			 entry->delay_s >= WT_REGISTRY_MAX_DELAY_S / 2 ? WT_REGISTRY_MAX_DELAY_S : entry->delay_s * 2;
	/* The next try, after the pause, is the registration that was asked for meanwhile. */
	entry->again = false;
	arrived(registry, node, false);
	return entry->delay_s;
}

void wt_registry_stop(struct wt_registry *registry, uint32_t node)
{
	if (!registry->entries[node].stopped)
		registry->stopped++;
	registry->entries[node].stopped = true;
}

void wt_registry_start(struct wt_registry *registry, uint32_t node)
{
	if (registry->entries[node].stopped)
		registry->stopped--;
	registry->entries[node].stopped = false;
	registry->entries[node].delay_s = 0;
}

bool wt_registry_stopped(const struct wt_registry *registry, uint32_t node)
{
	return registry->entries[node].stopped;
}

bool wt_registry_waits(const struct wt_registry *registry)
{
	return registry->waiting > 0;
}

uint32_t wt_registry_registered(const struct wt_registry *registry)
{
	return registry->registered;
}

uint32_t wt_registry_stopped_count(const struct wt_registry *registry)
{
	return registry->stopped;
}
