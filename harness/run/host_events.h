/* host_events.h - what became of a cluster's hosts (windtunnel-hosts(5)) during a run: hosts.csv in the run folder. */
#ifndef WT_HARNESS_RUN_HOST_EVENTS_H
#define WT_HARNESS_RUN_HOST_EVENTS_H

#include <stddef.h>

#include "lib/error.h"

/* Take from the file in the cluster's folder that its supervisor writes (hosts_json.h) what happened since 'begin_s', into
 * the run's folder; nothing happened: no file is made.  0, or -1 with errno and *errp set. */
int host_events_write(const char *cluster_dir, double begin_s, const char *run_dir, struct wt_error *errp);

#endif
