/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "harness/vnode/model/elastic.h"
#include "lib/str.h"

#define BOOT_DEFAULT_S 60
#define STOP_DEFAULT_S 10
#define LIMIT_MAX 65536

/* From 101 on: apart from those of enum wt_draw, so that with one seed a boot and a launch draw different numbers. */
enum elastic_draw { DRAW_BOOT = 101, DRAW_STOP, DRAW_LATE, DRAW_LATE_BY, DRAW_FAILS, DRAW_NEVER, DRAW_STOCK };

/* "0.05" or "5%", up to 'end'. */
static int share_read(const char *text, const char *end, double *share)
{
	if (end > text && end[-1] == '%') {
		if (wt_delay_number(text, end - 1, 100, share) < 0)
			return -1;
		*share /= 100;
		return 0;
	}
	return wt_delay_number(text, end, 1, share);
}

static int late_add(struct wt_elastic *elastic, const char *text, struct wt_error *errp)
{
	const char *colon = strchr(text, ':');
	struct wt_delay by;
	double share;

	if (!colon || share_read(text, colon, &share) < 0)
		return wt_error_set(errp, EINVAL, "fail=late:%s: SHARE:DELAY is needed (10%%:300)", text);
	if (wt_delay_read(colon + 1, "fail=late:SHARE:DELAY", &by, errp) < 0)
		return -1;
	elastic->boot_late = share;
	elastic->late = by;
	return 0;
}

static int fail_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	const struct {
		const char *name;
		double *share;
	} kinds[] = {
		{ "boot:", &elastic->boot_fails }, { "never:", &elastic->boot_never }, { "stock-out:", &elastic->stock_out },
	};
	double share;

	if (!strncmp(value, "late:", 5))
		return late_add(elastic, value + 5, errp);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].name);

		if (strncmp(value, kinds[i].name, len))
			continue;
		if (share_read(value + len, value + strlen(value), &share) < 0)
			return wt_error_set(errp, EINVAL, "fail=%s: a share from 0 to 1, or 0%% to 100%%, is needed", value);
		*kinds[i].share = share;
		return 0;
	}
	return wt_error_set(errp, EINVAL, "fail=%s: boot:SHARE, never:SHARE, late:SHARE:DELAY or stock-out:SHARE is needed",
			    value);
}

int wt_elastic_add(struct wt_elastic *elastic, const char *text, struct wt_error *errp)
{
	const char *equals = text ? strchr(text, '=') : NULL, *value = equals ? equals + 1 : NULL;
	uint64_t number;

	if (text && !strcmp(text, "on"))
		return 0;
	if (!value)
		return wt_error_set(errp, EINVAL, "'%s' is not KEY=VALUE, nor \"on\"", text ? text : "");
#define IS(key) (!strncmp(text, key "=", sizeof(key)))
	if (IS("boot")) {
		if (wt_delay_read(value, "boot", &elastic->boot, errp) < 0)
			return -1;
		elastic->boot_given = true;
		return 0;
	}
	if (IS("stop")) {
		if (wt_delay_read(value, "stop", &elastic->stop, errp) < 0)
			return -1;
		elastic->stop_given = true;
		return 0;
	}
	if (IS("fail"))
		return fail_add(elastic, value, errp);
	if (IS("limit")) {
		if (wt_str_to_u64(value, 1, LIMIT_MAX, "limit", &number, errp) < 0)
			return -1;
		elastic->limit = (uint32_t) number;
		return 0;
	}
	if (IS("seed"))
		return wt_str_to_u64(value, 1, UINT64_MAX, "seed", &elastic->seed, errp);
#undef IS
	return wt_error_set(errp, EINVAL, "'%s' is not known; there are on, boot, stop, fail, limit and seed", text);
}

void wt_elastic_defaults(struct wt_elastic *elastic)
{
	if (!elastic->boot_given)
		elastic->boot = (struct wt_delay) {
			.kind = WT_DELAY_UNIFORM, .low_s = BOOT_DEFAULT_S, .high_s = BOOT_DEFAULT_S,
		};
	if (!elastic->stop_given)
		elastic->stop = (struct wt_delay) {
			.kind = WT_DELAY_UNIFORM, .low_s = STOP_DEFAULT_S, .high_s = STOP_DEFAULT_S,
		};
}

static double draw(const struct wt_elastic *elastic, enum elastic_draw what, uint32_t node, uint32_t boot)
{
	return wt_delay_draw(elastic->seed, what, node, boot);
}

static bool happens(const struct wt_elastic *elastic, enum elastic_draw what, double share, uint32_t node, uint32_t boot)
{
	return share > 0 && draw(elastic, what, node, boot) < share;
}

bool wt_elastic_stock_out(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	return happens(elastic, DRAW_STOCK, elastic->stock_out, node, boot);
}

enum wt_boot_fate wt_elastic_fate(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	if (happens(elastic, DRAW_FAILS, elastic->boot_fails, node, boot))
		return WT_BOOT_FAILS;
	return happens(elastic, DRAW_NEVER, elastic->boot_never, node, boot) ? WT_BOOT_NEVER : WT_BOOT_COMES;
}

int64_t wt_elastic_boot_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	int64_t us = wt_delay_us(&elastic->boot, draw(elastic, DRAW_BOOT, node, boot));

	if (happens(elastic, DRAW_LATE, elastic->boot_late, node, boot))
		us += wt_delay_us(&elastic->late, draw(elastic, DRAW_LATE_BY, node, boot));
	return us;
}

int64_t wt_elastic_stop_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	return wt_delay_us(&elastic->stop, draw(elastic, DRAW_STOP, node, boot));
}
