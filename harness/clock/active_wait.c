/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/clock/active_wait.h"

/* An active wait in vain costs up to 40 us, one that is ended by a poke takes less than half of that and saves a sleep and a
 * wake-up, several times as much in a virtual machine: it pays as long as one in five is ended by a poke. */
#define LOST_MAX (ACTIVE_WAIT_WHOLE * 4 / 5)
#define WEIGHT 64		/* of the average: about as many outcomes count */

bool active_wait_next(struct active_wait *w)
{
	if (w->lost <= LOST_MAX || ++w->refused >= ACTIVE_WAIT_TRY_EVERY) {
		w->refused = 0;
		return true;
	}
	return false;
}

void active_wait_note(struct active_wait *w, bool paid)
{
	w->lost += ((paid ? 0 : ACTIVE_WAIT_WHOLE) - w->lost) / WEIGHT;
	if (paid)
		w->paid++;
	else
		w->vain++;
}
