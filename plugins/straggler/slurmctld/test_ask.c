/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose answers a question takes: sealed by slurmctld's user, and for us alone. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "straggler/protocol/ask.h"
#include "plugins/straggler/slurmctld/listener.h"
#include "plugins/straggler/slurmctld/test_port.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

static int listener;
static uid_t sealed_for;
static uint64_t answered_nonce;

/* A listener on the port that can seal as slurmctld's user does: one answer. */
static void *play(void *arg)
{
	struct port_reply reply = { .kind = PORT_COMMIT, .code = PORT_OK, .nonce = answered_nonce };
	uint8_t body[PORT_REPLY_HEAD];
	uint32_t head;
	char *frame, *credential;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	(void) arg;
	port_reply_head(&reply, body, sizeof(body), NULL);
	credential = seal_for(munge, sealed_for, body, sizeof(body), NULL);
	if (fd < 0 || !credential || wire_receive(fd, &head, sizeof(head), until_us()) < 0)
		abort();
	frame = malloc(ntohl(head));
	if (!frame || wire_receive(fd, frame, ntohl(head), until_us()) < 0)
		abort();
	free(frame);
	head = htonl((uint32_t) strlen(credential));
	if (wire_send(fd, &head, sizeof(head), 0, until_us()) < 0 || wire_send(fd, credential, strlen(credential), 0,
									       until_us()) < 0)
		abort();
	free(credential);
	close(fd);
	return NULL;
}

static int asked(uid_t for_uid, uint64_t nonce, uid_t owner)
{
	struct port_message message = { .kind = PORT_COMMIT, .operation = WT_COMMIT_ACQUIRE, .job_id = 1, .acquisition = 1,
				.nonce = 7 };
	struct ask a = { .conf = &conf, .fd = -1 };
	struct port_reply reply;
	struct wt_error err;
	pthread_t thread;
	int rc;

	sealed_for = for_uid;
	answered_nonce = nonce;
	conf.owner = owner;
	conf.port = port_free();
	strcpy(conf.controller, "127.0.0.1");
	listener = listener_open(conf.controller, conf.port, NULL);
	assert_true(listener >= 0 && fcntl(listener, F_SETFL, 0) == 0);
	assert_int_equal(pthread_create(&thread, NULL, play, NULL), 0);
	rc = ask(&a, &message, 60000, &reply, &err);
	pthread_join(thread, NULL);
	close(listener);
	ask_end(&a);
	return rc == 0 ? (int) reply.code : -errno;
}

static void test_answers(void **state)
{
	(void) state;
	assert_int_equal(asked(geteuid(), 7, geteuid()), PORT_OK);
	/* one that another user has asked for, with our nonce */
	assert_int_equal(asked(MUNGE_UID_ANY, 7, geteuid()), -EPROTO);
	assert_int_equal(asked(geteuid() + 1, 7, geteuid()), -EPROTO);
	assert_int_equal(asked(geteuid(), 8, geteuid()), -EPROTO);
	if (geteuid())
		assert_int_equal(asked(geteuid(), 7, geteuid() + 1), -EPROTO);
}

/* What the plugin answers is for the asker: here, the uid in the credential. */
static void test_plugin_seals_for_asker(void **state)
{
	char *credential = commit_sealed(1, WT_COMMIT_ACQUIRE, 1);
	int fd = frame_sent(credential, strlen(credential));
	uid_t uid, for_uid = MUNGE_UID_ANY;
	void *got, *body;
	uint32_t len;
	size_t body_len;

	(void) state;
	free(credential);
	assert_int_equal(wire_frame(fd, &got, &len, until_us()), 0);
	assert_int_equal(unseal_for(munge, got, len, &body, &body_len, &uid, &for_uid), EMUNGE_SUCCESS);
	assert_int_equal(for_uid, geteuid());
	free(got);
	free(body);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_answers), PORT(test_plugin_seals_for_asker) };

	return cmocka_run_group_tests_name("ask", tests, munged_start, munged_stop);
}
