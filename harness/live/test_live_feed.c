/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_feed.h"
#include "lib/test_cmocka.h"

static struct live_memory memory;
static struct live_state seen;

static struct wt_record *jobs_make(size_t count)
{
	struct wt_record *r = wt_record_create(NULL, NULL);

	assert_non_null(r);
	r->jobs = calloc(count, sizeof(*r->jobs));
	r->job_count = count;
	for (size_t i = 0; i < count; i++) {
		wt_job_record_init(&r->jobs[i]);
		r->jobs[i].name = strdup("a job with a name that is longer than what is kept of it, which is cut then");
		r->jobs[i].job_id = (uint32_t) i + 1;
		r->jobs[i].state = WT_JOB_PENDING;
		r->jobs[i].submit_s = 1000.5;
		r->jobs[i].submit_latency_s = 0.5;
	}
	return r;
}

static void look(void)
{
	uint64_t sequence;

	assert_true(live_memory_get(&memory, &seen, &sequence));
}

static void jobs_told_once(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);
	struct wt_record *r = jobs_make(3);

	(void) state;
	live_feed_begin(feed, "title", "/folder", 5);
	live_feed_record(feed, r, 1000);
	assert_int_equal(feed->state.started, 0);
	r->jobs[0].state = WT_JOB_RUNNING;
	r->jobs[0].start_s = 1010;
	r->jobs[1].state = WT_JOB_COMPLETED;	/* between two looks it has come and gone */
	r->jobs[1].start_s = 1002;
	r->jobs[1].end_s = 1004;
	r->jobs[2].start_s = 1500;		/* it waits, and slurmctld guesses when it will start */
	live_feed_record(feed, r, 1000);
	live_feed_record(feed, r, 1000);
	assert_int_equal(feed->state.started, 2);
	assert_int_equal(feed->state.job_count, 2);
	assert_true(feed->state.last_jobs[0].id == 1 && feed->state.last_jobs[0].state == WT_JOB_RUNNING);
	assert_true(feed->state.last_jobs[1].id == 2 && feed->state.last_jobs[1].state == WT_JOB_COMPLETED);
	assert_int_equal(feed->state.waits.count, 2);
	assert_true(fabs(feed->state.waits.sum - 12) < 1e-9);
	r->jobs[0].state = WT_JOB_FAILED;
	r->jobs[0].end_s = 1020;
	live_feed_record(feed, r, 1000);
	assert_int_equal(feed->state.job_count, 3);
	assert_int_equal(feed->state.last_jobs[2].state, WT_JOB_FAILED);
	assert_true(feed->state.last_jobs[2].run_s == 10 && feed->state.last_jobs[2].time_s == 20);
	assert_int_equal(strlen(feed->state.last_jobs[2].name), LIVE_NAME_SIZE - 1);
	live_feed_put(feed, 6, 6);
	look();
	assert_int_equal(seen.started, 2);
	assert_true(seen.wall_s == 1);
	assert_string_equal(seen.title, "title");
	live_feed_destroy(feed);
	wt_record_destroy(r);
}

/* Cancelled while it waited: slurmctld tells no start.  It has no wait, and ends once. */
static void never_started(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);
	struct wt_record *r = jobs_make(1);

	(void) state;
	live_feed_begin(feed, "t", "/f", 0);
	r->jobs[0].state = WT_JOB_CANCELLED;
	r->jobs[0].end_s = 1001;
	live_feed_record(feed, r, 1000);
	live_feed_record(feed, r, 1000);
	assert_int_equal(feed->state.started, 0);
	assert_int_equal(feed->state.job_count, 1);
	assert_true(isnan(feed->state.last_jobs[0].wait_s) && isnan(feed->state.last_jobs[0].run_s));
	live_feed_destroy(feed);
	wt_record_destroy(r);
}

static void samples_kept(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);
	struct wt_record *r = jobs_make(0);

	(void) state;
	live_feed_begin(feed, "t", "/f", 0);
	assert_null(live_state_sample(&feed->state));
	for (int i = 0; i < LIVE_SAMPLES + 10; i++)
		assert_int_equal(wt_record_add_sample(r, &(struct wt_sample){ .time_s = 1000 + i }, NULL), 0);
	live_feed_record(feed, r, 1000);
	live_feed_record(feed, r, 1000);
	assert_int_equal(feed->state.sample_count, LIVE_SAMPLES);	/* the first ten are overwritten */
	assert_true(live_state_sample(&feed->state)->time_s == LIVE_SAMPLES + 9);
	live_feed_destroy(feed);
	wt_record_destroy(r);
}

