/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "harness/vnode/model/delay.h"
#include "harness/vnode/model/limit.h"

#define MACHINES_MAX 65536
#define TIME_MAX_S 1e9	/* 30 years */
#define SHOWN_MAX 60	/* bytes of a value, in what is told of it */

static int machines_read(const char *text, const char *end, uint32_t *machines)
{
	uint32_t number = 0;

	if (end - text == 3 && !memcmp(text, "all", 3)) {
		*machines = WT_LIMIT_NONE;
		return 0;
	}
	if (text == end)
		return -1;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		number = number * 10 + (uint32_t) (*text - '0');
		if (number > MACHINES_MAX)
			return -1;
	}
	*machines = number;
	return 0;
}

static int time_read(const char *text, const char *end, int64_t *us)
{
	double seconds;

	if (wt_delay_number(text, end, TIME_MAX_S, &seconds) < 0)
		return -1;
	*us = llround(seconds * 1e6);
	return 0;
}

/* "N", which only the first may be, or "SECONDS:N". */
static int step_read(const char *text, const char *end, struct wt_limit *limit)
{
	const char *colon = memchr(text, ':', (size_t) (end - text));
	struct wt_limit_step step = { 0 };

	if (limit->step_count == WT_LIMIT_STEPS_MAX || (!colon && limit->step_count) ||
	    (colon && time_read(text, colon, &step.from_us) < 0) ||
	    machines_read(colon ? colon + 1 : text, end, &step.machines) < 0)
		return -1;
	if (limit->step_count && step.from_us <= limit->steps[limit->step_count - 1].from_us)
		return -1;
	limit->steps[limit->step_count++] = step;
	return 0;
}

static bool has_machines(const struct wt_limit *limit)
{
	bool has = limit->steps[0].from_us > 0;	/* before that there is no limit */

	for (uint32_t i = 0; i < limit->step_count; i++)
		has = has || limit->steps[i].machines;
	return has;
}

/* *wrong: the piece that is not right. */
static int all_read(const char *text, struct wt_limit *limit, const char **wrong)
{
	const char *slash = strchr(text, '/'), *end = slash ? slash : text + strlen(text);

	for (const char *at = text, *stop; at <= end; at = stop + 1) {
		stop = memchr(at, ',', (size_t) (end - at));
		if (!stop)
			stop = end;
		*wrong = at;
		if (step_read(at, stop, limit) < 0)
			return -1;
	}
	*wrong = slash ? slash : text;
	if (slash && (time_read(slash + 1, text + strlen(text), &limit->period_us) < 0 ||
		      limit->period_us <= limit->steps[limit->step_count - 1].from_us))
		return -1;
	*wrong = text;
	return has_machines(limit) ? 0 : -1;
}

int wt_limit_read(const char *text, struct wt_limit *limit, struct wt_error *errp)
{
	struct wt_limit read = { 0 };
	const char *wrong = "";

	/* Of a value of hundreds of steps all that is shown is where it is wrong: the reason has to fit behind it. */
	if (!text || all_read(text, &read, &wrong) < 0)
		return wt_error_set(errp, EINVAL, "limit=%s%.*s%s: a number of machines up to %d or \"all\", then "
				    "SECONDS:MACHINES (%d at most, each later than the one before), and if that begins anew "
				    "/SECONDS, beyond the last of them, are needed (100,3600:20,7200:all/86400), and not "
				    "always 0",
				    text && wrong != text ? "..." : "", SHOWN_MAX, wrong,
				    strlen(wrong) > SHOWN_MAX ? "..." : "", MACHINES_MAX, WT_LIMIT_STEPS_MAX);
	*limit = read;
	return 0;
}

uint32_t wt_limit_at(const struct wt_limit *limit, int64_t since_us)
{
	uint32_t machines = WT_LIMIT_NONE;

	if (limit->period_us && since_us > 0)
		since_us %= limit->period_us;
	/* Before the beginning is as at the beginning: a clock that was set back takes nothing away. */
	for (uint32_t i = 0; i < limit->step_count && limit->steps[i].from_us <= (since_us > 0 ? since_us : 0); i++)
		machines = limit->steps[i].machines;
	return machines;
}
