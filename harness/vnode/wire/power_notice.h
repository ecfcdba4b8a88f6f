/* power_notice.h - a program is told which machines are to be taken back, and how soon: PROGRAM NODES SECONDS; or of which
 * nodes something else is to be known: PROGRAM NODES.
 *
 * Nodes of one moment that have the same time left are told together, as "n0,n7".  Nobody waits for the program: whoever has
 * the default loop of libev reaps it.  One thread. */
#ifndef WT_HARNESS_VNODE_WIRE_POWER_NOTICE_H
#define WT_HARNESS_VNODE_WIRE_POWER_NOTICE_H

#include <stdint.h>

#include "lib/error.h"

struct wt_notices;	/* opaque; NULL: there is no program, and all calls do nothing */

struct wt_notices *wt_notices_create(const char *program);	/* its path; NULL: ENOMEM */
void wt_notices_destroy(struct wt_notices *notices);		/* errno is preserved */

#define WT_NOTICE_NO_TIME INT64_C(-1)	/* as 'left_us': the program is called without the seconds */

/* 0, or -1 with errno and *errp: some nodes are told to nobody. */
int wt_notices_add(struct wt_notices *notices, const char *node, int64_t left_us, struct wt_error *errp);
int wt_notices_send(struct wt_notices *notices, struct wt_error *errp);	/* what was added */

#endif
