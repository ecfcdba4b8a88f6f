/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include "workload/workload_options.h"

int workload_options_check(const struct workload_options *options, struct wt_error *errp)
{
	if (!(options->time_scale > 0 && options->time_scale <= 1000))
		return wt_error_set(errp, EINVAL, "time scale %g: give a number above 0, at most 1000", options->time_scale);
	if (!(options->limit_factor >= 1 && options->limit_factor <= 1000))
		return wt_error_set(errp, EINVAL, "time limits of %g times the run time: give a factor from 1 to 1000",
				    options->limit_factor);
	return 0;
}
