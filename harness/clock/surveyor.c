/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/clock/surveyor_private.h"
#include "harness/clock/procfs.h"

/* A thread that reads the clock so often, in so long a time, waits for it to pass: an event costs slurmctld or wt-vnoded
 * several readings, but at least 20 us. */
#define SPIN_READS_PER_MS 200
#define SPIN_MS 100
/* A process that computes has used so much CPU time in so long, even where it has to wait for CPUs. */
#define COMPUTING_WINDOW_NS 2000000000LL
#define COMPUTING_LEAST_NS 1000000LL

struct wt_surveyor *wt_surveyor_create(struct wt_shm *shm, struct wt_error *errp)
{
	struct wt_surveyor *v = calloc(1, sizeof(*v));

	if (!v) {
		wt_error_errno(errp, errno, "virtual clock");
		return NULL;
	}
	v->shm = shm;
	v->view_fd = -1;
	v->hot = v->sleepy = v->expected = WT_ADVANCE_NOBODY;
	for (int i = 0; i < WT_SHM_THREADS_MAX; i++)
		wt_thread_file_init(&v->threads[i], 0, 0, false);
	return v;
}

void wt_surveyor_destroy(struct wt_surveyor *v)
{
	int saved = errno;

	if (!v)
		return;
	for (int i = 0; i < WT_SHM_THREADS_MAX; i++)
		wt_thread_file_close(&v->threads[i]);
	wt_helpers_clear(&v->helpers);
	free(v);
	errno = saved;
}

int wt_surveyor_watch(struct wt_surveyor *v, pid_t pid, struct wt_error *errp)
{
	return wt_helpers_add(&v->helpers, pid, errp);
}

void wt_surveyor_watch_kernel(struct wt_surveyor *v)
{
	wt_helpers_add_kernel(&v->helpers);
}

void wt_surveyor_watch_guests(struct wt_surveyor *v, int fd)
{
	v->view_fd = fd;
}

static bool process_cpu_ns(struct wt_process_clock *c, int32_t pid, int64_t *ns)
{
	struct timespec ts;

	/* The id of a CPU clock is made of the pid alone: made once for each process, since this runs at each survey. */
	if (c->pid != pid && clock_getcpuclockid(pid, &c->clock) != 0)
		return false;
	if (c->pid != pid) {
		/* A slot with another process: what was proved of the last one says nothing of it. */
		c->proved_ns = -1;
		c->driving_ns = 0;
	}
	c->pid = pid;
	if (clock_gettime(c->clock, &ts) != 0) {
		c->pid = 0;
		return false;
	}
	*ns = c->ns = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	return true;
}

/* Free what belonged to a process that is gone: no other process does that. */
static void bury(struct wt_surveyor *v, uint32_t process)
{
	v->files_ended = true;
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm); i++) {
		uint64_t owner = atomic_load(&v->shm->threads[i].owner);

		if (wt_shm_is_of(owner, process) && wt_shm_free_thread(v->shm, i, owner))
			wt_thread_file_close(&v->threads[i]);
	}
	wt_shm_free_process(v->shm, process);
}

/* A program that was begun by posix_spawn () may have registered itself before its parent could: then it has two slots. */
static bool is_double(const struct wt_surveyor *v, uint32_t process)
{
	const struct wt_shm_process *p = v->shm->processes;

	for (uint32_t i = 0; i < wt_shm_processes_used(v->shm); i++)
		if (i != process && p[i].pid == p[process].pid && atomic_load(&p[i].state) == WT_PROCESS_ATTACHED)
			return true;
	return false;
}

static void note(const struct wt_surveyor *v, struct wt_survey *s, enum wt_unrest unrest, uint32_t slot)
{
	/* The first reason that is found is the survey's: one is enough to know that the clock may not jump. */
	if (s->unrest != WT_UNREST_NONE)
		return;
	s->unrest = unrest;
	s->slot = slot;
	s->passing = unrest == WT_UNREST_CHANGED || unrest == WT_UNREST_HELPER
		     || (unrest == WT_UNREST_THREAD && surveyor_is_passing(v, slot));
}

