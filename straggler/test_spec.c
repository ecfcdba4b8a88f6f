/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small scheduler of the test's own: TASKS tasks, each a job of its own, report every window; copies run as fast as most. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wt_spec.h"

enum { TASKS = 20, FIRST = 100, OWNER = 1000, ADMIN = 990, JOBS = 400 };

struct job {
	bool known, killed;
	double start_s, duration_s, end_s;
	uint32_t task, number, copy_of, restart, exit_code;
	enum wt_spec_state state;
};

struct world {
	struct wt_spec *s;
	struct job jobs[JOBS];	/* by id - FIRST */
	uint32_t next, copies, completed, cancelled, repaired;
	double now_s;
	bool copies_fail;
};

static struct world w;

static void job_start(uint32_t id, uint32_t task, uint32_t number, uint32_t copy_of, double duration_s)
{
	w.jobs[id - FIRST] = (struct job) { .known = true, .start_s = w.now_s, .duration_s = duration_s, .task = task, .number = number,
					    .copy_of = copy_of, .state = WT_SPEC_RUNNING };
}

static int world_start(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	(void) state;
	memset(&w, 0, sizeof(w));
	options.owner_uid = ADMIN;
	options.policy.copies = 1;
	w.s = wt_spec_create(&options, NULL);
	assert_non_null(w.s);
	w.now_s = 1000;
	for (uint32_t i = 0; i < TASKS; i++)
		job_start(FIRST + i, i, 1, 0, 60 + i % 4);
	w.next = FIRST + TASKS;
	return 0;
}

static int world_end(void **state)
{
	wt_spec_destroy(w.s);
	return state == NULL;
}

static struct wt_beat *beat_of(uint32_t id, double progress, double elapsed_s)
{
	static struct wt_beat beat;

	memset(&beat, 0, sizeof(beat));
	beat.kind = WT_BEAT_REPORT;
	beat.count = 1;
	strcpy(beat.node, "n1");
	beat.records[0] = (struct wt_beat_record) { id, id < FIRST + JOBS ? w.jobs[id - FIRST].restart : 0, 0,
						    (uint64_t) (elapsed_s * 1e6), progress };
	return &beat;
}

static void tell(uint32_t id)
{
	struct wt_spec_fact fact = { .job_id = id, .state = WT_SPEC_GONE };
	struct job *j = id >= FIRST && id < FIRST + JOBS ? &w.jobs[id - FIRST] : NULL;
	char node[16];

	if (j && j->known) {
		snprintf(node, sizeof(node), "n%u", j->task);
		fact = (struct wt_spec_fact) { .job_id = id, .state = j->state, .policy = "on", .copy_of = j->copy_of, .number = j->number,
			.uid = OWNER, .array_job_id = FIRST, .array_task_id = j->task, .tasks = TASKS, .restart = j->restart,
			.exit_code = j->exit_code, .run_time_s = w.now_s - j->start_s, .node = node };
	}
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
}

static void act(const struct wt_spec_action *a)
{
	struct job *j = &w.jobs[a->job_id - FIRST];

	switch (a->kind) {
	case WT_SPEC_COPY:
		w.copies++;
		job_start(w.next, a->array_task_id, a->number, a->job_id, 60);
		w.jobs[w.next - FIRST].exit_code = w.copies_fail;
		wt_spec_copied(w.s, a, w.next++, NULL, w.now_s);
		break;
	case WT_SPEC_COMPLETE:
		w.completed++;
		j->state = WT_SPEC_OK;
		j->exit_code = 15;	/* its script is killed */
		j->killed = true;
		break;
	case WT_SPEC_REPAIR:
		w.repaired++;
		j->exit_code = 0;
		break;
	case WT_SPEC_CANCEL:
		w.cancelled++;
		j->state = WT_SPEC_CANCELLED;
	}
}

static void second(void)
{
	struct wt_spec_action actions[8];
	const uint32_t *ids;
	size_t count;

	w.now_s++;
	for (uint32_t id = FIRST; id < w.next; id++) {
		struct job *j = &w.jobs[id - FIRST];
		double elapsed_s = w.now_s - j->start_s;

		if (j->known && j->state == WT_SPEC_RUNNING && elapsed_s >= j->duration_s)
			j->state = j->exit_code ? WT_SPEC_FAILED : WT_SPEC_OK;
		if (j->known && j->state == WT_SPEC_RUNNING && fmod(elapsed_s, 6) == id % 6)
			wt_spec_report(w.s, 0, beat_of(id, elapsed_s / j->duration_s, elapsed_s), w.now_s);
	}
	count = wt_spec_watch(w.s, w.now_s, &ids);
	if (count) {
		uint32_t *copy = calloc(count, sizeof(*copy));

		memcpy(copy, ids, count * sizeof(*copy));
		for (size_t i = 0; i < count; i++)
			tell(copy[i]);
		free(copy);
	}
	count = wt_spec_decide(w.s, w.now_s, actions, 8);
	for (size_t i = 0; i < count; i++)
		act(&actions[i]);
	assert_int_equal(wt_spec_check(w.s, NULL), 0);
}

