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

int topology_p_eval_nodes(topology_eval_t *topo_eval)
{
	topology_eval_f ours = atomic_load(&windtunnel_topology_entry.ours);

	return ours ? ours(topo_eval) : windtunnel_topology_entry.stock(topo_eval);
}
