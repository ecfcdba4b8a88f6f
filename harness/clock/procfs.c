/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "harness/clock/procfs.h"

#define FUTEX_OPERATION(op) ((op) & 0x7f)	/* without FUTEX_PRIVATE_FLAG and the like: linux/futex.h */

/* How a call that can sleep is limited in time. */
enum limit {
	LIMIT_NONE,		/* it is not */
	LIMIT_ALWAYS,		/* it is a sleep */
	LIMIT_POINTER,		/* by what argument 'arg' points to, unless it is NULL */
	LIMIT_MS,		/* by argument 'arg' in milliseconds, unless it is negative */
	LIMIT_FUTEX,		/* by argument 3, for operations that wait */
	LIMIT_FILE,		/* none, but the call may wait for a disk just as well: see the state letter */
};

/* A call that is not in this table counts as work: then the clock may stand for too long, but does not jump too
 * early. */
static const struct sleeper {
	long number;
	enum limit limit;
	int arg;
} sleepers[] = {
	{ SYS_futex, LIMIT_FUTEX, 3 },
	{ SYS_futex_waitv, LIMIT_POINTER, 3 },
	{ SYS_ppoll, LIMIT_POINTER, 2 },
	{ SYS_epoll_pwait, LIMIT_MS, 3 },
#ifdef SYS_epoll_pwait2
	{ SYS_epoll_pwait2, LIMIT_POINTER, 3 },
#endif
	{ SYS_pselect6, LIMIT_POINTER, 4 },
#ifdef SYS_poll
	{ SYS_poll, LIMIT_MS, 2 },
	{ SYS_select, LIMIT_POINTER, 4 },
	{ SYS_epoll_wait, LIMIT_MS, 3 },
	{ SYS_pause, LIMIT_NONE, 0 },
#endif
	{ SYS_accept, LIMIT_NONE, 0 },
	{ SYS_accept4, LIMIT_NONE, 0 },
	{ SYS_recvfrom, LIMIT_NONE, 0 },
	{ SYS_recvmsg, LIMIT_NONE, 0 },
	{ SYS_sendto, LIMIT_NONE, 0 },
	{ SYS_sendmsg, LIMIT_NONE, 0 },
	{ SYS_read, LIMIT_FILE, 0 },
	{ SYS_readv, LIMIT_FILE, 0 },
	{ SYS_write, LIMIT_FILE, 0 },
	{ SYS_writev, LIMIT_FILE, 0 },
	{ SYS_splice, LIMIT_FILE, 0 },
	{ SYS_wait4, LIMIT_NONE, 0 },
	{ SYS_waitid, LIMIT_NONE, 0 },
	{ SYS_rt_sigsuspend, LIMIT_NONE, 0 },
	{ SYS_rt_sigtimedwait, LIMIT_POINTER, 2 },
	{ SYS_flock, LIMIT_NONE, 0 },
	{ SYS_nanosleep, LIMIT_ALWAYS, 0 },
	{ SYS_clock_nanosleep, LIMIT_ALWAYS, 0 },
};

int wt_procfs_parse_syscall(const char *text, struct wt_kernel_call *call)
{
	char *end;

	if (!text || !call)
		goto bad;
	memset(call, 0, sizeof(*call));
	if (strncmp(text, "running", 7) == 0) {
		call->number = WT_CALL_RUNNING;
		return 0;
	}
	errno = 0;
	call->number = strtol(text, &end, 10);
	if (end == text || errno || *end != ' ')
		goto bad;
	/* -1 in proc(5): blocked, but in no call, as by a page fault. */
	if (call->number < 0) {
		call->number = WT_CALL_NONE;
		return 0;
	}
	for (int i = 0; i < 6; i++) {
		text = end;
		call->args[i] = strtoull(text, &end, 16);
		if (end == text || errno)
			goto bad;
	}
	return 0;
bad:
	errno = EINVAL;
	return -1;
}

int wt_procfs_parse_stat(const char *text, char *state, uint64_t *start_time)
{
	/* The name, in parentheses, may hold spaces and parentheses itself: what follows the last one counts, by the
	 * fields of proc(5). */
	const char *p = text ? strrchr(text, ')') : NULL;
	char *end;

	if (!p || p[1] != ' ' || p[2] == '\0' || p[3] != ' ')
		goto bad;
	*state = p[2];
	p += 3;
	for (int field = 4; field < 22; field++) {
		p = strchr(p + 1, ' ');
		if (!p)
			goto bad;
	}
	errno = 0;
	*start_time = strtoull(p + 1, &end, 10);
	if (end == p + 1 || errno)
		goto bad;
	return 0;
bad:
	errno = EINVAL;
	return -1;
}

static enum wt_kernel_state classify_futex(const struct wt_kernel_call *call)
{
	switch (FUTEX_OPERATION(call->args[1])) {
	case 0:	/* FUTEX_WAIT */
	case 6:	/* FUTEX_LOCK_PI */
	case 9:	/* FUTEX_WAIT_BITSET */
	case 13: /* FUTEX_LOCK_PI2 */
		return call->args[3] ? WT_KERNEL_TIMED : WT_KERNEL_BLOCKED;
	default:
		return WT_KERNEL_BUSY;
	}
}

enum wt_kernel_state wt_procfs_classify(const struct wt_kernel_call *call)
{
	const struct sleeper *s = NULL;

	if (call->number == WT_CALL_RUNNING)
		return WT_KERNEL_BUSY;
	if (call->number == WT_CALL_NONE)
		return WT_KERNEL_UNSURE;
	for (size_t i = 0; i < sizeof(sleepers) / sizeof(sleepers[0]) && !s; i++)
		if (sleepers[i].number == call->number)
			s = &sleepers[i];
	if (!s)
		return WT_KERNEL_BUSY;
	switch (s->limit) {
	case LIMIT_NONE:
		return WT_KERNEL_BLOCKED;
	case LIMIT_ALWAYS:
		return WT_KERNEL_TIMED;
	case LIMIT_POINTER:
		return call->args[s->arg] ? WT_KERNEL_TIMED : WT_KERNEL_BLOCKED;
	case LIMIT_MS:
		/* An int in a register of 64 bits: its upper half says nothing. */
		return (int32_t) call->args[s->arg] < 0 ? WT_KERNEL_BLOCKED : WT_KERNEL_TIMED;
	case LIMIT_FUTEX:
		return classify_futex(call);
	case LIMIT_FILE:
		break;
	}
	return WT_KERNEL_UNSURE;
}

enum wt_kernel_state wt_procfs_classify_letter(char state)
{
	switch (state) {
	case 'S':
	case 'T':	/* stopped: goes on when it is sent SIGCONT */
		return WT_KERNEL_BLOCKED;
	case 'Z':
		return WT_KERNEL_ZOMBIE;
	case 'X':
		return WT_KERNEL_GONE;
	default:
		return WT_KERNEL_BUSY;
	}
}
