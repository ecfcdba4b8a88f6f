/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misuse of the plugin's port.  Kinds:
 *   replay   a sealed report, twice             garbage  noise, and a sealed non-message
 *   foreign  one report                         flood    reports as fast as they are answered
 *   keyed    frames of a session of our own: sent again, an earlier number, a changed MAC, one of another session's key, cut
 * off, of a
 *            session that never was, and after all of it a good one
 *   theft    (root) an answer that brings a session's key, for user 65534 to open
 *   letter   credentials without encryption, and broken ones: what is sealed after them
 *   opens    as many sessions as can be opened  old      messages of another version of the protocol */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/straggler/bench/bench_reports.h"
#include "straggler/protocol/key.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

#define WAIT_US 10000000

static struct port_message message;

static int64_t deadline_us(void)
{
	return wt_clock_monotonic_us() + WAIT_US;
}

static void report_fill(const struct bench_arguments *in, double elapsed_s)
{
	message.kind = PORT_REPORT;
	memcpy(message.node, "n1", 3);
	message.count = 0;
	bench_record(&message, in, in->first, elapsed_s);
}

/* Send bytes as a frame on a connection of their own; what came of it: the name of the answer's code, or "refused". */
static const char *frame_send(const struct straggler_conf *conf, const void *bytes, size_t len, size_t claimed)
{
	uint32_t head = htonl((uint32_t) claimed), got_len;
	int fd = wire_connect(conf, deadline_us(), NULL);
	const char *what = "refused";
	struct port_reply reply;
	void *got;

	if (fd < 0)
		return "not connected";
	if (wire_send(fd, &head, sizeof(head), MSG_MORE, deadline_us()) == 0 && wire_send(fd, bytes, len, 0,
											  deadline_us()) == 0) {
		if (claimed > len)
			shutdown(fd, SHUT_WR);
		if (wire_frame(fd, &got, &got_len, deadline_us()) == 0) {
			what = port_reply_decode(&reply, got, got_len, NULL) < 0 ? "answered"
										    : port_code_name(reply.code);
			free(got);
		}
	}
	close(fd);
	return what;
}

static char *sealed(const struct straggler_conf *conf, const void *bytes, size_t len)
{
	munge_ctx_t ctx = seal_context(conf->munge_socket);
	char *credential = ctx ? seal(ctx, bytes, len, NULL) : NULL;

	if (ctx)
		munge_ctx_destroy(ctx);
	return credential;
}

static const char *sealed_send(const struct straggler_conf *conf, const char *credential)
{
	return credential ? frame_send(conf, credential, strlen(credential), strlen(credential)) : "not sealed";
}

static int replay(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	uint8_t body[PORT_BODY_MAX];
	char *credential;
	int len;

	report_fill(in, in->age_s);
	len = port_message_encode(&message, body, sizeof(body), NULL);
	credential = len > 0 ? sealed(conf, body, (size_t) len) : NULL;
	printf("first %s, ", sealed_send(conf, credential));
	printf("again %s\n", sealed_send(conf, credential));
	free(credential);
	return 0;
}

static int garbage(const struct straggler_conf *conf)
{
	static const char noise[] = "MUNGE:AwQDAAD:", body[] = "WTB1 but not a message";
	uint8_t bytes[] = { 'W', 'T', 'B', '1', PORT_VERSION, 0x77, 0, 0 };
	char *one = sealed(conf, body, 4), *two = sealed(conf, bytes, sizeof(bytes));

	printf("noise %s, ", frame_send(conf, noise, sizeof(noise), sizeof(noise)));
	printf("a sealed non-message %s, ", sealed_send(conf, one));
	printf("one of no known kind %s\n", sealed_send(conf, two));
	free(one);
	free(two);
	return 0;
}

/* Reports for a job, sealed one by one: one, or as many as can be sent. */
static int reports(const struct straggler_conf *conf, const struct bench_arguments *in, bool flood)
{
	struct ask a = { .conf = conf, .fd = -1 };
	double begin_s = bench_now_s();
	struct port_reply reply = { .code = PORT_BAD };
	long count = 0;

	do {
		report_fill(in, bench_now_s() - begin_s + in->age_s);
		if (ask(&a, &message, 60000, &reply, NULL) == 0)
			count++;
	} while (flood && bench_now_s() - begin_s < in->seconds);
	printf("%ld answered in %.1f s, last: %s\n", count, bench_now_s() - begin_s, port_code_name(reply.code));
	ask_end(&a);
	return 0;
}

