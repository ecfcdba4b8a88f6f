/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-served - the live page's server: live_start.h begins it. */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/live/live_cluster.h"
#include "harness/live/live_served.h"
#include "harness/live/live_server.h"
#include "lib/clock.h"

#define TICK_MS 500
#define START_TICK_MS 100
#define PING_US 10000000
#define LINGER_US 2000000	/* for readers to hear of the end */
#define NOBODY 65534
#define MEMORY_BYTES_MAX ((rlim_t) 1 << 29)
#define FILES_MAX (LIVE_CLIENTS + 64)

struct served {
	struct live_memory *memory;
	struct live_view *view;
	struct live_server *server;
	struct live_cluster cluster;
	int owner_fd;			/* pidfd of the process it serves: the command, or a cluster's supervisor */
	uint64_t sequence;
	int64_t began_us, told_us, ended_us;	/* ended_us 0: not yet */
	struct live_state state;	/* kept here: it is large */
};

static int pidfd_of(pid_t pid)
{
	return (int) syscall(SYS_pidfd_open, pid, 0);
}

static void report(const char *text)
{
	if (write(LIVE_REPORT_FD, text, strlen(text)) < 0)
		exit(1);
	close(LIVE_REPORT_FD);
}

static void fail(const struct wt_error *error)
{
	report(error->text);
	exit(1);
}

/* ---- as little as possible ---- */

static void limit(int what, rlim_t most)
{
	struct rlimit l = { most, most };

	setrlimit(what, &l);
}

/* It is never in the way of what is measured, whatever priority that has. */
static void priority_lower(void)
{
	struct sched_param none = { 0 };

	sched_setscheduler(0, SCHED_BATCH, &none);
	setpriority(PRIO_PROCESS, 0, 19);
}

/* What is not allowed here (in a container, say) stays as it was. */
static void rights_drop(void)
{
	if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	    setresuid(NOBODY, NOBODY, NOBODY) < 0)
		_exit(1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
	/* It writes no file and begins no process: an attacker who takes it over cannot, either. */
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_NOFILE, FILES_MAX);
	limit(RLIMIT_AS, MEMORY_BYTES_MAX);
}

/* ---- start ---- */

static struct live_memory *memory_open(void)
{
	struct live_memory *memory = mmap(NULL, sizeof(*memory), PROT_READ, MAP_SHARED, LIVE_MEMORY_FD, 0);

	if (memory == MAP_FAILED || strcmp(memory->magic, LIVE_MAGIC)) {
		fputs("wt-served: begun by windtunnel for its option --serve, and of no use by itself\n", stderr);
		exit(2);
	}
	close(LIVE_MEMORY_FD);
	return memory;
}

static bool fd_ended(int fd, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, wait_ms) > 0;
}

/* A cluster's folder is there when "up" says so, and from then on the server lives as long as its supervisor. */
static void cluster_await(struct served *s)
{
	uint64_t sequence;

	while (!live_memory_get(s->memory, &s->state, &sequence) || s->state.phase == LIVE_STARTING)
		if (fd_ended(s->owner_fd, START_TICK_MS))
			break;
	if (!live_memory_get(s->memory, &s->state, &sequence) || s->state.phase != LIVE_RUNNING ||
	    chdir(s->state.folder) < 0)
		exit(0);
	live_cluster_look(&s->cluster, &s->state);
	close(s->owner_fd);
	/* The supervisor's folder is read before the rights are dropped: "nobody" may not be let in. */
	s->owner_fd = wt_proc_open(&s->cluster.supervisor, NULL);
	if (s->owner_fd < 0)
		exit(0);
}

static void server_begin(struct served *s)
{
	struct wt_error error = { "out of memory" };
	struct live_rules rules = { .host = "" };

	memcpy(rules.token, s->memory->token, sizeof(rules.token));
	if (!s->memory->loopback)
		gethostname(rules.host, sizeof(rules.host) - 1);
	s->view = live_view_create();
	s->server = s->view ? live_server_start(LIVE_LISTEN_FD, &rules, s->view, &error) : NULL;
	if (!s->server)
		fail(&error);
}

/* ---- work ---- */

static void tell(struct served *s, int64_t now_us)
{
	if (live_view_update(s->view, &s->state) == 0)
		live_server_wake(s->server);
	s->told_us = now_us;
	if (s->state.phase == LIVE_ENDED && !s->ended_us)
		s->ended_us = now_us;
}

static void run_look(struct served *s, bool owner_ended, int64_t now_us)
{
	uint64_t sequence;

	if (live_memory_get(s->memory, &s->state, &sequence) && sequence != s->sequence) {
		s->sequence = sequence;
		tell(s, now_us);
	}
	if (owner_ended && !s->ended_us) {
		s->state.phase = LIVE_ENDED;
		s->state.exit_status = LIVE_KILLED;
		tell(s, now_us);
	}
}

static void cluster_look(struct served *s, bool owner_ended, int64_t now_us)
{
	s->state.wall_s = (double) (now_us - s->began_us) / 1e6;
	if (owner_ended)
		s->state.phase = LIVE_ENDED;
	else
		live_cluster_look(&s->cluster, &s->state);
	tell(s, now_us);
}

static void look(struct served *s, bool owner_ended)
{
	int64_t now_us = wt_clock_wall_us();

	if (s->ended_us)
		return;
	if (s->state.kind == LIVE_CLUSTER)
		cluster_look(s, owner_ended, now_us);
	else
		run_look(s, owner_ended, now_us);
	if (now_us - s->told_us >= PING_US) {
		live_view_ping(s->view);
		live_server_wake(s->server);
		s->told_us = now_us;
	}
}

static bool all_told(const struct served *s)
{
	return s->ended_us &&
	       (!live_server_readers(s->server) || wt_clock_wall_us() - s->ended_us >= LINGER_US);
}

static void serve(struct served *s)
{
	struct pollfd fds[2] = { { .fd = live_server_fd(s->server), .events = POLLIN },
				 { .fd = s->owner_fd, .events = POLLIN } };
	int64_t due_us = 0;

	while (!all_told(s)) {
		int64_t left_ms = (due_us - wt_clock_wall_us()) / 1000;

		if (s->ended_us)	/* it would be readable all the time */
			fds[1].fd = -1;
		poll(fds, 2, live_server_timeout_ms(s->server, left_ms > 0 ? (int) left_ms : 0));
		if (wt_clock_wall_us() >= due_us || fds[1].revents) {
			look(s, fds[1].revents);
			due_us = wt_clock_wall_us() + TICK_MS * 1000;
		}
		live_server_work(s->server);
	}
}

int main(void)
{
	static struct served served;
	struct served *s = &served;
	bool cluster;

	s->memory = memory_open();
	signal(SIGPIPE, SIG_IGN);
	priority_lower();
	s->owner_fd = pidfd_of(s->memory->owner);
	if (s->owner_fd < 0)
		fail(&(struct wt_error){ "the command has ended" });
	cluster = s->memory->state.kind == LIVE_CLUSTER;
	if (cluster) {
		report(LIVE_REPORT_READY);
		cluster_await(s);
	}
	rights_drop();
	server_begin(s);
	if (!cluster)
		report(LIVE_REPORT_READY);
	s->began_us = wt_clock_wall_us();
	serve(s);
	live_server_stop(s->server);
	live_view_destroy(s->view);
	live_cluster_clear(&s->cluster);
	return 0;
}
