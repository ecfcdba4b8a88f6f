/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/experiment/array_job.h"
#include "lib/clock.h"
#include "lib/str.h"

/* All that is read of sbatch and squeue is an id, or the first line of a complaint. */
#define ANSWER_MAX 4096
#define LOOK_US	   20000 /* between two looks whether a command has ended or a signal tells us to end */

#define NAME_HEAD   "windtunnel-"
#define NAME_DIGITS 16

int array_job_id_read(const char *text, char id[ARRAY_ID_SIZE])
{
	size_t digits = strspn(text, "0123456789");

	if (!digits || digits >= ARRAY_ID_SIZE || !strchr(";\n", text[digits]))
		return -1;
	memcpy(id, text, digits);
	id[digits] = '\0';
	return 0;
}

int array_job_answer_read(int status, const char *text, char id[ARRAY_ID_SIZE])
{
	if (status != 0)
		return -1;
	if (!*text)
		return 0;
	return array_job_id_read(text, id) < 0 ? -1 : 1;
}

void array_job_name_make(char name[ARRAY_NAME_SIZE])
{
	uint64_t random = 0;

	/* Without randomness (a very early boot) the time and our pid still make two names differ. */
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		random = (uint64_t) wt_clock_wall_us() * (uint64_t) getpid();
	snprintf(name, ARRAY_NAME_SIZE, NAME_HEAD "%016llx", (unsigned long long) random);
}

char *array_job_output(const char *folder, const char *pattern)
{
	struct wt_str path = { 0 };

	for (const char *at = folder; *at; at++)
		wt_str_add_bytes(&path, *at == '%' ? "%%" : at, *at == '%' ? 2 : 1);
	wt_str_printf(&path, "/%s", pattern);
	return wt_str_take(&path);
}

bool array_job_name_is(const char *name)
{
	size_t head = strlen(NAME_HEAD);

	return !strncmp(name, NAME_HEAD, head) && strspn(name + head, "0123456789abcdef") == NAME_DIGITS &&
	       !name[head + NAME_DIGITS];
}

/* A file in memory that holds 'text', at its beginning; -1 with errno. Files in memory, not pipes: a command that
 * writes more than a pipe holds would wait for us while we wait for it. */
