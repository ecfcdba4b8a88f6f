/* clusterconf.h - the slurm.conf of an emulated cluster.
 *
 * Pure.  Every default is explained in windtunnel-cluster(1). */
#ifndef WT_HARNESS_CLUSTER_CONF_CLUSTERCONF_H
#define WT_HARNESS_CLUSTER_CONF_CLUSTERCONF_H

#include <stdbool.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/confpolicy.h"
#include "harness/cluster/conf/demands.h"

#define WT_PLUGIN_BESTFIT "bestfit"
#define WT_PLUGIN_STRAGGLER "straggler"

struct wt_clusterconf {
	const struct wt_clusterinfo *info;
	const char *user;		/* SlurmUser and SlurmdUser */
	const char *host;		/* this machine's short name: slurmctld accepts no other as its own */
	bool bind_controller;		/* slurmctld can be told to listen on controller_addr only */
	bool topology;			/* a topology.conf lies beside slurm.conf */
	bool accounts;			/* info->accounting, and accounts were given: they count */
	bool users;			/* users and groups of its own */
	bool site;			/* the nodes are those of 'demands', and what they do not say is Slurm's default */
	bool virtual_time;		/* the cluster lives by a virtual clock */
	const char *plugin, *plugin_dir;	/* WT_PLUGIN_... and its folder; NULL: Slurm's own plugins only */
	const struct wt_demands *demands;	/* the user's --conf and --set; NULL: none */
	char *const *keeps;		/* the user's --keep options */
	size_t keep_count;
};

/* The settings in the order of 'defaults, nodes, partition', changed by 'demands' as confpolicy.h allows.  The caller
 * destroys it. What was not taken over is added to *notes (NULL: not wanted).
 * NULL with EINVAL: a setting that makes no sense, or one that windtunnel itself must choose. */
struct wt_conf *wt_clusterconf_create(const struct wt_clusterconf *in, struct wt_confnotes *notes, struct wt_error *errp);

uint16_t wt_clusterconf_joining_port(const struct wt_clusterinfo *info);	/* SlurmdPort: that of nodes that join */

/* straggler.conf and plugstack.conf for WT_PLUGIN_STRAGGLER in 'plugin_dir' (windtunnel-speculate(5)); the caller frees
 * them. */
uint16_t wt_clusterconf_straggler_port(const struct wt_clusterinfo *info);
char *wt_clusterconf_straggler(const struct wt_clusterinfo *info);
/* NULL: the installed */
char *wt_clusterconf_plugstack(const struct wt_clusterinfo *info, const char *plugin_dir, const char *agent);

/* MessageTimeout in seconds for a cluster of that size: 30 for small ones, 100 (above which Slurm warns) for the largest. */
unsigned int wt_clusterconf_timeout_s(uint32_t nodes);

#endif
