/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps and the death of this process: see test_node_store.c.  The lives before are left alone until the end. */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/store/store.h"

enum { STEP = 5, LIVES = 400, WAIT_STATUS = 3 << 8 };

struct steps_life {
	struct node_world *w;
	struct event_log *events;
	struct wt_store *store;
};

static char folder[] = "/tmp/wt-test-steps-XXXXXX";
static struct steps_life lives[LIVES];
static uint32_t life_count, clients_unpacked;

static void client_pack(void *arg, wt_step_ref step, struct wt_str *out)
{
	(void) arg;
	assert_true(step != 0);
	wt_str_add_bytes(out, "srun", 4);
}

static void client_unpack(void *arg, wt_step_ref step, const void *bytes, size_t len)
{
	(void) arg;
	assert_true(step != 0);
	assert_int_equal(len, 4);
	assert_memory_equal(bytes, "srun", 4);
	clients_unpacked++;
}

static struct steps_life *life_begin(int64_t now_us, size_t compact_bytes)
{
	struct steps_life *life = &lives[life_count++];
	char events[64], journal[64];
	struct wt_store_conf conf = {
		.path = journal, .nodes_id = 1, .compact_bytes = compact_bytes, .client_pack = client_pack,
			.client_unpack = client_unpack,
	};
	struct wt_store_found found;
	struct wt_error err;
	void *state;

	assert_true(life_count < LIVES);
	snprintf(events, sizeof(events), "%s/events.csv", folder);
	snprintf(journal, sizeof(journal), "%s/journal", folder);
	world_open(&state);
	life->w = state;
	life->w->now_us = now_us;
	life->events = conf.events = event_log_open(events, WT_EVENTS_HEADER "\n", &err);
	assert_non_null(life->events);
	conf.model = life->w->model;
	life->store = wt_store_open(&conf, &found, &err);
	assert_non_null(life->store);
	assert_int_equal(found.note.text[0], '\0');
	wt_model_resume(life->w->model, now_us);
	return life;
}

static void commit(struct steps_life *life)
{
	struct wt_error err;

	assert_int_equal(wt_store_commit(life->store, &err), 0);
}

static void launch_step(struct steps_life *life, uint32_t count, bool backwards)
{
	uint32_t nodes[WORLD_NODES], rank;
	wt_step_ref ref;
	const struct wt_step_launch step = {
		.job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX, .uid = UID, .io = true, .nodes = nodes,
		.node_count = count, .run_time_us = 10 * SECOND_US, .wait_status = WAIT_STATUS,
	};

	for (uint32_t i = 0; i < count; i++)
		nodes[i] = backwards ? count - 1 - i : i;
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(wt_model_step_launch(life->w->model, life->w->now_us, nodes[i], &step, &ref, &rank),
				 WT_RC_SUCCESS);
}

static uint32_t steps_listed(const struct steps_life *life, uint32_t node)
{
	struct wt_step_name name;

	return wt_model_node_steps(life->w->model, node, &name, 1);
}

struct told {			/* what srun and the controller have heard, by rank */
	uint32_t started[WORLD_NODES], exited[WORLD_NODES], completed[WORLD_NODES];
};

static bool answer_one(struct steps_life *life, struct told *told)
{
	struct wt_model *model = life->w->model;
	int64_t now_us = life->w->now_us;
	struct wt_action a;

	if (!wt_model_action(model, &a))
		return false;
	switch (a.kind) {
	case WT_ACTION_STEP_CONNECT:
		wt_model_step_connected(model, now_us, a.step, a.rank, true);
		break;
	case WT_ACTION_STEP_STARTED:
		assert_int_equal(a.status, 0);
		told->started[a.rank]++;
		wt_model_step_sent(model, now_us, a.step, a.rank, true);
		break;
	case WT_ACTION_STEP_CLOSE:
		wt_model_step_closed(model, now_us, a.step, a.rank);
		break;
	case WT_ACTION_STEP_EXIT:
		assert_int_equal(a.status, WAIT_STATUS);
		told->exited[a.rank]++;
		wt_model_step_sent(model, now_us, a.step, a.rank, true);
		break;
	case WT_ACTION_STEP_COMPLETE:
		assert_int_equal(a.status, WAIT_STATUS);
		for (uint32_t i = a.first; i <= a.last; i++)
			told->completed[i]++;
		wt_model_step_acked(model, now_us, a.step, a.rank);
		break;
	case WT_ACTION_STEP_FREE:
		break;
	default:
		fail();
	}
	return true;
}

/* A life ends after each 'actions' actions that were carried out; that of the last one may have been remembered, or not. */
static void step_with_deaths(uint32_t count, uint32_t actions, bool remembered, bool backwards)
{
	struct told told = { 0 };
	struct steps_life *life;
	uint32_t done = 0;

	snprintf(folder, sizeof(folder), "/tmp/wt-test-steps-XXXXXX");
	assert_non_null(mkdtemp(folder));
	life = life_begin(BEGIN_US, actions % 2 ? 0 : 100);
	launch_step(life, count, backwards);
	commit(life);
	for (uint32_t seconds = 0; seconds < 120;) {
		if (!answer_one(life, &told)) {
			pass(life->w, SECOND_US);
			commit(life);
			seconds++;
			continue;
		}
		if (++done % actions || remembered)
			commit(life);
		if (done % actions == 0)
			life = life_begin(life->w->now_us + SECOND_US / 100, actions % 2 ? 0 : 100);
	}
	for (uint32_t i = 0; i < count; i++) {
		assert_true(told.started[i] && told.exited[i] && told.completed[i]);
		assert_int_equal(steps_listed(life, i), 0);
		assert_true(!remembered || told.started[i] + told.exited[i] <= 4);
	}
	wt_fs_remove_tree(folder, NULL);
}

