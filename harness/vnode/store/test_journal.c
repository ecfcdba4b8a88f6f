/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/vnode/store/journal.h"

#define NODES_ID 0x1122334455667788u

struct journal_seen {
	uint32_t jobs, epochs, events, power_rows;
	struct wt_power_image power;
	struct wt_job_image last;
	uint32_t last_first, last_count;	/* of the image's last range */
	uint64_t offset;
	char text[64];
	int64_t epoch_us;
	uint32_t steps, stepds, step_nodes[5];
	struct wt_step_image step;
	struct wt_stepd_image stepd;
	int rc;
};

static int job_seen(void *arg, const struct wt_job_image *image)
{
	struct journal_seen *seen = arg;

	seen->jobs++;
	seen->last = *image;
	if (image->nodes.range_count) {
		seen->last_first = image->nodes.ranges[image->nodes.range_count - 1].first;
		seen->last_count = image->nodes.ranges[image->nodes.range_count - 1].count;
	}
	return seen->rc;
}

static int rows_seen(void *arg, enum wt_journal_log log, uint64_t offset, const char *text, size_t len)
{
	struct journal_seen *seen = arg;

	if (log == WT_JOURNAL_POWER) {
		seen->power_rows++;
		return 0;
	}
	seen->events++;
	seen->offset = offset;
	assert_true(len < sizeof(seen->text));
	memcpy(seen->text, text, len);
	seen->text[len] = '\0';
	return 0;
}

static int power_seen(void *arg, const struct wt_power_image *image)
{
	struct journal_seen *seen = arg;

	seen->power = *image;
	return 0;
}

static int epoch_seen(void *arg, int64_t epoch_us)
{
	struct journal_seen *seen = arg;

	seen->epochs++;
	seen->epoch_us = epoch_us;
	return 0;
}

static int step_seen(void *arg, const struct wt_step_image *image, const void *client, size_t client_len)
{
	struct journal_seen *seen = arg;

	seen->steps++;
	seen->step = *image;
	memcpy(seen->step_nodes, image->nodes, sizeof(seen->step_nodes));
	assert_int_equal(client_len, 3);
	assert_memory_equal(client, "abc", 3);
	return seen->rc;
}

static int stepd_seen(void *arg, const struct wt_stepd_image *image)
{
	struct journal_seen *seen = arg;

	seen->stepds++;
	seen->stepd = *image;
	return seen->rc;
}

static size_t read_into(struct journal_seen *seen, const struct wt_str *s, size_t len, uint64_t nodes_id)
{
	const struct wt_journal_calls calls = { .job = job_seen, .rows = rows_seen, .power = power_seen, .step = step_seen,
						.stepd = stepd_seen,
					       .epoch = epoch_seen, .arg = seen };
	struct wt_error err;

	return wt_journal_read((const uint8_t *) s->text, len, nodes_id, &calls, &err);
}

static struct wt_node_range ranges[] = { { 3, 2, 0 }, { 70000, 9, 2 } };

static const struct wt_job_image image_full = {
	.job_id = 0x80000001, .uid = 1000, .array_job_id = 7, .array_task_id = UINT32_MAX, .batch_node = 3, .script = 2,
	.pause = 1, .pending_signal = 15, .probe = 3, .cancelled = true, .nodes_given = true, .wait_status = 0x8f01,
	.run_time_us = 1, .run_until_us = 1700000000000001, .touched_us = 1700000000000000, .revoked_s = 1699999999,
	.speculates = true, .restart = 0x80000003, .work_us = 5, .total_us = 6, .begun_us = 1700000000000002,
	.nodes_hash = UINT64_MAX, .nodes = { .ranges = ranges, .range_count = 2, .count = 11 },
};

static const struct wt_power_image power_full = {
	.node = 70001, .boot = 0x80000002, .job_id = 0x80000004, .state = WT_POWER_BOOTING, .fate = WT_BOOT_NEVER,
	.again = true, .told = true, .until_us = 1700000000000003, .booted_us = 1700000000000004,
};

static void write_two(struct wt_str *s)
{
	struct wt_job_image plain = image_full;
	size_t begin;

	plain.nodes_given = false;
	plain.job_id = 2;
	wt_journal_head(s, NODES_ID);
	begin = wt_journal_begin(s);
	wt_journal_job(s, &image_full);
	wt_journal_rows(s, WT_JOURNAL_EVENTS, 57, "row\n", 4);
	wt_journal_rows(s, WT_JOURNAL_POWER, 9, "off\n", 4);
	wt_journal_power(s, &power_full);
	wt_journal_end(s, begin);
	begin = wt_journal_begin(s);
	wt_journal_epoch(s, -5);
	wt_journal_job(s, &plain);
	wt_journal_end(s, begin);
}

static void test_what_is_written_is_read(void **state)
{
	struct journal_seen seen = { 0 };
	struct wt_str s = { 0 };
	struct wt_job_image *last = &seen.last;

	(void) state;
	write_two(&s);
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID), s.len);
	assert_int_equal(seen.jobs, 2);
	assert_int_equal(seen.events, 1);
	assert_int_equal(seen.offset, 57);
	assert_string_equal(seen.text, "row\n");
	assert_int_equal(seen.epochs, 1);
	assert_true(seen.epoch_us == -5);
	assert_int_equal(seen.last_first, 70000);
	assert_int_equal(seen.last_count, 9);
	assert_int_equal(last->job_id, 2);
	assert_false(last->nodes_given);
	assert_int_equal(last->uid, 1000);
	assert_true(last->speculates && last->restart == 0x80000003 && last->work_us == 5 && last->total_us == 6);
	assert_true(last->begun_us == 1700000000000002);
	assert_int_equal(last->array_job_id, 7);
	assert_int_equal(last->array_task_id, UINT32_MAX);
	assert_int_equal(last->batch_node, 3);
	assert_true(last->script == 2 && last->pause == 1 && last->pending_signal == 15 && last->probe == 3 &&
		    last->cancelled);
	assert_int_equal(last->wait_status, 0x8f01);
	assert_true(last->run_time_us == 1 && last->run_until_us == 1700000000000001 &&
		    last->touched_us == 1700000000000000);
	assert_true(last->revoked_s == 1699999999);
	wt_str_clear(&s);
}

