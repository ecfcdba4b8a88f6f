/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/willrun_rules.h"

#include "plugins/select_bestfit/bits.h"

#define MINUTE_S 60
#define YEAR_S (365 * 24 * 3600)

/* select/cons_tres' own, from its configuration */
extern bool backfill_busy_nodes, gang_mode, preempt_by_qos, select_state_initializing;

const char *const willrun_left_names[WILLRUN_LEFT] = {
	"ours", "left-preemption", "left-sharing", "left-config", "left-gres", "left-switches", "left-core-spec",
	"left-overcommit", "left-min-cpus", "left-reserved-cores", "left-nodes", "left-tables", "left-search", "left-memory",
};

static bool asks_gres(const job_record_t *job)
{
	return job->gres_list_req || job->gres_list_req_accum || job->cpus_per_tres || job->mem_per_tres ||
	       job->tres_per_job || job->tres_per_node || job->tres_per_socket || job->tres_per_task;
}

static bool config_is_followed(const part_record_t *part)
{
	const uint16_t units = CR_CPU | CR_SOCKET | CR_CORE;

	return !backfill_busy_nodes && !gang_mode && !preempt_by_qos && !select_state_initializing && !part->cr_type &&
	       (slurm_conf.select_type_param & units) && !(slurm_conf.debug_flags & DEBUG_FLAG_SELECT_TYPE);
}

/* More than its tasks and nodes need ("scontrol update NumCPUs="): Slurm deals CPUs out to tasks, and may find that they do
 * not take them all. */
static bool has_cpus_to_spare(const struct job_details *d)
{
	uint64_t tasks = d->num_tasks == NO_VAL ? 0 : d->num_tasks, each = d->cpus_per_task ? d->cpus_per_task : 1;

	return tasks && d->min_cpus > (tasks > d->min_nodes ? tasks : d->min_nodes) * each;
}

/* Whatever makes Slurm look at more than free cores, memory and the order of ends is left to it. */
enum willrun_left willrun_job_left(const struct job_test *c)
{
	const job_record_t *job = c->job;
	const struct job_details *d = job->details;

	if (c->preemptable)
		return WILLRUN_PREEMPTION;
	if (!job->part_ptr || !config_is_followed(job->part_ptr))
		return WILLRUN_CONFIG;
	if (job->part_ptr->max_share > 1)	/* FORCE is a high bit of it */
		return WILLRUN_SHARING;
	if (asks_gres(job))
		return WILLRUN_GRES;
	if (job->req_switch || !job->best_switch)
		return WILLRUN_SWITCHES;
	if (d->core_spec != NO_VAL16 && (slurm_conf.conf_flags & CTL_CONF_ASRU))
		return WILLRUN_CORE_SPEC;
	if (d->overcommit)
		return WILLRUN_OVERCOMMIT;
	if (d->pn_min_cpus > d->orig_pn_min_cpus || has_cpus_to_spare(d))
		return WILLRUN_MIN_CPUS;
	return c->excluded_cores ? WILLRUN_CORES : WILLRUN_OURS;
}

