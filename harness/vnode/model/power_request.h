/* power_request.h - what programs ask of nodes' power, a line each, and how it is answered and recorded (doc/formats.md).
 *
 * The same for virtual nodes (wt-vnoded) and real ones (the cluster's supervisor).  Pure: names of nodes come through calls,
 * times are arguments (microseconds).  One thread. */
#ifndef WT_HARNESS_VNODE_MODEL_POWER_REQUEST_H
#define WT_HARNESS_VNODE_MODEL_POWER_REQUEST_H

#include "harness/vnode/model/power.h"

#define WT_POWER_NO_NODE UINT32_MAX

struct wt_power_names {
	uint32_t count;		/* of nodes: a list names no more */
	uint32_t (*find)(const void *arg, const char *name);	/* WT_POWER_NO_NODE: it is none of these */
	void (*name)(const void *arg, uint32_t node, char *text, size_t size);
	const void *arg;
	/* Of a boot; NULL: nodes keep theirs. */
	void (*address)(const void *arg, uint32_t node, uint32_t boot, char *text, size_t size);
	const void *address_arg;
};

/* Do what 'line' asks, which is changed: "on|off|drop|fail|repair|take|state|address NODES [JOBID [NODES JOBID]...]".
 * A node that stands there several times is asked once, for the first job that names it.  One name that is no node's, and
 * nothing is done.  The answer, "ok COUNT" or "error TEXT", from malloc (), NULL with ENOMEM.  *asked: something was asked
 * of nodes, and is to be kept before that is answered. */
char *wt_power_request(struct wt_power *power, const struct wt_power_names *names, int64_t now_us, char *line, bool *asked);

/* The row of power.csv, with its end of line; the caller frees it.  NULL: ENOMEM. */
char *wt_power_row(const struct wt_power_happened *what, const char *name);

#endif
