/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "harness/vnode/model/power.h"

#define NODES 4
#define KIND 20
#define S INT64_C(1000000)

struct house {
	struct wt_elastic elastic;
	struct wt_timerq *timers;
	struct wt_power *power;
	char told[4096];
	int64_t left_us;	/* of the last notice */
};

/* "n1:up/1/7@60 " */
static void happened(void *arg, const struct wt_power_happened *what)
{
	struct house *h = arg;
	size_t len = strlen(h->told);

	if (what->event == WT_POWER_EVENT_NOTICE)
		h->left_us = what->left_us;
	snprintf(h->told + len, sizeof(h->told) - len, "n%u:%s/%u/%u@%d ", what->node, wt_power_event_name(what->event),
		 what->boot, what->job_id, (int) (what->time_us / S));
}

static void house_open(struct house *h)
{
	const struct wt_power_conf conf = {
		.elastic = &h->elastic, .timers = h->timers, .timer_kind = KIND, .happened = happened, .arg = h,
	};

	h->power = wt_power_create(NODES, &conf);
	assert_non_null(h->power);
}

static int house_begin(void **state)
{
	struct house *h = calloc(1, sizeof(*h));

	wt_elastic_defaults(&h->elastic);
	h->timers = wt_timerq_create();
	house_open(h);
	*state = h;
	return 0;
}

static int house_end(void **state)
{
	struct house *h = *state;

	wt_power_destroy(h->power);
	wt_timerq_destroy(h->timers);
	free(h);
	return 0;
}

/* Let all that is due until then happen. */
static void run_until(struct house *h, int64_t until_us)
{
	struct wt_timer timer;

	while (wt_timerq_pop(h->timers, until_us, &timer)) {
		assert_int_equal(timer.kind, KIND);
		wt_power_timer(h->power, timer.deadline_us, timer.a);
	}
}

static void expect(struct house *h, const char *text)
{
	assert_string_equal(h->told, text);
	h->told[0] = '\0';
}

