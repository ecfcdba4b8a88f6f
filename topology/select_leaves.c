/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which leaves of a switch, for many small jobs.  Of the sets of as few leaves as the job needs, the one after which the
 * leaves are worth most to the jobs that come.  A leaf's worth, by its room: over the sizes asked for lately, how many such
 * jobs it holds, or for larger ones the share of a job that it could give as one of its least number of leaves.  With leaves
 * of 18, jobs of 16 nodes and of 54 (three whole leaves): a leaf of 16 is worth as much as one of 18 to the first, and
 * nothing to the second; so the first belong on leaves of 16. */
#include "config.h"

#include <string.h>

#include "topology/select_private.h"

#define SWAPS_MAX 32
#define TIGHT 1e-9	/* a unit less in the set: decides between sets that are worth the same */
#define SEARCHED_MAX 256	/* leaves below one switch: of more, the fullest are taken */

void leaf_values_fill(struct wt_select *s)
{
	uint64_t largest = s->capacity_sum[0][0];

	memset(s->leaf_value, 0, (largest + 1) * sizeof(*s->leaf_value));
	for (uint32_t i = 0; i < wt_mix_sizes(s->mix); i++) {
		double share;
		uint64_t units = wt_mix_size(s->mix, i, &share);
		uint32_t leaves = wt_select_least(s, 0, units);

		if (!leaves)
			continue;
		if (leaves == 1) {
			for (uint64_t room = units; room <= largest; room += units)
				s->leaf_value[room] += share;
			continue;
		}
		/* The least room of the last leaf, when the others are the largest there are. */
		units -= s->capacity_sum[0][leaves - 2];
		s->leaf_value[units] += share / leaves;
	}
	for (uint64_t room = 1; room <= largest; room++)
		s->leaf_value[room] += s->leaf_value[room - 1];
}

double leaf_worth(const struct wt_select *s, uint64_t units)
{
	uint64_t largest = s->capacity_sum[0][0];

	return s->leaf_value[units < largest ? units : largest];
}

/* Fullest first, by counts instead of sorting: the cluster may have thousands of leaves. */
uint32_t leaves_now_count(struct wt_select *s)
{
	uint64_t largest = s->capacity_sum[0][0], left = s->request->units;
	uint32_t leaves = s->tree->levels[0].count, taken = 0;

	memset(s->leaf_count, 0, (largest + 1) * sizeof(*s->leaf_count));
	for (uint32_t i = 0; i < leaves; i++) {
		uint64_t room = s->room->units[0][i];

		s->leaf_count[room < largest ? room : largest]++;
	}
	for (uint64_t room = largest; room && left; room--) {
		uint64_t wanted = (left + room - 1) / room,
			 used = wanted < s->leaf_count[room] ? wanted : s->leaf_count[room];

		taken += (uint32_t) used;
		left -= used * room < left ? used * room : left;
	}
	return taken;
}

struct leaf_set {
	const struct wt_select *s;
	const uint64_t *sizes;	/* falling; none is 0 */
	uint32_t count;
	uint8_t *in;
	uint64_t units, held;	/* wanted; in the set: less than a member more than wanted, since no smaller set holds it */
};

/* What is lost with the set: all of its leaves but for the rest that stays free in one of them. */
static double swap_gain(const struct leaf_set *q, uint32_t out, uint32_t in)
{
	uint64_t held = q->held - q->sizes[out] + q->sizes[in];

	return leaf_worth(q->s, q->sizes[out]) - leaf_worth(q->s, q->sizes[in]) - leaf_worth(q->s, q->held - q->units) +
	       leaf_worth(q->s, held - q->units) + TIGHT * ((double) q->held - (double) held);
}

/* The best exchange of a leaf of the set for one outside.  1 when there is one. */
static int set_improve(struct leaf_set *q)
{
	uint32_t best_out = 0, best_in = 0;
	double best = TIGHT / 2;

	for (uint32_t out = 0; out < q->count; out++) {
		uint64_t tried = UINT64_MAX;

		/* Of equal members only the last is tried, and of equal leaves outside only the first: the others would
		 * gain the same. */
		if (!q->in[out] || (out + 1 < q->count && q->in[out + 1] && q->sizes[out + 1] == q->sizes[out]))
			continue;
		for (uint32_t in = 0; in < q->count && q->held - q->sizes[out] + q->sizes[in] >= q->units; in++) {
			if (q->in[in] || q->sizes[in] == tried)
				continue;
			tried = q->sizes[in];
			if (swap_gain(q, out, in) > best) {
				best = swap_gain(q, out, in);
				best_out = out;
				best_in = in;
			}
		}
	}
	if (best <= TIGHT / 2)
		return 0;
	q->held = q->held - q->sizes[best_out] + q->sizes[best_in];
	q->in[best_out] = 0;
	q->in[best_in] = 1;
	return 1;
}

static double set_lost(const struct leaf_set *q)
{
	double lost = -leaf_worth(q->s, q->held - q->units);

	for (uint32_t i = 0; i < q->count; i++)
		lost += q->in[i] ? leaf_worth(q->s, q->sizes[i]) : 0;
	return lost;
}

uint32_t leaf_set_choose(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
			 double *lost)
{
	struct leaf_set q = { .s = s, .sizes = sizes, .count = count, .in = in, .units = units };
	uint32_t k = 0;

	memset(in, 0, count);
	while (q.held < units) {
		in[k] = 1;
		q.held += sizes[k++];
	}
	for (int swaps = 0; count <= SEARCHED_MAX && swaps < SWAPS_MAX && set_improve(&q); swaps++)
		;
	*lost = set_lost(&q);
	return k;
}

uint32_t leaf_scraps_choose(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
			    double *lost)
{
	struct leaf_set q = { .s = s, .sizes = sizes, .count = count, .in = in, .units = units };
	uint32_t k = 0, i = count;

	memset(in, 0, count);
	while (q.held < units) {
		in[--i] = 1;
		q.held += sizes[i];
		k++;
	}
	for (; i < count; i++) {	/* those that can do without */
		if (q.held - sizes[i] < units)
			continue;
		in[i] = 0;
		q.held -= sizes[i];
		k--;
	}
	*lost = set_lost(&q);
	return k;
}