static void run(double seconds)
{
	for (double end_s = w.now_s + seconds; w.now_s < end_s; )
		second();
}

static void test_no_straggler(void **state)
{
	run(100);
	assert_int_equal(w.copies, 0);
	(void) state;
	assert_int_equal(wt_spec_counters(w.s)->flagged, 0);
	assert_true(wt_spec_counters(w.s)->accepted >= TASKS * 9);
}

static void test_copy_wins(void **state)
{
	(void) state;
	w.jobs[7].duration_s = 180;
	run(150);
	assert_int_equal(w.copies, 1);
	assert_int_equal(w.completed, 1);
	assert_true(w.jobs[7].killed);
	assert_int_equal(w.repaired, 1);
	assert_int_equal(w.jobs[7].exit_code, 0);
	assert_int_equal(wt_spec_counters(w.s)->copies_won, 1);
}

static void test_original_wins(void **state)
{
	(void) state;
	w.jobs[7].duration_s = 180;
	run(60);
	assert_int_equal(w.copies, 1);
	w.jobs[7].duration_s = 62;	/* it catches up */
	run(20);
	assert_int_equal(w.completed, 0);
	assert_int_equal(w.cancelled, 1);
	assert_int_equal(wt_spec_counters(w.s)->copies_lost, 1);
}

static void test_copy_fails_once(void **state)
{
	(void) state;
	w.jobs[7].duration_s = 1800;
	w.copies_fail = true;
	run(2000);
	assert_int_equal(w.copies, 1);		/* never again and again */
	assert_int_equal(w.completed, 0);
	assert_int_equal(w.jobs[7].state, WT_SPEC_OK);
	assert_int_equal(wt_spec_counters(w.s)->copies_failed, 1);
}

static enum wt_beat_code ask(enum wt_beat_kind kind, uint32_t uid, uint32_t id, uint32_t what)
{
	struct wt_beat beat = { .kind = kind, .job_id = id, .operation = what, .restart = w.jobs[id - FIRST].restart };

	return kind == WT_BEAT_EXIT ? wt_spec_exit(w.s, uid, &beat, w.now_s) : wt_spec_commit(w.s, uid, &beat, w.now_s);
}

static uint32_t with_copy(void)
{
	w.jobs[7].duration_s = 180;
	run(60);
	assert_int_equal(w.copies, 1);
	return w.next - 1;
}

static void test_commit(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(WT_BEAT_COMMIT, 1001, copy, WT_COMMIT_ACQUIRE), WT_BEAT_DENIED);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	assert_true(wt_spec_changed(w.s));
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_WAIT);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_DONE), WT_BEAT_LOST);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_RELEASE), WT_BEAT_OK);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_WAIT);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_DONE), WT_BEAT_OK);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_LOST);
	run(60);	/* the copy ends well but has not published: it does not win */
	assert_int_equal(w.completed, 0);
}

static void test_commit_released(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	w.jobs[copy - FIRST].state = WT_SPEC_FAILED;
	second();
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	w.jobs[7].restart++;	/* requeued: the right was that of the earlier start */
	second();
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_DONE), WT_BEAT_LOST);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
}

/* A copy that has published wins even if it comes to grief later. */
static void test_published_and_died(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_DONE), WT_BEAT_OK);
	w.jobs[copy - FIRST].known = false;
	run(3);
	assert_int_equal(w.completed, 1);
}

static void test_failing_original_waits(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(WT_BEAT_EXIT, 0, FIRST + 3, 0), WT_BEAT_OK);	/* nothing to wait for */
	assert_int_equal(ask(WT_BEAT_EXIT, 0, copy, 0), WT_BEAT_OK);		/* a copy never waits */
	assert_int_equal(ask(WT_BEAT_EXIT, 0, FIRST + 7, 0), WT_BEAT_WAIT);
	w.jobs[copy - FIRST].state = WT_SPEC_FAILED;
	second();
	assert_int_equal(ask(WT_BEAT_EXIT, 0, FIRST + 7, 0), WT_BEAT_OK);
}

