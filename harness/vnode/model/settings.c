/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/settings.h"
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