/* However many bytes are left, only whole records count. */
static void test_torn(void **state)
{
	struct wt_str s = { 0 };
	size_t first;

	(void) state;
	write_two(&s);
	first = 16 + 12 + (size_t) ((uint8_t) s.text[18] << 8 | (uint8_t) s.text[19]);
	for (size_t len = 0; len < s.len; len++) {
		struct journal_seen seen = { 0 };
		size_t good = read_into(&seen, &s, len, NODES_ID);

		assert_int_equal(good, len < 16 ? 0 : len < first ? 16 : first);
		assert_int_equal(seen.jobs, len < first ? 0 : 1);
	}
	wt_str_clear(&s);
}

/* Whatever bit is wrong, its record and those behind it do not count. */
static void test_damaged(void **state)
{
	struct wt_str s = { 0 };

	(void) state;
	write_two(&s);
	for (size_t bit = 16 * 8; bit < s.len * 8; bit++) {
		struct journal_seen seen = { 0 };

		s.text[bit / 8] = (char) (s.text[bit / 8] ^ 1 << bit % 8);
		assert_true(read_into(&seen, &s, s.len, NODES_ID) < s.len);
		assert_true(seen.jobs < 2);
		s.text[bit / 8] = (char) (s.text[bit / 8] ^ 1 << bit % 8);
	}
	wt_str_clear(&s);
}

static void test_foreign(void **state)
{
	struct wt_journal_calls calls = { 0 };
	struct journal_seen seen = { 0 };
	struct wt_str s = { 0 };
	struct wt_error err;

	(void) state;
	write_two(&s);
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID + 1), 0);
	assert_int_equal(errno, ESTALE);
	assert_int_equal(seen.jobs, 0);
	s.text[0] = 'X';
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_journal_read((const uint8_t *) "", 0, NODES_ID, &calls, &err), 0);
	assert_int_equal(errno, EINVAL);
	wt_str_clear(&s);
}

static void test_nothing_is_no_record(void **state)
{
	struct journal_seen seen = { 0 };
	struct wt_str s = { 0 };

	(void) state;
	wt_journal_head(&s, NODES_ID);
	wt_journal_end(&s, wt_journal_begin(&s));
	assert_int_equal(s.len, 16);
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID), 16);
	wt_str_clear(&s);
}

static void test_refusal_ends_the_reading(void **state)
{
	struct journal_seen seen = { .rc = -1 };
	struct wt_str s = { 0 };

	(void) state;
	write_two(&s);
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID), 16);
	assert_int_equal(seen.jobs, 1);
	assert_int_equal(seen.events, 0);
	wt_str_clear(&s);
}

static void test_steps(void **state)
{
	uint32_t nodes[] = { 4, 5, 6, 2, 1 };
	const struct wt_step_image step = {
		.job_id = 1, .step_id = 2, .step_het_comp = 3, .uid = 4, .count = 5, .nodes = nodes, .io = true,
			.touched_us = 6,
	};
	const struct wt_stepd_image stepd = {
		.job_id = 1, .step_id = 2, .step_het_comp = 3, .rank = 4, .state = 5, .pause = 2, .pending_signal = 9,
			.over = true,
		.status = 7, .below = 8, .holder = 3, .run_us = (int64_t) 1 << 40,
	};
	struct journal_seen seen = { 0 };
	struct wt_str s = { 0 };
	size_t begin;

	(void) state;
	wt_journal_head(&s, NODES_ID);
	begin = wt_journal_begin(&s);
	wt_journal_step(&s, &step, "abc", 3);
	wt_journal_stepd(&s, &stepd);
	wt_journal_end(&s, begin);
	assert_int_equal(read_into(&seen, &s, s.len, NODES_ID), s.len);
	assert_true(seen.steps == 1 && seen.stepds == 1);
	assert_memory_equal(seen.step_nodes, nodes, sizeof(nodes));
	assert_true(seen.step.job_id == 1 && seen.step.step_id == 2 && seen.step.step_het_comp == 3 && seen.step.uid == 4 &&
		    seen.step.count == 5 && seen.step.io && seen.step.touched_us == 6);
	assert_true(seen.stepd.job_id == 1 && seen.stepd.step_id == 2 && seen.stepd.step_het_comp == 3 &&
		    seen.stepd.rank == 4 &&
		    seen.stepd.state == 5 && seen.stepd.pause == 2 && seen.stepd.pending_signal == 9 && seen.stepd.over &&
		    seen.stepd.status == 7 && seen.stepd.below == 8 && seen.stepd.holder == 3 &&
		    seen.stepd.run_us == (int64_t) 1 << 40);
	for (size_t len = s.len - 1; len >= begin; len--)
		assert_int_equal(read_into(&seen, &s, len, NODES_ID), begin);
	wt_str_clear(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_what_is_written_is_read),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_foreign),
		cmocka_unit_test(test_nothing_is_no_record),
		cmocka_unit_test(test_refusal_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
