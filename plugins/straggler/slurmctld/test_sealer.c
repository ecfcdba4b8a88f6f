/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue before munge, with calls of munge that last as long as the test wants and say what it wants. */
#include "config.h"

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/sealer.h"
#include "lib/clock.h"

static sem_t entered, go;	/* a call has begun; one may end */
static munge_err_t says;

munge_err_t __wrap_unseal(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid);

/* Instead of seal.c's. */
munge_err_t __wrap_unseal(munge_ctx_t ctx, const char *credential, size_t len, void **bytes, size_t *bytes_len, uid_t *uid)
{
	(void) ctx;
	(void) credential;
	(void) len;
	*bytes = NULL;
	*bytes_len = 0;
	*uid = 0;
	sem_post(&entered);
	while (sem_wait(&go) < 0)
		;
	return says;
}

static bool put(struct sealer *s, bool seal, bool trusted, double now_s)
{
	struct sealer_job *job = sealer_job_create(NULL, seal, 0, strdup("bytes"), 5);

	assert_non_null(job);
	if (sealer_put(s, job, trusted, now_s))
		return true;
	sealer_job_free(job);	/* it is still ours */
	return false;
}

static void entered_wait(void)
{
	while (sem_wait(&entered) < 0)
		;
}

/* How many are done, of which that many are awaited. */
static int taken(struct sealer *s, int want)
{
	int count = 0;

	for (int i = 0; i < 12000 && count < want; i++) {
		struct sealer_job *job = sealer_take(s);

		count += job != NULL;
		if (!job)
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 10000);
		sealer_job_free(job);
	}
	return count;
}

static int begin(void **state)
{
	*state = sealer_start("/nonexistent/munge", NULL);
	says = EMUNGE_SUCCESS;
	return *state && sem_init(&entered, 0, 0) == 0 && sem_init(&go, 0, 0) == 0 ? 0 : -1;
}

static int end(void **state)
{
	for (int i = 0; i < 1000; i++)	/* whatever is left may end */
		sem_post(&go);
	sealer_stop(*state);
	return 0;
}

/* While all threads are in munge so many wait as there is room for, and no more; answers always do. */
static void test_queue_has_an_end(void **state)
{
	struct sealer *s = *state;

	for (int i = 0; i < SEALER_THREADS; i++)
		assert_true(put(s, false, false, 1));
	for (int i = 0; i < SEALER_THREADS; i++)
		entered_wait();
	for (int i = 0; i < SEALER_QUEUE; i++)
		assert_true(put(s, false, false, 1));
	assert_false(sealer_room(s, false));
	assert_false(put(s, false, false, 1));
	for (int i = 0; i < SEALER_QUEUE; i++)
		assert_true(put(s, false, true, 1));
	assert_false(sealer_room(s, true));
	assert_false(put(s, false, true, 1));
	assert_false(put(s, false, false, 1));
	for (int i = 0; i < 2 * SEALER_QUEUE; i++)
		assert_true(put(s, true, false, 1));
	for (int i = 0; i < SEALER_THREADS + 2 * SEALER_QUEUE; i++)
		sem_post(&go);
	assert_int_equal(taken(s, SEALER_THREADS + 4 * SEALER_QUEUE), SEALER_THREADS + 4 * SEALER_QUEUE);
}

/* One job at a time finds out whether munged is back, whatever it waits for, and the others are refused. */
static void test_one_tries(void **state)
{
	struct sealer *s = *state;
	double later_s;

	says = EMUNGE_SOCKET;
	for (int round = 0; round < 2; round++) {
		later_s = (double) wt_clock_monotonic_us() / 1e6 + 3600;
		assert_int_equal(sealer_down(s, 0), round > 0);
		assert_true(put(s, false, false, later_s));
		if (round > 0)
			assert_false(put(s, false, true, later_s));	/* it may not have been begun yet, */
		entered_wait();
		if (round > 0)
			assert_false(put(s, true, true, later_s));	/* and has been */
		sem_post(&go);
		assert_int_equal(taken(s, 1), 1);
		assert_false(put(s, false, true, 0));			/* not yet again */
	}
	says = EMUNGE_CRED_INVALID;	/* a word of munged's */
	assert_true(put(s, false, false, later_s));
	sem_post(&go);
	assert_int_equal(taken(s, 1), 1);
	assert_false(sealer_down(s, 0));
	assert_true(put(s, false, false, 1) && put(s, false, false, 1));
}

/* What hangs in munge is left behind; this test is the last one: its threads live on until it lets them go. */
static void test_stop_waits_for_no_munge(void **state)
{
	struct sealer *s = *state;

	for (int i = 0; i < SEALER_THREADS; i++)
		assert_true(put(s, false, false, 1));
	for (int i = 0; i < SEALER_THREADS; i++)
		entered_wait();
	assert_true(put(s, true, true, 1));
	sealer_stop(s);
	*state = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_queue_has_an_end, begin, end),
					    cmocka_unit_test_setup_teardown(test_one_tries, begin, end),
					    cmocka_unit_test_setup_teardown(test_stop_waits_for_no_munge, begin, end) };

	return cmocka_run_group_tests_name("sealer", tests, NULL, NULL);
}
