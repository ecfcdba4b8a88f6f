/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/clock/clock_shm.h"

#define START_NS 1700000000000000000LL
#define MONO_NS 5000000000LL

static int make(void **state)
{
	struct wt_shm *shm = aligned_alloc(64, sizeof(*shm));

	if (!shm)
		return -1;
	memset(shm, 0, sizeof(*shm));
	wt_shm_init(shm, WT_CHARGE_REAL, 1000, START_NS, MONO_NS, MONO_NS + 7);
	*state = shm;
	return 0;
}

static int drop(void **state)
{
	free(*state);
	return 0;
}

static void refused(const struct wt_shm *shm, const char *what)
{
	struct wt_error err = { "" };

	errno = 0;
	assert_int_equal(wt_shm_check(shm, sizeof(*shm), &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, what));
}

/* A thread in slot 0 of a process in slot 0, in a state that the checker accepts. */
static struct wt_shm_thread *one_thread(struct wt_shm *shm)
{
	assert_int_equal(wt_shm_claim_process(shm, 42), 0);
	shm->processes[0].state = WT_PROCESS_ATTACHED;
	assert_int_equal(wt_shm_claim_thread(shm, 0), 0);
	shm->threads[0].tid = 43;
	shm->threads[0].state = WT_SLOT_RUNNING;
	assert_int_equal(wt_shm_check(shm, sizeof(*shm), NULL), 0);
	return &shm->threads[0];
}

static void test_fresh_memory_is_right(void **state)
{
	assert_int_equal(wt_shm_check(*state, sizeof(struct wt_shm), NULL), 0);
	assert_int_equal(wt_shm_check(*state, sizeof(struct wt_shm) + 1, NULL), 0);
}

static void test_full_memory_is_right(void **state)
{
	struct wt_shm *shm = *state;

	one_thread(shm);
	shm->threads_used = WT_SHM_THREADS_MAX;
	shm->processes_used = WT_SHM_PROCESSES_MAX;
	assert_int_equal(wt_shm_check(shm, sizeof(*shm), NULL), 0);
	shm->threads_used++;
	refused(shm, "more than there can be");
	shm->threads_used--;
	shm->processes_used++;
	refused(shm, "more than there can be");
}

static void test_null_short_and_strange_memory_is_refused(void **state)
{
	struct wt_shm *shm = *state;
	struct wt_error err;

	assert_int_equal(wt_shm_check(NULL, sizeof(*shm), &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_shm_check(shm, sizeof(*shm) - 1, &err), -1);
	shm->magic ^= 1;
	refused(shm, "not the memory of a clock");
	shm->magic ^= 1;
	shm->version++;
	refused(shm, "another version");
}

static void test_impossible_header_is_refused(void **state)
{
	struct wt_shm *shm = *state;

	shm->state = WT_SHM_STATE_COUNT;
	refused(shm, "impossible state");
	shm->state = WT_SHM_READY;
	shm->threads_used = WT_SHM_THREADS_MAX + 1;
	refused(shm, "more than there can be");
	shm->threads_used = 0;
	shm->line.base_ns = START_NS - 1;
	refused(shm, "before its start");
}

static void test_impossible_threads_are_refused(void **state)
{
	struct wt_shm *shm = *state;
	struct wt_shm_thread *t = one_thread(shm);

	t->state = WT_SLOT_STATE_COUNT;
	refused(shm, "thread slot 0 has the impossible state");
	t->state = WT_SLOT_WAITING;
	refused(shm, "waits for no time");
	t->wait_gen = 1;
	assert_int_equal(wt_shm_check(shm, sizeof(*shm), NULL), 0);
	t->deadline_ns = -1;
	refused(shm, "waits for no time");
	t->state = WT_SLOT_RUNNING;
	t->tid = 0;
	refused(shm, "belongs to nobody");
	t->tid = 43;
	t->process = 1;
	refused(shm, "belongs to nobody");
	t->process = 0;
	shm->threads_used = 0;
	refused(shm, "beyond the last");
}

static void test_impossible_processes_are_refused(void **state)
{
	struct wt_shm *shm = *state;

	one_thread(shm);
	shm->processes[0].pid = 0;
	refused(shm, "process slot 0");
	shm->processes[0].pid = 42;
	shm->processes[5].state = WT_PROCESS_ATTACHED;
	refused(shm, "process slot 5 is in use beyond the last");
}

static void test_clock_runs_and_stands(void **state)
{
	struct wt_shm *shm = *state;

	assert_int_equal(wt_shm_now_ns(shm, MONO_NS), START_NS);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 10), START_NS + 10);
	wt_shm_set_running(shm, false, MONO_NS + 10);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 10), START_NS + 10);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 5000), START_NS + 10);
	wt_shm_set_running(shm, true, MONO_NS + 6000);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 6001), START_NS + 11);
}

