/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests on their way: to a controller that this program plays itself, on a port of the loopback device. */
#include "config.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/outgoing.h"
#include "lib/test_cmocka.h"

#define REQUESTS_MAX 8

struct outgoing_world {
	struct ev_loop *loop;
	ev_timer tick;			/* the loop never waits for ever */
	struct wt_outgoing *outgoing;
	int controller;			/* listens at 'here' */
	struct sockaddr_in here, nowhere;
	uint32_t waiting[REQUESTS_MAX], waiting_count;	/* numbers of requests, the last one is next */
	bool cannot_pack, has_answer, unknown;
	uint32_t heard, most_in_flight;
	enum wt_outcome outcome[REQUESTS_MAX];	/* by the request's number */
	char answer[64];
};

static bool request_next(void *arg, struct wt_outgoing_request *request)
{
	struct outgoing_world *w = arg;

	if (!w->waiting_count)
		return false;
	*request = (struct wt_outgoing_request) { .node = w->waiting[--w->waiting_count] };
	return true;
}

static int request_pack(void *arg, const struct wt_outgoing_request *request, uint8_t **data, size_t *len, bool *answered)
{
	struct outgoing_world *w = arg;

	if (w->cannot_pack)
		return -1;
	*data = malloc(2);
	*len = 2;
	memcpy(*data, (uint8_t[]) { 'q', (uint8_t) ('0' + request->node) }, 2);
	*answered = w->has_answer;
	return 0;
}

static void request_done(void *arg, const struct wt_outgoing_request *request, enum wt_outcome outcome,
			 const uint8_t *frame, size_t len)
{
	struct outgoing_world *w = arg;

	w->heard++;
	w->outcome[request->node] = outcome;
	assert_true(len < sizeof(w->answer));
	if (len)
		memcpy(w->answer, frame, len);
	w->answer[len] = '\0';
}

static in_addr_t request_source(void *arg, const struct wt_outgoing_request *request)
{
	(void) arg;
	return htonl(INADDR_LOOPBACK + 16 + request->node);
}

static bool request_target(void *arg, const struct wt_outgoing_request *request, struct sockaddr_in *target)
{
	struct outgoing_world *w = arg;

	*target = request->node == 0 ? w->nowhere : w->here;
	return !w->unknown;
}

static void tick(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) timer;
	(void) events;
}

static int port_open(struct sockaddr_in *at, bool listens)
{
	socklen_t len = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	*at = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	assert_int_equal(bind(fd, (struct sockaddr *) at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *) at, &len), 0);
	if (listens)
		assert_int_equal(listen(fd, 8), 0);
	return fd;
}

static struct wt_outgoing *outgoing_make(struct outgoing_world *w, double timeout_s, bool own_targets)
{
	const struct wt_outgoing_conf conf = { .max_in_flight = 2, .timeout_s = timeout_s, .refused_pause_s = 0.001 };
	const struct wt_outgoing_calls calls = {
		.next = request_next, .pack = request_pack, .done = request_done, .source = request_source,
		.target = own_targets ? request_target : NULL, .arg = w,
	};

	wt_outgoing_destroy(w->outgoing);
	return wt_outgoing_create(w->loop, &conf, &calls);
}

static int world_open(void **state)
{
	struct outgoing_world *w = calloc(1, sizeof(*w));

	w->loop = ev_loop_new(0);
	ev_timer_init(&w->tick, tick, 0.01, 0.01);
	ev_timer_start(w->loop, &w->tick);
	w->controller = port_open(&w->here, true);
	w->has_answer = true;
	w->outgoing = outgoing_make(w, 120, false);
	*state = w;
	return w->outgoing ? 0 : -1;
}

static int world_close(void **state)
{
	struct outgoing_world *w = *state;

	wt_outgoing_destroy(w->outgoing);
	ev_loop_destroy(w->loop);
	close(w->controller);
	free(w);
	return 0;
}

