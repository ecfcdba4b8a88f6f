/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "straggler/protocol/key.h"
#include "plugins/straggler/slurmctld/test_port.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

struct service service;
struct server *server;
struct straggler_conf conf;
char port_dir[] = "/tmp/wt-port.XXXXXX", state_dir[64];
munge_ctx_t munge;
pid_t munged;
unsigned int errors;

static void say(enum service_level level, const char *text)
{
	(void) text;
	errors += level == SERVICE_ERROR;
}

int64_t until_us(void)
{
	return wt_clock_monotonic_us() + 60 * 1000000ll;
}

void nap(void)
{
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 20000);
}

static void munged_run(void)
{
	static const char *const names[] = { "--socket=%s/m", "--key-file=%s/key", "--pid-file=%s/pid",
					     "--seed-file=%s/seed" };
	char words[4][64];
	int fd = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	for (size_t i = 0; i < 4; i++)
		snprintf(words[i], sizeof(words[i]), names[i], port_dir);
	execl(MUNGED_PATH, "munged", "--foreground", "--force", words[0], words[1], words[2], words[3], (char *) NULL);
	_exit(127);
}

int munged_start(void **state)
{
	char path[64], key[128], *credential = NULL;
	int fd;

	(void) state;
	if (!mkdtemp(port_dir) || chmod(port_dir, 0755) < 0 || key_draw(key, sizeof(key), NULL) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/key", port_dir);
	fd = open(path, O_WRONLY | O_CREAT, 0400);
	if (fd < 0 || write(fd, key, sizeof(key)) != (ssize_t) sizeof(key) || close(fd) < 0)
		return -1;
	snprintf(conf.munge_socket, sizeof(conf.munge_socket), "%s/m", port_dir);
	snprintf(state_dir, sizeof(state_dir), "%s/state", port_dir);
	munged = fork();
	if (munged == 0)
		munged_run();
	munge = seal_context(conf.munge_socket);
	for (int i = 0; i < 1500 && !credential; i++) {
		credential = seal(munge, "", 0, NULL);
		if (!credential)
			nap();
	}
	free(credential);
	return credential ? 0 : -1;
}

int munged_stop(void **state)
{
	static const char *const names[] = { "m", "m.lock", "key", "pid", "seed" };
	char path[80];

	(void) state;
	kill(munged, SIGKILL);	/* it may be stopped, when a test has failed */
	waitpid(munged, NULL, 0);
	munge_ctx_destroy(munge);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", port_dir, names[i]);
		unlink(path);
	}
	return rmdir(port_dir);
}

unsigned int port_free(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *) &a, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *) &a, &len), 0);
	close(fd);
	return ntohs(a.sin_port);
}

int port_begin(void **state)
{
	char path[80];

	(void) state;
	mkdir(state_dir, 0700);
	snprintf(path, sizeof(path), "%s/rights", state_dir);
	conf.enabled = true;
	conf.port = port_free();
	conf.owner = geteuid();
	conf.spec = wt_spec_defaults();
	strcpy(conf.controller, "127.0.0.1");
	memset(&service, 0, sizeof(service));
	service.log = say;
	errors = 0;
	if (service_init(&service, &conf, path, NULL) < 0 || service_open(&service, NULL) != 1 || service_begin(&service,
		NULL) != 0)
		return -1;
	for (uint32_t i = 0; i < TASKS; i++) {
		struct wt_spec_fact fact = { .job_id = ARRAY + i, .state = WT_SPEC_RUNNING, .policy = "on", .uid = geteuid(),
					     .array_job_id = ARRAY, .array_task_id = i, .tasks = TASKS, .seen_s = 1 };

		if (wt_spec_fact(service.spec, &fact, 1, NULL) < 0)
			return -1;
	}
	wt_spec_saved(service.spec, 2);
	server = server_start(&service, NULL);
	return server ? 0 : -1;
}

int port_end(void **state)
{
	char owner[PATH_MAX + 8];

	(void) state;
	server_stop(server);
	service_fini(&service);
	unlink(service.store.path);
	snprintf(owner, sizeof(owner), "%s.owner", service.store.path);
	unlink(owner);
	return rmdir(state_dir);
}

char *commit_sealed(uint32_t task, enum port_commit operation, uint64_t acquisition)
{
	static struct port_message message;
	uint8_t body[256];
	char *credential;
	int size;

	message = (struct port_message) { .kind = PORT_COMMIT, .operation = operation, .job_id = ARRAY + task,
				  .array_job_id = ARRAY,
				  .array_task_id = task, .instance = 1, .acquisition = acquisition, .nonce = task + 1 };
	size = port_message_encode(&message, body, sizeof(body), NULL);
	assert_true(size > 0);
	credential = seal(munge, body, (size_t) size, NULL);
	assert_non_null(credential);
	return credential;
}

int frame_sent(const void *frame, size_t len)
{
	uint32_t head = htonl((uint32_t) len);
	struct wt_error err = { "" };
	int fd = -1;

	for (int i = 0; i < 500 && fd < 0; i++) {	/* the port's thread may not listen yet */
		fd = wire_connect(&conf, until_us(), &err);
		if (fd < 0)
			nap();
	}
	assert_true(fd >= 0);
	if (!len)
		return fd;
	assert_int_equal(wire_send(fd, &head, sizeof(head), MSG_MORE, until_us()), 0);
	assert_int_equal(wire_send(fd, frame, len, 0, until_us()), 0);
	return fd;
}

enum port_code told(int fd, uint32_t task)
{
	struct port_reply reply;
	void *credential, *body;
	uint32_t len;
	size_t body_len;
	uid_t uid;

	assert_int_equal(wire_frame(fd, &credential, &len, until_us()), 0);
	assert_int_equal(unseal(munge, credential, len, &body, &body_len, &uid), EMUNGE_SUCCESS);
	assert_int_equal(port_reply_decode(&reply, body, body_len, NULL), 0);
	assert_int_equal(reply.kind, PORT_COMMIT);
	assert_int_equal(reply.nonce, task + 1);
	free(credential);
	free(body);
	close(fd);
	return reply.code;
}
