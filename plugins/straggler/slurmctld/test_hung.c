/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A munged that does not answer, strangers who keep connections, and no descriptors: the port goes on, and ends at once. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/connection.h"
#include "plugins/straggler/slurmctld/ring.h"
#include "straggler/protocol/key.h"
#include "plugins/straggler/slurmctld/session.h"
#include "plugins/straggler/slurmctld/test_port.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

static struct port_session session;
static uint64_t sequence;

static double now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

/* As an agent does. */
static void session_get(void)
{
	struct port_message open = { .kind = PORT_OPEN, .nonce = 5 };
	struct port_reply reply;
	void *credential, *body;
	uint32_t len;
	size_t body_len;
	uint8_t bytes[64];
	uid_t uid;
	int fd, n = port_message_encode(&open, bytes, sizeof(bytes), NULL);
	char *sealed = seal(munge, bytes, (size_t) n, NULL);

	fd = frame_sent(sealed, strlen(sealed));
	free(sealed);
	assert_int_equal(wire_frame(fd, &credential, &len, until_us()), 0);
	assert_int_equal(unseal(munge, credential, len, &body, &body_len, &uid), EMUNGE_SUCCESS);
	assert_int_equal(port_reply_decode(&reply, body, body_len, NULL), 0);
	assert_int_equal(port_session_read(&session, reply.text, reply.text_len, NULL), 0);
	free(credential);
	free(body);
	close(fd);
	sequence = 0;
}

/* A report of the session over a connection of its own. */
static enum port_code report(void)
{
	static struct port_message message;
	static uint8_t frame[KEY_FRAME_MAX];
	struct port_reply reply;
	enum port_code code;
	uint32_t len;
	void *got;
	int fd, n;

	message = (struct port_message) { .kind = PORT_REPORT, .sequence = ++sequence, .window_ms = 100, .node = "n1" };
	n = key_frame(&session, &message, PORT_ANSWER, frame, sizeof(frame), NULL);
	fd = frame_sent(frame, (size_t) n);
	assert_int_equal(wire_frame(fd, &got, &len, until_us()), 0);
	assert_int_equal(port_reply_decode(&reply, got, len, NULL), 0);
	code = reply.code;
	free(got);
	close(fd);
	return code;
}

/* Whether the plugin closes it, within so many seconds. */
static bool closed(int fd, double seconds)
{
	char byte;
	bool gone = wire_receive(fd, &byte, 1, wt_clock_monotonic_us() + (int64_t) (seconds * 1e6)) < 0 &&
		errno == ECONNRESET;

	close(fd);
	return gone;
}

static enum port_code commit_answer(uint32_t task, enum port_commit operation, uint64_t acquisition)
{
	char *credential = commit_sealed(task, operation, acquisition);
	int fd = frame_sent(credential, strlen(credential));

	free(credential);
	return told(fd, task);
}

static void munged_stopped(void)
{
	int status;

	assert_int_equal(kill(munged, SIGSTOP), 0);
	assert_int_equal(waitpid(munged, &status, WUNTRACED), munged);
	assert_true(WIFSTOPPED(status));
}

/* Sessions go on; a client that needs munge is refused soon, and not made to wait; and all is well when it is back. */
static void test_goes_on(void **state)
{
	double begin_s;
	int fds[100];

	(void) state;
	session_get();
	assert_int_equal(report(), PORT_OK);
	munged_stopped();
	for (int i = 0; i < 100; i++)
		fds[i] = frame_sent("MUNGE:AwQDAAD:", 14);
	begin_s = now_s();
	for (int i = 0; i < 20; i++)
		assert_int_equal(report(), PORT_OK);
	/* munge alone would take 10 s for each of them; the threads still try the first ones */
	for (int i = 50; i < 100; i++)
		assert_true(closed(fds[i], begin_s + 120 - now_s()));
	assert_true(errors >= 1);
	kill(munged, SIGCONT);
	for (int i = 0; i < 50; i++)
		closed(fds[i], 30);
	for (int i = 0; i < 1500; i++) {	/* once the port has noticed */
		char *credential = commit_sealed(1, WT_COMMIT_ACQUIRE, 1);
		int fd = frame_sent(credential, strlen(credential));
		uint32_t len;
		void *got;

		free(credential);
		if (wire_frame(fd, &got, &len, until_us()) == 0) {
			free(got);
			close(fd);
			break;
		}
		close(fd);
		nap();
	}
	assert_int_equal(commit_answer(1, WT_COMMIT_DONE, 1), PORT_OK);
}

