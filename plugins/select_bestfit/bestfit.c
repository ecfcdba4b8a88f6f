/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm asks for, as units of topology/select.h: CPUs in whole tasks where the job takes them anywhere, else so many
 * nodes that can give an equal part.  Whatever that does not cover is named, and left to Slurm. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/select_bestfit/bestfit.h"

struct bestfit {
	struct wt_tree *tree;
	struct wt_room *room;
	struct wt_select *by_nodes, *by_cpus;
	uint32_t *cpus, *units;		/* by the tree's node */
	uint64_t *sums;			/* of a level's switches */
};

static uint32_t ceil_div(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

struct bestfit *bestfit_create(struct wt_tree *t, const uint32_t *cpus, enum wt_tie tie, struct wt_error *errp)
{
	const struct wt_select_options options = { .tie = tie };
	struct bestfit *b = calloc(1, sizeof(*b));
	uint32_t nodes = wt_tree_nodes(t);

	if (!b) {
		wt_tree_destroy(t);
		wt_error_errno(errp, ENOMEM, "best fit");
		return NULL;
	}
	b->tree = t;
	b->room = wt_room_create(t);
	b->cpus = calloc(nodes, sizeof(*b->cpus));
	b->units = calloc(nodes, sizeof(*b->units));
	b->sums = calloc(wt_tree_switches(t, 0), sizeof(*b->sums));
	if (!b->room || !b->cpus || !b->units || !b->sums) {
		bestfit_destroy(b);
		wt_error_errno(errp, ENOMEM, "best fit");
		return NULL;
	}
	memcpy(b->cpus, cpus, nodes * sizeof(*b->cpus));
	for (uint32_t n = 0; n < nodes; n++)
		b->units[n] = cpus[n] > 0;
	/* Two: where nodes differ in CPUs, how many switches a job needs at least depends on what it counts. */
	b->by_nodes = wt_select_create(t, b->units, &options, errp);
	b->by_cpus = b->by_nodes ? wt_select_create(t, b->cpus, &options, errp) : NULL;
	if (!b->by_cpus) {
		bestfit_destroy(b);
		return NULL;
	}
	return b;
}

void bestfit_destroy(struct bestfit *b)
{
	int saved_errno = errno;

	if (!b)
		return;
	wt_select_destroy(b->by_nodes);
	wt_select_destroy(b->by_cpus);
	wt_room_destroy(b->room);
	free(b->cpus);
	free(b->units);
	free(b->sums);
	wt_tree_destroy(b->tree);
	free(b);
	errno = saved_errno;
}

const struct wt_tree *bestfit_tree(const struct bestfit *b)
{
	return b->tree;
}

/* The nodes of the least weight first; their number. */
static size_t lightest_first(struct bestfit_node *nodes, size_t count)
{
	uint64_t least = UINT64_MAX;
	size_t light = 0;

	for (size_t i = 0; i < count; i++)
		least = nodes[i].weight < least ? nodes[i].weight : least;
	for (size_t i = 0; i < count; i++) {
		struct bestfit_node node = nodes[i];

		if (node.weight != least)
			continue;
		nodes[i] = nodes[light];
		nodes[light++] = node;
	}
	return light;
}

static enum bestfit_reason nodes_judge(const struct bestfit *b, const struct bestfit_node *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (nodes[i].node == WT_TREE_NONE || !b->cpus[nodes[i].node])
			return BESTFIT_OUTSIDE;
		if (nodes[i].cpus != nodes[0].cpus)
			return BESTFIT_MIXED;
	}
	return count ? BESTFIT_CHOSEN : BESTFIT_FEW;
}

static enum bestfit_reason want_fill(const struct bestfit_job *job, uint32_t cpus, struct bestfit_want *want)
{
	uint32_t nodes = job->min_nodes > job->req_nodes ? job->min_nodes : job->req_nodes;

	if (!job->whole && nodes <= 1 && job->max_nodes != 1) {	/* CPUs wherever they are, in whole tasks */
		/* A task's CPUs are on one node: what is asked for beyond whole tasks takes one task more. */
		uint64_t units = (uint64_t) ceil_div(job->min_cpus, job->cpus_per_task) * job->cpus_per_task;

		*want = (struct bestfit_want) { .by_cpus = true, .each = job->cpus_per_task, .units = units ? units : 1 };
		return BESTFIT_CHOSEN;
	}
	if (job->whole && !cpus)
		return BESTFIT_MIXED;
	if (job->whole && ceil_div(job->min_cpus, cpus) > nodes)
		nodes = ceil_div(job->min_cpus, cpus);
	nodes = nodes ? nodes : 1;
	if (nodes > job->max_nodes)
		return BESTFIT_RANGE;
	*want = (struct bestfit_want) { .each = 1, .units = nodes };
	if (job->whole)
		return BESTFIT_CHOSEN;
	want->each = ceil_div(job->tasks > nodes ? job->tasks : nodes, nodes) * job->cpus_per_task;
	if (ceil_div(job->min_cpus, nodes) > want->each)
		want->each = ceil_div(job->min_cpus, nodes);
	return BESTFIT_CHOSEN;
}

