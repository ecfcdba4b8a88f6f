/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks that fall silent: which of them get a copy, and which do not. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/spec.h"

enum { TASKS = 20, FIRST = 100, HUNG = 7, DURATION_S = 100 };

struct hung_world {
	struct wt_spec *s;
	double now_s, ends_s[TASKS];
	bool deaf;		/* no reports arrive */
	uint32_t copies, copied;	/* copied: the task */
};

static int world_start(void **state)
{
	static struct hung_world w;
	struct wt_spec_options options = wt_spec_defaults();

	memset(&w, 0, sizeof(w));
	w.s = wt_spec_create(&options, NULL);
	assert_non_null(w.s);
	for (uint32_t i = 0; i < TASKS; i++)
		w.ends_s[i] = DURATION_S + i % 3;
	*state = &w;
	return 0;
}

static int world_end(void **state)
{
	struct hung_world *w = *state;

	wt_spec_destroy(w->s);
	return 0;
}

static void tell(struct hung_world *w, uint32_t task)
{
	struct wt_spec_fact fact = { .job_id = FIRST + task, .state = w->now_s < w->ends_s[task] ? WT_SPEC_RUNNING :
				     WT_SPEC_OK, .policy = "on",
				     .array_job_id = FIRST, .array_task_id = task, .tasks = TASKS, .run_time_s = w->now_s,
				     .node = "n1" };

	wt_spec_fact(w->s, &fact, w->now_s, NULL);
}

static void report(struct hung_world *w, uint32_t task)
{
	static struct port_message message;

	memset(&message, 0, sizeof(message));
	message.kind = PORT_REPORT;
	message.count = 1;
	strcpy(message.node, "n1");
	message.records[0] = (struct beat_record) { FIRST + task, 0, 0, (uint64_t) (w->now_s * 1e6),
						    w->now_s / (DURATION_S + task % 3) };
	wt_spec_report(w->s, 0, &message, w->now_s);
}

/* 'silent' tasks from HUNG on say nothing. */
static void run(struct hung_world *w, double until_s, uint32_t silent)
{
	struct wt_spec_action actions[TASKS];

	while (w->now_s < until_s) {
		size_t count;

		w->now_s++;
		for (uint32_t i = 0; i < TASKS; i++) {
			tell(w, i);
			if (!w->deaf && fmod(w->now_s, 6) == i % 6 && w->now_s < w->ends_s[i] &&
			    (i < HUNG || i >= HUNG + silent))
				report(w, i);
		}
		count = wt_spec_decide(w->s, w->now_s, actions, TASKS);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(actions[i].kind, WT_SPEC_COPY);
			w->copies++;
			w->copied = actions[i].array_task_id;
			wt_spec_copied(w->s, &actions[i], 0, "a test", w->now_s);
		}
	}
}

static void test_hung_task(void **state)
{
	struct hung_world *w = *state;

	run(w, 50, 0);
	w->ends_s[HUNG] = INFINITY;
	run(w, 50 + 20, 1);
	assert_int_equal(w->copies, 0);		/* not yet: reports may have been lost */
	run(w, 99, 1);
	assert_true(w->copies > 0);
	assert_int_equal(w->copied, HUNG);
}

static void test_others_have_ended(void **state)
{
	struct hung_world *w = *state;

	run(w, 90, 0);
	w->ends_s[HUNG] = INFINITY;
	run(w, 200, 1);
	assert_true(w->copies > 0);
	assert_int_equal(w->copied, HUNG);
}

static void test_nobody_is_heard(void **state)
{
	struct hung_world *w = *state;

	run(w, 40, 0);
	w->deaf = true;
	run(w, 80, 0);		/* munged or the network is down, for longer than any silence that is allowed */
	w->deaf = false;
	run(w, 110, 0);
	assert_int_equal(w->copies, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hung_task, world_start, world_end),
		cmocka_unit_test_setup_teardown(test_others_have_ended, world_start, world_end),
		cmocka_unit_test_setup_teardown(test_nobody_is_heard, world_start, world_end),
	};

	return cmocka_run_group_tests_name("spec_hang", tests, NULL, NULL);
}
