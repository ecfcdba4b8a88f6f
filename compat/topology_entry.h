/* topology_entry.h - what our topology_tree.so offers to our select plugin, which finds it by name in slurmctld.
 *
 * Commands and slurmd load that file, too: it needs nothing of slurmctld. */
#ifndef WT_COMPAT_TOPOLOGY_ENTRY_H
#define WT_COMPAT_TOPOLOGY_ENTRY_H

#include <stdatomic.h>

#include "compat/controller.h"

typedef int (*topology_eval_f)(topology_eval_t *eval);

struct topology_entry {
	_Atomic topology_eval_f ours;	/* asked in place of Slurm's; NULL: it is not */
#ifdef WT_HAVE_TOPOLOGY_LIST
	_Atomic(tree_context_t *) tree;	/* of the cluster's default topology; NULL: it is none of switches */
#endif
	topology_eval_f stock;		/* set before anything can be asked; NULL: there is none */
};

#define TOPOLOGY_ENTRY_NAME "windtunnel_topology_entry"	/* of the symbol */
#define TOPOLOGY_ENTRY_FILE "topology_tree.so"

#endif
