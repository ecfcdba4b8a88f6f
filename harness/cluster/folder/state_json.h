/* state_json.h - what a cluster's supervisor tells about itself: state.json in the cluster's folder.
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_STATE_JSON_H
#define WT_HARNESS_CLUSTER_FOLDER_STATE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/proc.h"

#define WT_STATE_FILE "state.json"

enum wt_phase { WT_PHASE_STARTING, WT_PHASE_UP, WT_PHASE_FAILED, WT_PHASE_STOPPING };

#define WT_STATE_DAEMONS 8	/* room for more than the three of a virtual cluster */

struct wt_state {
	enum wt_phase phase;
	char message[1024];		/* why it failed or stops; "" */
	struct wt_proc supervisor;
	struct wt_state_daemon {
		char name[32];
		struct wt_proc proc;	/* pid 0: not running */
		unsigned int restarts;
		char last_exit[32];	/* "exit 1", "signal 9"; "": it has not ended yet */
		bool stopped;		/* on purpose: "windtunnel cluster stop" */
	} daemons[WT_STATE_DAEMONS];
	size_t daemon_count;
	struct wt_state_nodes {		/* the slurmds of real nodes, together: there may be thousands */
		uint32_t total;		/* 0: the nodes are virtual, their process is among 'daemons' */
		uint32_t running;	/* they listen */
		uint32_t off;		/* of 'total', have no power, and no slurmd */
		uint32_t restarts, nodes_restarted;
		char last_node[16], last_exit[32];	/* the latest that ended by itself; "": none */
		bool stopped;		/* all of them, on purpose */
	} nodes;
};

const char *wt_phase_name(enum wt_phase phase);

/* Is the daemon of this name ("slurmctld"; "slurmd" for all real nodes) stopped on purpose?  NULL: is any of them? */
bool wt_state_stopped(const struct wt_state *state, const char *name);

int wt_state_save(const char *dir, const struct wt_state *state, struct wt_error *errp);
/* ENOENT: no supervisor has run yet */
int wt_state_load(const char *dir, struct wt_state *state, struct wt_error *errp);

#endif
