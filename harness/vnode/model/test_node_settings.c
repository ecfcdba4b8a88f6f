/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/vnode/model/node_settings.h"

static int settings_end(void **state)
{
	wt_settings_clear(*state);
	free(*state);
	return 0;
}

static int settings_begin(void **state)
{
	*state = calloc(1, sizeof(struct wt_settings));
	return *state ? 0 : -1;
}

static void take(struct wt_settings *s, const char *text)
{
	struct wt_error err = { "" };

	if (wt_settings_add(s, text, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void test_good_delays(void **state)
{
	struct wt_settings *s = *state;

	take(s, "launch-delay=0.25");
	assert_true(s->launch.kind == WT_DELAY_UNIFORM && s->launch.low_s == 0.25 && s->launch.high_s == 0.25);
	take(s, "launch-delay=0");
	assert_int_equal(s->launch.kind, WT_DELAY_NONE);
	take(s, "end-delay=0.5");
	assert_true(s->end.kind == WT_DELAY_UNIFORM && s->end.high_s == 0.5);
	take(s, "reboot-time=3");
	assert_true(s->reboot.kind == WT_DELAY_UNIFORM && s->reboot.low_s == 3 && s->reboot.high_s == 3);
	take(s, "epilog-time=1-2.5");
	assert_true(s->epilog.kind == WT_DELAY_UNIFORM && s->epilog.low_s == 1 && s->epilog.high_s == 2.5);
	take(s, "hop-delay=exp:.5");
	assert_true(s->hop.kind == WT_DELAY_EXPONENTIAL && s->hop.high_s == .5);
	take(s, "hop-delay=gamma:.5,1.5");
	assert_true(s->hop.kind == WT_DELAY_GAMMA && s->hop.high_s == .5 && s->hop.low_s == 1.5);
	take(s, "hop-delay=gamma:0,0");
	assert_int_equal(s->hop.kind, WT_DELAY_NONE);
}

static void test_good_shares(void **state)
{
	struct wt_settings *s = *state;

	take(s, "loss=0.01");
	assert_true(s->loss == 0.01);
	take(s, "noise=0.2");
	take(s, "hang=1");
	take(s, "beat-loss=0.1");
	take(s, "beat-delay=0-2");
	assert_true(s->noise == 0.2 && s->hang == 1 && s->beat_loss == 0.1 && s->beat.high_s == 2);
	take(s, "seed=18446744073709551615");
	assert_true(s->seed == UINT64_MAX);
}

static void test_good_nodes(void **state)
{
	struct wt_settings *s = *state;

	take(s, "fail=n[1-3,5]@60+1.5");
	take(s, "fail=5%@0+0");
	assert_int_equal(s->fail_count, 2);
	assert_string_equal(s->fails[0].nodes, "n[1-3,5]");
	assert_true(s->fails[0].at_us == 60000000 && s->fails[0].for_us == 1500000);
	take(s, "prolog-fail=n[1-2]");
	take(s, "launch-fail=5%:0.25");
	assert_int_equal(s->refuse_count, 2);
	assert_true(s->refuses[0].prolog && s->refuses[0].share == 1 && !strcmp(s->refuses[0].nodes, "n[1-2]"));
	assert_true(!s->refuses[1].prolog && s->refuses[1].share == 0.25 && !strcmp(s->refuses[1].nodes, "5%"));
	take(s, "slow=100%:1");
	take(s, "slow=n7:2.5");
	assert_int_equal(s->slow_count, 2);
	assert_string_equal(s->slows[1].nodes, "n7");
	assert_true(s->slows[1].factor == 2.5);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"", "launch-delay", "=1", "launch=1", "launch-delay=", "launch-delay=-1", "launch-delay=1s",
			"launch-delay= 1",
		"launch-delay=0x1", "launch-delay=inf", "launch-delay=nan", "launch-delay=1e3", "launch-delay=2-1",
		"launch-delay=1-",
		"launch-delay=1-2-3", "launch-delay=86401", "launch-delay=exp:", "launch-delay=exp:-1",
		"launch-delay=gamma:1",
		"launch-delay=gamma:1,", "launch-delay=gamma:1,0", "launch-delay=gamma:1,3.01",
		"launch-delay=gamma:1,0.0099",
		"launch-delay=gamma:0,1", "launch-delay=gamma:-1,1", "launch-delay=gamma:1,1,1",
		"launch-delay=gamma:86401,86401", "launch-delay=1.2.3",
		"loss=1.1", "loss=", "loss=5%", "seed=0", "seed=x", "seed=18446744073709551616",
		"fail=n1", "fail=n1@5", "fail=n1@5+", "fail=n1@+5", "fail=@1+1", "fail=0%@1+1", "fail=101%@1+1",
		"fail=5%x@1+1",
		"prolog-fail=", "prolog-fail=n1:", "prolog-fail=n1:1.1", "launch-fail=:0.5", "launch-fail=0%",
		"launch-fail=n1:x",
		"fail=%@1+1", "fail=n1@1+1e999", "slow=n1", "slow=n1:", "slow=n1:0.5", "slow=:2", "slow=n1:10001",
		"slow=-5%:2",
	};
	struct wt_settings *s = *state, before = *s;
	struct wt_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		if (wt_settings_add(s, bad[i], &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(errno == EINVAL || errno == ERANGE, 1);
		assert_true(err.text[0] && !strchr(err.text, '\n'));
		assert_memory_equal(s, &before, sizeof(before));
	}
	assert_int_equal(wt_settings_add(s, NULL, &err), -1);
	assert_int_equal(wt_settings_add(s, "loss=2", NULL), -1);
}

static void test_draws(void **state)
{
	struct wt_settings *s = *state, other = { .seed = 2 };
	double sum = 0;

	for (uint32_t i = 0; i < 10000; i++) {
		double x = wt_settings_draw(s, WT_DRAW_LOSS, i, 3);

		assert_true(x >= 0 && x < 1);
		assert_true(x == wt_settings_draw(s, WT_DRAW_LOSS, i, 3));
		assert_true(x != wt_settings_draw(s, WT_DRAW_LOSS, i, 4));
		assert_true(x != wt_settings_draw(s, WT_DRAW_HOP, i, 3));
		assert_true(x != wt_settings_draw(&other, WT_DRAW_LOSS, i, 3));
		sum += x;
	}
	assert_true(fabs(sum / 10000 - 0.5) < 0.02);	/* 7 standard errors */
	other.seed = 1;
	/* the default */
	assert_true(wt_settings_draw(s, WT_DRAW_FAIL, 1, 1) == wt_settings_draw(&other, WT_DRAW_FAIL, 1, 1));
}

static void test_gamma(void **state)
{
	static const double sds[] = { 0.01, 0.1, 0.5, 1, 2, 3 };
	struct wt_settings *s = *state;

	for (size_t k = 0; k < sizeof(sds) / sizeof(sds[0]); k++) {
		const struct wt_delay gamma = { WT_DELAY_GAMMA, 4 * sds[k], 4 };
		double sum = 0, squares = 0;
		const uint32_t count = 40000;

		for (uint32_t i = 0; i < count; i++) {
			double draw = wt_settings_draw(s, WT_DRAW_LAUNCH, i, k),
			       x = (double) wt_delay_us(&gamma, draw) / 1e6;

			assert_true(x >= 0 && wt_delay_us(&gamma, draw) == wt_delay_us(&gamma, draw));
			sum += x;
			squares += x * x;
		}
		sum /= count;
		assert_true(fabs(sum - 4) < 4 * sds[k] / 40);	/* 5 standard errors */
		assert_true(fabs(sqrt(squares / count - sum * sum) / (4 * sds[k]) - 1) < 0.1);
		assert_true(wt_delay_us(&gamma, 0) >= 0 && wt_delay_us(&gamma, 1 - 0x1p-53) < 86400000000);
	}
}

static void test_delays(void **state)
{
	const struct wt_delay none = { 0 }, fixed = { WT_DELAY_UNIFORM, 2, 2 }, uniform = { WT_DELAY_UNIFORM, 1, 3 };
	const struct wt_delay exponential = { WT_DELAY_EXPONENTIAL, 0, 10 };

	(void) state;
	assert_true(wt_delay_us(&none, 0.5) == 0);
	assert_true(wt_delay_us(&fixed, 0) == 2000000 && wt_delay_us(&fixed, 0.99) == 2000000);
	assert_true(wt_delay_us(&uniform, 0) == 1000000 && wt_delay_us(&uniform, 0.5) == 2000000);
	assert_true(wt_delay_us(&exponential, 0) == 0);
	assert_true(wt_delay_us(&exponential, 1 - exp(-1)) == 10000000);	/* the mean's quantile */
	assert_true(wt_delay_us(&exponential, 1) == 86400000000);		/* never more than a day */
}

static void test_share(void **state)
{
	struct wt_settings *s = *state;
	struct wt_nodeset a = { 0 }, b = { 0 };
	uint32_t rank, common = 0;

	assert_int_equal(wt_settings_share(s, "n[0-9]", WT_DRAW_FAIL, 0, 1000, &a), 0);
	assert_int_equal(wt_settings_share(s, "5%", WT_DRAW_FAIL, 0, 1000, &a), 1);
	assert_int_equal(a.count, 50);
	assert_int_equal(wt_settings_share(s, "5%", WT_DRAW_FAIL, 1, 1000, &b), 1);
	for (uint32_t i = 0; i < 1000; i++)
		common += wt_nodeset_rank(&a, i, &rank) && wt_nodeset_rank(&b, i, &rank);
	assert_true(common < 50);
	wt_nodeset_clear(&a);
	wt_nodeset_clear(&b);
	assert_int_equal(wt_settings_share(s, "0.1%", WT_DRAW_FAIL, 0, 3, &a), 1);
	assert_int_equal(a.count, 1);
	wt_nodeset_clear(&a);
	assert_int_equal(wt_settings_share(s, "100%", WT_DRAW_SLOW, 0, 3, &a), 1);
	assert_int_equal(a.count, 3);
	wt_nodeset_clear(&a);
}

/* Against a tree that is built: each node takes one node of each of its groups. */
static uint32_t levels_built(uint32_t count, uint32_t width)
{
	uint32_t groups = count < width ? count : width, deepest = 0;

	for (uint32_t g = 0; g < groups; g++) {
		uint32_t size = count / groups + (g < count % groups), below = 1 + levels_built(size - 1, width);

		deepest = below > deepest ? below : deepest;
	}
	return deepest;
}

static void test_levels(void **state)
{
	(void) state;
	for (uint32_t count = 0; count < 300; count++)
		for (uint32_t width = 1; width < 60; width += 7)
			assert_int_equal(wt_settings_levels(count, width), levels_built(count, width));
	assert_int_equal(wt_settings_levels(5, 0), 0);
}

static uint32_t changes, last_node;
static bool last_down;

static void changed(void *arg, uint32_t node, bool down)
{
	(void) arg;
	changes++;
	last_node = node;
	last_down = down;
}

static int two_nodes(void *arg, const char *text, struct wt_nodeset *set, struct wt_error *errp)
{
	uint32_t numbers[] = { 4, 5 };

	(void) arg;
	if (!strcmp(text, "unknown"))
		return wt_error_set(errp, EINVAL, "no such node");
	return wt_nodeset_fill(set, numbers, 2);
}

static void test_failures(void **state)
{
	struct wt_settings *s = *state;
	struct wt_faults *f;
	struct wt_error err;
	int64_t at_us;

	take(s, "fail=x@10+10");
	take(s, "fail=x@15+10");	/* overlaps: down from 10 to 25 */
	take(s, "fail=x@30+0");
	f = wt_faults_create(s, 10, two_nodes, NULL, &err);
	assert_non_null(f);
	assert_null(wt_faults_factors(f));
	assert_true(wt_faults_next(f, &at_us) && at_us == 10000000);
	changes = 0;
	wt_faults_advance(f, 9999999, changed, NULL);
	assert_int_equal(changes, 0);
	wt_faults_advance(f, 10000000, changed, NULL);
	assert_true(changes == 2 && last_node == 5 && last_down);
	assert_true(wt_faults_down(f, 4) && wt_faults_down(f, 5) && !wt_faults_down(f, 6));
	wt_faults_advance(f, 24000000, changed, NULL);
	assert_true(changes == 2 && wt_faults_down(f, 4));
	assert_true(wt_faults_next(f, &at_us) && at_us == 25000000);
	wt_faults_advance(f, INT64_MAX, changed, NULL);
	assert_true(changes == 4 && !last_down && !wt_faults_down(f, 4));
	assert_false(wt_faults_next(f, &at_us));
	wt_faults_destroy(f);
	wt_faults_destroy(NULL);
}

static void test_refusals(void **state)
{
	struct wt_settings *s = *state;
	struct wt_faults *f;
	struct wt_error err;
	uint32_t some = 0;

	take(s, "prolog-fail=x");	/* nodes 4 and 5 */
	take(s, "launch-fail=100%:0.3");
	f = wt_faults_create(s, 10, two_nodes, NULL, &err);
	assert_non_null(f);
	assert_true(wt_faults_refuse(f, true, 1, 4) && wt_faults_refuse(f, true, 99, 5) && !wt_faults_refuse(f, true, 1, 6));
	for (uint32_t job = 0; job < 10000; job++) {
		bool refused = wt_faults_refuse(f, false, job, 7);

		assert_true(refused == wt_faults_refuse(f, false, job, 7));
		some += refused;
	}
	assert_true(some > 2770 && some < 3230);	/* 5 standard deviations */
	wt_faults_destroy(f);
	take(s, "launch-fail=unknown");
	assert_null(wt_faults_create(s, 10, two_nodes, NULL, &err));
	assert_string_equal(err.text, "launch-fail=unknown: no such node");
}

static void test_slow(void **state)
{
	struct wt_settings *s = *state;
	struct wt_faults *f;
	struct wt_error err;

	take(s, "slow=x:2");
	take(s, "slow=100%:1.5");
	f = wt_faults_create(s, 10, two_nodes, NULL, &err);
	assert_non_null(f);
	assert_true(wt_faults_factors(f)[4] == 3.F && wt_faults_factors(f)[0] == 1.5F);
	wt_faults_destroy(f);
	take(s, "fail=unknown@1+1");
	assert_null(wt_faults_create(s, 10, two_nodes, NULL, &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "fail=unknown: no such node");
}

#define SETTINGS_TEST(f) cmocka_unit_test_setup_teardown(f, settings_begin, settings_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(test_good_delays), SETTINGS_TEST(test_good_shares), SETTINGS_TEST(test_good_nodes),
		SETTINGS_TEST(test_bad), SETTINGS_TEST(test_draws), SETTINGS_TEST(test_delays),
			SETTINGS_TEST(test_gamma),
		SETTINGS_TEST(test_share), SETTINGS_TEST(test_levels), SETTINGS_TEST(test_failures),
		SETTINGS_TEST(test_refusals), SETTINGS_TEST(test_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
