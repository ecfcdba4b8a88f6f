/* SPDX-License-Identifier: GPL-2.0-or-later */
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

#include "straggler/test_spec_world.h"

static void test_no_straggler(void **state)
{
	run(100);
	assert_int_equal(w.copies, 0);
	(void) state;
	assert_int_equal(wt_spec_counters(w.s)->flagged, 0);
	assert_true(wt_spec_counters(w.s)->accepted >= TASK_COUNT * 9);
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

static void test_failing_original_waits(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 3, 0), PORT_OK);	/* nothing to wait for */
	assert_int_equal(ask(PORT_EXIT, 0, copy, 0), PORT_OK);		/* a copy never waits */
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_WAIT);
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_FAILED;
	second();
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_OK);
}

/* Its end must not be final before the copy, of which we know only that it was submitted, has had the time to start. */
static void test_failing_original_waits_for_a_start(void **state)
{
	uint32_t copy = w.next;

	(void) state;
	w.jobs[7].duration_s = 180;
	while (!w.copies)
		second();
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_PENDING;
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_WAIT);
	run(9);
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_WAIT);
	run(1);
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_OK);	/* no room for it */
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_RUNNING;
	second();
	assert_int_equal(ask(PORT_EXIT, 0, FIRST_JOB + 7, 0), PORT_WAIT);
}

static char *text_of(void (*save)(struct wt_spec *, FILE *))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	save(w.s, out);
	fclose(out);
	return text;
}

static void test_restart(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();
	uint32_t copy = with_copy();
	char *text;

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	text = text_of(wt_spec_save);
	assert_false(wt_spec_changed(w.s));
	wt_spec_destroy(w.s);
	options.owner_uid = ADMIN;
	w.s = wt_spec_create(&options, NULL);
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), 0);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	second();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	run(70);
	assert_int_equal(w.copies, 1);
	assert_int_equal(w.completed, 1);
	text[strlen(text) - 3] = '\0';	/* torn */
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), -1);
	assert_int_equal(errno, EINVAL);
	free(text);
}

static struct wt_spec *loaded(const char *text, size_t len)
{
	struct wt_spec_options options = wt_spec_defaults();
	struct wt_spec *s = wt_spec_create(&options, NULL);

	if (wt_spec_load(s, text, len, NULL) == 0)
		return s;
	assert_int_equal(errno, EINVAL);
	wt_spec_destroy(s);
	return NULL;
}

static enum port_code first_asks(struct wt_spec *s)
{
	struct port_message message = { .kind = PORT_COMMIT, .operation = WT_COMMIT_ACQUIRE, .job_id = FIRST_JOB + 7,
				.array_job_id = FIRST_JOB, .array_task_id = 7,
				.acquisition = 1 };

	return wt_spec_commit(s, ARRAY_OWNER, &message, w.now_s, NULL);
}

/* What has changed is put behind what is there; killed anywhere in the middle, all before it counts. */
static void test_changes(void **state)
{
	uint32_t copy = with_copy();
	char *whole = text_of(wt_spec_save), *more, text[4096];
	size_t len, whole_len = strlen(whole);
	struct wt_spec *s;

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	more = text_of(wt_spec_save_changes);
	assert_false(wt_spec_changed(w.s));
	assert_string_equal(more + strlen(more) - 6, "end 5\n");	/* this task, its right, and its two attempts */
	len = (size_t) snprintf(text, sizeof(text), "%s%s", whole, more);
	for (size_t cut = whole_len; cut <= len; cut++) {
		s = loaded(text, cut);
		assert_non_null(s);
		assert_int_equal(first_asks(s), cut == len ? PORT_LOST : PORT_WAIT);
		assert_int_equal(wt_spec_check(s, NULL), 0);
		wt_spec_destroy(s);
	}
	memset(text + whole_len, 0, 20);		/* as some file systems leave it */
	s = loaded(text, len);
	assert_non_null(s);
	assert_int_equal(first_asks(s), PORT_WAIT);
	wt_spec_destroy(s);
	len += (size_t) snprintf(text + len, sizeof(text) - len, "%s", more);
	assert_null(loaded(text, len));			/* something was written behind it: that is no torn end */
	free(whole);
	free(more);
}

/* Tasks that have published and ended are not written again, once the scheduler has their end on the disk; with a copy they
 * are. */
