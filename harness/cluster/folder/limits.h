/* limits.h - how many real slurmds this machine can carry.
 *
 * Figures of Slurm 22.05.8, measured (windtunnel-cluster(1), "Real nodes"). */
#ifndef WT_HARNESS_CLUSTER_FOLDER_LIMITS_H
#define WT_HARNESS_CLUSTER_FOLDER_LIMITS_H

#include <stdint.h>

#include "lib/error.h"

#define WT_LIMITS_NODE_KIB 1300		/* a slurmd without its table of nodes */
#define WT_LIMITS_TABLE_BYTES 1470	/* of that table, for each node of the cluster: in each slurmd, so quadratic */
#define WT_LIMITS_JOB_KIB 1400		/* one running batch job: slurmstepd, shell, sleep */
#define WT_LIMITS_NODE_PIDS 3		/* threads of a slurmd that works */
#define WT_LIMITS_NODE_FILES 1024	/* a slurmd or slurmctld with connections of jobs of many tasks */
#define WT_LIMITS_VIRTUAL_FILES 4096	/* wt-vnoded's, besides a socket for each node */
#define WT_LIMITS_JOB_PIDS 8		/* processes and threads of that job */

struct wt_limits {		/* what is free */
	uint64_t memory_kib, pids, ports;
};

/* Look at this machine: MemAvailable; the smaller of pid_max, threads-max and (but for root) RLIMIT_NPROC, without what
 * runs; the ports that ports.h gives to one cluster.  0, or -1 with errno and *errp set. */
int wt_limits_read(struct wt_limits *limits, struct wt_error *errp);

/* Pure: the largest number of nodes, each with one running batch job, for which all three suffice, 0 to 65536; *what (may be
 * NULL) is what one node more would lack. */
uint32_t wt_limits_nodes(const struct wt_limits *limits, const char **what);

/* Can this host have a part of a cluster: 'count' real nodes at the ports from 'first_port' on?  0; -1 with EINVAL, and
 * *errp names the limit that is too low (nofile, nproc or process ids, memory, ip_local_port_range), what it is and what is
 * needed. */
int wt_limits_host_check(uint32_t count, uint16_t first_port, struct wt_error *errp);

/* The same for virtual nodes, of which one process has all of this host's. */
int wt_limits_virtual_check(uint32_t count, uint16_t first_port, struct wt_error *errp);

/* Pure: the same for limits and numbers that were read: 'nofile' of RLIMIT_NOFILE, ephemeral ports 'low' to 'high'. */
int wt_limits_part_check(const struct wt_limits *limits, uint64_t nofile, unsigned int low, unsigned int high,
		   uint32_t count,
			 uint16_t first_port, struct wt_error *errp);
int wt_limits_virtual_part_check(uint64_t nofile, unsigned int low, unsigned int high, uint32_t count, uint16_t first_port,
				 struct wt_error *errp);

#endif
