/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real processes, real ends; the loop waits for events, never for a time that matters. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/cluster/supervisor/keeper.h"
#include "lib/clock.h"

#define MINUTE_US INT64_C(60000000)
#define LONG_S 3600.	/* a timer that must not fire while a test runs */

static char *const exits_3[] = { "/bin/sh", "-c", "exit 3", NULL };
static char *const sleeps[] = { "/bin/sleep", "1000", NULL };

struct keeper_owner {
	struct ev_loop *loop;
	struct keeper keeper;
	int ends, dues;
	pid_t ended_pid;
	char how[KEEPER_HOW_MAX];
	bool pid_was_0;
};

static void ended(struct keeper *k, pid_t pid, const char *how)
{
	struct keeper_owner *kept = k->owner;

	kept->ends++;
	kept->ended_pid = pid;
	kept->pid_was_0 = k->pid == 0;
	snprintf(kept->how, sizeof(kept->how), "%s", how);
	ev_break(k->loop, EVBREAK_ALL);
}

static void due(struct keeper *k)
{
	struct keeper_owner *kept = k->owner;

	kept->dues++;
	ev_break(k->loop, EVBREAK_ALL);
}

static void due_late(struct keeper *k)
{
	(void) k;
	fail_msg("a timer fired that had been replaced or stopped");
}

static int kept_open(void **state)
{
	struct keeper_owner *kept = calloc(1, sizeof(*kept));

	kept->loop = ev_default_loop(0);	/* libev knows of children in the default loop only */
	keeper_init(&kept->keeper, kept->loop, ended, kept);
	*state = kept;
	return kept->loop ? 0 : -1;
}

static int kept_close(void **state)
{
	struct keeper_owner *kept = *state;

	keeper_timer_stop(&kept->keeper);
	assert_int_equal(kept->keeper.pid, 0);
	free(kept);
	return 0;
}

static void start(struct keeper_owner *kept, char *const argv[])
{
	struct wt_error err;

	if (keeper_start(&kept->keeper, argv, "/dev/null", NULL, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(kept->keeper.pid > 0);
}

static void test_an_exit_is_told_once(void **state)
{
	struct keeper_owner *kept = *state;
	pid_t pid;

	start(kept, exits_3);
	pid = kept->keeper.pid;
	ev_run(kept->loop, 0);
	assert_int_equal(kept->ends, 1);
	assert_int_equal(kept->ended_pid, pid);
	assert_true(kept->pid_was_0);
	assert_string_equal(kept->how, "exit 3");
	start(kept, exits_3);		/* the same keeper again */
	ev_run(kept->loop, 0);
	assert_int_equal(kept->ends, 2);
}

static void test_a_signal_is_told(void **state)
{
	struct keeper_owner *kept = *state;

	keeper_signal(&kept->keeper, SIGKILL);	/* nothing runs: the group of pid 0 would be this test itself */
	start(kept, sleeps);
	keeper_signal(&kept->keeper, SIGTERM);
	ev_run(kept->loop, 0);
	assert_string_equal(kept->how, "signal 15");
}

/* The timer belonged to the process that has ended: to kill it, say, which must not reach the next one. */
static void test_an_end_stops_the_timer(void **state)
{
	struct keeper_owner *kept = *state;

	start(kept, sleeps);
	keeper_after(&kept->keeper, LONG_S, 0, due_late);
	keeper_signal(&kept->keeper, SIGKILL);
	ev_run(kept->loop, 0);
	assert_int_equal(kept->ends, 1);
	assert_false(ev_is_active(&kept->keeper.timer));
}

static void test_what_cannot_run_has_no_end(void **state)
{
	static char *const none[] = { "/nonexistent/program", NULL };
	struct keeper_owner *kept = *state;
	struct wt_error err;

	assert_int_equal(keeper_start(&kept->keeper, none, "/dev/null", NULL, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent/program"));
	assert_int_equal(kept->keeper.pid, 0);
	ev_run(kept->loop, EVRUN_NOWAIT);
	assert_int_equal(kept->ends, 0);
}

static void test_the_last_timer_counts(void **state)
{
	struct keeper_owner *kept = *state;

	keeper_after(&kept->keeper, 0, 0, due_late);
	keeper_after(&kept->keeper, 0, 0, due);
	ev_run(kept->loop, 0);
	assert_int_equal(kept->dues, 1);
	assert_false(ev_is_active(&kept->keeper.timer));
	keeper_after(&kept->keeper, 0, 0.001, due);
	ev_run(kept->loop, 0);
	ev_run(kept->loop, 0);
	assert_int_equal(kept->dues, 3);
	keeper_after(&kept->keeper, 0, 0, due_late);
	keeper_timer_stop(&kept->keeper);
	ev_run(kept->loop, EVRUN_NOWAIT);
}

/* Half a second, doubled to half a minute; anew when a start was asked for, and after a life of more than a minute. */
static void test_pauses(void **state)
{
	static const double pauses_s[] = { 0.5, 1, 2, 4, 8, 16, 30, 30, 30 };
	struct keeper_owner *kept = *state;
	struct keeper *k = &kept->keeper;

	for (int again = 0; again < 2; again++) {
		k->started_us = wt_clock_now_us(wt_clock_real());
		for (size_t i = 0; i < sizeof(pauses_s) / sizeof(pauses_s[0]); i++)
			assert_float_equal(keeper_pause_s(k), pauses_s[i], 0);
		assert_int_equal(k->resumed, again);
		keeper_resume(k);
		assert_true(k->resumed);
	}
	assert_float_equal(keeper_pause_s(k), 0.5, 0);
	k->started_us -= MINUTE_US / 2;
	assert_float_equal(keeper_pause_s(k), 1, 0);
	k->started_us -= MINUTE_US;
	assert_float_equal(keeper_pause_s(k), 0.5, 0);
}

static int not_permitted(void)
{
	errno = EPERM;
	return -1;
}

/* What went wrong between fork and exec is told by its own errno, not by that of a later call. */
static void test_the_first_failure_is_told(void **state)
{
	struct keeper_owner *kept = *state;
	struct wt_error err = { "" };

	assert_int_equal(keeper_start(&kept->keeper, exits_3, "/nonexistent/log", NULL, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(keeper_start(&kept->keeper, exits_3, "/nonexistent/log", not_permitted, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(keeper_start(&kept->keeper, exits_3, "/dev/null", not_permitted, &err), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(kept->keeper.pid, 0);
}

#define KEEPER_TEST(f) cmocka_unit_test_setup_teardown(f, kept_open, kept_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		KEEPER_TEST(test_an_exit_is_told_once), KEEPER_TEST(test_a_signal_is_told),
		KEEPER_TEST(test_an_end_stops_the_timer), KEEPER_TEST(test_what_cannot_run_has_no_end),
		KEEPER_TEST(test_the_last_timer_counts), KEEPER_TEST(test_pauses),
		KEEPER_TEST(test_the_first_failure_is_told),
	};

	return cmocka_run_group_tests_name("keeper", tests, NULL, NULL);
}
