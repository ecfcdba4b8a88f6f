/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/folder/power_programs.h"
#include "lib/clock.h"
#include "lib/str.h"

#define RETRY_US 200000

char *wt_power_program_text(const char *verb)
{
	char self[PATH_MAX], *quoted, *text;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	quoted = wt_str_shell_quote(self);
	text = quoted ? wt_str_format("#!/bin/sh\nexec %s node %s \"$1\"\n", quoted, verb) : NULL;
	free(quoted);
	return text;
}

static int line_send(int fd, const char *line)
{
	size_t len = strlen(line), done = 0;

	while (done < len) {
		ssize_t n = send(fd, line + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t) n : 0;
	}
	return send(fd, "\n", 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* The answer's line; NULL: there is none. */
static char *line_receive(int fd)
{
	struct wt_str s = { 0 };
	char buf[4096];
	ssize_t n;

	do {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n > 0)
			wt_str_add_bytes(&s, buf, (size_t) n);
	} while ((n < 0 && errno == EINTR) || (n > 0 && !memchr(buf, '\n', (size_t) n)));
	if (n <= 0 || s.failed) {
		wt_str_clear(&s);
		return NULL;
	}
	s.text[strcspn(s.text, "\n")] = '\0';
	return wt_str_take(&s);
}

/* One try; NULL with errno: the node process has not answered. */
static char *ask_once(const struct sockaddr_un *address, const char *line)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), saved_errno;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (connect(fd, (const struct sockaddr *) address, sizeof(*address)) == 0) {
		errno = ECONNRESET;
		if (line_send(fd, line) == 0)
			text = line_receive(fd);
	}
	saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return text;
}

static int answer_judge(char *text, char **answer, struct wt_error *errp)
{
	int rc = 0;

	if (strncmp(text, "ok ", 3))
		rc = wt_error_set(errp, EINVAL, "%s", !strncmp(text, "error ", 6) ? text + 6 : text);
	else if (answer && !(*answer = strdup(text + 3)))
		rc = wt_error_errno(errp, ENOMEM, "answer");
	free(text);
	return rc;
}

int wt_power_ask(const char *dir, const char *line, unsigned int patience_s, char **answer, struct wt_error *errp)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct wt_clock *clock = wt_clock_own();
	int64_t until_us = wt_clock_now_us(clock) + patience_s * INT64_C(1000000);
	char *text;

	if ((size_t) snprintf(address.sun_path, sizeof(address.sun_path), "%s/" WT_POWER_SOCKET, dir) >=
	    sizeof(address.sun_path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s/" WT_POWER_SOCKET, dir);
	while (!(text = ask_once(&address, line))) {
		int64_t now_us = wt_clock_now_us(clock);

		if (errno == EACCES || now_us >= until_us)
			return wt_error_set(errp, errno, "the nodes' process cannot be asked (%s: %s)", address.sun_path,
					    strerror(errno));
		wt_clock_sleep_until_us(clock, now_us + RETRY_US);
	}
	return answer_judge(text, answer, errp);
}
