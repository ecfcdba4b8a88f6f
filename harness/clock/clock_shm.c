/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>

#include "harness/clock/clock_shm.h"

_Static_assert(sizeof(struct wt_shm_thread) == 128, "two cache lines");
_Static_assert(sizeof(struct wt_shm_process) == 128, "two cache lines");
#define SEQ_TRIES_MAX (1u << 22)
/* Where runs repeat themselves CLOCK_MONOTONIC and CLOCK_BOOTTIME begin with this, whatever the machine's show. */
#define SHOWN_NS 1000000000000LL
#define ORDER_BITS 60	/* of wt_shm_thread.order: more waits than will ever be */

/* The low half of a slot's owner word when it is no process' index + 1; the high half counts claims. */
#define OWNER_NOBODY 0u
#define OWNER_FREEING UINT32_MAX

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "atomics in shared memory must be lock-free");

void wt_shm_init(struct wt_shm *shm, enum wt_charge charge, uint32_t charge_permille, int64_t begin_ns, int64_t mono_ns,
		 int64_t boot_ns)
{
	shm->magic = WT_SHM_MAGIC;
	shm->version = WT_SHM_VERSION;
	shm->processes_max = WT_SHM_PROCESSES_MAX;
	shm->threads_max = WT_SHM_THREADS_MAX;
	shm->size = sizeof(*shm);
	shm->charge = charge;
	shm->charge_permille = charge_permille;
	shm->start_ns = begin_ns;
	shm->start_mono_ns = mono_ns;
	shm->shown_mono_ns = charge == WT_CHARGE_NONE ? SHOWN_NS : mono_ns;
	shm->shown_boot_ns = charge == WT_CHARGE_NONE ? SHOWN_NS : boot_ns;
	wt_shm_jump(shm, begin_ns, mono_ns, charge == WT_CHARGE_REAL);
}

int wt_shm_check_header(const struct wt_shm *shm, size_t len, struct wt_error *errp)
{
	if (len < sizeof(*shm))
		return wt_error_set(errp, EINVAL, "virtual clock: its memory has %zu bytes, wanted %zu", len, sizeof(*shm));
	if (shm->magic != WT_SHM_MAGIC)
		return wt_error_set(errp, EINVAL, "virtual clock: this is not the memory of a clock");
	if (shm->version != WT_SHM_VERSION || shm->size != sizeof(*shm)
	    || shm->processes_max != WT_SHM_PROCESSES_MAX || shm->threads_max != WT_SHM_THREADS_MAX)
		return wt_error_set(errp, EINVAL,
				    "virtual clock: made by another version of Windtunnel (layout %u, wanted %u)",
				    shm->version, WT_SHM_VERSION);
	if (shm->state >= WT_SHM_STATE_COUNT || shm->charge >= WT_CHARGE_COUNT)
		return wt_error_set(errp, EINVAL, "virtual clock: impossible state %u or charge %u", shm->state,
				    shm->charge);
	if (shm->processes_used > WT_SHM_PROCESSES_MAX || shm->threads_used > WT_SHM_THREADS_MAX)
		return wt_error_set(errp, EINVAL,
				    "virtual clock: %u processes and %u threads in use are more than there can be",
				    shm->processes_used, shm->threads_used);
	if (wt_shm_now_ns(shm, shm->line.base_mono_ns) < shm->start_ns || shm->line.charge_ns < 0)
		return wt_error_set(errp, EINVAL, "virtual clock: it shows a time before its start");
	return 0;
}

static int check_thread(const struct wt_shm *shm, unsigned int i, struct wt_error *errp)
{
	const struct wt_shm_thread *t = &shm->threads[i];
	uint32_t state = t->state;

	if (state == WT_SLOT_FREE || state == WT_SLOT_CLAIMED)
		return 0;
	if (i >= shm->threads_used)
		return wt_error_set(errp, EINVAL, "virtual clock: thread slot %u is in use beyond the last one", i);
	if (state >= WT_SLOT_STATE_COUNT || t->wake_kind >= WT_WAKE_COUNT)
		return wt_error_set(errp, EINVAL, "virtual clock: thread slot %u has the impossible state %u", i, state);
	if (t->pid <= 0 || t->tid <= 0 || t->process >= shm->processes_used)
		return wt_error_set(errp, EINVAL, "virtual clock: thread slot %u belongs to nobody (pid %d, tid %d)", i,
				    t->pid,
				    t->tid);
	if (state == WT_SLOT_WAITING && (t->wait_gen == 0 || t->deadline_ns < 0))
		return wt_error_set(errp, EINVAL, "virtual clock: thread slot %u (tid %d) waits for no time", i, t->tid);
	return 0;
}

static int check_process(const struct wt_shm *shm, unsigned int i, struct wt_error *errp)
{
	const struct wt_shm_process *p = &shm->processes[i];
	uint32_t state = p->state;

	if (state == WT_PROCESS_FREE || state == WT_PROCESS_CLAIMED)
		return 0;
	if (i >= shm->processes_used)
		return wt_error_set(errp, EINVAL, "virtual clock: process slot %u is in use beyond the last one", i);
	if (state >= WT_PROCESS_STATE_COUNT || p->pid <= 0)
		return wt_error_set(errp, EINVAL, "virtual clock: process slot %u has the impossible state %u or pid %d", i,
				    state,
				    p->pid);
	return 0;
}

