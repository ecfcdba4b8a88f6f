/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include "harness/site/reasons.h"

int wt_reason_count(json_t *counts, const char *why, struct wt_error *errp)
{
	json_int_t count = json_integer_value(json_object_get(counts, why));

	if (json_object_set_new(counts, why, json_integer(count + 1)) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", why);
	return 0;
}

int wt_reasons_add(json_t *counts, const json_t *more, struct wt_error *errp)
{
	const char *why;
	json_t *count;

	json_object_foreach((json_t *) more, why, count) {
		json_int_t sum = json_integer_value(json_object_get(counts, why)) + json_integer_value(count);

		if (json_object_set_new(counts, why, json_integer(sum)) < 0)
			return wt_error_errno(errp, ENOMEM, "%s", why);
	}
	return 0;
}
