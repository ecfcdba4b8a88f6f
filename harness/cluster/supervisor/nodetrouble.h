/* nodetrouble.h - nodes that will not become IDLE by waiting, told to people: grouped by reason, with what to do.
 *
 * Pure, but for libslurm's host lists. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_NODETROUBLE_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_NODETROUBLE_H

#include <stddef.h>

struct wt_nodetrouble {
	const char *name;
	const char *word;	/* "drained", "down", "refused" */
	const char *reason;	/* the controller's; NULL or "": it gives none */
};

/* One line: "n[0-1] refused: REASON; WHAT TO DO", the largest groups first, at most three of them in full.  The caller frees
 * it.  NULL: ENOMEM, or 'count' is 0. */
char *wt_nodetrouble_text(const struct wt_nodetrouble *list, size_t count);

#endif
