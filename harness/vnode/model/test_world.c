/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/test_world.h"

static int world_open_conf(void **state, const struct wt_model_conf *conf)
{
	struct node_world *w = calloc(1, sizeof(*w));

	w->timers = wt_timerq_create();
	w->model = wt_model_create(WORLD_NODES, conf, w->timers);
	w->now_us = BEGIN_US;
	*state = w;
	return 0;
}

int world_open(void **state)
{
	const struct wt_model_conf conf = { .epilog = true, .epilog_msg_time_us = 2000, .kill_wait_s = 30, .forget_s = 120 };

	return world_open_conf(state, &conf);
}

int world_open_bare(void **state)
{
	const struct wt_model_conf conf = { .epilog = false, .epilog_msg_time_us = 2000, .kill_wait_s = 30,
					    .forget_s = 120 };

	return world_open_conf(state, &conf);
}

int world_close(void **state)
{
	struct node_world *w = *state;

	wt_model_destroy(w->model);
	wt_model_destroy(NULL);
	wt_timerq_destroy(w->timers);
	free(w);
	return 0;
}

struct wt_nodeset nodes_of(uint32_t first, uint32_t count)
{
	uint32_t numbers[WORLD_NODES];
	struct wt_nodeset set;

	for (uint32_t i = 0; i < count; i++)
		numbers[i] = first + i;
	assert_int_equal(wt_nodeset_fill(&set, numbers, count), 0);
	return set;
}

enum wt_rc launch_with(struct node_world *w, uint32_t count, uint32_t restarts, bool revoked, enum wt_probe probe)
{
	struct wt_launch launch = {
		.job_id = WORLD_JOB, .uid = UID, .array_task_id = UINT32_MAX, .restart_count = restarts, .revoked = revoked,
		.nodes = nodes_of(0, count), .nodes_hash = count,
		.behaviour = { .run_time_us = 10 * SECOND_US, .wait_status = 3 << 8, .probe = (uint8_t) probe },
	};

	return wt_model_launch(w->model, w->now_us, 0, &launch);
}

enum wt_rc launch(struct node_world *w, uint32_t count)
{
	return launch_with(w, count, 0, false, WT_PROBE_NONE);
}

struct wt_kill kill_of(struct node_world *w, uint32_t count, bool closes)
{
	struct wt_kill kill = {
		.job_id = WORLD_JOB, .uid = UID, .time_s = w->now_us / SECOND_US, .nodes_hash = count, .closes = closes,
	};

	if (!wt_model_knows_nodes(w->model, WORLD_JOB, count))
		kill.nodes = nodes_of(0, count);
	return kill;
}

enum wt_rc terminate(struct node_world *w, uint32_t node, uint32_t count)
{
	struct wt_kill kill = kill_of(w, count, false);

	return wt_model_terminate(w->model, w->now_us, node, &kill);
}

enum wt_rc timelimit(struct node_world *w, uint32_t node, uint32_t count)
{
	struct wt_kill kill = kill_of(w, count, true);

	return wt_model_terminate(w->model, w->now_us, node, &kill);
}

/* Let time pass; every timer fires at its own deadline. */
void pass(struct node_world *w, int64_t us)
{
	int64_t until_us = w->now_us + us, deadline_us;
	struct wt_timer timer;

	while (wt_timerq_next(w->timers, &deadline_us) && deadline_us <= until_us) {
		if (deadline_us > w->now_us)
			w->now_us = deadline_us;
		if (wt_timerq_pop(w->timers, w->now_us, &timer))
			wt_model_timer(w->model, w->now_us, &timer);
	}
	w->now_us = until_us;
}

struct wt_action expect(struct node_world *w, enum wt_action_kind kind, uint32_t node)
{
	struct wt_action action;

	assert_true(wt_model_action(w->model, &action));
	assert_int_equal(action.kind, kind);
	assert_int_equal(action.node, node);
	assert_int_equal(action.job_id, WORLD_JOB);
	return action;
}

struct wt_action expect_event(struct node_world *w, enum wt_event_kind event, uint32_t node, double value)
{
	struct wt_action action = expect(w, WT_ACTION_EVENT, node);

	assert_int_equal(action.event, event);
	assert_true(isnan(value) ? isnan(action.value) : action.value == value);
	return action;
}

void expect_nothing(struct node_world *w)
{
	struct wt_action action;

	assert_false(wt_model_action(w->model, &action));
}

void expect_counts(struct node_world *w, uint32_t running, uint32_t allocated, uint32_t completing)
{
	struct wt_model_counts counts;

	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_running, running);
	assert_int_equal(counts.nodes_allocated, allocated);
	assert_int_equal(counts.nodes_completing, completing);
}

uint32_t listed(struct node_world *w, uint32_t node)
{
	uint32_t job_ids[4];
	uint32_t count = wt_model_batch_jobs(w->model, node, job_ids, 4);

	if (count)
		assert_int_equal(job_ids[0], WORLD_JOB);
	return count;
}

struct wt_action run_to_end(struct node_world *w, uint32_t count)
{
	struct wt_action action;

	assert_int_equal(launch(w, count), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, count);
	expect_nothing(w);
	expect_counts(w, 1, count, 0);
	pass(w, 10 * SECOND_US - 1);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);
	assert_int_equal(listed(w, 1), 0);
	pass(w, 1);
	action = expect_event(w, WT_EVENT_END, 0, 3);
	assert_int_equal(action.time_us, BEGIN_US + 10 * SECOND_US);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(action.wait_status, 3 << 8);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);	/* until the controller knows */
	return action;
}
