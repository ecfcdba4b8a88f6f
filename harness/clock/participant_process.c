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

#include "harness/clock/participant.h"

static uint32_t claim_process(int32_t pid)
{
	int i = wt_shm_claim_process(part.shm, pid);

	if (i < 0)
		part_die("more than %d processes", WT_SHM_PROCESSES_MAX);
	return (uint32_t) i;
}

static void describe_process(void)
{
	struct wt_shm_process *p = &part.shm->processes[part.process];
	const char *role = getenv(WT_SHM_ROLE_ENV);

	/* After exec: its other threads are gone, however they waited. */
	atomic_fetch_add(&p->stirs, 1);
	atomic_fetch_add(&p->sends, 1);	/* and what was to be closed by exec is */
	atomic_store(&p->limbo, 0);
	p->pid = getpid();
	snprintf(p->name, sizeof(p->name), "%s", program_invocation_short_name);
	p->driver = role && strcmp(role, "driver") == 0;
	p->charged = strncmp(p->name, "slurmctld", 9) == 0;
	p->trusted = p->charged || (role && strcmp(role, "nodes") == 0);
	/* These are known to use no functions but wrapped ones for what others wait for (stdio, say, only for logs). */
	p->counted = p->trusted || strcmp(p->name, "munged") == 0 || strcmp(p->name, "wt-vnoded") == 0;
	part.charged = p->charged && part.shm->charge == WT_CHARGE_CPU;
	/* munged lives beside the clock, and wt-vnoded does one thing at a time by itself
	 * (harness/vnode/wire/in_order.h). */
	part.measures = part.shm->charge == WT_CHARGE_NONE && strcmp(p->name, "mariadbd") == 0;
	part.in_turn = part.shm->charge == WT_CHARGE_NONE && strcmp(p->name, "munged") != 0 &&
		strcmp(p->name, "wt-vnoded") != 0;
}

/* Only when its thread has a slot: before, the coordinator knows of it as a program that is being loaded. */
static void join_clock(void)
{
	atomic_store(&part.shm->processes[part.process].state, WT_PROCESS_ATTACHED);
}

void part_child_prepare(struct part_child *child)
{
	int i;

	child->process = claim_process(getpid());
	i = wt_shm_claim_thread(part.shm, child->process);
	if (i < 0)
		part_die("more than %d threads", WT_SHM_THREADS_MAX);
	child->thread = &part.shm->threads[i];
	/* With it the child sees whether the slot is still its own when it runs. */
	child->owner = atomic_load(&child->thread->owner);
	/* Drawn by the parent: of two children the one that was forked first goes first, whichever the kernel runs
	 * first. */
	child->order = part_order_next();
}

void part_child_failed(const struct part_child *child)
{
	wt_shm_free_thread(part.shm, child->thread - part.shm->threads, child->owner);
	wt_shm_free_process(part.shm, child->process);
}

/* The child itself says the same, and more, as soon as it runs. */
void part_child_known(const struct part_child *child, int32_t pid)
{
	struct wt_shm_process *p = &part.shm->processes[child->process];
	uint32_t expected = WT_PROCESS_CLAIMED;

	/* By parent and child alike, whichever runs first: the coordinator must never see the slot of a living
	 * process with its parent's pid for long. */
	if (atomic_load(&p->state) == WT_PROCESS_CLAIMED)
		p->pid = pid;
	atomic_compare_exchange_strong(&p->state, &expected, WT_PROCESS_ATTACHED);
	atomic_fetch_add(&part.shm->generation, 1);
}

void part_child_start(const struct part_child *child)
{
	/* If not: our parent was killed as soon as we were made, and the coordinator took its slots, and ours, which was not
	 * used yet. */
	bool ours = atomic_load(&child->thread->owner) == child->owner;
	part_forget_outsiders();
	part.process = ours ? child->process : claim_process(getpid());
	describe_process();
	part_thread_start(ours ? child->thread : part_thread_prepare());
	join_clock();
	part_take_turn(child->order);
}

void part_program_known(int32_t pid)
{
	struct wt_shm_process *p;

	/* It may have attached by itself meanwhile; should it do so just now, the coordinator drops the double. */
	if (wt_shm_find_process(part.shm, pid) >= 0)
		return;
	p = &part.shm->processes[claim_process(pid)];
	memcpy(p->name, part.shm->processes[part.process].name, sizeof(p->name));
	atomic_store(&p->state, WT_PROCESS_EXEC);
	/* A survey under way began without this process: the coordinator has to begin again. */
	atomic_fetch_add(&part.shm->generation, 1);
}

