/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a running cluster from its folder. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/hosts_json.h"
#include "harness/cluster/folder/nsswrapper.h"
#include "harness/cluster/folder/epilog.h"

static char *path_find(const char *name, struct wt_error *errp)
{
	char *base = wt_clusterdir_base(false, errp), *path;

	if (!base) {
		if (errno == ENOENT)
			wt_error_set(errp, ENOENT, "there is no cluster '%s' (windtunnel cluster list)", name);
		return NULL;
	}
	path = wt_clusterdir_path(base, name, errp);
	free(base);
	return path;
}

int wt_cluster_look(const char *name, struct wt_cluster_view *view, struct wt_error *errp)
{
	char *path = path_find(name, errp);
	struct wt_error err;
	int rc = 0;

	memset(view, 0, sizeof(*view));
	if (!path)
		return -1;
	view->busy = wt_clusterdir_busy(path);
	if (wt_clusterinfo_load(path, &view->info, &err) < 0)
		rc = errno == ENOENT ? wt_error_set(errp, ENOENT, "there is no cluster '%s' in %s", name, path)
				     : wt_error_set(errp, errno == EINVAL ? EBADMSG : errno,
						    "cluster '%s' ('windtunnel cluster down' "
						    "removes it): %s", name, err.text);
	else if (wt_state_load(path, &view->state, NULL) < 0)
		view->state.phase = WT_PHASE_STARTING;
	else if (!view->busy && view->info.clock && view->state.phase == WT_PHASE_UP)
		snprintf(view->state.message, sizeof(view->state.message),
			 "its virtual clock has %s; see daemons.log and clock.log in %s",
			 wt_virtual_is_alive(view->info.clock) ? "lost the supervisor" : "ended", path);
	free(path);
	return rc;
}

void wt_cluster_view_clear(struct wt_cluster_view *view)
{
	wt_clusterinfo_clear(&view->info);
}

const char *wt_cluster_view_status(const struct wt_cluster_view *view)
{
	if (view->busy && view->state.phase == WT_PHASE_UP && wt_state_stopped(&view->state, NULL))
		return "outage";
	if (view->busy)
		return wt_phase_name(view->state.phase);
	return view->state.phase == WT_PHASE_FAILED ? "failed" : view->state.phase == WT_PHASE_STOPPING ? "stopped" : "dead";
}

static uint32_t losses_read(const struct wt_clusterinfo *info)
{
	struct wt_host_state *states;
	uint32_t losses = 0;
	size_t count;

	if (!info->hosts.count || wt_hosts_json_load(info->dir, &states, &count, NULL) < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		losses += states[i].losses;
	free(states);
	return losses;
}

struct wt_cluster *wt_cluster_open(const char *name, struct wt_error *errp)
{
	struct wt_cluster_view view;
	struct wt_cluster *c = NULL;

	if (wt_cluster_look(name, &view, errp) < 0)
		return NULL;
	if (!view.busy || view.state.phase != WT_PHASE_UP) {
		wt_error_set(errp, ENOTCONN, "cluster '%s' is not up: it is %s%s%s", name, wt_cluster_view_status(&view),
			     view.state.message[0] ? ": " : "", view.state.message);
	} else if (view.info.slurm_version && strcmp(view.info.slurm_version, WT_SLURM_VERSION)) {
		wt_error_set(errp, EPROTONOSUPPORT, "cluster '%s' runs Slurm %s, and this windtunnel speaks to %s: "
			     "windtunnel --slurm %s ...", name, view.info.slurm_version, WT_SLURM_VERSION,
			     view.info.slurm_version);
	} else if (!(c = calloc(1, sizeof(*c))) || !(c->name = strdup(name)) || !(c->dir = strdup(view.info.dir)) ||
		   !(c->slurm_conf = wt_clusterinfo_path(&view.info, "slurm.conf")) ||
		   !(c->backend = strdup(view.info.backend)) ||
		   !(c->node_events = wt_clusterinfo_path(&view.info, WT_NODE_EVENTS)) ||
		   (view.info.nss_wrapper && !(c->nss_wrapper = strdup(view.info.nss_wrapper))) ||
		   (view.info.clock && !(c->clock = strdup(view.info.clock)))) {
		wt_cluster_close(c);
		c = NULL;
		wt_error_errno(errp, ENOMEM, "cluster '%s'", name);
	} else {
		c->nodes = view.info.nodes;
		c->cpus_per_node = view.info.shape.cpus;
		c->accounting = view.info.accounting;
		c->elastic = view.info.elastic_count > 0;
		c->sealed_in_process = view.info.sealed_in_process;
		c->numbered = !view.info.site;
		c->nodes_join = view.info.dynamic_nodes > 0;
		c->on_hosts = view.info.hosts.count > 0;
		c->host_losses = losses_read(&view.info);
		for (size_t i = 0; i < view.state.daemon_count; i++)
			if (!strcmp(view.state.daemons[i].name, "slurmctld"))
				c->controller_pid = view.state.daemons[i].proc.pid;
	}
	wt_cluster_view_clear(&view);
	return c;
}

void wt_cluster_close(struct wt_cluster *c)
{
	int saved_errno = errno;

	if (!c)
		return;
	free(c->name);
	free(c->dir);
	free(c->slurm_conf);
	free(c->backend);
	free(c->node_events);
	free(c->clock);
	free(c->nss_wrapper);
	free(c);
	errno = saved_errno;
}

int wt_cluster_users_environment(const struct wt_cluster *c, struct wt_error *errp)
{
	return c->nss_wrapper ? wt_nsswrapper_environment(c->nss_wrapper, c->dir, errp) : 0;
}
