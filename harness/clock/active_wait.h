/* active_wait.h - does it pay to wait actively for the thread that was just woken, rather than to sleep until it pokes?
 *
 * Where a CPU is free for that thread it mostly pokes within microseconds, and an active wait saves what sleeping and being
 * woken costs.  Where runs share the CPUs the thread waits for one itself, the more so for our sake, and active waits are
 * mostly in vain (WINDTUNNEL_CLOCK_STATS of wt-clockd(8) counts both).  So the outcomes of the last ones decide, and where
 * they speak against it, one wait in ACTIVE_WAIT_TRY_EVERY is active all the same, to notice when CPUs are free again.
 * Pure; not locked. */
#ifndef WT_HARNESS_CLOCK_ACTIVE_WAIT_H
#define WT_HARNESS_CLOCK_ACTIVE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#define ACTIVE_WAIT_TRY_EVERY 32

struct active_wait {		/* zeroed: none so far, and the first ones are active */
	int32_t lost;		/* moving average of the share that was in vain, of ACTIVE_WAIT_WHOLE */
	uint32_t refused;	/* since the last active one */
	uint64_t paid, vain;	/* how many were ended by a poke, and how many were not */
};

#define ACTIVE_WAIT_WHOLE 4096

/* Is the next wait to be active?  To be called once for each. */
bool active_wait_next(struct active_wait *w);

/* An active wait was ended by a poke ('paid'), or not. */
void active_wait_note(struct active_wait *w, bool paid);

#endif