/* A program that we have just become by exec has its old slots; one begun by popen () has none, but its parent waits. */
static void adopt_or_claim(void)
{
	int i = wt_shm_find_process(part.shm, getpid());
	struct wt_shm_thread *own;
	int parent;

	if (i < 0) {
		part.process = claim_process(getpid());
		parent = wt_shm_find_process(part.shm, getppid());
		describe_process();
		part_self();
		join_clock();
		if (parent >= 0 && atomic_fetch_sub(&part.shm->processes[parent].spawns, 1) == 0)
			atomic_store(&part.shm->processes[parent].spawns, 0);
		return;
	}
	part.process = i;
	describe_process();
	/* The coordinator may hold files of the thread that this one was before exec: give it a new slot. */
	own = part_self();
	for (uint32_t k = 0; k < part.shm->threads_used; k++) {
		struct wt_shm_thread *t = &part.shm->threads[k];
		uint64_t owner = atomic_load(&t->owner);

		if (t != own && wt_shm_is_of(owner, part.process) && t->tid == getpid())
			wt_shm_free_thread(part.shm, k, owner);
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

	snprintf(path, sizeof(path), "%s%s", part.path, WT_VIEW_SUFFIX);
	/* The file belongs to another user: no link of his is followed, and it is never written. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0 || fcntl(fd, F_OFD_SETLK, &lock) < 0)
		part_die("cannot open %s, for users other than the clock's own (%s is from %s): %s", path, part.path,
			 WT_SHM_ENV, strerror(errno));
	if (st.st_uid != owner || (size_t) st.st_size < sizeof(struct wt_view))
		part_die("%s is not the view of a clock of this version of Windtunnel", path);
	view = mmap(NULL, sizeof(struct wt_view), PROT_READ, MAP_SHARED, fd, 0);
	if (view == MAP_FAILED)
		part_die("cannot map %s: %s", path, strerror(errno));
	REAL(close) (fd);
	if (wt_view_check(view, st.st_size, &err) < 0)
		part_die("%s: %s", path, err.text);
	part.view = view;
	part.shown_mono_ns = part.view->shown_mono_ns - part.view->start_ns;
	part.shown_boot_ns = part.view->shown_boot_ns - part.view->start_ns;
}

/* We are attached, and what tells so writes to the clock, when it has turned out to be one. */
static void map_clock(void)
{
	struct wt_shm *shm;
	struct wt_error err;
	struct stat st;
	int fd;

	/* Not even root takes part in another user's clock: its coordinator may not wake root's threads. */
	if (stat(part.path, &st) == 0 && st.st_uid != geteuid()) {
		map_view(st.st_uid);
		return;
	}
	fd = open(part.path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		part_die("cannot open %s (from %s): %s", part.path, WT_SHM_ENV, strerror(errno));
	if ((size_t) st.st_size < sizeof(struct wt_shm))
		part_die("%s is not a clock of this version of Windtunnel", part.path);
	shm = mmap(NULL, sizeof(struct wt_shm), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shm == MAP_FAILED)
		part_die("cannot map %s: %s", part.path, strerror(errno));
	REAL(close) (fd);
	if (wt_shm_check_header(shm, st.st_size, &err) < 0)
		part_die("%s: %s", part.path, err.text);
	if (atomic_load(&shm->state) != WT_SHM_READY)
		part_die("the clock %s has ended or has not begun", part.path);
	part.shm = shm;
	part.shown_mono_ns = part.shm->shown_mono_ns - part.shm->start_ns;
	part.shown_boot_ns = part.shm->shown_boot_ns - part.shm->start_ns;
}

__attribute__((constructor)) static void attach(void)
{
	part.path = getenv(WT_SHM_ENV);
	if (!part.path || !*part.path)
		return;
	part.path = strdup(part.path);
	if (!part.path)
		part_die("out of memory");
	map_clock();
	if (part.view)
		return;
	part.signal = part.shm->wake_signal;
	part_threads_init();
	/* The coordinator reads /proc/PID/syscall, which Yama would refuse to a process that is not an ancestor. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	part_env_init(part.path);
	part_io_init();
	adopt_or_claim();
	part_take_turn(part_order_next());
}
