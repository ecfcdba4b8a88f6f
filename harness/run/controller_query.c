/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm_errno.h>

#include "compat/client.h"
#include "harness/cluster/folder/slurmenv.h"
#include "harness/run/controller_query.h"
#include "record/node_cpus.h"

#define DEFAULT_SLURM_CONF "/etc/slurm/slurm.conf"	/* Debian's; see slurm.conf(5) */

int wt_controller_init(const char *slurm_conf, struct wt_error *errp)
{
	const char *env = getenv("SLURM_CONF");
	const char *path = slurm_conf ? slurm_conf : env && *env ? env : DEFAULT_SLURM_CONF;

	/* libslurm ends the process when it cannot read its configuration. */
	if (access(path, R_OK) < 0)
		return wt_error_errno(errp, errno, "%s%s", path,
				      slurm_conf ? "" : ": no cluster to run on; give --nodes, --cluster or SLURM_CONF");
	if (slurm_conf && wt_slurmenv_set(slurm_conf) < 0)	/* what libslurm looks for beside it is looked for there */
		return wt_error_errno(errp, errno, "environment");
	slurm_init(path);
	return 0;
}

pid_t wt_controller_pid(const char *pidfile)
{
	char path[64], comm[32] = "";
	FILE *f = fopen(pidfile, "re");
	int pid = 0;

	if (f) {
		if (fscanf(f, "%d", &pid) != 1)
			pid = 0;
		fclose(f);
	}
	if (pid <= 0)
		return 0;
	/* The file may be left over from a slurmctld that was killed, and its number another process' by now. */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(comm, sizeof(comm), f))
		comm[0] = '\0';
	fclose(f);
	return strcmp(comm, "slurmctld\n") ? 0 : pid;
}

int wt_controller_info(struct wt_controller_info *info, struct wt_error *errp)
{
	slurm_conf_t *conf = NULL;

	if (slurm_load_ctl_conf(0, &conf))
		return wt_error_set(errp, errno, "slurmctld does not tell its configuration: %s", slurm_strerror(errno));
	memset(info, 0, sizeof(*info));
	info->boot_s = conf->boot_time;
	info->min_job_age_s = conf->min_job_age;
	info->msg_timeout_s = conf->msg_timeout;
	info->slurm_uid = conf->slurm_user_id;
	info->enforces = conf->accounting_storage_enforce != 0;
	snprintf(info->version, sizeof(info->version), "%s", conf->version ? conf->version : "");
	snprintf(info->cluster, sizeof(info->cluster), "%s", conf->cluster_name ? conf->cluster_name : "");
	snprintf(info->conf, sizeof(info->conf), "%s", conf->slurm_conf ? conf->slurm_conf : "");
	snprintf(info->pidfile, sizeof(info->pidfile), "%s", conf->slurmctld_pidfile ? conf->slurmctld_pidfile : "");
	compat_conf_free(conf);
	return 0;
}

static const partition_info_t *partition_find(const partition_info_msg_t *partitions, const char *name)
{
	for (uint32_t i = 0; i < partitions->record_count; i++) {
		const partition_info_t *p = &partitions->partition_array[i];

		if (name ? p->name && !strcmp(p->name, name) : p->flags & PART_FLAG_DEFAULT)
			return p;
	}
	return NULL;
}

static int partition_missing(const partition_info_msg_t *partitions, const char *name, struct wt_error *errp)
{
	char known[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < partitions->record_count && used < sizeof(known) - 1; i++)
		used += snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
				 partitions->partition_array[i].name);
	if (name)
		return wt_error_set(errp, EINVAL, "--partition %s: there is none of this name (known: %s)", name, known);
	return wt_error_set(errp, EINVAL, "the cluster has no default partition: give --partition (known: %s)", known);
}

static int partition_fill(struct wt_partition *partition, const partition_info_t *p, const node_info_msg_t *nodes)
{
	partition->name = strdup(p->name);
	partition->nodes = p->total_nodes;
	partition->cpus = p->total_cpus;
	partition->table_size = nodes->record_count;
	partition->members = wt_nodeset_create(partition->table_size);
	if (!partition->name || !partition->members)
		return -1;
	wt_nodeset_add(partition->members, partition->table_size, p->node_inx);
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		uint32_t cpus = nodes->node_array[i].cpus;

		/* The smallest node's: a job that is planned by them fits on any node. */
		if (partition->members[i / 64] >> (i % 64) & 1 && cpus &&
		    (!partition->cpus_per_node || cpus < partition->cpus_per_node))
			partition->cpus_per_node = cpus;
	}
	return 0;
}

/* The members of all partitions, as one. */
static int everywhere_fill(struct wt_partition *partition, const partition_info_msg_t *partitions,
			   const node_info_msg_t *nodes)
{
	partition->name = strdup("(all)");
	partition->everywhere = true;
	partition->table_size = nodes->record_count;
	partition->members = wt_nodeset_create(partition->table_size);
	if (!partition->name || !partition->members)
		return -1;
	for (uint32_t i = 0; i < partitions->record_count; i++)
		wt_nodeset_add(partition->members, partition->table_size, partitions->partition_array[i].node_inx);
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		uint32_t cpus = nodes->node_array[i].cpus;

		if (!(partition->members[i / 64] >> (i % 64) & 1) || !cpus)
			continue;
		partition->nodes++;
		partition->cpus += cpus;
		if (!partition->cpus_per_node || cpus < partition->cpus_per_node)
			partition->cpus_per_node = cpus;
	}
	return 0;
}

