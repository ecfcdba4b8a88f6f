/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_files.c - kinds of files: which threads may be woken by what is done to one.
 *
 * Nearly all messages go over connected sockets; slurmctld's and munged's listeners, and the pipes between slurmctld and its
 * slurmscriptd, are waited for all the time, and hear of next to none.  So these waits, and what may end them, are counted
 * apart, and the coordinator need not look at such threads again after each message (surveyor.c).  Whatever is not known
 * to be one of the two kinds is a file like others. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "harness/clock/participant.h"

#define FILES_MAX 4		/* a wait for more is not worth so many questions */

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* One that a client's connect (2) wakes, and nothing else. */
static bool is_listener(int fd)
{
	int on = 0, deferred = 0;
	socklen_t len = sizeof(on);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) < 0 || !on)
		return false;
	len = sizeof(deferred);
	/* Such a one of TCP hears of a client only when that sends something.  (Others have no such option.) */
	return getsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &deferred, &len) < 0 || deferred == 0;
}

static enum wt_wait_for kind_of(int fd)
{
	if (is_listener(fd))
		return WT_WAIT_CLIENTS;
	return errno == ENOTSOCK && is_pipe(fd) ? WT_WAIT_PIPES : WT_WAIT_FILES;
}

enum wt_wait_for participant_wait_for_files(const struct pollfd *fds, nfds_t count)
{
	enum wt_wait_for all = WT_WAIT_ANY;
	int saved = errno;

	if (count > FILES_MAX)
		return WT_WAIT_FILES;
	for (nfds_t i = 0; i < count && all != WT_WAIT_FILES; i++) {
		enum wt_wait_for kind;

		if (fds[i].fd < 0)	/* poll (2) leaves it out */
			continue;
		errno = 0;
		kind = kind_of(fds[i].fd);
		all = all == WT_WAIT_ANY || all == kind ? kind : WT_WAIT_FILES;
	}
	errno = saved;
	return all == WT_WAIT_ANY ? WT_WAIT_FILES : all;
}

/* Of a process that does not tell of all it does to files, its CPU time is what tells (surveyor.c). */
static struct wt_shm_process *counted_process(void)
{
	struct wt_shm_process *p = participant_attached() ? &participant.shm->processes[participant.process] : NULL;

	return p && p->counted ? p : NULL;
}

void participant_send_connect(void)
{
	struct wt_shm_process *p = counted_process();

	participant_send();
	if (p)
		atomic_fetch_add(&p->connects, 1);
}

void participant_send_file(int fd)
{
	struct wt_shm_process *p = counted_process();
	int saved = errno;

	participant_send();
	if (p && is_pipe(fd))
		atomic_fetch_add(&p->pipes, 1);
	errno = saved;
}
