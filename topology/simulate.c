/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scheduler in small: a queue in the order of submission, EASY backfill behind its head, releases node by node.  Each
 * event (a submission, an end, a look at the queue) costs O(queue + running), which is enough for some ten thousand
 * jobs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/simulate.h"

/* Sums of the same times in another order differ by rounding. */
#define SAME_TIME_S 1e-9

/* A job that runs, and the nodes it has. */
struct running_job {
	size_t job;
	double end_s, done_s;	/* of the job, and of its last node */
	double planned_end_s;
	struct wt_pick *picks;
	size_t pick_count, released;
	uint64_t units_left;	/* not released */
};

struct sim {
	const struct wt_tree *tree;
	const struct wt_sim_machine *machine;
	struct wt_policy *policy;
	struct wt_score *score;
	struct wt_room *room, *soon;
	struct wt_sim_job *jobs;
	size_t count;
	double now_s;
	size_t *queue, queue_count;	/* waiting, in order */
	struct running_job *running;	/* by done_s */
	size_t running_count;
	double *node_end_s;		/* planned, of the last job on each node; 0: none */
	uint32_t *nodes;
	uint64_t next_units[WT_SELECT_NEXT_MAX];
	double *held_until_s;		/* [jobs][levels]: 0 while the job was never held back for the level */
	double cycle_s, backfill_s;	/* the next look at the queue, and that of backfill */
	double wait_s, unit_seconds, last_end_s;
	struct wt_sim_result *result;
	struct wt_error *errp;
};

static int jobs_check(const struct sim *s)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct wt_sim_job *j = &s->jobs[i];

		if (!j->units || j->units > wt_room_total(s->room) || j->nodes_min > s->tree->node_count)
			return wt_error_set(s->errp, EINVAL, "job %zu: %llu units on %llu", i,
					    (unsigned long long) j->units, (unsigned long long) wt_room_total(s->room));
		if (i && j->submit_s < s->jobs[i - 1].submit_s)
			return wt_error_set(s->errp, EINVAL, "job %zu is submitted before the one before it", i);
	}
	return 0;
}

static void running_insert(struct sim *s, struct running_job r)
{
	size_t i = s->running_count++;

	for (; i > 0 && s->running[i - 1].done_s > r.done_s; i--)
		s->running[i] = s->running[i - 1];
	s->running[i] = r;
}

static int job_score(struct sim *s, struct wt_sim_job *j, const struct select_choice *choice)
{
	for (size_t i = 0; i < choice->count; i++)
		s->nodes[i] = choice->picks[i].node;
	return wt_score_job(s->score, s->room, s->nodes, choice->count, j->units, &j->verdict, s->errp);
}

/* The room with the nodes that complete: of jobs that have ended, and not yet free. */
static void soon_fill(struct sim *s)
{
	wt_room_copy(s->soon, s->room);
	for (size_t q = 0; q < s->running_count; q++) {
		const struct running_job *r = &s->running[q];

		for (size_t i = r->released; i < r->pick_count && r->end_s <= s->now_s + SAME_TIME_S; i++)
			wt_room_set(s->soon, r->picks[i].node, wt_room_node(s->soon, r->picks[i].node) + r->picks[i].units);
	}
}

/* How long a job that is beyond its least number of a level is held back for it. */
static double level_wait_s(struct sim *s, const struct wt_sim_job *j, uint32_t level)
{
	double wait_s = s->machine->wait_s[level], completing_s = s->machine->completing_wait_s[level];

	if (completing_s <= wait_s)
		return wait_s;
	soon_fill(s);
	return wt_score_least(s->score, s->soon, level, j->units) < j->verdict.relative[level] ? completing_s : wait_s;
}

/* Whether a job is to wait for a better placement than the one in its verdict.  Each level has its own clock, which starts
 * when the job is first held back for it. */
