/* hosts_json.h - how the hosts of a cluster are: hosts.json in its folder, written by its supervisor.
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_HOSTS_JSON_H
#define WT_HARNESS_CLUSTER_FOLDER_HOSTS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/cluster/conf/hosts.h"

#define WT_HOSTS_STATE_FILE "hosts.json"

/* In the cluster's folder, once something has happened: a row when a host is lost ("host lost") and when it is there again
 * ("host back"); times are seconds since the epoch, "answer" is why, the columns those of a run's world.csv. */
#define WT_HOST_EVENTS_FILE "hosts.csv"
#define WT_HOST_EVENTS_HEADER "event,time,outcome,nodes,name,answer"

/* NONE: it has no nodes; ENDED: it said that it has ended its part, and nothing of it is there. */
enum wt_host_phase { WT_HOST_NONE, WT_HOST_STARTING, WT_HOST_UP, WT_HOST_LOST, WT_HOST_ENDED };

struct wt_host_state {
	char name[WT_HOST_NAME_MAX + 1], address[WT_HOST_ADDRESS_SIZE];
	uint32_t nodes, running;
	enum wt_host_phase phase;
	uint32_t losses;		/* how often it was lost */
	bool stopped;			/* its nodes, on purpose */
	char why[256];			/* it was lost last; "": never */
};

const char *wt_host_phase_name(enum wt_host_phase phase);

int wt_hosts_json_save(const char *dir, const struct wt_host_state *states, size_t count, struct wt_error *errp);
/* *states is the caller's.  ENOENT: a cluster on one machine, or nothing was started yet. */
int wt_hosts_json_load(const char *dir, struct wt_host_state **states, size_t *count, struct wt_error *errp);

#endif
