/* sitenodes.h - the nodes that a site's own slurm.conf names: how many, how large, and which GPUs they have.
 *
 * Pure.  Unless noted: 0, or -1 with errno (EINVAL, ENOMEM) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_SITENODES_H
#define WT_HARNESS_CLUSTER_CONF_SITENODES_H

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/demands.h"
#include "harness/cluster/conf/shape.h"

#define WT_GPU_FILES "dev/gpu"		/* in the cluster's folder: WT_GPU_FILES 0 and so on, empty files */
#define WT_GPU_FILES_MAX 1024		/* of one node */

/* Of all NodeName lines of a file.  EINVAL: none, too many, one twice, or a line that names nodes as Slurm does not. */
int wt_sitenodes_count(const struct wt_demands *demands, uint32_t *count, struct wt_error *errp);

/* Of the node with the most CPUs, and the CPUs of all: with what DEFAULT lines say. */
int wt_sitenodes_shape(const struct wt_conf *conf, struct wt_shape *largest, uint64_t *cpus, struct wt_error *errp);

/* gres.conf for the GPUs of 'conf', which have files in the cluster's folder 'dir' instead of devices: Slurm takes no GPU
 * without.  'site' (NULL: there is none) is the site's gres.conf, whose Cores and Links are kept where it names as many GPUs
 * as slurm.conf; *files becomes the number of files that are needed, *unlike the number of lines of nodes for which it does
 * not.  The caller frees it; NULL with errno. */
char *wt_sitenodes_gres(const struct wt_conf *conf, const char *site, const char *dir, unsigned int *files,
			unsigned int *unlike, struct wt_error *errp);

#endif