static int job_held(struct sim *s, size_t job)
{
	const struct wt_verdict *v = &s->jobs[job].verdict;
	int held = 0;

	for (uint32_t l = 0; l + 1 < s->tree->level_count; l++) {
		double *until_s = &s->held_until_s[job * WT_TREE_LEVELS_MAX + l], wait_s;

		if (v->touched[l] <= v->absolute[l])
			continue;
		wait_s = level_wait_s(s, &s->jobs[job], l);
		if (wait_s <= 0)
			continue;
		if (*until_s == 0)
			*until_s = s->now_s + wait_s;
		held |= s->now_s < *until_s - SAME_TIME_S;
	}
	return held;
}

/* The sizes of the jobs behind a place of the queue, as many as are looked at. */
static size_t next_fill(struct sim *s, size_t place)
{
	size_t count = 0;

	while (count < WT_SELECT_NEXT_MAX && place + count + 1 < s->queue_count) {
		s->next_units[count] = s->jobs[s->queue[place + count + 1]].units;
		count++;
	}
	return count;
}

/* 1, or -1. */
static int started_tell(const struct sim *s, const struct running_job *r)
{
	const struct wt_sim_watch *watch = s->machine->watch;

	if (watch && watch->started(watch->arg, r->job, r->picks, r->pick_count, r->end_s + s->machine->release_step_s) < 0)
		return wt_error_errno(s->errp, errno, "job %zu", r->job);
	return 1;
}

/* 1: it runs; 0: the policy found no nodes, or the job waits; -1. */
static int job_start(struct sim *s, size_t place)
{
	size_t job = s->queue[place];
	struct wt_sim_job *j = &s->jobs[job];
	struct select_request request = {
		.units = j->units, .node_end_s = s->node_end_s, .start_s = s->now_s, .end_s = s->now_s + j->time_limit_s,
		.next_units = s->next_units, .next_count = next_fill(s, place),
	};
	struct running_job r = { .job = job, .end_s = s->now_s + j->run_time_s, .planned_end_s = request.end_s };
	struct select_choice choice;

	if (wt_policy_pick(s->policy, s->room, &request, j->nodes_min, &choice) < 0)
		return errno == ENOSPC ? 0 : wt_error_errno(s->errp, errno, "job %zu", job);
	if (job_score(s, j, &choice) < 0)
		return -1;
	/* Only now, for it depends on the place that the job would get. */
	if (job_held(s, job))
		return 0;
	wt_score_add(&s->result->tally, s->tree, &j->verdict);
	r.picks = malloc(choice.count * sizeof(*r.picks));
	if (!r.picks)
		return wt_error_errno(s->errp, ENOMEM, "simulation");
	r.pick_count = choice.count;
	r.units_left = j->units;
	r.done_s = r.end_s + (double) choice.count * s->machine->release_step_s;
	memcpy(r.picks, choice.picks, choice.count * sizeof(*r.picks));
	for (size_t i = 0; i < r.pick_count; i++) {
		uint32_t node = r.picks[i].node;

		wt_room_set(s->room, node, wt_room_node(s->room, node) - r.picks[i].units);
		/* By the limit, not by the run time, which no scheduler knows. */
		if (s->node_end_s[node] < r.planned_end_s)
			s->node_end_s[node] = r.planned_end_s;
	}
	j->start_s = s->now_s;
	s->last_end_s = fmax(s->last_end_s, r.end_s);
	s->wait_s += s->now_s - j->submit_s;
	s->unit_seconds += (double) j->units * j->run_time_s;
	running_insert(s, r);
	return started_tell(s, &r);
}

/* Free those nodes of a job that are due. */
static void nodes_release(struct sim *s, struct running_job *r)
{
	for (; r->released < r->pick_count; r->released++) {
		const struct wt_pick *p = &r->picks[r->released];

		if (r->end_s + (double) (r->released + 1) * s->machine->release_step_s > s->now_s + SAME_TIME_S)
			return;
		wt_room_set(s->room, p->node, wt_room_node(s->room, p->node) + p->units);
		/* Others that stay on a shared node have theirs put back by releases_run (). */
		s->node_end_s[p->node] = 0;
		r->units_left -= p->units;
	}
}

