/* stuck.h - where what a node's machine does and what Slurm believes of it do not fit, or will not end by themselves.
 *
 * Pure. */
#ifndef WT_CMD_NODE_STUCK_H
#define WT_CMD_NODE_STUCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/power_log.h"

struct stuck_machine {
	enum wt_machine state;
	int64_t since_us;		/* 0: from the beginning */
	enum wt_power_event last;	/* what made it so: taken rather than off, stock-out rather than off */
	bool unseen;			/* its slurmd runs, and slurmctld has not taken its registration */
};

/* From the rows of one node, by time; none: it has been on from the beginning. */
struct stuck_machine stuck_machine_of(const struct wt_power_row *rows, size_t count);

struct stuck_belief {		/* Slurm's */
	bool off, boots, stops, silent, down, drained;
};

/* From the State= of "scontrol show node", "MIXED+CLOUD+NOT_RESPONDING+POWERING_UP"; NULL: it does not show the node, as one
 * with State=CLOUD that is off. */
struct stuck_belief stuck_belief_of(const char *state);

/* In words, for people; NULL: they fit. */
const char *stuck_why(const struct stuck_machine *machine, const struct stuck_belief *belief);

const char *stuck_machine_name(enum wt_machine state);

#endif
