/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surveyor_deadlines.c - which thread waits for the earliest time: a look at all slots, or what the last one saw if that
 * still holds. */
#include "config.h"

#include "harness/clock/surveyor_private.h"

#define HASTE_NS 100000LL	/* while a thread works, a wait that has just begun may be found as late as this */

static bool waits(const struct wt_shm_thread *t)
{
	return atomic_load_explicit(&t->state, memory_order_acquire) == WT_SLOT_WAITING
	       && atomic_load(&t->wake_gen) != atomic_load(&t->wait_gen);
}

void surveyor_deadlines(struct wt_surveyor *v, struct wt_survey *s)
{
	uint64_t order = 0;

	v->counts.scans++;
	v->deadline = (struct wt_deadline) { .seen_ns = surveyor_mono_ns(), .waits = atomic_load(&v->shm->waits) };
	s->waiter = false;
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm); i++) {
		const struct wt_shm_thread *t = &v->shm->threads[i];
		uint32_t gen = atomic_load(&t->wait_gen);
		uint64_t own_order;
		int64_t deadline_ns;

		if (atomic_load_explicit(&t->state, memory_order_acquire) != WT_SLOT_WAITING ||
		    atomic_load(&t->wake_gen) == gen)
			continue;
		deadline_ns = t->deadline_ns;
		if (atomic_load(&t->wait_gen) != gen)	/* it has begun another wait: it is busy, so there is no haste */
			continue;
		own_order = wt_shm_order(v->shm, i);
		if (s->waiter && (deadline_ns > s->earliest_ns || (deadline_ns == s->earliest_ns && own_order > order)))
			continue;
		s->waiter = true;
		s->earliest_ns = deadline_ns;
		s->earliest_slot = i;
		s->earliest_gen = gen;
		order = own_order;
	}
	v->deadline.waiter = s->waiter;
	v->deadline.slot = s->earliest_slot;
	v->deadline.gen = s->earliest_gen;
	v->deadline.at_ns = s->earliest_ns;
}

void surveyor_gather(const struct wt_surveyor *v, struct wt_survey *s)
{
	int64_t limit_ns = INT64_MAX;

	s->latest_ns = s->earliest_ns;
	if (v->shm->slack_ns == 0 || !s->waiter)
		return;
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm); i++) {
		const struct wt_shm_thread *t = &v->shm->threads[i];

		if (waits(t) && t->latest_ns < limit_ns)
			limit_ns = t->latest_ns;
	}
	for (uint32_t i = 0; i < wt_shm_threads_used(v->shm); i++) {
		const struct wt_shm_thread *t = &v->shm->threads[i];

		if (waits(t) && t->deadline_ns <= limit_ns && t->deadline_ns > s->latest_ns)
			s->latest_ns = t->deadline_ns;
	}
}

static bool deadline_holds(const struct wt_surveyor *v, int64_t mono_ns)
{
	const struct wt_deadline *d = &v->deadline;
	const struct wt_shm_thread *t = &v->shm->threads[d->slot];

	if (mono_ns - d->seen_ns > HASTE_NS && d->waits != atomic_load(&v->shm->waits))
		return false;
	return !d->waiter || (atomic_load(&t->state) == WT_SLOT_WAITING && atomic_load(&t->wait_gen) == d->gen
			      && atomic_load(&t->wake_gen) != d->gen);
}

/* Deadlines are reached while a thread works only where time passes meanwhile. */
void surveyor_deadlines_in_haste(struct wt_surveyor *v, struct wt_survey *s, int64_t mono_ns)
{
	if (v->shm->charge == WT_CHARGE_NONE && !atomic_load(&v->shm->line.running))
		return;
	if (!deadline_holds(v, mono_ns)) {
		surveyor_deadlines(v, s);
		return;
	}
	s->waiter = v->deadline.waiter;
	s->earliest_slot = v->deadline.slot;
	s->earliest_gen = v->deadline.gen;
	s->earliest_ns = v->deadline.at_ns;
}
