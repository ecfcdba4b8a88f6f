/* SPDX-License-Identifier: GPL-2.0-or-later */
/* surveyor_thread.c - one thread: what the kernel and its slot say of it, and when. */
#include "config.h"

#include <time.h>

#include "harness/clock/surveyor_private.h"

int64_t surveyor_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* A thread that runs, or has been woken, pokes when it waits. */
bool surveyor_is_passing(const struct wt_surveyor *v, uint32_t i)
{
	const struct wt_shm_thread *t = &v->shm->threads[i];
	uint32_t state = atomic_load(&t->state);

	return state != WT_SLOT_RUNNING && !(state == WT_SLOT_WAITING &&
					     atomic_load(&t->wake_gen) == atomic_load(&t->wait_gen));
}

enum wt_kernel_state surveyor_look_at(struct wt_surveyor *v, uint32_t i, uint64_t owner)
{
	struct wt_thread_file *f = &v->threads[i];

	if (f->owner != owner)
		wt_thread_file_close(f);
	f->owner = owner;
	v->counts.calls++;
	return wt_thread_file_look(f, v->shm->threads[i].pid, v->shm->threads[i].tid);
}
