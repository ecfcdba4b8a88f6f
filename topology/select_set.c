/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several children of a switch for one job.  The search needs, for thousands of sets, the least number of switches that
 * the job touches on each level below.  So each candidate gets, per level, a table of its switches' sizes, largest first,
 * as running counts and sums over common bins: those of a set are sums of those of its members, and the answer
 * is found by bisection. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "topology/select_private.h"

#define PASSES 3

struct table {
	uint32_t bins;
	const uint64_t *value;	/* [bins], falling: the largest size in the bin */
	const uint32_t *count;	/* [candidates][bins]: switches of at least this bin */
	const uint64_t *sum;	/* [candidates][bins]: their units */
	uint32_t *total_count;	/* [bins]: of the present set */
	uint64_t *total_sum;
};

struct set_search {
	struct wt_select *s;
	uint32_t candidates, k;
	uint64_t units;
	int tight;
	uint32_t tables;
	struct table table[WT_TREE_LEVELS_MAX];
	uint64_t room, squares;	/* sum of units, and of their squares, over the present set */
	double end_cost;
	uint32_t swaps;
};

struct value {
	uint32_t touch[WT_TREE_LEVELS_MAX];
	double cost;
};

/* The distinct sizes of the candidates' switches on a level, largest first, no more than 'max' of them. */
static uint32_t values_collect(struct set_search *q, uint32_t level, uint32_t below, uint64_t *values, uint32_t max)
{
	struct wt_select *s = q->s;
	uint32_t count = 0, distinct = 0;

	for (uint32_t c = 0; c < q->candidates; c++) {
		struct wt_span span = switches_below(s->tree, level - 1, s->children[c].sw, below);

		for (uint32_t i = 0; i < span.count; i++)
			if (s->room->units[below][span.first + i])
				s->sizes[count++] = s->room->units[below][span.first + i];
	}
	sizes_sort(s->sizes, count);
	for (uint32_t i = 0; i < count; i++)
		if (!distinct || s->sizes[distinct - 1] != s->sizes[i])
			s->sizes[distinct++] = s->sizes[i];
	if (distinct <= max) {
		memcpy(values, s->sizes, distinct * sizeof(*values));
		return distinct;
	}
	/* More sizes than bins: every so-many-th, so that the bins hold about as many sizes each. */
	for (uint32_t i = 0; i < max; i++)
		values[i] = s->sizes[(uint64_t) i * distinct / max];
	return max;
}

