/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle CPU time by cause, in schedules small enough to count by hand.  The machine has 10 nodes of 1 CPU. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/page/losses.h"

#define NEVER NAN

struct line {
	uint32_t cpus;
	double submit_s, start_s, end_s;
	double release_s, completing_node_s;
};

struct world {
	struct page_run run;
	struct wt_record record;
	struct wt_job_record records[16];
	struct page_job jobs[16];
	struct sweep sweep;
	struct losses losses;
};

static void world_make(struct world *w, const struct line *lines, size_t count)
{
	memset(w, 0, sizeof(*w));
	w->record.cpus = w->record.nodes = 10;
	w->run.record = &w->record;
	w->run.jobs = w->jobs;
	w->run.job_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct line *l = &lines[i];

		wt_job_record_init(&w->records[i]);
		w->records[i].cpus = w->records[i].alloc_nodes = l->cpus;
		w->records[i].start_s = l->start_s;
		w->records[i].end_s = l->end_s;
		w->records[i].state = isnan(l->start_s) ? WT_JOB_CANCELLED : WT_JOB_COMPLETED;
		if (l->completing_node_s > 0) {
			w->records[i].released_nodes = l->cpus;
			w->records[i].release_sum_s = l->completing_node_s + l->cpus * (l->end_s - l->start_s);
		}
		w->jobs[i] = (struct page_job){
			.record = &w->records[i],
			.cpus = l->cpus,
			.sent_s = l->submit_s,
			.submit_s = l->submit_s,
			.start_s = l->start_s,
			.end_s = l->end_s,
			.release_s = l->release_s > 0 ? l->release_s : NAN,
			.size = page_size_of(l->cpus, 10),
		};
	}
	assert_int_equal(sweep_make(&w->sweep, &w->run, NULL), 0);
	assert_int_equal(losses_compute(&w->losses, &w->run, &w->sweep, NULL), 0);
}

static void check(const struct world *w, enum loss_cause cause, double cpu_s)
{
	if (fabs(w->losses.cpu_s[cause] - cpu_s) > 1e-9)
		fail_msg("%s: %g CPU s, not %g", loss_cause_name(cause), w->losses.cpu_s[cause], cpu_s);
}

static void check_sum(const struct world *w)
{
	double sum = 0;

	for (int c = 0; c < LOSS_CAUSE_COUNT; c++)
		sum += w->losses.cpu_s[c];
	assert_true(fabs(sum - w->losses.idle_cpu_s) < 1e-9);
	assert_true(fabs(w->losses.idle_cpu_s + w->losses.busy_cpu_s - w->losses.capacity_cpu_s) < 1e-9);
}