static void say(struct outgoing_world *w, uint32_t count)
{
	w->waiting_count = count;
	for (uint32_t i = 0; i < count; i++)
		w->waiting[count - 1 - i] = i;
	wt_outgoing_kick(w->outgoing);
}

static void until_heard(struct outgoing_world *w, uint32_t count)
{
	for (int i = 0; i < 12000 && w->heard < count; i++) {
		uint32_t in_flight = wt_outgoing_in_flight(w->outgoing);

		w->most_in_flight = in_flight > w->most_in_flight ? in_flight : w->most_in_flight;
		ev_run(w->loop, EVRUN_ONCE);
	}
	assert_int_equal(w->heard, count);
}

static int controller_accept(struct outgoing_world *w, struct sockaddr_in *peer)
{
	socklen_t len = sizeof(*peer);
	int fd = -1;

	for (int i = 0; i < 12000 && (fd = accept(w->controller, (struct sockaddr *) peer, &len)) < 0; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_true(fd >= 0);
	return fd;
}

/* The controller takes a connection that comes from a node, and reads its request. */
static int controller_hears(struct outgoing_world *w, uint32_t node)
{
	struct sockaddr_in peer;
	char text[3] = "";
	int fd = controller_accept(w, &peer);

	assert_int_equal(ntohl(peer.sin_addr.s_addr), INADDR_LOOPBACK + 16 + node);
	for (int i = 0; i < 12000 && recv(fd, text, 2, MSG_PEEK | MSG_DONTWAIT) < 2; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(recv(fd, text, 2, 0), 2);
	assert_int_equal(text[0], 'q');
	assert_int_equal(text[1], '0' + (int) node);
	return fd;
}

static void test_answered(void **state)
{
	struct outgoing_world *w = *state;
	int fd;

	say(w, 1);
	assert_int_equal(w->waiting_count, 1);		/* there is no controller yet */
	assert_false(wt_outgoing_ready(w->outgoing));
	wt_outgoing_targets(w->outgoing, &w->here, 1);
	assert_true(wt_outgoing_ready(w->outgoing));
	wt_outgoing_kick(w->outgoing);
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 1);
	fd = controller_hears(w, 0);
	assert_int_equal(send(fd, "\0\0\0\6an", 6, 0), 6);
	for (int i = 0; i < 3; i++)
		ev_run(w->loop, EVRUN_NOWAIT);
	assert_int_equal(w->heard, 0);			/* half of an answer is none */
	assert_int_equal(send(fd, "swer", 4, 0), 4);
	until_heard(w, 1);
	assert_int_equal(w->outcome[0], WT_OUTCOME_ANSWERED);
	assert_string_equal(w->answer, "answer");
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 0);
	close(fd);
}

/* A request without an answer has arrived when the controller closes; one with an answer has not. */
static void closed_is(struct outgoing_world *w, bool has_answer, enum wt_outcome outcome)
{
	w->has_answer = has_answer;
	w->heard = 0;
	say(w, 1);
	close(controller_hears(w, 0));
	until_heard(w, 1);
	assert_int_equal(w->outcome[0], outcome);
	assert_string_equal(w->answer, "");
}

static void test_closed(void **state)
{
	struct outgoing_world *w = *state;
	int fd;

	wt_outgoing_targets(w->outgoing, &w->here, 1);
	closed_is(w, false, WT_OUTCOME_ANSWERED);
	closed_is(w, true, WT_OUTCOME_FAILED);
	w->heard = 0;
	say(w, 1);
	fd = controller_hears(w, 0);
	assert_int_equal(send(fd, "\0\0\0\1x", 5, 0), 5);	/* shorter than any message is */
	until_heard(w, 1);
	assert_int_equal(w->outcome[0], WT_OUTCOME_FAILED);
	close(fd);
}

static void test_silent(void **state)
{
	struct outgoing_world *w = *state;
	struct sockaddr_in peer;
	int fd;

	w->outgoing = outgoing_make(w, 0.001, false);
	wt_outgoing_targets(w->outgoing, &w->here, 1);
	say(w, 1);
	fd = controller_accept(w, &peer);
	until_heard(w, 1);
	assert_int_not_equal(w->outcome[0], WT_OUTCOME_ANSWERED);
	close(fd);
}

