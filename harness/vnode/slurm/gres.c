/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Generic resources in registrations: what Slurm's own reader makes of slurm.conf's Gres= and of gres.conf beside it, as
 * slurmd does (Slurm 22.05 slurmd.c, _load_gres ()).  Once for each NodeName line: for its first node. */
#include "harness/vnode/slurm/gres.h"

#include <errno.h>
#include <stdlib.h>

static buf_t *config_pack(uint32_t cpus, char *wanted, const char *name)
{
	compat_list list = NULL;
	buf_t *buffer = init_buf(0);
	int rc;

	gres_init_node_config(wanted, &list);
	/* CPUs of 0 would be a fault of gres.conf; slurm.conf need not name them. */
	rc = gres_g_node_config_load(cpus ? cpus : 1, (char *) name, list, NULL, NULL);
	if (rc != SLURM_SUCCESS)
		error("NodeName=%s Gres=%s: %s", name, wanted, slurm_strerror(rc));
	FREE_NULL_LIST(list);
	gres_node_config_pack(buffer);
	return buffer;
}

/* Nodes that slurm.conf does not have have none, and must say so: slurmctld (22.05) falls over a registration without it. */
static void rest_pack(struct wt_gres *gres, const struct wt_nodetable *nodes)
{
	for (uint32_t i = 0; i < nodes->count; i++) {
		buf_t **info = &gres->infos[nodes->class_numbers[i]];

		if (!*info)
			*info = config_pack(wt_nodetable_class(nodes, i)->cpus, NULL, wt_nodetable_name(nodes, i));
	}
}

int wt_gres_load(struct wt_gres *gres, const struct wt_nodetable *nodes, struct wt_error *errp)
{
	slurm_conf_node_t **lines;
	int line_count = slurm_conf_nodename_array(&lines);

	wt_gres_free(gres);
	gres->infos = calloc(nodes->class_count + 1, sizeof(*gres->infos));
	if (!gres->infos)
		return wt_error_errno(errp, ENOMEM, "generic resources");
	gres->count = nodes->class_count;
	for (int i = 0; i < line_count; i++) {
		compat_hostlist names = hostlist_create(lines[i]->nodenames);
		char *name = names ? hostlist_shift(names) : NULL;
		uint32_t node = name ? wt_nodetable_by_name(nodes, name) : WT_NODE_NONE;

		if (node != WT_NODE_NONE && !gres->infos[nodes->class_numbers[node]])
			gres->infos[nodes->class_numbers[node]] =
				config_pack(lines[i]->cpus, lines[i]->gres, name);
		free(name);
		if (names)
			hostlist_destroy(names);
	}
	rest_pack(gres, nodes);
	return 0;
}

void wt_gres_free(struct wt_gres *gres)
{
	for (uint32_t i = 0; i < gres->count; i++)
		FREE_NULL_BUFFER(gres->infos[i]);
	free(gres->infos);
	*gres = (struct wt_gres) { 0 };
}
