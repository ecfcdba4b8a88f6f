/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which real nodes have registered since they got power: a slurmd tells nobody that slurmctld has taken its registration,
 * but slurmctld tells when the slurmd began that it has heard of last.
 *
 * A child asks, as on the way up (supervisor_start.c): so the supervisor never waits for slurmctld, and keeps none of
 * libslurm's memory.  It knows what was awaited when it began, writes the numbers of those that it found, and ends; the next
 * one looks for the rest. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/supervisor/nodestates.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "lib/clock.h"

#define PAUSE_FIRST_US 100000
#define PAUSE_MAX_US 1000000

struct sup_registered {
	void (*heard)(struct sup *sup, uint32_t node);
	int64_t *since_s;	/* of each node; 0: it is not awaited */
	uint32_t awaited;
	bool more;		/* the child does not know of all that are */
	pid_t pid;		/* 0: none runs */
	int fd;
	ev_io io;
	ev_child child;
};

/* ---- the child ---- */

static bool nodes_look(const struct sup_registered *r, uint32_t count, int fd)
{
	node_info_msg_t *msg = NULL;
	bool found = false;

	if (slurm_load_node(0, &msg, SHOW_ALL) != SLURM_SUCCESS)
		return false;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const node_info_t *node = &msg->node_array[i];
		uint32_t number;

		if (!node->name || sscanf(node->name, "n%" SCNu32, &number) != 1 || number >= count || !r->since_s[number] ||
		    node->slurmd_start_time < r->since_s[number])
			continue;
		/* The supervisor reads while we write: what is more than a pipe holds is waited for. */
		if (write(fd, &number, sizeof(number)) != sizeof(number))
			_exit(1);
		found = true;
	}
	slurm_free_node_info_msg(msg);
	return found;
}

static void child_run(const struct sup *sup, const char *conf, int fd)
{
	const struct wt_clock *clock = wt_clock_own();
	int64_t pause_us = PAUSE_FIRST_US;

	wt_nodestates_init(conf);
	do {
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + pause_us);
		pause_us = pause_us * 2 < PAUSE_MAX_US ? pause_us * 2 : PAUSE_MAX_US;
	} while (!nodes_look(sup->registered_nodes, sup->info.nodes, fd));
	_exit(0);
}

/* ---- the supervisor ---- */

static void await_set(struct sup_registered *r, uint32_t node, int64_t since_s)
{
	r->awaited = r->awaited + (since_s != 0) - (r->since_s[node] != 0);
	r->since_s[node] = since_s;
}

static void numbers_read(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;
	uint32_t numbers[256];
	ssize_t n;

	/* Whole ones: each was written at once, and is shorter than PIPE_BUF. */
	while ((n = read(r->fd, numbers, sizeof(numbers))) > 0)
		for (size_t i = 0; i < (size_t) n / sizeof(numbers[0]); i++) {
			/* Switched off meanwhile, it is not awaited any more. */
			if (numbers[i] >= sup->info.nodes || !r->since_s[numbers[i]])
				continue;
			await_set(r, numbers[i], 0);
			r->heard(sup, numbers[i]);
		}
	/* Its end: a pipe without writers stays readable, and the loop would spin. */
	if (n == 0)
		ev_io_stop(sup->loop, &r->io);
}

static void numbers_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	(void) loop;
	(void) revents;
	numbers_read(w->data);
}

static void child_forget(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;

	ev_io_stop(sup->loop, &r->io);
	ev_child_stop(sup->loop, &r->child);
	close(r->fd);
	r->pid = 0;
}

static void child_ended_cb(struct ev_loop *loop, ev_child *w, int revents)
{
	struct sup *sup = w->data;

	(void) loop;
	(void) revents;
	numbers_read(sup);	/* its last words may still be in the pipe */
	child_forget(sup);
	if (sup->registered_nodes->awaited)
		sup->registered_nodes->more = true;
	sup_registered_look(sup);
}

static int child_fork(struct sup *sup, const char *conf)
{
	struct sup_registered *r = sup->registered_nodes;
	pid_t self = getpid();
	int fds[2];

	if (!conf || pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	r->pid = fork();
	if (r->pid == 0) {
		/* The parent may have ended between fork and prctl: hence the look at getppid () below. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* libev's handler came with fork () and would only wake a loop that does not run here. */
		signal(SIGTERM, SIG_DFL);
		if (getppid() == self)
			child_run(sup, conf, fds[1]);
		_exit(1);
	}
	close(fds[1]);
	r->fd = fds[0];
	if (r->pid > 0 && fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0)
		return 0;
	close(fds[0]);
	if (r->pid > 0)
		kill(r->pid, SIGKILL);
	r->pid = 0;
	return -1;
}

static void child_start(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;
	char *conf = wt_clusterinfo_path(&sup->info, "slurm.conf");

	r->more = false;
	if (child_fork(sup, conf) < 0) {
		sup_log(sup, "who registers is not known: %s", strerror(errno));
		r->more = true;		/* with the next that is switched on */
	} else {
		ev_child_init(&r->child, child_ended_cb, r->pid, 0);
		r->child.data = sup;
		ev_child_start(sup->loop, &r->child);
		ev_io_init(&r->io, numbers_cb, r->fd, EV_READ);
		r->io.data = sup;
		ev_io_start(sup->loop, &r->io);
	}
	free(conf);
}

int sup_registered_init(struct sup *sup, void (*heard)(struct sup *sup, uint32_t node), struct wt_error *errp)
{
	struct sup_registered *r = calloc(1, sizeof(*r));

	sup->registered_nodes = r;
	if (!r || !(r->since_s = calloc((size_t) sup->info.nodes + 1, sizeof(*r->since_s))))
		return wt_error_errno(errp, ENOMEM, "supervisor");
	r->heard = heard;
	return 0;
}

void sup_registered_await(struct sup *sup, uint32_t node, int64_t since_s)
{
	if (!sup->registered_nodes)	/* all ends */
		return;
	await_set(sup->registered_nodes, node, since_s);
	if (since_s)
		sup->registered_nodes->more = true;
}

void sup_registered_look(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;

	if (!r || !r->more || sup->stopping)
		return;
	if (r->pid)
		kill(r->pid, SIGKILL);	/* the next one, which begins at its end, knows them all */
	else if (r->awaited)
		child_start(sup);
}

void sup_registered_clear(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;

	if (!r)
		return;
	if (r->pid) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
		child_forget(sup);
	}
	free(r->since_s);
	free(r);
	sup->registered_nodes = NULL;
}
