/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin that Slurm loads in place of topology/tree, from 23.11 on (windtunnel-bestfit(5)).
 *
 * It is linked with Slurm's own topology_tree.so, in which dlsym () finds all functions that are not defined here.  In
 * slurmctld our select plugin has itself asked in place of Slurm's choice; everywhere else nothing is changed. */
#include "compat/topology_entry.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))	/* Slurm finds these by name */

EXPORT const char plugin_name[] = "Windtunnel best fit on topology/tree";
EXPORT const char plugin_type[] = "topology/tree";
EXPORT const uint32_t plugin_id = TOPOLOGY_PLUGIN_TREE;
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;
EXPORT struct topology_entry windtunnel_topology_entry;

EXPORT int init(void);
EXPORT int fini(void);
EXPORT int topology_p_eval_nodes(topology_eval_t *topo_eval);

typedef int (*plain_f)(void);

static int inner_call(const char *name)
{
	plain_f f = (plain_f) dlsym(RTLD_NEXT, name);

	if (f)
		return f();
	error("windtunnel bestfit: topology/tree has no %s", name);
	return SLURM_ERROR;
}

int init(void)
{
	windtunnel_topology_entry.stock = (topology_eval_f) dlsym(RTLD_NEXT, "topology_p_eval_nodes");
	return windtunnel_topology_entry.stock ? inner_call("init") : SLURM_ERROR;
}

int fini(void)
{
	return inner_call("fini");
}

#ifdef WT_HAVE_TOPOLOGY_LIST

EXPORT int topology_p_build_config(topology_ctx_t *tctx);
EXPORT int topology_p_destroy_config(topology_ctx_t *tctx);

typedef int (*config_f)(topology_ctx_t *);

static int inner_config(const char *name, topology_ctx_t *tctx)
{
	config_f f = (config_f) dlsym(RTLD_NEXT, name);

	if (f)
		return f(tctx);
	error("windtunnel bestfit: topology/tree has no %s", name);
	return SLURM_ERROR;
}

/* The cluster's: the default of topology.yaml, or that of a topology.conf. */
static bool is_default(const topology_ctx_t *tctx)
{
	return tctx->cluster_default || tctx->topo_conf;
}

int topology_p_build_config(topology_ctx_t *tctx)
{
	int rc = inner_config("topology_p_build_config", tctx);

	if (rc == SLURM_SUCCESS && is_default(tctx))
		atomic_store(&windtunnel_topology_entry.tree, tctx->plugin_ctx);
	return rc;
}

int topology_p_destroy_config(topology_ctx_t *tctx)
{
	if (tctx->plugin_ctx == atomic_load(&windtunnel_topology_entry.tree))
		atomic_store(&windtunnel_topology_entry.tree, NULL);
	return inner_config("topology_p_destroy_config", tctx);
}

#endif

int topology_p_eval_nodes(topology_eval_t *topo_eval)
{
	topology_eval_f ours = atomic_load(&windtunnel_topology_entry.ours);

	return ours ? ours(topo_eval) : windtunnel_topology_entry.stock(topo_eval);
}
