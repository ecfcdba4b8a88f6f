/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_file.c - connections between participants and others, and the times of the files that participants write.
 *
 * A client outside of the experiment lives in real time: slurmctld would let its message timeout pass in a moment while it
 * waits for the next word of such a client.  So participants mark the first packet of each of their connections (IP_TOS),
 * a listener keeps that packet (TCP_SAVED_SYN, see tcp(7) and Linux' include/uapi/linux/tcp.h), and as long as a connection
 * without the mark is open, the clock runs at the machine's rate.  So it does for the 2 s that munged gives a client on its
 * Unix socket: there the kernel tells which process has connected (SO_PEERCRED, unix(7)). */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/clock/participant.h"

#ifndef TCP_SAVE_SYN
#define TCP_SAVE_SYN 27
#define TCP_SAVED_SYN 28
#endif

#define MARK_TOS 0xb4	/* DSCP 45, which no standard assigns; only this machine's loopback device sees it */
#define FDS_MAX 65536

static _Atomic uint8_t is_outsider[FDS_MAX];	/* by file descriptor */
static _Atomic uint8_t is_beside[FDS_MAX];

bool participant_is_beside(int fd)
{
	return fd >= 0 && fd < FDS_MAX && is_beside[fd];
}

/* munged's socket, which is named so by each of its starters. */
static void note_connection(int fd, const struct sockaddr *addr, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *) addr;

	if (fd >= 0 && fd < FDS_MAX)
		is_beside[fd] = addr->sa_family == AF_UNIX && memmem(un->sun_path, len - sizeof(sa_family_t), "munge", 5);
}

void participant_forget_outsiders(void)
{
	for (int fd = 0; fd < FDS_MAX; fd++)
		if (is_outsider[fd])
			is_outsider[fd] = 0;
}

/* A connection whose first packet is not to be had (after a flood of connections, cookies) counts as one of us. */
static bool came_marked(int fd)
{
	unsigned char packet[256];
	socklen_t len = sizeof(packet);

	if (getsockopt(fd, IPPROTO_TCP, TCP_SAVED_SYN, packet, &len) < 0 || len < 2)
		return true;
	if (packet[0] >> 4 == 4)
		return (packet[1] & 0xfc) == MARK_TOS;
	return (((packet[0] & 0xf) << 4 | packet[1] >> 4) & 0xfc) == MARK_TOS;
}

/* Has a process outside of the experiment connected to munged?  One of another process namespace has no pid here, and counts
 * as one of us.  Other Unix sockets (control) are left alone: a process that holds one open waits for the experiment
 * itself. */
static bool is_from_outside(int fd)
{
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);

	return strcmp(participant.shm->processes[participant.process].name, "munged") == 0 &&
		getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.pid > 0 &&
		wt_shm_find_process(participant.shm, peer.pid) < 0;
}

/* Conversations with slurmctld are counted for the run's verdict; those with munged, which decide nothing, only while they
 * last. */
static void note_accepted(int fd)
{
	int saved = errno, domain = AF_UNSPEC;
	socklen_t len = sizeof(domain);

	if (fd < 0 || fd >= FDS_MAX || getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0)
		return (void) (errno = saved);
	if (domain == AF_UNIX ? is_from_outside(fd) : !came_marked(fd)) {
		is_outsider[fd] = 1;
		atomic_fetch_add(&participant.shm->processes[participant.process].outsiders, 1);
		if (domain != AF_UNIX)
			atomic_fetch_add(&participant.shm->outsiders_ever, 1);
	}
	errno = saved;
}

static void end_block(void *unused)
{
	(void) unused;
	participant_block_end();
}

static int accept_any(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	const struct pollfd listener = { .fd = fd };
	int new;

	participant_send();
	participant_block_begin(participant_wait_for_files(&listener, 1));
	pthread_cleanup_push(end_block, NULL);
	new = REAL(accept4) (fd, addr, len, flags);
	pthread_cleanup_pop(1);
	note_accepted(new);
	return new;
}

WT_EXPORT int accept(int fd, struct sockaddr *restrict addr, socklen_t *restrict len)
{
	return participant_attached() ? accept_any(fd, addr, len, 0) : REAL(accept) (fd, addr, len);
}

WT_EXPORT int accept4(int fd, struct sockaddr *restrict addr, socklen_t *restrict len, int flags)
{
	return participant_attached() ? accept_any(fd, addr, len, flags) : REAL(accept4) (fd, addr, len, flags);
}

/* No thread runs while TCP holds back the second half of a message until the first one's delayed acknowledgement (40 ms of
 * real time; slurm sends a message in two parts): all would seem quiet.  Accepted connections inherit it from the
 * listener. */
static void send_at_once(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

WT_EXPORT int listen(int fd, int backlog)
{
	int saved = errno, on = 1;

	/* Fails for sockets other than TCP's: those are not looked at. */
	if (participant_attached() && setsockopt(fd, IPPROTO_TCP, TCP_SAVE_SYN, &on, sizeof(on)) == 0)
		send_at_once(fd);
	errno = saved;
	return REAL(listen) (fd, backlog);
}

WT_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	int saved = errno, tos = MARK_TOS;

	participant_send_connect();
	if (participant_attached() && len > sizeof(sa_family_t))
		note_connection(fd, addr, len);
	if (participant_attached() && addr->sa_family == AF_INET)
		setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	else if (participant_attached() && addr->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
	if (participant_attached() && (addr->sa_family == AF_INET || addr->sa_family == AF_INET6))
		send_at_once(fd);	/* fails for sockets other than TCP's */
	errno = saved;
	return REAL(connect) (fd, addr, len);
}

/* slurmctld compares the times of its state files with its clock: what it has written is of now. */
static void stamp(int fd)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	int mode = fcntl(fd, F_GETFL);
	struct stat st;

	if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	times[1] = participant_ns_timespec(participant_now_ns());
	futimens(fd, times);
}

WT_EXPORT int close(int fd)
{
	int saved = errno;

	if (!participant_attached())
		return REAL(close) (fd);
	participant_send_file(fd);
	if (fd >= 0 && fd < FDS_MAX)
		is_beside[fd] = 0;
	if (fd >= 0 && fd < FDS_MAX && is_outsider[fd]) {
		is_outsider[fd] = 0;
		atomic_fetch_sub(&participant.shm->processes[participant.process].outsiders, 1);
	} else {
		stamp(fd);
		errno = saved;
	}
	return REAL(close) (fd);
}