/* Nor does the end wait, and what was left behind does no harm when munge comes back to it. */
static void test_ends(void **state)
{
	double begin_s;
	int fds[4];

	(void) state;
	assert_int_equal(commit_answer(2, WT_COMMIT_ACQUIRE, 1), PORT_OK);
	munged_stopped();
	for (int i = 0; i < 4; i++)
		fds[i] = frame_sent("MUNGE:AwQDAAD:", 14);
	for (int i = 0; i < 15; i++)		/* until the threads are in munge */
		nap();
	begin_s = now_s();
	server_stop(server);
	server = NULL;
	/* a half, on a machine that has nothing else to do; munge itself gives up after more than 10 */
	assert_true(now_s() - begin_s < 9);
	kill(munged, SIGCONT);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
	server = server_start(&service, NULL);
	assert_non_null(server);
	assert_int_equal(commit_answer(2, WT_COMMIT_DONE, 1), PORT_OK);
}

/* Silent strangers lose their places to clients that come, but one whose user is known loses none. */
static void test_crowded(void **state)
{
	struct rlimit limit, less;
	int *fds, places;

	(void) state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	places = (int) ((limit.rlim_cur < 1024 ? limit.rlim_cur : 1024) / 2);
	server_stop(server);
	less = (struct rlimit) { .rlim_cur = (rlim_t) places, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
	server = server_start(&service, NULL);	/* with half of these */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_non_null(server);
	session_get();
	places /= 2 * SERVER_STRANGERS_SHARE;
	fds = calloc((size_t) places + 30, sizeof(*fds));
	for (int i = 0; i < places + 30; i++)
		fds[i] = frame_sent(NULL, 0);
	assert_true(closed(fds[0], CONNECTION_STRANGER_S - 1));		/* the oldest, and not since its time is over */
	assert_int_equal(report(), PORT_OK);
	assert_int_equal(commit_answer(3, WT_COMMIT_ACQUIRE, 1), PORT_OK);
	for (int i = 1; i < places + 30; i++)
		close(fds[i]);
	free(fds);
}

static bool buffer_is(int fd, int option, int bytes)
{
	socklen_t len = sizeof(bytes);
	int has = 0;

	return getsockopt(fd, SOL_SOCKET, option, &has, &len) == 0 && has == 2 * bytes;	/* socket (7): twice as much */
}

/* The connections that the port, a thread of this process, has accepted: how many, and of these those with such buffers. */
static int accepted(int receive_bytes, int *bound)
{
	int count = 0;

	*bound = 0;
	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_in name = { 0 }, peer;
		socklen_t len = sizeof(name), peer_len = sizeof(peer);

		if (getsockname(fd, (struct sockaddr *) &name, &len) < 0 || name.sin_family != AF_INET ||
		    ntohs(name.sin_port) != conf.port ||
		    getpeername(fd, (struct sockaddr *) &peer, &peer_len) < 0)
			continue;
		count++;
		*bound += buffer_is(fd, SO_SNDBUF, SERVER_SOCKET_BYTES) && buffer_is(fd, SO_RCVBUF, receive_bytes);
	}
	return count;
}

/* The kernel keeps little for each connection, and more of what it receives when its user is known. */
static void test_buffers(void **state)
{
	char *credential;
	int fds[20], bound = 0;

	(void) state;
	for (int i = 0; i < 20; i++)
		fds[i] = frame_sent(NULL, 0);
	for (int i = 0; i < 6000 && accepted(SERVER_SOCKET_BYTES, &bound) < 20; i++)
		nap();
	assert_int_equal(bound, 20);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
	for (int i = 0; i < 6000 && accepted(SERVER_SOCKET_BYTES, &bound) > 0; i++)
		nap();
	credential = commit_sealed(1, WT_COMMIT_ACQUIRE, 1);
	fds[0] = frame_sent(credential, strlen(credential));
	free(credential);
	for (int i = 0; i < 6000 && bound != 1; i++) {
		nap();
		accepted(SERVER_KNOWN_BYTES, &bound);
	}
	assert_int_equal(bound, 1);
	assert_int_equal(told(fds[0], 1), PORT_OK);
}

