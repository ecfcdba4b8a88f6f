/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of jobs is played back in the order of its times: each start is judged in the room that the jobs before it
 * have left, and each node is given back when the record says so.  Only the releases of jobs that run wait in a heap: a
 * million jobs have a hundred million releases, and a machine a few thousand nodes.  O(n log m) for n starts and releases
 * and m nodes in use at a time, and a judgement for each job. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/replay.h"

struct release {
	double time_s;
	uint32_t job;
	uint32_t node;	/* index into the job's nodes */
};

struct replay_state {
	const struct wt_tree *tree;
	const struct wt_replay_job *jobs;
	size_t count;
	struct wt_room *room, *offer;
	const uint32_t *capacity;	/* of each node, or NULL: 1 each */
	uint32_t **used;	/* [jobs][its nodes]: what each gave; NULL before the start and after the last release */
	uint32_t *held;	/* [jobs]: releases that are still to come */
	uint32_t *units;	/* [nodes]: for filling 'offer' */
	uint32_t *owner;	/* [nodes]: the job that got the node last */
	uint8_t *closed;	/* [nodes]: out of service */
	uint64_t total;		/* units of the idle machine */
	double until_s;
	uint32_t *order;	/* [order_count]: jobs in the order of their starts */
	size_t order_count;
	struct release *heap;	/* [heap_count], the earliest first */
	size_t heap_count, heap_cap;
	struct wt_score *score;
	struct wt_replay_result *result;
	const struct wt_replay_watch *watch;	/* or NULL */
	struct wt_error *errp;
};

static int nodes_check(const struct replay_state *r, const struct wt_replay_job *j)
{
	for (uint32_t n = 0; n < j->node_count; n++)
		if (j->nodes[n] >= r->tree->node_count ||
		    (!j->out_of_service && (isnan(j->release_s[n]) || (j->node_units && !j->node_units[n]))))
			return -1;
	return 0;
}

static int jobs_check(const struct replay_state *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct wt_replay_job *j = &r->jobs[i];

		if ((!j->units && !j->out_of_service) || !j->node_count || !isfinite(j->start_s))
			return wt_error_set(r->errp, EINVAL, "replay: job %zu has no units, no nodes or no start", i);
		if (nodes_check(r, j) < 0)
			return wt_error_set(r->errp, EINVAL,
					    "replay: job %zu has an unknown node or time, or nothing of a node", i);
		for (uint32_t n = 0; n < j->offer_count; n++)
			if (j->offer_nodes[n] >= r->tree->node_count || !j->offer_units[n])
				return wt_error_set(r->errp, EINVAL,
						    "replay: job %zu was offered an unknown node, or nothing of a node", i);
	}
	return 0;
}

/* ---- what comes next ---------------------------------------------------------------------------------------------- */

