/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_thread.c - the slot of each thread: whether it works or waits, what it has given on, the time that it sees. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/clock/participant.h"
#include "harness/clock/futex.h"

#define SENT_NS 30000	/* a peer that was woken runs by then, unless CPUs are scarce */

/* initial-exec: the wrappers run in signal handlers and before main, where the dynamic model could call malloc. */
static __thread struct wt_shm_thread *self_slot __attribute__((tls_model("initial-exec")));
static __thread int signals_taken __attribute__((tls_model("initial-exec")));
static __thread int64_t sent_mono_ns __attribute__((tls_model("initial-exec")));
static pthread_key_t leaving_key;

void participant_sent(void)
{
	if (participant_attached())
		sent_mono_ns = participant_mono_ns();
}

bool participant_handed_on(void)
{
	bool sent = sent_mono_ns && participant_mono_ns() - sent_mono_ns < SENT_NS;

	sent_mono_ns = 0;
	return sent || atomic_load(&participant.shm->processes[participant.process].limbo) > 0;
}

void participant_stir_begin(void)
{
	struct wt_shm_process *p;

	if (!participant_attached())
		return;
	p = &participant.shm->processes[participant.process];
	/* Before the futex wakes a thread: from here to participant_stir_end () the coordinator takes no wait of this
	 * process for settled. */
	atomic_fetch_add(&p->limbo, 1);
	atomic_fetch_add(&p->stirs, 1);
}

void participant_stir_end(long woken)
{
	if (participant_attached())
		atomic_fetch_add(&participant.shm->processes[participant.process].limbo,
				 (woken > 0 ? (int32_t) woken : 0) - 1);
}

void participant_stirred(void)
{
	atomic_fetch_sub(&participant.shm->processes[participant.process].limbo, 1);
}

static int64_t thread_cpu_ns(void)
{
	struct timespec ts;

	REAL(clock_gettime) (CLOCK_THREAD_CPUTIME_ID, &ts);
	return participant_timespec_ns(&ts);
}

/* The controller's thread 't' (the caller) has used this much CPU since the last jump: perhaps it is the busiest. */
static void charge_self(struct wt_shm_thread *t)
{
	uint32_t period = atomic_load_explicit(&participant.shm->line.period, memory_order_acquire);

	if (t->period != period) {
		/* What it had used when it last blocked belongs to the periods before. */
		t->cpu_base_ns = t->cpu_ns;
		t->period = period;
	}
	t->cpu_ns = thread_cpu_ns();
	wt_shm_charge(participant.shm, (t->cpu_ns - t->cpu_base_ns) / 1000 * participant.shm->charge_permille);
}

static void drop_self(void *slot)
{
	struct wt_shm_thread *t = slot;

	if (participant.charged)
		charge_self(t);
	/* Before its end, of which the kernel tells the thread that joins it. */
	atomic_store(&t->left, 1);
	/* The last busy thread tells the coordinator, or it would find the quiet only by a look; not when a peer has
	 * just been given work, for that one will tell. */
	if (atomic_exchange(&t->state, WT_SLOT_LEAVING) == WT_SLOT_RUNNING
	    && atomic_fetch_sub(&participant.shm->busy, 1) <= 1 && !participant_handed_on())
		wt_futex_poke(&participant.shm->poke, &participant.shm->listening);
}

static void take_signal(int sig)
{
	(void) sig;
	signals_taken++;
}

bool participant_signal_taken(void)
{
	bool taken = signals_taken > 0;

	signals_taken = 0;
	return taken;
}

static void block_signal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, participant.signal);
	/* Blocked but in our own waits: there it ends the system call, elsewhere it would interrupt calls that the
	 * program does not expect to be interrupted. */
	REAL(pthread_sigmask) (SIG_BLOCK, &set, NULL);
}

