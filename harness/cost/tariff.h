/* tariff.h - what nodes cost and draw: the settings of --cost.
 *
 * Written "[NODES:]KEY=VALUE"; NODES is a Slurm host list, whose nodes are a class of their own, and without it a setting is
 * for all nodes:
 *   price=X                of a node's hour, in whatever money
 *   unit=S                 what a machine is billed by: each started one in full (default 1, by the second)
 *   minimum=S              the least that is billed of a machine (default 0)
 *   boot=paid|free         is the time until its slurmd begins billed? (default paid)
 *   stop=paid|free         the time from the end of its slurmd to that of the machine (default paid)
 *   idle-watts=W, busy-watts=W, boot-watts=W, stop-watts=W, off-watts=W
 *                          power in each state (default of boot and stop that of idle, of off 0)
 * unit=3600 is the billing time unit (BTU) of most clouds that the thesis describes, each started one paid in full, from the
 * start of the boot on (sources.md).  Pure.  One writer, or many readers. */
#ifndef WT_HARNESS_COST_TARIFF_H
#define WT_HARNESS_COST_TARIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

enum cost_state { COST_BUSY, COST_IDLE, COST_BOOTING, COST_STOPPING, COST_OFF };
#define COST_STATES (COST_OFF + 1)
const char *cost_state_name(enum cost_state state);	/* "busy", "idle", "booting", "stopping", "off" */

enum cost_key { COST_PRICE, COST_UNIT, COST_MINIMUM, COST_BOOT, COST_STOP, COST_WATTS_IDLE, COST_WATTS_BUSY, COST_WATTS_BOOT,
		COST_WATTS_STOP, COST_WATTS_OFF, COST_KEY_COUNT };

struct cost_class {
	char *nodes;		/* as written; NULL: all that no other class has */
	double values[COST_KEY_COUNT];	/* NAN: not given; boot and stop: 1 is paid */
};

struct cost_settings {		/* zeroed: nothing was given */
	struct cost_class *classes;	/* the first is for all others; later ones come before earlier ones */
	size_t class_count;
	char **texts;			/* as they were given */
	size_t text_count;
};

struct cost_tariff {		/* of one class, with all that it did not say itself */
	double price;		/* NAN: none */
	int64_t unit_us, minimum_us;
	bool boot_paid, stop_paid;
	double watts[COST_STATES];	/* NAN: not known; either all are known, or none */
};

#define COST_CLASS_NODES_MAX 65536	/* in one class */
#define COST_CLASSES_MAX 64

/* Take one setting.  0, or -1 with EINVAL (what is wrong, in one line) or ENOMEM; then *settings is as before. */
int cost_settings_add(struct cost_settings *settings, const char *text, struct wt_error *errp);
/* What no single setting shows: power while idle is known, and while busy not.  0, or -1 with EINVAL. */
int cost_settings_check(const struct cost_settings *settings, struct wt_error *errp);
/* Are all nodes of classes among n0 to n(N-1), which clusters of ours have?  0, or -1 with EINVAL or ENOMEM. */
int cost_settings_nodes_check(const struct cost_settings *settings, uint32_t nodes, struct wt_error *errp);
void cost_settings_clear(struct cost_settings *settings);

/* Of class 'at'; 0 also where nothing was given. */
void cost_tariff_make(const struct cost_settings *settings, size_t at, struct cost_tariff *tariff);

#endif
