/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record is played back as in replay.c, but only in numbers: what each job holds.  After the starts of each moment the
 * jobs that run are looked at level by level.  If so many of them cannot be optimal, and fewer than that are known not to
 * be, those that run longest are taken for it: they answer for most of the moments that follow.  Intervals are covered with
 * the fewest by that. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/bound.h"
#include "topology/select.h"
#include "topology/tree_private.h"

/* A job takes a node, or gives it back. */
struct bound_step {
	double time_s;
	uint32_t job, node;
	int64_t units;	/* given back: below 0 */
};

/* A job as it is looked at. */
struct bound_look {
	uint64_t held;
	double last_s;		/* of its nodes */
	uint32_t least[WT_TREE_LEVELS_MAX];
	bool whole_machine;
	uint32_t lost;		/* bits of levels on which it is taken not to be optimal; the root's: on some level */
};

struct bounding {
	const struct wt_tree *tree;
	const uint32_t *capacity;
	const struct wt_replay_job *jobs;
	size_t count;
	struct wt_select *select;	/* knows the idle machine */
	uint64_t *sizes[WT_TREE_LEVELS_MAX];	/* of the switches, the largest first */
	struct bound_look *looks;
	struct bound_step *steps;
	size_t step_count;
	uint64_t *node_units;		/* taken of each node */
	size_t overfull;		/* nodes of which more is taken than they have: by the record's times */
	uint32_t *running;		/* jobs that hold something */
	size_t running_count;
	uint64_t *units;		/* [jobs]: of those that run */
	uint32_t *least;
	struct wt_bound *bound;
};

static uint64_t capacity_of(const struct bounding *b, uint32_t node)
{
	return b->capacity ? b->capacity[node] : 1;
}

/* What is given back comes before what is taken in the same moment. */
static int step_order(const void *a, const void *b)
{
	const struct bound_step *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return (x->units > 0) - (y->units > 0);
}

static void steps_add(struct bounding *b, uint32_t job)
{
	const struct wt_replay_job *j = &b->jobs[job];
	uint64_t rest = j->units;

	for (uint32_t n = 0; n < j->node_count; n++) {
		uint64_t all = capacity_of(b, j->nodes[n]), later = j->node_count - 1 - n;
		uint64_t units = j->node_units ? j->node_units[n] : rest > later ? rest - later : 1;
		/* A record of whole seconds may have a release at its start or before. */
		double back_s = fmax(j->release_s[n], nextafter(j->start_s, INFINITY));

		units = units < all ? units : all;
		rest -= rest > units ? units : rest;
		b->steps[b->step_count++] = (struct bound_step) { j->start_s, job, j->nodes[n], (int64_t) units };
		if (isfinite(back_s))
			b->steps[b->step_count++] = (struct bound_step) { back_s, job, j->nodes[n], -(int64_t) units };
		b->looks[job].last_s = fmax(b->looks[job].last_s, back_s);
	}
}

/* Nodes that go out of service are no jobs, and what they take is left to all: that allows more. */
static int job_read(struct bounding *b, uint32_t job, struct wt_error *errp)
{
	const struct wt_replay_job *j = &b->jobs[job];
	struct bound_look *look = &b->looks[job];
	uint32_t root = b->tree->level_count - 1;

	if (j->out_of_service)
		return 0;
	if (!j->units || !j->node_count || !isfinite(j->start_s))
		return wt_error_set(errp, EINVAL, "bound: job %u has no units, no nodes or no start", job);
	for (uint32_t n = 0; n < j->node_count; n++)
		if (j->nodes[n] >= b->tree->node_count || isnan(j->release_s[n]))
			return wt_error_set(errp, EINVAL, "bound: job %u has an unknown node or time", job);
	look->last_s = -INFINITY;
	look->whole_machine = j->units >= b->sizes[root][0];
	b->bound->jobs += !look->whole_machine;
	for (uint32_t l = 0; l < root && !look->whole_machine; l++)
		look->least[l] = wt_select_least(b->select, l, j->units);
	steps_add(b, job);
	return 0;
}

/* ---- a moment ----------------------------------------------------------------------------------------------------- */

/* Take jobs that run for not optimal on a level until so many are; those that run longest first. */
static void losses_cover(struct bounding *b, uint32_t bit, size_t wanted)
{
	size_t known = 0;

	for (size_t i = 0; i < b->running_count; i++)
		known += b->looks[b->running[i]].lost >> bit & 1;
	for (; known < wanted; known++) {
		struct bound_look *longest = NULL;

		for (size_t i = 0; i < b->running_count; i++) {
			struct bound_look *look = &b->looks[b->running[i]];

			if (!look->whole_machine && !(look->lost >> bit & 1) && (!longest || look->last_s > longest->last_s))
				longest = look;
		}
		if (!longest)
			return;
		longest->lost |= UINT32_C(1) << bit;
	}
}

