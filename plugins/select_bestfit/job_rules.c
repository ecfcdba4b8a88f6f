/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/chooser.h"

#include "plugins/select_bestfit/job_rules.h"

bool job_is_whole(const job_record_t *job)
{
	/* --exclusive, or OverSubscribe=EXCLUSIVE of the partition. */
	return job->details->whole_node == 1 || (job->part_ptr && job->part_ptr->max_share == 0);
}

/* Numbers of nodes with a feature are placed group by group, one of several features for all nodes is tried one by one, and
 * some features a node has only after a boot.  All others leave a map of nodes to choose from. */
static int is_intricate(void *x, void *key)
{
	const job_feature_t *f = x;

	(void) key;
	return f->count || f->changeable || f->op_code == COMPAT_FEATURE_MATCHING_OR || f->op_code == FEATURE_OP_XAND;
}

bool job_is_plain(const job_record_t *job)
{
	return !job->req_switch && !job->details->features_use && !job->details->feature_list_use;
}

enum bestfit_reason job_refusal(const job_record_t *job, uint16_t cr_type, bool prefer_alloc_nodes, uint32_t req_nodes)
{
	const compat_job_details *d = job->details;
	const part_record_t *part = job->part_ptr;

	/* The first that holds is counted; their order says nothing of their weight. */
	if (d->req_node_bitmap)
		return BESTFIT_REQUIRED;
	if (d->contiguous)
		return BESTFIT_CONTIGUOUS;
	if (job->bit_flags & SPREAD_JOB)
		return BESTFIT_SPREAD;
	if ((cr_type & COMPAT_LEAST_LOADED) || (part && (part->flags & PART_FLAG_LLN)))
		return BESTFIT_LLN;
	if (prefer_alloc_nodes || (choice_serial_at_end() && d->min_cpus == 1 && req_nodes == 1))
		return BESTFIT_PREFER_BUSY;
	if (job->gres_list_req)
		return BESTFIT_GRES;
	if (d->core_spec != NO_VAL16 && d->core_spec != 0)
		return BESTFIT_CORE_SPEC;
	if (d->feature_list_use && list_find_first(d->feature_list_use, is_intricate, NULL))
		return BESTFIT_FEATURES;
	if (d->overcommit)
		return BESTFIT_OVERCOMMIT;
	if (d->whole_node > 1)
		return BESTFIT_SHARING;
	if ((d->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)
		return BESTFIT_ARBITRARY;
	return d->max_cpus && d->max_cpus != NO_VAL ? BESTFIT_CPU_LIMIT : BESTFIT_CHOSEN;
}

void job_read(const job_record_t *job, struct bestfit_job *to)
{
	const compat_job_details *d = job->details;
	uint16_t per_task = d->cpus_per_task;

	to->whole = job_is_whole(job);
	to->min_cpus = d->min_cpus;
	to->tasks = d->num_tasks == NO_VAL ? 0 : d->num_tasks;
	to->cpus_per_task = per_task && per_task != NO_VAL16 ? per_task : 1;
}
