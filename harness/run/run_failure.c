/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/run_private.h"

void wt_run_fail(struct wt_run *run, const char *fmt, ...)
{
	va_list ap;

	if (*run->failure)
		return;
	va_start(ap, fmt);
	vsnprintf(run->failure, sizeof(run->failure), fmt, ap);
	va_end(ap);
}

void wt_run_fail_more(struct wt_run *run, const char *fmt, ...)
{
	size_t used = strlen(run->failure);
	va_list ap;

	if (used) {
		snprintf(run->failure + used, sizeof(run->failure) - used, "; ");
		used = strlen(run->failure);
	}
	va_start(ap, fmt);
	vsnprintf(run->failure + used, sizeof(run->failure) - used, fmt, ap);
	va_end(ap);
}
