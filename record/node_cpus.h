/* node_cpus.h - how many CPUs a job had on each of its nodes, as text: "16(x3),4" is 16 on three nodes and 4 on the next.
 *
 * The notation of SLURM_JOB_CPUS_PER_NODE (sbatch(1)), in the order of the job's node list.  Pure; any thread. */
#ifndef WT_RECORD_NODE_CPUS_H
#define WT_RECORD_NODE_CPUS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* The caller frees.  NULL with ENOMEM, or with EINVAL for no nodes or a node without CPUs. */
char *wt_node_cpus_format(const uint32_t *cpus, size_t count);

/* Foreign text that must hold exactly 'count' nodes (at least 1), each with at least one CPU.  'cpus' [count] is set on
 * success only up to what was read before an error; NULL: check only.  0, or -1 with EINVAL. */
int wt_node_cpus_parse(const char *text, uint32_t *cpus, size_t count, struct wt_error *errp);

#endif
