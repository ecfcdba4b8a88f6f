/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/question.h"

#include "plugins/select_bestfit/bits.h"

/* slurmctld's; Slurm's commands load the plugin, too, and have none. */
extern List config_list __attribute__((weak));
extern bitstr_t *power_node_bitmap __attribute__((weak));
extern bool pack_serial_at_end;		/* select/cons_tres: SchedulerParameters */

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0xbf58476d1ce4e5b9;
	return h ^ h >> 29;
}

static int config_mix(void *x, void *arg)
{
	const config_record_t *c = x;
	uint64_t *h = arg;

	*h = mix(*h, c->weight);
	*h = mix(*h, (uint64_t) c->cpus << 32 | c->cores);
	*h = mix(*h, (uint64_t) c->tot_sockets << 32 | c->threads);
	*h = mix(*h, (uint64_t) c->boards << 32 | c->core_spec_cnt);
	*h = mix(*h, c->real_memory);
	*h = mix(*h, c->mem_spec_limit);
	if (!c->node_bitmap)
		return 0;
	for (uint32_t w = 0; w < bits_word_count((uint32_t) bit_size(c->node_bitmap)); w++)
		*h = mix(*h, bits_words(c->node_bitmap)[w]);
	return 0;
}

uint64_t question_configs(void)
{
	uint64_t h = 0;

	list_for_each(config_list, config_mix, &h);
	return h;
}

uint64_t question_weights(const bitstr_t *map)
{
	int64_t size = bit_size((bitstr_t *) map);
	uint64_t h = 0;

	for (int64_t n = 0; n < size && n < node_record_count; n++)
		if (bit_test((bitstr_t *) map, n) && node_record_table_ptr[n])
			h = mix(h, node_record_table_ptr[n]->sched_weight);
	return h;
}

/* Weights that slurmctld gives for one job only: nodes to be booted, outside a FLEX reservation, or of a group's limit. */
bool question_weights_plain(const job_record_t *job, const bitstr_t *map)
{
	return !job->resv_name && !job->details->features_use && !job->details->feature_list_use &&
		!(slurm_conf.accounting_storage_enforce & ACCOUNTING_ENFORCE_LIMITS) &&
		(!power_node_bitmap || !bit_overlap_any((bitstr_t *) map, power_node_bitmap));
}

/* GRES change node weights and job fields on the way; --switches looks at the clock; -O multiplies min_cpus. */
static bool is_plain(const job_record_t *job)
{
	const struct job_details *d = job->details;
	const part_record_t *part = job->part_ptr;

	if (!part || !d->min_nodes || job->gres_list_req || job->gres_list_req_accum || job->req_switch || d->overcommit)
		return false;
	if (job->cpus_per_tres || job->mem_per_tres || job->tres_per_job || job->tres_per_node || job->tres_per_socket ||
	    job->tres_per_task)
		return false;
	if ((slurm_conf.select_type_param & CR_LLN) || (part->flags & PART_FLAG_LLN) || pack_serial_at_end)
		return false;
	return (d->core_spec == NO_VAL16 || !(slurm_conf.conf_flags & CTL_CONF_ASRU)) && !d->req_node_bitmap;
}

static void part_fill(struct question *q, const part_record_t *part)
{
	q->part = part;
	q->part_flags = part->flags;
	q->part_max_cpus_per_node = part->max_cpus_per_node;
	q->part_max_share = part->max_share;
	q->part_cr_type = part->cr_type;
}

static void details_fill(struct question *q, const struct job_details *d)
{
	q->memory = d->pn_min_memory;
	q->memory_requested = d->orig_pn_min_memory;
	q->job_min_nodes = d->min_nodes;
	q->job_max_nodes = d->max_nodes;
	q->min_cpus = d->min_cpus;
	q->min_cpus_requested = d->orig_min_cpus;
	q->max_cpus = d->max_cpus;
	q->max_cpus_requested = d->orig_max_cpus;
	q->tasks = d->num_tasks;
	q->task_dist = d->task_dist;
	q->pn_min_cpus = d->pn_min_cpus;
	q->pn_min_cpus_requested = d->orig_pn_min_cpus;
	q->tmp_disk = d->pn_min_tmp_disk;
	q->contiguous = d->contiguous;
	q->cpus_per_task = d->cpus_per_task;
	q->cpus_per_task_requested = d->orig_cpus_per_task;
	q->tasks_per_node = d->ntasks_per_node;
	q->tasks_per_tres = d->ntasks_per_tres;
	q->plane_size = d->plane_size;
	q->core_spec = d->core_spec;
	q->share_res = d->share_res;
	q->whole_node = d->whole_node;
	q->has_mc = d->mc_ptr != NULL;
	if (d->mc_ptr)
		q->mc = *d->mc_ptr;
}

bool question_fill(struct question *q, const job_record_t *job, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
		   uint64_t generation)
{
	if (!is_plain(job))
		return false;
	memset(q, 0, sizeof(*q));
	q->generation = generation;
	q->configs = question_configs();
	q->bit_flags = job->bit_flags;
	q->min_nodes = min_nodes;
	q->max_nodes = max_nodes;
	q->req_nodes = req_nodes;
	part_fill(q, job->part_ptr);
	details_fill(q, job->details);
	return true;
}
