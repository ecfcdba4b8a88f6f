/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/controller_query.h"
#include "harness/run/real_kind.h"
#include "harness/run/real_target.h"

/* CPUs may be fewer than sockets, cores and threads make: where slurm.conf counts cores (slurm.conf(5), CPUs). */
static void shape_put(struct real_kind *kind, const node_info_t *node)
{
	uint32_t cores = (uint32_t) node->sockets * node->cores;

	if (cores && cores * node->threads == node->cpus)
		snprintf(kind->shape, sizeof(kind->shape), "pack:%u core:%u pu:%u", node->sockets, node->cores,
			 node->threads);
	else if (cores == node->cpus)
		snprintf(kind->shape, sizeof(kind->shape), "pack:%u core:%u pu:1", node->sockets, node->cores);
	else
		snprintf(kind->shape, sizeof(kind->shape), "pack:1 core:%u pu:1", node->cpus);
}

static bool same_shape(const node_info_t *a, const node_info_t *b)
{
	return a->cpus == b->cpus && a->sockets == b->sockets && a->cores == b->cores && a->threads == b->threads;
}

void real_kind_add(struct real_kind *kind, const node_info_t *first, const node_info_t *node)
{
	if (!kind->nodes++) {
		shape_put(kind, node);
		kind->memory_mib = node->real_memory;
	}
	if (!*kind->shapes_differ && !same_shape(first, node))
		snprintf(kind->shapes_differ, sizeof(kind->shapes_differ),
			 "%.48s has %u CPUs (%u sockets, %u cores, %u threads), and %.48s %u (%u, %u, %u)", first->name,
			 first->cpus, first->sockets, first->cores, first->threads, node->name, node->cpus, node->sockets,
			 node->cores, node->threads);
	if (!*kind->memory_differs && first->real_memory != node->real_memory)
		snprintf(kind->memory_differs, sizeof(kind->memory_differs),
			 "%.48s has %" PRIu64 " MiB of memory, and %.48s %" PRIu64, first->name, first->real_memory,
			 node->name, node->real_memory);
}

static int nodes_add(struct real_kind *kind, const struct wt_partition *partition, struct wt_error *errp)
{
	const node_info_t *first = NULL;
	node_info_msg_t *nodes = NULL;

	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		return wt_error_set(errp, errno, "slurmctld does not tell its nodes: %s", slurm_strerror(errno));
	for (uint32_t i = 0; i < nodes->record_count && i < partition->table_size; i++) {
		const node_info_t *node = &nodes->node_array[i];

		if (!(partition->members[i / 64] >> (i % 64) & 1) || !node->name)
			continue;
		first = first ? first : node;
		real_kind_add(kind, first, node);
	}
	slurm_free_node_info_msg(nodes);
	return 0;
}

int real_kind_look(struct real_kind *kind, const struct run_real *options, const char *name, bool refuse,
		   struct wt_error *errp)
{
	struct wt_partition partition = { 0 };
	struct real_machine machine = { 0 };
	int rc, saved_errno;

	memset(kind, 0, sizeof(*kind));
	if (wt_controller_init(NULL, errp) < 0 || wt_partition_load(name, &partition, errp) < 0)
		return -1;
	rc = real_machine_look(&machine, options, false, &partition, errp);
	if (rc == 0 && refuse)
		rc = real_machine_refuse(&machine, options, partition.name, errp);
	if (rc == 0)
		rc = nodes_add(kind, &partition, errp);
	saved_errno = errno;
	real_machine_clear(&machine);
	wt_partition_clear(&partition);
	errno = saved_errno;
	return rc;
}