static char *saved(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	wt_spec_save(w.s, out);
	fclose(out);
	return text;
}

static void test_restart(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();
	uint32_t copy = with_copy();
	char *text;

	(void) state;
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_ACQUIRE), WT_BEAT_OK);
	text = saved();
	assert_false(wt_spec_changed(w.s));
	wt_spec_destroy(w.s);
	options.owner_uid = ADMIN;
	w.s = wt_spec_create(&options, NULL);
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), 0);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_WAIT);
	second();
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, FIRST + 7, WT_COMMIT_ACQUIRE), WT_BEAT_WAIT);
	assert_int_equal(ask(WT_BEAT_COMMIT, OWNER, copy, WT_COMMIT_DONE), WT_BEAT_OK);
	run(70);
	assert_int_equal(w.copies, 1);
	assert_int_equal(w.completed, 1);
	text[strlen(text) - 3] = '\0';	/* torn */
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), -1);
	assert_int_equal(errno, EINVAL);
	free(text);
}

static void test_refused_reports(void **state)
{
	struct wt_spec_counters *c = wt_spec_counters(w.s);

	(void) state;
	run(3);
	tell(FIRST);
	assert_int_equal(wt_spec_report(w.s, 1001, beat_of(FIRST, .1, 5), w.now_s), WT_BEAT_DENIED);
	assert_int_equal(c->foreign, 1);
	w.now_s += 6;
	assert_int_equal(wt_spec_report(w.s, OWNER, beat_of(FIRST, .5, 5), w.now_s), WT_BEAT_OK);
	wt_spec_report(w.s, OWNER, beat_of(FIRST, .6, 6), w.now_s + .1);
	assert_int_equal(c->flood, 1);
	w.now_s += 6;
	wt_spec_report(w.s, ADMIN, beat_of(FIRST, .4, 12), w.now_s);
	wt_spec_report(w.s, ADMIN, beat_of(FIRST, .6, 4), w.now_s);
	assert_int_equal(c->backwards, 2);
	for (int i = 0; i < 3; i++)
		wt_spec_report(w.s, OWNER, beat_of(FIRST, (const double[]) { 1.5, -.1, NAN }[i], 12), w.now_s);
	assert_int_equal(c->range, 3);
	wt_spec_report(w.s, OWNER, beat_of(4000000, .5, 12), w.now_s);
	assert_true(c->unknown > 0);
	w.jobs[0].restart = 3;
	wt_spec_report(w.s, OWNER, beat_of(FIRST, .6, 12), w.now_s);
	assert_int_equal(c->stale, 1);
}

static void test_limits(void **state)
{
	(void) state;
	for (int i = 0; i < 8; i++)
		w.jobs[i].duration_s = 600;
	run(100);
	assert_true(w.copies >= 1 && w.copies <= 4);	/* a tenth of 20 at a time */
}

static void test_policy(void **state)
{
	struct wt_spec_policy policy = wt_spec_defaults().policy;
	static const char *const bad[] = { "", "off", "copies", "copies=", "copies=9", "copies=x", "share=2", "share=nan", "cpu=0", "on," };
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_spec_policy_parse("on", &policy, NULL), 0);
	assert_int_equal(wt_spec_policy_parse("copies=2,share=0.5,z=.5,cpu=30", &policy, NULL), 0);
	assert_true(policy.copies == 2 && policy.share == .5 && policy.z == .5 && policy.cpu_s == 30);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wt_spec_policy_parse(bad[i], &policy, &err), -1);
}

static void test_show(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void) state;
	with_copy();
	wt_spec_show(w.s, WT_STATUS_JOBS, OWNER, FIRST, w.now_s, out);
	fclose(out);
	assert_non_null(strstr(text, "\"copies\":1"));
	assert_non_null(strstr(text, "\"attempt\":2"));
	free(text);
	out = open_memstream(&text, &len);
	wt_spec_show(w.s, WT_STATUS_JOBS, 1001, 0, w.now_s, out);	/* nobody else sees it */
	fclose(out);
	assert_non_null(strstr(text, "\"arrays\":[]"));
	free(text);
}

#define WORLD(test) cmocka_unit_test_setup_teardown(test, world_start, world_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_no_straggler), WORLD(test_copy_wins), WORLD(test_original_wins), WORLD(test_copy_fails_once), WORLD(test_commit),
		WORLD(test_commit_released), WORLD(test_published_and_died), WORLD(test_failing_original_waits), WORLD(test_restart),
		WORLD(test_refused_reports), WORLD(test_limits), WORLD(test_show), cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
