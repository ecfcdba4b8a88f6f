/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/repeatable.h"

#define PASSED_MIN_S 1e-9	/* the clock counts nanoseconds: less is a rounding error */

static void __attribute__((format(printf, 3, 4))) append(char *basis, size_t size, const char *fmt, ...)
{
	size_t len = strnlen(basis, size);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(basis + len, size - len, fmt, ap);
	va_end(ap);
}

static enum wt_repeatable judge_exact(const struct wt_clock_counts *c, char *basis, size_t size)
{
	snprintf(basis, size, "charge none: the clock stood while any thread worked");
	if (c->unjumped_s < PASSED_MIN_S && !c->outsiders && !c->races) {
		append(basis, size, ", and threads that were to go on at one moment did so one at a time, in a fixed order");
		return WT_REPEATABLE_YES;
	}
	if (c->unjumped_s >= PASSED_MIN_S)
		append(basis, size, ", but %.3f s of it passed at the machine's rate", c->unjumped_s);
	if (c->outsiders)
		append(basis, size, ", but %" PRIu64 " conversations were with clients outside of it", c->outsiders);
	if (c->races)
		append(basis, size, ", but %" PRIu64 " times threads met at a lock and the machine decided which came first",
		       c->races);
	return WT_REPEATABLE_DOUBTFUL;
}

enum wt_repeatable wt_repeatable_judge(const struct wt_clock_counts *counts, char *basis, size_t size)
{
	if (counts && !strcmp(counts->charge, "none"))
		return judge_exact(counts, basis, size);
	if (!counts)
		snprintf(basis, size, "the machine's own clock; in virtual time with --charge none runs repeat themselves");
	else
		snprintf(basis, size, "charge %s: how long the machine takes to compute counts; with --charge none runs "
				      "repeat themselves",
			 counts->charge);
	return WT_REPEATABLE_NO;
}

const char *wt_repeatable_name(enum wt_repeatable verdict)
{
	static const char *const names[] = { "yes", "doubtful", "no" };

	return (unsigned int) verdict < WT_REPEATABLE_COUNT ? names[verdict] : "impossible";
}