static int session_get(struct ask *a, struct port_session *session, struct wt_error *errp)
{
	struct port_message open = { .kind = PORT_OPEN };
	struct port_reply reply;

	if (key_draw(&open.nonce, sizeof(open.nonce), errp) < 0 || ask(a, &open, 60000, &reply, errp) < 0)
		return -1;
	return port_session_read(session, reply.text, reply.text_len, errp);
}

static const char *keyed_send(const struct straggler_conf *conf, const struct port_session *session, uint64_t sequence,
			      int flip, size_t cut)
{
	uint8_t frame[KEY_FRAME_MAX];
	int len;

	message.sequence = sequence;
	len = key_frame(session, &message, PORT_ANSWER, frame, sizeof(frame), NULL);
	if (len < 0)
		return "not made";
	if (flip)
		frame[len - flip] ^= 0x10;
	return frame_send(conf, frame, (size_t) len - cut, (size_t) len);
}

static int keyed(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	struct ask a = { .conf = conf, .fd = -1 };
	struct port_session one, two, mixed;
	struct wt_error err;

	if (session_get(&a, &one, &err) < 0 || session_get(&a, &two, &err) < 0) {
		fprintf(stderr, "bench_reports: %s\n", err.text);
		ask_end(&a);
		return 1;
	}
	report_fill(in, in->age_s);
	mixed = two;
	mixed.id = one.id;
	printf("good %s\n", keyed_send(conf, &one, 5, 0, 0));
	printf("again %s\n", keyed_send(conf, &one, 5, 0, 0));
	printf("backwards %s\n", keyed_send(conf, &one, 4, 0, 0));
	printf("mac %s\n", keyed_send(conf, &one, 6, 1, 0));
	printf("body %s\n", keyed_send(conf, &one, 6, PORT_MAC + 9, 0));
	printf("key %s\n", keyed_send(conf, &mixed, 6, 0, 0));
	printf("cut %s\n", keyed_send(conf, &one, 6, 0, PORT_MAC));
	mixed.id ^= 1ull << 40;
	printf("session %s\n", keyed_send(conf, &mixed, 6, 0, 0));
	printf("good %s\n", keyed_send(conf, &one, 6, 0, 0));
	ask_end(&a);
	return 0;
}

static bool key_opened(const struct straggler_conf *conf, const void *credential, size_t len)
{
	munge_ctx_t ctx = seal_context(conf->munge_socket);
	size_t body_len;
	void *body;
	uid_t uid;
	bool opened = ctx && unseal(ctx, credential, len, &body, &body_len, &uid) == EMUNGE_SUCCESS;

	if (opened)
		free(body);
	return opened;
}

/* What the plugin answers to a request for a session that was sealed so; the caller frees it.  NULL: nothing. */
static void *open_answer(const struct straggler_conf *conf, const char *credential, uint32_t *got_len)
{
	int fd = credential ? wire_connect(conf, deadline_us(), NULL) : -1;
	uint32_t head;
	void *got = NULL;

	if (fd < 0)
		return NULL;
	head = htonl((uint32_t) strlen(credential));
	if (wire_send(fd, &head, sizeof(head), MSG_MORE, deadline_us()) < 0 ||
	    wire_send(fd, credential, strlen(credential), 0, deadline_us()) < 0 || wire_frame(fd, &got, got_len,
	    deadline_us()) < 0)
		got = NULL;
	close(fd);
	return got;
}

static int theft(const struct straggler_conf *conf)
{
	struct port_message open = { .kind = PORT_OPEN, .nonce = 1 };
	int status = -1, len;
	uint8_t bytes[64];
	char *credential;
	uint32_t got_len;
	void *got;
	pid_t pid;

	len = port_message_encode(&open, bytes, sizeof(bytes), NULL);
	credential = len > 0 ? sealed(conf, bytes, (size_t) len) : NULL;
	got = open_answer(conf, credential, &got_len);
	free(credential);
	if (!got)
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(setgid(65534) < 0 || setuid(65534) < 0 ? 2 : key_opened(conf, got, got_len));
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
		return 1;
	printf("another user: %s, its own: %s\n", WEXITSTATUS(status) ? "opened" : "refused",
	       key_opened(conf, got, got_len) ? "opened" : "refused");
	free(got);
	return 0;
}

