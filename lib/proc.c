/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/proc.h"
#include "lib/str.h"

struct stat_fields {
	char state;
	pid_t parent;
	uint64_t start_time;
};

/* proc(5): "pid (comm) state ppid ...", start time is field 22; comm may hold blanks and brackets, so look from its last
 * ')'. */
static int stat_read(pid_t pid, struct stat_fields *f)
{
	char path[64], *text, *rest;
	unsigned long long start;
	int parent, n;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long) pid);
	if (wt_fs_read(path, 65536, &text, NULL, NULL) < 0)
		return -1;
	rest = strrchr(text, ')');
	n = rest ? sscanf(rest + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			  &f->state, &parent, &start) : 0;
	free(text);
	if (n != 3) {
		errno = ESRCH;
		return -1;
	}
	f->parent = parent;
	f->start_time = start;
	return 0;
}

int wt_proc_identify(pid_t pid, struct wt_proc *proc, struct wt_error *errp)
{
	struct stat_fields f;

	/* A zombie runs no more, even while its parent has not fetched it. */
	if (pid <= 0 || stat_read(pid, &f) < 0 || f.state == 'Z' || f.state == 'X')
		return wt_error_set(errp, ESRCH, "process %ld: no such process", (long) pid);
	proc->pid = pid;
	proc->start_time = f.start_time;
	return 0;
}

bool wt_proc_alive(const struct wt_proc *proc)
{
	struct wt_proc now;
	int saved_errno = errno;
	bool alive = wt_proc_identify(proc->pid, &now, NULL) == 0 && now.start_time == proc->start_time;

	errno = saved_errno;
	return alive;
}

int wt_proc_open(const struct wt_proc *proc, struct wt_error *errp)
{
	int fd = proc->pid > 0 ? pidfd_open(proc->pid, 0) : -1;

	/* Of a process that is being reaped, and of a thread, Linux says EINVAL or (6.15) ENOENT. */
	if (fd < 0 && proc->pid > 0 && errno != ESRCH && wt_proc_alive(proc))
		return wt_error_errno(errp, errno, "pidfd_open %ld", (long) proc->pid);
	/* The pidfd is held first and the identity checked then: nothing can slip in between. */
	if (fd >= 0 && wt_proc_alive(proc))
		return fd;
	if (fd >= 0)
		close(fd);
	return wt_error_set(errp, ESRCH, "process %ld has ended", (long) proc->pid);
}

int wt_proc_wait(int pidfd, int timeout_ms, struct wt_error *errp)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	int n = poll(&p, 1, timeout_ms);

	if (n < 0)
		return wt_error_errno(errp, errno, "poll of a pidfd");
	if (n == 0)
		return wt_error_set(errp, ETIMEDOUT, "process has not ended after %d ms", timeout_ms);
	return 0;
}

int wt_proc_signal(const struct wt_proc *proc, int sig)
{
	int fd = wt_proc_open(proc, NULL), rc;

	if (fd < 0)
		return -1;
	rc = pidfd_send_signal(fd, sig, NULL, 0);
	close(fd);
	return rc;
}

static int pidfd_wait_uninterrupted(int pidfd, int timeout_ms, struct wt_error *errp)
{
	int rc;

	do
		rc = wt_proc_wait(pidfd, timeout_ms, errp);
	while (rc < 0 && errno == EINTR);
	return rc;
}

int wt_proc_end(const struct wt_proc *proc, int grace_ms, struct wt_error *errp)
{
	int fd = wt_proc_open(proc, errp);
	int rc = -1;

	if (fd < 0)
		return errno == ESRCH ? 0 : -1;
	/* By the pidfd, never by the number, which another process may have by now. */
	if (grace_ms > 0 && pidfd_send_signal(fd, SIGTERM, NULL, 0) == 0)
		rc = pidfd_wait_uninterrupted(fd, grace_ms, errp);
	if (rc < 0 && pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0)
		rc = pidfd_wait_uninterrupted(fd, 60000, errp);
	else if (rc < 0 && errno == ESRCH)
		rc = 0;
	else if (rc < 0)
		wt_error_errno(errp, errno, "signal to process %ld", (long) proc->pid);
	close(fd);
	return rc;
}

/* Calls 'wanted' for every process and collects those for which it is true. */
int wt_proc_collect(bool (*wanted)(pid_t pid, void *arg), void *arg, struct wt_proc **list, size_t *count,
		    struct wt_error *errp)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	*list = NULL;
	*count = 0;
	if (!dir)
		return wt_error_errno(errp, errno, "open /proc");
	while ((e = readdir(dir))) {
		pid_t pid = isdigit((unsigned char) e->d_name[0]) ? (pid_t) atol(e->d_name) : 0;
		struct wt_proc proc, *bigger;

		if (pid <= 0 || wt_proc_identify(pid, &proc, NULL) < 0 || !wanted(pid, arg))
			continue;
		bigger = realloc(*list, (*count + 1) * sizeof(**list));
		if (!bigger) {
			free(*list);
			*list = NULL;
			*count = 0;
			closedir(dir);
			return wt_error_errno(errp, ENOMEM, "list of processes");
		}
		*list = bigger;
		bigger[(*count)++] = proc;
	}
	closedir(dir);
	return 0;
}

int wt_proc_env(pid_t pid, char **text, size_t *len)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%ld/environ", (long) pid);
	if (stat(path, &st) < 0)
		return -1;
	if (geteuid() != 0 && st.st_uid != geteuid()) {
		errno = EPERM;
		return -1;
	}
	return wt_fs_read(path, (size_t) 8 << 20, text, len, NULL);
}

bool wt_proc_env_has(const char *text, size_t len, const char *name, const char *value)
{
	size_t name_len = strlen(name);

	for (const char *p = text; p < text + len; p += strlen(p) + 1)
		if (!strncmp(p, name, name_len) && p[name_len] == '=' && (!value || !strcmp(p + name_len + 1, value)))
			return true;
	return false;
}

const char *wt_proc_env_value(const char *text, size_t len, const char *name)
{
	size_t name_len = strlen(name);

	for (const char *p = text; p < text + len; p += strlen(p) + 1)
		if (!strncmp(p, name, name_len) && p[name_len] == '=')
			return p + name_len + 1;
	return NULL;
}

struct env_arg {
	const char *name, *value;
};

static bool proc_has_env(pid_t pid, void *arg)
{
	const struct env_arg *want = arg;
	char *text;
	size_t len;
	bool found;

	if (pid == getpid() || wt_proc_env(pid, &text, &len) < 0)
		return false;
	found = wt_proc_env_has(text, len, want->name, want->value);
	free(text);
	return found;
}

int wt_proc_find_env(const char *name, const char *value, struct wt_proc **list, size_t *count, struct wt_error *errp)
{
	struct env_arg arg = { .name = name, .value = value };

	return wt_proc_collect(proc_has_env, &arg, list, count, errp);
}

static bool proc_has_parent(pid_t pid, void *arg)
{
	struct stat_fields f;

	return stat_read(pid, &f) == 0 && f.parent == *(pid_t *) arg;
}

int wt_proc_find_children(pid_t parent, struct wt_proc **list, size_t *count, struct wt_error *errp)
{
	return wt_proc_collect(proc_has_parent, &parent, list, count, errp);
}
