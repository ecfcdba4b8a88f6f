/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ties for many small jobs.  Touching the fewest leaves opens a fresh switch for every small job, until none has room for
 * the next larger one; the tightest fit fills switches up, and ends in leftovers that fit no job.  Here a cost decides, in
 * jobs that lose their least number of leaves, this one or a later one:
 *   - what the job's leaves were worth to later jobs (select_leaves.c),
 *   - the job itself no longer touches its least number of switches on a level below: LOST,
 *   - room of the switch that stays free: TIGHT, for a leaf of it,
 *   - a hole that the usual sizes fill becomes one that they do not (wt_mix_waste), or the other way round: WASTE.
 *   - it touches more leaves than the room allows, wherever they are: MISSED,
 *   - jobs behind it that could start now, too, and would lose their least number of switches: NEXT, for each.
 * A job that has lost its least number of leaves anyway takes scraps, unless they are worth SCRAPS more.  Where it is shared
 * between two children there are other weights.
 * The weights were found by random search over replays of Parallel Light-ESP on Curie's tree; the optimum is flat
 * (doc/design-topology.md). */
#include "config.h"

#include <math.h>

#include "topology/select_private.h"

#define LOST 3
#define TIGHT 0.2	/* a leaf of it */
#define WASTE 18	/* a leaf of it */
#define SCRAPS 0.5
#define MISSED 0.7
#define NEXT 1.8

#define PAIR_LOST 0.5
#define PAIR_TIGHT 1.9
#define PAIR_WASTE 10
#define PAIR_MISSED 0.2

#define PAIRS_MAX 8	/* second children tried for each first one, the tightest first */
#define SHARES_MAX 32	/* ways tried to share the job between two children */

static double waste(const struct wt_select *s, uint64_t units)
{
	return (double) wt_mix_waste(s->mix, units);
}

uint32_t pack_leaves(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
		     double *lost)
{
	uint32_t k = leaf_set_choose(s, sizes, count, units, in, lost), scraps;
	double set_lost = *lost, scraps_lost;

	/* Where the leaves are the root's children, their least number counts before all else. */
	if (s->tree->level_count < 3 || s->halves == PACK_COMPACT)
		return k;
	/* It has its least number of leaves: scraps are for jobs that have lost that anyway. */
	if (s->halves == PACK_WHOLE && k <= wt_select_least(s, 0, s->request->units))
		return k;
	scraps = leaf_scraps_choose(s, sizes, count, units, in, &scraps_lost);
	scraps_lost -= SCRAPS;
	if (s->halves == PACK_WHOLE) {
		scraps_lost += scraps > s->leaves_now ? MISSED : 0;
		set_lost += k > s->leaves_now ? MISSED : 0;
	}
	if (scraps_lost < set_lost) {
		*lost = scraps_lost;
		return scraps;
	}
	k = leaf_set_choose(s, sizes, count, units, in, lost);
	*lost = set_lost;
	return k;
}

/* The leaves with room below a switch, largest first, into sizes[]; their number. */
static uint32_t leaves_sorted(const struct wt_select *s, uint32_t level, uint32_t sw, uint64_t *sizes)
{
	struct wt_span span = switches_below(s->tree, level, sw, 0);
	uint32_t count = 0;

	for (uint32_t i = 0; i < span.count; i++)
		if (s->room->units[0][span.first + i])
			sizes[count++] = s->room->units[0][span.first + i];
	sizes_sort(sizes, count);
	return count;
}

/* What the job loses below a child, and later ones with it. */
static double below_cost(struct wt_select *s, uint32_t level, const struct child *c, uint64_t units)
{
	uint32_t touch[WT_TREE_LEVELS_MAX], count, excess = 0;
	double lost = 0;

	if (level == 2) {
		count = leaves_sorted(s, 1, c->sw, s->sizes);
		excess = pack_leaves(s, s->sizes, count, units, s->in_set, &lost) > wt_select_least(s, 0, units);
	} else {
		touch_all(s, level - 1, c->sw, units, touch);
		for (uint32_t l = 0; l < level - 1; l++)
			excess += touch[l] > wt_select_least(s, l, units);
	}
	return lost + (excess ? LOST : 0);
}

