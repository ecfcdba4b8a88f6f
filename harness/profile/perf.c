/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/profile/perf.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

#define TEXT_BYTES_MAX ((size_t) 1 << 30)
#define LOOK_US 50000
#define TRIES_US 10000000
#define PAGE_BYTES 4096
/* Debian's slurmctld is built without frame pointers: stacks are unwound by its .eh_frame, from a copy of so many bytes. */
#define CALL_GRAPH "dwarf,16384"

extern char **environ;

static int files_make(struct perf_recording *files, struct wt_error *errp)
{
	const char *tmp = getenv("TMPDIR");
	int len = snprintf(files->dir, sizeof(files->dir), "%s/windtunnel-profile-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	bool fits = len >= 0 && (size_t) len <= sizeof(files->dir) - 16;

	if (fits && mkdtemp(files->dir)) {
		memcpy(files->data, files->dir, (size_t) len + 1);
		memcpy(files->text, files->dir, (size_t) len + 1);
		memcpy(files->errors, files->dir, (size_t) len + 1);
		memcpy(files->data + len, "/data", sizeof("/data"));
		memcpy(files->text + len, "/text", sizeof("/text"));
		memcpy(files->errors + len, "/errors", sizeof("/errors"));
		return 0;
	}
	wt_error_errno(errp, fits ? errno : ENAMETOOLONG, "TMPDIR: a folder for perf");
	/* What it names is not ours: perf_remove () must not find it. */
	files->dir[0] = '\0';
	return -1;
}

/* A thread of a run blocks all signals, and a shell's background ignores SIGINT, by which perf is ended. */
static int attributes_make(posix_spawnattr_t *attributes)
{
	sigset_t none, interrupt;
	int rc = posix_spawnattr_init(attributes);

	if (rc)
		return rc;
	sigemptyset(&none);
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &interrupt);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int perf_spawn(pid_t *pid, char *const argv[], const char *out, const char *errors)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int rc = attributes_make(&attributes);

	if (rc)
		return rc;
	rc = posix_spawn_file_actions_init(&files);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!rc)
		rc = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!rc)
		rc = posix_spawnp(pid, argv[0], &files, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

/* perf's status.  Once *ended it is asked to end, as by a terminal's Ctrl-C: it writes what it has. */
static int perf_wait(pid_t pid, const volatile sig_atomic_t *ended)
{
	int status = -1, told = 0;

	for (;;) {
		pid_t done = waitpid(pid, &status, ended ? WNOHANG : 0);

		if (done == pid)
			return status;
		if (done < 0 && errno != EINTR)
			return -1;
		if (ended && *ended && !told)
			told = kill(pid, SIGINT) == 0;
		if (done == 0)
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
	}
}

/* The first of its words on why. */
static int perf_failed(const char *what, const char *errors, struct wt_error *errp)
{
	const char page[PAGE_BYTES] = { 0 };
	char *text = NULL, *line, *rest;

	if (wt_fs_read(errors, TEXT_BYTES_MAX, &text, NULL, NULL) < 0)
		return wt_error_set(errp, EIO, "%s fails", what);
	rest = text;
	while ((line = strsep(&rest, "\n")) && (!*line || !strncmp(line, "Error:", 6)))
		;
	line = line ? wt_str_make_line(line, 200) : NULL;
	if (line && *line)
		wt_error_set(errp, EIO, "%s fails: %s", what, line);
	else if (wt_fs_write(errors, page, sizeof(page), 0600, errp) < 0)	/* a full disk has no room for its words */
		wt_error_prefix(errp, "%s fails", what);
	else
		wt_error_set(errp, EAGAIN, "%s fails without a word", what);
	free(line);
	free(text);
	return -1;
}

static int perf_run(const char *what, char *const argv[], const char *out, const struct perf_recording *files,
		    const volatile sig_atomic_t *ended, struct wt_error *errp)
{
	pid_t pid;
	int status, rc = perf_spawn(&pid, argv, out, files->errors);

	if (rc)
		return wt_error_errno(errp, rc, "perf");
	status = perf_wait(pid, ended);
	/* Ended by our SIGINT, or by a terminal's, it has done its work all the same. */
	if (status == 0 || (ended && *ended))
		return 0;
	return perf_failed(what, files->errors, errp);
}

/* perf gives up without a word when a thread ends while it reads what threads there are: more often than not where
 * slurmctld starts hundreds of them a second.  One that has recorded for longer than our patience is not run again. */
static int record_try(char *const argv[], const struct perf_recording *recording, const volatile sig_atomic_t *ended,
		      struct wt_error *errp)
{
	int64_t end_us = wt_clock_wall_us() + TRIES_US;
	int rc;

	while ((rc = perf_run("perf record", argv, "/dev/null", recording, ended, errp)) < 0 && errno == EAGAIN &&
	       !(ended && *ended) && wt_clock_wall_us() < end_us)
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
	if (rc == 0 && errp)
		*errp = (struct wt_error) { "" };
	return rc;
}

int perf_record(struct perf_recording *recording, pid_t pid, unsigned int rate_hz, unsigned int duration_s,
		const volatile sig_atomic_t *ended, struct wt_error *errp)
{
	char rate[16], process[16], seconds[16], perf[] = "perf", command[] = "record", quiet[] = "-q", event[] = "-e";
	char lean[] = "-N";	/* no copy of what slurmctld loads in ~/.debug: each build of it would stay there */
	char clock[] = "cpu-clock", rate_option[] = "-F", graph[] = "--call-graph", how[] = CALL_GRAPH, of[] = "-p";
	char output[] = "-o", end[] = "--", sleeper[] = "sleep", tail[] = "tail", follow[] = "-f", nothing[] = "/dev/null";
	/* perf ends with this command; tail(1) ends with us, also after kill -9, where a sleep would go on for hours. */
	char ours[32], *wait[] = { sleeper, seconds, NULL, NULL }, *outlive[] = { tail, ours, follow, nothing };
	char **until = duration_s ? wait : outlive;
	char *argv[] = { perf, command, quiet, lean, event, clock, rate_option, rate, graph, how, of, process, output,
			 recording->data, end, until[0], until[1], until[2], until[3], NULL };

	memset(recording, 0, sizeof(*recording));
	if (files_make(recording, errp) < 0)
		return -1;
	snprintf(rate, sizeof(rate), "%u", rate_hz);
	snprintf(process, sizeof(process), "%ld", (long) pid);
	snprintf(seconds, sizeof(seconds), "%u", duration_s);
	snprintf(ours, sizeof(ours), "--pid=%ld", (long) getpid());
	return record_try(argv, recording, ended, errp);
}

int perf_read(const struct perf_recording *recording, char **text, size_t *len, struct wt_error *errp)
{
	char perf[] = "perf", command[] = "script", input[] = "-i", plain[] = "--no-inline", option[] = "-F";
	char fields[] = "comm,tid,ip,sym,dso", data[PERF_PATH_SIZE];
	char *argv[] = { perf, command, input, data, plain, option, fields, NULL };

	memcpy(data, recording->data, sizeof(data));
	if (perf_run("perf script", argv, recording->text, recording, NULL, errp) < 0)
		return -1;
	return wt_fs_read(recording->text, TEXT_BYTES_MAX, text, len, errp);
}

void perf_remove(const struct perf_recording *recording)
{
	int saved_errno = errno;

	if (*recording->dir)
		wt_fs_remove_tree(recording->dir, NULL);
	errno = saved_errno;
}
