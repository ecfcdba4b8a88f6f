/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/select_bestfit/cache.h"

struct cache_entry {
	struct cache_entry *chain;			/* of the same bucket */
	struct cache_entry *newer, *older;		/* by use */
	uint64_t hash;
	size_t question_size, answer_size;
	unsigned char bytes[];			/* question, then answer */
};

struct cache {
	size_t entries_max, bytes_max, entries, bytes, buckets;
	struct cache_entry *newest, *oldest;
	struct cache_entry **table;
};

struct cache *cache_create(size_t entries_max, size_t bytes_max)
{
	struct cache *c;

	if (!entries_max || !bytes_max) {
		errno = EINVAL;
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->entries_max = entries_max;
	c->bytes_max = bytes_max;
	/* Twice as many as there may be entries, so that chains stay short; the table never grows. */
	c->buckets = 2 * entries_max;
	c->table = calloc(c->buckets, sizeof(*c->table));
	if (!c->table) {
		cache_destroy(c);
		errno = ENOMEM;
		return NULL;
	}
	return c;
}

void cache_destroy(struct cache *c)
{
	int saved_errno = errno;

	if (!c)
		return;
	if (c->table)
		cache_clear(c);
	free(c->table);
	free(c);
	errno = saved_errno;
}

/* Eight bytes at a time: questions have thousands of them.  A multiply-and-shift mix, as in splitmix64. */
static uint64_t hash(const unsigned char *bytes, size_t size)
{
	uint64_t h = size, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		size_t left = size - i < sizeof(word) ? size - i : sizeof(word);

		word = 0;
		memcpy(&word, bytes + i, left);
		h = (h ^ word) * 0xbf58476d1ce4e5b9;
		h ^= h >> 29;
	}
	return h;
}

static void use_unlink(struct cache *c, struct cache_entry *e)
{
	*(e->newer ? &e->newer->older : &c->newest) = e->older;
	*(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void use_link(struct cache *c, struct cache_entry *e)
{
	e->newer = NULL;
	e->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = e;
	c->newest = e;
}

static size_t entry_size(const struct cache_entry *e)
{
	return e->question_size + e->answer_size;
}

static void entry_remove(struct cache *c, struct cache_entry *e)
{
	struct cache_entry **at = &c->table[e->hash % c->buckets];

	while (*at != e)
		at = &(*at)->chain;
	*at = e->chain;
	use_unlink(c, e);
	c->entries--;
	c->bytes -= entry_size(e);
	free(e);
}

static struct cache_entry *entry_find(const struct cache *c, uint64_t hashed, const void *question, size_t size)
{
	struct cache_entry *e = c->table[hashed % c->buckets];

	while (e && (e->hash != hashed || e->question_size != size || memcmp(e->bytes, question, size)))
		e = e->chain;
	return e;
}

const void *cache_find(struct cache *c, const void *question, size_t question_size, size_t *answer_size)
{
	struct cache_entry *e = entry_find(c, hash(question, question_size), question, question_size);

	if (!e)
		return NULL;
	/* Used now: the newest. */
	use_unlink(c, e);
	use_link(c, e);
	*answer_size = e->answer_size;
	return e->bytes + e->question_size;
}

int cache_add(struct cache *c, const void *question, size_t question_size, const void *answer, size_t answer_size)
{
	uint64_t hashed = hash(question, question_size);
	struct cache_entry *e = entry_find(c, hashed, question, question_size);

	if (e)
		entry_remove(c, e);
	/* After the removal: an old answer that cannot be replaced must not be given again. */
	if (question_size > c->bytes_max || answer_size > c->bytes_max - question_size) {
		errno = EFBIG;
		return -1;
	}
	while (c->entries == c->entries_max || c->bytes + question_size + answer_size > c->bytes_max)
		entry_remove(c, c->oldest);
	e = malloc(sizeof(*e) + question_size + answer_size);
	if (!e)
		return -1;
	*e = (struct cache_entry) { .hash = hashed, .question_size = question_size, .answer_size = answer_size };
	memcpy(e->bytes, question, question_size);
	memcpy(e->bytes + question_size, answer, answer_size);
	e->chain = c->table[hashed % c->buckets];
	c->table[hashed % c->buckets] = e;
	use_link(c, e);
	c->entries++;
	c->bytes += entry_size(e);
	return 0;
}

void cache_clear(struct cache *c)
{
	while (c->oldest)
		entry_remove(c, c->oldest);
}

size_t cache_entries(const struct cache *c)
{
	return c->entries;
}

size_t cache_bytes(const struct cache *c)
{
	return c->bytes;
}