enum bestfit_reason bestfit_want(const struct bestfit_job *job, uint32_t cpus, struct bestfit_want *want)
{
	enum bestfit_reason reason = want_fill(job, cpus, want);
	struct bestfit_want next;

	if (reason != BESTFIT_CHOSEN)
		return reason;
	for (size_t i = 0; i < job->next_count && i < WT_SELECT_NEXT_MAX; i++) {
		/* Nodes and CPUs cannot be counted together: the jobs behind the first of the other kind are not looked
		 * at. */
		if (want_fill(&job->next[i], cpus, &next) != BESTFIT_CHOSEN || next.by_cpus != want->by_cpus)
			break;
		want->next_units[want->next_count++] = next.units;
	}
	return BESTFIT_CHOSEN;
}

enum bestfit_reason bestfit_pick(struct bestfit *b, const struct bestfit_job *job, const struct bestfit_want *want,
				 const struct wt_room *room, struct select_choice *choice)
{
	const struct select_request request = { .units = want->units, .next_units = want->next_units,
					    .next_count = want->next_count, .imagined = job->imagined };

	if (wt_select_pick(want->by_cpus ? b->by_cpus : b->by_nodes, room, &request, choice) < 0)
		return errno == ENOSPC ? BESTFIT_FEW : BESTFIT_ERROR;
	/* Only the choice tells how many nodes it takes; a node without a task would be none of the job's. */
	if (want->by_cpus && (choice->count > job->max_nodes || (job->tasks && choice->count > job->tasks)))
		return BESTFIT_RANGE;
	return BESTFIT_CHOSEN;
}

void bestfit_note(struct bestfit *b, const struct bestfit_want *want)
{
	wt_select_note(want->by_cpus ? b->by_cpus : b->by_nodes, want->units);
}

/* So many nodes, each of which can give an equal part of the CPUs. */
static enum bestfit_reason nodes_choose(struct bestfit *b, const struct bestfit_job *job, const struct bestfit_want *want,
					const struct bestfit_node *nodes, size_t count, struct select_choice *choice)
{
	size_t usable = 0;

	for (size_t i = 0; i < count; i++) {
		if (nodes[i].avail_cpus < want->each)
			continue;
		b->units[nodes[i].node] = 1;
		usable++;
	}
	if (usable < want->units)	/* unequal parts, or fewer nodes of a range, are Slurm's to find */
		return want->units > job->min_nodes && count >= job->min_nodes ? BESTFIT_RANGE : BESTFIT_FEW;
	if (usable == count && count == want->units)
		return BESTFIT_ALL;
	wt_room_fill(b->room, b->units);
	return bestfit_pick(b, job, want, b->room, choice);
}

static enum bestfit_reason cpus_choose(struct bestfit *b, const struct bestfit_job *job, const struct bestfit_want *want,
				       const struct bestfit_node *nodes, size_t count, struct select_choice *choice)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t avail = nodes[i].avail_cpus < nodes[i].cpus ? nodes[i].avail_cpus : nodes[i].cpus;

		/* What is left behind whole tasks is of no use to the job. */
		b->units[nodes[i].node] = avail - avail % want->each;
	}
	wt_room_fill(b->room, b->units);
	return bestfit_pick(b, job, want, b->room, choice);
}

static enum bestfit_reason nodes_of_weight_choose(struct bestfit *b, const struct bestfit_job *job,
						  const struct bestfit_node *nodes,
						  size_t count, struct select_choice *choice)
{
	enum bestfit_reason reason = nodes_judge(b, nodes, count);
	struct bestfit_want want;
	uint32_t least = UINT32_MAX;	/* specialized cores may be missing on some */

	if (reason != BESTFIT_CHOSEN)
		return reason;
	for (size_t i = 0; i < count; i++)
		least = nodes[i].avail_cpus < least ? nodes[i].avail_cpus : least;
	reason = bestfit_want(job, least, &want);
	if (reason != BESTFIT_CHOSEN)
		return reason;
	memset(b->units, 0, wt_tree_nodes(b->tree) * sizeof(*b->units));
	return want.by_cpus ? cpus_choose(b, job, &want, nodes, count, choice) : nodes_choose(b, job, &want, nodes, count,
		choice);
}

static uint32_t leaves_touched(struct bestfit *b, const struct select_choice *choice)
{
	uint32_t leaves = 0;

	memset(b->sums, 0, wt_tree_switches(b->tree, 0) * sizeof(*b->sums));
	for (size_t i = 0; i < choice->count; i++)
		leaves += !b->sums[wt_tree_leaf(b->tree, choice->picks[i].node)]++;
	return leaves;
}

enum bestfit_reason bestfit_choose(struct bestfit *b, const struct bestfit_job *job, struct bestfit_node *nodes,
				   size_t count,
				   struct select_choice *choice)
{
	size_t light = lightest_first(nodes, count);
	enum bestfit_reason reason = job->refused;

