/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_lock.c - locks without a time limit. */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "harness/clock/participant.h"

/* A thread that has waited for a lock goes on when all is quiet, as it does after any other wait: beside the one that has
 * released it, it would race with it.  It has the lock by now, and must not be cancelled here. */
static int take_turn_with_lock(int rc, uint64_t order)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	participant_take_turn(order);
	pthread_setcancelstate(state, NULL);
	return rc;
}

/* 'race': what a meeting counts.  A mutex, or the writer's part of a rwlock, is free for a moment before the thread that
 * waits for it has it, and any other one may be faster. */
#define TAKEN(name, try, lock, race) ({ \
	int taken_rc = participant.in_turn ? try(lock) : EBUSY; \
	if (taken_rc == EBUSY && participant.in_turn) { \
		uint64_t taken_order = participant_order_next(); \
		atomic_fetch_add(&participant.shm->races, race); \
		taken_rc = take_turn_with_lock(REAL(name) (lock), taken_order); \
	} else if (taken_rc == EBUSY) { \
		taken_rc = REAL(name) (lock); \
	} \
	taken_rc; })

WT_EXPORT int pthread_mutex_lock(pthread_mutex_t *lock)
{
	return TAKEN(pthread_mutex_lock, pthread_mutex_trylock, lock, 1);
}

/* The C library hands a rwlock over to the readers that wait, when its writer releases it: nobody comes between (other
 * writers that wait come first, and are counted).  With its turn afterwards a reader leaves nothing to the machine. */
WT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return TAKEN(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, lock, 0);
}

WT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return TAKEN(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, lock, 1);
}
