/* munge_replay.h - which credentials have been opened and are still good: a second opening is a replay.
 *
 * Pure but for memory.  Times are seconds on one clock.  Not for several threads at once. */
#ifndef WT_HARNESS_CREDENTIAL_MUNGE_REPLAY_H
#define WT_HARNESS_CREDENTIAL_MUNGE_REPLAY_H

#include <stddef.h>
#include <stdint.h>

struct munge_replay_entry {
	uint64_t name[2];	/* the beginning of the MAC */
	int64_t expires_s;	/* the last second in which it is good */
};

/* All zero: none was opened.  An open hash table; those that have expired leave when it is made anew. */
struct munge_replay {
	struct munge_replay_entry *entries;
	size_t size, used;	/* a power of two, or 0 */
};

/* Remember a credential by its MAC (only 16 bytes are looked at: they are as good as random, and nobody without the key
 * chooses them).  0, or -1 with errno: EEXIST (a replay), ENOMEM (it is not remembered, and may not be trusted). */
int replay_add(struct munge_replay *r, const uint8_t *mac, int64_t expires_s, int64_t now_s);

void replay_clear(struct munge_replay *r);

#endif