static void test_a_late_reader_does_not_see_time_go_backwards(void **state)
{
	struct wt_shm *shm = *state;

	wt_shm_jump(shm, START_NS + 100, MONO_NS + 50, true);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 20), START_NS + 100);
}

static void test_jumps_go_forward_only_and_begin_a_period(void **state)
{
	struct wt_shm *shm = *state;
	uint32_t period = shm->line.period;

	wt_shm_jump(shm, START_NS + 1000, MONO_NS, false);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS), START_NS + 1000);
	assert_int_equal(shm->line.period, period + 1);
	wt_shm_jump(shm, START_NS + 1, MONO_NS, false);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS), START_NS + 1000);
	assert_int_equal(shm->line.seq % 2, 0);
}

static void test_charge_only_grows_within_a_period(void **state)
{
	struct wt_shm *shm = *state;

	wt_shm_jump(shm, START_NS + 1000, MONO_NS, false);
	wt_shm_charge(shm, 30);
	wt_shm_charge(shm, 20);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS), START_NS + 1030);
	/* Neither lost nor counted twice when the clock starts to run, or stops. */
	wt_shm_set_running(shm, true, MONO_NS + 5);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 6), START_NS + 1031);
	wt_shm_charge(shm, 40);
	wt_shm_set_running(shm, false, MONO_NS + 6);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 9), START_NS + 1041);
	/* What was charged stays behind a jump to a later time, and is not charged again. */
	wt_shm_jump(shm, START_NS + 2000, MONO_NS + 9, false);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 9), START_NS + 2000);
	wt_shm_jump(shm, 0, MONO_NS + 9, false);
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS + 9), START_NS + 2000);
}

static void test_a_reader_survives_a_writer_that_died(void **state)
{
	struct wt_shm *shm = *state;

	shm->line.seq++;
	assert_int_equal(wt_shm_now_ns(shm, MONO_NS), START_NS);
}

static void test_slots_are_claimed_lowest_first_and_given_back(void **state)
{
	struct wt_shm *shm = *state;

	one_thread(shm);
	assert_int_equal(wt_shm_claim_thread(shm, 0), 1);
	assert_int_equal(wt_shm_claim_thread(shm, 0), 2);
	assert_int_equal(shm->threads[2].pid, 42);
	assert_true(wt_shm_free_thread(shm, 1, shm->threads[1].owner));
	assert_int_equal(wt_shm_claim_thread(shm, 0), 1);
	assert_int_equal(shm->threads_used, 3);
}

static void test_slots_of_a_burst_are_forgotten(void **state)
{
	struct wt_shm *shm = *state;

	wt_shm_trim_threads(shm);
	assert_int_equal(shm->threads_used, 0);
	one_thread(shm);
	for (int i = 1; i < 100; i++)
		assert_int_equal(wt_shm_claim_thread(shm, 0), i);
	wt_shm_trim_threads(shm);
	assert_int_equal(shm->threads_used, 100);
	for (uint32_t i = 1; i < 100; i++)
		if (i != 60)
			assert_true(wt_shm_free_thread(shm, i, shm->threads[i].owner));
	wt_shm_trim_threads(shm);
	assert_int_equal(shm->threads_used, 61);
	assert_true(wt_shm_free_thread(shm, 60, shm->threads[60].owner));
	wt_shm_trim_threads(shm);
	assert_int_equal(shm->threads_used, 1);
	assert_int_equal(wt_shm_claim_thread(shm, 0), 1);
	assert_int_equal(shm->threads_used, 2);
}

static void test_a_freed_runner_is_no_longer_busy(void **state)
{
	struct wt_shm *shm = *state;

	one_thread(shm);
	shm->busy = 1;
	assert_true(wt_shm_free_thread(shm, 0, shm->threads[0].owner));
	assert_int_equal(shm->busy, 0);
	assert_int_equal(wt_shm_claim_thread(shm, 0), 0);
	shm->threads[0].state = WT_SLOT_BLOCKED;
	assert_true(wt_shm_free_thread(shm, 0, shm->threads[0].owner));
	assert_int_equal(shm->busy, 0);
}

static void test_who_waits_for_the_same_time_has_an_order(void **state)
{
	struct wt_shm *shm = *state;

	for (int i = 0; i < 4; i++) {
		assert_int_equal(wt_shm_claim_process(shm, 42 + i), i);
		assert_int_equal(wt_shm_claim_thread(shm, i), i);
		shm->threads[i].order = 10 - i;
	}
	shm->processes[0].trusted = 1;
	shm->processes[1].trusted = shm->processes[1].charged = 1;
	/* The controller, the nodes, and of the others the one that began first. */
	assert_true(wt_shm_order(shm, 1) < wt_shm_order(shm, 0));
	assert_true(wt_shm_order(shm, 0) < wt_shm_order(shm, 3));
	assert_true(wt_shm_order(shm, 3) < wt_shm_order(shm, 2));
}