/* A program that has not attached yet: a stranger, or one that is still being loaded, which takes long where CPUs are
 * scarce. */
static void look_at_program(struct wt_surveyor *v, struct wt_survey *s, uint32_t process)
{
	enum wt_kernel_state kernel = wt_process_look(v->shm->processes[process].pid);

	if (is_double(v, process) || kernel == WT_KERNEL_GONE || kernel == WT_KERNEL_ZOMBIE) {
		v->files_ended = true;
		wt_shm_free_process(v->shm, process);
		return;
	}
	if (s->unrest == WT_UNREST_NONE)
		s->works = kernel == WT_KERNEL_BUSY;
	note(v, s, WT_UNREST_STRANGER, process);
}

/* Whatever helpers do: they do not wait for a participant, or they would be quiet. */
static void note_helpers(const struct wt_surveyor *v, struct wt_survey *s)
{
	s->works = true;
	note(v, s, WT_UNREST_HELPER, 0);
}

/* A driver that has ended drives nothing, though its parent may not fetch it for long: srun leaves a child behind, which
 * only init fetches.  It is looked at when it has run since it was last seen alive. */
static bool is_driving(struct wt_surveyor *v, uint32_t process, int64_t cpu_ns)
{
	const struct wt_shm_process *p = &v->shm->processes[process];
	struct wt_process_clock *c = &v->clocks[process];

	if (!p->driver)
		return false;
	if (c->driving_ns != cpu_ns + 1)
		c->driving_ns = wt_process_is_over(p->pid) ? -1 : cpu_ns + 1;
	return c->driving_ns > 0;
}

static void add_doings(struct wt_surveyor *v, const struct wt_shm_process *p)
{
	v->doings.sends += atomic_load(&p->sends);
	v->doings.connects += atomic_load(&p->connects);
	v->doings.pipes += atomic_load(&p->pipes);
}

/* Sum of all CPU clocks; counts drivers and notices what processes are in. */
static int64_t look_at_processes(struct wt_surveyor *v, struct wt_survey *s)
{
	int64_t sum_ns = 0, ns;

	v->others_still = true;
	v->doings = (struct wt_doings) { 0 };
	s->drivers = s->outsiders = 0;
	v->processes = 0;
	for (uint32_t i = 0; i < wt_shm_processes_used(v->shm); i++) {
		struct wt_shm_process *p = &v->shm->processes[i];
		uint32_t state = atomic_load(&p->state);

		if (state == WT_PROCESS_FREE)
			continue;
		v->counts.clocks++;
		/* A process that was killed frees no slot. Its CPU clock is gone with it: the cheapest sign of that. */
		if (!process_cpu_ns(&v->clocks[i], p->pid, &ns)) {
			bury(v, i);
			continue;
		}
		if (state == WT_PROCESS_CLAIMED)	/* pid is its parent's */
			continue;
		sum_ns += ns;
		add_doings(v, p);
		/* A process whose CPU clock stands has written to no file either; one that counts its sends says so
		 * itself. */
		v->others_still &= p->counted || ns == v->clocks[i].proved_ns;
		v->processes++;
		s->drivers += is_driving(v, i, ns);
		s->outsiders += atomic_load(&p->outsiders);
		if (state == WT_PROCESS_EXEC)
			look_at_program(v, s, i);
		else if (atomic_load(&p->spawns) > 0)
			note(v, s, WT_UNREST_STRANGER, i);
		else if (atomic_load(&p->outsiders) > 0)
			note(v, s, WT_UNREST_OUTSIDER, i);
	}
	v->others_still &= !v->files_ended;
	return sum_ns;
}