static int lives_end(void **state)
{
	(void) state;
	for (uint32_t i = 0; i < life_count; i++) {
		void *world = lives[i].w;

		wt_store_close(lives[i].store);
		event_log_close(lives[i].events, NULL);
		world_close(&world);
	}
	life_count = 0;
	return 0;
}

static void test_a_running_step_goes_on(void **state)
{
	struct told told = { 0 };
	struct steps_life *life;

	(void) state;
	assert_non_null(mkdtemp(folder));
	clients_unpacked = 0;
	life = life_begin(BEGIN_US, 0);
	launch_step(life, 8, false);
	while (answer_one(life, &told))
		;
	commit(life);
	life = life_begin(BEGIN_US + 4 * SECOND_US, 0);
	assert_int_equal(clients_unpacked, 1);
	expect_nothing(life->w);
	assert_int_equal(steps_listed(life, 7), 1);
	assert_int_equal(steps_listed(life, 8), 0);
	pass(life->w, 6 * SECOND_US - 1);
	expect_nothing(life->w);
	pass(life->w, 1);
	while (answer_one(life, &told))
		;
	for (uint32_t i = 0; i < 8; i++)
		assert_true(told.started[i] == 1 && told.exited[i] == 1 && told.completed[i] == 1);
	commit(life);
	life = life_begin(BEGIN_US + 20 * SECOND_US, 0);	/* nothing is left to do, or to remember */
	expect_nothing(life->w);
	life = life_begin(BEGIN_US + 21 * SECOND_US, 0);
	assert_int_equal(clients_unpacked, 2);
	wt_fs_remove_tree(folder, NULL);
}

static void test_a_suspended_step_stays_so(void **state)
{
	struct told told = { 0 };
	struct steps_life *life;

	(void) state;
	snprintf(folder, sizeof(folder), "/tmp/wt-test-steps-XXXXXX");
	assert_non_null(mkdtemp(folder));
	life = life_begin(BEGIN_US, 0);
	launch_step(life, 1, false);
	while (answer_one(life, &told))
		;
	pass(life->w, 4 * SECOND_US);
	wt_model_suspend(life->w->model, life->w->now_us, 0, WORLD_JOB, true);
	commit(life);
	life = life_begin(BEGIN_US + 60 * SECOND_US, 0);
	expect_nothing(life->w);
	wt_model_suspend(life->w->model, life->w->now_us, 0, WORLD_JOB, false);
	pass(life->w, 6 * SECOND_US - 1);
	expect_nothing(life->w);
	pass(life->w, 1);
	expect(life->w, WT_ACTION_STEP_CLOSE, 0);
	wt_fs_remove_tree(folder, NULL);
}

static void test_death_at_any_moment(void **state)
{
	static const uint32_t counts[] = { 2, 9, 60 };

	for (int i = 0; i < 3; i++) {
		for (uint32_t actions = i < 2 ? 1 : 7; actions < 23; actions += i < 2 ? 1 : 5) {
			step_with_deaths(counts[i], actions, true, false);
			lives_end(state);
			step_with_deaths(counts[i], actions, actions > 3 ? false : true, true);
			lives_end(state);
		}
	}
}

static void test_images_that_make_no_sense(void **state)
{
	struct node_world *w = *state;
	uint32_t nodes[] = { 3, 4, 3 };
	struct wt_step_image step = { .job_id = WORLD_JOB, .step_id = STEP, .count = 2, .nodes = nodes };
	struct wt_stepd_image stepd = { .job_id = WORLD_JOB, .step_id = STEP, .rank = 1, .state = 4, .holder = 1 };
	wt_step_ref ref;

	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);		/* of no step */
	assert_int_equal(wt_model_step_restore(w->model, &step, &ref), 0);
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), 0);
	stepd.rank = 2;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	stepd.rank = 0;
	stepd.holder = 2;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	step.count = 3;								/* a node twice */
	assert_int_equal(wt_model_step_restore(w->model, &step, &ref), -1);
	step.count = 2;
	nodes[1] = WORLD_NODES;
	assert_int_equal(wt_model_step_restore(w->model, &step, &ref), -1);
	nodes[1] = 9;
	assert_int_equal(wt_model_step_restore(w->model, &step, &ref), 0);	/* takes the place of the one before */
	expect(w, WT_ACTION_STEP_FREE, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_a_running_step_goes_on, lives_end),
		cmocka_unit_test_teardown(test_a_suspended_step_stays_so, lives_end),
		cmocka_unit_test_teardown(test_death_at_any_moment, lives_end),
		EPILOG_TEST(test_images_that_make_no_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
