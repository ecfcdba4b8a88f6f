/* test_clock_fixture.h - a clock with the usual patience, and what its coordinator may see: for test_advance.c and
 * test_stalls.c. */
#ifndef WT_HARNESS_CLOCK_TEST_CLOCK_FIXTURE_H
#define WT_HARNESS_CLOCK_TEST_CLOCK_FIXTURE_H

#include "harness/clock/advance.h"

#define S 1000000000LL
#define PATIENCE_NS (S / 2)
#define CONTROLLER_PATIENCE_NS (30 * S)
#define COMPUTING_PATIENCE_NS (3600 * S)

static inline struct wt_advance advance(enum wt_charge charge, enum wt_idle idle)
{
	const struct wt_advance_config config = { .charge = charge, .idle = idle, .patience_ns = PATIENCE_NS,
						  .controller_patience_ns = CONTROLLER_PATIENCE_NS,
						  .computing_patience_ns = COMPUTING_PATIENCE_NS };
	struct wt_advance a;

	wt_advance_init(&a, &config);
	return a;
}

static const struct wt_survey quiet = { .waiter = true, .earliest_ns = 100 * S, .earliest_slot = 7, .drivers = 1,
					.processes = 1 };
static const struct wt_survey busy = { .unrest = WT_UNREST_THREAD, .slot = 3, .waiter = true, .earliest_ns = 100 * S,
				       .earliest_slot = 7, .drivers = 1, .processes = 1 };

#endif
