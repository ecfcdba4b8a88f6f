/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_cond.c - condition variables, and other locks with a time limit.
 *
 * The C library's condition variables swallow every interruption, so no other process could end a wait.  Ours is one futex
 * word that counts signals, inside the caller's pthread_cond_t: all zero is a valid initial value for both, and a thread
 * that has been woken never touches the word again, so that it may be destroyed at once. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "harness/clock/participant.h"
#include "harness/clock/futex.h"
#include "harness/clock/pace.h"

struct cond {
	_Atomic uint32_t seq;
	uint32_t monotonic;
	uint32_t shared;	/* between processes */
};

_Static_assert(sizeof(struct cond) <= sizeof(pthread_cond_t), "must fit into the caller's variable");

/* Locks other than conditions: look again after so long, doubled up to the maximum. */
#define SLICE_MIN_NS 1000000
#define SLICE_MAX_NS 64000000

static struct cond *cond_of(pthread_cond_t *c)
{
	return (struct cond *) c;
}

WT_EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict attr)
{
	struct cond *cond = cond_of(c);
	clockid_t clock = CLOCK_REALTIME;
	int shared = PTHREAD_PROCESS_PRIVATE;

	memset(c, 0, sizeof(*c));
	if (attr) {
		pthread_condattr_getclock(attr, &clock);
		pthread_condattr_getpshared(attr, &shared);
	}
	cond->monotonic = clock == CLOCK_MONOTONIC;
	cond->shared = shared == PTHREAD_PROCESS_SHARED;
	return 0;
}

WT_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	(void) c;
	return 0;
}

static int cond_wake(pthread_cond_t *c, int count)
{
	struct cond *cond = cond_of(c);
	bool process_private = !cond->shared;
	int saved = errno;
	long woken;

	/* Between the count and the wake a thread may already return by itself: it must not be taken for quiet
	 * meanwhile. */
	participant_stir_begin();
	atomic_fetch_add(&cond->seq, 1);
	woken = wt_futex_wake(&cond->seq, count, process_private);
	participant_stir_end(process_private ? woken : 0);
	errno = saved;
	return 0;
}

WT_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	return cond_wake(c, 1);
}

WT_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	return cond_wake(c, INT_MAX);
}

static void relock(void *mutex)
{
	pthread_mutex_lock(mutex);
}

static void end_block(void *unused)
{
	(void) unused;
	if (participant_attached())
		participant_block_end();
}

static void wait_untimed(struct cond *cond, uint32_t seq)
{
	uint64_t order = participant_order_next();
	int type;
	long rc;

	if (participant_attached())
		participant_block_begin(cond->shared ? WT_WAIT_ANY : WT_WAIT_OWN_WORDS);
	pthread_cleanup_push(end_block, NULL);
	/* pthread_cond_wait () is a cancellation point, a bare system call is none. */
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	rc = wt_futex_wait(&cond->seq, seq, !cond->shared, NULL);
	pthread_setcanceltype(type, NULL);
	pthread_cleanup_pop(1);
	if (rc == 0 && participant_attached() && !cond->shared)
		participant_stirred();
	participant_take_turn(order);
}

/* Without a clock: until 'until_ns' on the machine's 'clock'. */
static int wait_real(struct cond *cond, uint32_t seq, clockid_t clock, int64_t until_ns)
{
	struct timespec now, left;
	int64_t left_ns;
	int type, rc;

	REAL(clock_gettime) (clock, &now);
	left_ns = until_ns - participant_timespec_ns(&now);
	if (left_ns <= 0)
		return ETIMEDOUT;
	left = participant_ns_timespec(left_ns);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	rc = wt_futex_wait(&cond->seq, seq, !cond->shared, &left) < 0 && errno == ETIMEDOUT ? ETIMEDOUT : 0;
	pthread_setcanceltype(type, NULL);
	return rc;
}

static int wait_virtual(struct cond *cond, uint32_t seq, clockid_t clock, const struct timespec *until)
{
	int64_t until_ns = pace_until_ns(participant_timespec_ns(until) - participant_offset_ns(clock));

	if (participant_wait(&cond->seq, seq, !cond->shared, until_ns) == PARTICIPANT_TIMEOUT)
		return ETIMEDOUT;
	participant_take_turn(participant_self()->order);
	return 0;
}

static int cond_wait(pthread_cond_t *c, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	struct cond *cond = cond_of(c);
	volatile int rc = 0;	/* outlives the jump that a cancellation makes */
	struct timespec changed;
	int saved = errno;
	uint32_t seq;

	if (until && (until->tv_nsec < 0 || until->tv_nsec >= WT_NS_PER_S))
		return EINVAL;
	/* Read while the mutex is held: a signal that comes after the unlock changes it, and the futex does not
	 * sleep. */
	seq = atomic_load(&cond->seq);
	rc = pthread_mutex_unlock(mutex);
	if (rc)
		return rc;
	pthread_cleanup_push(relock, mutex);
	if (!until)
		wait_untimed(cond, seq);
	else if (!participant_attached())
		rc = wait_real(cond, seq, clock, participant_timespec_ns(participant_machine_until(clock, until, &changed)));
	else
		rc = wait_virtual(cond, seq, clock, until);
	pthread_cleanup_pop(1);
	errno = saved;
	return rc;
}

