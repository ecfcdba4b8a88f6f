/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real processes; the loop waits for events, never for a time that matters. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/supervisor/asker.h"

struct asker_owner {
	struct asker asker;
	char text[256];
	size_t len;
	int ends, status;
	bool again;		/* its end begins another one */
};

static void told(struct asker *a)
{
	struct asker_owner *o = a->owner;
	ssize_t n;

	while ((n = asker_read(a, o->text + o->len, sizeof(o->text) - 1 - o->len)) > 0)
		o->len += (size_t) n;
}

static void run_says(const struct asker *a, int fd)
{
	const struct asker_owner *o = a->owner;

	_exit(dprintf(fd, o->again ? "one." : "two.") == 4 ? 7 : 1);
}

static void run_waits(const struct asker *a, int fd)
{
	(void) a;
	dprintf(fd, "w");
	for (;;)
		pause();
}

static void run_forgets(const struct asker *a, int fd)
{
	(void) a;
	(void) fd;
}

static void ended(struct asker *a, int status)
{
	struct asker_owner *o = a->owner;

	o->ends++;
	o->status = status;
	assert_int_equal(a->pid, 0);
	assert_int_equal(a->fd, -1);
	if (o->again) {
		o->again = false;
		assert_int_equal(asker_start(a, run_says, NULL), 0);
	} else {
		ev_break(a->loop, EVBREAK_ALL);
	}
}

static int owner_open(void **state)
{
	struct asker_owner *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	/* libev knows of children in the default loop only. */
	asker_init(&o->asker, ev_default_loop(0), told, ended, o);
	*state = o;
	return o->asker.loop ? 0 : -1;
}

static int owner_close(void **state)
{
	struct asker_owner *o = *state;

	asker_clear(&o->asker);		/* nothing runs */
	assert_int_equal(o->asker.pid, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(o);
	return 0;
}

static void begin(struct asker_owner *o, void (*run)(const struct asker *a, int fd))
{
	struct wt_error err;

	if (asker_start(&o->asker, run, &err) < 0)
		fail_msg("%s", err.text);
}

/* All of it is read before the end is told, and the next one may begin there. */
static void test_told_then_ended_then_again(void **state)
{
	struct asker_owner *o = *state;

	o->again = true;
	begin(o, run_says);
	ev_run(o->asker.loop, 0);
	assert_string_equal(o->text, "one.two.");
	assert_int_equal(o->ends, 2);
	assert_true(WIFEXITED(o->status) && WEXITSTATUS(o->status) == 7);
}

static void test_killed(void **state)
{
	struct asker_owner *o = *state;

	asker_kill(&o->asker);		/* none: the group of pid 0 would be this test itself */
	begin(o, run_waits);
	asker_kill(&o->asker);
	ev_run(o->asker.loop, 0);
	assert_int_equal(o->ends, 1);
	assert_true(WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGKILL);
}

/* Its end is still told: who ends everything waits for it. */
static void test_deaf(void **state)
{
	struct asker_owner *o = *state;

	begin(o, run_waits);
	asker_deafen(&o->asker);
	asker_deafen(&o->asker);
	assert_int_equal(o->asker.fd, -1);
	asker_kill(&o->asker);
	ev_run(o->asker.loop, 0);
	assert_int_equal(o->ends, 1);
	assert_string_equal(o->text, "");
}

static void test_cleared(void **state)
{
	struct asker_owner *o = *state;

	begin(o, run_waits);
	asker_clear(&o->asker);
	ev_run(o->asker.loop, EVRUN_NOWAIT);
	assert_int_equal(o->ends, 0);
	begin(o, run_forgets);
	ev_run(o->asker.loop, 0);
	assert_true(WIFEXITED(o->status) && WEXITSTATUS(o->status) == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_told_then_ended_then_again, owner_open, owner_close),
		cmocka_unit_test_setup_teardown(test_killed, owner_open, owner_close),
		cmocka_unit_test_setup_teardown(test_deaf, owner_open, owner_close),
		cmocka_unit_test_setup_teardown(test_cleared, owner_open, owner_close),
	};

	return cmocka_run_group_tests_name("asker", tests, NULL, NULL);
}
