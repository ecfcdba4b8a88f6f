/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of a job: which of them have been told to end it, and which are still ending it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_private.h"

static void load_allocate(struct wt_model *model, uint32_t node)
{
	/* Nodes are counted, not jobs: several jobs may share one. */
	if (!model->load[node].allocated++)
		model->counts.nodes_allocated++;
}

static void load_deallocate(struct wt_model *model, uint32_t node)
{
	if (!--model->load[node].allocated)
		model->counts.nodes_allocated--;
}

static void load_completing(struct wt_model *model, uint32_t node, bool completing)
{
	if (completing && !model->load[node].completing++)
		model->counts.nodes_completing++;
	else if (!completing && !--model->load[node].completing)
		model->counts.nodes_completing--;
}

typedef void (*node_f)(struct wt_model *model, struct job *job, uint32_t node, uint32_t rank);

static void nodes_each(struct wt_model *model, struct job *job, node_f f)
{
	for (uint32_t r = 0; r < job->nodes.range_count; r++) {
		const struct wt_node_range *range = &job->nodes.ranges[r];

		for (uint32_t i = 0; i < range->count; i++)
			f(model, job, range->first + i, range->rank + i);
	}
}

static void node_untold_init(struct wt_model *model, struct job *job, uint32_t node, uint32_t rank)
{
	if (!node_is_own(model, node))
		return;
	bit_set(job->untold, rank);
	job->untold_count++;
	if (job->allocated)
		load_allocate(model, node);
}

static void node_drop(struct wt_model *model, struct job *job, uint32_t node, uint32_t rank)
{
	if (bit_test(job->untold, rank) && job->allocated)
		load_deallocate(model, node);
	if (bit_test(job->ending, rank))
		load_completing(model, node, false);
}

void job_nodes_clear(struct wt_model *model, struct job *job)
{
	if (job->untold && job->ending)
		nodes_each(model, job, node_drop);
	free(job->untold);
	free(job->ending);
	job->untold = job->ending = NULL;
	job->untold_count = job->ending_count = 0;
	job->nodes_hash = 0;
	job->allocated = false;
	wt_nodeset_clear(&job->nodes);
}

int job_nodes_set(struct wt_model *model, struct job *job, struct wt_nodeset *nodes, uint64_t hash, bool allocated)
{
	/* One word more: calloc (0) may return NULL. */
	size_t words = nodes->count / 64 + 1;

	job_nodes_clear(model, job);
	job->untold = calloc(words, sizeof(uint64_t));
	job->ending = calloc(words, sizeof(uint64_t));
	if (!job->untold || !job->ending) {
		job_nodes_clear(model, job);
		errno = ENOMEM;
		return -1;
	}
	job->nodes = *nodes;
	memset(nodes, 0, sizeof(*nodes));
	job->nodes_hash = hash;
	job->allocated = allocated;
	nodes_each(model, job, node_untold_init);
	return 0;
}

/* All nodes are released: the list is needed no more, the job itself is remembered for a while. */
void job_settle(struct wt_model *model, struct job *job)
{
	if (job->nodes_hash && !job->untold_count && !job->ending_count)
		job_nodes_clear(model, job);
}

/* True for the first time. */
bool node_told(struct wt_model *model, struct job *job, uint32_t node)
{
	uint32_t rank;

	if (!wt_nodeset_rank(&job->nodes, node, &rank) || !bit_test(job->untold, rank))
		return false;
	bit_clear(job->untold, rank);
	job->untold_count--;
	if (job->allocated)
		load_deallocate(model, node);
	return true;
}

void node_ending(struct wt_model *model, struct job *job, uint32_t node)
{
	uint32_t rank;

	if (!wt_nodeset_rank(&job->nodes, node, &rank) || bit_test(job->ending, rank))
		return;
	bit_set(job->ending, rank);
	job->ending_count++;
	load_completing(model, node, true);
}

bool node_released(struct wt_model *model, struct job *job, uint32_t node)
{
	uint32_t rank;

	if (!wt_nodeset_rank(&job->nodes, node, &rank) || !bit_test(job->ending, rank))
		return false;
	bit_clear(job->ending, rank);
	job->ending_count--;
	load_completing(model, node, false);
	return true;
}
