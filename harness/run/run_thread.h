/* run_thread.h - the threads of a run: they get no signals, which are the main thread's, and their end is waited for on the
 * run's clock. */
#ifndef WT_HARNESS_RUN_RUN_THREAD_H
#define WT_HARNESS_RUN_RUN_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"

/* As pthread_create (3): 0, or an errno. */
int run_thread_create(pthread_t *thread, void *(*main)(void *), void *arg);

/* Microseconds of 'clock', so many seconds from now. */
int64_t run_thread_until_us(const struct wt_clock *clock, double timeout_s);

/* Waits for the thread's end until then at the latest.  true: it has ended, and its resources are given back. */
bool run_thread_join(pthread_t thread, int64_t until_us);

#endif
