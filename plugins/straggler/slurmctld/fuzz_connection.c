/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes over the port's connections, cut anywhere: a stranger's, a known user's, an agent's.  The first byte says
 * whose, and where it is cut. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugins/straggler/slurmctld/connection.h"
#include "straggler/protocol/key.h"
#include "lib/fuzz.h"

static struct service service;
static struct answerer answerer;
static struct port_session session;	/* of an agent */

static void say(enum service_level level, const char *text)
{
	(void) level;
	if (strchr(text, '\n'))
		abort();
}

static void begin(void)
{
	struct straggler_conf conf = { .enabled = true, .spec = wt_spec_defaults() };
	struct session_random drawn = { .id = 1ull << 20, .key = { 1, 2, 3 } };
	const struct session *opened;
	bool dropped;

	service.log = say;
	if (service_init(&service, &conf, "/nonexistent/state", NULL) < 0 || answerer_init(&answerer, &service, NULL) < 0)
		abort();
	opened = session_open(answerer.sessions, 0, true, &drawn, 0, &dropped);
	session.id = opened->id;
	memcpy(session.key, opened->key, sizeof(session.key));
}

/* All that can be done with what has come. */
static bool drain(struct connection *c)
{
	for (int i = 0; i < 64; i++) {
		uint32_t longest = c->known ? PORT_FRAME_MAX : PORT_STRANGER_MAX;

		if (!(c->agent && connection_between(c) ? connection_reports(c, &answerer, 1) : connection_move(c, 1)))
			return false;
		if (c->frame && (c->frame_len > longest || c->frame_size > c->frame_len || c->frame_got > c->frame_size))
			abort();
		if (!connection_ready(c))
			continue;
		if (!port_keyed((uint8_t *) c->frame, c->frame_len))
			free(connection_frame(c));	/* munge's */
		else if (!connection_answer(c, &answerer, 1))
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct connection *c;
	size_t cut;
	int pair[2];

	if (!service.spec)
		begin();
	if (size < 1 || size > 60000 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return 0;
	c = connection_open(pair[1], 0);
	if (!c)
		abort();
	c->known = data[0] & 3;
	c->trusted = c->agent = (data[0] & 3) == 3;
	cut = size > 1 ? 1 + (data[0] >> 2) % (size - 1) : 1;
	if (send(pair[0], data + 1, cut - 1, 0) >= 0 && drain(c) && send(pair[0], data + cut, size - cut, 0) >= 0)
		drain(c);
	if (connection_bytes(c) > CONNECTION_BYTES + PORT_FRAME_MAX + PORT_REPLY_MAX)
		abort();
	connection_close(c);
	close(pair[0]);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static struct port_message message = { .kind = PORT_REPORT, .window_ms = 100, .node = "n1" };
	size_t len = 1;

	if (index >= 16 || size < 2048)
		return 0;
	if (!service.spec)
		begin();
	buf[0] = (uint8_t) (index << 4 | (index & 3));
	for (uint32_t i = 0; i < 1 + index % 3; i++) {	/* reports of a session, good when they come first */
		int n;

		message.sequence = 1 + i;
		message.count = i;
		n = key_frame(&session, &message, index & 1, buf + len + 4, size - len - 4, NULL);
		if (n < 0)
			return 0;
		buf[len] = buf[len + 1] = 0;
		buf[len + 2] = (uint8_t) (n >> 8);
		buf[len + 3] = (uint8_t) n;
		len += 4 + (size_t) n;
	}
	if (index & 8) {	/* and what is for munge */
		static const uint8_t sealed[] = { 0, 0, 0, 8, 'M', 'U', 'N', 'G', 'E', ':', 'x', ':' };

		memcpy(buf + len, sealed, sizeof(sealed));
		len += sizeof(sealed);
	}
	return len;
}
