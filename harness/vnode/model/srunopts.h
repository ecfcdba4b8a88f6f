/* srunopts.h - what an srun line asks for, as far as it concerns the controller.
 *
 * Pure.  An option that is not known here, or whose value cannot be told, makes the whole line unknown: a step that the user
 * did not ask for would be worse than none.  Source: Slurm 22.05 src/srun/libsrun/opt.c, src/common/slurm_opt.c. */
#ifndef WT_HARNESS_VNODE_MODEL_SRUNOPTS_H
#define WT_HARNESS_VNODE_MODEL_SRUNOPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_SRUN_NONE UINT32_MAX		/* of a number: not given */

enum wt_srun_distribution { WT_SRUN_ANY, WT_SRUN_BLOCK, WT_SRUN_CYCLIC };

struct wt_srun {
	uint32_t tasks, min_nodes, max_nodes, cpus_per_task, tasks_per_node, relative, time_limit_min;
	uint64_t memory_mib, cpu_memory_mib;	/* of a node, of a CPU; UINT64_MAX: not given */
	bool nodes_by_environment;		/* they may be more than there are */
	bool overlap, exclusive, exact, whole, overcommit, no_kill, immediate;
	uint8_t distribution;			/* enum wt_srun_distribution */
	const char *name, *nodes, *exclude, *gres;	/* borrowed; NULL: not given */
	size_t command;				/* its place in argv */
};

/* argv[0] is srun; 'sure' says of each word whether it is known.  'environment' holds 'count' strings NAME=VALUE.  False:
 * the line cannot be understood, or it says nothing of a command. */
bool wt_srun_read(struct wt_srun *srun, char *const *argv, const bool *sure, size_t argc, char *const *environment,
		  size_t count);

/* As srun does when it finds itself in an allocation of 'node_count' nodes, of which srun->nodes names 'listed': fill in the
 * numbers that were not given.  False: srun would give up.  'tasks_that_fit': with cpus_per_task, on all nodes together. */
bool wt_srun_fill(struct wt_srun *srun, uint32_t node_count, uint32_t listed, uint32_t tasks_that_fit);

#endif