static void register_thread(struct wt_shm_thread *t)
{
	t->tid = syscall(SYS_gettid);
	t->pid = getpid();
	t->process = participant.process;
	t->period = atomic_load(&participant.shm->line.period);
	t->cpu_base_ns = t->cpu_ns = participant.charged ? thread_cpu_ns() : 0;
	self_slot = t;
	block_signal();
	/* So that drop_self () runs however the thread ends: return, pthread_exit or cancellation. */
	pthread_setspecific(leaving_key, t);
	atomic_store(&t->state, WT_SLOT_RUNNING);
	atomic_fetch_add(&participant.shm->busy, 1);
	atomic_fetch_add(&participant.shm->generation, 1);
}

struct wt_shm_thread *participant_thread_prepare(void)
{
	int i = wt_shm_claim_thread(participant.shm, participant.process);

	if (i < 0)
		participant_die("more than %d threads", WT_SHM_THREADS_MAX);
	return &participant.shm->threads[i];
}

void participant_thread_start(struct wt_shm_thread *slot)
{
	register_thread(slot);
}

struct wt_shm_thread *participant_self(void)
{
	if (__builtin_expect(!self_slot, 0))
		register_thread(participant_thread_prepare());
	return self_slot;
}

/* By slot, the threads that this process has made: of another owner word the slot is another thread's by now. */
static struct {
	_Atomic uint64_t owner, thread;
} made[WT_SHM_THREADS_MAX];

void participant_thread_known(const struct wt_shm_thread *slot, uint64_t owner, pthread_t thread)
{
	size_t i = slot - participant.shm->threads;

	atomic_store(&made[i].owner, 0);
	atomic_store(&made[i].thread, (uint64_t) thread);
	atomic_store(&made[i].owner, owner);
}

/* Is that slot the living thread's?  Of a process that was forked, the table is its parent's at first; and a thread that has
 * left may have had the same handle as a younger one. */
static bool is_slot_of(uint32_t i, pthread_t thread)
{
	const struct wt_shm_thread *t = &participant.shm->threads[i];
	uint64_t owner = atomic_load(&made[i].owner);

	return wt_shm_is_of(owner, participant.process) && owner == atomic_load(&t->owner)
	       && atomic_load(&made[i].thread) == (uint64_t) thread && !atomic_load(&t->left);
}

enum wt_wait_for participant_wait_for_thread(pthread_t thread)
{
	struct wt_shm_thread *self = participant_self();
	int found = 0;

	for (uint32_t i = 0; i < wt_shm_threads_used(participant.shm); i++) {
		if (!is_slot_of(i, thread))
			continue;
		self->joined = i;
		self->joined_owner = atomic_load(&made[i].owner);
		found++;
	}
	return found == 1 ? WT_WAIT_THREAD : WT_WAIT_ANY;
}

int64_t participant_now_ns(void)
{
	struct wt_shm_thread *t;
	struct timespec ts;

	if (participant.view)
		return wt_line_now_ns(&participant.view->line, participant_mono_ns());
	if (!participant_attached()) {
		REAL(clock_gettime) (CLOCK_REALTIME, &ts);
		return participant_timespec_ns(&ts);
	}
	t = participant_self();
	if (participant.charged)
		charge_self(t);
	/* Only this thread writes it, so a load and a store do; the coordinator finds by it threads that read the
	 * clock until it moves. */
	atomic_store_explicit(&t->reads, atomic_load_explicit(&t->reads, memory_order_relaxed) + 1, memory_order_relaxed);
	return wt_shm_now_ns(participant.shm, participant_mono_ns());
}

int64_t participant_offset_ns(clockid_t clock)
{
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE)
		return participant.shown_mono_ns;
	if (clock == CLOCK_BOOTTIME)
		return participant.shown_boot_ns;
	return 0;
}

