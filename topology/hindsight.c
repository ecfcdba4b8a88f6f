/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topology/hindsight.h"
#include "topology/select.h"
#include "topology/tree_private.h"

#define CHANGED_MAX 2	/* jobs whose preferences change from one round to the next */
#define HEAT 0.35	/* jobs: how much worse a round may be at first, as a temperature */
#define PASSES 3

/* A job takes units, or gives them back. */
struct turn {
	double time_s;
	uint32_t job;
	int64_t units;	/* given back: below 0 */
};

/* What a job likes: a number for each switch, and whether it leaves the good places to others. */
struct liking {
	float *of;	/* [switches] */
	bool gives_up;
};

struct hindsight {
	const struct wt_replay_job *jobs;
	size_t count;
	uint32_t switches;
	uint64_t *sizes;		/* of each switch, idle */
	double largest;			/* of them */
	struct turn *turns;
	size_t turn_count;
	double *end_s, mean_s;		/* [jobs]; mean run time */
	uint32_t *least;		/* [jobs]; 0: not counted */
	float *tastes;			/* [jobs][switches] */
	struct liking *likings;		/* [jobs] */
	/* of a round */
	uint64_t *left, *has;		/* [switches]; [jobs][switches] */
	double *last_s, *cost;		/* [switches]: the end of what runs there */
	uint32_t *order;		/* [switches] */
	bool *in;
	unsigned short random[3];
};

/* ---- a round ------------------------------------------------------------------------------------------------------ */

/* h->order by falling keys. */
static void order_by(struct hindsight *h, const double *key, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint32_t sw = h->order[i], at = i;

		for (; at && key[h->order[at - 1]] < key[sw]; at--)
			h->order[at] = h->order[at - 1];
		h->order[at] = sw;
	}
}

static void order_fullest(struct hindsight *h, uint32_t count)
{
	for (uint32_t sw = 0; sw < h->switches; sw++)
		h->cost[sw] = (double) h->left[sw];
	order_by(h, h->cost, count);
}

/* Tight switches whose jobs end when this one does, and what the job likes. */
static void costs_fill(struct hindsight *h, uint32_t job)
{
	for (uint32_t sw = 0; sw < h->switches; sw++) {
		bool idle = h->left[sw] == h->sizes[sw];
		double apart = idle ? 0 : fabs(h->last_s[sw] - h->end_s[job]) / h->mean_s;

		h->cost[sw] = (double) h->left[sw] / h->largest + (apart < 1 ? apart / 2 : 0.5) +
			      (double) h->likings[job].of[sw];
	}
}

/* Exchange the member at place i of the set for the cheapest with which it still holds the job. */
static bool member_exchange(struct hindsight *h, uint32_t i, uint64_t units, uint64_t *room)
{
	uint32_t out = h->order[i], best = out;

	for (uint32_t sw = 0; sw < h->switches; sw++)
		if (!h->in[sw] && *room - h->left[out] + h->left[sw] >= units && h->cost[sw] < h->cost[best])
			best = sw;
	if (best == out)
		return false;
	*room += h->left[best] - h->left[out];
	h->in[out] = false;
	h->in[best] = true;
	for (uint32_t at = 0; at < h->switches; at++)
		if (h->order[at] == best)
			h->order[at] = out;
	h->order[i] = best;
	return true;
}

/* As few switches as there are room for, at the head of h->order. */
static void set_choose_liked(struct hindsight *h, uint32_t job, uint64_t units)
{
	uint32_t least = 0;
	uint64_t room = 0;
	bool better = true;

	order_fullest(h, h->switches);
	while (least < h->switches && room < units)
		room += h->left[h->order[least++]];
	memset(h->in, 0, h->switches * sizeof(*h->in));
	for (uint32_t i = 0; i < least; i++)
		h->in[h->order[i]] = true;
	costs_fill(h, job);
	for (int pass = 0; better && pass < PASSES; pass++) {
		better = false;
		for (uint32_t i = 0; i < least; i++)
			better |= member_exchange(h, i, units, &room);
	}
	order_fullest(h, least);
}

/* The switches with least room first, so that those with much are left to others. */
static void scraps_order(struct hindsight *h, uint32_t job)
{
	for (uint32_t sw = 0; sw < h->switches; sw++)
		h->cost[sw] = -(double) h->left[sw] / h->largest - (double) h->likings[job].of[sw];
	order_by(h, h->cost, h->switches);
}

/* Whether the job is optimal; *failed when the record has more on the machine than it holds. */
static bool job_lay(struct hindsight *h, uint32_t job, uint64_t units, bool *failed)
{
	uint64_t *has = h->has + (size_t) job * h->switches;
	uint32_t used = 0, least = h->least[job];

	if (h->likings[job].gives_up)
		scraps_order(h, job);
	else
		set_choose_liked(h, job, units);
	for (uint32_t i = 0; i < h->switches; i++) {
		uint32_t sw = h->order[i];
		uint64_t part = h->left[sw] < units ? h->left[sw] : units;

		has[sw] = part;
		if (!part)
			continue;
		h->last_s[sw] = h->left[sw] == h->sizes[sw] ? h->end_s[job] : fmax(h->last_s[sw], h->end_s[job]);
		h->left[sw] -= part;
		units -= part;
		used++;
	}
	*failed |= units > 0;
	return least && used <= least;
}