/* "sealed" or "open": was the credential encrypted? */
static const char *cipher_look(const struct straggler_conf *conf, const char *credential, size_t len)
{
	munge_ctx_t ctx = seal_context(conf->munge_socket);
	char *text = credential ? strndup(credential, len) : NULL;
	int cipher = -1, got;
	void *body = NULL;
	uid_t uid;
	gid_t gid;

	if (ctx && text && munge_decode(text, ctx, &body, &got, &uid, &gid) == EMUNGE_SUCCESS)
		munge_ctx_get(ctx, MUNGE_OPT_CIPHER_TYPE, &cipher);
	free(body);
	free(text);
	munge_ctx_destroy(ctx);
	return cipher < 0 ? "none" : cipher == MUNGE_CIPHER_NONE ? "open" : "sealed";
}

/* What the context of 'ctx' makes after it has unsealed 'credential'. */
static const char *after(const struct straggler_conf *conf, munge_ctx_t ctx, const char *credential)
{
	const char *what;
	size_t len;
	void *body;
	char *next;
	uid_t uid;

	unseal(ctx, credential, strlen(credential), &body, &len, &uid);
	free(body);
	next = seal(ctx, "next", 4, NULL);
	what = cipher_look(conf, next, next ? strlen(next) : 0);
	free(next);
	return what;
}

static int letter(const struct straggler_conf *conf)
{
	struct port_message open = { .kind = PORT_OPEN, .nonce = 1 };
	munge_ctx_t plain = seal_context(conf->munge_socket), ctx = seal_context(conf->munge_socket);
	uint8_t bytes[64];
	int len = port_message_encode(&open, bytes, sizeof(bytes), NULL);
	char *request, *other;
	uint32_t got_len = 0;
	void *got;

	if (len < 0 || !plain || !ctx || munge_ctx_set(plain, MUNGE_OPT_CIPHER_TYPE, MUNGE_CIPHER_NONE) != EMUNGE_SUCCESS)
		return 1;
	request = seal(plain, bytes, (size_t) len, NULL);
	other = seal(plain, "x", 1, NULL);
	if (!request || !other)
		return 1;
	got = open_answer(conf, request, &got_len);
	printf("the plugin's answer %s, ", cipher_look(conf, got, got_len));
	printf("ours after an open one %s, ", after(conf, ctx, other));
	printf("after a broken one %s\n", after(conf, ctx, "MUNGE:AwAAAAA=:"));
	free(got);
	free(request);
	free(other);
	munge_ctx_destroy(plain);
	munge_ctx_destroy(ctx);
	return 0;
}

static int opens(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	struct ask a = { .conf = conf, .fd = -1 };
	double begin_s = bench_now_s();
	struct port_session session, first = { .id = 0 };
	long count = 0;

	do {
		if (session_get(&a, &session, NULL) == 0 && count++ == 0)
			first = session;
	} while (bench_now_s() - begin_s < in->seconds);
	report_fill(in, in->age_s);
	printf("%ld opened in %.1f s, first: %s, ", count, bench_now_s() - begin_s, keyed_send(conf, &first, 1, 0, 0));
	printf("last: %s\n", keyed_send(conf, &session, 1, 0, 0));
	ask_end(&a);
	return 0;
}

static int old(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	struct port_session session = { .id = 1 };
	uint8_t body[KEY_FRAME_MAX];
	char *credential;
	int len;

	report_fill(in, in->age_s);
	len = port_message_encode(&message, body, sizeof(body), NULL);
	body[4] = PORT_VERSION - 1;
	credential = len > 0 ? sealed(conf, body, (size_t) len) : NULL;
	printf("sealed %s, ", sealed_send(conf, credential));
	free(credential);
	len = key_frame(&session, &message, 0, body, sizeof(body), NULL);
	body[4] = PORT_VERSION + 1;
	printf("keyed %s\n", len > 0 ? frame_send(conf, body, (size_t) len, (size_t) len) : "not made");
	return 0;
}

int evil_reports_send(const struct straggler_conf *conf, const struct bench_arguments *in)
{
	if (!strcmp(in->evil, "replay"))
		return replay(conf, in);
	if (!strcmp(in->evil, "garbage"))
		return garbage(conf);
	if (!strcmp(in->evil, "keyed"))
		return keyed(conf, in);
	if (!strcmp(in->evil, "theft"))
		return theft(conf);
	if (!strcmp(in->evil, "letter"))
		return letter(conf);
	if (!strcmp(in->evil, "opens"))
		return opens(conf, in);
	if (!strcmp(in->evil, "old"))
		return old(conf, in);
	return reports(conf, in, !strcmp(in->evil, "flood"));
}
