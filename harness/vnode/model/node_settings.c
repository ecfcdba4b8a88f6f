/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/node_settings.h"
#include "lib/str.h"

#define NOISE_MAX 0.95

/* A share is more than 0 % and at most 100 %. */
static bool share_read(const char *nodes, double *percent)
{
	const char *end = strchr(nodes, '%');

	return end && !end[1] && wt_delay_number(nodes, end, 100, percent) == 0 && *percent > 0;
}

static int nodes_copy(const char *text, size_t len, const char *value, const char *key, char **nodes, struct wt_error *errp)
{
	double percent;

	*nodes = strndup(text, len);
	if (!*nodes)
		return wt_error_errno(errp, ENOMEM, "%s", key);
	if (len && (!strchr(*nodes, '%') || share_read(*nodes, &percent)))
		return 0;
	free(*nodes);
	return wt_error_set(errp, EINVAL, "%s=%s: nodes are a host list (n[0-9]) or a share of all (5%%)", key, value);
}

static int fail_add(struct wt_settings *settings, const char *value, struct wt_error *errp)
{
	const char *at = strrchr(value, '@'), *plus = at ? strchr(at, '+') : NULL;
	struct wt_fail *fails, fail;
	double at_s, for_s;

	if (!plus || wt_delay_number(at + 1, plus, 1e8, &at_s) < 0 || wt_delay_number(plus + 1, value + strlen(value), 1e8,
									      &for_s) < 0)
		return wt_error_set(errp, EINVAL, "fail=%s: NODES@T+D is needed, with T and D in seconds (5%%@60+120)",
				    value);
	if (nodes_copy(value, (size_t) (at - value), value, "fail", &fail.nodes, errp) < 0)
		return -1;
	fail.at_us = (int64_t) (at_s * 1e6);
	fail.for_us = (int64_t) (for_s * 1e6);
	fails = realloc(settings->fails, (settings->fail_count + 1) * sizeof(*fails));
	if (!fails) {
		free(fail.nodes);
		return wt_error_errno(errp, ENOMEM, "fail");
	}
	settings->fails = fails;
	fails[settings->fail_count++] = fail;
	return 0;
}

static int slow_add(struct wt_settings *settings, const char *value, struct wt_error *errp)
{
	const char *colon = strrchr(value, ':');
	struct wt_slow *slows, slow;

	if (!colon || wt_delay_number(colon + 1, value + strlen(value), 1e4, &slow.factor) < 0 || slow.factor < 1)
		return wt_error_set(errp, EINVAL, "slow=%s: NODES:FACTOR is needed, with a factor from 1 to 10000 (5%%:1.5)",
				    value);
	if (nodes_copy(value, (size_t) (colon - value), value, "slow", &slow.nodes, errp) < 0)
		return -1;
	slows = realloc(settings->slows, (settings->slow_count + 1) * sizeof(*slows));
	if (!slows) {
		free(slow.nodes);
		return wt_error_errno(errp, ENOMEM, "slow");
	}
	settings->slows = slows;
	slows[settings->slow_count++] = slow;
	return 0;
}

static int refuse_add(struct wt_settings *settings, const char *value, const char *key, bool prolog, struct wt_error *errp)
{
	const char *end = value + strlen(value), *colon = strrchr(value, ':');
	struct wt_refuse *refuses, refuse = { .share = 1, .prolog = prolog };

	if (colon && wt_delay_number(colon + 1, end, 1, &refuse.share) < 0)
		return wt_error_set(errp, EINVAL,
				    "%s=%s: NODES or NODES:SHARE is needed, with a share from 0 to 1 (n3, 5%%:0.1)", key,
				    value);
	if (nodes_copy(value, (size_t) ((colon ? colon : end) - value), value, key, &refuse.nodes, errp) < 0)
		return -1;
	refuses = realloc(settings->refuses, (settings->refuse_count + 1) * sizeof(*refuses));
	if (!refuses) {
		free(refuse.nodes);
		return wt_error_errno(errp, ENOMEM, "%s", key);
	}
	settings->refuses = refuses;
	refuses[settings->refuse_count++] = refuse;
	return 0;
}

static int share_take(const char *value, const char *key, double max, double *share, struct wt_error *errp)
{
	double read;

	if (wt_delay_number(value, value + strlen(value), max, &read) < 0)
		return wt_error_set(errp, EINVAL, "%s=%s: a share from 0 to %g is needed", key, value, max);
	*share = read;
	return 0;
}

