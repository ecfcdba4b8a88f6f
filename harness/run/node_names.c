/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "compat/client.h"
#include "harness/run/node_names.h"
#include "lib/str.h"

static int name_add(json_t *names, struct wt_str *list, const char *name)
{
	if (!name || !*name || json_object_get(names, name))
		return 0;
	wt_str_printf(list, "%s%s", list->len ? "," : "", name);
	return json_object_set_new(names, name, json_true());
}

static int hosts_add(json_t *names, struct wt_str *list, const char *text)
{
	compat_hostlist hosts = text ? slurm_hostlist_create(text) : NULL;
	char *name;
	int rc = 0;

	while (hosts && rc == 0 && (name = slurm_hostlist_shift(hosts))) {
		rc = name_add(names, list, name);
		free(name);
	}
	if (hosts)
		slurm_hostlist_destroy(hosts);
	return rc;
}

/* Nodes that are not there yet (State=CLOUD) are told as members of partitions only. */
static int names_add(json_t *names, struct wt_str *list, const node_info_msg_t *nodes,
		     const partition_info_msg_t *partitions)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < nodes->record_count; i++)
		rc = name_add(names, list, nodes->node_array[i].name);
	for (uint32_t i = 0; rc == 0 && i < partitions->record_count; i++)
		rc = hosts_add(names, list, partitions->partition_array[i].nodes);
	return rc < 0 || list->failed ? -1 : 0;
}

json_t *node_names_load(char **list, struct wt_error *errp)
{
	node_info_msg_t *nodes = NULL;
	partition_info_msg_t *partitions = NULL;
	json_t *names = json_object();
	struct wt_str text = { 0 };
	int rc = 0;

	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL | SHOW_FUTURE) ||
	    slurm_load_partitions(0, &partitions, SHOW_ALL | SHOW_LOCAL))
		rc = wt_error_set(errp, errno, "slurmctld does not tell its nodes: %s", slurm_strerror(errno));
	else if (!names || names_add(names, &text, nodes, partitions) < 0)
		rc = wt_error_errno(errp, ENOMEM, "nodes");
	if (nodes)
		slurm_free_node_info_msg(nodes);
	if (partitions)
		slurm_free_partition_info_msg(partitions);
	if (rc == 0 && list && !(*list = wt_str_take(&text)))
		rc = wt_error_errno(errp, ENOMEM, "nodes");
	wt_str_clear(&text);
	if (rc == 0)
		return names;
	json_decref(names);
	return NULL;
}

static bool serves(const node_info_t *node)
{
	return (node->node_state & NODE_STATE_BASE) != NODE_STATE_DOWN &&
	       !(node->node_state & (NODE_STATE_DRAIN | NODE_STATE_FAIL));
}

json_t *node_names_unserving(struct wt_error *errp)
{
	node_info_msg_t *nodes = NULL;
	json_t *names = json_object();
	struct wt_str text = { 0 };
	int rc = 0;

	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		rc = wt_error_set(errp, errno, "slurmctld does not tell its nodes: %s", slurm_strerror(errno));
	for (uint32_t i = 0; rc == 0 && i < nodes->record_count; i++)
		if (!serves(&nodes->node_array[i]))
			rc = name_add(names, &text, nodes->node_array[i].name);
	if (rc == 0 && (!names || text.failed))
		rc = wt_error_errno(errp, ENOMEM, "nodes");
	if (nodes)
		slurm_free_node_info_msg(nodes);
	wt_str_clear(&text);
	if (rc == 0)
		return names;
	json_decref(names);
	return NULL;
}

int node_names_check(const json_t *names, const char *text, struct wt_error *errp)
{
	compat_hostlist hosts = slurm_hostlist_create(text);
	int rc = hosts && slurm_hostlist_count(hosts) > 0 ? 0 : wt_error_set(errp, EINVAL, "no host list: %.200s", text);
	char *name;

	while (rc == 0 && (name = slurm_hostlist_shift(hosts))) {
		if (!json_object_get(names, name))
			rc = wt_error_set(errp, EINVAL, "the cluster has no node %.200s", name);
		free(name);
	}
	if (hosts)
		slurm_hostlist_destroy(hosts);
	return rc;
}
