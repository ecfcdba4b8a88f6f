/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gnuplot.h"

extern char **environ;

void gnuplot_quote(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (strchr("\"\\", *text))
			putc('\\', out);
		if (*text == '`')	/* gnuplot would run what is between two of them */
			putc('\'', out);
		else
			putc((unsigned char) *text < ' ' ? ' ' : *text, out);
	}
	putc('"', out);
}

static int gnuplot_start(pid_t *pid, FILE *script, FILE *out, const char *dir)
{
	char *argv[] = { "gnuplot", NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (dir)
		rc = posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (rc == 0)
		rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int gnuplot_wait(pid_t pid, struct wt_error *errp)
{
	int rc, status;

	while ((rc = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (rc < 0)
		return wt_error_errno(errp, errno, "gnuplot");
	/* posix_spawn (3) may tell so that the program could not be run. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return wt_error_set(errp, ENOENT, "gnuplot could not be started");
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return wt_error_set(errp, EIO, "gnuplot failed with exit status %d; it says above why", WEXITSTATUS(status));
	if (status)
		return wt_error_set(errp, EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
	return 0;
}

int gnuplot_run(FILE *script, FILE *out, const char *dir, const char *instead, struct wt_error *errp)
{
	pid_t pid;
	int rc;

	/* gnuplot has the descriptors, not the streams: what is in their buffers would come too late, or twice. */
	if (fflush(script) || fflush(out) || lseek(fileno(script), 0, SEEK_SET) < 0)
		return wt_error_errno(errp, errno, "script for gnuplot");
	rc = gnuplot_start(&pid, script, out, dir);
	if (rc == ENOENT)
		return wt_error_set(errp, ENOENT, "no gnuplot, which draws: install Debian's gnuplot-nox, or %s", instead);
	if (rc)
		return wt_error_errno(errp, rc, "gnuplot");
	return gnuplot_wait(pid, errp);
}

/* ---- pictures ----------------------------------------------------------------------------------------------------- */

static bool text_ends(const char *text, size_t len, const char *end, size_t end_len)
{
	return len >= end_len && !memcmp(text + len - end_len, end, end_len);
}

/* Do these last bytes end a picture of that name? */
static bool picture_ends(const char *path, const char *tail, size_t len)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".png"))
		return text_ends(tail, len, "IEND\xae\x42\x60\x82", 8);
	while (len && strchr("\r\n\t ", tail[len - 1]) && tail[len - 1])
		len--;
	if (dot && !strcmp(dot, ".svg"))
		return text_ends(tail, len, "</svg>", 6);
	return dot && !strcmp(dot, ".pdf") && text_ends(tail, len, "%%EOF", 5);
}

static int picture_check(int fd, const char *path, struct wt_error *errp)
{
	char tail[64];
	struct stat st;
	ssize_t len;

	if (fstat(fd, &st) < 0)
		return wt_error_errno(errp, errno, "cannot read it");
	len = pread(fd, tail, sizeof(tail), st.st_size > (off_t) sizeof(tail) ? st.st_size - (off_t) sizeof(tail) : 0);
	if (len < 0)
		return wt_error_errno(errp, errno, "cannot read it");
	if (!picture_ends(path, tail, (size_t) len))
		return wt_error_set(errp, EIO, "gnuplot did not write all of it; is the disk full?");
	return 0;
}

static int picture_sync(int fd, const char *path, struct wt_error *errp)
{
	if (picture_check(fd, path, errp) < 0)
		return -1;
	return fsync(fd) < 0 ? wt_error_errno(errp, errno, "cannot write") : 0;
}

int gnuplot_picture_sync(const char *path, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	int rc = fd < 0 ? wt_error_errno(errp, errno, "gnuplot did not draw it") : picture_sync(fd, path, errp);
	int saved_errno = errno;

	if (fd >= 0)
		close(fd);
	errno = saved_errno;
	return rc;
}

static int stream_copy(FILE *from, FILE *to, struct wt_error *errp)
{
	char buffer[BUFSIZ];
	size_t len;

	rewind(from);
	while ((len = fread(buffer, 1, sizeof(buffer), from)) > 0)
		if (fwrite(buffer, 1, len, to) < len)
			return wt_error_errno(errp, errno, "cannot write");
	return ferror(from) ? wt_error_errno(errp, errno, "cannot read what gnuplot drew") : 0;
}

int gnuplot_svg(FILE *script, FILE *out, const char *instead, struct wt_error *errp)
{
	FILE *picture = tmpfile();
	int rc;

	if (!picture)
		return wt_error_errno(errp, errno, "temporary file");
	rc = gnuplot_run(script, picture, NULL, instead, errp);
	if (rc == 0)
		rc = picture_check(fileno(picture), ".svg", errp);
	if (rc == 0)
		rc = stream_copy(picture, out, errp);
	fclose(picture);
	return rc;
}