static void limit_set(struct house *h, const char *text)
{
	struct wt_error err = { "" };

	if (wt_limit_read(text, &h->elastic.limit, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_off_and_on(void **state)
{
	struct house *h = *state;

	assert_false(wt_power_used(h->power));
	wt_power_ask_off(h->power, 100 * S, 1);
	expect(h, "n1:asked-off/0/0@100 n1:stopping/0/0@100 ");
	assert_false(wt_power_is_on(h->power, 1));
	run_until(h, 109 * S);
	expect(h, "");
	run_until(h, 110 * S);
	expect(h, "n1:off/0/0@110 ");
	wt_power_ask_on(h->power, 200 * S, 1, 7);
	expect(h, "n1:asked-on/0/7@200 n1:booting/1/7@200 ");
	wt_power_ask_on(h->power, 201 * S, 1, 8);	/* it boots already */
	wt_power_registered(h->power, 202 * S, 1);	/* an old message */
	expect(h, "");
	run_until(h, 1000 * S);
	expect(h, "n1:up/1/7@260 ");
	assert_int_equal(wt_power_booted_us(h->power, 1), 260 * S);
	wt_power_registered(h->power, 261 * S, 1);
	wt_power_registered(h->power, 262 * S, 1);
	expect(h, "n1:registered/1/7@261 ");
	assert_true(wt_power_used(h->power) && wt_power_count(h->power, WT_POWER_ON) == NODES);
}

static void test_on_while_it_stops(void **state)
{
	struct house *h = *state;

	wt_power_ask_off(h->power, 100 * S, 0);
	wt_power_ask_on(h->power, 105 * S, 0, 9);
	wt_power_ask_on(h->power, 106 * S, 0, 10);
	expect(h, "n0:asked-off/0/0@100 n0:stopping/0/0@100 n0:asked-on/0/9@105 ");
	run_until(h, 120 * S);
	expect(h, "n0:off/0/9@110 n0:booting/1/9@110 ");
	wt_power_ask_off(h->power, 125 * S, 0);		/* in mid-boot */
	run_until(h, 1000 * S);
	expect(h, "n0:asked-off/1/9@125 n0:stopping/1/9@125 n0:off/1/9@135 ");
	wt_power_ask_off(h->power, 1001 * S, 0);	/* it is off */
	run_until(h, 2000 * S);
	expect(h, "n0:asked-off/1/0@1001 ");
	assert_int_equal(wt_power_state(h->power, 0), WT_POWER_OFF);
}

static void test_off_again_while_it_stops(void **state)
{
	struct house *h = *state;

	wt_power_ask_off(h->power, 100 * S, 0);
	wt_power_ask_on(h->power, 105 * S, 0, 9);
	wt_power_ask_off(h->power, 106 * S, 0);
	run_until(h, 1000 * S);
	assert_int_equal(wt_power_state(h->power, 0), WT_POWER_OFF);
	wt_power_ask_on(h->power, 1000 * S, 3, 5);	/* it is on: asked for nothing */
	assert_int_equal(wt_power_state(h->power, 3), WT_POWER_ON);
}

static void test_boots_that_fail_or_never_come(void **state)
{
	struct house *h = *state;

	h->elastic.boot_fails = 1;
	wt_power_begin_off(h->power, 0, 2);
	wt_power_ask_on(h->power, S, 2, 7);
	run_until(h, 1000 * S);
	expect(h, "n2:off/0/0@0 n2:asked-on/0/7@1 n2:booting/1/7@1 n2:failed/1/7@61 ");
	assert_int_equal(wt_power_state(h->power, 2), WT_POWER_OFF);
	h->elastic.boot_fails = 0;
	h->elastic.boot_never = 1;
	wt_power_ask_on(h->power, 1000 * S, 2, 0);
	run_until(h, 100000 * S);
	assert_int_equal(wt_power_state(h->power, 2), WT_POWER_BOOTING);	/* and costs */
	wt_power_ask_off(h->power, 100000 * S, 2);
	run_until(h, 200000 * S);
	assert_int_equal(wt_power_state(h->power, 2), WT_POWER_OFF);
}

static void test_stock_outs(void **state)
{
	struct house *h = *state;

	for (uint32_t i = 0; i < NODES; i++)
		wt_power_begin_off(h->power, 0, i);
	h->told[0] = '\0';
	limit_set(h, "1");
	wt_power_ask_on(h->power, S, 0, 0);
	wt_power_ask_on(h->power, S, 1, 7);
	expect(h, "n0:asked-on/0/0@1 n0:booting/1/0@1 n1:asked-on/0/7@1 n1:stock-out/1/7@1 ");
	wt_power_ask_off(h->power, 2 * S, 0);
	run_until(h, 20 * S);
	h->told[0] = '\0';
	wt_power_ask_on(h->power, 20 * S, 1, 7);	/* what the other had is free */
	expect(h, "n1:asked-on/1/7@20 n1:booting/2/7@20 ");
	limit_set(h, "all");
	h->elastic.stock_out = 1;
	wt_power_ask_on(h->power, 21 * S, 2, 0);
	expect(h, "n2:asked-on/0/0@21 n2:stock-out/1/0@21 ");
	assert_int_equal(wt_power_count(h->power, WT_POWER_OFF), 3);
}

/* From 50 s on, which is 150 here, there are none: who has a machine keeps it. */
static void test_a_limit_that_changes(void **state)
{
	struct house *h = *state;
	const struct wt_power_conf conf = {
		.elastic = &h->elastic, .timers = h->timers, .timer_kind = KIND, .happened = happened, .arg = h,
		.begin_us = 100 * S,
	};

	wt_power_destroy(h->power);
	h->power = wt_power_create(NODES, &conf);
	for (uint32_t i = 0; i < NODES; i++)
		wt_power_begin_off(h->power, 0, i);
	limit_set(h, "2,50:0,90:2,200:3");
	h->told[0] = '\0';
	wt_power_ask_on(h->power, 149 * S, 0, 7);
	wt_power_ask_on(h->power, 150 * S, 1, 0);
	expect(h, "n0:asked-on/0/7@149 n0:booting/1/7@149 n1:asked-on/0/0@150 n1:stock-out/1/0@150 ");
	run_until(h, 250 * S);
	assert_true(wt_power_is_on(h->power, 0));
	h->told[0] = '\0';
	/* Asked on while it stops: a boot at its end, at which the limit counts. */
	wt_power_ask_off(h->power, 185 * S, 0);
	wt_power_ask_on(h->power, 186 * S, 0, 8);
	wt_power_ask_on(h->power, 190 * S, 1, 0);
	wt_power_ask_on(h->power, 191 * S, 2, 0);
	run_until(h, 196 * S);
	expect(h, "n0:asked-off/1/7@185 n0:stopping/1/7@185 n0:asked-on/1/8@186 n1:asked-on/1/0@190 n1:booting/2/0@190 "
	       "n2:asked-on/0/0@191 n2:stock-out/1/0@191 n0:off/1/8@195 n0:booting/2/8@195 ");
	wt_power_ask_on(h->power, 300 * S, 2, 0);
	expect(h, "n2:asked-on/1/0@300 n2:booting/2/0@300 ");
}

static uint32_t number_find(const void *arg, const char *name)
{
	(void) arg;
	return (uint32_t) (name[1] - '0');
}

/* Behind a setting of some nodes: the module has to know of them when it begins. */
static void classes_know(struct house *h)
{
	struct wt_error err;

	wt_power_destroy(h->power);
	assert_int_equal(wt_elastic_nodes(&h->elastic, NODES, number_find, NULL, &err), 0);
	house_open(h);
}

/* Two of n[0-2] at most; n3 is another type of machine. */
static void test_a_limit_of_a_class(void **state)
{
	struct house *h = *state;
	struct wt_error err;

	assert_int_equal(wt_elastic_add(&h->elastic, "n[0-2]:limit=2", &err), 0);
	classes_know(h);
	for (uint32_t i = 0; i < 4; i++)
		wt_power_begin_off(h->power, 0, i);
	h->told[0] = '\0';
	for (uint32_t i = 0; i < 4; i++)
		wt_power_ask_on(h->power, S, i, 0);
	expect(h, "n0:asked-on/0/0@1 n0:booting/1/0@1 n1:asked-on/0/0@1 n1:booting/1/0@1 n2:asked-on/0/0@1 "
	       "n2:stock-out/1/0@1 n3:asked-on/0/0@1 n3:booting/1/0@1 ");
	wt_elastic_clear(&h->elastic);
}

static void test_failures_and_repairs(void **state)
{
	struct house *h = *state;
	struct wt_power_image image;

	wt_power_repair(h->power, 10 * S, 1);	/* it has not failed */
	expect(h, "");
	wt_power_fail(h->power, 100 * S, 1);
	wt_power_fail(h->power, 101 * S, 1);
	expect(h, "n1:stopping/0/0@100 n1:off/0/0@100 ");
	assert_int_equal(wt_power_state(h->power, 1), WT_POWER_OFF);
	assert_true(wt_power_changed(h->power, &image) && image.fate == WT_BOOT_LOST);
	wt_power_repair(h->power, 200 * S, 1);
	expect(h, "n1:booting/1/0@200 n1:up/1/0@200 ");
	assert_int_equal(wt_power_booted_us(h->power, 1), 200 * S);
	wt_power_registered(h->power, 201 * S, 1);
	expect(h, "n1:registered/1/0@201 ");
	/* In the middle of a boot, and of a stop: its timer has nothing to say any more. */
	wt_power_begin_off(h->power, 0, 2);
	wt_power_ask_on(h->power, 300 * S, 2, 7);
	wt_power_fail(h->power, 301 * S, 2);
	wt_power_ask_off(h->power, 300 * S, 3);
	wt_power_ask_on(h->power, 301 * S, 3, 8);
	wt_power_fail(h->power, 302 * S, 3);
	h->told[0] = '\0';
	run_until(h, 1000 * S);
	expect(h, "");
	/* One that was switched off is not switched on by a repair, and one that has failed boots when it is asked to. */
	wt_power_ask_off(h->power, 1000 * S, 2);
	wt_power_repair(h->power, 1001 * S, 2);
	assert_int_equal(wt_power_state(h->power, 2), WT_POWER_OFF);
	wt_power_ask_on(h->power, 1002 * S, 3, 9);
	run_until(h, 2000 * S);
	expect(h, "n2:asked-off/1/0@1000 n3:asked-on/0/9@1002 n3:booting/1/9@1002 n3:up/1/9@1062 ");
}

static void test_a_machine_that_is_taken_back(void **state)
{
	struct house *h = *state;

	assert_int_equal(wt_elastic_add(&h->elastic, "fail=taken:100%:500", NULL), 0);
	wt_power_begin_off(h->power, 0, 1);
	wt_power_ask_on(h->power, 10 * S, 1, 7);
	run_until(h, 569 * S);
	assert_true(wt_power_is_on(h->power, 1));
	run_until(h, 1000 * S);
	expect(h, "n1:off/0/0@0 n1:asked-on/0/7@10 n1:booting/1/7@10 n1:up/1/7@70 n1:taken/1/7@570 n1:stopping/1/7@570 "
	       "n1:off/1/7@570 ");
	/* There is no more to be taken of one that was switched off, and nothing to be repaired. */
	wt_power_repair(h->power, 1000 * S, 1);
	wt_power_ask_on(h->power, 1001 * S, 1, 8);
	run_until(h, 1100 * S);
	wt_power_ask_off(h->power, 1100 * S, 1);
	run_until(h, 9000 * S);
	expect(h, "n1:asked-on/1/8@1001 n1:booting/2/8@1001 n1:up/2/8@1061 n1:asked-off/2/8@1100 n1:stopping/2/8@1100 "
	       "n1:off/2/8@1110 ");
}

static void test_a_notice_before_it_is_taken_back(void **state)
{
	struct house *h = *state;

	assert_int_equal(wt_elastic_add(&h->elastic, "fail=taken:100%:500", NULL), 0);
	assert_int_equal(wt_elastic_add(&h->elastic, "notice=120", NULL), 0);
	wt_power_begin_off(h->power, 0, 1);
	wt_power_ask_on(h->power, 10 * S, 1, 7);
	run_until(h, 449 * S);
	expect(h, "n1:off/0/0@0 n1:asked-on/0/7@10 n1:booting/1/7@10 n1:up/1/7@70 ");
	run_until(h, 450 * S);
	assert_true(wt_power_is_on(h->power, 1) && h->left_us == 120 * S);
	wt_power_take(h->power, 451 * S, 1);	/* it has its notice */
	run_until(h, 1000 * S);
	expect(h, "n1:notice/1/7@450 n1:taken/1/7@570 n1:stopping/1/7@570 n1:off/1/7@570 ");
	/* It is switched off in time: nothing is taken. */
	wt_power_ask_on(h->power, 1000 * S, 1, 0);
	run_until(h, 1450 * S);
	wt_power_ask_off(h->power, 1450 * S, 1);
	h->told[0] = '\0';
	run_until(h, 9000 * S);
	expect(h, "n1:off/2/0@1460 ");
	/* It is not there for as long as the notice is: all that there is. */
	assert_int_equal(wt_elastic_add(&h->elastic, "notice=600", NULL), 0);
	wt_power_ask_on(h->power, 9000 * S, 1, 0);
	run_until(h, 10000 * S);
	assert_int_equal(h->left_us, 500 * S);
	expect(h, "n1:asked-on/2/0@9000 n1:booting/3/0@9000 n1:up/3/0@9060 n1:notice/3/0@9060 n1:taken/3/0@9560 "
	       "n1:stopping/3/0@9560 n1:off/3/0@9560 ");
}

static void test_taken_back_by_hand(void **state)
{
	struct house *h = *state;

	wt_power_take(h->power, 10 * S, 0);
	expect(h, "n0:taken/0/0@10 n0:stopping/0/0@10 n0:off/0/0@10 ");
	wt_power_take(h->power, 11 * S, 0);	/* it is off */
	wt_power_take(h->power, 11 * S, NODES);
	expect(h, "");
	assert_int_equal(wt_elastic_add(&h->elastic, "notice=30", NULL), 0);
	wt_power_take(h->power, 20 * S, 1);
	run_until(h, 100 * S);
	expect(h, "n1:notice/0/0@20 n1:taken/0/0@50 n1:stopping/0/0@50 n1:off/0/0@50 ");
}

static void test_a_slurmd_that_tells_an_old_boot(void **state)
{
	struct house *h = *state;

	wt_power_begin_off(h->power, 0, 1);
	wt_power_ask_on(h->power, 10 * S, 1, 0);
	run_until(h, 100 * S);
	wt_power_ask_off(h->power, 100 * S, 1);
	run_until(h, 200 * S);
	h->elastic.boot_old = 1;
	wt_power_ask_on(h->power, 200 * S, 1, 0);
	run_until(h, 1000 * S);
	assert_true(wt_power_is_on(h->power, 1));
	assert_int_equal(wt_power_booted_us(h->power, 1), 70 * S);
}

static bool program_on(struct wt_power *power, int64_t now_us, uint32_t node, uint32_t job_id)
{
	return wt_power_program_on(power, now_us, &node, &job_id, 1) == 0;
}

static void test_programs_that_fail(void **state)
{
	struct house *h = *state;

	h->elastic.suspend_fails = 1;
	assert_false(wt_power_program_off(h->power, S, 1));
	assert_true(wt_power_is_on(h->power, 1));
	wt_power_ask_off(h->power, S, 1);
	run_until(h, 100 * S);
	assert_true(wt_power_program_off(h->power, 100 * S, 1));	/* there is nothing to be done */
	h->told[0] = '\0';
	h->elastic.resume_fails = 1;
	assert_false(program_on(h->power, 101 * S, 1, 7));
	expect(h, "");
	h->elastic.resume_fails = 0;
	assert_true(program_on(h->power, 102 * S, 1, 7));
	expect(h, "n1:asked-on/1/7@102 n1:booting/2/7@102 ");
	h->elastic.resume_fails = 1;
	assert_true(program_on(h->power, 103 * S, 1, 7));	/* it boots already */
	assert_false(wt_power_program_off(h->power, 104 * S, 1));
	assert_true(program_on(h->power, 105 * S, NODES, 0) && wt_power_program_off(h->power, S, NODES));
	expect(h, "");
}

static void begin_off(struct house *h)
{
	for (uint32_t i = 0; i < NODES; i++)
		wt_power_begin_off(h->power, 0, i);
	h->told[0] = '\0';
}

/* n3 is for no job, and there are three machines. */
static const uint32_t all_nodes[] = { 0, 1, 2, 3 }, two_jobs[] = { 7, 7, 8, 0 };

static void test_machines_for_all_of_a_job_or_none(void **state)
{
	struct house *h = *state;

	begin_off(h);
	limit_set(h, "1");
	h->elastic.together = WT_TOGETHER_JOB;
	assert_int_equal(wt_power_program_on(h->power, S, all_nodes, two_jobs, NODES), 0);
	expect(h, "n0:asked-on/0/7@1 n0:stock-out/1/7@1 n1:asked-on/0/7@1 n1:stock-out/1/7@1 n2:asked-on/0/8@1 "
	       "n2:booting/1/8@1 n3:asked-on/0/0@1 n3:stock-out/1/0@1 ");
	/* What is on already needs none. */
	limit_set(h, "2");
	run_until(h, 100 * S);
	h->told[0] = '\0';
	assert_int_equal(wt_power_program_on(h->power, 100 * S, all_nodes + 1, (const uint32_t[]) { 9, 9 }, 2), 0);
	expect(h, "n1:asked-on/1/9@100 n1:booting/2/9@100 n2:asked-on/1/9@100 ");
	limit_set(h, "2,50:1,110:4");
	assert_int_equal(wt_power_program_on(h->power, 109 * S, all_nodes, (const uint32_t[]) { 9, 9 }, 2), 0);
	expect(h, "n0:asked-on/1/9@109 n0:stock-out/2/9@109 ");
	assert_int_equal(wt_power_program_on(h->power, 110 * S, all_nodes, (const uint32_t[]) { 9, 9 }, 2), 0);
	expect(h, "n0:asked-on/2/9@110 n0:booting/3/9@110 ");
}

static void test_machines_for_all_of_a_call_or_none(void **state)
{
	struct house *h = *state;
	struct wt_error err;

	assert_int_equal(wt_elastic_add(&h->elastic, "n[0-2]:limit=2", &err), 0);
	assert_int_equal(wt_elastic_add(&h->elastic, "together=call", &err), 0);
	classes_know(h);
	begin_off(h);
	assert_int_equal(wt_power_program_on(h->power, S, all_nodes, two_jobs, NODES), 0);
	expect(h, "n0:asked-on/0/7@1 n0:stock-out/1/7@1 n1:asked-on/0/7@1 n1:stock-out/1/7@1 n2:asked-on/0/8@1 "
	       "n2:stock-out/1/8@1 n3:asked-on/0/0@1 n3:stock-out/1/0@1 ");
	assert_int_equal(wt_power_program_on(h->power, S, all_nodes + 1, two_jobs + 1, 3), 0);
	expect(h, "n1:asked-on/1/7@1 n1:booting/2/7@1 n2:asked-on/1/8@1 n2:booting/2/8@1 n3:asked-on/1/0@1 "
	       "n3:booting/2/0@1 ");
	wt_elastic_clear(&h->elastic);
}

static void test_one_node_of_a_job_fails(void **state)
{
	struct house *h = *state;

	begin_off(h);
	h->elastic.one_fails = h->elastic.boot_never = 1;	/* also where it would never have come */
	h->elastic.seed = 3;
	assert_int_equal(wt_power_program_on(h->power, S, all_nodes, (const uint32_t[]) { 7, 7, 7, 8 }, NODES), 0);
	h->told[0] = '\0';
	run_until(h, 1000 * S);
	/* One of three, and not the only node of a job. */
	assert_int_equal(strlen(h->told), strlen("n0:failed/1/7@61 "));
	assert_memory_equal(h->told + 2, ":failed/1/7@61 ", 15);
	assert_true(h->told[1] >= '0' && h->told[1] <= '2');
	assert_int_equal(wt_power_count(h->power, WT_POWER_BOOTING), 3);
}

static void test_the_program_for_late_nodes_fails(void **state)
{
	struct house *h = *state;

	h->elastic.boot_never = h->elastic.drop_fails = 1;
	begin_off(h);
	assert_true(program_on(h->power, S, 1, 7));
	run_until(h, 600 * S);
	assert_false(wt_power_program_drop(h->power, 600 * S, 1));
	assert_int_equal(wt_power_state(h->power, 1), WT_POWER_BOOTING);
	h->elastic.drop_fails = 0;
	h->told[0] = '\0';
	assert_true(wt_power_program_drop(h->power, 601 * S, 1) && wt_power_program_drop(h->power, 601 * S, NODES));
	expect(h, "n1:asked-off/1/7@601 n1:stopping/1/7@601 ");
}

static void test_no_such_node(void **state)
{
	struct house *h = *state;

	wt_power_fail(h->power, S, NODES);
	wt_power_repair(h->power, S, NODES);

	wt_power_ask_on(h->power, S, NODES, 0);
	wt_power_ask_off(h->power, S, UINT32_MAX);
	wt_power_timer(h->power, S, NODES);
	wt_power_registered(h->power, S, NODES);
	wt_power_begin_off(h->power, S, NODES);
	expect(h, "");
	assert_int_equal(wt_power_state(h->power, NODES), WT_POWER_OFF);
	wt_power_destroy(NULL);
}

/* Through images into a new module: as after a restart of the process. */
static void test_a_restart_in_mid_boot(void **state)
{
	struct house *h = *state;
	struct wt_power *old = h->power;
	struct wt_power_image image;
	uint32_t at = 0, count = 0;

	wt_power_begin_off(old, 0, 3);
	wt_power_ask_on(old, 10 * S, 3, 7);
	wt_power_ask_off(old, 11 * S, 0);
	wt_power_ask_on(old, 12 * S, 0, 8);
	assert_int_equal(wt_elastic_add(&h->elastic, "notice=30", NULL), 0);
	wt_power_take(old, 13 * S, 1);
	wt_timerq_destroy(h->timers);
	h->timers = wt_timerq_create();
	h->told[0] = '\0';
	house_open(h);
	while (wt_power_image(old, &at, &image))
		count += wt_power_restore(h->power, &image) == 0;
	assert_int_equal(count, 3);
	wt_power_destroy(old);
	wt_power_begin_off(h->power, 30 * S, 3);	/* not again */
	wt_power_resume(h->power);
	expect(h, "");
	run_until(h, 1000 * S);
	expect(h, "n0:off/0/8@21 n0:booting/1/8@21 n1:taken/0/0@43 n1:stopping/0/0@43 n1:off/0/0@43 n3:up/1/7@70 "
	       "n0:up/1/8@81 ");
}

static void test_a_reboot_outlives_the_process(void **state)
{
	struct house *h = *state;
	struct wt_power_image image;

	wt_power_reboot(h->power, 1, 500 * S);
	assert_true(wt_power_changed(h->power, &image));
	assert_true(image.node == 1 && image.state == WT_POWER_ON && image.booted_us == 500 * S);
	assert_int_equal(wt_power_restore(h->power, &image), 0);
	assert_true(wt_power_booted_us(h->power, 1) == 500 * S);
	expect(h, "");
	wt_power_ask_off(h->power, 10 * S, 1);
	wt_power_reboot(h->power, 1, 700 * S);
	wt_power_reboot(h->power, NODES, 700 * S);
	assert_true(wt_power_booted_us(h->power, 1) == 500 * S);
	/* Its slurmd would tell a boot that is to come. */
	assert_int_equal(wt_elastic_add(&h->elastic, "fail=old-boot:100%", NULL), 0);
	run_until(h, 20 * S);
	wt_power_ask_on(h->power, 30 * S, 1, 0);
	run_until(h, 100 * S);
	assert_true(wt_power_is_on(h->power, 1) && wt_power_booted_us(h->power, 1) == 90 * S);
}

static void test_images_that_make_no_sense(void **state)
{
	static const struct wt_power_image bad[] = {
		{ .node = NODES }, { .state = WT_POWER_STATES }, { .fate = WT_BOOT_FATES }, { .until_us = -1 },
		{ .until_us = INT64_MAX },
		{ .booted_us = -1 },
	};
	struct house *h = *state;
	struct wt_power_image image;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wt_power_restore(h->power, &bad[i]), -1);
	assert_false(wt_power_changed(h->power, &image));
	wt_power_ask_off(h->power, S, 2);
	wt_power_ask_on(h->power, S, 2, 0);
	assert_true(wt_power_changed(h->power, &image));
	assert_true(image.node == 2 && image.again && image.state == WT_POWER_STOPPING);
	assert_false(wt_power_changed(h->power, &image));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_off_and_on, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_on_while_it_stops, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_off_again_while_it_stops, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_boots_that_fail_or_never_come, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_stock_outs, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_limit_that_changes, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_limit_of_a_class, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_failures_and_repairs, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_machine_that_is_taken_back, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_notice_before_it_is_taken_back, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_taken_back_by_hand, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_slurmd_that_tells_an_old_boot, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_programs_that_fail, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_machines_for_all_of_a_job_or_none, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_machines_for_all_of_a_call_or_none, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_one_node_of_a_job_fails, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_the_program_for_late_nodes_fails, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_no_such_node, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_restart_in_mid_boot, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_a_reboot_outlives_the_process, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_images_that_make_no_sense, house_begin, house_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
