/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads of helpers: none is passed over, however many there are. */
#include "config.h"

#include <pthread.h>
#include <unistd.h>

#include "harness/clock/surveyor_private.h"
#include "lib/test_cmocka.h"

#define THREADS 300

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static bool no_memory;

/* libc's, as the code under test calls it. */
void *reallocarray(void *before, size_t count, size_t size)
{
	return no_memory ? NULL : realloc(before, count * size);
}

static void *wait_for_gate(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

static void threads_start(pthread_t *threads)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_mutex_lock(&gate);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], &attr, wait_for_gate, NULL), 0);
	pthread_attr_destroy(&attr);
}

static void threads_end(pthread_t *threads)
{
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static bool has_thread(const struct wt_helpers *h, int32_t tid)
{
	for (int i = 0; i < h->count; i++)
		if (h->threads[i].tid == tid)
			return true;
	return false;
}

static void test_all_threads(void **state)
{
	struct wt_helpers h = { 0 };
	pthread_t threads[THREADS];
	int count;

	(void) state;
	wt_helpers_add_kernel(&h);
	count = h.count;
	assert_int_equal(wt_helpers_add(&h, getpid(), NULL), 0);
	threads_start(threads);
	wt_helpers_cpu_ns(&h);		/* lists them */
	assert_int_equal(h.count, count + THREADS + 1);
	assert_true(has_thread(&h, getpid()));
	assert_true(wt_helpers_busy(&h));	/* we run */
	wt_helpers_clear(&h);
	threads_end(threads);
	assert_int_equal(h.count, 0);
	wt_helpers_clear(&h);
}

/* One that cannot be looked at may be busy. */
static void test_no_memory(void **state)
{
	struct wt_helpers h = { 0 };

	(void) state;
	no_memory = true;
	assert_int_equal(wt_helpers_add(&h, getppid(), NULL), 0);
	wt_helpers_cpu_ns(&h);
	no_memory = false;
	assert_int_equal(h.count, 0);
	assert_true(wt_helpers_busy(&h));
	wt_helpers_clear(&h);
	assert_false(wt_helpers_busy(&h));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_threads), cmocka_unit_test(test_no_memory) };

	return cmocka_run_group_tests_name("helpers", tests, NULL, NULL);
}
