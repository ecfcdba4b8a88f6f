/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_poll.c - functions that wait for files, perhaps until some time.
 *
 * A timed wait blocks in the kernel for PART_LIVENESS_S at most; the coordinator ends it with a signal that is blocked
 * except inside these calls, so that none can be lost between our last look at the clock and the kernel's sleep. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "harness/clock/participant.h"

#define NO_DEADLINE INT64_MAX

struct poll_args {
	struct pollfd *fds;
	nfds_t count;
};

/* One kind of wait: 'call' waits for at most 'timeout' (NULL: for ever) under 'mask', and returns as ppoll () does. */
struct waiter {
	int (*call)(void *arg, const struct timespec *timeout, const sigset_t *mask);
	void *arg;
	const sigset_t *mask;	/* the caller's; NULL: the thread's */
	bool beside;		/* for munged, which lives beside the clock */
	const struct poll_args *files;	/* that it waits for; NULL: not known here */
};

static void end_wait(void *unused)
{
	(void) unused;
	participant_block_end();
}

static void open_mask(const sigset_t *mask, sigset_t *open)
{
	if (mask)
		*open = *mask;
	else
		pthread_sigmask(SIG_BLOCK, NULL, open);
	sigdelset(open, participant.signal);
}

static int wait_timed(const struct waiter *w, uint32_t gen)
{
	static const struct timespec liveness = { .tv_sec = PART_LIVENESS_S };
	static const struct timespec none;
	sigset_t mask;

	open_mask(w->mask, &mask);
	for (;;) {
		int rc;

		participant_signal_taken();
		if (participant_wait_over(gen)) {
			rc = w->call(w->arg, &none, &mask);
			if (rc < 0 && errno == EINTR && participant_signal_taken())
				continue;	/* the coordinator has sent it twice */
			return rc;
		}
		rc = w->call(w->arg, &liveness, &mask);
		if (rc > 0)
			return rc;
		if (rc == 0)
			participant_check_coordinator();
		else if (errno != EINTR || !participant_signal_taken())
			return rc;
	}
}

static __thread int64_t hint_ns __attribute__((tls_model("initial-exec")));

void participant_hint(int64_t deadline_ns)
{
	hint_ns = deadline_ns;
}

static int64_t deadline_of(int64_t timeout_ns)
{
	int64_t deadline_ns = participant_add_ns(participant_now_ns(), timeout_ns);

	if (hint_ns > 0 && hint_ns < deadline_ns)
		deadline_ns = hint_ns;
	hint_ns = 0;
	return deadline_ns;
}

static int look(const struct waiter *w)
{
	static const struct timespec none;

	hint_ns = 0;
	return w->call(w->arg, &none, w->mask);
}

static int block(const struct waiter *w, int64_t timeout_ns)
{
	enum wt_wait_for wait_for = w->files ? participant_wait_for_files(w->files->fds, w->files->count) : WT_WAIT_FILES;
	uint32_t gen;
	int rc;

	if (timeout_ns < 0) {
		hint_ns = 0;
		participant_block_begin(wait_for);
	} else {
		gen = participant_wait_begin(deadline_of(timeout_ns), WT_WAKE_SIGNAL, wait_for);
	}
	pthread_cleanup_push(end_wait, NULL);
	rc = timeout_ns < 0 ? w->call(w->arg, NULL, w->mask) : wait_timed(w, gen);
	pthread_cleanup_pop(1);
	return rc;
}

/* Where threads take turns: what is there already is not just being sent. */
static int block_and_take_turn(const struct waiter *w, int64_t timeout_ns)
{
	int64_t hint_kept_ns = hint_ns;
	uint64_t order;
	int rc = look(w);

	if (rc != 0)
		return rc;
	hint_ns = hint_kept_ns;
	order = participant_order_next();
	rc = block(w, timeout_ns);
	if (rc != 0)
		participant_take_turn(order);
	return rc;
}

/* 'timeout_ns' < 0: for ever. */
static int wait_for(const struct waiter *w, int64_t timeout_ns)
{
	int rc;

	if (timeout_ns != 0)
		return participant.in_turn && !w->beside ? block_and_take_turn(w, timeout_ns) : block(w, timeout_ns);
	rc = look(w);
	if (rc == 0)
		participant_note_no_wait();
	return rc;
}

static int64_t ms_ns(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : timeout_ms * 1000000LL;
}

static int64_t limit_ns(const struct timespec *timeout)
{
	return timeout ? participant_timespec_ns(timeout) : -1;
}

/* What is none the kernel refuses (EINVAL); here a negative one would be to wait for ever. */
static bool is_time(const struct timespec *timeout)
{
	return !timeout || (timeout->tv_sec >= 0 && timeout->tv_nsec >= 0 && timeout->tv_nsec < WT_NS_PER_S);
}

static int call_poll(void *arg, const struct timespec *timeout, const sigset_t *mask)
{
	struct poll_args *a = arg;

	return REAL(ppoll) (a->fds, a->count, timeout, mask);
}

