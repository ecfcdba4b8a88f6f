/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree and the placements of a live cluster, from its slurmctld: what "scontrol show topology" and "squeue" show, with
 * the CPUs that each job has on each node. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "compat/client.h"
#include "cmd/topology/placements_live.h"
#include "harness/placement/placements_reader.h"
#include "harness/run/controller_query.h"

static int slurm_fail(const char *what, struct wt_error *errp)
{
	return wt_error_set(errp, EIO, "%s: slurmctld says: %s", what, slurm_strerror(errno));
}

struct wt_tree *placements_live_tree(struct wt_error *errp)
{
	char *text = compat_topology_text();
	struct wt_tree *t = NULL;

	if (!text)
		slurm_fail("topology", errp);
	else if (!*text)
		wt_error_set(errp, ENOENT,
			     "this cluster has no switches (TopologyPlugin=topology/tree and a topology.conf); give "
			     "--topology");
	else if (!(t = wt_tree_parse(text, strlen(text), errp)))
		wt_error_prefix(errp, "topology of slurmctld");
	free(text);
	return t;
}

/* CPUs of each node; what is not in the tree is not looked at. */
static int node_cpus_read(struct raw *raw, const node_info_msg_t *nodes, struct wt_error *errp)
{
	raw->capacity = calloc(wt_tree_nodes(raw->tree), sizeof(*raw->capacity));
	if (!raw->capacity)
		return wt_error_errno(errp, ENOMEM, "nodes");
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *from = &nodes->node_array[i];
		uint32_t node = from->name ? wt_tree_node_find(raw->tree, from->name) : WT_TREE_NONE;

		if (node == WT_TREE_NONE)
			continue;
		raw->capacity[node] = from->cpus;
		if (from->cpus > raw->cpus_per_node)
			raw->cpus_per_node = from->cpus;
	}
	return 0;
}

static int is_out_of_service(const node_info_t *node)
{
	uint32_t base = node->node_state & NODE_STATE_BASE;

	return base == NODE_STATE_DOWN || base == NODE_STATE_UNKNOWN || base == NODE_STATE_ERROR ||
		base == NODE_STATE_FUTURE ||
	       node->node_state & (NODE_STATE_DRAIN | NODE_STATE_FAIL);
}

/* Since when, slurmctld knows where there is a reason; else it is taken to have been so always. */
static int out_of_service_read(struct raw *raw, const node_info_msg_t *nodes, struct wt_error *errp)
{
	for (uint32_t i = 0; i < nodes->record_count; i++) {
		const node_info_t *from = &nodes->node_array[i];
		struct raw_job *j;

		if (!from->name || wt_tree_node_find(raw->tree, from->name) == WT_TREE_NONE || !is_out_of_service(from))
			continue;
		j = raw_add(raw, from->name, NULL, (double) from->reason_time, INFINITY, errp);
		if (!j)
			return -1;
		j->job.out_of_service = 1;
		raw->out_of_service++;
	}
	return 0;
}

static int job_read(struct raw *raw, const slurm_job_info_t *job, struct wt_error *errp)
{
	int ended = (job->job_state & JOB_STATE_BASE) >= JOB_COMPLETE;
	struct raw_job *j;
	char *cpus;

	/* A completing job shows only the nodes that still complete. */
	if ((job->job_state & JOB_STATE_BASE) == JOB_PENDING || job->job_state & JOB_COMPLETING || !job->nodes ||
	    !*job->nodes) {
		raw->without_nodes++;
		return 0;
	}
	cpus = wt_job_node_cpus(job);
	j = raw_add(raw, job->nodes, cpus, (double) job->start_time, ended ? (double) job->end_time : INFINITY, errp);
	free(cpus);
	if (!j)
		return wt_error_prefix(errp, "job %u", job->job_id);
	j->job_id = job->job_id;
	j->job.units = job->num_cpus;
	return 0;
}

/* Jobs that ended earlier are gone: a job that started after that has no unknown company. */
static size_t forgotten_count(const struct raw *raw, double now_s, uint32_t min_job_age_s)
{
	size_t count = 0;

	for (size_t i = 0; min_job_age_s && i < raw->count; i++)
		count += raw->jobs[i].job.start_s < now_s - min_job_age_s;
	return count;
}

static int jobs_read(struct raw *raw, struct wt_error *errp)
{
	struct wt_controller_info info;
	job_info_msg_t *jobs = NULL;
	int rc;

	if (wt_controller_info(&info, errp) < 0)
		return -1;
	if (slurm_load_jobs(0, &jobs, SHOW_ALL | SHOW_LOCAL | SHOW_DETAIL))
		return slurm_fail("jobs", errp);
	rc = 0;
	for (uint32_t i = 0; rc == 0 && i < jobs->record_count; i++)
		rc = job_read(raw, &jobs->job_array[i], errp);
	raw->forgotten = forgotten_count(raw, (double) jobs->last_update, info.min_job_age_s);
	slurm_free_job_info_msg(jobs);
	return rc;
}

static int raw_read_live(struct raw *raw, struct wt_error *errp)
{
	node_info_msg_t *nodes = NULL;
	int rc;

	if (slurm_load_node(0, &nodes, SHOW_ALL | SHOW_LOCAL))
		return slurm_fail("nodes", errp);
	rc = node_cpus_read(raw, nodes, errp);
	if (rc == 0)
		rc = jobs_read(raw, errp);
	if (rc == 0 && raw->count)
		rc = out_of_service_read(raw, nodes, errp);
	slurm_free_node_info_msg(nodes);
	return rc;
}

int placements_live(struct placements *p, const struct wt_tree *t, enum placement_unit unit, struct wt_error *errp)
{
	struct raw raw = { .tree = t };

	memset(p, 0, sizeof(*p));
	return raw_finish(p, &raw, raw_read_live(&raw, errp), unit, "the cluster", errp);
}
