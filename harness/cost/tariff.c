/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cost/tariff.h"
#include "lib/str.h"
#include "topology/hostlist.h"

#define YEAR_S (366 * 86400.0)

static const struct {
	const char *name;
	double min, max, otherwise;	/* otherwise: where nobody said it */
	bool word;			/* paid or free */
} keys[COST_KEY_COUNT] = {
	[COST_PRICE] = { "price", 0, 1e9, NAN, false },
	[COST_UNIT] = { "unit", 1e-3, YEAR_S, 1, false },
	[COST_MINIMUM] = { "minimum", 0, YEAR_S, 0, false },
	[COST_BOOT] = { "boot", 0, 1, 1, true },
	[COST_STOP] = { "stop", 0, 1, 1, true },
	[COST_WATTS_IDLE] = { "idle-watts", 0, 1e7, NAN, false },
	[COST_WATTS_BUSY] = { "busy-watts", 0, 1e7, NAN, false },
	[COST_WATTS_BOOT] = { "boot-watts", 0, 1e7, NAN, false },
	[COST_WATTS_STOP] = { "stop-watts", 0, 1e7, NAN, false },
	[COST_WATTS_OFF] = { "off-watts", 0, 1e7, 0, false },
};

const char *cost_state_name(enum cost_state state)
{
	static const char *const names[COST_STATES] = {
		[COST_BUSY] = "busy", [COST_IDLE] = "idle", [COST_BOOTING] = "booting", [COST_STOPPING] = "stopping",
		[COST_OFF] = "off",
	};

	return names[state];
}

static int word_read(enum cost_key key, const char *text, double *value, struct wt_error *errp)
{
	if (strcmp(text, "paid") && strcmp(text, "free"))
		return wt_error_set(errp, EINVAL, "%s=%s: give paid or free", keys[key].name, text);
	*value = !strcmp(text, "paid");
	return 0;
}

static int value_read(enum cost_key key, const char *text, double *value, struct wt_error *errp)
{
	char *end;

	if (keys[key].word)
		return word_read(key, text, value, errp);
	*value = strtod(text, &end);
	/* strtod (3) alone would take hexadecimal numbers, infinities and blanks. */
	if (!*text || text[strspn(text, "0123456789.eE+-")] || *end || !(*value >= keys[key].min && *value <= keys[key].max))
		return wt_error_set(errp, EINVAL, "%s=%s: give a number from %g to %.0f", keys[key].name, text,
				    keys[key].min, keys[key].max);
	return 0;
}

static int key_find(const char *name, size_t len, enum cost_key *key, struct wt_error *errp)
{
	for (int k = 0; k < COST_KEY_COUNT; k++) {
		if (strlen(keys[k].name) != len || memcmp(keys[k].name, name, len))
			continue;
		*key = (enum cost_key) k;
		return 0;
	}
	return wt_error_set(errp, EINVAL, "%.*s: there are price, unit, minimum, boot, stop, idle-watts, busy-watts, "
			    "boot-watts, stop-watts and off-watts", (int) len, name);
}

static struct cost_class *class_find(const struct cost_settings *settings, const char *nodes, size_t len)
{
	for (size_t i = 0; i < settings->class_count; i++) {
		struct cost_class *class = &settings->classes[i];

		if (!class->nodes ? !len : strlen(class->nodes) == len && !memcmp(class->nodes, nodes, len))
			return class;
	}
	return NULL;
}

static int class_append(struct cost_settings *settings, const char *nodes, size_t len, struct wt_error *errp)
{
	struct cost_class *more = reallocarray(settings->classes, settings->class_count + 1, sizeof(*more));
	struct cost_class *class;

	if (!more)
		return wt_error_errno(errp, ENOMEM, "costs");
	settings->classes = more;
	class = &more[settings->class_count];
	*class = (struct cost_class) { 0 };
	for (int k = 0; k < COST_KEY_COUNT; k++)
		class->values[k] = NAN;
	if (len && !(class->nodes = strndup(nodes, len)))
		return wt_error_errno(errp, ENOMEM, "costs");
	settings->class_count++;
	return 0;
}

static int nodes_check(const char *nodes, size_t len, struct wt_error *errp)
{
	struct wt_hostlist *list = wt_hostlist_parse(nodes, len, COST_CLASS_NODES_MAX, errp);

	if (!list)
		return wt_error_prefix(errp, "%.*s", (int) len, nodes);
	wt_hostlist_destroy(list);
	return 0;
}

/* The class of these nodes, made where it is not there; the one of all others stands before it. */
static struct cost_class *class_take(struct cost_settings *settings, const char *nodes, size_t len, struct wt_error *errp)
{
	struct cost_class *found = class_find(settings, nodes, len);

	if (found)
		return found;
	if (settings->class_count == COST_CLASSES_MAX) {
		wt_error_set(errp, E2BIG, "more than %d classes of nodes", COST_CLASSES_MAX);
		return NULL;
	}
	if ((len && nodes_check(nodes, len, errp) < 0) ||
	    (!settings->class_count && class_append(settings, NULL, 0, errp) < 0) ||
	    (len && class_append(settings, nodes, len, errp) < 0))
		return NULL;
	return class_find(settings, nodes, len);
}