/* Not inlined: poll () is declared as if it did not read the array. */
static __attribute__((noinline)) bool is_beside(const struct poll_args *a)
{
	return a->count == 1 && participant_is_beside(a->fds->fd);
}

WT_EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct poll_args args = { fds, count };
	struct waiter w = { .call = call_poll, .arg = &args, .files = &args };

	if (!participant_attached())
		return REAL(poll) (fds, count, timeout_ms);
	w.beside = is_beside(&args);
	return wait_for(&w, ms_ns(timeout_ms));
}

WT_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask)
{
	struct poll_args args = { fds, count };
	struct waiter w = { .call = call_poll, .arg = &args, .mask = mask, .files = &args };

	if (!participant_attached() || !is_time(timeout))
		return REAL(ppoll) (fds, count, timeout, mask);
	w.beside = is_beside(&args);
	return wait_for(&w, limit_ns(timeout));
}

/* What programs compiled with _FORTIFY_SOURCE call. */
int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t len);
int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t len);

WT_EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int timeout_ms, size_t len)
{
	if (!participant_attached() || len / sizeof(*fds) < count)
		return REAL(__poll_chk) (fds, count, timeout_ms, len);
	return poll(fds, count, timeout_ms);
}

WT_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask, size_t len)
{
	if (!participant_attached() || len / sizeof(*fds) < count)
		return REAL(__ppoll_chk) (fds, count, timeout, mask, len);
	return ppoll(fds, count, timeout, mask);
}

struct select_args {
	int count;
	fd_set *sets[3], wanted[3];
};

static int call_select(void *arg, const struct timespec *timeout, const sigset_t *mask)
{
	struct select_args *a = arg;

	/* Each attempt overwrites the sets. */
	for (int i = 0; i < 3; i++)
		if (a->sets[i])
			*a->sets[i] = a->wanted[i];
	return REAL(pselect) (a->count, a->sets[0], a->sets[1], a->sets[2], timeout, mask);
}

static int select_ns(int count, fd_set *in, fd_set *out, fd_set *except, int64_t timeout_ns, const sigset_t *mask)
{
	struct select_args args = { .count = count, .sets = { in, out, except } };
	struct waiter w = { .call = call_select, .arg = &args, .mask = mask };

	for (int i = 0; i < 3; i++)
		if (args.sets[i])
			args.wanted[i] = *args.sets[i];
	return wait_for(&w, timeout_ns);
}

WT_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *timeout)
{
	int64_t began_ns, left_ns, timeout_ns = -1;
	int rc;

	if (!participant_attached() || count < 0 || count > FD_SETSIZE ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0)))
		return REAL(select) (count, in, out, except, timeout);
	if (timeout)
		timeout_ns = timeout->tv_sec * WT_NS_PER_S + timeout->tv_usec * 1000;
	began_ns = participant_now_ns();
	rc = select_ns(count, in, out, except, timeout_ns, NULL);
	if (timeout) {	/* Linux tells what was left */
		left_ns = timeout_ns - (participant_now_ns() - began_ns);
		if (left_ns < 0)
			left_ns = 0;
		timeout->tv_sec = left_ns / WT_NS_PER_S;
		timeout->tv_usec = left_ns % WT_NS_PER_S / 1000;
	}
	return rc;
}

WT_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *timeout,
		      const sigset_t *mask)
{
	if (!participant_attached() || count < 0 || count > FD_SETSIZE || !is_time(timeout))
		return REAL(pselect) (count, in, out, except, timeout, mask);
	return select_ns(count, in, out, except, limit_ns(timeout), mask);
}

struct epoll_args {
	int fd, count;
	struct epoll_event *events;
};

static int call_epoll(void *arg, const struct timespec *timeout, const sigset_t *mask)
{
	struct epoll_args *a = arg;
	int timeout_ms = timeout ? timeout->tv_sec * 1000 + timeout->tv_nsec / 1000000 : -1;

	return REAL(epoll_pwait) (a->fd, a->events, a->count, timeout_ms, mask);
}

static int epoll_ns(int fd, struct epoll_event *events, int count, int64_t timeout_ns, const sigset_t *mask)
{
	struct epoll_args args = { fd, count, events };
	struct waiter w = { .call = call_epoll, .arg = &args, .mask = mask };

	return wait_for(&w, timeout_ns);
}

WT_EXPORT int epoll_wait(int fd, struct epoll_event *events, int count, int timeout_ms)
{
	if (!participant_attached())
		return REAL(epoll_wait) (fd, events, count, timeout_ms);
	return epoll_ns(fd, events, count, ms_ns(timeout_ms), NULL);
}

WT_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *mask)
{
	if (!participant_attached())
		return REAL(epoll_pwait) (fd, events, count, timeout_ms, mask);
	return epoll_ns(fd, events, count, ms_ns(timeout_ms), mask);
}

WT_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int count, const struct timespec *timeout,
			   const sigset_t *mask)
{
	if (!participant_attached() || !is_time(timeout))
		return REAL(epoll_pwait2) (fd, events, count, timeout, mask);
	return epoll_ns(fd, events, count, limit_ns(timeout), mask);
}
