/* rpc_costs.h - what each type of RPC has cost slurmctld during a run, from what sdiag counts since slurmctld's start.
 *
 * Pure; one thread at a time.  A zeroed struct has seen nothing. */
#ifndef WT_HARNESS_RUN_RPC_COSTS_H
#define WT_HARNESS_RUN_RPC_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct wt_rpc_cost {
	uint16_t type;
	uint64_t count, total_us;	/* from the first answer on */
	uint64_t seen_count, seen_us;	/* the latest answer's */
};

struct wt_rpc_costs {		/* private */
	struct wt_rpc_cost *types;
	size_t count;
	bool begun, failed;	/* failed: out of memory */
};

/* An answer: how many RPCs of each type there were, and how long they took together; arrays of 'count'.  What the first one
 * has was before the run.  Where a number is below that of the answer before, slurmctld has started since, or has been told
 * to forget: all of it is new, and what it had counted after the answer before is lost. */
void wt_rpc_costs_see(struct wt_rpc_costs *costs, size_t count, const uint16_t *types, const uint32_t *counts,
		      const uint64_t *times_us);

/* [{"type": "REQUEST_JOB_INFO", "count": 12, "total_us": 3456}, ...], the dearest first; a type without a name is its number
 * as text; types that did not occur are left out.  null when there was no answer.  New reference; NULL with ENOMEM. */
json_t *wt_rpc_costs_json(const struct wt_rpc_costs *costs);

void wt_rpc_costs_clear(struct wt_rpc_costs *costs);	/* as zeroed */

#endif
