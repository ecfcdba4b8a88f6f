/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_block.c - functions that wait without a time limit.  They would work unwrapped; the coordinator learns sooner that
 * no thread is busy.  And the two that would let our signal through. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "harness/clock/participant.h"

static void end_block(void *unused)
{
	(void) unused;
	participant_block_end();
}

/* Evaluate 'call' as blocked; a cancelled thread leaves that state, too. */
#define BLOCKED(call) BLOCKED_FOR(WT_WAIT_ANY, call)
#define BLOCKED_FOR(what, call) ({ \
	__typeof__(call) blocked_result; \
	uint64_t blocked_order = participant_order_next(); \
	participant_block_begin(what); \
	pthread_cleanup_push(end_block, NULL); \
	blocked_result = (call); \
	pthread_cleanup_pop(1); \
	participant_take_turn(blocked_order); \
	blocked_result; })

WT_EXPORT pid_t wait(int *status)
{
	return participant_attached() ? BLOCKED(REAL(wait) (status)) : REAL(wait) (status);
}

WT_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	if (!participant_attached() || (options & WNOHANG))
		return REAL(waitpid) (pid, status, options);
	return BLOCKED(REAL(waitpid) (pid, status, options));
}

WT_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	if (!participant_attached() || (options & WNOHANG))
		return REAL(wait3) (status, options, usage);
	return BLOCKED(REAL(wait3) (status, options, usage));
}

WT_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	if (!participant_attached() || (options & WNOHANG))
		return REAL(wait4) (pid, status, options, usage);
	return BLOCKED(REAL(wait4) (pid, status, options, usage));
}

/* By fcntl (2), F_SETOWN and F_SETSIG; or a terminal does. */
static bool may_files_send(const sigset_t *set)
{
	bool may = sigismember(set, SIGIO) > 0 || sigismember(set, SIGURG) > 0 || sigismember(set, SIGTTIN) > 0
		   || sigismember(set, SIGTTOU) > 0;

	for (int sig = SIGRTMIN; sig <= SIGRTMAX && !may; sig++)
		may = sigismember(set, sig) > 0;
	return may;
}

WT_EXPORT int sigwait(const sigset_t *restrict set, int *restrict sig)
{
	return participant_attached() ? BLOCKED_FOR(may_files_send(set) ? WT_WAIT_FILES : WT_WAIT_SIGNALS,
						    REAL(sigwait) (set, sig)) : REAL(sigwait) (set, sig);
}

WT_EXPORT int pthread_join(pthread_t thread, void **value)
{
	return participant_attached() ? BLOCKED_FOR(participant_wait_for_thread(thread), REAL(pthread_join) (thread, value))
				      : REAL(pthread_join) (thread, value);
}

/* A thread that is sent a signal may go on; the coordinator has to look at all threads again. */
#define SIGNALLED(call) ({ \
	participant_signal(); \
	(call); })

WT_EXPORT int kill(pid_t pid, int sig)
{
	return SIGNALLED(REAL(kill) (pid, sig));
}

WT_EXPORT int killpg(pid_t group, int sig)
{
	return SIGNALLED(REAL(killpg) (group, sig));
}

WT_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	return SIGNALLED(REAL(sigqueue) (pid, sig, value));
}

WT_EXPORT int pthread_kill(pthread_t thread, int sig)
{
	return SIGNALLED(REAL(pthread_kill) (thread, sig));
}

WT_EXPORT int pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	return SIGNALLED(REAL(pthread_sigqueue) (thread, sig, value));
}

WT_EXPORT int tgkill(pid_t pid, pid_t tid, int sig)
{
	return SIGNALLED(REAL(tgkill) (pid, tid, sig));
}

WT_EXPORT int pthread_cancel(pthread_t thread)
{
	return SIGNALLED(REAL(pthread_cancel) (thread));
}

/* Our signal stays blocked outside of our own waits, whatever mask a program sets. */
static const sigset_t *keep_blocked(int how, const sigset_t *set, sigset_t *changed)
{
	if (!participant_attached() || !set || how == SIG_BLOCK)
		return set;
	*changed = *set;
	if (how == SIG_SETMASK)
		sigaddset(changed, participant.signal);
	else
		sigdelset(changed, participant.signal);
	return changed;
}

WT_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t changed;

	return REAL(pthread_sigmask) (how, keep_blocked(how, set, &changed), old);
}

WT_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t changed;

	return REAL(sigprocmask) (how, keep_blocked(how, set, &changed), old);
}