static double child_cost(struct wt_select *s, uint32_t level, const struct child *c, uint64_t units)
{
	uint64_t left = c->units - units;

	return (TIGHT * (double) left + WASTE * (waste(s, left) - waste(s, c->units))) / s->leaf_units +
	       below_cost(s, level, c, units);
}

uint32_t pack_child(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units)
{
	double best_cost = INFINITY;
	uint32_t best = 0;

	for (uint32_t i = 0; i < count && s->children[i].units >= units; i++) {
		double cost = child_cost(s, level, &s->children[i], units);

		if (level + 1 == s->tree->level_count)
			cost += NEXT * next_lost(s, count, i, units);
		if (cost < best_cost) {
			best_cost = cost;
			best = i;
		}
	}
	return best;
}

/* Leaves touched when 'units' are taken fullest first, the last one from the smallest that holds the rest; what they were
 * worth is added to *lost. */
static uint32_t leaves_take(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, double *lost)
{
	uint32_t i = 0;

	for (; sizes[i] < units; i++) {
		*lost += leaf_worth(s, sizes[i]);
		units -= sizes[i];
	}
	for (count--; sizes[count] < units; count--)
		;
	*lost += leaf_worth(s, sizes[count]) - leaf_worth(s, sizes[count] - units);
	return i + 1;
}

struct pair_search {
	uint64_t units;
	uint32_t first, second;		/* best so far */
	uint64_t share;
	double cost;
	uint32_t touch, least;		/* leaves; when nothing runs */
};

/* Try the ways to share the job between children a and b, whose leaves stand sorted in the scratch memory. */
static void shares_try(struct wt_select *s, struct pair_search *p, uint32_t a, uint32_t b, uint32_t leaves_a,
		       uint32_t leaves_b)
{
	const struct child *x = &s->children[a], *y = &s->children[b];
	const uint64_t *sizes_b = s->sizes + s->tree->levels[0].count;
	uint64_t low = p->units > y->units ? p->units - y->units : 1;
	uint64_t high = x->units < p->units ? x->units : p->units - 1;
	/* A share for each unit would be too many on nodes of many CPUs; the largest is always tried. */
	uint64_t step = (high - low) / SHARES_MAX + 1;

	for (uint64_t share = low; share <= high; share = share < high && share + step > high ? high : share + step) {
		uint64_t rest = p->units - share;
		double cost = 0;
		uint32_t touch = leaves_take(s, s->sizes, leaves_a, share, &cost) +
				 leaves_take(s, sizes_b, leaves_b, rest, &cost);

		cost += (PAIR_WASTE * (waste(s, x->units - share) + waste(s, y->units - rest)) +
			 PAIR_TIGHT * (double) (x->units + y->units - p->units)) /
				s->leaf_units +
			(touch > p->least ? PAIR_LOST : 0) + (touch > s->leaves_now ? PAIR_MISSED : 0);
		if (cost < p->cost)
			*p = (struct pair_search) { p->units, a, b, share, cost, touch, p->least };
	}
}

void pack_pair(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units, uint32_t *pair, uint64_t *share)
{
	struct pair_search p = { .units = units, .cost = INFINITY, .least = wt_select_least(s, 0, units) };
	uint64_t *sizes_b = s->sizes + s->tree->levels[0].count;

	for (uint32_t a = 0; a + 1 < count; a++) {
		uint32_t leaves_a = leaves_sorted(s, level - 1, s->children[a].sw, s->sizes);
		uint32_t b = count - 1;

		while (b > a && s->children[a].units + s->children[b].units < units)
			b--;
		for (uint32_t tried = 0; b > a && tried < PAIRS_MAX; b--, tried++)
			shares_try(s, &p, a, b, leaves_a, leaves_sorted(s, level - 1, s->children[b].sw, sizes_b));
	}
	pair[0] = p.first;
	pair[1] = p.second;
	*share = p.share;
	s->halves = p.touch > s->leaves_now ? PACK_SCATTERED : PACK_COMPACT;
}
