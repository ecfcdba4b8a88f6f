/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/alike_table.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct alike_key) == (2 * ALIKE_WORDS + 1) * 8 + 8 * 4, "a key has a hole, or is no whole words");

void alike_table_clear(struct alike_table *t)
{
	t->count = 0;
	if (++t->generation)
		return;
	memset(t->slots, 0, sizeof(t->slots));
	t->generation = 1;
}

/* FNV-1a by words, and its upper half, which all of them have reached. */
static size_t key_slot(const struct alike_key *key)
{
	uint64_t words[sizeof(*key) / 8], hash = UINT64_C(0xcbf29ce484222325);

	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		hash = (hash ^ words[i] ^ words[i] >> 32) * UINT64_C(0x100000001b3);
	return (size_t) (hash >> 32 ^ hash >> 48 ^ hash) % ALIKE_ROOM;
}

/* The key's slot, or the free one where it would stand: half of all are free. */
static size_t slot_find(const struct alike_table *t, const struct alike_key *key)
{
	size_t i = key_slot(key);

	while (t->slots[i].generation == t->generation && memcmp(&t->slots[i].key, key, sizeof(*key)))
		i = (i + 1) % ALIKE_ROOM;
	return i;
}

const struct alike_answer *alike_table_find(const struct alike_table *t, const struct alike_key *key)
{
	size_t i;

	if (!t->count)
		return NULL;
	i = slot_find(t, key);
	return t->slots[i].generation == t->generation ? &t->slots[i].answer : NULL;
}

void alike_table_add(struct alike_table *t, const struct alike_key *key, const struct alike_answer *answer)
{
	size_t i;

	if (!t->generation)
		alike_table_clear(t);
	if (t->count == ALIKE_FULL)
		return;
	i = slot_find(t, key);
	if (t->slots[i].generation == t->generation)
		return;
	t->slots[i].generation = t->generation;
	t->slots[i].key = *key;
	t->slots[i].answer = *answer;
	t->count++;
}
