/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ties for many small jobs.  Touching the fewest leaves opens a fresh switch for every small job, until none has room for
 * the next larger one; the tightest fit fills switches up, and ends in leftovers that fit nobody.  Here the
 * tightest fit decides, corrected by what it costs in units of a leaf:
 *   - the job itself no longer touches its least number of switches on a level below: LOST;
 *   - a hole that the usual sizes fill becomes one that they do not (wt_mix_waste), or the other way round: WASTE.
 * The weights were found by random search over simulated Parallel Light-ESP on Curie's tree; the optimum is flat
 * (doc/design-topology.md has the figures and the command). */
#include "config.h"

#include <math.h>

#include "select_private.h"

#define LOST 2.5
#define EXCESS 0.1	/* each switch more than the least */
#define WASTE 30.0	/* one child */
#define PAIR_WASTE 10.0
#define PAIR_EXCESS 0.3
#define PAIR_SPOIL 1.0	/* usable room of leaves that is broken into beyond the job's size */

#define PAIRS_MAX 8	/* second children tried for each first one, the tightest first */
#define SHARES_MAX 32	/* ways tried to share the job between two children */

static double waste(const struct wt_select *s, uint64_t units)
{
	return (double) wt_mix_waste(s->mix, units);
}

static double child_cost(struct wt_select *s, uint32_t level, const struct child *c, uint64_t units)
{
	uint32_t touch[WT_TREE_LEVELS_MAX], excess = 0;
	double cost;

	touch_all(s, level - 1, c->sw, units, touch);
	for (uint32_t l = 0; l < level - 1; l++)
		excess += touch[l] - wt_select_least(s, l, units);
	cost = (double) (c->units - units) + WASTE * (waste(s, c->units - units) - waste(s, c->units));
	return cost / s->leaf_units + (excess ? LOST : 0) + EXCESS * excess;
}

uint32_t pack_child(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units)
{
	double best_cost = INFINITY;
	uint32_t best = 0;

	for (uint32_t i = 0; i < count && s->children[i].units >= units; i++) {
		double cost = child_cost(s, level, &s->children[i], units);

		if (cost < best_cost) {
			best_cost = cost;
			best = i;
		}
	}
	return best;
}

/* The leaves below a switch, largest first, into sizes[]; their number. */
static uint32_t leaves_sorted(const struct wt_select *s, uint32_t level, uint32_t sw, uint64_t *sizes)
{
	struct wt_span span = switches_below(s->tree, level, sw, 0);

	for (uint32_t i = 0; i < span.count; i++)
		sizes[i] = s->room->units[0][span.first + i];
	sizes_sort(sizes, span.count);
	return span.count;
}

/* Usable room of a leaf lost when 'taken' of its 'size' units are taken. */
static double leaf_spoil(const struct wt_select *s, uint64_t size, uint64_t taken)
{
	return (double) taken + waste(s, size - taken) - waste(s, size);
}

/* Leaves touched when 'units' are taken fullest first, the last one from the smallest that holds the rest; what that
 * spoils beyond the units is added to *spoil. */
static uint32_t leaves_take(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units,
			    double *spoil)
{
	uint32_t i = 0;

	*spoil -= (double) units;
	for (; sizes[i] < units; i++) {
		*spoil += leaf_spoil(s, sizes[i], sizes[i]);
		units -= sizes[i];
	}
	for (count--; sizes[count] < units; count--)
		;
	*spoil += leaf_spoil(s, sizes[count], units);
	return i + 1;
}

struct pair_search {
	uint64_t units;
	uint32_t first, second;		/* best so far */
	uint64_t share;
	double cost;
	uint32_t least;			/* leaves, when nothing runs */
};

/* Try the ways to share the job between children a and b, whose leaves stand sorted in the scratch memory. */
static void shares_try(struct wt_select *s, struct pair_search *p, uint32_t a, uint32_t b, uint32_t leaves_a,
		       uint32_t leaves_b)
{
	const struct child *x = &s->children[a], *y = &s->children[b];
	const uint64_t *sizes_b = s->sizes + s->tree->levels[0].count;
	uint64_t low = p->units > y->units ? p->units - y->units : 1;
	uint64_t high = x->units < p->units ? x->units : p->units - 1;
	uint64_t step = (high - low) / SHARES_MAX + 1;

	for (uint64_t share = low; share <= high; share = share < high && share + step > high ? high : share + step) {
		uint64_t rest = p->units - share;
		double spoil = 0, cost;
		uint32_t touch = leaves_take(s, s->sizes, leaves_a, share, &spoil) +
				 leaves_take(s, sizes_b, leaves_b, rest, &spoil);

		cost = PAIR_WASTE * (waste(s, x->units - share) + waste(s, y->units - rest)) + PAIR_SPOIL * spoil;
		cost = (cost + (double) (x->units + y->units - p->units)) / s->leaf_units +
		       PAIR_EXCESS * ((double) touch - p->least);
		if (cost < p->cost)
			*p = (struct pair_search) { p->units, a, b, share, cost, p->least };
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
}
