/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_flood CONF SECONDS CONNECTIONS HOW...: so many connections to the plugin's port that do what an attacker does, each
 * one of HOW in turn, and come again whenever they are closed.  HOW:
 *   slow       announce the longest frame that a stranger may send, and send a byte of it each second
 *   long       the same of the longest frame that there is
 *   junk       send a frame that looks like a credential, and then the next
 *   silent     connect, and say nothing
 *   answers    ask for all there is to know, with a credential, and never read the answer
 *   questions  ask for the right to publish, with a credential, for a job that is not ours, as fast as that is answered */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "straggler/protocol/seal.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

#define BYTE_S 1.
#define CONNECTS_MAX 200	/* at a time, so that bytes are sent, too */

enum how { SLOW, LONG, JUNK, SILENT, ANSWERS, QUESTIONS, HOWS };
static const char *const names[HOWS] = { "slow", "long", "junk", "silent", "answers", "questions" };

struct one {
	int fd;
	enum how how;
	double byte_s;		/* when it sends the next byte, if it is slow */
};

static struct straggler_conf conf;
static munge_ctx_t munge;
static struct one *all;
static int poll_fd;
static size_t count, next;
static long connected[HOWS], sent[HOWS], refused;

static double now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

/* Whether it was taken: this does not wait. */
static bool bytes_send(int fd, const void *bytes, size_t len)
{
	return send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t) len;
}

static bool frame_send(int fd, const void *bytes, size_t len, uint32_t claimed)
{
	char frame[4 + PORT_STRANGER_MAX];
	uint32_t head = htonl(claimed);

	memcpy(frame, &head, 4);
	memcpy(frame + 4, bytes, len);
	return bytes_send(fd, frame, 4 + len);
}

static bool sealed_send(int fd, bool status)
{
	static struct port_message message;
	uint8_t body[256];
	char *credential;
	bool good;
	int len;

	message.kind = status ? PORT_STATUS : PORT_COMMIT;
	message.operation = status ? (int) WT_STATUS_BEATS : (int) WT_COMMIT_ACQUIRE;
	message.job_id = status ? 0 : 1;
	message.acquisition = 1;
	len = port_message_encode(&message, body, sizeof(body), NULL);
	credential = len > 0 ? seal(munge, body, (size_t) len, NULL) : NULL;
	good = credential && frame_send(fd, credential, strlen(credential), (uint32_t) strlen(credential));
	free(credential);
	return good;
}

/* What it says now. */
static bool talk(struct one *one)
{
	static const char junk[] = "MUNGE:AwQDAACkZm9vYmFyYmF6cXV4:";

	sent[one->how]++;
	switch (one->how) {
	case SLOW:
	case LONG:
		one->byte_s = now_s() + BYTE_S;
		return frame_send(one->fd, "M", 1, one->how == SLOW ? PORT_STRANGER_MAX : PORT_FRAME_MAX);
	case JUNK:
		return frame_send(one->fd, junk, sizeof(junk) - 1, sizeof(junk) - 1);
	case ANSWERS:
		return sealed_send(one->fd, true);
	case QUESTIONS:
		return sealed_send(one->fd, false);
	case SILENT:
	case HOWS:
		break;
	}
	return true;
}

static void begin(struct one *one)
{
	struct epoll_event event = { .events = one->how == ANSWERS ? EPOLLRDHUP : EPOLLIN | EPOLLRDHUP, .data.ptr = one };

	one->fd = wire_connect(&conf, wt_clock_monotonic_us() + 100000, NULL);
	if (one->fd < 0) {
		refused++;
		return;
	}
	connected[one->how]++;
	epoll_ctl(poll_fd, EPOLL_CTL_ADD, one->fd, &event);
	talk(one);
}

static void end(struct one *one)
{
	close(one->fd);
	one->fd = -1;
}

/* It is closed, or answered: then it asks again. */
static void heard(struct one *one, uint32_t events)
{
	char bytes[65536];

	if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) || recv(one->fd, bytes, sizeof(bytes), MSG_DONTWAIT) <= 0 ||
	    !talk(one))
		end(one);
}

static void turn(void)
{
	struct epoll_event events[256];
	double now = now_s();
	int n = epoll_wait(poll_fd, events, 256, 10), begun = 0;

	for (int i = 0; i < n; i++)
		heard(events[i].data.ptr, events[i].events);
	for (size_t i = 0; i < count; i++, next = (next + 1) % count) {
		struct one *one = &all[next];

		if (one->fd < 0 && begun++ < CONNECTS_MAX)
			begin(one);
		else if (one->fd >= 0 && one->how <= LONG && now >= one->byte_s && bytes_send(one->fd, "x", 1))
			one->byte_s = now + BYTE_S;
	}
}

static int how_of(const char *name)
{
	for (int i = 0; i < HOWS; i++) {
		if (!strcmp(name, names[i]))
			return i;
	}
	return -1;
}

int main(int argc, char **argv)
{
	struct rlimit limit;
	double until_s;

	if (argc < 5 || (count = strtoul(argv[3], NULL, 10)) < 1) {
		fprintf(stderr, "usage: bench_flood CONF SECONDS CONNECTIONS slow|long|junk|silent|answers|questions...\n");
		return 2;
	}
	all = calloc(count, sizeof(*all));
	poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && (limit.rlim_cur = limit.rlim_max) < count + 16)
		fprintf(stderr, "bench_flood: only %lu descriptors\n", (unsigned long) limit.rlim_cur);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!all || poll_fd < 0 || straggler_conf_read(&conf, argv[1], NULL) < 0 ||
	    !(munge = seal_context(conf.munge_socket))) {
		fprintf(stderr, "bench_flood: %s: cannot be used\n", argv[1]);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		int how = how_of(argv[4 + (int) i % (argc - 4)]);

		if (how < 0) {
			fprintf(stderr, "bench_flood: '%s' is none of the ways\n", argv[4 + (int) i % (argc - 4)]);
			return 2;
		}
		all[i] = (struct one) { .fd = -1, .how = (enum how) how };
	}
	for (until_s = now_s() + strtod(argv[2], NULL); now_s() < until_s; )
		turn();
	for (int i = 0; i < HOWS; i++) {
		if (connected[i])
			printf("%s: %ld connections, %ld frames\n", names[i], connected[i], sent[i]);
	}
	printf("not connected: %ld\n", refused);
	return 0;
}
