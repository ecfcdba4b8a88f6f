/* confpolicy.h - a site's slurm.conf, applied to that of an emulated cluster so that nothing of it reaches out of the
 * emulation.
 *
 * Pure.  The classes of keys are confkeys.h's.  What was asked for and is not taken over is noted, never passed over in
 * silence. */
#ifndef WT_HARNESS_CLUSTER_CONF_CONFPOLICY_H
#define WT_HARNESS_CLUSTER_CONF_CONFPOLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/demands.h"

struct wt_confpolicy {
	uint32_t nodes;			/* n0 to n(nodes - 1) are all that there are */
	bool topology;			/* a topology.conf is there */
	bool accounting;		/* a slurmdbd of its own is there */
	bool users;			/* users and groups of its own are there */
	/* The file's NodeName lines are the cluster's, with addresses of ours: all nodes, partitions and accounts that it
	 * names are there. */
	bool site;
	unsigned int network;		/* of 'site' */
	uint16_t nodes_port;
	/* --keep: keys, or attributes of lines, that are taken over although they reach out */
	char *const *keeps;
	size_t keep_count;
};

struct wt_confnote {			/* a demand that was not, or not wholly, taken over */
	char *where, *key, *value;
	char *used;			/* what holds instead, as text for people */
	const char *why;
	unsigned int lines;		/* 1, or more for lines of the same kind that share this note */
	bool keepable, schedules;	/* --keep 'key' is possible; the schedule can differ for the lack of it */
};

struct wt_confnotes {			/* zeroed: empty and valid */
	struct wt_confnote *list;
	size_t count;
};

/* Are the keys of --keep such that may be kept, and do they name enough to reach no host by a default?  0, or -1 with
 * EINVAL. */
int wt_confpolicy_check(const struct wt_confpolicy *policy, const struct wt_demands *demands, struct wt_error *errp);

/* Apply 'demands' to *conf, which holds windtunnel's own settings, in their order.  0, or -1 with errno and *errp set;
 * EINVAL: a key or attribute that Slurm does not have, or an option (--set) that asks for what is windtunnel's own. */
int wt_confpolicy_apply(struct wt_conf *conf, const struct wt_demands *demands, const struct wt_confpolicy *policy,
			struct wt_confnotes *notes, struct wt_error *errp);

/* All notes as one block of lines for people; "" when there are none.  The caller frees it; NULL with ENOMEM. */
char *wt_confnotes_text(const struct wt_confnotes *notes);
void wt_confnotes_clear(struct wt_confnotes *notes);	/* errno is preserved */

#endif
