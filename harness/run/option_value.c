/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/option_value.h"

bool wt_option_decimal(const char *text)
{
	return !text[strspn(text, "+-.,0123456789eE")];
}

int wt_option_number(struct argp_state *state, const char *option, const char *text, double min, double max, double *value)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (!wt_option_decimal(text) || end == text || *end || errno || !isfinite(v) || v < min || v > max) {
		argp_error(state, "--%s %s: give a number from %g to %g", option, text, min, max);
		return EINVAL;
	}
	*value = v;
	return 0;
}

int wt_option_whole(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max,
		    uint64_t *value)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v < min || v > max) {
		argp_error(state, "--%s %s: give a whole number from %llu to %llu", option, text, (unsigned long long) min,
			   (unsigned long long) max);
		return EINVAL;
	}
	*value = v;
	return 0;
}
