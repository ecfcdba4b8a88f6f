/* usage_state.h - what users of accounts have used before a cluster begins: usage.csv of windtunnel-site(5) as the file
 * assoc_usage of slurmctld's StateSaveLocation, which it reads when it starts with accounting.
 *
 * Slurm has no command that sets usage: sacctmgr(1) only clears it (RawUsage=0).  The shape of the file is read off Slurm's
 * load_assoc_usage () (src/common/assoc_mgr.c), the same from 22.05 to 25.11.
 * Pure; both texts are foreign. */
#ifndef WT_HARNESS_CLUSTER_CONF_USAGE_STATE_H
#define WT_HARNESS_CLUSTER_CONF_USAGE_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

struct wt_usage_state {		/* zeroed: empty and valid */
	struct wt_str bytes;		/* of the file */
	size_t given, taken;		/* rows with usage, and those of them that have an association */
	char missing[200];		/* "account/user" of the first that has none; "" */
};

/* Is it such a file?  'text' is terminated, 'len' its bytes.  0, or -1 with EINVAL (file and line) or ENOMEM. */
int wt_usage_check(const char *where, const char *text, size_t len, struct wt_error *errp);

/* 'usage' has been checked.  'associations' is what "sacctmgr -nP show associations format=ID,Account,User,Partition"
 * prints; of a user who has several in an account the one without a partition gets all, else the first.  'protocol' is
 * Slurm's SLURM_PROTOCOL_VERSION, 'now_s' the time that the file tells.  As above. */
int wt_usage_state_make(struct wt_usage_state *state, const char *usage, const char *associations, uint16_t protocol,
			int64_t now_s, struct wt_error *errp);
void wt_usage_state_clear(struct wt_usage_state *state);	/* errno is preserved */

#endif
