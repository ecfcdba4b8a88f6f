/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/folder/control.h"
#include "lib/str.h"

static const char *const verb_names[] = { "stop", "kill", "start" };
static const char *const part_names[] = { "munge", "mariadbd", "slurmdbd", "slurmctld", "nodes" };	/* of bits 0 to 4 */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

unsigned int control_service_named(const char *name)
{
	for (size_t i = 0; i < COUNT(part_names); i++)
		if (!strcmp(name, part_names[i]))
			return 1u << i;
	return 0;
}

int wt_control_read(const char *line, enum wt_control_verb *verb, unsigned int *services, char host[WT_HOST_NAME_MAX + 1])
{
	char copy[WT_CONTROL_LINE_MAX], *word, *rest = copy;
	size_t v = 0;

	/* A copy, because strsep () cuts it; the caller may want to show the line. */
	snprintf(copy, sizeof(copy), "%.*s", (int) strcspn(line, "\n"), line);
	word = strsep(&rest, " ");
	while (v < COUNT(verb_names) && strcmp(word, verb_names[v]))
		v++;
	*services = 0;
	host[0] = '\0';
	while (v < COUNT(verb_names) && (word = strsep(&rest, " "))) {
		unsigned int service = word[0] == '@' ? 0 : control_service_named(word);

		if (word[0] == '@' && word[1] && !host[0] && strlen(word + 1) <= WT_HOST_NAME_MAX)
			strcpy(host, word + 1);
		else if (!service)
			v = COUNT(verb_names);
		*services |= service;
	}
	if (v == COUNT(verb_names)) {
		errno = EINVAL;
		return -1;
	}
	*verb = (enum wt_control_verb) v;
	/* None named: all of them. */
	if (!*services)
		*services = CONTROL_SERVICES_END - 1;
	return 0;
}

static int answer_read(int fd, struct wt_error *errp)
{
	char text[256];
	size_t len = 0;
	ssize_t n;

	do {
		n = recv(fd, text + len, sizeof(text) - 1 - len, 0);
		len += n > 0 ? (size_t) n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!strcmp(text, "ok"))
		return 0;
	return wt_error_set(errp, EPROTO, "%s", !strncmp(text, "E ", 2) ? text + 2 : "the supervisor did not answer");
}

static int line_send(int fd, enum wt_control_verb verb, unsigned int services, const char *host)
{
	char line[WT_CONTROL_LINE_MAX];
	size_t len = (size_t) snprintf(line, sizeof(line), "%s", verb_names[verb]);

	for (size_t i = 0; i < COUNT(part_names); i++)
		if (services & 1u << i)
			len += (size_t) snprintf(line + len, sizeof(line) - len, " %s", part_names[i]);
	if (host)
		len += (size_t) snprintf(line + len, sizeof(line) - len, " @%.*s", WT_HOST_NAME_MAX, host);
	line[len++] = '\n';
	return send(fd, line, len, MSG_NOSIGNAL) == (ssize_t) len ? 0 : -1;
}

int wt_control_ask(const char *dir, enum wt_control_verb verb, unsigned int services, const char *host,
		   struct wt_error *errp)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, rc;

	if ((size_t) snprintf(address.sun_path, sizeof(address.sun_path), "%s/" WT_CONTROL_SOCKET,
			      dir) >= sizeof(address.sun_path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", dir);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return wt_error_errno(errp, errno, "socket");
	if (connect(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || line_send(fd, verb, services, host) < 0)
		rc = wt_error_set(errp, ENOTCONN, "its supervisor cannot be asked (%s: %s)", address.sun_path,
				  strerror(errno));
	else
		rc = answer_read(fd, errp);
	close(fd);
	return rc;
}
