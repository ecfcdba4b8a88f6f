/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/alike.h"

#include <string.h>

#include "plugins/select_bestfit/alike_table.h"
#include "plugins/select_bestfit/bits.h"

static avail_res_t *(*stock)(job_record_t *, bitstr_t **, const uint32_t, uint32_t, node_use_record_t *, uint16_t, bool,
			     bool, bitstr_t **);

/* What is asked of each node in turn. */
struct node_question {
	const job_record_t *job;
	const part_record_t *part;
	uint64_t bit_flags;
	uint32_t part_max_cpus, sockets_per_node;
	uint16_t cr_type;
	bool test_only, will_run;
};

/* select/cons_tres changes details of a job while it tests it: so all of them belong to the question. */
static struct {
	struct node_question asked;
	struct job_details details;
	multi_core_data_t layout;
} kept;
static struct alike_table table;
static _Thread_local bool asks;

void alike_begin(void)
{
	kept.asked.job = NULL;
	asks = true;
}

void alike_end(void)
{
	asks = false;
}

static bool job_fits(const job_record_t *job)
{
	return !job->gres_list_req && !job->cpus_per_tres && job->details && job->part_ptr &&
	       (job->details->core_spec == NO_VAL16 || !job->details->core_spec) &&
	       !(slurm_conf.debug_flags & DEBUG_FLAG_SELECT_TYPE);
}

static bool node_fits(const node_record_t *node, const bitstr_t *cores, const bitstr_t *part)
{
	return node && cores && !IS_NODE_COMPLETING(node) && node->tot_sockets <= ALIKE_SOCKETS &&
	       bit_size((bitstr_t *) cores) <= ALIKE_CORES && bit_size((bitstr_t *) cores) == node->tot_cores &&
	       bits_clean(cores) && (!part || (bit_size((bitstr_t *) part) == node->tot_cores && bits_clean(part)));
}

static bool asked_same(const struct node_question *a, const struct node_question *b)
{
	return a->job == b->job && a->part == b->part && a->bit_flags == b->bit_flags &&
	       a->part_max_cpus == b->part_max_cpus && a->sockets_per_node == b->sockets_per_node &&
	       a->cr_type == b->cr_type && a->test_only == b->test_only && a->will_run == b->will_run;
}

/* The same as of the node before, or another one, with which all that is known is of no use. */
static void question_look(const struct node_question *asked)
{
	const struct job_details *details = asked->job->details;
	const multi_core_data_t *layout = details->mc_ptr;

	if (asked_same(&kept.asked, asked) && !memcmp(&kept.details, details, sizeof(*details)) &&
	    (!layout || !memcmp(&kept.layout, layout, sizeof(*layout))))
		return;
	kept.asked = *asked;
	memcpy(&kept.details, details, sizeof(*details));
	if (layout)
		memcpy(&kept.layout, layout, sizeof(*layout));
	alike_table_clear(&table);
}

static void key_make(struct alike_key *key, const node_record_t *node, const bitstr_t *cores, const bitstr_t *part,
		     uint64_t memory_used_mib, const struct node_question *asked)
{
	size_t bytes = bits_word_count(node->tot_cores) * sizeof(uint64_t);

	memset(key, 0, sizeof(*key));
	memcpy(key->free_cores, bits_words(cores), bytes);
	if (part)
		memcpy(key->part_cores, bits_words(part), bytes);
	key->part_has = part != NULL;
	if (asked->cr_type & CR_MEMORY)
		key->memory_mib = node->real_memory - node->mem_spec_limit - (asked->test_only ? 0 : memory_used_mib);
	key->sockets = node->tot_sockets;
	key->cores_per_socket = node->cores;
	key->cores = node->tot_cores;
	key->threads = node->threads;
	key->threads_used = node->tpc;
	key->cpus = node->cpus;
}

