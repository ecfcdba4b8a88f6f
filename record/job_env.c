/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "record/job_env.h"

static const char *const probe_names[WT_PROBE_COUNT] = {
	[WT_PROBE_NONE] = WT_PROBE_NAME_NONE, [WT_PROBE_PING] = WT_PROBE_NAME_PING,
	[WT_PROBE_JOB] = WT_PROBE_NAME_JOB, [WT_PROBE_STEP] = WT_PROBE_NAME_STEP,
};

const char *wt_probe_name(enum wt_probe probe)
{
	return probe_names[probe];
}

int wt_probe_parse(const char *name, enum wt_probe *probe)
{
	for (size_t i = 0; i < WT_PROBE_COUNT; i++)
		if (!strcmp(name, probe_names[i])) {
			*probe = (enum wt_probe) i;
			return 0;
		}
	return -1;
}