static void moment_look(struct bounding *b)
{
	uint32_t root = b->tree->level_count - 1;

	/* The record has two jobs on one node, for the moment: what it says cannot be laid out in any way. */
	if (b->overfull)
		return;
	b->bound->moments++;
	for (uint32_t l = 0; l < root; l++) {
		size_t count = 0, excess;

		for (size_t i = 0; i < b->running_count; i++) {
			const struct bound_look *look = &b->looks[b->running[i]];

			if (look->whole_machine)
				continue;
			b->units[count] = look->held;
			b->least[count++] = look->least[l];
		}
		excess = wt_bound_excess(b->sizes[l], b->tree->levels[l].count, b->units, b->least, count);
		b->bound->tight[l] += excess > 0;
		losses_cover(b, l, excess);
		losses_cover(b, root, excess);
	}
}

static void step_take(struct bounding *b, const struct bound_step *s)
{
	uint64_t all = capacity_of(b, s->node), before = b->node_units[s->node];
	uint64_t after = before + (uint64_t) s->units;	/* modulo 2^64 */
	struct bound_look *look = &b->looks[s->job];

	b->overfull += after > all;
	b->overfull -= before > all;
	b->node_units[s->node] = after;
	if (s->units > 0 && !look->held)
		b->running[b->running_count++] = s->job;
	look->held += (uint64_t) s->units;
	for (size_t i = 0; !look->held && i < b->running_count; i++)
		if (b->running[i] == s->job)
			b->running[i--] = b->running[--b->running_count];
}

static void steps_run(struct bounding *b)
{
	for (size_t i = 0; i < b->step_count; i++) {
		step_take(b, &b->steps[i]);
		/* When all that start in a moment have their nodes: until then, and from the first that is given back on,
		 * jobs hold less. */
		if (b->steps[i].units > 0 && (i + 1 == b->step_count || b->steps[i + 1].units < 0 ||
					      b->steps[i + 1].time_s > b->steps[i].time_s))
			moment_look(b);
	}
}

static void losses_count(struct bounding *b)
{
	uint32_t root = b->tree->level_count - 1;

	for (uint32_t l = 0; l <= root; l++) {
		uint64_t *optimal = l < root ? &b->bound->absolute[l] : &b->bound->absolute_all;

		*optimal = b->bound->jobs;
		for (size_t i = 0; i < b->count; i++)
			*optimal -= b->looks[i].lost >> l & 1;
	}
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static int size_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static int sizes_fill(struct bounding *b)
{
	for (uint32_t l = 0; l < b->tree->level_count; l++) {
		uint32_t count = b->tree->levels[l].count;

		b->sizes[l] = calloc(count, sizeof(*b->sizes[l]));
		if (!b->sizes[l])
			return -1;
		for (uint32_t sw = 0; sw < count; sw++)
			for (uint32_t n = b->tree->levels[l].first_node[sw]; n < b->tree->levels[l].first_node[sw + 1]; n++)
				b->sizes[l][sw] += capacity_of(b, n);
		qsort(b->sizes[l], count, sizeof(*b->sizes[l]), size_order);
	}
	return 0;
}

static int bounding_init(struct bounding *b, struct wt_error *errp)
{
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH };
	size_t nodes = 0;

	for (size_t i = 0; i < b->count; i++)
		nodes += b->jobs[i].node_count;
	b->looks = calloc(b->count + 1, sizeof(*b->looks));
	b->running = calloc(b->count + 1, sizeof(*b->running));
	b->units = calloc(b->count + 1, sizeof(*b->units));
	b->least = calloc(b->count + 1, sizeof(*b->least));
	b->steps = calloc(2 * nodes + 1, sizeof(*b->steps));
	b->node_units = calloc(b->tree->node_count, sizeof(*b->node_units));
	if (!b->looks || !b->running || !b->units || !b->least || !b->steps || !b->node_units || sizes_fill(b) < 0)
		return wt_error_errno(errp, ENOMEM, "bound");
	b->select = wt_select_create(b->tree, b->capacity, &options, errp);
	return b->select ? 0 : -1;
}

static void bounding_clear(struct bounding *b)
{
	for (uint32_t l = 0; l < b->tree->level_count; l++)
		free(b->sizes[l]);
	free(b->looks);
	free(b->running);
	free(b->units);
	free(b->least);
	free(b->steps);
	free(b->node_units);
	wt_select_destroy(b->select);
}

int wt_bound(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
	     struct wt_bound *bound, struct wt_error *errp)
{
	struct bounding b = { .tree = t, .capacity = capacity, .jobs = jobs, .count = count, .bound = bound };
	int rc;

	memset(bound, 0, sizeof(*bound));
	bound->levels = t->level_count - 1;
	rc = bounding_init(&b, errp);
	for (uint32_t i = 0; rc == 0 && i < count; i++)
		rc = job_read(&b, i, errp);
	if (rc == 0) {
		qsort(b.steps, b.step_count, sizeof(*b.steps), step_order);
		steps_run(&b);
		losses_count(&b);
	}
	bounding_clear(&b);
	return rc;
}
