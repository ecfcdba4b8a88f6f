/* power_control.h - nodes that are switched on and off: what is asked through DIR/power, and what follows.
 *
 * A node that is off, boots or stops has no slurmd: it hears nothing, sends nothing, and its jobs are gone.  One thread. */
#ifndef WT_HARNESS_VNODE_SLURM_POWER_CONTROL_H
#define WT_HARNESS_VNODE_SLURM_POWER_CONTROL_H

#include "lib/error.h"
#include "harness/vnode/model/addresses.h"
#include "harness/vnode/model/nodetable.h"
#include "harness/vnode/model/power.h"
#include "harness/vnode/slurm/reboot.h"
#include "harness/vnode/store/event_log.h"
#include "harness/vnode/wire/line_server.h"
#include "harness/vnode/wire/power_notice.h"

struct wt_daemon;

struct wt_power_control {
	struct wt_power *power;
	struct event_log *rows;		/* power.csv */
	struct wt_lines *lines;		/* NULL: its path would be too long */
	struct wt_addresses addresses;	/* of boots, where these differ */
	struct wt_notices *notices, *stock_outs;	/* NULL: nobody is told */
	struct wt_boots boots;
};

/* After the tables of nodes and before the server: all nodes are on. */
int wt_power_control_init(struct wt_daemon *daemon, struct wt_error *errp);

/* The nodes are switched by programs: each listens by itself, so that one that is off refuses connections. */
bool wt_power_control_wanted(const struct wt_nodetable *nodes);

/* Enough open files for nodes that listen by themselves?  0, or -1 with EMFILE. */
int wt_power_control_sockets(const struct wt_nodetable *nodes, struct wt_error *errp);

/* After the journal was read: nodes that begin without power have none, the others listen, and programs are heard. */
int wt_power_control_begin(struct wt_daemon *daemon, struct wt_error *errp);
void wt_power_control_fini(struct wt_power_control *control);

/* One line of a program, answered "ok COUNT" or "error TEXT" (doc/formats.md), when what it asked for is in the journal. */
char *wt_power_control_line(void *daemon, char *line);

/* Behind a commit: programs hear of nodes that are to be taken back, or for which there is no machine. */
void wt_power_control_tell(struct wt_daemon *daemon);

/* Every node that has power was shut down, and there was one. */
bool wt_power_control_all_stopped(const struct wt_daemon *daemon);

#endif
