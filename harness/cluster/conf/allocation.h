/* allocation.h - a job of another Slurm cluster, whose nodes are the hosts of ours: what that cluster's commands say of it.
 *
 * Pure.  That cluster may be of any release: its commands are asked, not a library of ours. */
#ifndef WT_HARNESS_CLUSTER_CONF_ALLOCATION_H
#define WT_HARNESS_CLUSTER_CONF_ALLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/cluster/conf/hosts.h"
#include "lib/error.h"

#define WT_ALLOCATED_ADDRESS_MAX 255

struct wt_allocated {			/* a node of the allocation */
	char name[WT_HOST_NAME_MAX + 1];
	char address[WT_ALLOCATED_ADDRESS_MAX + 1];	/* NodeAddr: a name or an address */
};

/* What "scontrol -o show node" printed: one node a line; other lines, of its complaints, are passed over.  0 and a list of
 * at least one, which the caller frees; -1 with EINVAL or ENOMEM and *errp. */
int wt_allocation_nodes(const char *text, struct wt_allocated **list, size_t *count, struct wt_error *errp);

/* Has the job ended, or is it ending?  By the exit status and the output of "squeue -h -t all -o %T -j JOB".  A squeue that
 * failed for another reason than that slurmctld does not know the job says nothing: false. */
bool wt_allocation_has_ended(int status, const char *text);

#endif
