/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surveyor_haste.c - looks that only say "a thread is at work".  One thread that the kernel shows running is enough for
 * that, and of most looks it is the answer: no CPU clock has to be read, and no other thread looked at.  Quiet is never said
 * here. */
#include "config.h"

#include "harness/clock/surveyor_private.h"

#define THOROUGH_EVERY_NS 5000000LL	/* a thread that died, or waits for real time, is found by looks at all */
#define WOKEN_NS 1000000LL	/* a thread that was woken leaves its wait sooner, or its wake-up went astray */
#define RUNNING_MAX 3		/* those that say that they run, but wait for a lock, are found by looks at all */

/* All processes take part in the plain way: none is being made, loaded, or served from outside. */
static bool count_processes(struct wt_surveyor *v, struct wt_survey *s)
{
	v->processes = 0;
	for (uint32_t i = 0; i < wt_shm_processes_used(v->shm); i++) {
		const struct wt_shm_process *p = &v->shm->processes[i];
		uint32_t state = atomic_load(&p->state);

		if (state == WT_PROCESS_FREE)
			continue;
		if (state != WT_PROCESS_ATTACHED || atomic_load(&p->spawns) > 0 || atomic_load(&p->outsiders) > 0)
			return false;
		v->processes++;
		/* A clock without a driver may run by itself: of one that has just come a look at all has to say so
		 * first. */
		if (p->driver && (v->clocks[i].pid != p->pid || v->clocks[i].driving_ns == 0))
			return false;
		s->drivers += p->driver && v->clocks[i].driving_ns > 0;
	}
	s->processes = v->processes;
	return true;
}

static bool is_at_work(struct wt_surveyor *v, uint32_t i, int64_t mono_ns)
{
	const struct wt_shm_thread *t;
	uint64_t owner;
	uint32_t state;

	if (i >= wt_shm_threads_used(v->shm))
		return false;
	t = &v->shm->threads[i];
	owner = atomic_load(&t->owner);
	state = atomic_load(&t->state);
	/* Of one that is parked the hint 'busy' is to be corrected: not here. */
	if (state == WT_SLOT_FREE || state == WT_SLOT_CLAIMED || state == WT_SLOT_PARKED || t->tid == 0)
		return false;
	if (state == WT_SLOT_WAITING && atomic_load(&t->wake_gen) == atomic_load(&t->wait_gen)
	    && i == v->expected && mono_ns - v->expected_ns < WOKEN_NS)
		return true;
	return surveyor_look_at(v, i, owner) == WT_KERNEL_BUSY;
}

/* A thread has woken others of its process that do not run yet.  (One that was cancelled on its way is found by a look at
 * all.) */
static bool are_some_in_limbo(const struct wt_surveyor *v)
{
	for (uint32_t i = 0; i < wt_shm_processes_used(v->shm); i++)
		if (atomic_load(&v->shm->processes[i].state) == WT_PROCESS_ATTACHED &&
		    atomic_load(&v->shm->processes[i].limbo) > 0)
			return true;
	return false;
}

static uint32_t find_at_work(struct wt_surveyor *v, int64_t mono_ns)
{
	uint32_t poker = atomic_load(&v->shm->poker);
	int tries = 0;

	if (is_at_work(v, v->hot, mono_ns))
		return v->hot;
	if (v->expected != v->hot && is_at_work(v, v->expected, mono_ns))
		return v->expected;
	/* It says so a moment before it sleeps. */
	if (poker != v->expected && poker != v->hot && is_at_work(v, poker, mono_ns))
		return poker;
	if (atomic_load(&v->shm->busy) <= 0)
		return WT_ADVANCE_NOBODY;
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm) && tries < RUNNING_MAX; i++) {
		if (atomic_load(&v->shm->threads[i].state) != WT_SLOT_RUNNING)
			continue;
		tries++;
		if (is_at_work(v, i, mono_ns))
			return i;
	}
	return WT_ADVANCE_NOBODY;
}

bool surveyor_haste(struct wt_surveyor *v, struct wt_survey *s, int64_t mono_ns)
{
	if (v->guests || mono_ns - v->thorough_ns > THOROUGH_EVERY_NS || !count_processes(v, s))
		return false;
	if (are_some_in_limbo(v)) {
		s->unrest = WT_UNREST_CHANGED;
	} else {
		s->slot = find_at_work(v, mono_ns);
		if (s->slot == WT_ADVANCE_NOBODY)
			return false;
		s->unrest = WT_UNREST_THREAD;
		s->passing = surveyor_is_passing(v, s->slot);
	}
	v->sleepy = WT_ADVANCE_NOBODY;
	v->counts.hasty++;
	surveyor_deadlines_in_haste(v, s, mono_ns);
	return true;
}