static void note_activity(struct wt_surveyor *v, struct wt_survey *s, uint32_t i, uint64_t owner,
			  const struct wt_seen_thread *seen)
{
	switch (wt_thread_activity(seen)) {
	case WT_ACTIVITY_QUIET:
		break;
	case WT_ACTIVITY_BUSY:
		note(v, s, WT_UNREST_THREAD, i);
		/* It was woken and does not run yet: the wake may have reached it before it slept, so the coordinator
		 * has to wake it again. */
		if (seen->woken && seen->kernel == WT_KERNEL_BLOCKED)
			v->sleepy = i;
		break;
	case WT_ACTIVITY_REAL_WAIT:
		note(v, s, WT_UNREST_REAL_WAIT, i);
		break;
	case WT_ACTIVITY_DEAD:
		if (seen->kernel != WT_KERNEL_GONE)
			break;
		/* One that has not said that it leaves has taken its process with it, or was taken: who waits for that may
		 * have been passed over by this look. */
		if (seen->state != WT_SLOT_LEAVING) {
			v->files_ended = true;
			note(v, s, WT_UNREST_CHANGED, 0);
		}
		if (wt_shm_free_thread(v->shm, i, owner))
			wt_thread_file_close(&v->threads[i]);
		break;
	}
}

/* The thread that 't' waits for has not begun to end. */
static bool is_joined_there(const struct wt_surveyor *v, const struct wt_shm_thread *t)
{
	const struct wt_shm_thread *joined = &v->shm->threads[t->joined % WT_SHM_THREADS_MAX];

	return atomic_load(&joined->owner) == t->joined_owner && !atomic_load(&joined->left);
}

/* Nothing has happened since all was proved quiet that could end such a wait of 't'. */
static bool is_still(const struct wt_surveyor *v, enum wt_wait_for wait_for, const struct wt_shm_thread *t)
{
	switch (wait_for) {
	case WT_WAIT_FILES:
		return v->files_still;
	case WT_WAIT_CLIENTS:
		return v->others_still && v->doings.connects == v->proved.connects;
	case WT_WAIT_PIPES:
		return v->others_still && v->doings.pipes == v->proved.pipes;
	case WT_WAIT_SIGNALS:
		return v->others_still;
	case WT_WAIT_THREAD:	/* a child's end may run a handler in any thread */
		return !v->files_ended && is_joined_there(v, t);
	default:
		return false;
	}
}

/* Is it still in the wait in which it was proved asleep?  'now' gets what it is compared with; read before the thread is
 * looked at. */
static bool is_settled(const struct wt_surveyor *v, uint32_t i, enum wt_slot_state state, struct wt_settled *now)
{
	const struct wt_shm_thread *t = &v->shm->threads[i];
	const struct wt_shm_process *p = &v->shm->processes[t->process % WT_SHM_PROCESSES_MAX];
	const struct wt_settled *then = &v->threads[i].settled;
	uint32_t wait_for = atomic_load(&t->wait_for);

	*now = (struct wt_settled) {
		.candidate = wait_for != WT_WAIT_ANY && (state == WT_SLOT_WAITING || state == WT_SLOT_BLOCKED),
		.gen = atomic_load(&t->wait_gen), .signals = atomic_load(&v->shm->signals), .stirs = atomic_load(&p->stirs),
	};
	if (!then->yes || !now->candidate || then->gen != now->gen || then->signals != now->signals
	    || (state == WT_SLOT_WAITING && atomic_load(&t->wake_gen) == now->gen))
		return false;
	if (wait_for == WT_WAIT_OWN_WORDS)
		return then->stirs == now->stirs || atomic_load(&p->limbo) == 0;
	return is_still(v, wait_for, t);
}

/* Keep the hint 'busy' true for threads that block where no wrapper sees it. */
static void keep_hint(struct wt_surveyor *v, struct wt_shm_thread *t, const struct wt_seen_thread *seen)
{
	uint32_t running = WT_SLOT_RUNNING, parked = WT_SLOT_PARKED;

	if (seen->state == WT_SLOT_RUNNING && seen->kernel == WT_KERNEL_BLOCKED
	    && atomic_compare_exchange_strong(&t->state, &running, WT_SLOT_PARKED))
		atomic_fetch_sub(&v->shm->busy, 1);
	else if (seen->state == WT_SLOT_PARKED && seen->kernel == WT_KERNEL_BUSY
		 && atomic_compare_exchange_strong(&t->state, &parked, WT_SLOT_RUNNING))
		atomic_fetch_add(&v->shm->busy, 1);
}

