/* upgrade_rehearse.h - the whole way from release to release, and what is told of it. */
#ifndef WT_CMD_UPGRADE_UPGRADE_REHEARSE_H
#define WT_CMD_UPGRADE_UPGRADE_REHEARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

#define UPGRADE_VIA_MAX 16

struct upgrade_wanted { /* as on the command line; NULL or 0: not given */
	const char *from, *to, *via[UPGRADE_VIA_MAX], *state, *site, *output;
	size_t via_count;
	unsigned long nodes;
	bool back, json, quiet;
};

struct upgrade_way {
	const char *releases[2 * (UPGRADE_VIA_MAX + 2)]; /* each is read by the next one */
	size_t count;
	size_t turn; /* the index of the one from which it goes back */
};

/* The exit status, 0 or 1; -1 with errno: EINVAL for an option, EINTR after a signal.  Nothing of it is left running, and
 * nothing is left but 'output'. */
int upgrade_rehearse(const struct upgrade_wanted *wanted, const struct upgrade_way *way, struct wt_error *errp);

#endif