static void test_with_charge_none_each_clock_shows_the_same_beginning(void **state)
{
	struct wt_shm *shm = *state, *other;
	void *made = NULL;

	assert_int_equal(shm->shown_mono_ns, MONO_NS);
	assert_int_equal(shm->shown_boot_ns, MONO_NS + 7);
	assert_int_equal(make(&made), 0);
	other = made;
	wt_shm_init(shm, WT_CHARGE_NONE, 1000, START_NS, MONO_NS, MONO_NS + 7);
	wt_shm_init(other, WT_CHARGE_NONE, 1000, START_NS, MONO_NS + 12345, MONO_NS + 6789);
	assert_int_equal(shm->shown_mono_ns, other->shown_mono_ns);
	assert_int_equal(shm->shown_boot_ns, other->shown_boot_ns);
	drop(&made);
}

static void test_slots_run_out(void **state)
{
	struct wt_shm *shm = *state;

	for (int i = 0; i < WT_SHM_PROCESSES_MAX - 1; i++)
		shm->processes[i].state = WT_PROCESS_ATTACHED;
	assert_int_equal(wt_shm_claim_process(shm, 1), WT_SHM_PROCESSES_MAX - 1);
	assert_int_equal(wt_shm_claim_process(shm, 1), -1);
	for (int i = 0; i < WT_SHM_THREADS_MAX - 1; i++)
		shm->threads[i].owner = 1;
	assert_int_equal(wt_shm_claim_thread(shm, 0), WT_SHM_THREADS_MAX - 1);
	assert_int_equal(wt_shm_claim_thread(shm, 0), -1);
}

static void test_processes_are_found_once_they_are_known(void **state)
{
	struct wt_shm *shm = *state;

	assert_int_equal(wt_shm_claim_process(shm, 42), 0);
	assert_int_equal(wt_shm_find_process(shm, 42), -1);
	shm->processes[0].state = WT_PROCESS_EXEC;
	assert_int_equal(wt_shm_find_process(shm, 42), 0);
	assert_int_equal(wt_shm_find_process(shm, 43), -1);
	wt_shm_free_process(shm, 0);
	assert_int_equal(wt_shm_find_process(shm, 42), -1);
}

static void shows_the_same(const struct wt_view *view, const struct wt_shm *shm, int64_t mono_ns)
{
	assert_true(wt_line_now_ns(&view->line, mono_ns) == wt_shm_now_ns(shm, mono_ns));
}

static void test_the_view_shows_what_the_clock_does(void **state)
{
	struct wt_shm *shm = *state;
	struct wt_view view = { 0 };
	struct wt_error err;
	uint32_t seq;

	assert_int_equal(wt_view_check(&view, sizeof(view), &err), -1);
	wt_view_init(&view, shm, MONO_NS + 5);
	assert_int_equal(wt_view_check(&view, sizeof(view), &err), 0);
	assert_int_equal(wt_view_check(&view, sizeof(view) - 1, &err), -1);
	assert_int_equal(errno, EINVAL);
	shows_the_same(&view, shm, MONO_NS + 1000);
	seq = view.line.seq;
	wt_view_update(&view, shm, MONO_NS + 2000);
	assert_int_equal(view.line.seq, seq);		/* nothing is new */
	wt_shm_jump(shm, START_NS + 3600000000000LL, MONO_NS + 2000, false);
	wt_view_update(&view, shm, MONO_NS + 2000);
	shows_the_same(&view, shm, MONO_NS + 9000);
	wt_shm_charge(shm, 77);
	wt_view_update(&view, shm, MONO_NS + 9000);
	shows_the_same(&view, shm, MONO_NS + 9000);
	wt_shm_set_running(shm, true, MONO_NS + 10000);
	wt_view_update(&view, shm, MONO_NS + 10000);
	shows_the_same(&view, shm, MONO_NS + 20000);
	view.version++;
	assert_int_equal(wt_view_check(&view, sizeof(view), &err), -1);
	assert_non_null(strstr(err.text, "another version"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fresh_memory_is_right),
		TEST(test_full_memory_is_right),
		TEST(test_null_short_and_strange_memory_is_refused),
		TEST(test_impossible_header_is_refused),
		TEST(test_impossible_threads_are_refused),
		TEST(test_impossible_processes_are_refused),
		TEST(test_clock_runs_and_stands),
		TEST(test_a_late_reader_does_not_see_time_go_backwards),
		TEST(test_jumps_go_forward_only_and_begin_a_period),
		TEST(test_charge_only_grows_within_a_period),
		TEST(test_a_reader_survives_a_writer_that_died),
		TEST(test_slots_are_claimed_lowest_first_and_given_back),
		TEST(test_slots_of_a_burst_are_forgotten),
		TEST(test_a_freed_runner_is_no_longer_busy),
		TEST(test_who_waits_for_the_same_time_has_an_order),
		TEST(test_with_charge_none_each_clock_shows_the_same_beginning),
		TEST(test_slots_run_out),
		TEST(test_processes_are_found_once_they_are_known),
		TEST(test_the_view_shows_what_the_clock_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
