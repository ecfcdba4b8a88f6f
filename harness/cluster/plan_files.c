/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/cluster_private.h"
#include "lib/fs.h"

int wt_plan_file_write(const struct wt_plan *plan, const char *name, const char *text, mode_t mode, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&plan->info, name);
	int rc = path ? wt_fs_write(path, text, strlen(text), mode, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

int wt_plan_script_write(const struct wt_plan *plan, const char *name, char *text, struct wt_error *errp)
{
	int rc = text ? wt_plan_file_write(plan, name, text, 0755, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(text);
	return rc;
}