	if (reason != BESTFIT_CHOSEN)
		return reason;
	reason = nodes_of_weight_choose(b, job, nodes, light, choice);
	if (reason != BESTFIT_CHOSEN)	/* with heavier nodes, too, it is Slurm's to find out */
		return light < count && reason != BESTFIT_OUTSIDE ? BESTFIT_MIXED : reason;
	if (job->most_leaves && leaves_touched(b, choice) > job->most_leaves)
		return BESTFIT_SWITCHES;	/* few switches above may cost leaves */
	return BESTFIT_CHOSEN;
}

static uint32_t ancestor(const struct wt_tree *t, uint32_t node, uint32_t level)
{
	uint32_t sw = wt_tree_leaf(t, node);

	for (uint32_t l = 0; l < level; l++)
		sw = wt_tree_parent(t, l, sw);
	return sw;
}

void bestfit_touched(const struct wt_tree *t, const uint32_t *nodes, size_t count, uint32_t *touched)
{
	/* Ascending nodes of one switch are neighbours: counting where it changes needs no set. */
	for (uint32_t level = 0; level < wt_tree_levels(t); level++) {
		uint32_t last = WT_TREE_NONE;

		touched[level] = 0;
		for (size_t i = 0; i < count; i++) {
			uint32_t sw = ancestor(t, nodes[i], level);

			touched[level] += sw != last;
			last = sw;
		}
	}
}

int bestfit_compare(const struct wt_tree *t, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t level = wt_tree_levels(t); level-- > 0;)
		if (a[level] != b[level])
			return a[level] < b[level] ? -1 : 1;
	return 0;
}

static int sum_compare(const void *a, const void *b)
{
	const uint64_t *one = a, *two = b;

	return (*one < *two) - (*one > *two);
}

/* The least switches of a level that hold 'units' of the room; UINT32_MAX: not even all of them. */
static uint32_t least_of_room(struct bestfit *b, uint32_t level, uint64_t units)
{
	uint32_t switches = wt_tree_switches(b->tree, level), k = 0;
	uint64_t held = 0;

	for (uint32_t sw = 0; sw < switches; sw++)
		b->sums[sw] = wt_room_units(b->room, level, sw);
	qsort(b->sums, switches, sizeof(*b->sums), sum_compare);
	while (k < switches && held < units)
		held += b->sums[k++];
	return held < units ? UINT32_MAX : k;
}

/* p->count nodes on the fewest switches of each level, of those that are marked. */
static void least_of_nodes(struct bestfit *b, const bool *marked, size_t count, uint32_t *least)
{
	for (uint32_t n = 0; n < wt_tree_nodes(b->tree); n++)
		b->units[n] = marked[n] && b->cpus[n] > 0;
	wt_room_fill(b->room, b->units);
	for (uint32_t l = 0; l + 1 < wt_tree_levels(b->tree); l++)
		least[l] = least_of_room(b, l, count);
}

uint32_t bestfit_fewer_soon(struct bestfit *b, const struct bestfit_placement *p, const bool *soon)
{
	uint32_t now_least[WT_TREE_LEVELS_MAX], soon_least[WT_TREE_LEVELS_MAX], touched[WT_TREE_LEVELS_MAX], fewer = 0;

	bestfit_touched(b->tree, p->nodes, p->count, touched);
	least_of_nodes(b, p->usable, p->count, now_least);
	least_of_nodes(b, soon, p->count, soon_least);
	for (uint32_t l = 0; l + 1 < wt_tree_levels(b->tree); l++)
		if (soon_least[l] < now_least[l] && soon_least[l] < touched[l])
			fewer |= UINT32_C(1) << l;
	return fewer;
}

uint32_t bestfit_beyond(struct bestfit *b, const struct bestfit_placement *p)
{
	uint32_t touched[WT_TREE_LEVELS_MAX], levels = wt_tree_levels(b->tree), beyond = 0;
	uint64_t units = p->by_cpus ? p->cpus : p->count;
	const struct wt_select *s = p->by_cpus ? b->by_cpus : b->by_nodes;

	bestfit_touched(b->tree, p->nodes, p->count, touched);
	/* First beside the empty machine, whose numbers are ready: most jobs need no look at single nodes. */
	for (uint32_t l = 0; l + 1 < levels; l++)
		if (touched[l] > wt_select_least(s, l, units))
			beyond |= UINT32_C(1) << l;
	if (!beyond)
		return 0;
	/* Not all of the machine may be for this job: what it can never get is not worth a wait. */
	for (uint32_t n = 0; n < wt_tree_nodes(b->tree); n++) {
		/* A task's CPUs are on one node: what does not make a whole task is of no use. */
		uint32_t all = p->by_cpus ? b->cpus[n] - b->cpus[n] % p->cpus_per_task : b->cpus[n] > 0;

		b->units[n] = p->usable[n] ? all : 0;
	}
	wt_room_fill(b->room, b->units);
	for (uint32_t l = 0; l + 1 < levels; l++)
		if (touched[l] <= least_of_room(b, l, units))
			beyond &= ~(UINT32_C(1) << l);
	return beyond;
}