/* A question for all heartbeats, which this process' user puts. */
static int beats_asked(void)
{
	struct port_message message = { .kind = PORT_STATUS, .operation = WT_STATUS_BEATS };
	uint8_t bytes[64];
	char *sealed = seal(munge, bytes, (size_t) port_message_encode(&message, bytes, sizeof(bytes), NULL), NULL);
	int fd = frame_sent(sealed, strlen(sealed));

	free(sealed);
	return fd;
}

static pid_t users[2];

/* A user who asks, and leaves the answers unread, until he is answered that the port is busy; then he says so. */
static pid_t user_asks(uid_t uid, int ready)
{
	pid_t pid = fork();
	uint32_t first[2];	/* its length, and the head */

	if (pid != 0)
		return pid;
	/* In this order: the new user would lose the signal. */
	if (setresuid(uid, uid, uid) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		_exit(1);
	do {
		if (wire_receive(beats_asked(), first, sizeof(first), until_us()) < 0)
			_exit(1);
	} while (ntohl(first[0]) > 1000);
	if (write(ready, first, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* Users who fill what users may keep in memory are answered that the port is busy; root is not. */
static void test_users_do_not_crowd_root(void **state)
{
	struct wt_heartbeat beat = { .progress = 1. / 3, .received_s = 1e6 };
	struct port_reply reply;
	uint32_t len;
	int ready[2], fd;
	void *got;
	char byte;

	(void) state;
	if (geteuid())
		skip();
	for (uint32_t i = 0; i < 2 * RING_ANSWER; i++)
		ring_add(60001 + i % 2, ARRAY, TASKS, 1, &beat, service.ring);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
		users[i] = user_asks(60001 + (uid_t) i, ready[1]);
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
	}
	assert_true(wt_spec_counters(service.spec)->refused_busy > 0);
	fd = beats_asked();
	assert_int_equal(wire_frame(fd, &got, &len, until_us()), 0);
	assert_int_equal(port_reply_decode(&reply, got, len, NULL), 0);
	assert_int_equal(reply.code, PORT_OK);
	assert_true(reply.text_len > 100 * RING_ANSWER);
	free(got);
	close(fd);
}

static int users_end(void **state)
{
	for (int i = 0; i < 2; i++) {
		if (users[i] > 0 && kill(users[i], SIGKILL) == 0)
			waitpid(users[i], NULL, 0);
	}
	return port_end(state);
}

/* What a stranger announces is not kept for him. */
static void test_long_frame(void **state)
{
	uint32_t head = htonl(PORT_STRANGER_MAX + 1);
	int fd = frame_sent(NULL, 0);

	(void) state;
	assert_int_equal(wire_send(fd, &head, sizeof(head), 0, until_us()), 0);
	assert_true(closed(fd, 60));
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double) (usage.ru_utime.tv_usec +
										    usage.ru_stime.tv_usec) / 1e6;
}

/* Without descriptors no connection is accepted, and no thread spins. */
static void test_no_descriptor(void **state)
{
	struct rlimit limit, none;
	unsigned int said;
	double before_s;
	int fd, lowest;

	(void) state;
	assert_int_equal(commit_answer(4, WT_COMMIT_ACQUIRE, 1), PORT_OK);
	said = errors;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	lowest = fcntl(fd, F_DUPFD, 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit) { .rlim_cur = (rlim_t) lowest, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(connect(fd, (struct sockaddr *) &(struct sockaddr_in) { .sin_family = AF_INET,
										 .sin_port = htons((uint16_t) conf.port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }, sizeof(struct sockaddr_in)), 0);
	for (int i = 0; i < 1500 && errors == said; i++)
		nap();
	assert_true(errors > said);
	before_s = cpu_s();
	for (int i = 0; i < 75; i++)
		nap();
	assert_true(cpu_s() - before_s < .5);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(commit_answer(4, WT_COMMIT_DONE, 1), PORT_OK);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { PORT(test_goes_on), PORT(test_ends), PORT(test_crowded), PORT(test_long_frame),
					    PORT(test_no_descriptor), PORT(test_buffers),
					    cmocka_unit_test_setup_teardown(test_users_do_not_crowd_root, port_begin,
									    users_end) };

	return cmocka_run_group_tests_name("hung", tests, munged_start, munged_stop);
}
