/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/model/faults.h"

struct edge {
	int64_t at_us;
	size_t fail;
	bool down;
};

struct wt_faults {
	const struct wt_settings *settings;
	struct wt_nodeset *refusing;		/* by refuse */
	uint32_t node_count;
	size_t fail_count, edge_count, at;	/* at: of the first edge to come */
	struct wt_nodeset *failing;		/* by fail */
	struct edge *edges;
	uint16_t *down;				/* by node: failures that hold it down now */
	float *factors;
};

void wt_faults_destroy(struct wt_faults *faults)
{
	int saved_errno = errno;

	if (faults) {
		for (size_t i = 0; faults->failing && i < faults->fail_count; i++)
			wt_nodeset_clear(&faults->failing[i]);
		for (size_t i = 0; faults->refusing && i < faults->settings->refuse_count; i++)
			wt_nodeset_clear(&faults->refusing[i]);
		free(faults->failing);
		free(faults->refusing);
		free(faults->edges);
		free(faults->down);
		free(faults->factors);
		free(faults);
	}
	errno = saved_errno;
}

static int edge_compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return (int) x->down - (int) y->down;	/* one failure's end before the next one's beginning */
}

static void edges_fill(struct wt_faults *faults, const struct wt_settings *settings)
{
	for (size_t i = 0; i < settings->fail_count; i++) {
		const struct wt_fail *fail = &settings->fails[i];

		if (!fail->for_us)
			continue;
		faults->edges[faults->edge_count++] = (struct edge) { .at_us = fail->at_us, .fail = i, .down = true };
		faults->edges[faults->edge_count++] = (struct edge) { .at_us = fail->at_us + fail->for_us, .fail = i };
	}
	if (faults->edge_count)
		qsort(faults->edges, faults->edge_count, sizeof(*faults->edges), edge_compare);
}

struct resolver {
	const struct wt_settings *settings;
	uint32_t node_count;
	wt_faults_nodes_f nodes;
	void *arg;
};

static int resolve(const struct resolver *r, const char *text, enum wt_draw what, size_t number, struct wt_nodeset *set,
		   struct wt_error *errp)
{
	int rc = wt_settings_share(r->settings, text, what, (uint32_t) number, r->node_count, set);

	if (rc < 0)
		return wt_error_errno(errp, ENOMEM, "%s", text);
	return rc ? 0 : r->nodes(r->arg, text, set, errp);
}

static int slows_resolve(struct wt_faults *faults, const struct resolver *r, struct wt_error *errp)
{
	if (!r->settings->slow_count)
		return 0;
	faults->factors = malloc(r->node_count * sizeof(*faults->factors));
	if (!faults->factors)
		return wt_error_errno(errp, ENOMEM, "slow");
	for (uint32_t i = 0; i < r->node_count; i++)
		faults->factors[i] = 1;
	for (size_t i = 0; i < r->settings->slow_count; i++) {
		struct wt_nodeset set = { 0 };

		if (resolve(r, r->settings->slows[i].nodes, WT_DRAW_SLOW, i, &set, errp) < 0)
			return wt_error_prefix(errp, "slow=%s", r->settings->slows[i].nodes);
		for (uint32_t j = 0; j < set.range_count; j++)
			for (uint32_t k = 0; k < set.ranges[j].count; k++)
				faults->factors[set.ranges[j].first + k] *= (float) r->settings->slows[i].factor;
		wt_nodeset_clear(&set);
	}
	return 0;
}

static int fails_resolve(struct wt_faults *faults, const struct resolver *r, struct wt_error *errp)
{
	for (size_t i = 0; i < r->settings->fail_count; i++) {
		if (resolve(r, r->settings->fails[i].nodes, WT_DRAW_FAIL, i, &faults->failing[i], errp) < 0)
			return wt_error_prefix(errp, "fail=%s", r->settings->fails[i].nodes);
	}
	edges_fill(faults, r->settings);
	return 0;
}

