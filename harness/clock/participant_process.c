/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_process.c - the process' own slot, those of its children, and how it comes to the clock as it starts. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/clock/pace.h"
#include "harness/clock/participant.h"

static uint32_t claim_process(int32_t pid)
{
	int i = wt_shm_claim_process(participant.shm, pid);

	if (i < 0)
		participant_die("more than %d processes", WT_SHM_PROCESSES_MAX);
	return (uint32_t) i;
}

static void describe_process(void)
{
	struct wt_shm_process *p = &participant.shm->processes[participant.process];
	const char *role = getenv(WT_SHM_ROLE_ENV);

	/* After exec: its other threads are gone, however they waited. */
	atomic_fetch_add(&p->stirs, 1);
	atomic_fetch_add(&p->sends, 1);	/* and what was to be closed by exec is */
	atomic_fetch_add(&p->connects, 1);
	atomic_fetch_add(&p->pipes, 1);
	atomic_store(&p->limbo, 0);
	p->pid = getpid();
	snprintf(p->name, sizeof(p->name), "%s", program_invocation_short_name);
	p->driver = role && strcmp(role, "driver") == 0;
	p->charged = strncmp(p->name, "slurmctld", 9) == 0;
	p->trusted = p->charged || (role && strcmp(role, "nodes") == 0);
	/* These are known to use no functions but wrapped ones for what others wait for (stdio, say, only for logs). */
	p->counted = p->trusted || strcmp(p->name, "munged") == 0 || strcmp(p->name, "wt-vnoded") == 0;
	participant.charged = p->charged && participant.shm->charge == WT_CHARGE_CPU;
	/* munged lives beside the clock, and wt-vnoded does one thing at a time by itself
	 * (harness/vnode/wire/in_order.h). */
	participant.measures = participant.shm->charge == WT_CHARGE_NONE && strcmp(p->name, "mariadbd") == 0;
	participant.in_turn = participant.shm->charge == WT_CHARGE_NONE && strcmp(p->name, "munged") != 0 &&
		strcmp(p->name, "wt-vnoded") != 0;
}

/* Only when its thread has a slot: before, the coordinator knows of it as a program that is being loaded. */
static void join_clock(void)
{
	atomic_store(&participant.shm->processes[participant.process].state, WT_PROCESS_ATTACHED);
}

void participant_child_prepare(struct participant_child *child)
{
	int i;

	child->process = claim_process(getpid());
	i = wt_shm_claim_thread(participant.shm, child->process);
	if (i < 0)
		participant_die("more than %d threads", WT_SHM_THREADS_MAX);
	child->thread = &participant.shm->threads[i];
	/* With it the child sees whether the slot is still its own when it runs. */
	child->owner = atomic_load(&child->thread->owner);
	/* Drawn by the parent: of two children the one that was forked first goes first, whichever the kernel runs
	 * first. */
	child->order = participant_order_next();
}

void participant_child_failed(const struct participant_child *child)
{
	wt_shm_free_thread(participant.shm, child->thread - participant.shm->threads, child->owner);
	wt_shm_free_process(participant.shm, child->process);
}

/* The child itself says the same, and more, as soon as it runs. */
void participant_child_known(const struct participant_child *child, int32_t pid)
{
	struct wt_shm_process *p = &participant.shm->processes[child->process];
	uint32_t expected = WT_PROCESS_CLAIMED;

	/* By parent and child alike, whichever runs first: the coordinator must never see the slot of a living
	 * process with its parent's pid for long. */
	if (atomic_load(&p->state) == WT_PROCESS_CLAIMED)
		p->pid = pid;
	atomic_compare_exchange_strong(&p->state, &expected, WT_PROCESS_ATTACHED);
	atomic_fetch_add(&participant.shm->generation, 1);
}

void participant_child_start(const struct participant_child *child)
{
	/* If not: our parent was killed as soon as we were made, and the coordinator took its slots, and ours, which was not
	 * used yet. */
	bool ours = atomic_load(&child->thread->owner) == child->owner;
	participant_forget_outsiders();
	participant.process = ours ? child->process : claim_process(getpid());
	describe_process();
	participant_thread_start(ours ? child->thread : participant_thread_prepare());
	join_clock();
	participant_take_turn(child->order);
}

void participant_program_known(int32_t pid)
{
	struct wt_shm_process *p;

	/* It may have attached by itself meanwhile; should it do so just now, the coordinator drops the double. */
	if (wt_shm_find_process(participant.shm, pid) >= 0)
		return;
	p = &participant.shm->processes[claim_process(pid)];
	memcpy(p->name, participant.shm->processes[participant.process].name, sizeof(p->name));
	atomic_store(&p->state, WT_PROCESS_EXEC);
	/* A survey under way began without this process: the coordinator has to begin again. */
	atomic_fetch_add(&participant.shm->generation, 1);
}