const struct timespec *participant_machine_until(clockid_t clock, const struct timespec *until, struct timespec *changed)
{
	struct timespec now;
	int64_t until_ns;

	if (!participant.view || !until || until->tv_nsec < 0 || until->tv_nsec >= WT_NS_PER_S)
		return until;
	REAL(clock_gettime) (clock, &now);
	until_ns = participant_timespec_ns(until) - (participant_now_ns() + participant_offset_ns(clock)) +
		   participant_timespec_ns(&now);
	*changed = participant_ns_timespec(until_ns > 0 ? until_ns : 0);
	return changed;
}

static void enter(struct wt_shm_thread *t, enum wt_slot_state state)
{
	uint32_t old;
	bool last;

	if (participant.charged)
		charge_self(t);
	old = atomic_exchange(&t->state, state);
	last = old == WT_SLOT_RUNNING ? atomic_fetch_sub(&participant.shm->busy, 1) <= 1
				      : old == WT_SLOT_PARKED && atomic_load(&participant.shm->busy) <= 0;
	if (participant_handed_on() || !last)
		return;
	atomic_store_explicit(&participant.shm->poker, t - participant.shm->threads, memory_order_relaxed);
	wt_futex_poke(&participant.shm->poke, &participant.shm->listening);
}

static uint32_t next_wait(struct wt_shm_thread *t, enum wt_wait_for wait_for)
{
	uint32_t gen = atomic_load_explicit(&t->wait_gen, memory_order_relaxed) + 1;

	/* 0 is "no wait" in wake_gen. */
	if (gen == 0)
		gen = 1;
	atomic_store_explicit(&t->wait_gen, gen, memory_order_relaxed);
	atomic_store_explicit(&t->wait_for, wait_for, memory_order_relaxed);
	return gen;
}

void participant_block_begin(enum wt_wait_for wait_for)
{
	struct wt_shm_thread *t = participant_self();

	next_wait(t, wait_for);
	enter(t, WT_SLOT_BLOCKED);
}

void participant_block_end(void)
{
	struct wt_shm_thread *t = self_slot;

	if (atomic_exchange(&t->state, WT_SLOT_RUNNING) != WT_SLOT_RUNNING)
		atomic_fetch_add(&participant.shm->busy, 1);
}

/* As timer slack of Linux, prctl (2): waits that end at nearly the same time end together. */
static int64_t latest_ns(int64_t deadline_ns)
{
	int64_t slack_ns = participant.shm->slack_ns, length_ns;

	if (slack_ns == 0)
		return deadline_ns;
	length_ns = deadline_ns - participant_now_ns();
	if (length_ns < 0)
		length_ns = 0;
	return participant_add_ns(deadline_ns, length_ns < slack_ns ? length_ns : slack_ns);
}

uint32_t participant_wait_begin(int64_t deadline_ns, enum wt_slot_wake kind, enum wt_wait_for wait_for)
{
	struct wt_shm_thread *t = participant_self();
	uint32_t gen = next_wait(t, wait_for);

	atomic_store_explicit(&t->deadline_ns, deadline_ns, memory_order_relaxed);
	atomic_store_explicit(&t->latest_ns, latest_ns(deadline_ns), memory_order_relaxed);
	atomic_store_explicit(&t->wake_kind, kind, memory_order_relaxed);
	atomic_store_explicit(&t->order, atomic_fetch_add(&participant.shm->waits, 1), memory_order_relaxed);
	/* Last: the coordinator may wake the slot from now on, and reads what was stored above. */
	enter(t, WT_SLOT_WAITING);
	return gen;
}

bool participant_wait_over(uint32_t wait_gen)
{
	return atomic_load(&self_slot->wake_gen) == wait_gen;
}

void participant_threads_init(void)
{
	/* A handler, not SIG_IGN: an ignored signal would not end a system call. */
	struct sigaction sa = { .sa_handler = take_signal, .sa_flags = SA_RESTART };

	if (pthread_key_create(&leaving_key, drop_self) != 0)
		participant_die("no thread-specific key is left");
	sigaction(participant.signal, &sa, NULL);
}