/* Two controllers refuse; the third one is found, and while they refuse only one request at a time tries. */
static void test_refused(void **state)
{
	struct outgoing_world *w = *state;
	struct sockaddr_in targets[3];
	int first = port_open(&targets[0], false), second = port_open(&targets[1], false), fd;

	targets[2] = w->here;
	wt_outgoing_targets(w->outgoing, targets, 3);
	say(w, 1);
	until_heard(w, 1);
	assert_int_equal(w->outcome[0], WT_OUTCOME_REFUSED);
	assert_false(wt_outgoing_ready(w->outgoing));	/* for a moment */
	w->most_in_flight = 0;
	say(w, 4);
	until_heard(w, 2);
	assert_int_equal(w->most_in_flight, 1);
	fd = controller_hears(w, 1);
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 1);
	assert_int_equal(send(fd, "\0\0\0\2ok", 6, 0), 6);
	until_heard(w, 3);
	assert_int_equal(w->outcome[1], WT_OUTCOME_ANSWERED);
	wt_outgoing_kick(w->outgoing);
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 2);
	close(fd);
	close(first);
	close(second);
}

static void test_limit(void **state)
{
	struct outgoing_world *w = *state;
	int fds[2];

	wt_outgoing_targets(w->outgoing, &w->here, 1);
	say(w, 3);
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 2);
	assert_int_equal(w->waiting_count, 1);
	assert_false(wt_outgoing_ready(w->outgoing));
	fds[0] = controller_hears(w, 0);
	fds[1] = controller_hears(w, 1);
	wt_outgoing_destroy(w->outgoing);
	w->outgoing = NULL;
	assert_int_equal(w->heard, 0);			/* what was in flight is dropped unheard */
	close(fds[0]);
	close(fds[1]);
}

/* Clients: the one that refuses holds up no other. */
static void test_own_targets(void **state)
{
	struct outgoing_world *w = *state;
	int unused = port_open(&w->nowhere, false);

	w->has_answer = false;
	w->outgoing = outgoing_make(w, 120, true);
	say(w, 2);
	assert_int_equal(wt_outgoing_in_flight(w->outgoing), 2);
	close(controller_hears(w, 1));
	until_heard(w, 2);
	assert_int_equal(w->outcome[0], WT_OUTCOME_REFUSED);
	assert_int_equal(w->outcome[1], WT_OUTCOME_ANSWERED);
	assert_true(wt_outgoing_ready(w->outgoing));
	w->unknown = true;
	say(w, 2);
	assert_int_equal(w->heard, 4);
	assert_int_equal(w->outcome[1], WT_OUTCOME_REFUSED);
	close(unused);
}

static void test_not_packed(void **state)
{
	struct outgoing_world *w = *state;

	w->cannot_pack = true;
	wt_outgoing_targets(w->outgoing, &w->here, 1);
	say(w, 2);
	assert_int_equal(w->heard, 1);
	assert_int_equal(w->outcome[0], WT_OUTCOME_REFUSED);
	assert_int_equal(w->waiting_count, 1);		/* the other one waits for a better moment */
	w->cannot_pack = false;
	w->has_answer = false;
	for (int i = 0; i < 12000 && w->waiting_count; i++)
		ev_run(w->loop, EVRUN_ONCE);
	close(controller_hears(w, 1));
	until_heard(w, 2);
	assert_int_equal(w->outcome[1], WT_OUTCOME_ANSWERED);
}

#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_answered), WORLD_TEST(test_closed), WORLD_TEST(test_silent), WORLD_TEST(test_refused),
		WORLD_TEST(test_limit), WORLD_TEST(test_own_targets), WORLD_TEST(test_not_packed),
	};

	return cmocka_run_group_tests_name("outgoing", tests, NULL, NULL);
}