static void test_save_is_small(void **state)
{
	uint32_t copy = with_copy();
	char *text;

	(void) state;
	assert_int_equal(w.jobs[3].state, WT_SPEC_RUNNING);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 3, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	text = text_of(wt_spec_save);
	assert_non_null(strstr(text, "task 100 3 "));
	free(text);
	w.now_s++;
	w.jobs[3].state = WT_SPEC_OK;
	tell(FIRST_JOB + 3);
	text = text_of(wt_spec_save);
	assert_non_null(strstr(text, "task 100 3 "));
	free(text);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	text = text_of(wt_spec_save);
	assert_null(strstr(text, "task 100 3 "));
	assert_non_null(strstr(text, "task 100 7 "));
	free(text);
}

static void test_refused_reports(void **state)
{
	struct wt_spec_counters *c = wt_spec_counters(w.s);

	(void) state;
	run(3);
	tell(FIRST_JOB);
	assert_int_equal(wt_spec_report(w.s, 1001, beat_of(FIRST_JOB, .1, 5), w.now_s), PORT_DENIED);
	assert_int_equal(c->foreign, 1);
	w.now_s += 6;
	assert_int_equal(wt_spec_report(w.s, ARRAY_OWNER, beat_of(FIRST_JOB, .5, 5), w.now_s), PORT_OK);
	wt_spec_report(w.s, ARRAY_OWNER, beat_of(FIRST_JOB, .6, 6), w.now_s + .1);
	assert_int_equal(c->flood, 1);
	w.now_s += 6;
	wt_spec_report(w.s, ADMIN, beat_of(FIRST_JOB, .4, 12), w.now_s);
	wt_spec_report(w.s, ADMIN, beat_of(FIRST_JOB, .6, 4), w.now_s);
	assert_int_equal(c->backwards, 2);
	for (int i = 0; i < 3; i++)
		wt_spec_report(w.s, ARRAY_OWNER, beat_of(FIRST_JOB, (const double[]) { 1.5, -.1, NAN }[i], 12), w.now_s);
	assert_int_equal(c->range, 3);
	wt_spec_report(w.s, ARRAY_OWNER, beat_of(4000000, .5, 12), w.now_s);
	assert_true(c->unknown > 0);
	w.jobs[0].restart = 3;
	wt_spec_report(w.s, ARRAY_OWNER, beat_of(FIRST_JOB, .6, 12), w.now_s);
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

/* Ours finds a slow task early; Hadoop's waits until another one has ended. */
static void test_rules(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	w.jobs[7].duration_s = 180;
	run(59);
	assert_int_equal(w.copies, 1);
	world_end(state);
	world_start(state);
	options.owner_uid = ADMIN;
	options.score_allowed = true;
	assert_int_equal(wt_spec_configure(w.s, &options, NULL), 0);
	w.policy = "rule=score";
	w.jobs[7].duration_s = 180;
	run(59);
	assert_int_equal(w.copies, 0);
	run(31);
	assert_int_equal(w.copies, 1);
	assert_int_equal(w.jobs[w.next - 1 - FIRST_JOB].task, 7);
}

/* Where the site does not allow Hadoop's rule, who asks for it gets ours, and its Cost and Z hold; an array that has it when
 * the site changes its mind gets no copies any more. */
static void test_rule_forbidden(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	options.owner_uid = ADMIN;
	w.policy = "rule=score";
	w.jobs[7].duration_s = 180;
	run(59);
	assert_int_equal(w.copies, 1);
	world_end(state);
	world_start(state);
	options.cost = 100;
	assert_int_equal(wt_spec_configure(w.s, &options, NULL), 0);
	w.policy = "rule=score";
	w.jobs[7].duration_s = 90;
	run(89);
	assert_int_equal(w.copies, 0);
	world_end(state);
	world_start(state);
	options.score_allowed = true;
	assert_int_equal(wt_spec_configure(w.s, &options, NULL), 0);
	w.policy = "rule=score";
	w.jobs[7].duration_s = 180;
	run(30);
	options.score_allowed = false;
	assert_int_equal(wt_spec_configure(w.s, &options, NULL), 0);
	run(90);
	assert_int_equal(w.copies, 0);
}

static void test_policy(void **state)
{
	struct wt_spec_policy policy = wt_spec_defaults().policy;
	static const char *const bad[] = { "", "off", "copies", "copies=", "copies=9", "copies=x", "share=2", "share=nan",
					   "cpu=0", "on,", "rule", "rule=", "rule=late", "rule=scores" };
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_spec_policy_parse("on", &policy, NULL), 0);
	assert_int_equal(wt_spec_policy_parse("copies=2,share=0.5,z=.5,cpu=30", &policy, NULL), 0);
	assert_true(policy.copies == 2 && policy.share == .5 && policy.z == .5 && policy.cpu_s == 30);
	assert_false(policy.by_score);
	assert_int_equal(wt_spec_policy_parse("on,rule=score", &policy, NULL), 0);
	assert_true(policy.by_score);
	assert_int_equal(wt_spec_policy_parse("rule=fresh,copies=1", &policy, NULL), 0);
	assert_false(policy.by_score);
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
	wt_spec_show(w.s, WT_STATUS_JOBS, ARRAY_OWNER, FIRST_JOB, w.now_s, out);
	fclose(out);
	assert_non_null(strstr(text, "\"copies\":1"));
	assert_non_null(strstr(text, "\"attempt\":2"));
	free(text);
	out = open_memstream(&text, &len);
	wt_spec_show(w.s, WT_STATUS_JOBS, 1001, 0, w.now_s, out);	/* no other user sees it */
	fclose(out);
	assert_non_null(strstr(text, "\"arrays\":[]"));
	free(text);
}