static void job_give(struct hindsight *h, uint32_t job, uint64_t units)
{
	uint64_t *has = h->has + (size_t) job * h->switches;

	for (uint32_t sw = 0; units && sw < h->switches; sw++) {
		uint64_t part = has[sw] < units ? has[sw] : units;

		has[sw] -= part;
		h->left[sw] += part;
		units -= part;
	}
}

static uint64_t round_run(struct hindsight *h, bool *failed)
{
	uint64_t optimal = 0;

	memcpy(h->left, h->sizes, h->switches * sizeof(*h->left));
	for (uint32_t sw = 0; sw < h->switches; sw++)
		h->order[sw] = sw;
	for (size_t i = 0; i < h->turn_count && !*failed; i++) {
		const struct turn *t = &h->turns[i];

		if (t->units < 0)
			job_give(h, t->job, (uint64_t) -t->units);
		else
			optimal += job_lay(h, t->job, (uint64_t) t->units, failed);
	}
	return optimal;
}

/* ---- the search --------------------------------------------------------------------------------------------------- */

static uint32_t draw(struct hindsight *h, uint32_t count)
{
	return (uint32_t) (erand48(h->random) * count);
}

static void liking_change(struct hindsight *h, uint32_t job)
{
	struct liking *l = &h->likings[job];

	if (erand48(h->random) < 0.15) {
		l->gives_up = !l->gives_up;
	} else if (erand48(h->random) < 0.5) {
		l->of[draw(h, h->switches)] = (float) (3 * erand48(h->random) - 1.5);
	} else {
		for (uint32_t sw = 0; sw < h->switches; sw++)
			l->of[sw] = (float) (2 * erand48(h->random) - 1);
	}
}

/* Change some jobs' likings, and take that back when the round is too much worse. */
static uint64_t step_try(struct hindsight *h, uint64_t now, double heat, float *saved)
{
	uint32_t changed = 1 + draw(h, CHANGED_MAX), jobs[CHANGED_MAX];
	bool gave_up[CHANGED_MAX], failed = false;
	uint64_t then;

	for (uint32_t i = 0; i < changed; i++) {
		jobs[i] = draw(h, (uint32_t) h->count);
		memcpy(saved + i * h->switches, h->likings[jobs[i]].of, h->switches * sizeof(*saved));
		gave_up[i] = h->likings[jobs[i]].gives_up;
		liking_change(h, jobs[i]);
	}
	then = round_run(h, &failed);
	if (then >= now || erand48(h->random) < exp(((double) then - (double) now) / heat))
		return then;
	for (uint32_t i = changed; i-- > 0;) {
		memcpy(h->likings[jobs[i]].of, saved + i * h->switches, h->switches * sizeof(*saved));
		h->likings[jobs[i]].gives_up = gave_up[i];
	}
	return now;
}

static int search_run(struct hindsight *h, uint64_t rounds, uint64_t *optimal)
{
	float *saved = calloc((size_t) CHANGED_MAX * h->switches, sizeof(*saved));
	bool failed = false;
	uint64_t now;

	*optimal = 0;
	if (!saved)
		return -1;
	now = round_run(h, &failed);
	for (uint64_t i = 0; i < rounds && !failed; i++) {
		*optimal = now > *optimal ? now : *optimal;
		now = step_try(h, now, HEAT * (1 - (double) i / (double) rounds) + 1e-3, saved);
	}
	if (!failed)
		*optimal = now > *optimal ? now : *optimal;
	free(saved);
	return 0;
}

/* ---- reading the record ------------------------------------------------------------------------------------------- */

/* What is given back comes before what is taken in the same moment. */
static int turn_order(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return (x->units > 0) - (y->units > 0);
}

static uint64_t node_gives(const struct wt_replay_job *j, const uint32_t *capacity, uint32_t n, uint64_t rest)
{
	uint64_t all = capacity ? capacity[j->nodes[n]] : 1, later = j->node_count - 1 - n;
	uint64_t units = j->node_units ? j->node_units[n] : rest > later ? rest - later : 1;

	return units < all ? units : all;
}