int wt_shm_check(const struct wt_shm *shm, size_t len, struct wt_error *errp)
{
	if (!shm)
		return wt_error_set(errp, EINVAL, "virtual clock: no memory");
	if (wt_shm_check_header(shm, len, errp) < 0)
		return -1;
	for (unsigned int i = 0; i < WT_SHM_PROCESSES_MAX; i++)
		if (check_process(shm, i, errp) < 0)
			return -1;
	for (unsigned int i = 0; i < WT_SHM_THREADS_MAX; i++)
		if (check_thread(shm, i, errp) < 0)
			return -1;
	return 0;
}

int64_t wt_line_now_ns(const struct wt_shm_line *l, int64_t mono_ns)
{
	uint32_t before, after, tries = 0;
	int64_t now_ns;

	do {
		before = atomic_load_explicit(&l->seq, memory_order_acquire);
		now_ns = atomic_load_explicit(&l->base_ns, memory_order_relaxed);
		if (atomic_load_explicit(&l->running, memory_order_relaxed)) {
			int64_t base_mono_ns = atomic_load_explicit(&l->base_mono_ns, memory_order_relaxed);

			/* A reader that was preempted between its two clocks must not see time go backwards. */
			if (mono_ns > base_mono_ns)
				now_ns += mono_ns - base_mono_ns;
		}
		now_ns += atomic_load_explicit(&l->charge_ns, memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&l->seq, memory_order_relaxed);
		/* The bound: a coordinator that was killed while it wrote must not hang its readers. */
	} while ((before != after || (before & 1)) && ++tries < SEQ_TRIES_MAX);
	return now_ns;
}

int64_t wt_shm_now_ns(const struct wt_shm *shm, int64_t mono_ns)
{
	return wt_line_now_ns(&shm->line, mono_ns);
}

