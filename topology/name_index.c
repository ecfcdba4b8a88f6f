/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/name_index.h"

/* FNV-1a, 64 bits (draft-eastlake-fnv). */
static uint64_t name_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		hash = (hash ^ (unsigned char) *name) * 0x100000001b3ULL;
	/* Folded, as FNV's authors advise where fewer bits are wanted: the mask takes the lowest. */
	return hash ^ hash >> 32;
}

int name_index_init(struct name_index *ix, size_t count)
{
	size_t size = 8;

	/* At most half full, so that a search by probing ends after a slot or two; a power of two, for the mask. */
	while (size < 2 * count)
		size *= 2;
	ix->slots = calloc(size, sizeof(*ix->slots));
	ix->mask = size - 1;
	if (!ix->slots) {
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

void name_index_clear(struct name_index *ix)
{
	free(ix->slots);
	ix->slots = NULL;
	ix->mask = 0;
}

static struct name_slot *slot_find(const struct name_index *ix, const char *name)
{
	size_t i = name_hash(name) & ix->mask;

	while (ix->slots[i].name && strcmp(ix->slots[i].name, name))
		i = (i + 1) & ix->mask;
	return &ix->slots[i];
}

uint32_t name_index_add(struct name_index *ix, const char *name, uint32_t number)
{
	struct name_slot *slot = slot_find(ix, name);

	if (slot->name)
		return slot->number;
	slot->name = name;
	slot->number = number;
	return NAME_INDEX_NONE;
}

uint32_t name_index_find(const struct name_index *ix, const char *name)
{
	const struct name_slot *slot = ix->slots && name ? slot_find(ix, name) : NULL;

	return slot && slot->name ? slot->number : NAME_INDEX_NONE;
}