/* What is told twice is laid down once. */
static void phases(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);
	uint64_t first, second;

	(void) state;
	live_feed_begin(feed, "t", "/f", 0);
	live_feed_phase(feed, LIVE_FINISHING, "one", 1);
	look();
	assert_string_equal(seen.doing, "one");
	live_feed_phase(feed, LIVE_FINISHING, "two", 2);
	look();
	assert_string_equal(seen.doing, "two");
	live_feed_phase(feed, LIVE_ENDED, "two", 3);
	assert_true(live_memory_get(&memory, &seen, &first));
	assert_int_equal(seen.phase, LIVE_ENDED);
	live_feed_phase(feed, LIVE_ENDED, "two", 4);
	assert_true(live_memory_get(&memory, &seen, &second));
	assert_true(first == second);
	live_feed_destroy(feed);
}

static void pace(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);

	(void) state;
	live_feed_begin(feed, "t", "/f", 100);
	live_feed_put(feed, 100, 100);
	assert_false(live_feed_due(feed, 100.2));
	assert_true(live_feed_due(feed, 100.3));
	live_feed_put(feed, 101, 102);	/* telling took a second */
	assert_false(live_feed_due(feed, 151));
	assert_true(live_feed_due(feed, 152));
	live_feed_destroy(feed);
	live_feed_begin(NULL, "t", "/f", 0);
	live_feed_phase(NULL, LIVE_ENDED, "", 0);
	live_feed_record(NULL, NULL, 0);
	live_feed_put(NULL, 0, 0);
	live_feed_end(NULL, 0);
	assert_false(live_feed_due(NULL, 1e9));
}

/* With --repeat the last words are those of another process: the end keeps them. */
static void end_keeps(void **state)
{
	struct live_feed *parent = live_feed_create(&memory), *child = live_feed_create(&memory);

	(void) state;
	live_feed_begin(child, "child", "/f/2", 0);
	child->state.ended = 7;
	live_feed_put(child, 1, 1);
	live_feed_end(parent, 130);
	look();
	assert_string_equal(seen.title, "child");
	assert_int_equal(seen.ended, 7);
	assert_int_equal(seen.phase, LIVE_ENDED);
	assert_int_equal(seen.exit_status, 130);
	live_feed_destroy(parent);
	live_feed_destroy(child);
}

/* A writer that was killed in the middle: the reader gives up, and the next writer repairs it. */
static void half_written(void **state)
{
	struct live_feed *feed = live_feed_create(&memory);
	uint64_t sequence;

	(void) state;
	atomic_fetch_or(&memory.sequence, 1);
	assert_false(live_memory_get(&memory, &seen, &sequence));
	live_feed_begin(feed, "again", "/f", 0);
	look();
	assert_string_equal(seen.title, "again");
	live_feed_destroy(feed);
}

static void histogram(void **state)
{
	struct live_histogram h = { 0 };

	(void) state;
	assert_true(isnan(live_histogram_quantile(&h, 0.5)));
	live_histogram_add(&h, NAN);
	assert_int_equal(h.count, 0);
	live_histogram_add(&h, -1);
	live_histogram_add(&h, 0);
	assert_true(live_histogram_quantile(&h, 0.5) == 0);
	for (int i = 1; i <= 1000; i++)
		live_histogram_add(&h, i);
	live_histogram_add(&h, INFINITY);
	assert_int_equal(h.count, 1003);
	assert_true(live_histogram_quantile(&h, 0.5) >= 500 && live_histogram_quantile(&h, 0.5) <= 500 * 1.1);
	assert_true(live_histogram_quantile(&h, 0.9) >= 900 && live_histogram_quantile(&h, 0.9) <= 900 * 1.1);
	assert_int_equal(live_histogram_below(&h, 64), 2 + 64);
	assert_int_equal(live_histogram_below(&h, 512), 2 + 512);
	assert_int_equal(live_histogram_below(&h, LIVE_BUCKET_FIRST_S), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_told_once), cmocka_unit_test(never_started), cmocka_unit_test(samples_kept),
		cmocka_unit_test(phases),
		cmocka_unit_test(pace), cmocka_unit_test(end_keeps), cmocka_unit_test(half_written),
		cmocka_unit_test(histogram),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
