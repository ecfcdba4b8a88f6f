/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/vnode/model/program.h"

#define SCRIPT_MAX 65536
#define LOOK_MAX 256		/* of a file's beginning, to tell text from a program */

/* Where the file lies: relative names lie in the task's folder. */
static bool path_absolute(char *out, size_t size, const char *path, const char *cwd)
{
	int len = *path == '/' ? snprintf(out, size, "%s", path) : snprintf(out, size, "%s/%s", cwd, path);

	return len > 0 && (size_t) len < size;
}

/* The name that slurmstepd gives to execve: _build_path () */
static void name_build(char *name, size_t size, const char *command, const char *cwd, const char *path)
{
	char where[PATH_MAX];
	struct stat st;

	/* A name that begins with "." is made absolute without a look at PATH. */
	snprintf(name, size, *command == '.' ? "%2$s/%1$s" : "%1$s", command, cwd);
	if (*command == '.' || *command == '/')
		return;
	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(name, size, "%.*s/%s", (int) len, path, command);
		/* A folder by that name is passed over; whether it may be executed is not asked here. */
		if (len && path_absolute(where, sizeof(where), name, cwd) && stat(where, &st) == 0 && !S_ISDIR(st.st_mode))
			return;
		path += len + (path[len] == ':');
	}
	snprintf(name, size, "%s", command);
}

static const char *path_find(char *const *environment, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (environment[i] && !strncmp(environment[i], "PATH=", 5))
			return environment[i] + 5;
	return NULL;
}

/* Errors that are sure: what may only be hidden from us is no error. */
static int error_sure(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR || errnum == ELOOP || errnum == ENAMETOOLONG ? errnum : 0;
}

static char *file_read(const char *path, size_t *len)
{
	/* O_NONBLOCK: a FIFO by that name would keep all nodes waiting. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* One byte more, for the end of the text. */
	char *text = fd >= 0 ? malloc(SCRIPT_MAX + 1) : NULL;
	struct stat st;
	ssize_t n = -1;

	if (text && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, text, SCRIPT_MAX);
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = (size_t) n;
	return text;
}

/* The interpreter's path begins behind "#!" and blanks. */
static int interpreter_error(const char *script, const char *cwd)
{
	char name[LOOK_MAX], where[PATH_MAX];
	const char *begin = script + 2 + strspn(script + 2, " \t");
	struct stat st;

	snprintf(name, sizeof(name), "%.*s", (int) strcspn(begin, " \t\n"), begin);
	if (!*name)
		return ENOEXEC;
	if (path_absolute(where, sizeof(where), name, cwd) && stat(where, &st) < 0)
		return error_sure(errno);
	return 0;
}

static void content_look(struct wt_program *p, const char *name, char *text, size_t len, const char *cwd)
{
	if (len >= 2 && !memcmp(text, "#!", 2)) {
		p->script = text;
		p->error = interpreter_error(text, cwd);
		if (p->error && p->error != ENOEXEC)
			snprintf(p->complaint, sizeof(p->complaint), "execve(): bad interpreter(%.*s): %s",
				 (int) strcspn(text + 2, "\n"), text + 2, strerror(p->error));
	} else {
		/* What is no text may be of a kind that the kernel has been told of (binfmt_misc). */
		if (!memchr(text, '\0', len < LOOK_MAX ? len : LOOK_MAX))
			p->error = ENOEXEC;
		free(text);
	}
	if (p->error && !*p->complaint)
		snprintf(p->complaint, sizeof(p->complaint), "execve(): %s: %s", name, strerror(p->error));
}

static bool is_own(const char *path)
{
	static const char *const folders[] = { "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return false;
	return true;
}

void wt_program_look(struct wt_program *p, const char *command, const char *cwd, char *const *environment, size_t count)
{
	char name[PATH_MAX], where[PATH_MAX], *text;
	struct stat st;
	size_t len;

	memset(p, 0, sizeof(*p));
	/* Only when it is sure: what is merely hidden from this process is there for a real slurmstepd. */
	if (stat(cwd, &st) < 0 && error_sure(errno))
		cwd = "/tmp";		/* where slurmstepd goes then */
	name_build(name, sizeof(name), command, cwd, path_find(environment, count));
	if (!path_absolute(where, sizeof(where), name, cwd))
		return;
	p->own = is_own(where);
	if (stat(where, &st) < 0)
		p->error = error_sure(errno);
	else if (!S_ISREG(st.st_mode) || !(st.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		p->error = EACCES;
	if (p->error)
		snprintf(p->complaint, sizeof(p->complaint), "execve(): %s: %s", name, strerror(p->error));
	else if ((text = file_read(where, &len)))
		content_look(p, name, text, len, cwd);
}

void wt_program_clear(struct wt_program *program)
{
	free(program->script);
	program->script = NULL;
}
