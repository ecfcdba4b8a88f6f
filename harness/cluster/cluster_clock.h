/* cluster_clock.h - clusters in virtual time, and commands that join them (harness/clock/virtual.h).
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CLUSTER_CLOCK_H
#define WT_HARNESS_CLUSTER_CLUSTER_CLOCK_H

#include <stdbool.h>

#include "harness/cluster/cluster.h"
#include "lib/error.h"

/* What a busy controller costs unless an option says otherwise (doc/results-clock.md). */
#define WT_CHARGE_DEFAULT "real"

/* Begin a virtual clock and this command anew in it; returns at once when it is in one already.  A cluster that it starts
 * then lives in virtual time.  'charge' and 'log' may be NULL. */
int wt_cluster_clock_enter(const char *charge, const char *log, const struct wt_cluster_wanted *wanted,
			   struct wt_error *errp);

/* Does this process, and what it starts, seal and open credentials itself where it may? */
bool wt_cluster_clock_seals(void);

/* Begin this command anew as a driver of the clock of a running cluster.  Returns at once when that lives in real time, or
 * when the command is in a virtual clock already. */
int wt_cluster_clock_join(const struct wt_cluster *cluster, struct wt_error *errp);

/* The environment for a client of that cluster; nothing in real time.  'driver': time may jump for its sake. */
int wt_cluster_clock_environment(const struct wt_cluster *cluster, bool driver, struct wt_error *errp);

#endif
