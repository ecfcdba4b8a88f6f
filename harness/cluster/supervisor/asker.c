/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/supervisor/asker.h"

void asker_init(struct asker *a, struct ev_loop *loop, void (*told)(struct asker *a),
		void (*ended)(struct asker *a, int status), void *owner)
{
	*a = (struct asker) { .loop = loop, .told = told, .ended = ended, .owner = owner, .fd = -1 };
}

static void told_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct asker *a = w->data;

	(void) loop;
	(void) revents;
	a->told(a);
}

void asker_deafen(struct asker *a)
{
	if (a->fd < 0)
		return;
	ev_io_stop(a->loop, &a->io);
	close(a->fd);
	a->fd = -1;
}

static void ended_cb(struct ev_loop *loop, ev_child *w, int revents)
{
	struct asker *a = w->data;

	(void) revents;
	ev_child_stop(loop, w);
	/* A pid that has been waited for may be another process' next: it must not be signalled any more. */
	a->pid = 0;
	if (a->fd >= 0)		/* its last words may still be in the pipe */
		a->told(a);
	asker_deafen(a);
	a->ended(a, w->rstatus);
}

static void child_live(const struct asker *a, void (*run)(const struct asker *a, int fd), pid_t parent, int fd)
{
	/* The parent may have ended between fork and prctl: hence the look at getppid () below. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* libev's handler came with fork () and would only wake a loop that does not run here. */
	signal(SIGTERM, SIG_DFL);
	if (getppid() == parent)
		run(a, fd);
	_exit(1);
}

static void watch(struct asker *a)
{
	ev_child_init(&a->child, ended_cb, a->pid, 0);
	a->child.data = a;
	ev_child_start(a->loop, &a->child);
	ev_io_init(&a->io, told_cb, a->fd, EV_READ);
	a->io.data = a;
	ev_io_start(a->loop, &a->io);
}

int asker_start(struct asker *a, void (*run)(const struct asker *a, int fd), struct wt_error *errp)
{
	pid_t parent = getpid(), pid;
	int fds[2], errnum;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "a pipe");
	/* The parent's loop reads, and must not wait for the rest of something. */
	pid = fcntl(fds[0], F_SETFL, O_NONBLOCK) < 0 ? -1 : fork();
	if (pid == 0)
		child_live(a, run, parent, fds[1]);
	errnum = errno;
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return wt_error_errno(errp, errnum, "a process that asks slurmctld");
	}
	a->pid = pid;
	a->fd = fds[0];
	watch(a);
	return 0;
}

ssize_t asker_read(struct asker *a, void *bytes, size_t size)
{
	ssize_t n = read(a->fd, bytes, size);

	/* Its end: a pipe without writers stays readable, and the loop would spin. */
	if (n == 0)
		ev_io_stop(a->loop, &a->io);
	return n;
}

void asker_kill(const struct asker *a)
{
	if (a->pid > 0)
		kill(a->pid, SIGKILL);
}

void asker_clear(struct asker *a)
{
	if (a->pid > 0) {
		asker_kill(a);
		waitpid(a->pid, NULL, 0);
		ev_child_stop(a->loop, &a->child);
		a->pid = 0;
	}
	asker_deafen(a);
}