/* Nodes go out of service before jobs start in the same moment; otherwise as they stand in the record. */
static int start_order(const void *a, const void *b, void *jobs)
{
	uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
	const struct wt_replay_job *all = jobs, *x = &all[i], *y = &all[k];

	if (x->start_s != y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	if (!x->out_of_service != !y->out_of_service)
		return x->out_of_service ? -1 : 1;
	return (i > k) - (i < k);
}

static int order_make(struct replay_state *r)
{
	r->order = malloc((r->count + 1) * sizeof(*r->order));
	if (!r->order)
		return wt_error_errno(r->errp, ENOMEM, "replay");
	for (uint32_t i = 0; i < r->count; i++)
		if (r->jobs[i].start_s <= r->until_s)
			r->order[r->order_count++] = i;
	qsort_r(r->order, r->order_count, sizeof(*r->order), start_order, (void *) r->jobs);
	return 0;
}

static bool release_before(const struct release *x, const struct release *y)
{
	return x->time_s != y->time_s ? x->time_s < y->time_s : x->job < y->job;
}

static int heap_room(struct replay_state *r, size_t more)
{
	size_t cap = 2 * r->heap_cap > r->heap_count + more ? 2 * r->heap_cap : r->heap_count + more;
	struct release *heap;

	if (r->heap_count + more <= r->heap_cap)
		return 0;
	heap = realloc(r->heap, cap * sizeof(*heap));
	if (!heap)
		return wt_error_errno(r->errp, ENOMEM, "replay");
	r->heap = heap;
	r->heap_cap = cap;
	return 0;
}

static void heap_add(struct replay_state *r, struct release added)
{
	size_t at = r->heap_count++;

	for (; at && release_before(&added, &r->heap[(at - 1) / 2]); at = (at - 1) / 2)
		r->heap[at] = r->heap[(at - 1) / 2];
	r->heap[at] = added;
}

static struct release heap_take(struct replay_state *r)
{
	struct release first = r->heap[0], last = r->heap[--r->heap_count];
	size_t at = 0, below;

	while ((below = 2 * at + 1) < r->heap_count) {
		if (below + 1 < r->heap_count && release_before(&r->heap[below + 1], &r->heap[below]))
			below++;
		if (!release_before(&r->heap[below], &last))
			break;
		r->heap[at] = r->heap[below];
		at = below;
	}
	r->heap[at] = last;
	return first;
}

/* Of a job that starts: when its nodes come back. */
static int releases_add(struct replay_state *r, uint32_t job)
{
	const struct wt_replay_job *j = &r->jobs[job];

	if (heap_room(r, j->node_count) < 0)
		return -1;
	for (uint32_t n = 0; n < j->node_count; n++) {
		/* A record of whole seconds may have a release at its start or before; it must come after it. */
		if (!isfinite(j->release_s[n]) || j->release_s[n] > r->until_s)
			continue;
		heap_add(r, (struct release) { fmax(j->release_s[n], nextafter(j->start_s, INFINITY)), job, n });
		r->held[job]++;
	}
	return 0;
}

/* ---- what each node gives ----------------------------------------------------------------------------------------- */

static uint32_t capacity_of(const struct replay_state *r, uint32_t node)
{
	return r->capacity ? r->capacity[node] : 1;
}

/* The record says what each node gave. */
static void nodes_give_exactly(struct replay_state *r, const struct wt_replay_job *j, uint32_t *used)
{
	for (uint32_t n = 0; n < j->node_count; n++) {
		uint32_t node = j->nodes[n], all = capacity_of(r, node);

		used[n] = j->node_units[n] < all ? j->node_units[n] : all;
		if (wt_room_node(r->room, node) >= used[n])
			continue;
		wt_room_set(r->room, node, used[n]);
		if (r->result)
			r->result->overlaps++;
	}
}

/* What each of the job's nodes gives; a node that has less than it should is made to have it. */
static void nodes_give(struct replay_state *r, const struct wt_replay_job *j, uint32_t *used)
{
	uint64_t rest = j->units;

	for (uint32_t n = 0; n < j->node_count; n++) {
		uint32_t node = j->nodes[n], has = wt_room_node(r->room, node), later = j->node_count - 1 - n;
		uint64_t wanted = rest > later ? rest - later : 1;
		uint32_t all = capacity_of(r, node);

		used[n] = wanted < has ? (uint32_t) wanted : has;
		/* The record says that the job was there: what the room lacks was still held by a job whose release is
		 * recorded late. */
		if (!has || (!later && rest > used[n])) {
			used[n] = wanted < all ? (uint32_t) wanted : all;
			wt_room_set(r->room, node, used[n]);
			if (r->result)
				r->result->overlaps++;
		}
		rest -= rest > used[n] ? used[n] : rest;
	}
}

static int room_score(struct replay_state *r, const struct wt_replay_job *j, const struct wt_room *room,
		      struct wt_verdict *verdict)
{
	uint64_t free_units = wt_room_total(room), units = j->units;

	if (units > free_units && units < r->total)
		units = free_units;	/* the record and the laying out of shared nodes are off by a little */
	return wt_score_job(r->score, room, j->nodes, j->node_count, units, verdict, r->errp);
}

/* With what the job got, which the log may know otherwise than the record. */
static void offer_fill(struct replay_state *r, const struct wt_replay_job *j, const uint32_t *used)
{
	for (uint32_t node = 0; node < r->tree->node_count; node++)
		r->units[node] = 0;
	for (uint32_t i = 0; i < j->offer_count; i++) {
		uint32_t node = j->offer_nodes[i], all = capacity_of(r, node);

		r->units[node] = j->offer_units[i] < all ? j->offer_units[i] : all;
	}
	for (uint32_t n = 0; n < j->node_count; n++)
		if (r->units[j->nodes[n]] < used[n])
			r->units[j->nodes[n]] = used[n];
	wt_room_fill(r->offer, r->units);
}

static int job_score(struct replay_state *r, uint32_t job, const uint32_t *used)
{
	const struct wt_replay_job *j = &r->jobs[job];
	struct wt_verdict verdict;

	if (room_score(r, j, r->room, &verdict) < 0)
		return -1;
	wt_score_add(&r->result->tally, r->tree, &verdict);
	if (r->watch && r->watch->job)
		r->watch->job(r->watch->arg, job, &verdict);
	if (!verdict.whole_machine && !j->offer_count)
		r->result->not_offered++;
	/* The second judgement is by what the scheduler says it could choose from, where that is known. */
	if (!verdict.whole_machine && j->offer_count) {
		offer_fill(r, j, used);
		if (room_score(r, j, r->offer, &verdict) < 0)
			return -1;
	}
	wt_score_add(&r->result->offered, r->tree, &verdict);
	return 0;
}

static void nodes_close(struct replay_state *r, const struct wt_replay_job *j)
{
	for (uint32_t n = 0; n < j->node_count; n++) {
		wt_room_set(r->room, j->nodes[n], 0);
		r->closed[j->nodes[n]] = 1;
	}
}

static int job_start(struct replay_state *r, uint32_t job)
{
	const struct wt_replay_job *j = &r->jobs[job];

	r->used[job] = calloc(j->node_count, sizeof(**r->used));
	if (!r->used[job])
		return wt_error_errno(r->errp, ENOMEM, "replay");
	if (j->node_units)
		nodes_give_exactly(r, j, r->used[job]);
	else
		nodes_give(r, j, r->used[job]);
	if (r->result && job_score(r, job, r->used[job]) < 0)
		return -1;
	for (uint32_t n = 0; n < j->node_count; n++) {
		uint32_t node = j->nodes[n];

		wt_room_set(r->room, node, wt_room_node(r->room, node) - r->used[job][n]);
		r->owner[node] = job;
	}
	return releases_add(r, job);
}

/* A late release of a node that another job has whole by now changes nothing. */
static void node_release(struct replay_state *r, uint32_t job, uint32_t n)
{
	uint32_t node = r->jobs[job].nodes[n], all = capacity_of(r, node);
	uint32_t units = wt_room_node(r->room, node) + r->used[job][n];

	if (!r->closed[node] && (r->owner[node] == job || r->used[job][n] != all))
		wt_room_set(r->room, node, units < all ? units : all);
	if (--r->held[job])
		return;
	free(r->used[job]);
	r->used[job] = NULL;
}

static void until_tell(const struct replay_state *r, double until_s)
{
	if (r->watch && r->watch->until)
		r->watch->until(r->watch->arg, until_s, r->room);
}

static int order_step(struct replay_state *r, uint32_t job)
{
	if (!r->jobs[job].out_of_service)
		return job_start(r, job);
	nodes_close(r, &r->jobs[job]);
	return 0;
}

/* Releases come before starts of the same moment. */
static int steps_run(struct replay_state *r)
{
	double last_s = -INFINITY;
	size_t next = 0;

	while (next < r->order_count || r->heap_count) {
		double start_s = next < r->order_count ? r->jobs[r->order[next]].start_s : INFINITY;
		bool release = r->heap_count && r->heap[0].time_s <= start_s;
		double time_s = release ? r->heap[0].time_s : start_s;

		if (time_s > last_s)
			until_tell(r, time_s);
		last_s = time_s;
		if (release) {
			struct release first = heap_take(r);

			node_release(r, first.job, first.node);
		} else if (order_step(r, r->order[next++]) < 0) {
			return -1;
		}
	}
	until_tell(r, INFINITY);
	return 0;
}

static int replay_init(struct replay_state *r)
{
	r->room = wt_room_create(r->tree);
	r->offer = wt_room_create(r->tree);
	r->units = calloc(r->tree->node_count + 1, sizeof(*r->units));
	r->used = calloc(r->count + 1, sizeof(*r->used));
	r->held = calloc(r->count + 1, sizeof(*r->held));
	r->owner = calloc(r->tree->node_count, sizeof(*r->owner));
	r->closed = calloc(r->tree->node_count, sizeof(*r->closed));
	if (!r->room || !r->offer || !r->units || !r->used || !r->held || !r->owner || !r->closed)
		return wt_error_errno(r->errp, ENOMEM, "replay");
	for (uint32_t node = 0; node < r->tree->node_count; node++)
		wt_room_set(r->room, node, capacity_of(r, node));
	r->total = wt_room_total(r->room);
	r->score = wt_score_create(r->tree, r->capacity, r->errp);
	return r->score ? 0 : -1;
}

static void replay_clear(struct replay_state *r)
{
	for (size_t i = 0; r->used && i < r->count; i++)
		free(r->used[i]);
	free(r->used);
	free(r->held);
	free(r->owner);
	free(r->closed);
	free(r->units);
	free(r->order);
	free(r->heap);
	wt_room_destroy(r->room);
	wt_room_destroy(r->offer);
	wt_score_destroy(r->score);
}

static int replay_run(struct replay_state *r, struct wt_room *room)
{
	int rc;

	if (r->result) {
		memset(r->result, 0, sizeof(*r->result));
		r->result->tally.levels = r->result->offered.levels = r->tree->level_count - 1;
	}
	rc = jobs_check(r) < 0 || replay_init(r) < 0 || order_make(r) < 0 || steps_run(r) < 0;
	if (!rc && room)
		wt_room_copy(room, r->room);
	replay_clear(r);
	return rc ? -1 : 0;
}

int wt_replay(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
	      double until_s, struct wt_replay_result *result, struct wt_room *room, struct wt_error *errp)
{
	struct replay_state r = {
		.tree = t, .capacity = capacity, .jobs = jobs, .count = count, .until_s = until_s, .result = result,
		.errp = errp,
	};

	return replay_run(&r, room);
}

int wt_replay_watched(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
		      struct wt_replay_result *result, const struct wt_replay_watch *watch, struct wt_error *errp)
{
	struct replay_state r = {
		.tree = t, .capacity = capacity, .jobs = jobs, .count = count, .until_s = INFINITY, .result = result,
		.watch = watch, .errp = errp,
	};

	return replay_run(&r, NULL);
}
