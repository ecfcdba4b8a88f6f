/* bill.h - what one node did in a span of time, and what that costs: from the rows of power.csv and from the times at which
 * jobs had the node.
 *
 * A machine is rented from its boot (or from the beginning of the span, where it was there before) until it is off, failed,
 * or the span ends.  What is billed of it is its paid time, at least the tariff's minimum, in started units.  A node without
 * rows has power all the time, and so is one machine for the whole span.
 *
 * Pure.  Times are whole microseconds; sums are doubles. */
#ifndef WT_HARNESS_COST_BILL_H
#define WT_HARNESS_COST_BILL_H

#include <stddef.h>
#include <stdint.h>

#include "harness/cost/tariff.h"
#include "record/power_log.h"

struct cost_span {
	int64_t from_us, to_us;
};

struct cost_node {
	const struct wt_power_row *rows;	/* of this node, by time */
	size_t row_count;
	const struct cost_span *busy;		/* by their beginning; they may overlap */
	size_t busy_count;
};

struct cost_piece {		/* the node was in this state, from one moment to the next */
	enum cost_state state;
	int64_t from_us, to_us;
};

/* Hand over the pieces of the window, in order, without gaps.  Pieces of no length tell of a machine that was off for a
 * moment only. */
void cost_walk(const struct cost_node *node, const struct cost_span *window,
	       void (*take)(void *arg, const struct cost_piece *piece), void *arg);

struct cost_sums {		/* over nodes; zeroed: none */
	uint64_t nodes;
	double node_s[COST_STATES];
	uint64_t rentals;		/* machines of which something is billed */
	uint64_t boots, boots_lost;	/* begun; of them those whose slurmd never began */
	uint64_t stock_outs, taken;	/* taken: machines that were taken back */
	double unseen_node_s;		/* its slurmd ran, and slurmctld had not taken its registration */
	double units, billed_node_s;	/* billed_node_s: units times their length */
	double always_units, always_billed_node_s;	/* had the nodes been on all the time */
	double cost, always_cost;	/* NAN: no price */
	double energy_kwh, always_energy_kwh;	/* NAN: power is not known */
};

/* Add a node. */
void cost_node_add(struct cost_sums *sums, const struct cost_tariff *tariff, const struct cost_node *node,
		   const struct cost_span *window);
void cost_sums_times(struct cost_sums *sums, uint32_t nodes);	/* of one node: as of so many that are like it */
/* Add what others are: NAN where one of both is. */
void cost_sums_add(struct cost_sums *sums, const struct cost_sums *others);

/* Started units of a machine that was paid for this long. */
double cost_units(const struct cost_tariff *tariff, int64_t paid_us);

#endif
