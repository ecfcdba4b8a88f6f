/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_lock.c - locks without a time limit. */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "harness/clock/participant.h"

#define TAKEN(name, try, lock) ({ \
	int taken_rc = participant.in_turn ? try(lock) : EBUSY; \
	if (taken_rc == EBUSY && participant.in_turn) \
		atomic_fetch_add(&participant.shm->races, 1); \
	taken_rc == EBUSY ? REAL(name) (lock) : taken_rc; })

WT_EXPORT int pthread_mutex_lock(pthread_mutex_t *lock)
{
	return TAKEN(pthread_mutex_lock, pthread_mutex_trylock, lock);
}

WT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	return TAKEN(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, lock);
}

WT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	return TAKEN(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, lock);
}