static int text_file(const char *text)
{
	int fd = memfd_create("windtunnel", MFD_CLOEXEC);
	size_t len = strlen(text);

	if (fd >= 0 && (write(fd, text, len) != (ssize_t) len || lseek(fd, 0, SEEK_SET) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void text_take(int fd, char text[ANSWER_MAX])
{
	ssize_t got = fd >= 0 ? pread(fd, text, ANSWER_MAX - 1, 0) : 0;

	text[got > 0 ? got : 0] = '\0';
}

/* In its own process group: a terminal's Ctrl-C is ours.  It does not outlive us: a sbatch that submitted later than
 * the process that resumes us looks for its array would make a second one. */
static void child_exec(char *const argv[], int in, int out, int err, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Our parent may have died before prctl () was called: the signal would never come then. */
	if (getppid() == parent && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
	    dup2(err, STDERR_FILENO) >= 0)
		execvp(argv[0], argv);
	_exit(127);
}

/* Signals are blocked and only looked at, so that the caller still gets them by sigtimedwait (). */
static bool end_wanted(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP));
}

/* 0, or -1 with EINTR: it was ended because a signal tells us to end. */
static int command_await(pid_t pid, int *status)
{
	pid_t got;

	while ((got = waitpid(pid, status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
		if (end_wanted()) {
			kill(pid, SIGKILL);
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				;
			errno = EINTR;
			return -1;
		}
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
	}
	return got < 0 ? -1 : 0;
}

/* The exit status (128 + N: signal N), what it printed and what it said; -1 with errno. */
static int command_ask(char *const argv[], const char *input, char text[ANSWER_MAX], char words[ANSWER_MAX])
{
	int in = text_file(input), out = text_file(""), err = text_file(""), status = -1, rc = -1, saved_errno;
	pid_t parent = getpid(), pid = in < 0 || out < 0 || err < 0 ? -1 : fork();

	if (pid == 0)
		child_exec(argv, in, out, err, parent);
	if (pid > 0)
		rc = command_await(pid, &status);
	saved_errno = errno;
	text_take(out, text);
	text_take(err, words);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	errno = saved_errno;
	if (rc < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int array_job_check(struct wt_error *errp)
{
	char sbatch[] = "sbatch", version[] = "--version", text[ANSWER_MAX], words[ANSWER_MAX];
	char *const argv[] = { sbatch, version, NULL };

	if (command_ask(argv, "", text, words) == 0)
		return 0;
	words[strcspn(words, "\n")] = '\0';
	return wt_error_set(errp, ENOENT,
			    "--on slurm: sbatch of the cluster is not to be used from here%s%s: put it into PATH",
			    *words ? ": " : "", words);
}

/* The first line of what sbatch said, for people. */
static int refusal_tell(char *words, struct wt_error *errp)
{
	char *line;

	words[strcspn(words, "\n")] = '\0';
	line = wt_str_make_line(words, 300);
	wt_error_set(errp, EINVAL, "--on slurm: the array was not taken: %s", line ? line : "");
	free(line);
	return -1;
}

int array_job_submit(const struct array_request *r, char id[ARRAY_ID_SIZE], struct wt_error *errp)
{
	char text[ANSWER_MAX], words[ANSWER_MAX], at_once[32] = "";
	struct wt_str array = { 0 }, partition = { 0 }, name = { 0 }, output = { 0 };
	char sbatch[] = "sbatch", parsable[] = "--parsable", requeue[] = "--requeue", exclusive[] = "--exclusive";
	char *argv[] = { sbatch, parsable, requeue, NULL, NULL, NULL, NULL, NULL, NULL };
	size_t n = 3;
	int rc;

	if (r->at_once)
		snprintf(at_once, sizeof(at_once), "%%%u", r->at_once);
	wt_str_printf(&array, "--array=0-%zu%s", r->tasks - 1, at_once);
	wt_str_printf(&name, "--job-name=%s", r->name);
	wt_str_printf(&output, "--output=%s", r->output);
	wt_str_printf(&partition, "--partition=%s", r->partition ? r->partition : "");
	argv[n++] = array.text;
	argv[n++] = name.text;
	argv[n++] = output.text;
	if (r->partition)
		argv[n++] = partition.text;
	if (r->exclusive)
		argv[n++] = exclusive;
	rc = array.failed || name.failed || output.failed || partition.failed ? -1
									      : command_ask(argv, r->script, text, words);
	if (rc < 0)
		wt_error_errno(errp, errno ? errno : ENOMEM, "sbatch");
	else if (rc || array_job_id_read(text, id) < 0)
		rc = refusal_tell(words, errp);
	wt_str_clear(&array);
	wt_str_clear(&name);
	wt_str_clear(&output);
	wt_str_clear(&partition);
	return rc;
}

/* squeue about the user's jobs of this name, with 'form' and perhaps 'more': its exit status, or -1. */
static int squeue_ask(const char *name, const char *form, const char *more, char text[ANSWER_MAX], char words[ANSWER_MAX])
{
	char squeue[] = "squeue", head[] = "-h", mine[] = "--me", jobs[ARRAY_NAME_SIZE + 8], format[16], other[16];
	char *const argv[] = { squeue, head, mine, format, jobs, *more ? other : NULL, NULL };

	snprintf(jobs, sizeof(jobs), "--name=%s", name);
	snprintf(format, sizeof(format), "-o%s", form);
	snprintf(other, sizeof(other), "%s", more);
	return command_ask(argv, "", text, words);
}

int array_job_active(const char *name, char id[ARRAY_ID_SIZE], struct wt_error *errp)
{
	char text[ANSWER_MAX], words[ANSWER_MAX];
	int status = squeue_ask(name, "%F", "", text, words), active;

	if (status < 0 && errno == EINTR)
		return wt_error_errno(errp, EINTR, "squeue");
	active = status < 0 ? -1 : array_job_answer_read(status, text, id);
	words[strcspn(words, "\n")] = '\0';
	if (active < 0)
		wt_error_set(errp, EAGAIN, "squeue does not tell of job array %s: %s", name, words);
	return active;
}

bool array_job_cancelled(const char *name)
{
	char text[ANSWER_MAX], words[ANSWER_MAX];

	return squeue_ask(name, "%T", "-tCANCELLED", text, words) == 0 && *text;
}
