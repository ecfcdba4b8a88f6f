/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slots of the shared memory are claimed and given back by many at once: each has one owner at any moment, and each claim
 * ends once.  (A slot that was freed twice served two threads, and one of them slept for ever.) */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/clock/clock_shm.h"

#define CLAIMERS 4
#define CLAIMS 20000	/* of each */
#define SLOTS_SEEN 64	/* more than are ever in use */
enum { LIVING, DYING };	/* process slots */

struct slot_race {
	struct wt_shm *shm;
	_Atomic int holder[SLOTS_SEEN];
	_Atomic uint64_t last_owner[SLOTS_SEEN];	/* of a claim that is over, for threads that come late */
	_Atomic int claimed, freed, doubled, stolen, hidden;
	_Atomic bool over;
};

static int make(void **state)
{
	struct slot_race *w = calloc(1, sizeof(*w));
	struct wt_shm *shm = aligned_alloc(64, sizeof(*shm));

	if (!w || !shm)
		return -1;
	memset(shm, 0, sizeof(*shm));
	wt_shm_init(shm, WT_CHARGE_NONE, 1000, 1, 1, 1);
	wt_shm_claim_process(shm, 42);
	wt_shm_claim_process(shm, 43);
	w->shm = shm;
	*state = w;
	return 0;
}

static int drop(void **state)
{
	struct slot_race *w = *state;

	free(w->shm);
	free(w);
	return 0;
}

static void free_counted(struct slot_race *w, uint32_t slot, uint64_t owner)
{
	if (wt_shm_free_thread(w->shm, slot, owner))
		atomic_fetch_add(&w->freed, 1);
}

/* A thread of the living process: no other may take its slot while it holds it, nor be given it as well. */
static void hold(struct slot_race *w, uint32_t slot)
{
	uint64_t owner = atomic_load(&w->shm->threads[slot].owner);

	if (atomic_exchange(&w->holder[slot], 1))
		atomic_fetch_add(&w->doubled, 1);
	sched_yield();
	if (atomic_load(&w->shm->threads[slot].owner) != owner || !wt_shm_is_of(owner, LIVING)
	    || w->shm->threads[slot].process != LIVING)
		atomic_fetch_add(&w->stolen, 1);
	atomic_store(&w->holder[slot], 0);
	free_counted(w, slot, owner);
	atomic_store(&w->last_owner[slot], owner);
}

static void *claim(void *arg)
{
	struct slot_race *w = arg;

	for (int i = 0; i < CLAIMS; i++) {
		bool dying = i % 2;
		int slot = wt_shm_claim_thread(w->shm, dying ? DYING : LIVING);

		if (slot < 0 || slot >= SLOTS_SEEN) {
			i--;	/* those of the dying process are not buried yet */
			if (slot >= 0)
				wt_shm_free_thread(w->shm, slot, atomic_load(&w->shm->threads[slot].owner));
			sched_yield();
			continue;
		}
		atomic_fetch_add(&w->claimed, 1);
		if (!dying)
			hold(w, slot);
	}
	return NULL;
}

/* The coordinator: buries those of the dying process, and now and then comes late to a slot that is another's by now. */
static void *bury(void *arg)
{
	struct slot_race *w = arg;
	bool over;

	do {
		over = atomic_load(&w->over);
		for (uint32_t i = 0; i < SLOTS_SEEN; i++) {
			uint64_t owner = atomic_load(&w->shm->threads[i].owner);

			/* A dead process' threads write nothing any more; those here do until their claim is complete. */
			if (wt_shm_is_of(owner, DYING) && atomic_load(&w->shm->threads[i].state) == WT_SLOT_CLAIMED)
				free_counted(w, i, owner);
			free_counted(w, i, atomic_load(&w->last_owner[i]));
		}
		sched_yield();
	} while (!over);
	return NULL;
}

/* The coordinator, too: behind its trimming no slot is beyond the last one whose claim has ended. */
static void *trim(void *arg)
{
	struct slot_race *w = arg;

	while (!atomic_load(&w->over)) {
		wt_shm_trim_threads(w->shm);
		for (uint32_t i = 0; i < SLOTS_SEEN; i++) {
			uint64_t owner = atomic_load(&w->shm->threads[i].owner);

			if (atomic_load(&w->holder[i]) && wt_shm_is_of(owner, LIVING) && i >= wt_shm_threads_used(w->shm) &&
			    atomic_load(&w->shm->threads[i].owner) == owner)
				atomic_fetch_add(&w->hidden, 1);
		}
		sched_yield();
	}
	return NULL;
}

static void test_each_claim_has_one_owner_and_ends_once(void **state)
{
	struct slot_race *w = *state;
	pthread_t claimers[CLAIMERS], buriers[2], trimmer;

	assert_int_equal(pthread_create(&trimmer, NULL, trim, w), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&buriers[i], NULL, bury, w), 0);
	for (int i = 0; i < CLAIMERS; i++)
		assert_int_equal(pthread_create(&claimers[i], NULL, claim, w), 0);
	for (int i = 0; i < CLAIMERS; i++)
		pthread_join(claimers[i], NULL);
	atomic_store(&w->over, true);
	for (int i = 0; i < 2; i++)
		pthread_join(buriers[i], NULL);
	pthread_join(trimmer, NULL);
	assert_int_equal(w->hidden, 0);
	assert_int_equal(w->doubled, 0);
	assert_int_equal(w->stolen, 0);
	assert_int_equal(w->claimed, CLAIMERS * CLAIMS);
	assert_int_equal(w->freed, w->claimed);
}

static void test_who_comes_late_frees_nothing(void **state)
{
	struct slot_race *w = *state;
	uint64_t first, second;

	assert_int_equal(wt_shm_claim_thread(w->shm, DYING), 0);
	first = w->shm->threads[0].owner;
	assert_true(wt_shm_is_of(first, DYING));
	assert_true(wt_shm_free_thread(w->shm, 0, first));
	assert_false(wt_shm_free_thread(w->shm, 0, first));
	assert_int_equal(wt_shm_claim_thread(w->shm, DYING), 0);
	second = w->shm->threads[0].owner;
	assert_true(first != second);
	assert_false(wt_shm_free_thread(w->shm, 0, first));
	assert_int_equal(w->shm->threads[0].state, WT_SLOT_CLAIMED);
	assert_true(wt_shm_free_thread(w->shm, 0, second));
	assert_false(wt_shm_free_thread(w->shm, 0, w->shm->threads[0].owner));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_who_comes_late_frees_nothing, make, drop),
		cmocka_unit_test_setup_teardown(test_each_claim_has_one_owner_and_ends_once, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
