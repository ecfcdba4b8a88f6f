/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "straggler/protocol/publish_lock.h"
#include "lib/clock.h"

#define LOOK_US 100000	/* between two looks */

static void nap(void)
{
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
}

int publish_lock(const char *path, int64_t until_us)
{
	/* Without O_CLOEXEC: the command inherits it, and with it the lock. */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);

	while (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0) {
		if (errno != EINTR && (errno != EWOULDBLOCK || wt_clock_monotonic_us() > until_us)) {
			close(fd);
			errno = EBUSY;
			return -1;
		}
		nap();
	}
	return fd;
}

void publish_unlock(int fd)
{
	int saved_errno = errno;

	if (fd >= 0) {
		/* Not close (2) alone: the lock would live on with the descriptors of processes that have inherited
		 * it. */
		flock(fd, LOCK_UN);
		close(fd);
	}
	errno = saved_errno;
}

/* What the descriptor's entry in /proc says of locks: proc (5), fdinfo. */
static bool has_lock(int proc_fd, const char *number)
{
	char name[300], line[256];
	bool found = false;
	FILE *in;
	int fd;

	snprintf(name, sizeof(name), "fdinfo/%s", number);
	fd = openat(proc_fd, name, O_RDONLY | O_CLOEXEC);
	in = fd < 0 ? NULL : fdopen(fd, "r");
	if (!in && fd >= 0)
		close(fd);
	while (in && !found && fgets(line, sizeof(line), in))
		found = !strncmp(line, "lock:", 5) && strstr(line, "FLOCK");
	if (in)
		fclose(in);
	return found;
}

static bool holds_lock(int proc_fd, const struct stat *file)
{
	int fd = openat(proc_fd, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool holds = false;
	struct stat st;

	if (!dir && fd >= 0)
		close(fd);
	while (dir && !holds && (entry = readdir(dir)))
		holds = fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && st.st_dev == file->st_dev &&
			st.st_ino == file->st_ino && has_lock(proc_fd, entry->d_name);
	if (dir)
		closedir(dir);
	return holds;
}

/* Not of another user: the descriptor may have been handed to a daemon, whose life is not this job's. */
static bool process_end(const char *name, const struct stat *file, uid_t uid)
{
	char path[300];
	struct stat st;
	bool ended;
	int fd;

	snprintf(path, sizeof(path), "/proc/%s", name);
	if (!isdigit((unsigned char) name[0]) || atol(name) == getpid())
		return false;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	/* The folder of the process is held open: if the number is given to another process meanwhile, what is read here
	 * fails. */
	ended = fstat(fd, &st) == 0 && st.st_uid == uid && holds_lock(fd, file) && kill((pid_t) atol(name), SIGKILL) == 0;
	close(fd);
	return ended;
}

static bool holders_end(int fd, uid_t uid)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct stat file;
	bool any = false;

	while (dir && fstat(fd, &file) == 0 && (entry = readdir(dir)))
		any |= process_end(entry->d_name, &file, uid);
	if (dir)
		closedir(dir);
	return any;
}

int publish_end(const char *path, uid_t uid, int64_t until_us)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	/* Whatever keeps us from the lock (ENOLCK: the kernel is short of memory) is no sign that nothing publishes. */
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && (wt_clock_monotonic_us() < until_us || holders_end(fd, uid)))
		nap();
	return fd;
}
