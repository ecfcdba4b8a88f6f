/* question.h - all that select/cons_tres' answer to TEST_ONLY depends on, as bytes for a cache.  For the plugin's adapter
 * only.
 *
 * With TEST_ONLY select/cons_tres looks at no running job: its answer follows from the request, the nodes offered, their
 * hardware and weights, and the configuration.  The request and the nodes offered stand in the question as they are;
 * hardware and weights are below 'generation', which the caller raises at each change that slurmctld tells plugins of, and
 * below a hash over config_list, which changes with 'scontrol update NodeName Weight=' as well. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_QUESTION_H
#define WT_PLUGINS_SELECT_BESTFIT_QUESTION_H

#include "compat/controller.h"

struct question {
	uint64_t generation, configs;
	uint64_t choice;	/* what else the choice among nodes depends on: the caller's, 0 by default */
	uint64_t bit_flags, memory, memory_requested;
	const part_record_t *part;
	uint32_t part_flags, part_max_cpus_per_node, part_max_share, part_cr_type;
	uint32_t min_nodes, max_nodes, req_nodes;	/* arguments */
	uint32_t job_min_nodes, job_max_nodes, min_cpus, min_cpus_requested, max_cpus, max_cpus_requested, tasks, task_dist,
		pn_min_cpus, pn_min_cpus_requested, tmp_disk;
	uint16_t contiguous, cpus_per_task, cpus_per_task_requested, tasks_per_node, tasks_per_tres, plane_size, core_spec;
	uint8_t share_res, whole_node, overcommit, has_mc;
	multi_core_data_t mc;
};

/* False: the answer to this job depends on more than that, or the test changes more than its answer says. */
bool question_fill(struct question *q, const job_record_t *job, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
		   uint64_t generation);

/* Hash over the configured hardware and weight of all nodes. */
uint64_t question_configs(void);

/* Hash over the weights that nodes of the map have now: slurmctld sets them before it starts a job, and a test of a job that
 * asks for GPUs sets them by the GPUs that each node has near its free cores; no test of another job resets them. */
uint64_t question_weights(const bitstr_t *map);

/* Nodes of equal configured weight have equal weight for this job, too. */
bool question_weights_plain(const job_record_t *job, const bitstr_t *map);

#endif
