/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node/node_verb.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/power_programs.h"

static char *folder_named(const char *name, struct wt_error *errp)
{
	char *base = wt_clusterdir_name_check(name, errp) == 0 ? wt_clusterdir_base(false, errp) : NULL;
	char *path = base ? wt_clusterdir_path(base, name, errp) : NULL;

	free(base);
	return path;
}

/* The caller frees it. */
static char *folder_find(const char *name, struct wt_error *errp)
{
	const char *conf = getenv("SLURM_CONF"), *slash = conf ? strrchr(conf, '/') : NULL;
	char *folder;

	if (name)
		return folder_named(name, errp);
	if (!slash) {
		wt_error_set(errp, ENOENT, "which cluster? --cluster NAME, or SLURM_CONF, says it");
		return NULL;
	}
	folder = strndup(conf, (size_t) (slash - conf));
	if (!folder)
		wt_error_errno(errp, ENOMEM, "folder");
	return folder;
}

/* A slurm.conf may be that of a real cluster: nobody answers there, and nothing of it is to be waited for. */
char *node_folder(const char *cluster, struct wt_error *errp)
{
	char *folder = folder_find(cluster, errp);

	if (folder && wt_power_folder_check(folder, errp) == 0)
		return folder;
	free(folder);
	return NULL;
}