static int text_keep(struct cost_settings *settings, const char *text, struct wt_error *errp)
{
	char **more = reallocarray(settings->texts, settings->text_count + 1, sizeof(*more));

	if (more)
		settings->texts = more;
	if (!more || !(more[settings->text_count] = strdup(text)))
		return wt_error_errno(errp, ENOMEM, "costs");
	settings->text_count++;
	return 0;
}

int cost_settings_add(struct cost_settings *settings, const char *text, struct wt_error *errp)
{
	const char *equals = strchr(text, '='), *colon = equals ? memchr(text, ':', (size_t) (equals - text)) : NULL;
	const char *name = colon ? colon + 1 : text;
	struct cost_class *class;
	enum cost_key key = COST_PRICE;
	double value = NAN;

	if (!equals || colon == text)
		return wt_error_set(errp, EINVAL, "%.100s: give [NODES:]KEY=VALUE, as price=0.5", text);
	if (key_find(name, (size_t) (equals - name), &key, errp) < 0 || value_read(key, equals + 1, &value, errp) < 0)
		return -1;
	class = class_take(settings, text, colon ? (size_t) (colon - text) : 0, errp);
	if (!class || text_keep(settings, text, errp) < 0)
		return -1;
	class->values[key] = value;
	return 0;
}

static double value_of(const struct cost_settings *settings, size_t at, enum cost_key key)
{
	double value = settings->class_count ? settings->classes[at].values[key] : NAN;

	if (isnan(value) && settings->class_count)
		value = settings->classes[0].values[key];
	return isnan(value) ? keys[key].otherwise : value;
}

int cost_settings_check(const struct cost_settings *settings, struct wt_error *errp)
{
	for (size_t i = 0; i < settings->class_count; i++) {
		bool idle = !isnan(value_of(settings, i, COST_WATTS_IDLE));
		bool busy = !isnan(value_of(settings, i, COST_WATTS_BUSY));
		const char *nodes = settings->classes[i].nodes;
		bool other = false;

		for (int k = COST_WATTS_BOOT; k <= COST_WATTS_OFF; k++)
			other |= !isnan(settings->classes[i].values[k]);
		if (idle != busy || (other && !idle))
			return wt_error_set(errp, EINVAL, "%s%sidle-watts and busy-watts are needed, both",
					    nodes ? nodes : "", nodes ? ": " : "");
	}
	return 0;
}

static bool node_there(const char *name, uint32_t nodes)
{
	char own[16];
	uint64_t number;

	if (*name != 'n' || !nodes || wt_str_to_u64(name + 1, 0, nodes - 1, "node", &number, NULL) < 0)
		return false;
	snprintf(own, sizeof(own), "n%u", (unsigned int) number);
	return !strcmp(own, name);
}

int cost_settings_nodes_check(const struct cost_settings *settings, uint32_t nodes, struct wt_error *errp)
{
	int rc = 0;

	for (size_t c = 1; rc == 0 && c < settings->class_count; c++) {
		const char *text = settings->classes[c].nodes;
		struct wt_hostlist *list = wt_hostlist_parse(text, strlen(text), COST_CLASS_NODES_MAX, errp);

		rc = list ? 0 : -1;
		for (size_t i = 0; rc == 0 && i < wt_hostlist_count(list); i++)
			if (!node_there(wt_hostlist_name(list, i), nodes))
				rc = wt_error_set(errp, EINVAL, "%s: the cluster has no node %s", text,
						  wt_hostlist_name(list, i));
		wt_hostlist_destroy(list);
	}
	return rc;
}

void cost_settings_clear(struct cost_settings *settings)
{
	for (size_t i = 0; i < settings->class_count; i++)
		free(settings->classes[i].nodes);
	for (size_t i = 0; i < settings->text_count; i++)
		free(settings->texts[i]);
	free(settings->classes);
	free(settings->texts);
	*settings = (struct cost_settings) { 0 };
}

static double watts_or_idle(const struct cost_settings *settings, size_t at, enum cost_key key)
{
	double watts = value_of(settings, at, key);

	return isnan(watts) ? value_of(settings, at, COST_WATTS_IDLE) : watts;
}

void cost_tariff_make(const struct cost_settings *settings, size_t at, struct cost_tariff *tariff)
{
	double idle = value_of(settings, at, COST_WATTS_IDLE);

	*tariff = (struct cost_tariff) {
		.price = value_of(settings, at, COST_PRICE),
		.unit_us = llround(value_of(settings, at, COST_UNIT) * 1e6),
		.minimum_us = llround(value_of(settings, at, COST_MINIMUM) * 1e6),
		.boot_paid = value_of(settings, at, COST_BOOT) > 0,
		.stop_paid = value_of(settings, at, COST_STOP) > 0,
		.watts = {
			[COST_BUSY] = value_of(settings, at, COST_WATTS_BUSY), [COST_IDLE] = idle,
			[COST_BOOTING] = watts_or_idle(settings, at, COST_WATTS_BOOT),
			[COST_STOPPING] = watts_or_idle(settings, at, COST_WATTS_STOP),
			[COST_OFF] = isnan(idle) ? NAN : value_of(settings, at, COST_WATTS_OFF),
		},
	};
}
