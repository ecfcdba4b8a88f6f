/* sparse.h - makes the inner select/cons_tres work on few nodes at the cost of few nodes.  For the plugin's adapter only.
 *
 * Arrays of one bitmap of cores for each node are made, copied, combined and freed dozens of times for one job, each time
 * over all nodes of the cluster.  The inner plugin's calls of these functions come here (it is searched after us); between
 * sparse_begin () and sparse_end () they look at the given nodes only, and arrays are taken from a pool instead of being
 * zeroed.  For other threads, and at other times, they do what the inner ones do. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_SPARSE_H
#define WT_PLUGINS_SELECT_BESTFIT_SPARSE_H

#include "compat/controller.h"

bool sparse_attach(void);	/* as hooks_attach () */

/* Until sparse_end () the calling thread tests a job on these nodes (Slurm's indexes) and no others. */
void sparse_begin(const uint32_t *nodes, size_t count);
void sparse_end(void);
void sparse_clear(void);	/* frees the pool: the number of nodes changes, or the plugin is unloaded */

#endif
