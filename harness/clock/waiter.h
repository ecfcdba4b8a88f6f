/* waiter.h - parts of the test program 'participant'. */
#ifndef WT_HARNESS_CLOCK_WAITER_H
#define WT_HARNESS_CLOCK_WAITER_H

#include <stdbool.h>
#include <stdlib.h>

/* Pass work round a ring of threads, some thousand times, while another thread sleeps for 'unit_s' seconds.  0 when the work
 * was done before half of that had passed, and the sleep was as long as asked for; else 1, and a line says so.  Aborts when
 * the system fails. */
int ring_check(double unit_s);

/* Under a clock, as a process whose calls are counted: the number of checks that failed. */
int kinds_check(void);

#endif
