/* node_verb.h - shared by the files behind "windtunnel node". */
#ifndef WT_CMD_NODE_NODE_VERB_H
#define WT_CMD_NODE_NODE_VERB_H

#include "lib/error.h"

/* node_folder.c: the folder of a cluster of this name, or, NULL, of the one whose slurm.conf SLURM_CONF names, where its
 * nodes have power; the caller frees it.  NULL: *errp. */
char *node_folder(const char *cluster, struct wt_error *errp);

int node_stuck_run(int argc, char **argv);

#endif
