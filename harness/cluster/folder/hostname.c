/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/folder/hostname.h"

static const char *wished = WT_HOSTNAME_OWN;

void wt_hostname_wish(const char *name)
{
	wished = name;
}

/* The same look-up as Slurm's get_addr_info (): IPv4, configured addresses only. */
bool wt_hostname_is_loopback(const char *host, char addr[INET_ADDRSTRLEN])
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG },
		*list = NULL;
	bool loopback = getaddrinfo(host, NULL, &hints, &list) == 0 && list;

	for (struct addrinfo *a = list; a && loopback; a = a->ai_next) {
		const struct sockaddr_in *in = (const void *) a->ai_addr;

		loopback = ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	if (loopback)
		inet_ntop(AF_INET, &((const struct sockaddr_in *) (const void *) list->ai_addr)->sin_addr, addr,
			  INET_ADDRSTRLEN);
	if (list)
		freeaddrinfo(list);
	return loopback;
}

static int file_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));
	int saved_errno = errno;

	if (fd >= 0)
		close(fd);
	errno = saved_errno;
	return n < 0 ? -1 : 0;
}

/* user_namespaces(7): the caller's own ids may be mapped by anyone, once groups cannot be set any more. */
static int user_namespace_enter(uid_t uid, gid_t gid)
{
	char uids[64], gids[64];

	snprintf(uids, sizeof(uids), "%lu %lu 1", (unsigned long) uid, (unsigned long) uid);
	snprintf(gids, sizeof(gids), "%lu %lu 1", (unsigned long) gid, (unsigned long) gid);
	if (unshare(CLONE_NEWUSER | CLONE_NEWUTS) < 0 || file_put("/proc/self/setgroups", "deny") < 0 ||
	    file_put("/proc/self/uid_map", uids) < 0 || file_put("/proc/self/gid_map", gids) < 0)
		return -1;
	return 0;
}

int wt_hostname_take(void)
{
	/* Root may lack the right, too (containers), but slurmctld as root wants to set groups: no user namespace for it. */
	if (unshare(CLONE_NEWUTS) < 0 && (geteuid() == 0 || user_namespace_enter(geteuid(), getegid()) < 0))
		return -1;
	return sethostname(wished, strlen(wished));
}

bool wt_hostname_can_take(void)
{
	int status = -1;
	/* In a child, because a namespace that was entered cannot be left again. */
	pid_t pid = fork();

	if (pid == 0)
		_exit(wt_hostname_take() == 0 ? 0 : 1);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