static bool words_overlap(const uint64_t *a, const uint64_t *b, uint32_t count)
{
	for (uint32_t w = 0; w < count; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

/* Slurm's copy of the tables has no rows for a partition without any of the nodes asked for.  If its jobs have some all the
 * same (it was given other nodes while they ran), their ends do what ends do nowhere else.  With several rows each end puts
 * all jobs into rows anew. */
static bool part_is_followed(const struct allocs_part *part, const struct job_test *c, uint32_t words)
{
	bitstr_t *own = part->real->part_ptr->node_bitmap;

	return (part->real->num_rows == 1 && own && bit_overlap_any(c->map, own)) ||
	       !words_overlap(bits_words(c->map), part->nodes, words);
}

enum willrun_left willrun_tables_left(const struct job_test *c, const struct allocs *allocs)
{
	uint32_t words = bits_word_count((uint32_t) node_record_count);

	if (allocs->refused)
		return WILLRUN_TABLES;
	if (words_overlap(bits_words(c->map), allocs->strange, words))
		return WILLRUN_NODES;
	/* Slurm asks a node's GRES only whether one of them is taken, and only for jobs of whole nodes.  Where none is, none
	 * will be when jobs have ended. */
	if (c->job->details->whole_node == 1 && words_overlap(bits_words(c->map), allocs->gres, words))
		return WILLRUN_GRES;
	for (int p = 0; p < allocs->part_count; p++)
		if (!part_is_followed(&allocs->parts[p], c, words))
			return WILLRUN_TABLES;
	return WILLRUN_OURS;
}

static uint16_t larger(uint32_t a, uint32_t b)
{
	return (uint16_t) (a > b ? a : b);
}

/* What a node has to have free before its cores are looked at. */
static uint64_t node_memory_mib(const struct job_details *d)
{
	uint16_t cpus = larger(larger(d->ntasks_per_node, d->pn_min_cpus), d->cpus_per_task);

	if (!(d->pn_min_memory & MEM_PER_CPU))
		return d->pn_min_memory;
	return (d->pn_min_memory & ~MEM_PER_CPU) * (cpus ? cpus : 1);
}

/* as Slurm's, in 16 bits */
static uint16_t node_tasks_cpus(const struct job_details *d)
{
	uint16_t tasks = 1;

	if (d->ntasks_per_node)
		tasks = d->ntasks_per_node;
	else if (d->max_nodes == 1 && d->num_tasks)
		tasks = (uint16_t) d->num_tasks;
	return (uint16_t) (tasks * d->cpus_per_task);
}

static bool memory_is_by_cpus(const struct job_details *d)
{
	return (slurm_conf.select_type_param & CR_MEMORY) && (d->pn_min_memory & MEM_PER_CPU);
}

static bool is_unset(uint16_t value)
{
	return !value || value == NO_VAL16 || value == INFINITE16;
}

static bool layout_is_free(const multi_core_data_t *mc)
{
	return !mc || (is_unset(mc->sockets_per_node) && is_unset(mc->cores_per_socket) && is_unset(mc->ntasks_per_board) &&
		       is_unset(mc->ntasks_per_socket) && is_unset(mc->ntasks_per_core));
}

struct capacity_want willrun_want(const struct job_test *c)
{
	const struct job_details *d = c->job->details;

	return (struct capacity_want) {
		.memory_counts = slurm_conf.select_type_param & CR_MEMORY, .memory_mib = node_memory_mib(d),
		.memory_per_cpu_mib = d->pn_min_memory & MEM_PER_CPU ? d->pn_min_memory & ~MEM_PER_CPU : 0,
		.node_cpus = larger(node_tasks_cpus(d), d->pn_min_cpus), .task_cpus = d->cpus_per_task,
		.most_cpus = d->ntasks_per_node ? node_tasks_cpus(d) : 0,
		.simple = layout_is_free(d->mc_ptr) && !(slurm_conf.select_type_param & CR_ONE_TASK_PER_CORE),
		.whole = d->whole_node == 1, .alone = c->job->part_ptr->max_share == 0,
	};
}

/* A node may give more CPUs with fewer free cores.  Slurm takes as many CPUs as a core has, or a socket, from what the cores
 * could give until the memory suffices for the rest.  Where that is no multiple, as with tasks of three CPUs on two cores
 * each, or below MaxCPUsPerNode, more cores may end at fewer CPUs; and sockets of which only a part is for jobs count
 * as busy in a partition without jobs.  Then nodes that suffice by their free cores do not by all of their cores, and it is
 * the busy nodes by which the first test says yes.
 *
 * Among consecutive nodes, of several weights, it may say no because of busy ones, though it would not with fewer nodes. */
bool willrun_heeds_busy_nodes(const struct job_test *c)
{
	const struct job_details *d = c->job->details;

	if (d->contiguous || (slurm_conf.select_type_param & CR_SOCKET) ||
	    c->job->part_ptr->max_cpus_per_node != INFINITE)
		return true;
	return memory_is_by_cpus(d) && d->cpus_per_task > 1 && d->mc_ptr && d->mc_ptr->ntasks_per_core == 1;
}

uint32_t willrun_min_nodes(const struct job_test *c)
{
	const struct job_details *d = c->job->details;
	uint32_t nodes = c->min_nodes;

	if (d->ntasks_per_node && d->num_tasks) {
		uint32_t by_tasks = (d->num_tasks + d->ntasks_per_node - 1) / d->ntasks_per_node;

		nodes = nodes > by_tasks ? nodes : by_tasks;
	}
	return nodes;
}

/* choose_nodes ()'s, which knows of tasks, but not of --ntasks-per-node that leaves some nodes without. */
uint32_t willrun_max_nodes(const struct job_test *c)
{
	uint32_t tasks = c->job->details->num_tasks, least = willrun_min_nodes(c);
	uint32_t nodes = c->max_nodes ? c->max_nodes : UINT32_MAX;

	if (tasks && nodes > tasks)
		nodes = tasks > least ? tasks : least;
	return nodes ? nodes : 1;
}

uint32_t willrun_share(const struct job_test *c)
{
	const struct job_details *d = c->job->details;
	uint32_t nodes = willrun_max_nodes(c), share = d->min_cpus / nodes + (d->min_cpus % nodes > 0);
	uint32_t has;

	/* For want of memory a node may give less than its tasks need, but no less than one task, and a CPU for each. */
	has = memory_is_by_cpus(d) ? larger(d->ntasks_per_node, d->cpus_per_task) : node_tasks_cpus(d);
	if (slurm_conf.select_type_param & CR_ONE_TASK_PER_CORE)
		has = 1;
	return share > 1 && share > has ? share : 0;
}

/* Backfill asks with share_res 0 and then as the job has it; without sharing partitions only --ntasks-per-node makes a
 * difference of that. */
bool willrun_question(const struct job_test *c, uint64_t serial, struct question *q)
{
	if (!question_fill(q, c->job, c->min_nodes, c->max_nodes, c->req_nodes, serial) ||
	    !question_weights_plain(c->job, c->map))
		return false;
	if (!c->job->details->ntasks_per_node)
		q->share_res = 0;
	return true;
}

time_t willrun_overdue_end(const job_record_t *job, time_t now)
{
	uint16_t over_min = slurm_conf.over_time_limit;
	uint32_t limit_min = job->time_limit;
	time_t end;

	if (job->part_ptr && job->part_ptr->over_time_limit != NO_VAL16)
		over_min = job->part_ptr->over_time_limit;
	if (over_min == INFINITE16)
		end = now + (limit_min && limit_min != NO_VAL && limit_min != INFINITE ?
			     limit_min * (uint32_t) MINUTE_S : YEAR_S);
	else
		end = job->end_time + slurm_conf.kill_wait + over_min * MINUTE_S;
	return end > now ? end : now + 1;
}