static void look_at_thread(struct wt_surveyor *v, struct wt_survey *s, uint32_t i)
{
	struct wt_shm_thread *t = &v->shm->threads[i];
	struct wt_thread_file *f = &v->threads[i];
	uint64_t owner = atomic_load(&t->owner);	/* first: all the rest is of this owner, or nothing is freed */
	struct wt_seen_thread seen = { .state = atomic_load(&t->state) };
	struct wt_settled settled;

	if (seen.state == WT_SLOT_FREE)
		return;
	if (f->owner != owner)
		wt_thread_file_close(f);
	f->owner = owner;
	if (seen.state == WT_SLOT_CLAIMED || t->tid == 0) {
		note(v, s, WT_UNREST_BIRTH, t->process);
		return;
	}
	if (is_settled(v, i, seen.state, &settled))
		return;
	seen.woken = seen.state == WT_SLOT_WAITING && atomic_load(&t->wake_gen) == atomic_load(&t->wait_gen);
	seen.zombie_before = f->zombie;
	seen.kernel = surveyor_look_at(v, i, owner);
	f->zombie = seen.kernel == WT_KERNEL_ZOMBIE;
	v->files_ended |= f->zombie && !seen.zombie_before;
	f->settled = settled;
	note_activity(v, s, i, owner, &seen);
	keep_hint(v, t, &seen);
}

/* Stops at the first busy thread: the one that was busy last time most likely is so still, and is looked at first. */
static void look_at_threads(struct wt_surveyor *v, struct wt_survey *s)
{
	v->sleepy = WT_ADVANCE_NOBODY;
	if (v->hot < wt_shm_threads_used(v->shm))
		look_at_thread(v, s, v->hot);
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm) && s->unrest == WT_UNREST_NONE; i++)
		look_at_thread(v, s, i);
}

/* All that were looked at were asleep, and none was just being woken (thread_file.c). */
static void confirm_threads(struct wt_surveyor *v, struct wt_survey *s)
{
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm) && s->unrest == WT_UNREST_NONE; i++)
		if (atomic_load(&v->shm->threads[i].state) != WT_SLOT_FREE && !v->threads[i].settled.yes
		    && !(v->counts.letters++, wt_thread_file_confirm(&v->threads[i])))
			note(v, s, WT_UNREST_THREAD, i);
	if (s->unrest == WT_UNREST_NONE && !wt_helpers_confirm(&v->helpers))
		note_helpers(v, s);
}

static void settle_threads(struct wt_surveyor *v)
{
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm); i++)
		v->threads[i].settled.yes = v->threads[i].settled.candidate;
	for (uint32_t i = 0; i < wt_shm_processes_used(v->shm); i++) {
		int32_t limbo = atomic_load(&v->shm->processes[i].limbo);

		v->clocks[i].proved_ns = v->clocks[i].ns;
		/* No thread is on the way now: one that is left was cancelled on it, or woken by a stranger's futex, see
		 * futex(2). */
		if (limbo)
			atomic_compare_exchange_strong(&v->shm->processes[i].limbo, &limbo, 0);
	}
	wt_shm_trim_threads(v->shm);
	v->proved = v->doings;
	v->files_ended = false;
	wt_helpers_settle(&v->helpers);
}

/* A thread that is busy and uses no CPU time waits in a call that nobody knows. */
static bool computes(struct wt_surveyor *v, uint32_t process)
{
	const struct wt_process_clock *c = &v->clocks[process % WT_SHM_PROCESSES_MAX];
	int64_t now_ns = surveyor_mono_ns();

	if (v->computing_pid != c->pid) {
		v->computing_pid = c->pid;
		v->computes = false;
	} else if (now_ns - v->computing_since_ns < COMPUTING_WINDOW_NS) {
		return v->computes;
	} else {
		v->computes = c->ns - v->computing_cpu_ns > COMPUTING_LEAST_NS;
	}
	v->computing_cpu_ns = c->ns;
	v->computing_since_ns = now_ns;
	return v->computes;
}

