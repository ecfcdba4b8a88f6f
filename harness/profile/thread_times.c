/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/profile/thread_times.h"

#define FIELD_UTIME 14		/* proc(5), /proc/PID/stat */
#define FIELD_STIME 15
#define FIELD_START 22

int thread_time_parse(const char *text, double ticks_per_s, struct thread_time *time)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')'), *at;
	unsigned long long value, ticks = 0;
	char *end;

	memset(time, 0, sizeof(*time));
	if (!open || !close || close < open || close[1] != ' ')
		goto bad;
	time->tid = (pid_t) strtol(text, NULL, 10);
	snprintf(time->name, sizeof(time->name), "%.*s", (int) (close - open - 1), open + 1);
	/* What follows the name begins with field 3, the state. */
	at = close + 1;
	for (int field = 3; field <= FIELD_START; field++) {
		if (!at || *at != ' ' || at[1] == '\0')
			goto bad;
		value = strtoull(at + 1, &end, 10);
		if (end == at + 1 && field > 3)
			goto bad;
		if (field == FIELD_UTIME || field == FIELD_STIME)
			ticks += value;
		if (field == FIELD_START)
			time->start_time = value;
		at = strchr(at + 1, ' ');
		if (!at && field == FIELD_START)
			break;
	}
	time->cpu_s = (double) ticks / ticks_per_s;
	return time->tid > 0 ? 0 : -1;
bad:
	errno = EINVAL;
	return -1;
}

static int stat_read(int dir, const char *name, struct thread_time *time)
{
	char path[300], text[1024];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (len <= 0)
		return -1;
	text[len] = '\0';
	return thread_time_parse(text, (double) sysconf(_SC_CLK_TCK), time);
}

static int time_add(struct thread_times *times, size_t *size, const struct thread_time *time)
{
	if (times->count == *size) {
		size_t larger = *size ? 2 * *size : 64;
		struct thread_time *list = realloc(times->list, larger * sizeof(*list));

		if (!list)
			return -1;
		times->list = list;
		*size = larger;
	}
	times->list[times->count++] = *time;
	return 0;
}

static int tasks_read(DIR *tasks, struct thread_times *times)
{
	const struct dirent *entry;
	struct thread_time time;
	size_t size = 0;

	while ((entry = readdir(tasks)))
		if (entry->d_name[0] != '.' && stat_read(dirfd(tasks), entry->d_name, &time) == 0 &&
		    time_add(times, &size, &time) < 0)
			return -1;
	return 0;
}

int thread_times_read(pid_t pid, struct thread_times *times, struct wt_error *errp)
{
	struct thread_time process;
	char name[32], path[64];
	DIR *tasks;
	int rc;

	memset(times, 0, sizeof(*times));
	snprintf(name, sizeof(name), "/proc/%ld", (long) pid);
	snprintf(path, sizeof(path), "%s/task", name);
	tasks = opendir(path);
	if (!tasks)
		return wt_error_errno(errp, errno == ENOENT ? ESRCH : errno, "process %ld", (long) pid);
	rc = tasks_read(tasks, times);
	closedir(tasks);
	/* Behind the threads: what they have used until they were read is a part of it. */
	if (rc == 0 && stat_read(AT_FDCWD, name, &process) == 0) {
		times->cpu_s = process.cpu_s;
		return 0;
	}
	thread_times_clear(times);
	return wt_error_errno(errp, rc < 0 ? ENOMEM : ESRCH, "process %ld", (long) pid);
}

void thread_times_clear(struct thread_times *times)
{
	free(times->list);
	memset(times, 0, sizeof(*times));
}

static double used_before(const struct thread_times *before, const struct thread_time *now)
{
	for (size_t i = 0; i < before->count; i++)
		if (before->list[i].tid == now->tid && before->list[i].start_time == now->start_time)
			return before->list[i].cpu_s;
	return 0;
}

static struct thread_use *use_of(struct thread_use *uses, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(uses[i].name, name))
			return &uses[i];
	snprintf(uses[*count].name, sizeof(uses[*count].name), "%s", name);
	return &uses[(*count)++];
}

static int more_first(const void *a, const void *b)
{
	const struct thread_use *x = a, *y = b;

	if (x->cpu_s != y->cpu_s)
		return x->cpu_s < y->cpu_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

int thread_uses(const struct thread_times *before, const struct thread_times *after, struct thread_use **uses,
		size_t *count, struct wt_error *errp)
{
	struct thread_use *list = calloc(after->count + 1, sizeof(*list));
	double left_s = after->cpu_s - before->cpu_s;

	*count = 0;
	*uses = list;
	if (!list)
		return wt_error_errno(errp, ENOMEM, "threads");
	for (size_t i = 0; i < after->count; i++) {
		struct thread_use *use = use_of(list, count, after->list[i].name);
		double cpu_s = after->list[i].cpu_s - used_before(before, &after->list[i]);

		use->threads++;
		use->cpu_s += cpu_s;
		left_s -= cpu_s;
	}
	/* Each thread's time is told in whole ticks: what is left may be a little less than nothing. */
	if (left_s > 0)
		use_of(list, count, THREADS_ENDED)->cpu_s += left_s;
	qsort(list, *count, sizeof(*list), more_first);
	return 0;
}
