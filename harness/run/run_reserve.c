/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/run/run_reserve.h"

#define SUMMARY_BYTES 65536	/* at least; with each job's name, if all are missing, and why */
#define SUMMARY_JOB_BYTES 128
#define JOB_BYTES 1280		/* a row of jobs.csv with long lists of nodes, and one of jobs.swf */

static void path_make(char path[PATH_MAX], const char *dir)
{
	snprintf(path, PATH_MAX, "%s/.reserve", dir);
}

static off_t summary_bytes(size_t jobs)
{
	return SUMMARY_BYTES + (off_t) jobs * SUMMARY_JOB_BYTES;
}

/* Room for the results is taken before the first job: a disk that fills up during the run, perhaps by the cluster's
 * logs, then costs the logs and not the figures. */
int wt_run_reserve_make(const char *dir, size_t jobs, struct wt_error *errp)
{
	off_t bytes = summary_bytes(jobs) + (off_t) jobs * JOB_BYTES;
	char path[PATH_MAX];
	int fd, problem;

	path_make(path, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", path);
	while ((problem = posix_fallocate(fd, 0, bytes)) == EINTR)
		;
	close(fd);
	/* A file system that cannot reserve is no reason not to run. */
	if (problem != ENOSPC && problem != EDQUOT && problem != EFBIG)
		return 0;
	unlink(path);
	return wt_error_errno(errp, problem,
			      "%s: the results need up to %.1f MiB there; make room, or name another folder with --output",
			      dir, bytes / 1048576.0);
}

void wt_run_reserve_shrink(const char *dir)
{
	char path[PATH_MAX];
	off_t size;
	int fd;

	path_make(path, dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	size = lseek(fd, 0, SEEK_END);
	/* As it was made: both parts grow with the number of jobs. */
	if (size > SUMMARY_BYTES)
		size = summary_bytes((size_t) (size - SUMMARY_BYTES) / (SUMMARY_JOB_BYTES + JOB_BYTES));
	if (size >= 0 && ftruncate(fd, size) < 0)
		unlink(path);
	close(fd);
}

void wt_run_reserve_drop(const char *dir)
{
	char path[PATH_MAX];

	path_make(path, dir);
	unlink(path);
}