static void note_hot(struct wt_surveyor *v, struct wt_survey *s)
{
	const struct wt_shm_thread *t;
	int64_t hot_ms;

	if (s->unrest != WT_UNREST_THREAD && s->unrest != WT_UNREST_REAL_WAIT) {
		v->hot = WT_ADVANCE_NOBODY;
		return;
	}
	t = &v->shm->threads[s->slot];
	if (v->hot != s->slot) {
		v->hot = s->slot;
		v->hot_reads = t->reads;
		v->hot_since_ns = surveyor_mono_ns();
	}
	hot_ms = (surveyor_mono_ns() - v->hot_since_ns) / 1000000;
	s->spinning = hot_ms >= SPIN_MS && t->reads - v->hot_reads > (uint64_t) hot_ms * SPIN_READS_PER_MS;
	s->computes = computes(v, t->process);
	s->controller = t->process < WT_SHM_PROCESSES_MAX && v->shm->processes[t->process].trusted;
}

/* All that is known of guests is what the kernel says: that one of them holds a lock.  Other users can only read the file,
 * and so have no lock that keeps others of them out. */
static void look_at_guests(struct wt_surveyor *v, struct wt_survey *s)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	v->guests = v->view_fd >= 0 && fcntl(v->view_fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	s->outsiders += v->guests;
	if (v->guests)
		note(v, s, WT_UNREST_GUEST, 0);
}

static void look_at_all(struct wt_surveyor *v, struct wt_survey *s)
{
	uint64_t generation = atomic_load(&v->shm->generation);
	struct wt_survey again;
	int64_t cpu_ns;

	v->counts.thorough++;
	cpu_ns = look_at_processes(v, s) + wt_helpers_cpu_ns(&v->helpers);
	v->others_still &= wt_helpers_still(&v->helpers);
	v->files_still = v->others_still && v->doings.sends == v->proved.sends;
	look_at_guests(v, s);
	look_at_threads(v, s);
	if (s->unrest == WT_UNREST_NONE && !v->files_still && wt_helpers_busy(&v->helpers))
		note_helpers(v, s);
	confirm_threads(v, s);
	surveyor_deadlines(v, s);
	if (s->unrest == WT_UNREST_NONE) {
		/* Threads were looked at one after the other: one may have run meanwhile, woken another, and slept again.
		 * That costs CPU time: only if all CPU clocks stand were all asleep at one moment. */
		memset(&again, 0, sizeof(again));
		if (look_at_processes(v, &again) + wt_helpers_cpu_ns(&v->helpers) != cpu_ns
		    || again.unrest != WT_UNREST_NONE || atomic_load(&v->shm->generation) != generation)
			note(v, s, WT_UNREST_CHANGED, 0);
	}
	if (s->unrest == WT_UNREST_NONE) {
		settle_threads(v);
		surveyor_gather(v, s);
	}
	s->processes = v->processes;
}

void wt_surveyor_look(struct wt_surveyor *v, struct wt_survey *s)
{
	int64_t now_ns = surveyor_mono_ns();

	memset(s, 0, sizeof(*s));
	if (!surveyor_haste(v, s, now_ns)) {
		memset(s, 0, sizeof(*s));
		look_at_all(v, s);
		v->thorough_ns = now_ns;
	}
	note_hot(v, s);
}

void wt_surveyor_expect(struct wt_surveyor *v, uint32_t slot)
{
	v->expected = slot;
	v->expected_ns = surveyor_mono_ns();
}

void wt_surveyor_counts(const struct wt_surveyor *v, struct wt_survey_counts *counts)
{
	*counts = v->counts;
}

uint32_t wt_surveyor_sleepy(const struct wt_surveyor *v)
{
	return v->sleepy;
}

uint32_t wt_surveyor_processes(const struct wt_surveyor *v)
{
	return v->processes;
}