static int job_read(struct hindsight *h, const uint32_t *capacity, uint32_t nodes, uint32_t job, struct wt_error *errp)
{
	const struct wt_replay_job *j = &h->jobs[job];
	uint64_t rest = j->units, taken = 0;

	if (!j->units || !j->node_count || !isfinite(j->start_s))
		return wt_error_set(errp, EINVAL, "hindsight: job %u has no units, no nodes or no start", job);
	h->end_s[job] = j->start_s;
	for (uint32_t n = 0; n < j->node_count; n++) {
		struct turn *last = h->turn_count ? &h->turns[h->turn_count - 1] : NULL;
		uint64_t units;
		double back_s;

		if (j->nodes[n] >= nodes || isnan(j->release_s[n]))
			return wt_error_set(errp, EINVAL, "hindsight: job %u has an unknown node or time", job);
		units = node_gives(j, capacity, n, rest);
		back_s = fmax(j->release_s[n], nextafter(j->start_s, INFINITY));
		rest -= rest > units ? units : rest;
		taken += units;
		h->end_s[job] = isfinite(back_s) ? fmax(h->end_s[job], back_s) : h->end_s[job];
		/* Many nodes of a job come back in the same moment. */
		if (last && last->job == job && last->time_s == back_s)
			last->units -= (int64_t) units;
		else if (isfinite(back_s))
			h->turns[h->turn_count++] = (struct turn) { back_s, job, -(int64_t) units };
	}
	h->turns[h->turn_count++] = (struct turn) { j->start_s, job, (int64_t) taken };
	h->mean_s += (h->end_s[job] - j->start_s) / (double) h->count;
	return 0;
}

static int record_read(struct hindsight *h, const struct wt_tree *t, const uint32_t *capacity, uint32_t level,
		       struct wt_error *errp)
{
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH };
	struct wt_select *select = wt_select_create(t, capacity, &options, errp);
	int rc = select ? 0 : -1;

	for (uint32_t i = 0; rc == 0 && i < h->count; i++) {
		if (h->jobs[i].out_of_service)
			continue;
		rc = job_read(h, capacity, t->node_count, i, errp);
		/* The whole machine is not counted, and no other is as large. */
		if (rc == 0 && wt_select_least(select, t->level_count - 1, h->jobs[i].units + 1))
			h->least[i] = wt_select_least(select, level, h->jobs[i].units);
	}
	h->mean_s = h->mean_s > 0 ? h->mean_s : 1;
	qsort(h->turns, h->turn_count, sizeof(*h->turns), turn_order);
	wt_select_destroy(select);
	return rc;
}

static void hindsight_clear(struct hindsight *h)
{
	free(h->sizes);
	free(h->turns);
	free(h->end_s);
	free(h->least);
	free(h->tastes);
	free(h->likings);
	free(h->left);
	free(h->has);
	free(h->last_s);
	free(h->cost);
	free(h->order);
	free(h->in);
}

static int hindsight_init(struct hindsight *h, const struct wt_tree *t, const uint32_t *capacity, uint32_t level)
{
	size_t nodes = 0;

	for (size_t i = 0; i < h->count; i++)
		nodes += h->jobs[i].node_count;
	h->sizes = calloc(h->switches, sizeof(*h->sizes));
	h->turns = calloc(nodes + h->count + 1, sizeof(*h->turns));
	h->end_s = calloc(h->count + 1, sizeof(*h->end_s));
	h->least = calloc(h->count + 1, sizeof(*h->least));
	h->tastes = calloc((h->count + 1) * h->switches, sizeof(*h->tastes));
	h->likings = calloc(h->count + 1, sizeof(*h->likings));
	h->left = calloc(h->switches, sizeof(*h->left));
	h->has = calloc((h->count + 1) * h->switches, sizeof(*h->has));
	h->last_s = calloc(h->switches, sizeof(*h->last_s));
	h->cost = calloc(h->switches, sizeof(*h->cost));
	h->order = calloc(h->switches, sizeof(*h->order));
	h->in = calloc(h->switches, sizeof(*h->in));
	if (!h->sizes || !h->turns || !h->end_s || !h->least || !h->tastes || !h->likings || !h->left || !h->has ||
	    !h->last_s || !h->cost || !h->order || !h->in)
		return -1;
	for (uint32_t node = 0; node < t->node_count; node++) {
		uint32_t sw = t->leaf[node];

		for (uint32_t l = 0; l < level; l++)
			sw = t->levels[l].parent[sw];
		h->sizes[sw] += capacity ? capacity[node] : 1;
	}
	for (uint32_t sw = 0; sw < h->switches; sw++)
		h->largest = fmax(h->largest, (double) h->sizes[sw]);
	for (size_t i = 0; i < h->count; i++)
		h->likings[i].of = h->tastes + i * h->switches;
	return 0;
}

int wt_hindsight(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
		 uint64_t rounds, uint32_t seed, uint64_t *optimal, struct wt_error *errp)
{
	uint32_t level = t->level_count > 1 ? t->level_count - 2 : 0;
	struct hindsight h = {
		.jobs = jobs, .count = count, .switches = t->levels[level].count,
		.random = { 0x330e, (unsigned short) seed, (unsigned short) (seed >> 16) },
	};
	int rc = hindsight_init(&h, t, capacity, level) < 0 ? wt_error_errno(errp, ENOMEM, "hindsight") : 0;

	*optimal = 0;
	if (rc == 0)
		rc = record_read(&h, t, capacity, level, errp);
	if (rc == 0 && count && search_run(&h, rounds, optimal) < 0)
		rc = wt_error_errno(errp, ENOMEM, "hindsight");
	hindsight_clear(&h);
	return rc;
}
