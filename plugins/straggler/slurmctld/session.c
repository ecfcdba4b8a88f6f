/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/straggler/slurmctld/session.h"

#define PLACE_BITS 16	/* of a session's number: where it is; the others are drawn */
#define PLACE_MASK ((1u << PLACE_BITS) - 1)

_Static_assert(SESSIONS_TRUSTED + SESSIONS_OTHERS <= 1 << PLACE_BITS, "each place has a number");

struct sessions {
	uint64_t opened, opened_trusted;
	struct session places[SESSIONS_TRUSTED + SESSIONS_OTHERS];	/* first those of root and SlurmUser, in turn */
};

struct sessions *sessions_create(struct wt_error *errp)
{
	struct sessions *sessions = calloc(1, sizeof(*sessions));

	if (!sessions)
		wt_error_errno(errp, ENOMEM, "sessions of agents");
	return sessions;
}

void sessions_destroy(struct sessions *sessions)
{
	if (!sessions)
		return;
	explicit_bzero(sessions, sizeof(*sessions));
	free(sessions);
}

static bool over(const struct session *session, double now_s)
{
	return !session->id || now_s >= session->ends_s;
}

/* A place for one of a user: free, or its own oldest one when it has enough of them, or else the oldest of all. */
static struct session *place_of_user(struct sessions *sessions, uint32_t uid, double now_s)
{
	struct session *room = NULL, *own = NULL, *oldest = NULL;
	unsigned int count = 0;

	for (struct session *s = sessions->places + SESSIONS_TRUSTED; s < sessions->places + SESSIONS_TRUSTED +
	     SESSIONS_OTHERS; s++) {
		if (over(s, now_s)) {
			room = room ? room : s;
			continue;
		}
		if (!oldest || s->opened < oldest->opened)
			oldest = s;
		if (s->uid != uid)
			continue;
		count++;
		if (!own || s->opened < own->opened)
			own = s;
	}
	/* Before any free place: a user that opens without end takes nothing from others. */
	if (count >= SESSIONS_USER)
		return own;
	return room ? room : oldest;
}

const struct session *session_open(struct sessions *sessions, uint32_t uid, bool trusted,
				   const struct session_random *random, double now_s, bool *dropped)
{
	/* Trusted places are taken in turn: their sessions have all the same life, so the next place is the oldest
	 * one's. */
	struct session *place = trusted ? &sessions->places[sessions->opened_trusted++ % SESSIONS_TRUSTED] :
			 place_of_user(sessions, uid, now_s);

	*dropped = !over(place, now_s);
	*place = (struct session) { .uid = uid, .trusted = trusted, .ends_s = now_s + SESSION_LIFETIME_S,
				    .opened = ++sessions->opened };
	/* Never 0, whatever was drawn. */
	place->id = (random->id | 1u << PLACE_BITS) & ~(uint64_t) PLACE_MASK;
	place->id |= (uint64_t) (place - sessions->places);
	memcpy(place->key, random->key, sizeof(place->key));
	return place;
}

struct session *session_find(struct sessions *sessions, uint64_t id, double now_s)
{
	struct session *place = &sessions->places[id & PLACE_MASK];

	if (!id || (id & PLACE_MASK) >= SESSIONS_TRUSTED + SESSIONS_OTHERS || place->id != id || over(place, now_s))
		return NULL;
	return place;
}

bool session_advance(struct session *session, uint64_t sequence)
{
	if (sequence <= session->sequence)
		return false;
	session->sequence = sequence;
	return true;
}