static const char *nodes_text(void)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof(text), "w");

	wt_spec_show(w.s, WT_STATUS_NODES, ADMIN, 0, w.now_s, out);
	fclose(out);
	return text;
}

/* A user lets a copy that has failed run again, and it fails again: the counts of copies, which bound those of all users,
 * stay right (wt_spec_check ()). */
static void test_copy_requeued(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *job = &w.jobs[copy - FIRST_JOB];

	(void) state;
	w.jobs[7].duration_s = 10000;
	for (uint32_t start = 0; start < 3; start++) {
		job->state = WT_SPEC_FAILED;
		second();
		job->state = WT_SPEC_RUNNING;
		job->restart++;
		job->start_s = w.now_s;
		second();
	}
}

/* A copy that was made, but is one attempt more than may be followed: its original is looked at as any other with a copy. */
static void test_copy_not_followed(void **state)
{
	(void) state;
	w.cramped = true;
	w.jobs[7].duration_s = 180;
	run(60);
	assert_int_equal(w.copies, 1);
}

/* What an administrator looks at to find a slow node: of how many tasks on it how many were flagged.  Each counts once. */
static void test_show_nodes(void **state)
{
	(void) state;
	with_copy();
	assert_non_null(strstr(nodes_text(), "{\"node\":\"n7\",\"tasks\":1,\"flagged\":1}"));
	run(200);
	for (unsigned int i = 0; i < TASK_COUNT; i++) {
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "{\"node\":\"n%u\",\"tasks\":1,\"flagged\":%d}", i, i == 7);
		assert_non_null(strstr(nodes_text(), wanted));
	}
}

/* The limits themselves may be set; what is beyond them may not, and leaves the options as they were. */
static void test_options(void **state)
{
	struct wt_spec_options o = wt_spec_defaults();
	double *const at_least_0[] = { &o.cost, &o.age_min_s, &o.policy.z, &o.policy.share };

	(void) state;
	for (size_t i = 0; i < sizeof(at_least_0) / sizeof(at_least_0[0]); i++) {
		*at_least_0[i] = -1e-9;
		assert_int_equal(wt_spec_configure(w.s, &o, NULL), -1);
		assert_int_equal(errno, EINVAL);
		*at_least_0[i] = 0;
		assert_int_equal(wt_spec_configure(w.s, &o, NULL), 0);
	}
	o.policy.share = 1;
	o.policy.copies = 8;
	o.window_s = .1;
	o.silence_s = .3000001;
	assert_int_equal(wt_spec_configure(w.s, &o, NULL), 0);
	o.silence_s = .29;
	assert_int_equal(wt_spec_configure(w.s, &o, NULL), -1);
	o.window_s = 3600;
	o.silence_s = 3 * o.window_s;
	assert_int_equal(wt_spec_configure(w.s, &o, NULL), 0);
	o.policy.copies = 9;
	assert_int_equal(wt_spec_configure(w.s, &o, NULL), -1);
	o.policy.copies = 8;
	o.policy.share = 1.001;
	assert_int_equal(wt_spec_configure(w.s, &o, NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_no_straggler), WORLD(test_copy_wins), WORLD(test_original_wins), WORLD(test_copy_fails_once),
		WORLD(test_failing_original_waits), WORLD(test_failing_original_waits_for_a_start),
		WORLD(test_copy_requeued), WORLD(test_copy_not_followed), WORLD(test_restart), WORLD(test_changes),
		WORLD(test_save_is_small),
		WORLD(test_refused_reports), WORLD(test_limits), WORLD(test_show), WORLD(test_show_nodes),
		WORLD(test_options), cmocka_unit_test(test_policy), WORLD(test_rules),
		WORLD(test_rule_forbidden),
	};

	return cmocka_run_group_tests_name("spec", tests, NULL, NULL);
}
