/* scriptplan.h - what a batch script does, one after the other: spans of time, steps, waits.
 *
 * Pure.  A plan is made by script.h, carried out by the model (node_model.h), and kept in the journal as bytes.  A zeroed
 * struct is an empty plan.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_SCRIPTPLAN_H
#define WT_HARNESS_VNODE_MODEL_SCRIPTPLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/str.h"

enum wt_plan_kind {
	WT_PLAN_STATUS,		/* a command that takes no time and ends with 'status' */
	WT_PLAN_SPAN,		/* takes 'run_time_us' */
	WT_PLAN_STEP,		/* asks the controller for a step */
	WT_PLAN_WAIT,		/* until all that was begun beside it is over */
	WT_PLAN_EXIT,		/* the script ends, with 'status' or, if 'keeps', that of the command before */
	WT_PLAN_KINDS
};

enum wt_plan_when { WT_PLAN_ALWAYS, WT_PLAN_AND, WT_PLAN_OR, WT_PLAN_WHENS };	/* after ; && || */

enum { WT_PLAN_ITEMS_MAX = 4096, WT_PLAN_REQUEST_MAX = 16384 };

struct wt_plan_item {
	uint8_t kind, when;
	uint8_t status;
	bool background;	/* the script goes on beside it */
	bool keeps;
	bool hides;		/* of a pipeline's other commands: its status counts as 0 */
	bool ends;		/* when it fails, so does the script: set -e */
	bool immediate;		/* the step is wanted at once, or not at all */
	bool ignores_term;	/* its tasks do */
	uint16_t wait_status;	/* of its tasks */
	int64_t run_time_us;
	void *request;		/* for a step: bytes of the code that asks the controller; malloc ()'ed */
	uint32_t request_len;
};

struct wt_script_plan {
	struct wt_plan_item *items;
	uint32_t count, capacity;
	uint32_t steps;
};

/* Takes item->request.  0, or -1 with ENOMEM or E2BIG. */
int wt_plan_add(struct wt_script_plan *plan, const struct wt_plan_item *item);
void wt_plan_cut(struct wt_script_plan *plan, uint32_t count);			/* forget all but the first 'count' */
void wt_script_plan_clear(struct wt_script_plan *plan);

void wt_plan_pack(const struct wt_script_plan *plan, struct wt_str *out);
/* The bytes are foreign.  0, or -1 with EINVAL or ENOMEM: *plan is empty. */
int wt_plan_unpack(struct wt_script_plan *plan, const uint8_t *bytes, size_t len);

#endif
