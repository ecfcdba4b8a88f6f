/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A placement beside the best there could have been: level by level on the idle machine (absolute) and in the room that
 * was there (relative), both by taking the fullest switches first, and on all levels together (score_joint.c), which is
 * exact but dear. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/select_private.h"
#include "topology/score.h"

struct wt_score {
	const struct wt_tree *tree;
	struct wt_select *select;	/* knows the idle machine, and is the guess where proof is too costly */
	uint64_t total;			/* of the idle machine */
	uint64_t *sizes;		/* [leaves] */
	uint8_t *mark;			/* [leaves] */
	uint32_t *nodes;		/* [nodes] */
};

void wt_score_destroy(struct wt_score *s)
{
	int saved_errno = errno;

	if (!s)
		return;
	wt_select_destroy(s->select);
	free(s->sizes);
	free(s->mark);
	free(s->nodes);
	free(s);
	errno = saved_errno;
}

struct wt_score *wt_score_create(const struct wt_tree *t, const uint32_t *capacity, struct wt_error *errp)
{
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH };
	struct wt_score *s = calloc(1, sizeof(*s));

	if (!s) {
		wt_error_errno(errp, ENOMEM, "score");
		return NULL;
	}
	s->tree = t;
	s->select = wt_select_create(t, capacity, &options, errp);
	if (!s->select) {
		wt_score_destroy(s);
		return NULL;
	}
	s->total = s->select->capacity_sum[t->level_count - 1][0];
	s->sizes = calloc(t->levels[0].count, sizeof(*s->sizes));
	s->mark = calloc(t->levels[0].count, sizeof(*s->mark));
	s->nodes = calloc(t->node_count, sizeof(*s->nodes));
	if (s->sizes && s->mark && s->nodes)
		return s;
	wt_score_destroy(s);
	wt_error_errno(errp, ENOMEM, "score");
	return NULL;
}

uint32_t wt_score_least(struct wt_score *s, const struct wt_room *room, uint32_t level, uint64_t units)
{
	uint32_t count = s->tree->levels[level].count, i;
	uint64_t held = 0;

	memcpy(s->sizes, room->units[level], count * sizeof(*s->sizes));
	sizes_sort(s->sizes, count);
	for (i = 0; i < count && held < units; i++)
		held += s->sizes[i];
	return i;
}

/* How many switches of each level the nodes are below. */
static int touched_count(struct wt_score *s, const uint32_t *nodes, size_t count, uint32_t *touched,
			 struct wt_error *errp)
{
	const struct wt_tree *t = s->tree;

	for (uint32_t l = 0; l + 1 < t->level_count; l++) {
		memset(s->mark, 0, t->levels[l].count);
		touched[l] = 0;
		for (size_t i = 0; i < count; i++) {
			uint32_t sw;

			if (nodes[i] >= t->node_count)
				return wt_error_set(errp, EINVAL, "score: node %u is not in the tree", nodes[i]);
			sw = t->leaf[nodes[i]];
			for (uint32_t up = 0; up < l; up++)
				sw = t->levels[up].parent[sw];
			touched[l] += !s->mark[sw];
			s->mark[sw] = 1;
		}
	}
	return 0;
}

/* What our own selector would have touched. */
static int guess(struct wt_score *s, const struct wt_room *room, uint64_t units, uint32_t *touched)
{
	struct select_request request = { .units = units };
	struct select_choice choice;

	if (wt_select_pick(s->select, room, &request, &choice) < 0)
		return -1;
	for (size_t i = 0; i < choice.count; i++)
		s->nodes[i] = choice.picks[i].node;
	return touched_count(s, s->nodes, choice.count, touched, NULL);
}

/* Whether nothing better was possible on all levels together. */
static int joint_decide(struct wt_score *s, const struct wt_room *room, uint64_t units, struct wt_verdict *v)
{
	uint32_t levels = s->tree->level_count - 1, least[WT_TREE_LEVELS_MAX];

	v->relative_all = !memcmp(v->touched, v->relative, levels * sizeof(*v->touched));
	/* Cheap answers first: as good as each level alone allows is as good as can be, and the highest level, which
	 * counts first, decides when it is worse. */
	if (v->relative_all || v->touched[levels - 1] > v->relative[levels - 1])
		return 0;
	if (wt_score_joint(room, units, v->touched, least) < 0) {
		/* shared nodes: the record has less free there than the job got, and so no better place */
		if (errno == ENOENT) {
			v->relative_all = v->guessed = 1;
			return 0;
		}
		/* Too many steps to prove it: our own selector's choice stands for the best, and the verdict says that it
		 * is a guess. */
		if (errno != EOVERFLOW || guess(s, room, units, least) < 0)
			return -1;
		v->guessed = 1;
	}
	v->relative_all = touch_compare(v->touched, least, levels) <= 0;
	return 0;
}

int wt_score_job(struct wt_score *s, const struct wt_room *room, const uint32_t *nodes, size_t count, uint64_t units,
		 struct wt_verdict *v, struct wt_error *errp)
{
	memset(v, 0, sizeof(*v));
	if (!units || !count || room->tree != s->tree)
		return wt_error_set(errp, EINVAL, "score: a job of no units, on no nodes, or in another tree");
	if (units >= s->total) {
		v->whole_machine = 1;
		return 0;
	}
	if (units > wt_room_total(room))
		return wt_error_set(errp, EINVAL, "score: a job of %llu units where %llu were free",
				    (unsigned long long) units, (unsigned long long) wt_room_total(room));
	if (touched_count(s, nodes, count, v->touched, errp) < 0)
		return -1;
	for (uint32_t l = 0; l + 1 < s->tree->level_count; l++) {
		v->absolute[l] = wt_select_least(s->select, l, units);
		v->relative[l] = wt_score_least(s, room, l, units);
	}
	if (joint_decide(s, room, units, v) < 0)
		return wt_error_errno(errp, errno, "score: a job of %llu units", (unsigned long long) units);
	return 0;
}

void wt_score_add(struct wt_score_tally *tally, const struct wt_tree *t, const struct wt_verdict *v)
{
	int absolute_all = 1;

	tally->levels = t->level_count - 1;
	if (v->whole_machine)
		return;
	tally->jobs++;
	for (uint32_t l = 0; l < tally->levels; l++) {
		tally->absolute[l] += v->touched[l] <= v->absolute[l];
		tally->relative[l] += v->touched[l] <= v->relative[l];
		tally->touched_sum[l] += v->touched[l];
		tally->absolute_sum[l] += v->absolute[l];
		tally->relative_sum[l] += v->relative[l];
		absolute_all &= v->touched[l] <= v->absolute[l];
	}
	tally->absolute_all += (uint64_t) absolute_all;
	tally->relative_all += v->relative_all != 0;
	tally->guessed += v->guessed != 0;
}
