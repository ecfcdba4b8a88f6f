/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "plugins/straggler/slurmctld/crowd.h"

#define SLOTS 4096	/* a power of two */

struct crowd_party {
	uint64_t key;
	size_t members, bytes;
	TAILQ_HEAD(, crowd_member) all, waiting;	/* oldest first; latest frame first */
	LIST_ENTRY(crowd_party) of_slot, of_all;
	TAILQ_ENTRY(crowd_party) of_turns;
};

int crowd_init(struct crowd *crowd, const struct crowd_limits *limits, struct wt_error *errp)
{
	memset(crowd, 0, sizeof(*crowd));
	crowd->limits = *limits;
	TAILQ_INIT(&crowd->turns);
	crowd->slots = calloc(SLOTS, sizeof(*crowd->slots));
	return crowd->slots ? 0 : wt_error_errno(errp, ENOMEM, "addresses and users of connections");
}

void crowd_fini(struct crowd *crowd)
{
	free(crowd->slots);
	crowd->slots = NULL;
}

/* Fibonacci hashing: the upper 12 bits of the product number the SLOTS, so that neighbouring addresses and user ids part. */
static struct crowd_slot *slot_of(const struct crowd *crowd, uint64_t key)
{
	return &crowd->slots[(key * 0x9e3779b97f4a7c15u) >> 52];
}

static struct crowd_party *party_get(struct crowd *crowd, uint64_t key)
{
	struct crowd_slot *slot = slot_of(crowd, key);
	struct crowd_party *party;

	LIST_FOREACH(party, slot, of_slot) {
		if (party->key == key)
			return party;
	}
	party = calloc(1, sizeof(*party));
	if (!party)
		return NULL;
	party->key = key;
	TAILQ_INIT(&party->all);
	TAILQ_INIT(&party->waiting);
	LIST_INSERT_HEAD(slot, party, of_slot);
	LIST_INSERT_HEAD(&crowd->parties, party, of_all);
	return party;
}

int crowd_join(struct crowd *crowd, struct crowd_member *m, uint64_t key)
{
	struct crowd_party *party = party_get(crowd, key);

	if (!party) {
		errno = ENOMEM;
		return -1;
	}
	*m = (struct crowd_member) { .party = party };
	TAILQ_INSERT_TAIL(&party->all, m, of_party);
	party->members++;
	crowd->members++;
	return 0;
}

void crowd_leave(struct crowd *crowd, struct crowd_member *m)
{
	struct crowd_party *party = m->party;

	if (!party)
		return;
	crowd_wait(crowd, m, false);
	crowd_weigh(crowd, m, 0);
	TAILQ_REMOVE(&party->all, m, of_party);
	crowd->members--;
	m->party = NULL;
	if (--party->members)
		return;
	LIST_REMOVE(party, of_slot);
	LIST_REMOVE(party, of_all);
	free(party);
}

void crowd_weigh(struct crowd *crowd, struct crowd_member *m, size_t bytes)
{
	struct crowd_party *party = m->party;

	if (!party)
		return;
	/* 'over' counts the parties above their limit: this one is taken out as it was, and counted as it is. */
	crowd->over -= party->bytes > crowd->limits.party_bytes;
	crowd->bytes += bytes - m->bytes;
	party->bytes += bytes - m->bytes;
	crowd->over += party->bytes > crowd->limits.party_bytes;
	m->bytes = bytes;
}

size_t crowd_room(const struct crowd *crowd, const struct crowd_member *m)
{
	size_t all = crowd->limits.bytes, own = crowd->limits.party_bytes;

	all = all > crowd->bytes ? all - crowd->bytes : 0;
	own = own > m->party->bytes ? own - m->party->bytes : 0;
	return all < own ? all : own;
}

void crowd_wait(struct crowd *crowd, struct crowd_member *m, bool waits)
{
	struct crowd_party *party = m->party;

	if (!party || m->waits == waits)
		return;
	m->waits = waits;
	if (waits) {
		if (TAILQ_EMPTY(&party->waiting))
			TAILQ_INSERT_TAIL(&crowd->turns, party, of_turns);
		/* The latest first: an honest question comes before the thousands with which its own party floods us. */
		TAILQ_INSERT_HEAD(&party->waiting, m, of_waiting);
		crowd->waiting++;
	} else {
		TAILQ_REMOVE(&party->waiting, m, of_waiting);
		if (TAILQ_EMPTY(&party->waiting))
			TAILQ_REMOVE(&crowd->turns, party, of_turns);
		crowd->waiting--;
	}
}

struct crowd_member *crowd_next(const struct crowd *crowd)
{
	const struct crowd_party *party = TAILQ_FIRST(&crowd->turns);

	return party ? TAILQ_FIRST(&party->waiting) : NULL;
}

void crowd_served(struct crowd *crowd)
{
	struct crowd_party *party = TAILQ_FIRST(&crowd->turns);
	struct crowd_member *m = party ? TAILQ_FIRST(&party->waiting) : NULL;

	if (!m)
		return;
	TAILQ_REMOVE(&crowd->turns, party, of_turns);
	TAILQ_INSERT_TAIL(&crowd->turns, party, of_turns);
	crowd_wait(crowd, m, false);
}

/* Of the heaviest party that has one that may go, the oldest of these.  A member weighs, too. */
struct crowd_member *crowd_oldest(const struct crowd *crowd)
{
	const struct crowd_party *party;
	struct crowd_member *found = NULL;
	size_t heaviest = 0;

	LIST_FOREACH(party, &crowd->parties, of_all) {
		struct crowd_member *m;

		if (party->bytes <= heaviest)
			continue;
		/* A busy one is with a thread that seals, or its answer is held back: it cannot be dropped just now. */
		TAILQ_FOREACH(m, &party->all, of_party) {
			if (!m->busy)
				break;
		}
		if (!m)
			continue;
		heaviest = party->bytes;
		found = m;
	}
	return found;
}

struct crowd_member *crowd_surplus(const struct crowd *crowd)
{
	if (crowd->members <= crowd->limits.members && crowd->bytes <= crowd->limits.bytes && !crowd->over)
		return NULL;
	return crowd_oldest(crowd);
}

uint64_t crowd_address(const void *address, size_t len)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family = AF_UNSPEC;
	uint64_t halves[2];
	uint32_t v4;

	if (len >= sizeof(family))
		memcpy(&family, address, sizeof(family));
	if (family == AF_INET6 && len >= sizeof(in6)) {
		memcpy(&in6, address, sizeof(in6));
		memcpy(halves, &in6.sin6_addr, sizeof(halves));
		memcpy(&v4, &in6.sin6_addr.s6_addr[12], sizeof(v4));
		/* The whole loopback network is this host: one that picks 127.0.0.2 gets no second share. */
		if (IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr))
			return IN_LOOPBACKNET;
		/* By the whole address, not its prefix: a cluster's nodes share one, and an attacker among them would
		 * spend their share. */
		if (memcmp(&in6.sin6_addr, mapped, sizeof(mapped)))
			return halves[0] * 0x9e3779b97f4a7c15u + halves[1];
	} else if (family == AF_INET && len >= sizeof(in)) {
		memcpy(&in, address, sizeof(in));
		v4 = in.sin_addr.s_addr;
	} else {
		return 0;
	}
	v4 = ntohl(v4);
	return v4 >> 24 == IN_LOOPBACKNET ? IN_LOOPBACKNET : v4;
}
