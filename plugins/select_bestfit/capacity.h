/* capacity.h - the most CPUs that nodes could give a job: a bound from counts, for saying no without a test.
 *
 * By the rules of select/cons_tres (Slurm 22.05) on a node's state, memory and free cores; what else it looks at can only
 * lessen what a node gives.  So a no by this bound is Slurm's no, and a yes means that Slurm has to be asked.
 *
 * Pure: no Slurm. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_CAPACITY_H
#define WT_PLUGINS_SELECT_BESTFIT_CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPACITY_ALONE 64000	/* a node's state from here on: a job has it alone */

struct capacity_node {
	uint64_t memory_mib, memory_used_mib;
	int32_t free;		/* cores for jobs that are free: at most so many */
	int32_t busy;		/* cores that jobs have: at least so many; may fall below 0 */
	uint16_t cores;		/* for jobs */
	uint16_t threads;	/* a core */
	uint16_t state;		/* jobs count 1 each, one that is alone CAPACITY_ALONE */
};

/* What a job takes on a node. */
struct capacity_taken {
	uint64_t memory_mib;
	int32_t cores, cores_for_jobs;	/* without cores of the system; 0 of both for one that is suspended */
	uint32_t state;
	bool in_row;			/* it counts in the node's state */
};

struct capacity_want {
	uint64_t memory_mib;		/* each node must have it free; 0: all that it has */
	uint64_t memory_per_cpu_mib;	/* 0: not by CPUs */
	uint32_t cpus_per_core;		/* that the job uses; 0: all threads */
	uint32_t node_cpus;		/* a node that cannot give so many gives none */
	uint32_t task_cpus;		/* a node's CPUs are for whole tasks of so many */
	uint32_t most_cpus;		/* it gives no more, for it has no use for more tasks; 0: no limit */
	bool memory_counts;
	bool simple;			/* nothing is asked for by sockets or cores: capacity_least () knows */
	bool whole;			/* nodes on which no core for jobs is taken */
	bool alone;			/* nodes without any job */
};

/* Whether its state and memory are good enough, whatever cores are free. */
bool capacity_passes(const struct capacity_node *n, const struct capacity_want *want);
/* Whether it is among the nodes that Slurm chooses from, though it may have too little memory for the CPUs that a node must
 * have. */
bool capacity_offers(const struct capacity_node *n, const struct capacity_want *want);
/* 0: the node is of no use to the job. */
uint32_t capacity_cpus(const struct capacity_node *n, const struct capacity_want *want);
/* As in Slurm's first test, in which all cores are free: at least so many.  0: it does not pass, or nothing is known. */
uint32_t capacity_least(const struct capacity_node *n, const struct capacity_want *want);
/* The job goes. */
void capacity_give(struct capacity_node *n, const struct capacity_taken *taken);

/* Over nodes.  The caller adds and subtracts what capacity_cpus () says of each. */
struct capacity_sum {
	uint64_t cpus;
	uint32_t nodes;		/* with more than 0 */
};

void capacity_add(struct capacity_sum *sum, uint32_t before_cpus, uint32_t cpus);
bool capacity_suffices(const struct capacity_sum *sum, uint64_t min_cpus, uint32_t min_nodes);

#endif
