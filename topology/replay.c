/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record of jobs is played back in the order of its times: each start is judged in the room that the jobs before it
 * have left, and each node is given back when the record says so.  O(n log n) for n starts and releases, and a judgement
 * for each job. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/replay.h"

struct replay_step {
	double time_s;
	uint32_t job;
	uint32_t node;	/* index into the job's nodes, or START, or CLOSE: they go out of service */
};

/* Above all places of nodes in a job. */
#define START UINT32_MAX
#define CLOSE (UINT32_MAX - 1)

struct replay_state {
	const struct wt_tree *tree;
	const struct wt_replay_job *jobs;
	size_t count;
	struct wt_room *room, *offer;
	const uint32_t *capacity;	/* of each node, or NULL: 1 each */
	uint32_t **used;	/* [jobs][its nodes]: what each node gave; NULL before the start */
	uint32_t *units;	/* [nodes]: for filling 'offer' */
	uint32_t *owner;	/* [nodes]: the job that got the node last */
	uint8_t *closed;	/* [nodes]: out of service */
	uint64_t total;		/* units of the idle machine */
	struct replay_step *steps;
	size_t step_count;
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

static int step_kind(const struct replay_step *s)
{
	return s->node == START ? 2 : s->node == CLOSE;
}

/* Releases come before starts of the same moment, nodes go out of service in between, and otherwise as they stand in the
 * record. */
static int step_order(const void *a, const void *b)
{
	const struct replay_step *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	if (step_kind(x) != step_kind(y))
		return step_kind(x) - step_kind(y);
	return (x->job > y->job) - (x->job < y->job);
}

static int steps_make(struct replay_state *r, double until_s)
{
	size_t total = r->count;

	for (size_t i = 0; i < r->count; i++)
		total += r->jobs[i].node_count;
	r->steps = malloc((total + 1) * sizeof(*r->steps));
	if (!r->steps)
		return wt_error_errno(r->errp, ENOMEM, "replay");
	for (uint32_t i = 0; i < r->count; i++) {
		const struct wt_replay_job *j = &r->jobs[i];

		if (j->start_s > until_s)
			continue;
		r->steps[r->step_count++] = (struct replay_step) { j->start_s, i, j->out_of_service ? CLOSE : START };
		for (uint32_t n = 0; !j->out_of_service && n < j->node_count; n++)
			if (isfinite(j->release_s[n]) && j->release_s[n] <= until_s)	/* never before the start */
				r->steps[r->step_count++] = (struct replay_step) {
					/* A record of whole seconds may have a release at its start or before; in the
					 * order of steps it must come after it. */
					fmax(j->release_s[n], nextafter(j->start_s, INFINITY)), i, n
				};
	}
	qsort(r->steps, r->step_count, sizeof(*r->steps), step_order);
	return 0;
}

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
	return 0;
}

/* A late release of a node that another job has whole by now changes nothing. */
static void node_release(struct replay_state *r, uint32_t job, uint32_t n)
{
	uint32_t node = r->jobs[job].nodes[n], all = capacity_of(r, node);
	uint32_t units = wt_room_node(r->room, node) + r->used[job][n];

	if (r->closed[node] || (r->owner[node] != job && r->used[job][n] == all))
		return;
	wt_room_set(r->room, node, units < all ? units : all);
}

static void until_tell(const struct replay_state *r, double until_s)
{
	if (r->watch && r->watch->until)
		r->watch->until(r->watch->arg, until_s, r->room);
}

static int steps_run(struct replay_state *r)
{
	for (size_t i = 0; i < r->step_count; i++) {
		const struct replay_step *s = &r->steps[i];

		if (!i || s->time_s > r->steps[i - 1].time_s)
			until_tell(r, s->time_s);
		if (s->node == CLOSE)
			nodes_close(r, &r->jobs[s->job]);
		else if (s->node != START)
			node_release(r, s->job, s->node);
		else if (job_start(r, s->job) < 0)
			return -1;
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
	r->owner = calloc(r->tree->node_count, sizeof(*r->owner));
	r->closed = calloc(r->tree->node_count, sizeof(*r->closed));
	if (!r->room || !r->offer || !r->units || !r->used || !r->owner || !r->closed)
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
	free(r->owner);
	free(r->closed);
	free(r->units);
	free(r->steps);
	wt_room_destroy(r->room);
	wt_room_destroy(r->offer);
	wt_score_destroy(r->score);
}

static int replay_run(struct replay_state *r, double until_s, struct wt_room *room)
{
	int rc;

	if (r->result) {
		memset(r->result, 0, sizeof(*r->result));
		r->result->tally.levels = r->result->offered.levels = r->tree->level_count - 1;
	}
	rc = jobs_check(r) < 0 || replay_init(r) < 0 || steps_make(r, until_s) < 0 || steps_run(r) < 0;
	if (!rc && room)
		wt_room_copy(room, r->room);
	replay_clear(r);
	return rc ? -1 : 0;
}

int wt_replay(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
	      double until_s, struct wt_replay_result *result, struct wt_room *room, struct wt_error *errp)
{
	struct replay_state r = {
		.tree = t, .capacity = capacity, .jobs = jobs, .count = count, .result = result, .errp = errp,
	};

	return replay_run(&r, until_s, room);
}

int wt_replay_watched(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
		      struct wt_replay_result *result, const struct wt_replay_watch *watch, struct wt_error *errp)
{
	struct replay_state r = {
		.tree = t, .capacity = capacity, .jobs = jobs, .count = count, .result = result, .watch = watch,
		.errp = errp,
	};

	return replay_run(&r, INFINITY, NULL);
}