/* All releases up to now.  With shared nodes others may stay on the nodes: their planned ends count again. */
static void releases_run(struct sim *s)
{
	size_t done = 0;

	for (size_t q = 0; q < s->running_count; q++)
		nodes_release(s, &s->running[q]);
	while (done < s->running_count && s->running[done].done_s <= s->now_s + SAME_TIME_S)
		free(s->running[done++].picks);
	memmove(s->running, s->running + done, (s->running_count -= done) * sizeof(*s->running));
	for (size_t q = 0; q < s->running_count; q++)
		for (size_t i = s->running[q].released; i < s->running[q].pick_count; i++) {
			double *end_s = &s->node_end_s[s->running[q].picks[i].node];

			*end_s = fmax(*end_s, s->running[q].planned_end_s);
		}
}

static void queue_remove(struct sim *s, size_t place)
{
	memmove(s->queue + place, s->queue + place + 1, (--s->queue_count - place) * sizeof(*s->queue));
}

static int planned_order(const void *a, const void *b)
{
	const struct running_job *x = a, *y = b;

	return (x->planned_end_s > y->planned_end_s) - (x->planned_end_s < y->planned_end_s);
}

/* When the head of the queue can start by the limits of what runs, and the units left over then. */
static int head_plan(struct sim *s, double *start_s, int64_t *spare)
{
	struct running_job *by_plan = malloc((s->running_count + 1) * sizeof(*by_plan));
	int64_t units = (int64_t) wt_room_total(s->room), wanted = (int64_t) s->jobs[s->queue[0]].units;

	if (!by_plan)
		return wt_error_errno(s->errp, ENOMEM, "simulation");
	memcpy(by_plan, s->running, s->running_count * sizeof(*by_plan));
	qsort(by_plan, s->running_count, sizeof(*by_plan), planned_order);
	*start_s = s->now_s;
	for (size_t i = 0; i < s->running_count && units < wanted; i++) {
		units += (int64_t) by_plan[i].units_left;
		*start_s = by_plan[i].planned_end_s;
	}
	*spare = units - wanted;
	free(by_plan);
	return 0;
}

static int backfill(struct sim *s)
{
	double head_s = 0;
	int64_t spare = 0;

	if (head_plan(s, &head_s, &spare) < 0)
		return -1;
	for (size_t i = 1; i < s->queue_count;) {
		const struct wt_sim_job *j = &s->jobs[s->queue[i]];
		/* A job that ends before the head starts takes nothing from it; another may only have what the head
		 * leaves. */
		int delays = s->now_s + j->time_limit_s > head_s + SAME_TIME_S;
		int rc = 0;

		if (j->units <= wt_room_total(s->room) && (!delays || (int64_t) j->units <= spare))
			rc = job_start(s, i);
		if (rc < 0)
			return -1;
		if (!rc) {
			i++;
			continue;
		}
		spare -= delays ? (int64_t) j->units : 0;
		queue_remove(s, i);
	}
	return 0;
}

static int schedule(struct sim *s)
{
	if (s->now_s < s->cycle_s - SAME_TIME_S)
		return 0;
	while (s->queue_count && s->jobs[s->queue[0]].units <= wt_room_total(s->room)) {
		int rc = job_start(s, 0);

		if (rc < 0)
			return -1;
		if (!rc)
			break;
		queue_remove(s, 0);
	}
	if (s->queue_count)
		s->cycle_s = s->now_s + s->machine->cycle_period_s;
	if (s->now_s < s->backfill_s - SAME_TIME_S || s->queue_count < 2)
		return 0;
	s->backfill_s = s->now_s + s->machine->backfill_period_s;
	return backfill(s);
}

