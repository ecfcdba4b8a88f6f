/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that join at run time (--dynamic): what Slurm does not do with them, and what is not done here, is told before
 * anything is made. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/nodes.h"

int wt_plan_dynamic_check(const struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const struct { bool asked; const char *why; } refused[] = {
		{ wanted->site != NULL, "--site: its nodes are the site's" },
		{ plan->info.hosts.count > 0, "--hosts: they would be on none of them" },
		{ wanted->topology_file != NULL, "--topology: Slurm's topology has no place for nodes that join" },
		{ wanted->plugin != NULL, "--plugin" },
	};

	if (!wanted->dynamic_nodes)
		return 0;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (refused[i].asked)
			return wt_error_set(errp, EINVAL, "--dynamic does not go with %s", refused[i].why);
	if (wanted->dynamic_nodes > WT_NODES_MAX - plan->info.nodes)
		return wt_error_set(errp, EINVAL, "--dynamic %" PRIu32 ": with --nodes %" PRIu32 " these are more than %d",
				    wanted->dynamic_nodes, plan->info.nodes, WT_NODES_MAX);
	return 0;
}

int wt_plan_dynamic_select(const struct wt_clusterinfo *info, const struct wt_conf *conf, struct wt_error *errp)
{
	const char *select = wt_conf_get(conf, "SelectType");

	if (!info->dynamic_nodes || (select && strstr(select, "cons_tres")))
		return 0;
	return wt_error_set(errp, EINVAL, "--dynamic: Slurm takes nodes that join with SelectType=select/cons_tres only; "
			    "the settings say %s", select ? select : "none");
}