WT_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict mutex)
{
	return cond_wait(c, mutex, CLOCK_REALTIME, NULL);
}

WT_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict mutex,
				     const struct timespec *restrict until)
{
	return cond_wait(c, mutex, cond_of(c)->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
}

WT_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict mutex, clockid_t clock,
				     const struct timespec *restrict until)
{
	return cond_wait(c, mutex, clock, until);
}

/* Locks that are rarely taken with a time limit: try, sleep a little in virtual time, try again. */
static int try_until(int (*try)(void *lock), void *lock, clockid_t clock, const struct timespec *until)
{
	int64_t until_ns = participant_timespec_ns(until) - participant_offset_ns(clock);
	int64_t slice_ns = SLICE_MIN_NS;

	for (;;) {
		int64_t now_ns = participant_now_ns();
		int rc = try(lock);

		if (rc != EBUSY)
			return rc;
		/* Only now: a lock that is free is taken, whatever the time says (POSIX). */
		if (until->tv_nsec < 0 || until->tv_nsec >= WT_NS_PER_S)
			return EINVAL;
		if (now_ns >= until_ns)
			return ETIMEDOUT;
		/* No holder tells us that it lets the lock go: the C library's own lock has no word that we could
		 * wait for. */
		participant_wait(NULL, 0, true, now_ns + slice_ns < until_ns ? now_ns + slice_ns : until_ns);
		if (slice_ns < SLICE_MAX_NS)
			slice_ns *= 2;
	}
}

static int try_mutex(void *lock)
{
	return pthread_mutex_trylock(lock);
}

static int try_rdlock(void *lock)
{
	return pthread_rwlock_tryrdlock(lock);
}

static int try_wrlock(void *lock)
{
	return pthread_rwlock_trywrlock(lock);
}

static int try_sem(void *lock)
{
	if (sem_trywait(lock) == 0)
		return 0;
	return errno == EAGAIN ? EBUSY : errno;
}

WT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict until)
{
	struct timespec changed;

	return participant_attached() ? try_until(try_mutex, m, CLOCK_REALTIME, until) : REAL(pthread_mutex_timedlock) (m,
		participant_machine_until(CLOCK_REALTIME, until, &changed));
}

WT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock, const struct timespec *restrict until)
{
	struct timespec changed;

	return participant_attached() ? try_until(try_mutex, m, clock, until) : REAL(pthread_mutex_clocklock) (m, clock,
		participant_machine_until(clock, until, &changed));
}

WT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until)
{
	struct timespec changed;

	return participant_attached() ? try_until(try_rdlock, l, CLOCK_REALTIME, until)
			       : REAL(pthread_rwlock_timedrdlock) (l, participant_machine_until(CLOCK_REALTIME, until,
										       &changed));
}

WT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l, const struct timespec *restrict until)
{
	struct timespec changed;

	return participant_attached() ? try_until(try_wrlock, l, CLOCK_REALTIME, until)
			       : REAL(pthread_rwlock_timedwrlock) (l, participant_machine_until(CLOCK_REALTIME, until,
										       &changed));
}

struct join {
	pthread_t thread;
	void **value;
};

static int try_join(void *arg)
{
	struct join *join = arg;

	return pthread_tryjoin_np(join->thread, join->value);
}

WT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	struct join join = { thread, value };
	struct timespec changed;

	if (!participant_attached() || !until)
		return REAL(pthread_timedjoin_np) (thread, value,
						   participant_machine_until(CLOCK_REALTIME, until, &changed));
	return try_until(try_join, &join, CLOCK_REALTIME, until);
}

WT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until)
{
	struct join join = { thread, value };
	struct timespec changed;

	if (!participant_attached() || !until)
		return REAL(pthread_clockjoin_np) (thread, value, clock, participant_machine_until(clock, until, &changed));
	return try_until(try_join, &join, clock, until);
}

static int sem_result(int rc)
{
	if (rc == 0)
		return 0;
	errno = rc;
	return -1;
}

WT_EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
	struct timespec changed;

	if (!participant_attached())
		return REAL(sem_timedwait) (sem, participant_machine_until(CLOCK_REALTIME, until, &changed));
	return sem_result(try_until(try_sem, sem, CLOCK_REALTIME, until));
}

WT_EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict until)
{
	struct timespec changed;

	if (!participant_attached())
		return REAL(sem_clockwait) (sem, clock, participant_machine_until(clock, until, &changed));
	return sem_result(try_until(try_sem, sem, clock, until));
}
