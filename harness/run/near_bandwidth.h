/* near_bandwidth.h - nodes to which files come faster than to the others: "NODES:MB/S". */
#ifndef WT_HARNESS_RUN_NEAR_BANDWIDTH_H
#define WT_HARNESS_RUN_NEAR_BANDWIDTH_H

#include "lib/error.h"

/* NODES is a host list.  *nodes: their names, with commas between (the caller frees it; it replaces one that was there);
 * *bandwidth in bytes a second.  0, or -1 with EINVAL or ENOMEM; then both are as before. */
int wt_near_bandwidth_parse(const char *text, char **nodes, double *bandwidth, struct wt_error *errp);

#endif