/* false: it has what an answer has no room for. */
static bool answer_make(struct alike_answer *a, const avail_res_t *from, const bitstr_t *cores)
{
	memset(a, 0, sizeof(*a));
	memcpy(a->free_cores, bits_words(cores), bits_word_count((uint32_t) bit_size((bitstr_t *) cores)) * 8);
	if (!from)
		return true;
	if (from->sock_gres_list || from->sock_cnt > ALIKE_SOCKETS)
		return false;
	a->fits = true;
	a->avail_cpus = from->avail_cpus;
	a->avail_gpus = from->avail_gpus;
	a->avail_res_cnt = from->avail_res_cnt;
	a->max_cpus = from->max_cpus;
	a->min_cpus = from->min_cpus;
	a->sock_cnt = from->sock_cnt;
	a->spec_threads = from->spec_threads;
	a->tpc = from->tpc;
	a->gres_min_cores = from->gres_min_cores;
	a->sockets_told = from->avail_cores_per_sock != NULL;
	if (a->sockets_told)
		memcpy(a->cores_per_socket, from->avail_cores_per_sock, from->sock_cnt * sizeof(*a->cores_per_socket));
	return true;
}

/* As Slurm's own would have given it: it is Slurm's to change and to free. */
static avail_res_t *answer_give(const struct alike_answer *a, bitstr_t *cores)
{
	avail_res_t *to;

	memcpy(cores + BITSTR_OVERHEAD, a->free_cores, bits_word_count((uint32_t) bit_size(cores)) * sizeof(uint64_t));
	if (!a->fits)
		return NULL;
	to = xmalloc(sizeof(*to));
	to->avail_cpus = a->avail_cpus;
	to->avail_gpus = a->avail_gpus;
	to->avail_res_cnt = a->avail_res_cnt;
	to->max_cpus = a->max_cpus;
	to->min_cpus = a->min_cpus;
	to->sock_cnt = a->sock_cnt;
	to->spec_threads = a->spec_threads;
	to->tpc = a->tpc;
	to->gres_min_cores = a->gres_min_cores;
	if (a->sockets_told) {
		to->avail_cores_per_sock = xcalloc(a->sock_cnt, sizeof(*to->avail_cores_per_sock));
		memcpy(to->avail_cores_per_sock, a->cores_per_socket, a->sock_cnt * sizeof(*a->cores_per_socket));
	}
	return to;
}

static avail_res_t *can_job_run_on_node(job_record_t *job, bitstr_t **core_map, const uint32_t node_i, uint32_t s_p_n,
					node_use_record_t *usage, uint16_t cr_type, bool test_only, bool will_run,
					bitstr_t **part_core_map)
{
	const node_record_t *node = node_record_table_ptr[node_i];
	const bitstr_t *part = part_core_map ? part_core_map[node_i] : NULL;
	const struct alike_answer *known;
	struct alike_answer answer;
	struct alike_key key;
	struct node_question asked;
	avail_res_t *has;

	if (!asks || !job_fits(job) || !node_fits(node, core_map[node_i], part))
		return stock(job, core_map, node_i, s_p_n, usage, cr_type, test_only, will_run, part_core_map);
	asked = (struct node_question) {
		.job = job, .bit_flags = job->bit_flags, .part = job->part_ptr,
		.part_max_cpus = job->part_ptr->max_cpus_per_node, .sockets_per_node = s_p_n, .cr_type = cr_type,
		.test_only = test_only, .will_run = will_run,
	};
	question_look(&asked);
	key_make(&key, node, core_map[node_i], part, usage[node_i].alloc_memory, &asked);
	known = alike_table_find(&table, &key);
	if (known)
		return answer_give(known, core_map[node_i]);
	has = stock(job, core_map, node_i, s_p_n, usage, cr_type, test_only, will_run, part_core_map);
	if (core_map[node_i] && answer_make(&answer, has, core_map[node_i]))
		alike_table_add(&table, &key, &answer);
	return has;
}

void alike_attach(void)
{
	if (stock)
		return;
	stock = cons_common_callbacks.can_job_run_on_node;
	if (stock)
		cons_common_callbacks.can_job_run_on_node = can_job_run_on_node;
}

void alike_detach(void)
{
	if (stock)
		cons_common_callbacks.can_job_run_on_node = stock;
	stock = NULL;
}