/* When the first of the clocks of jobs held back ends. */
static double held_end_s(const struct sim *s)
{
	double first_s = INFINITY;

	for (size_t i = 0; i < s->queue_count; i++) {
		const double *until_s = &s->held_until_s[s->queue[i] * WT_TREE_LEVELS_MAX];

		for (uint32_t l = 0; l + 1 < s->tree->level_count; l++)
			if (until_s[l] > s->now_s)
				first_s = fmin(first_s, until_s[l]);
	}
	return first_s;
}

static int events_run(struct sim *s)
{
	size_t next = 0;

	while (next < s->count || s->running_count || s->queue_count) {
		double submit_s = next < s->count ? s->jobs[next].submit_s : INFINITY;
		double done_s = fmin(s->running_count ? s->running[0].done_s : INFINITY, held_end_s(s));

		if (s->queue_count && s->cycle_s > s->now_s)
			done_s = fmin(done_s, s->cycle_s);
		/* Nothing runs and nothing comes: the policy will say the same for ever. */
		if (isinf(submit_s) && isinf(done_s))
			return wt_error_set(s->errp, EINVAL, "job %zu never finds its nodes", s->queue[0]);
		s->now_s = fmin(submit_s, done_s);
		releases_run(s);
		for (; next < s->count && s->jobs[next].submit_s <= s->now_s + SAME_TIME_S; next++)
			s->queue[s->queue_count++] = next;
		if (schedule(s) < 0)
			return -1;
	}
	return 0;
}

static void sim_clear(struct sim *s)
{
	for (size_t i = 0; i < s->running_count; i++)
		free(s->running[i].picks);
	free(s->running);
	free(s->queue);
	free(s->node_end_s);
	free(s->nodes);
	free(s->held_until_s);
	wt_room_destroy(s->room);
	wt_room_destroy(s->soon);
	wt_score_destroy(s->score);
}

static int sim_init(struct sim *s, const uint32_t *capacity)
{
	s->room = wt_room_create(s->tree);
	s->soon = wt_room_create(s->tree);
	s->queue = calloc(s->count, sizeof(*s->queue));
	s->running = calloc(s->count, sizeof(*s->running));
	s->node_end_s = calloc(s->tree->node_count, sizeof(*s->node_end_s));
	s->nodes = calloc(s->tree->node_count, sizeof(*s->nodes));
	s->held_until_s = calloc(s->count * WT_TREE_LEVELS_MAX, sizeof(*s->held_until_s));
	if (!s->room || !s->soon || !s->queue || !s->running || !s->node_end_s || !s->nodes || !s->held_until_s)
		return wt_error_errno(s->errp, ENOMEM, "simulation");
	for (uint32_t node = 0; node < s->tree->node_count; node++)
		wt_room_set(s->room, node, capacity ? capacity[node] : 1);
	s->score = wt_score_create(s->tree, capacity, s->errp);
	return s->score ? 0 : -1;
}

int wt_simulate(const struct wt_sim_machine *machine, struct wt_policy *policy, struct wt_sim_job *jobs, size_t count,
		struct wt_sim_result *result, struct wt_error *errp)
{
	struct sim s = {
		.tree = machine->tree, .machine = machine, .policy = policy, .jobs = jobs, .count = count,
		.last_end_s = -INFINITY, .result = result, .errp = errp,
	};
	double total = 0;
	int rc;

	memset(result, 0, sizeof(*result));
	if (!count)
		return wt_error_set(errp, EINVAL, "simulation: no jobs");
	rc = sim_init(&s, machine->capacity) < 0 || jobs_check(&s) < 0;
	if (!rc) {
		total = (double) wt_room_total(s.room);
		rc = events_run(&s) < 0;
	}
	sim_clear(&s);
	if (rc)
		return -1;
	result->makespan_s = s.last_end_s - jobs[0].submit_s;
	result->utilization = s.unit_seconds / total / result->makespan_s;
	result->wait_mean_s = s.wait_s / (double) count;
	return 0;
}