int wt_settings_add(struct wt_settings *settings, const char *text, struct wt_error *errp)
{
	const struct {
		const char *key;
		struct wt_delay *delay;		/* or, NULL: */
		double *share, max;
	} plain[] = {
		{ "launch-delay", &settings->launch, NULL, 0 },
		{ "end-delay", &settings->end, NULL, 0 },
		{ "epilog-time", &settings->epilog, NULL, 0 },
		{ "reboot-time", &settings->reboot, NULL, 0 }, { "hop-delay", &settings->hop, NULL, 0 },
		{ "beat-delay", &settings->beat, NULL, 0 },
		{ "loss", NULL, &settings->loss, 1 },
		{ "noise", NULL, &settings->noise, NOISE_MAX },
		{ "hang", NULL, &settings->hang, 1 },
		{ "beat-loss", NULL, &settings->beat_loss, 1 },
	};
	const char *equals = text ? strchr(text, '=') : NULL, *value = equals ? equals + 1 : NULL;
	size_t len = equals ? (size_t) (equals - text) : 0;

#define IS(name) (len == strlen(name) && !memcmp(text, name, len))
	if (!equals)
		return wt_error_set(errp, EINVAL, "'%s': KEY=VALUE is needed", text ? text : "");
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (IS(plain[i].key))
			return plain[i].delay ? wt_delay_read(value, plain[i].key, plain[i].delay, errp) :
						share_take(value, plain[i].key, plain[i].max, plain[i].share, errp);
	if (IS("fail"))
		return fail_add(settings, value, errp);
	if (IS("slow"))
		return slow_add(settings, value, errp);
	if (IS("prolog-fail"))
		return refuse_add(settings, value, "prolog-fail", true, errp);
	if (IS("launch-fail"))
		return refuse_add(settings, value, "launch-fail", false, errp);
	if (IS("seed"))
		return wt_str_to_u64(value, 1, UINT64_MAX, "seed", &settings->seed, errp);
#undef IS
	return wt_error_set(errp, EINVAL,
			    "'%s' is not known; there are launch-delay, end-delay, epilog-time, reboot-time, hop-delay, "
			    "fail, loss, slow, noise, hang, beat-loss, beat-delay, prolog-fail, launch-fail and seed", text);
}

void wt_settings_clear(struct wt_settings *settings)
{
	int saved_errno = errno;

	for (size_t i = 0; i < settings->fail_count; i++)
		free(settings->fails[i].nodes);
	for (size_t i = 0; i < settings->slow_count; i++)
		free(settings->slows[i].nodes);
	free(settings->fails);
	for (size_t i = 0; i < settings->refuse_count; i++)
		free(settings->refuses[i].nodes);
	free(settings->slows);
	free(settings->refuses);
	memset(settings, 0, sizeof(*settings));
	errno = saved_errno;
}

static uint64_t draw_bits(const struct wt_settings *settings, enum wt_draw what, uint64_t a, uint64_t b)
{
	return wt_delay_bits(settings->seed, what, a, b);
}

double wt_settings_draw(const struct wt_settings *settings, enum wt_draw what, uint64_t a, uint64_t b)
{
	return wt_delay_draw(settings->seed, what, a, b);
}

struct lot {
	uint64_t bits;
	uint32_t node;
};

static int lot_compare(const void *a, const void *b)
{
	const struct lot *x = a, *y = b;

	return x->bits != y->bits ? (x->bits < y->bits ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

int wt_settings_share(const struct wt_settings *settings, const char *nodes, enum wt_draw what, uint32_t number,
		      uint32_t node_count, struct wt_nodeset *set)
{
	struct lot *lots;
	uint32_t *chosen, count;
	double percent;
	int rc = -1;

	if (!share_read(nodes, &percent))
		return 0;
	/* At least one: "1%" of 64 nodes shall not mean that nothing happens. */
	count = (uint32_t) lround(percent / 100 * node_count);
	if (!count)
		count = 1;
	if (count > node_count)
		count = node_count;
	lots = malloc((node_count + 1) * sizeof(*lots));
	chosen = malloc((count + 1) * sizeof(*chosen));
	if (lots && chosen) {
		for (uint32_t i = 0; i < node_count; i++)
			lots[i] = (struct lot) { .bits = draw_bits(settings, what, number, i), .node = i };
		qsort(lots, node_count, sizeof(*lots), lot_compare);
		for (uint32_t i = 0; i < count; i++)
			chosen[i] = lots[i].node;
		rc = wt_nodeset_fill(set, chosen, count) < 0 ? -1 : 1;
	}
	free(lots);
	free(chosen);
	return rc;
}

uint32_t wt_settings_levels(uint32_t count, uint32_t tree_width)
{
	uint32_t levels = 0;

	/* Each level takes one node of each of its (at most tree_width) groups. */
	for (; count && tree_width; levels++)
		count = count <= tree_width ? 0 : (count + tree_width - 1) / tree_width - 1;
	return levels;
}

/* ---- the nodes that they hit --------------------------------------------------------------------------------- */

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

		/* Down and up at one moment is no failure, and edge_compare () would put its end first. */
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
	/* Failures may overlap: the node is told when the first takes it down, and when the last one is over. */
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
