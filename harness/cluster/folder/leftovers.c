/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/str.h"
#include "harness/cluster/folder/leftovers.h"

#define KEY_MAX 64
#define NODE_ROUNDS 20

struct leftover_search {
	char *key;		/* NULL: there is none */
	uid_t owner;
	char *nodes;		/* the folder of nodes with a '/'; NULL: virtual nodes, no tasks */
	pid_t *sessions;	/* of our slurmstepds */
	size_t session_count;
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

/* Anybody can take such a name, but not the owner's user with it. */
static bool is_our_slurmstepd(pid_t pid, void *arg)
{
	const struct leftover_search *s = arg;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%ld", (long) pid);
	return is_slurmstepd(pid) && stat(path, &st) == 0 && st.st_uid == s->owner && has_open_in(pid, s->nodes);
}

static bool wanted(pid_t pid, void *arg)
{
	const struct leftover_search *s = arg;
	bool found;
	size_t len;
	char *env;
	pid_t session;

	/* "down" itself may run with the cluster's environment, from inside of a job. */
	if (pid == getpid() || wt_proc_env(pid, &env, &len) < 0)
		return false;
	found = s->key && wt_proc_env_has(env, len, WT_CLUSTER_KEY_ENV, s->key);
	free(env);
	session = getsid(pid);
	for (size_t i = 0; i < s->session_count && !found; i++)
		found = session == s->sessions[i];
	return found;
}

/* Each slurmstepd has a session of its own, which nothing but its tasks can be in, and they leave only by their own will. */
static int sessions_find(struct leftover_search *s, struct wt_error *errp)
{
	struct wt_proc *list;
	size_t count;

	if (wt_proc_collect(is_our_slurmstepd, s, &list, &count, errp) < 0)
		return -1;
	s->sessions = calloc(count + 1, sizeof(*s->sessions));
	for (size_t i = 0; s->sessions && i < count; i++) {
		pid_t session = getsid(list[i].pid);

		if (session > 0 && session != getsid(0))	/* "down" may run as a task itself */
			s->sessions[s->session_count++] = session;
	}
	free(list);
	return s->sessions ? 0 : wt_error_errno(errp, ENOMEM, "list of processes");
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
	if (real && !(s.nodes = wt_clusterinfo_path(info, "nodes/")))
		wt_error_errno(errp, ENOMEM, "list of processes");
	else if (!real || sessions_find(&s, errp) == 0)
		rc = wt_proc_collect(wanted, &s, list, count, errp);
	if (rc == 0 && real && (rc = descendants_add(list, count, errp)) < 0) {
		free(*list);
		*list = NULL;
	}
	free(s.key);
	free(s.nodes);
	free(s.sessions);
	return rc;
}

/* ---- one node ---- */

/* Each slurmstepd has a socket "n7_JOB.STEP" in the spool folder of its node.  Without any there is nothing to look for,
 * which would read all of /proc. */
static bool node_has_steps(const struct wt_clusterinfo *info, uint32_t node)
{
	char name[16], begin[20], *path;
	bool found = false;
	struct dirent *e;
	DIR *dir;

	snprintf(name, sizeof(name), "nodes/n%" PRIu32, node);
	snprintf(begin, sizeof(begin), "n%" PRIu32 "_", node);
	path = wt_clusterinfo_path(info, name);
	dir = path ? opendir(path) : NULL;
	while (dir && !found && (e = readdir(dir)))
		found = !strncmp(e->d_name, begin, strlen(begin));
	if (dir)
		closedir(dir);
	free(path);
	return found;
}

static int node_tasks_find(const struct wt_clusterinfo *info, uint32_t node, struct wt_proc **list, size_t *count)
{
	struct leftover_search s = { .owner = geteuid() };
	char log[24];
	int rc = -1;

	snprintf(log, sizeof(log), "nodes/n%" PRIu32 ".", node);
	s.nodes = wt_clusterinfo_path(info, log);
	if (s.nodes && sessions_find(&s, NULL) == 0 && wt_proc_collect(wanted, &s, list, count, NULL) == 0) {
		rc = descendants_add(list, count, NULL);
		if (rc < 0)
			free(*list);
	}
	free(s.nodes);
	free(s.sessions);
	return rc;
}

static void list_kill(const struct wt_proc *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wt_proc_signal(&list[i], SIGKILL);
}

void wt_leftovers_node_end(const struct wt_clusterinfo *info, uint32_t node)
{
	bool any = node_has_steps(info, node);
	struct wt_proc *list;
	size_t count;

	/* Again, for what was forked meanwhile. */
	for (int round = 0; round < NODE_ROUNDS && any && node_tasks_find(info, node, &list, &count) == 0; round++) {
		list_kill(list, count);
		any = count > 0;
		free(list);
	}
}

/* ---- orphans ---- */

static bool is_orphan(pid_t pid, bool (*is_off)(void *arg, uint32_t node), void *arg)
{
	const char *name;
	uint64_t node;
	size_t len;
	bool is;
	char *env;

	if (wt_proc_env(pid, &env, &len) < 0)
		return false;
	name = wt_proc_env_value(env, len, "SLURMD_NODENAME");
	is = name && *name == 'n' && !wt_proc_env_has(env, len, WT_CLUSTER_KEY_ENV, NULL) &&
	     wt_str_to_u64(name + 1, 0, UINT32_MAX, "node", &node, NULL) == 0 && is_off(arg, (uint32_t) node);
	free(env);
	return is;
}

/* Those of our children that are, and what descends from them. */
static int orphans_find(bool (*is_off)(void *arg, uint32_t node), void *arg, struct wt_proc **list, size_t *count)
{
	size_t all, kept = 0;

	if (wt_proc_find_children(getpid(), list, &all, NULL) < 0)
		return -1;
	for (size_t i = 0; i < all; i++)
		if (is_orphan((*list)[i].pid, is_off, arg))
			(*list)[kept++] = (*list)[i];
	*count = kept;
	if (descendants_add(list, count, NULL) == 0)
		return 0;
	free(*list);
	return -1;
}

void wt_leftovers_orphans_end(bool (*is_off)(void *arg, uint32_t node), void *arg)
{
	struct wt_proc *list;
	size_t count = 1;

	/* Again, for what was forked meanwhile, and for what has become ours by this. */
	for (int round = 0; round < NODE_ROUNDS && count && orphans_find(is_off, arg, &list, &count) == 0; round++) {
		list_kill(list, count);
		free(list);
	}
}
