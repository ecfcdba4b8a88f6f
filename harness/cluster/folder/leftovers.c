/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/cluster/folder/leftovers.h"

#define KEY_MAX 64
#define STATUS_MAX 65536

struct leftover_search {
	char *key;		/* NULL: there is none */
	uid_t owner;
	char *conf, *nodes;	/* slurm.conf; the folder of nodes with a '/'; NULL: virtual nodes, no tasks */
};

int wt_leftovers_key_make(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, "key"), key[37];
	int rc = -1;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "key");
	if (wt_clusterinfo_uuid(key, errp) == 0)
		rc = wt_fs_write(path, key, strlen(key), 0600, errp);
	free(path);
	return rc;
}

char *wt_leftovers_key(const struct wt_clusterinfo *info)
{
	char *path = wt_clusterinfo_path(info, "key"), *key = NULL;

	if (path && wt_fs_read(path, KEY_MAX, &key, NULL, NULL) < 0)
		key = NULL;
	free(path);
	if (key && *key)
		return key;
	if (key)
		errno = EINVAL;
	free(key);
	return NULL;
}

/* The user that the process runs as, if it is but one: real, effective, saved and for files. */
static bool user_of(pid_t pid, uid_t *uid)
{
	unsigned int real, effective, saved, files;
	char path[64], *text, *line;
	bool one;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long) pid);
	if (wt_fs_read(path, STATUS_MAX, &text, NULL, NULL) < 0)
		return false;
	line = strstr(text, "\nUid:");
	one = line && sscanf(line, "\nUid: %u %u %u %u", &real, &effective, &saved, &files) == 4 && real == effective &&
	      real == saved && real == files;
	if (one)
		*uid = real;
	free(text);
	return one;
}

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
	const struct leftover_search *s = arg;
	bool found, task;
	uid_t uid;
	size_t len;
	char *env;

	/* "down" itself may run with the cluster's environment, from inside of a job. */
	if (pid == getpid() || wt_proc_env(pid, &env, &len) < 0)
		return false;
	found = s->key && wt_proc_env_has(env, len, WT_CLUSTER_KEY_ENV, s->key);
	task = s->conf && wt_proc_env_has(env, len, "SLURM_CONF", s->conf) && wt_proc_env_has(env, len, "SLURMD_NODENAME",
		NULL);
	free(env);
	if (found || !s->nodes || !user_of(pid, &uid))
		return found;
	return task || (uid == s->owner && is_slurmstepd(pid) && has_open_in(pid, s->nodes));
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
	struct leftover_search s = { .key = wt_leftovers_key(info), .owner = geteuid() };
	bool real = wt_clusterinfo_real_nodes(info);
	int rc = -1;

	*list = NULL;
	*count = 0;
	if (real && (!(s.conf = wt_clusterinfo_path(info, "slurm.conf")) ||
		     !(s.nodes = wt_clusterinfo_path(info, "nodes/"))))
		wt_error_errno(errp, ENOMEM, "list of processes");
	else
		rc = wt_proc_collect(wanted, &s, list, count, errp);
	if (rc == 0 && real && (rc = descendants_add(list, count, errp)) < 0) {
		free(*list);
		*list = NULL;
	}
	free(s.key);
	free(s.conf);
	free(s.nodes);
	return rc;
}