#define WORLD(w, ...) \
	struct world w; \
	const struct line w##_lines[] = { __VA_ARGS__ }; \
	world_make(&w, w##_lines, sizeof(w##_lines) / sizeof(w##_lines[0]))

/* 0-2 nothing runs, 2-10 all; 10-20 half, and the other 5 CPUs are the tail. */
static void start_and_tail(void **state)
{
	(void) state;
	WORLD(w, { 5, 0, 2, 10, 0, 0 }, { 5, 0, 2, 20, 0, 0 });
	assert_true(w.losses.makespan_s == 20);
	check(&w, LOSS_START, 20);
	check(&w, LOSS_TAIL, 50);
	check_sum(&w);
	assert_int_equal(losses_first(&w.losses), LOSS_TAIL);
	assert_true(w.losses.largest[LOSS_TAIL].from_s == 10 && w.losses.largest[LOSS_TAIL].to_s == 20);
	assert_true(losses_points(&w.losses, 50) == 25);
	sweep_clear(&w.sweep);
}

/* The large job (2) waits from 1 on; from 6 on the machine is emptied for it, although the small one (3) would fit. */
static void drain_names_its_job(void **state)
{
	(void) state;
	WORLD(w, { 6, 0, 0, 6, 0, 0 }, { 4, 0, 0, 10, 0, 0 }, { 10, 1, 10, 20, 0, 0 }, { 2, 1, 20, 30, 0, 0 });
	check(&w, LOSS_DRAIN, 24);
	assert_int_equal(w.losses.largest[LOSS_DRAIN].job, 2);
	assert_true(w.losses.largest[LOSS_DRAIN].from_s == 6 && w.losses.largest[LOSS_DRAIN].to_s == 10);
	check(&w, LOSS_TAIL, 80);
	check(&w, LOSS_FITTED, 0);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

/* A large job that fits is not drained for: it is not started. */
static void an_empty_machine_is_no_drain(void **state)
{
	(void) state;
	WORLD(w, { 10, 0, 0, 10, 0, 0 }, { 10, 0, 13, 20, 0, 0 });
	check(&w, LOSS_DRAIN, 0);
	check(&w, LOSS_FITTED, 30);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

/* 5-8: four CPUs are idle and five are asked for; 8-10: they fit, and start at 10. */
static void fitting_is_a_matter_of_cpus(void **state)
{
	(void) state;
	WORLD(w, { 4, 0, 0, 5, 0, 0 }, { 3, 0, 0, 8, 0, 0 }, { 3, 0, 0, 20, 0, 0 }, { 5, 2, 10, 20, 0, 0 },
	      { 8, 2, 20, 21, 0, 0 });
	check(&w, LOSS_NOT_FITTED, 12 + 20);	/* the last needs 8, and has 2 from 10 to 20 */
	check(&w, LOSS_FITTED, 14);
	check(&w, LOSS_TAIL, 2);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

static void no_job_waits(void **state)
{
	(void) state;
	WORLD(w, { 10, 0, 0, 5, 0, 0 }, { 10, 8, 8, 10, 0, 0 });
	check(&w, LOSS_NO_JOB, 30);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

/* 20 node seconds on 10 nodes over 4 s are 5 CPUs; the other 5 wait for a job that does not fit into them. */
static void completing_comes_first(void **state)
{
	(void) state;
	WORLD(w, { 10, 0, 0, 10, 14, 20 }, { 10, 0, 14, 20, 0, 0 });
	check(&w, LOSS_COMPLETING, 20);
	check(&w, LOSS_DRAIN, 20);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

/* It never started: it waits until it is cancelled, and no longer. */
static void a_job_that_leaves(void **state)
{
	(void) state;
	WORLD(w, { 10, 0, 0, 5, 0, 0 }, { 4, 1, NEVER, 7, 0, 0 }, { 10, 9, 9, 10, 0, 0 });
	check(&w, LOSS_FITTED, 20);
	check(&w, LOSS_NO_JOB, 20);
	check_sum(&w);
	sweep_clear(&w.sweep);
}

static void impossible_times_are_left_out(void **state)
{
	(void) state;
	WORLD(w, { 10, 0, 0, 5, 0, 0 }, { 10, 0, 8, 7, 0, 0 }, { 10, -20, -10, -5, 0, 0 }, { 10, 8, 4, 9, 0, 0 });
	assert_int_equal(w.sweep.impossible, 3);
	assert_true(w.losses.makespan_s == 5 && w.losses.idle_cpu_s == 0);
	sweep_clear(&w.sweep);
}

/* Two jobs on the same CPUs: what is beyond the machine is counted apart. */
static void too_many_cpus(void **state)
{
	(void) state;
	WORLD(w, { 8, 0, 0, 5, 0, 0 }, { 8, 0, 0, 5, 0, 0 });
	assert_true(w.losses.over_cpu_s == 30 && w.losses.idle_cpu_s == 0);
	assert_true(losses_overfull(&w.losses) && w.losses.most_cpus == 16 && w.losses.most_s == 0);
	assert_int_equal(w.losses.larger_jobs, 0);
	sweep_clear(&w.sweep);
}

/* One alone, and the moment from which on most was had; a machine that is just full is none. */
static void larger_than_the_machine(void **state)
{
	(void) state;
	WORLD(w, { 8, 0, 0, 9, 0, 0 }, { 12, 1, 3, 5, 0, 0 }, { 4, 0, 4, 5, 0, 0 });
	assert_true(losses_overfull(&w.losses) && w.losses.most_cpus == 24 && w.losses.most_s == 4);
	assert_int_equal(w.losses.larger_jobs, 1);
	sweep_clear(&w.sweep);
	WORLD(moment, { 10, 0, 0, 5, 0, 0 }, { 11, 0, 5, 5, 0, 0 });
	assert_true(losses_overfull(&moment.losses) && moment.losses.most_cpus == 0);
	sweep_clear(&moment.sweep);
	WORLD(full, { 10, 0, 0, 5, 0, 0 }, { 10, 0, 5, 9, 0, 0 });
	assert_true(!losses_overfull(&full.losses) && full.losses.most_cpus == 0);
	sweep_clear(&full.sweep);
}

static void nothing_ran(void **state)
{
	(void) state;
	WORLD(w, { 8, 0, NEVER, NEVER, 0, 0 });
	assert_true(w.losses.makespan_s == 0 && w.losses.capacity_cpu_s == 0 && w.losses.idle_cpu_s == 0);
	assert_true(losses_points(&w.losses, 0) == 0);
	sweep_clear(&w.sweep);
}

static void sizes(void **state)
{
	(void) state;
	assert_int_equal(page_size_of(1, 1000), PAGE_SIZE_THOUSANDTH);
	assert_int_equal(page_size_of(2, 1000), PAGE_SIZE_HUNDREDTH);
	assert_int_equal(page_size_of(32, 1024), PAGE_SIZE_32TH);
	assert_int_equal(page_size_of(33, 1024), PAGE_SIZE_EIGHTH);
	assert_int_equal(page_size_of(512, 1024), PAGE_SIZE_HALF);
	assert_int_equal(page_size_of(513, 1024), PAGE_SIZE_LARGE);
	assert_int_equal(page_size_of(9, 10), PAGE_SIZE_WHOLE);
	assert_int_equal(page_size_of(9, 0), PAGE_SIZE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_and_tail),
		cmocka_unit_test(drain_names_its_job),
		cmocka_unit_test(an_empty_machine_is_no_drain),
		cmocka_unit_test(fitting_is_a_matter_of_cpus),
		cmocka_unit_test(no_job_waits),
		cmocka_unit_test(completing_comes_first),
		cmocka_unit_test(a_job_that_leaves),
		cmocka_unit_test(impossible_times_are_left_out),
		cmocka_unit_test(too_many_cpus),
		cmocka_unit_test(larger_than_the_machine),
		cmocka_unit_test(nothing_ran),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests_name("losses", tests, NULL, NULL);
}
