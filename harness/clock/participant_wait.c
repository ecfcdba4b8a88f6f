/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_wait.c - waits for virtual time, and whether there still is a coordinator to end them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/clock/participant.h"
#include "harness/clock/futex.h"

void participant_signal(void)
{
	if (participant_attached())
		atomic_fetch_add(&participant.shm->signals, 1);
}

static bool coordinator_lives(void)
{
	bool lives = false;
	int fd = open(participant.path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		lives = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
		REAL(close) (fd);
	}
	return lives;
}

void participant_check_coordinator(void)
{
	int saved = errno;
	char view[PATH_MAX];

	if (atomic_load(&participant.shm->state) == WT_SHM_ENDED)
		participant_die("the clock %s has ended; this process ends with it", participant.path);
	if (coordinator_lives()) {
		errno = saved;
		return;
	}
	/* No other process will; and the others find out as soon. */
	unlink(participant.path);
	snprintf(view, sizeof(view), "%s%s", participant.path, WT_VIEW_SUFFIX);
	unlink(view);
	participant_die("the coordinator of %s (pid %d) has died; this process ends, for its time would never pass",
			participant.path,
		 participant.shm->coordinator_pid);
}

/* Our own word in shared memory comes first: it is there in every wait. */
enum { WORD_WAKE, WORD_ADDR, WORD_COUNT };

static long wait_words(struct futex_waitv *words, unsigned int count)
{
	struct timespec until = participant_ns_timespec(participant_mono_ns() + PART_LIVENESS_S * WT_NS_PER_S);
	int type;
	long rc;

	/* The system call is no cancellation point of the C library's: make it one, as pthread_cond_wait () and sleep ()
	 * are. */
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	rc = syscall(SYS_futex_waitv, words, count, 0, &until, CLOCK_MONOTONIC);
	pthread_setcanceltype(type, NULL);
	return rc;
}

static void end_wait(void *unused)
{
	(void) unused;
	participant_block_end();
}

/* Of the words of a wait that were woken at one time the kernel names the last. */
static enum participant_woke wait_loop(_Atomic uint32_t *addr, uint32_t value, bool process_private, uint32_t gen,
				       bool *stirred)
{
	struct wt_shm_thread *t = participant_self();
	struct futex_waitv words[WORD_COUNT] = {
		[WORD_WAKE] = { .uaddr = (uintptr_t) &t->wake_gen, .flags = FUTEX_32 },
		[WORD_ADDR] = { .uaddr = (uintptr_t) addr, .val = value,
				.flags = FUTEX_32 | (process_private ? FUTEX_PRIVATE_FLAG : 0) },
	};

	for (;;) {
		uint32_t wake = atomic_load(&t->wake_gen);
		long rc;

		/* A wake-up sent to addr must not be lost to a deadline that came at the same moment: look there first. */
		if (addr && atomic_load(addr) != value)
			return PARTICIPANT_CHANGED;
		if (wake == gen)
			return PARTICIPANT_TIMEOUT;
		words[WORD_WAKE].val = wake;
		rc = wait_words(words, addr ? WORD_COUNT : WORD_COUNT - 1);
		*stirred = rc == WORD_ADDR && process_private;
		if (rc == WORD_ADDR)
			return PARTICIPANT_CHANGED;
		if (rc >= 0 || errno == EAGAIN)
			continue;
		if (errno == EINTR && !addr)
			return PARTICIPANT_SIGNAL;
		if (errno == ETIMEDOUT)
			participant_check_coordinator();
		else if (errno == ENOSYS)
			participant_die("this kernel has no futex_waitv(2); Linux 5.16 or newer is needed");
	}
}

enum participant_woke participant_wait(_Atomic uint32_t *addr, uint32_t value, bool process_private, int64_t deadline_ns)
{
	int saved = errno;
	enum participant_woke woke;
	bool stirred = false;
	uint32_t gen;

	if (deadline_ns <= participant_now_ns())
		return PARTICIPANT_TIMEOUT;
	gen = participant_wait_begin(deadline_ns, WT_WAKE_FUTEX, process_private ? WT_WAIT_OWN_WORDS : WT_WAIT_ANY);
	pthread_cleanup_push(end_wait, NULL);
	woke = wait_loop(addr, value, process_private, gen, &stirred);
	pthread_cleanup_pop(1);
	if (stirred)
		participant_stirred();
	errno = saved;
	return woke;
}

uint64_t participant_order_next(void)
{
	return participant.in_turn ? atomic_fetch_add(&participant.shm->waits, 1) : 0;
}

void participant_take_turn(uint64_t order)
{
	int saved = errno;
	bool stirred;
	uint32_t gen;

	/* A clock that has ended gives no turns: the process that has ended it may go on to its own end. */
	if (!participant.in_turn || atomic_load(&participant.shm->state) == WT_SHM_ENDED)
		return;
	gen = participant_wait_begin(participant_now_ns(), WT_WAKE_FUTEX, WT_WAIT_OWN_WORDS);
	/* The coordinator looks at it when all is quiet, and we are not yet. */
	atomic_store(&participant_self()->order, order);
	pthread_cleanup_push(end_wait, NULL);
	wait_loop(NULL, 0, true, gen, &stirred);
	pthread_cleanup_pop(1);
	errno = saved;
}

#define READS_MAX 10000
#define READS_NS 2000000

void participant_note_read(void)
{
	static __thread int64_t last_ns __attribute__((tls_model("initial-exec")));
	static __thread int count __attribute__((tls_model("initial-exec")));
	int64_t now_ns;

	if (!participant.measures)
		return;
	now_ns = participant_now_ns();
	count = now_ns == last_ns ? count + 1 : 0;
	last_ns = now_ns;
	if (count > READS_MAX)
		participant_wait(NULL, 0, true, now_ns + READS_NS);
}

#define NO_WAITS_MAX 32
#define NO_WAIT_NS 1000

void participant_note_no_wait(void)
{
	static __thread int64_t last_ns __attribute__((tls_model("initial-exec")));
	static __thread int count __attribute__((tls_model("initial-exec")));
	int64_t now_ns = participant_now_ns();

	count = now_ns == last_ns ? count + 1 : 0;
	last_ns = now_ns;
	if (count > NO_WAITS_MAX)
		participant_wait(NULL, 0, true, now_ns + NO_WAIT_NS);
}