static uint32_t bin_find(const uint64_t *values, uint32_t bins, uint64_t size)
{
	uint32_t low = 0, high = bins - 1;	/* the last bin whose value is at least 'size' */

	while (low < high) {
		uint32_t mid = (low + high + 1) / 2;

		if (values[mid] >= size)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* One candidate's row of a table. */
static void row_fill(struct set_search *q, uint32_t level, uint32_t below, const struct table *t, uint32_t c,
		     uint32_t *count, uint64_t *sum)
{
	const struct wt_select *s = q->s;
	struct wt_span span = switches_below(s->tree, level - 1, s->children[c].sw, below);

	memset(count, 0, t->bins * sizeof(*count));
	memset(sum, 0, t->bins * sizeof(*sum));
	for (uint32_t i = 0; i < span.count; i++) {
		uint64_t size = s->room->units[below][span.first + i];
		uint32_t bin;

		if (!size)
			continue;
		bin = bin_find(t->value, t->bins, size);
		count[bin]++;
		sum[bin] += size;
	}
	for (uint32_t bin = 1; bin < t->bins; bin++) {
		count[bin] += count[bin - 1];
		sum[bin] += sum[bin - 1];
	}
}

/* The tables of all levels below the children share the scratch memory: one row for each candidate and one for the set. */
static void tables_fill(struct set_search *q, uint32_t level)
{
	struct wt_select *s = q->s;
	uint32_t rows = q->candidates + 1, room, used = 0;

	q->tables = q->tight || level < 2 ? 0 : level - 1;
	room = q->tables ? (uint32_t) (s->table_max / q->tables / rows) : 0;
	if (room < 2)
		q->tables = 0;	/* a switch of many thousands of children: the tightest fit decides alone */
	for (uint32_t below = 0; below < q->tables; below++) {
		struct table *t = &q->table[below];
		size_t at = (size_t) below * (s->table_max / q->tables);

		t->bins = values_collect(q, level, below, s->table_value + used, room);
		t->value = s->table_value + used;
		used += t->bins;
		for (uint32_t c = 0; c < q->candidates; c++)
			row_fill(q, level, below, t, c, s->table_count + at + (size_t) c * t->bins,
				 s->table_sum + at + (size_t) c * t->bins);
		t->count = s->table_count + at;
		t->sum = s->table_sum + at;
		t->total_count = s->table_count + at + (size_t) q->candidates * t->bins;
		t->total_sum = s->table_sum + at + (size_t) q->candidates * t->bins;
		memset(t->total_count, 0, t->bins * sizeof(*t->total_count));
		memset(t->total_sum, 0, t->bins * sizeof(*t->total_sum));
	}
}

/* Put candidate c into the set, or take it out (sign -1). */
static void set_change(struct set_search *q, uint32_t c, int sign)
{
	const struct child *child = &q->s->children[c];

	q->s->in_set[c] = sign > 0;
	/* Modulo 2^64 a product with -1 takes off what one with 1 has added. */
	q->room += (uint64_t) sign * child->units;
	q->squares += (uint64_t) sign * child->units * child->units;
	q->end_cost += sign * child->end_cost;
	for (uint32_t l = 0; l < q->tables; l++) {
		struct table *t = &q->table[l];

		for (uint32_t bin = 0; bin < t->bins; bin++) {
			t->total_count[bin] += (uint32_t) sign * t->count[(size_t) c * t->bins + bin];
			t->total_sum[bin] += (uint64_t) sign * t->sum[(size_t) c * t->bins + bin];
		}
	}
}

/* Switches touched when the fullest are taken first, with candidate 'in' instead of 'out' in the set (the same: no
 * change). */
static uint32_t touch_count(const struct set_search *q, const struct table *t, uint32_t out, uint32_t in)
{
	const uint32_t *count_out = t->count + (size_t) out * t->bins, *count_in = t->count + (size_t) in * t->bins;
	const uint64_t *sum_out = t->sum + (size_t) out * t->bins, *sum_in = t->sum + (size_t) in * t->bins;
	uint32_t low = 0, high = t->bins - 1;
	uint64_t before;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (t->total_sum[mid] - sum_out[mid] + sum_in[mid] >= q->units)
			high = mid;
		else
			low = mid + 1;
	}
	if (!low)
		return (uint32_t) ((q->units + t->value[0] - 1) / t->value[0]);
	before = t->total_sum[low - 1] - sum_out[low - 1] + sum_in[low - 1];
	return t->total_count[low - 1] - count_out[low - 1] + count_in[low - 1] +
	       (uint32_t) ((q->units - before + t->value[low] - 1) / t->value[low]);
}

static struct value set_value(const struct set_search *q, uint32_t out, uint32_t in)
{
	const struct child *a = &q->s->children[out], *b = &q->s->children[in];
	double room = (double) (q->room - a->units + b->units);
	struct value v;

	for (uint32_t l = 0; l < q->tables; l++)
		v.touch[l] = touch_count(q, &q->table[l], out, in);
	if (q->tight) {
		v.cost = room;
		return v;
	}
	v.cost = (double) (q->squares - a->units * a->units + b->units * b->units);
	v.cost += q->end_cost - a->end_cost + b->end_cost - (room - (double) q->units) * (room - (double) q->units);
	return v;
}

static int value_better(const struct set_search *q, const struct value *a, const struct value *b)
{
	int order = touch_compare(a->touch, b->touch, q->tables);

	return order < 0 || (order == 0 && a->cost < b->cost);
}

/* Exchange the member at place i of the set for the best candidate outside.  1 when one was better. */
static int member_improve(struct set_search *q, uint32_t i)
{
	struct wt_select *s = q->s;
	uint32_t out = s->set[i], best = out;
	struct value best_value = set_value(q, out, out);

	for (uint32_t in = 0; in < q->candidates && q->swaps < SET_SWAPS_MAX; in++) {
		struct value v;

		if (s->in_set[in] || q->room - s->children[out].units + s->children[in].units < q->units)
			continue;
		q->swaps++;
		v = set_value(q, out, in);
		if (value_better(q, &v, &best_value)) {
			best = in;
			best_value = v;
		}
	}
	if (best == out)
		return 0;
	set_change(q, out, -1);
	set_change(q, best, 1);
	s->set[i] = best;
	return 1;
}

/* Children that can be part of any set of k that holds the job: a head of the sorted list. */
static uint32_t candidates_count(const struct wt_select *s, uint32_t count, uint32_t k, uint64_t units)
{
	uint64_t others = 0;
	uint32_t n = k;

	for (uint32_t i = 0; i + 1 < k; i++)
		others += s->children[i].units;
	while (n < count && others + s->children[n].units >= units)
		n++;
	return n;
}

void set_choose(struct wt_select *s, uint32_t level, uint32_t count, uint32_t k, uint64_t units, int tight)
{
	struct set_search q = {
		.s = s, .candidates = candidates_count(s, count, k, units), .k = k, .units = units, .tight = tight,
	};
	int better = 1;

	tables_fill(&q, level);
	memset(s->in_set, 0, q.candidates);
	for (uint32_t i = 0; i < k; i++) {
		s->set[i] = i;
		set_change(&q, i, 1);
	}
	/* It begins with the k largest, which surely hold the job, and exchanges single members as long as that pays: a
	 * local optimum, in a bounded time. */
	for (int pass = 0; better && pass < PASSES && q.swaps < SET_SWAPS_MAX; pass++) {
		better = 0;
		for (uint32_t i = 0; i < k; i++)
			better |= member_improve(&q, i);
	}
}
