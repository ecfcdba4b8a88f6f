/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_io.c - functions that may wake a thread that waits for files: they count so, and do nothing else.  Those that read
 * are among them, for a reader makes room for a writer that waits.  See also wrap_file.c. */
#include "config.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/clock/participant.h"

/* Of all of them, found before any signal handler can call one. */
#define FUNCTIONS(DO)                                                                                                       \
	DO(read)                                                                                                            \
	DO(readv) DO(recv) DO(recvfrom) DO(recvmsg) DO(write) DO(writev) DO(send) DO(sendto) DO(sendmsg) DO(shutdown)       \
		DO(dup2) DO(dup3)

#define DECLARE(name) static __typeof__(&name) next_##name;
#define FIND(name) next_##name = (__typeof__(&name)) participant_real(#name);

FUNCTIONS(DECLARE)

void participant_io_init(void)
{
	FUNCTIONS(FIND)
}

/* Of a program that is not attached, or in a constructor before ours, none has been found yet. */
#define COUNTED(name) COUNTED_BY(participant_send(), name)
#define COUNTED_BY(count, name) ({ \
	count; \
	if (__builtin_expect(!next_##name, 0)) \
		FIND(name) \
	next_##name; })

/* Of functions that are used with sockets (munge writes by writev ()): a peer will go on. */
#define SENT(call) ({ \
	ssize_t sent = (call); \
	if (sent > 0) \
		participant_sent(); \
	sent; })

WT_EXPORT ssize_t read(int fd, void *data, size_t len)
{
	return COUNTED_BY(participant_send_file(fd), read) (fd, data, len);
}

WT_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	return COUNTED_BY(participant_send_file(fd), readv) (fd, parts, count);
}

WT_EXPORT ssize_t recv(int fd, void *data, size_t len, int flags)
{
	return COUNTED(recv) (fd, data, len, flags);
}

WT_EXPORT ssize_t recvfrom(int fd, void *restrict data, size_t len, int flags, struct sockaddr *restrict addr,
			   socklen_t *restrict addr_len)
{
	return COUNTED(recvfrom) (fd, data, len, flags, addr, addr_len);
}

WT_EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	return COUNTED(recvmsg) (fd, msg, flags);
}

WT_EXPORT ssize_t write(int fd, const void *data, size_t len)
{
	return COUNTED_BY(participant_send_file(fd), write) (fd, data, len);
}

WT_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	return SENT(COUNTED_BY(participant_send_file(fd), writev) (fd, parts, count));
}

WT_EXPORT ssize_t send(int fd, const void *data, size_t len, int flags)
{
	return SENT(COUNTED(send) (fd, data, len, flags));
}

WT_EXPORT ssize_t sendto(int fd, const void *data, size_t len, int flags, const struct sockaddr *addr, socklen_t addr_len)
{
	return SENT(COUNTED(sendto) (fd, data, len, flags, addr, addr_len));
}

WT_EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return SENT(COUNTED(sendmsg) (fd, msg, flags));
}

WT_EXPORT int shutdown(int fd, int how)
{
	return COUNTED_BY(participant_send_connect(), shutdown) (fd, how);
}

WT_EXPORT int dup2(int from, int to)
{
	return COUNTED_BY(participant_send_file(to), dup2) (from, to);
}

WT_EXPORT int dup3(int from, int to, int flags)
{
	return COUNTED_BY(participant_send_file(to), dup3) (from, to, flags);
}
