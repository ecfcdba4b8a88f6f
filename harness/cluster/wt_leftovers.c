/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wt_fs.h"
#include "wt_leftovers.h"

struct search {
	const char *uuid;
	char *conf, *nodes;	/* slurm.conf; the folder of nodes with a '/'; NULL: virtual nodes, no tasks */
};

static bool is_slurmstepd(pid_t pid)
{
	char path[64], *name;
	bool is;

	snprintf(path, sizeof(path), "/proc/%ld/comm", (long) pid);
	if (wt_fs_read(path, 64, &name, NULL, NULL) < 0)
		return false;
	is = !strncmp(name, "slurmstepd", strlen("slurmstepd"));
	free(name);
	return is;
}

static bool has_open_in(pid_t pid, const char *folder)
{
	char path[64], target[PATH_MAX];
	bool found = false;
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long) pid);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), e->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = !strncmp(target, folder, strlen(folder));
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool wanted(pid_t pid, void *arg)
{
	const struct search *s = arg;
	bool found;
	size_t len;
	char *env;

	if (pid == getpid() || wt_proc_env(pid, &env, &len) < 0)
		return false;
	found = wt_proc_env_has(env, len, WT_CLUSTER_ENV, s->uuid) ||
		(s->conf && wt_proc_env_has(env, len, "SLURM_CONF", s->conf) && wt_proc_env_has(env, len, "SLURMD_NODENAME", NULL));
	free(env);
	return found || (s->nodes && is_slurmstepd(pid) && has_open_in(pid, s->nodes));
}

static bool is_listed(const struct wt_proc *list, size_t count, const struct wt_proc *proc)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].pid == proc->pid)
			return true;
	return false;
}

/* The list grows while it is walked: so grandchildren are found, too. */
static int descendants_add(struct wt_proc **list, size_t *count, struct wt_error *errp)
{
	for (size_t i = 0; i < *count; i++) {
		struct wt_proc *children, *bigger;
		size_t more;

		if (wt_proc_find_children((*list)[i].pid, &children, &more, errp) < 0)
			return -1;
		bigger = more ? realloc(*list, (*count + more) * sizeof(**list)) : *list;
		if (!bigger) {
			free(children);
			return wt_error_errno(errp, ENOMEM, "list of processes");
		}
		*list = bigger;
		for (size_t k = 0; k < more; k++)
			if (children[k].pid != getpid() && !is_listed(*list, *count, &children[k]))
				(*list)[(*count)++] = children[k];
		free(children);
	}
	return 0;
}

int wt_leftovers_find(const struct wt_clusterinfo *info, struct wt_proc **list, size_t *count, struct wt_error *errp)
{
	struct search s = { .uuid = info->uuid };
	bool real = wt_clusterinfo_real_nodes(info);
	int rc = -1;

	*list = NULL;
	*count = 0;
	if (real && (!(s.conf = wt_clusterinfo_path(info, "slurm.conf")) || !(s.nodes = wt_clusterinfo_path(info, "nodes/"))))
		wt_error_errno(errp, ENOMEM, "list of processes");
	else
		rc = wt_proc_collect(wanted, &s, list, count, errp);
	if (rc == 0 && real && (rc = descendants_add(list, count, errp)) < 0) {
		free(*list);
		*list = NULL;
	}
	free(s.conf);
	free(s.nodes);
	return rc;
}