static int refuses_resolve(struct wt_faults *faults, const struct resolver *r, struct wt_error *errp)
{
	for (size_t i = 0; i < r->settings->refuse_count; i++) {
		const struct wt_refuse *refuse = &r->settings->refuses[i];

		if (resolve(r, refuse->nodes, WT_DRAW_REFUSE, i, &faults->refusing[i], errp) < 0)
			return wt_error_prefix(errp, "%s=%s", refuse->prolog ? "prolog-fail" : "launch-fail", refuse->nodes);
	}
	return 0;
}

bool wt_faults_refuse(const struct wt_faults *faults, bool prolog, uint32_t job_id, uint32_t node)
{
	const struct wt_settings *settings = faults->settings;
	enum wt_draw what = prolog ? WT_DRAW_PROLOG : WT_DRAW_LAUNCH_FAIL;
	uint32_t rank;

	for (size_t i = 0; i < settings->refuse_count; i++)
		if (settings->refuses[i].prolog == prolog && wt_nodeset_rank(&faults->refusing[i], node, &rank) &&
		    wt_settings_draw(settings, what, (uint64_t) i << 32 | job_id, node) < settings->refuses[i].share)
			return true;
	return false;
}

struct wt_faults *wt_faults_create(const struct wt_settings *settings, uint32_t node_count, wt_faults_nodes_f nodes,
				   void *arg, struct wt_error *errp)
{
	const struct resolver r = { .settings = settings, .node_count = node_count, .nodes = nodes, .arg = arg };
	struct wt_faults *faults = calloc(1, sizeof(*faults));

	if (!faults) {
		wt_error_errno(errp, ENOMEM, "settings");
		return NULL;
	}
	faults->settings = settings;
	faults->node_count = node_count;
	faults->refusing = calloc(settings->refuse_count + 1, sizeof(*faults->refusing));
	faults->fail_count = settings->fail_count;
	faults->failing = calloc(settings->fail_count + 1, sizeof(*faults->failing));
	faults->edges = calloc(2 * settings->fail_count + 1, sizeof(*faults->edges));
	faults->down = calloc(node_count + 1, sizeof(*faults->down));
	if (!faults->refusing || !faults->failing || !faults->edges || !faults->down)
		wt_error_errno(errp, ENOMEM, "settings");
	else if (fails_resolve(faults, &r, errp) == 0 && slows_resolve(faults, &r, errp) == 0 &&
		 refuses_resolve(faults, &r, errp) == 0)
		return faults;
	wt_faults_destroy(faults);
	return NULL;
}

const float *wt_faults_factors(const struct wt_faults *faults)
{
	return faults->factors;
}

bool wt_faults_down(const struct wt_faults *faults, uint32_t node)
{
	return faults->down[node] > 0;
}

bool wt_faults_next(const struct wt_faults *faults, int64_t *at_us)
{
	if (faults->at == faults->edge_count)
		return false;
	*at_us = faults->edges[faults->at].at_us;
	return true;
}

static void node_change(struct wt_faults *faults, uint32_t node, bool down, wt_faults_changed_f changed, void *arg)
{
	bool before = faults->down[node] > 0;

	faults->down[node] = (uint16_t) (faults->down[node] + (down ? 1 : -1));
	if (before != (faults->down[node] > 0))
		changed(arg, node, down);
}

void wt_faults_advance(struct wt_faults *faults, int64_t now_us, wt_faults_changed_f changed, void *arg)
{
	for (; faults->at < faults->edge_count && faults->edges[faults->at].at_us <= now_us; faults->at++) {
		const struct edge *edge = &faults->edges[faults->at];
		const struct wt_nodeset *set = &faults->failing[edge->fail];

		for (uint32_t i = 0; i < set->range_count; i++)
			for (uint32_t k = 0; k < set->ranges[i].count; k++)
				node_change(faults, set->ranges[i].first + k, edge->down, changed, arg);
	}
}
