/* controller_query.h - what a run asks slurmctld, through the public libslurm.
 *
 * One cluster for each process: libslurm keeps its configuration in globals.  After wt_controller_init () any thread may
 * call the others.  Unless noted: 0 on success; -1 with errno (often one of Slurm's) and *errp set. */
#ifndef WT_HARNESS_RUN_CONTROLLER_QUERY_H
#define WT_HARNESS_RUN_CONTROLLER_QUERY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <slurm/slurm.h>

#include "lib/error.h"
#include "record/record.h"

/* 'slurm_conf': path, or NULL for $SLURM_CONF, else /etc/slurm/slurm.conf. */
int wt_controller_init(const char *slurm_conf, struct wt_error *errp);

struct wt_controller_info {
	int64_t boot_s;		/* when it started, whole seconds since the epoch */
	uint32_t min_job_age_s, msg_timeout_s, slurm_uid;
	bool enforces;		/* AccountingStorageEnforce is set */
	char version[32], cluster[64], conf[PATH_MAX], pidfile[PATH_MAX];
};

int wt_controller_info(struct wt_controller_info *info, struct wt_error *errp);

struct wt_partition {
	char *name;
	uint32_t nodes, cpus, cpus_per_node;	/* cpus_per_node: of its smallest node */
	uint32_t table_size;	/* nodes in the controller's node table */
	uint64_t *members;	/* bitmap over the node table */
	bool everywhere;	/* all partitions in one */
};

/* All nodes that any partition has.  As wt_partition_load (). */
int wt_partition_load_all(struct wt_partition *part, struct wt_error *errp);

/* 'name' NULL: the default partition.  Caller frees with wt_partition_clear (). */
int wt_partition_load(const char *name, struct wt_partition *part, struct wt_error *errp);
void wt_partition_clear(struct wt_partition *part);

/* The pid in slurmctld's pid file 'path', if that process is a slurmctld of this machine; else 0. */
pid_t wt_controller_pid(const char *path);

/* Bitmaps over the node table, filled from Slurm's index pairs (terminated by -1; NULL: none). */
uint64_t *wt_nodeset_create(uint32_t table_size);
void wt_nodeset_add(uint64_t *set, uint32_t table_size, const int32_t *pairs);
uint32_t wt_nodeset_count(const uint64_t *set, const uint64_t *mask, const uint64_t *except, uint32_t table_size);

enum wt_job_state wt_job_state_from_slurm(uint32_t slurm_state);	/* the base state; flags are looked at apart */

/* CPUs of the job's nodes in their order, cpus[job->num_nodes), if it was loaded with SHOW_DETAIL.  0, or -1 with ENOENT:
 * slurmctld does not say, or not of each node. */
int wt_job_cpus_of_nodes(const slurm_job_info_t *job, uint32_t *cpus);
/* The same as text (node_cpus.h) to be freed, or NULL. */
char *wt_job_node_cpus(const slurm_job_info_t *job);

/* CPU seconds and memory of a process of this machine: 0, or -1 with errno ESRCH. */
int wt_process_usage(pid_t pid, double *cpu_s, uint64_t *rss_kib);

#endif
