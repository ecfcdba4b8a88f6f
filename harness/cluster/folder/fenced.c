/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/cluster/folder/fenced.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/preload.h"
#include "harness/fence/fence_rules.h"

static char *library; /* NULL: no fence */
static char ports[32];

int wt_fence_wish(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	if (!getenv(WT_FENCED_ENV))
		return 0;
	library = wt_libexec_find_library(WT_FENCE_LIBRARY, errp);
	if (!library)
		return -1;
	if (!wt_preload_usable(library))
		return wt_error_set(errp, EINVAL, "%s: a path with blanks or colons cannot be preloaded", library);
	snprintf(ports, sizeof(ports), "%u %u %u", info->controller_port, info->nodes_port, info->slurmdbd_port);
	return 0;
}

int wt_fence_take(void)
{
	if (!library)
		return 0;
	/* The loader would go on without it. */
	return access(library, R_OK) < 0 || setenv(FENCE_PORTS_ENV, ports, 1) < 0 ? -1 : wt_preload_add(library);
}