/* A sequence lock: 'seq' is odd during the write, and readers begin again when it was odd or has changed. */
static void line_write(struct wt_shm_line *l, int64_t base_ns, int64_t mono_ns, bool running, bool new_period)
{
	atomic_fetch_add_explicit(&l->seq, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&l->base_ns, base_ns, memory_order_relaxed);
	atomic_store_explicit(&l->base_mono_ns, mono_ns, memory_order_relaxed);
	atomic_store_explicit(&l->running, running, memory_order_relaxed);
	if (new_period) {
		atomic_store_explicit(&l->charge_ns, 0, memory_order_relaxed);
		atomic_fetch_add_explicit(&l->period, 1, memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&l->seq, 1, memory_order_release);
}

void wt_shm_jump(struct wt_shm *shm, int64_t now_ns, int64_t mono_ns, bool running)
{
	int64_t before_ns = wt_shm_now_ns(shm, mono_ns);

	line_write(&shm->line, now_ns > before_ns ? now_ns : before_ns, mono_ns, running, true);
}

void wt_shm_set_running(struct wt_shm *shm, bool running, int64_t mono_ns)
{
	struct wt_shm_line *l = &shm->line;
	int64_t base_ns = l->base_ns;

	if (l->running == running)
		return;
	/* The charge stays on top: participants may raise it meanwhile, and nothing is lost or counted twice. */
	if (l->running && mono_ns > l->base_mono_ns)
		base_ns += mono_ns - l->base_mono_ns;
	line_write(l, base_ns, mono_ns, running, false);
}

void wt_shm_charge(struct wt_shm *shm, int64_t charge_ns)
{
	int64_t old = atomic_load_explicit(&shm->line.charge_ns, memory_order_relaxed);

	while (old < charge_ns && !atomic_compare_exchange_weak(&shm->line.charge_ns, &old, charge_ns))
		;
}

void wt_view_init(struct wt_view *view, const struct wt_shm *shm, int64_t mono_ns)
{
	view->magic = WT_SHM_MAGIC;
	view->version = WT_SHM_VERSION;
	view->size = sizeof(*view);
	view->start_ns = shm->start_ns;
	view->shown_mono_ns = shm->shown_mono_ns;
	view->shown_boot_ns = shm->shown_boot_ns;
	wt_view_update(view, shm, mono_ns);
}

void wt_view_update(struct wt_view *view, const struct wt_shm *shm, int64_t mono_ns)
{
	int64_t now_ns = wt_shm_now_ns(shm, mono_ns);
	bool running = shm->line.running;

	if (view->line.running != running || wt_line_now_ns(&view->line, mono_ns) != now_ns)
		line_write(&view->line, now_ns, mono_ns, running, false);
}

int wt_view_check(const struct wt_view *view, size_t len, struct wt_error *errp)
{
	if (len < sizeof(*view) || view->magic != WT_SHM_MAGIC)
		return wt_error_set(errp, EINVAL, "virtual clock: this is not the view of a clock");
	if (view->version != WT_SHM_VERSION || view->size != sizeof(*view))
		return wt_error_set(errp, EINVAL,
				    "virtual clock: made by another version of Windtunnel (layout %u, wanted %u)",
				    view->version, WT_SHM_VERSION);
	return 0;
}

static void raise_used(_Atomic uint32_t *used, uint32_t count)
{
	uint32_t old = atomic_load(used);

	while (old < count && !atomic_compare_exchange_weak(used, &old, count))
		;
}

/* The number of slots up to the last one of the first 'used' that is somebody's. */
static uint32_t threads_top(const struct wt_shm *shm, uint32_t used)
{
	while (used > 0 && (uint32_t) atomic_load(&shm->threads[used - 1].owner) == OWNER_NOBODY)
		used--;
	return used;
}

void wt_shm_trim_threads(struct wt_shm *shm)
{
	uint32_t used = wt_shm_threads_used(shm), top = threads_top(shm, used), expected = used;

	if (top == used || !atomic_compare_exchange_strong(&shm->threads_used, &expected, top))
		return;
	/* One that claims first becomes the slot's owner, and then looks at the number: either it has seen the new one, or
	 * is seen here. */
	raise_used(&shm->threads_used, threads_top(shm, used));
}

int wt_shm_claim_thread(struct wt_shm *shm, uint32_t process)
{
	for (uint32_t i = 0; i < WT_SHM_THREADS_MAX; i++) {
		struct wt_shm_thread *t = &shm->threads[i];
		uint64_t owner = atomic_load_explicit(&t->owner, memory_order_relaxed);

		/* The owner becomes known with the claim itself: at no moment does the slot seem to be its last owner's. */
		if ((uint32_t) owner != OWNER_NOBODY
		    || !atomic_compare_exchange_strong(&t->owner, &owner, ((owner >> 32) + 1) << 32 | (process + 1)))
			continue;
		t->tid = 0;
		t->period = 0;
		t->cpu_base_ns = t->cpu_ns = 0;
		t->process = process;
		t->pid = shm->processes[process].pid;
		t->left = 0;
		raise_used(&shm->threads_used, i + 1);
		atomic_store(&t->state, WT_SLOT_CLAIMED);
		return (int) i;
	}
	return -1;
}

int wt_shm_claim_process(struct wt_shm *shm, int32_t pid)
{
	for (uint32_t i = 0; i < WT_SHM_PROCESSES_MAX; i++) {
		struct wt_shm_process *p = &shm->processes[i];
		uint32_t expected = WT_PROCESS_FREE;

		if (atomic_load_explicit(&p->state, memory_order_relaxed) != WT_PROCESS_FREE
		    || !atomic_compare_exchange_strong(&p->state, &expected, WT_PROCESS_CLAIMED))
			continue;
		p->pid = pid;
		p->charged = p->driver = p->trusted = p->counted = 0;
		p->spawns = p->outsiders = 0;
		p->limbo = 0;
		raise_used(&shm->processes_used, i + 1);
		return (int) i;
	}
	return -1;
}

uint64_t wt_shm_order(const struct wt_shm *shm, uint32_t slot)
{
	const struct wt_shm_thread *t = &shm->threads[slot];
	const struct wt_shm_process *p = &shm->processes[t->process < WT_SHM_PROCESSES_MAX ? t->process : 0];
	uint64_t rank = p->charged ? 0 : p->trusted ? 1 : 2;

	return rank << ORDER_BITS | (t->order & ((UINT64_C(1) << ORDER_BITS) - 1));
}

bool wt_shm_free_thread(struct wt_shm *shm, uint32_t slot, uint64_t owner)
{
	struct wt_shm_thread *t = &shm->threads[slot];
	uint64_t claims = owner & ~(uint64_t) UINT32_MAX;

	/* In two steps: while the owner is OWNER_FREEING no process can claim the slot, whose state is still the old
	 * one. */
	if ((uint32_t) owner == OWNER_NOBODY || (uint32_t) owner == OWNER_FREEING
	    || !atomic_compare_exchange_strong(&t->owner, &owner, claims | OWNER_FREEING))
		return false;
	t->pid = t->tid = 0;
	if (atomic_exchange(&t->state, WT_SLOT_FREE) == WT_SLOT_RUNNING)
		atomic_fetch_sub(&shm->busy, 1);
	atomic_store(&t->owner, claims | OWNER_NOBODY);
	return true;
}

void wt_shm_free_process(struct wt_shm *shm, uint32_t slot)
{
	shm->processes[slot].pid = 0;
	atomic_store(&shm->processes[slot].state, WT_PROCESS_FREE);
}

int wt_shm_find_process(const struct wt_shm *shm, int32_t pid)
{
	uint32_t used = atomic_load(&shm->processes_used);

	for (uint32_t i = 0; i < used && i < WT_SHM_PROCESSES_MAX; i++)
		if (atomic_load(&shm->processes[i].state) >= WT_PROCESS_ATTACHED && shm->processes[i].pid == pid)
			return (int) i;
	return -1;
}
