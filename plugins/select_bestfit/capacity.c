/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugins/select_bestfit/capacity.h"

static uint64_t memory_free_mib(const struct capacity_node *n)
{
	return n->memory_mib > n->memory_used_mib ? n->memory_mib - n->memory_used_mib : 0;
}

bool capacity_passes(const struct capacity_node *n, const struct capacity_want *want)
{
	if (n->state >= CAPACITY_ALONE || (want->alone && (n->state || n->busy > 0)))
		return false;
	if (!want->memory_counts)
		return true;
	return want->memory_mib ? memory_free_mib(n) >= want->memory_mib : !n->memory_used_mib;
}

/* of free cores, whatever their memory */
static uint64_t cores_cpus(const struct capacity_node *n, const struct capacity_want *want)
{
	uint64_t cores;

	if (n->free <= 0 || (want->whole && n->free < n->cores) || !capacity_passes(n, want))
		return 0;
	/* A core that several jobs share is given back with each of them: that can make more than there are. */
	cores = (uint64_t) (n->free < n->cores ? n->free : n->cores);
	return cores * (want->cpus_per_core ? want->cpus_per_core : n->threads);
}

/* Slurm counts the CPUs that a node must have before it looks at the memory for them. */
bool capacity_offers(const struct capacity_node *n, const struct capacity_want *want)
{
	uint64_t cpus = cores_cpus(n, want);

	return cpus && cpus >= want->node_cpus;
}

uint32_t capacity_cpus(const struct capacity_node *n, const struct capacity_want *want)
{
	uint64_t cpus = cores_cpus(n, want);

	if (want->memory_counts && want->memory_per_cpu_mib) {
		uint64_t most = memory_free_mib(n) / want->memory_per_cpu_mib;

		cpus = cpus < most ? cpus : most;
	}
	return cpus < want->node_cpus ? 0 : (uint32_t) cpus;
}

uint32_t capacity_least(const struct capacity_node *n, const struct capacity_want *want)
{
	uint64_t cpus = (uint64_t) n->cores * (want->cpus_per_core ? want->cpus_per_core : n->threads), most = cpus;

	if (!want->simple || !capacity_passes(n, want))
		return 0;
	if (want->memory_counts && want->memory_per_cpu_mib)
		most = memory_free_mib(n) / want->memory_per_cpu_mib;
	/* Slurm takes CPUs away core by core until the memory suffices for the rest; of whole nodes it takes none away. */
	if (most < cpus)
		cpus = want->whole || most < n->threads ? 0 : most - n->threads + 1;
	if (want->most_cpus && cpus > want->most_cpus)
		cpus = want->most_cpus;
	cpus -= want->task_cpus ? cpus % want->task_cpus : 0;
	return cpus < want->node_cpus ? 0 : (uint32_t) cpus;
}

void capacity_give(struct capacity_node *n, const struct capacity_taken *taken)
{
	n->memory_used_mib -= taken->memory_mib < n->memory_used_mib ? taken->memory_mib : n->memory_used_mib;
	/* A suspended job had memory only: its cores are others', or free, already. */
	if (!taken->in_row)
		return;
	n->free += taken->cores_for_jobs;
	n->busy -= taken->cores;
	n->state = n->state >= taken->state ? (uint16_t) (n->state - taken->state) : 0;
}

void capacity_add(struct capacity_sum *sum, uint32_t before_cpus, uint32_t cpus)
{
	sum->cpus += cpus;
	sum->cpus -= before_cpus;
	sum->nodes += cpus > 0;
	sum->nodes -= before_cpus > 0;
}

bool capacity_suffices(const struct capacity_sum *sum, uint64_t min_cpus, uint32_t min_nodes)
{
	return sum->cpus >= min_cpus && sum->nodes >= min_nodes;
}
