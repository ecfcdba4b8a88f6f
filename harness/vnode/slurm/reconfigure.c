/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm.conf has changed: it is read again, and the nodes register. */
#include "harness/vnode/slurm/node_process.h"

#include <string.h>

#include "harness/vnode/slurm/slurmconf.h"

#define RECONFIGURE_WAIT_US 200000	/* the controller tells every node by itself: read the file once for all */

/* What slurmd does on SIGHUP and REQUEST_RECONFIGURE: read the file again, then register. */
void wt_reconfigure_now(struct wt_daemon *daemon)
{
	struct wt_reconfigure *own = &daemon->registration.reconfigure;
	struct wt_model_conf conf;
	struct wt_error err;
	struct wt_nodetable *nodes;
	uint16_t port;

	own->armed = false;
	if (wt_slurmconf_reread(daemon->options.conf, &err) < 0 || wt_send_targets(&daemon->send, &err) < 0)
		error("reconfigure: %s", err.text);
	nodes = wt_slurmconf_nodes(daemon->options.own, daemon->options.dynamic, &port, &err);
	if (!nodes || nodes->count != daemon->nodes->count ||
	    memcmp(nodes->addresses, daemon->nodes->addresses, nodes->count * sizeof(*nodes->addresses)) ||
	    memcmp(nodes->ports, daemon->nodes->ports, nodes->count * sizeof(*nodes->ports)) ||
	    nodes->names_used != daemon->nodes->names_used || memcmp(nodes->names, daemon->nodes->names,
								     nodes->names_used)) {
		error("reconfigure: %s; the nodes stay as they were until a restart",
		      nodes ? "nodes or their addresses have changed" : err.text);
		wt_nodetable_destroy(nodes);
	} else {
		wt_nodetable_destroy(daemon->nodes);
		daemon->nodes = nodes;
		if (wt_gres_load(&daemon->registration.gres, daemon->nodes, &err) < 0)
			error("reconfigure: %s", err.text);
	}
	/* In any case: times and the Epilog count, even if the nodes have changed in a way that cannot be followed. */
	wt_slurmconf_model(&conf);
	wt_model_configure(daemon->model, &conf);
	daemon->counters.reconfigured++;
	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (own->asked[i])
			wt_registry_want(daemon->registration.registry, i);
	}
	memset(own->asked, 0, daemon->nodes->count);
}

void wt_reconfigure_want(struct wt_daemon *daemon, uint32_t node)
{
	struct wt_reconfigure *own = &daemon->registration.reconfigure;

	own->asked[node] = 1;
	if (!own->armed)
		wt_daemon_arm(daemon, WT_TIMER_RECONFIGURE, RECONFIGURE_WAIT_US);
	own->armed = true;
}
