/* futex.h - Linux futexes (futex(2), futex_waitv(2)): thin, errno as the kernel sets it. */
#ifndef WT_HARNESS_CLOCK_FUTEX_H
#define WT_HARNESS_CLOCK_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long wt_futex_wake(_Atomic uint32_t *addr, int count, bool process_private)
{
	return syscall(SYS_futex, addr, FUTEX_WAKE | (process_private ? FUTEX_PRIVATE_FLAG : 0), count, NULL, NULL, 0);
}

/* Wait while *addr is 'value'; 'timeout' is relative, on CLOCK_MONOTONIC; NULL: none. */
static inline long wt_futex_wait(_Atomic uint32_t *addr, uint32_t value, bool process_private,
				 const struct timespec *timeout)
{
	return syscall(SYS_futex, addr, FUTEX_WAIT | (process_private ? FUTEX_PRIVATE_FLAG : 0), value, timeout, NULL, 0);
}

/* Tell the coordinator to look, if it waits to be told. */
static inline void wt_futex_poke(_Atomic uint32_t *poke, _Atomic uint32_t *listening)
{
	atomic_fetch_add(poke, 1);
	if (atomic_load(listening))
		wt_futex_wake(poke, 1, false);
}

#endif