/* A program that we have just become by exec has its old slots; one begun by popen () has none, but its parent waits. */
static void adopt_or_claim(void)
{
	int i = wt_shm_find_process(participant.shm, getpid());
	struct wt_shm_thread *own;
	int parent;

	if (i < 0) {
		participant.process = claim_process(getpid());
		parent = wt_shm_find_process(participant.shm, getppid());
		describe_process();
		participant_self();
		join_clock();
		if (parent >= 0 && atomic_fetch_sub(&participant.shm->processes[parent].spawns, 1) == 0)
			atomic_store(&participant.shm->processes[parent].spawns, 0);
		return;
	}
	participant.process = i;
	describe_process();
	/* The coordinator may hold files of the thread that this one was before exec: give it a new slot. */
	own = participant_self();
	for (uint32_t k = 0; k < participant.shm->threads_used; k++) {
		struct wt_shm_thread *t = &participant.shm->threads[k];
		uint64_t owner = atomic_load(&t->owner);

		if (t != own && wt_shm_is_of(owner, participant.process) && t->tid == getpid())
			wt_shm_free_thread(participant.shm, k, owner);
	}
	join_clock();
}

/* Another user's clock.  The lock and the mapping are of one open file: the lock lasts as long as any process has the
 * mapping. */
static void map_view(uid_t owner)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	const struct wt_view *view;
	char path[PATH_MAX];
	struct wt_error err;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s%s", participant.path, WT_VIEW_SUFFIX);
	/* The file belongs to another user: no link of his is followed, and it is never written. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0)
		participant_die("cannot open %s, for users other than the clock's own (%s is from %s): %s", path,
				participant.path,
			 WT_SHM_ENV, strerror(errno));
	if (st.st_uid != owner || (size_t) st.st_size < sizeof(struct wt_view))
		participant_die("%s is not the view of a clock of this version of Windtunnel", path);
	view = mmap(NULL, sizeof(struct wt_view), PROT_READ, MAP_SHARED, fd, 0);
	if (view == MAP_FAILED)
		participant_die("cannot map %s: %s", path, strerror(errno));
	REAL(close) (fd);
	if (wt_view_check(view, st.st_size, &err) < 0)
		participant_die("%s: %s", path, err.text);
	participant.view = view;
	participant.shown_mono_ns = participant.view->shown_mono_ns - participant.view->start_ns;
	participant.shown_boot_ns = participant.view->shown_boot_ns - participant.view->start_ns;
}

/* We are attached, and what tells so writes to the clock, when it has turned out to be one. */
static void map_clock(void)
{
	struct wt_shm *shm;
	struct wt_error err;
	struct stat st;
	int fd;

	/* Not even root takes part in another user's clock: its coordinator may not wake root's threads. */
	if (stat(participant.path, &st) == 0 && st.st_uid != geteuid()) {
		map_view(st.st_uid);
		return;
	}
	fd = open(participant.path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		participant_die("cannot open %s (from %s): %s", participant.path, WT_SHM_ENV, strerror(errno));
	if ((size_t) st.st_size < sizeof(struct wt_shm))
		participant_die("%s is not a clock of this version of Windtunnel", participant.path);
	shm = mmap(NULL, sizeof(struct wt_shm), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shm == MAP_FAILED)
		participant_die("cannot map %s: %s", participant.path, strerror(errno));
	REAL(close) (fd);
	if (wt_shm_check_header(shm, st.st_size, &err) < 0)
		participant_die("%s: %s", participant.path, err.text);
	if (atomic_load(&shm->state) != WT_SHM_READY)
		participant_die("the clock %s has ended or has not begun", participant.path);
	participant.shm = shm;
	participant.shown_mono_ns = participant.shm->shown_mono_ns - participant.shm->start_ns;
	participant.shown_boot_ns = participant.shm->shown_boot_ns - participant.shm->start_ns;
}

__attribute__((constructor)) static void attach(void)
{
	participant.path = getenv(WT_SHM_ENV);
	if (!participant.path || !*participant.path)
		return;
	participant.path = strdup(participant.path);
	if (!participant.path)
		participant_die("out of memory");
	map_clock();
	if (participant.view)
		return;
	participant.signal = participant.shm->wake_signal;
	participant_threads_init();
	/* The coordinator reads /proc/PID/syscall, which Yama would refuse to a process that is not an ancestor. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	participant_env_init(participant.path);
	participant_io_init();
	pace_init();
	adopt_or_claim();
	participant_take_turn(participant_order_next());
}