int wt_partition_load_all(struct wt_partition *partition, struct wt_error *errp)
{
	partition_info_msg_t *partitions = NULL;
	node_info_msg_t *nodes = NULL;
	int rc = 0;

	memset(partition, 0, sizeof(*partition));
	if (slurm_load_partitions(0, &partitions, SHOW_ALL | SHOW_LOCAL) ||
	    slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		rc = wt_error_set(errp, errno, "slurmctld does not tell its partitions: %s", slurm_strerror(errno));
	else if (everywhere_fill(partition, partitions, nodes) < 0)
		rc = wt_error_errno(errp, ENOMEM, "partitions");
	else if (!partition->nodes)
		rc = wt_error_set(errp, EINVAL, "no partition of the cluster has nodes");
	if (partitions)
		slurm_free_partition_info_msg(partitions);
	if (nodes)
		slurm_free_node_info_msg(nodes);
	if (rc < 0)
		wt_partition_clear(partition);
	return rc;
}

int wt_partition_load(const char *name, struct wt_partition *partition, struct wt_error *errp)
{
	partition_info_msg_t *partitions = NULL;
	node_info_msg_t *nodes = NULL;
	const partition_info_t *p;
	int rc = -1;

	memset(partition, 0, sizeof(*partition));
	if (slurm_load_partitions(0, &partitions, SHOW_ALL | SHOW_LOCAL) ||
	    slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL)) {
		wt_error_set(errp, errno, "slurmctld does not tell its partitions: %s", slurm_strerror(errno));
		goto out;
	}
	p = partition_find(partitions, name);
	if (!p)
		partition_missing(partitions, name, errp);
	else if (!p->total_cpus || !p->total_nodes)
		wt_error_set(errp, EINVAL, "partition %s has no nodes", p->name);
	else if (partition_fill(partition, p, nodes) < 0)
		wt_error_errno(errp, ENOMEM, "partition %s", p->name);
	else
		rc = 0;
out:
	if (partitions)
		slurm_free_partition_info_msg(partitions);
	if (nodes)
		slurm_free_node_info_msg(nodes);
	if (rc < 0)
		wt_partition_clear(partition);
	return rc;
}

void wt_partition_clear(struct wt_partition *partition)
{
	free(partition->name);
	free(partition->members);
	memset(partition, 0, sizeof(*partition));
}

uint64_t *wt_nodeset_create(uint32_t table_size)
{
	return calloc(table_size / 64 + 1, sizeof(uint64_t));
}

/* Slurm's node_inx: pairs of the first and the last index into slurmctld's table of nodes, ended by -1. */
void wt_nodeset_add(uint64_t *set, uint32_t table_size, const int32_t *pairs)
{
	if (!pairs)
		return;
	for (; pairs[0] >= 0; pairs += 2)
		for (uint32_t i = pairs[0]; i <= (uint32_t) pairs[1] && i < table_size; i++)
			set[i / 64] |= (uint64_t) 1 << (i % 64);
}

uint32_t wt_nodeset_count(const uint64_t *set, const uint64_t *mask, const uint64_t *except, uint32_t table_size)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < table_size / 64 + 1; i++)
		count += __builtin_popcountll(set[i] & mask[i] & (except ? ~except[i] : ~(uint64_t) 0));
	return count;
}

/* A suspended job keeps its nodes: for the figures it runs. */
enum wt_job_state wt_job_state_from_slurm(uint32_t slurm_state)
{
	switch (slurm_state & JOB_STATE_BASE) {
	case JOB_PENDING:
		return WT_JOB_PENDING;
	case JOB_RUNNING:
	case JOB_SUSPENDED:
		return WT_JOB_RUNNING;
	case JOB_COMPLETE:
		return WT_JOB_COMPLETED;
	case JOB_CANCELLED:
		return WT_JOB_CANCELLED;
	case JOB_FAILED:
		return WT_JOB_FAILED;
	case JOB_TIMEOUT:
		return WT_JOB_TIMEOUT;
	case JOB_NODE_FAIL:
		return WT_JOB_NODE_FAIL;
	default:
		return WT_JOB_OTHER;
	}
}

int wt_process_usage(pid_t pid, double *cpu_s, uint64_t *rss_kib)
{
	char path[64], line[1024];
	unsigned long long utime, stime;
	const char *rest;
	long rss_pages;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long) pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	rest = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;	/* the name may hold spaces: proc(5) */
	fclose(f);
	if (!rest || sscanf(rest + 2,
			    "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u %*u "
				      "%ld", &utime, &stime, &rss_pages) != 3) {
		errno = ESRCH;
		return -1;
	}
	*cpu_s = (double) (utime + stime) / sysconf(_SC_CLK_TCK);
	*rss_kib = (uint64_t) rss_pages * (sysconf(_SC_PAGESIZE) / 1024);
	return 0;
}

/* How a job's CPUs are spread over its nodes is told only by an answer with SHOW_DETAIL. */
int wt_job_cpus_of_nodes(const slurm_job_info_t *job, uint32_t *cpus)
{
	for (uint32_t i = 0; i < job->num_nodes; i++) {
		int count = compat_job_cpus(job, i);

		if (count <= 0) {
			errno = ENOENT;
			return -1;
		}
		cpus[i] = (uint32_t) count;
	}
	return 0;
}

char *wt_job_node_cpus(const slurm_job_info_t *job)
{
	uint32_t *cpus = calloc(job->num_nodes + 1, sizeof(*cpus));
	char *text = cpus && wt_job_cpus_of_nodes(job, cpus) == 0 ? wt_node_cpus_format(cpus, job->num_nodes) : NULL;

	free(cpus);
	return text;
}
