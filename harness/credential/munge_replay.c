/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/credential/munge_replay.h"

#define SMALLEST 1024

static bool is_free(const struct munge_replay_entry *e)
{
	return !e->name[0] && !e->name[1];
}

/* Its place, or the free one where it would go. */
static struct munge_replay_entry *find(const struct munge_replay *r, const uint64_t name[2])
{
	size_t at = name[0] & (r->size - 1);

	while (!is_free(&r->entries[at]) && memcmp(r->entries[at].name, name, sizeof(r->entries[at].name)))
		at = (at + 1) & (r->size - 1);
	return &r->entries[at];
}

/* A table for those that are still good, at most half full. */
static int make_anew(struct munge_replay *r, int64_t now_s)
{
	struct munge_replay to = { .size = SMALLEST };
	size_t good = 0;

	for (size_t i = 0; i < r->size; i++)
		good += !is_free(&r->entries[i]) && r->entries[i].expires_s >= now_s;
	while (to.size < 4 * good)
		to.size *= 2;
	to.entries = calloc(to.size, sizeof(*to.entries));
	if (!to.entries)
		return -1;
	for (size_t i = 0; i < r->size; i++)
		if (!is_free(&r->entries[i]) && r->entries[i].expires_s >= now_s)
			*find(&to, r->entries[i].name) = r->entries[i];
	to.used = good;
	free(r->entries);
	*r = to;
	return 0;
}

int replay_add(struct munge_replay *r, const uint8_t *mac, int64_t expires_s, int64_t now_s)
{
	struct munge_replay_entry *place, e = { .expires_s = expires_s };

	memcpy(e.name, mac, sizeof(e.name));
	if (!e.name[0] && !e.name[1])
		e.name[0] = 1;	/* nought is free */
	if (r->used >= r->size - r->size / 4 && make_anew(r, now_s) < 0)
		return -1;
	place = find(r, e.name);
	if (!is_free(place)) {
		errno = EEXIST;
		return -1;
	}
	*place = e;
	r->used++;
	return 0;
}

void replay_clear(struct munge_replay *r)
{
	free(r->entries);
	memset(r, 0, sizeof(*r));
}
