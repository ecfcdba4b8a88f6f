/* crowd.h - connections without a session, by their party: an address, or a user.
 *
 * Pure, and not locked.  Each connection is a member of one party.  Parties are served in turn, and of a party the member
 * whose frame came last, so that a flood of frames delays mostly its own sender.  When there are too many members, or
 * they keep too much in memory, the party that weighs most loses its oldest one. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_CROWD_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "lib/error.h"

struct crowd_party;

struct crowd_member {		/* zeroed: of no party */
	struct crowd_party *party;
	size_t bytes;		/* that it keeps in memory */
	bool waits, busy;	/* its frame waits for its turn; it cannot be dropped just now */
	TAILQ_ENTRY(crowd_member) of_party, of_waiting;
};

struct crowd_limits {
	size_t members, bytes;	/* of all */
	size_t party_bytes;	/* of one party */
};

struct crowd {
	struct crowd_limits limits;
	size_t members, bytes, waiting;
	size_t over;		/* parties that keep more than they may */
	LIST_HEAD(crowd_slot, crowd_party) *slots;	/* by key */
	LIST_HEAD(, crowd_party) parties;
	TAILQ_HEAD(, crowd_party) turns;	/* that have a member whose frame waits */
};

int crowd_init(struct crowd *crowd, const struct crowd_limits *limits, struct wt_error *errp);	/* ENOMEM */
void crowd_fini(struct crowd *crowd);		/* has no members any more */

int crowd_join(struct crowd *crowd, struct crowd_member *m, uint64_t key);	/* -1: ENOMEM */
void crowd_leave(struct crowd *crowd, struct crowd_member *m);			/* also one of no party */
void crowd_weigh(struct crowd *crowd, struct crowd_member *m, size_t bytes);
size_t crowd_room(const struct crowd *crowd, const struct crowd_member *m);	/* bytes that it may still keep */
void crowd_wait(struct crowd *crowd, struct crowd_member *m, bool waits);

/* The member whose frame is to be served next, NULL: none; and it was, so the next party has its turn. */
struct crowd_member *crowd_next(const struct crowd *crowd);
void crowd_served(struct crowd *crowd);

/* The member that has to go: while a limit is exceeded; or of the heaviest party (crowd_oldest ()) always.  NULL: none, or
 * all of them are busy. */
struct crowd_member *crowd_surplus(const struct crowd *crowd);
struct crowd_member *crowd_oldest(const struct crowd *crowd);

/* The key of an address (a struct sockaddr).  Loopback addresses, of which every process can choose any, are all one. */
uint64_t crowd_address(const void *address, size_t len);

#endif
