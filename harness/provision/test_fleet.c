/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "harness/provision/fleet.h"

#define NODES 12
#define TASKS 40
#define BOOT_S 60
#define UNIT_S 3600
#define MARGIN_S 60

/* A cloud whose boots take BOOT_S and whose machines are off at once, and tasks that take what is expected and 'late_s'. */
struct cloud {
	struct fleet *fleet;
	double boots_at[NODES], ends_at[TASKS], since[NODES];
	double run_s[TASKS], late_s, makespan_s, paid_units;
	uint32_t node_of[TASKS], sent[TASKS], tasks, nodes, waits;
};

static const struct fleet_settings hour = { .unit_s = UNIT_S, .margin_s = MARGIN_S, .boot_s = BOOT_S };

static void cloud_make(struct cloud *c, enum provision_strategy strategy, enum provision_full full, uint32_t quota)
{
	struct fleet_settings settings = hour;

	settings.strategy = strategy;
	settings.full = full;
	settings.quota = quota;
	c->nodes = NODES;
	c->fleet = fleet_create(&settings, NODES, TASKS, NULL);
	assert_non_null(c->fleet);
	for (int i = 0; i < NODES; i++)
		c->boots_at[i] = INFINITY;
	for (int i = 0; i < TASKS; i++)
		c->ends_at[i] = INFINITY;
}

static void act_do(struct cloud *c, const struct fleet_act *act, double now_s)
{
	switch (act->what) {
	case FLEET_RENT:
		c->boots_at[act->node] = now_s + BOOT_S;
		c->since[act->node] = now_s;
		break;
	case FLEET_SEND:
		for (uint32_t i = 0; i < TASKS; i++)	/* one at a time */
			assert_false(i != act->task && c->sent[i] && c->node_of[i] == act->node && c->ends_at[i] < INFINITY);
		c->ends_at[act->task] = now_s + c->run_s[act->task] + c->late_s;
		c->node_of[act->task] = act->node;
		c->sent[act->task]++;
		break;
	case FLEET_STOP:
		c->paid_units += ceil((now_s - c->since[act->node]) / UNIT_S);
		fleet_node_seen(c->fleet, act->node, FLEET_OFF, now_s);
		c->since[act->node] = INFINITY;
		break;
	case FLEET_WAIT:
		c->waits++;
		break;
	default:
		break;
	}
}

static void see(struct cloud *c, double now_s)
{
	for (uint32_t i = 0; i < NODES; i++)
		if (c->boots_at[i] <= now_s) {
			fleet_node_seen(c->fleet, i, FLEET_ON, now_s);
			c->boots_at[i] = INFINITY;
		}
	for (uint32_t i = 0; i < TASKS; i++)
		if (c->ends_at[i] <= now_s) {
			fleet_task_ended(c->fleet, i, now_s);
			c->ends_at[i] = INFINITY;
			c->makespan_s = now_s;
		}
}

/* All tasks at 0, each second looked at, until 'until_s'. */
static void cloud_run(struct cloud *c, double until_s)
{
	struct fleet_act act;

	for (uint32_t i = 0; i < c->tasks; i++)
		fleet_task_ready(c->fleet, i, c->run_s[i]);
	for (double now_s = 0; now_s < until_s; now_s++) {
		see(c, now_s);
		while (fleet_next(c->fleet, now_s, &act, NULL) > 0)
			act_do(c, &act, now_s);
	}
	assert_int_equal(fleet_count(c->fleet).ended, c->tasks);
	for (uint32_t i = 0; i < c->tasks; i++)
		assert_int_equal(c->sent[i], 1);
}

static struct fleet_counts bag(enum provision_strategy strategy, enum provision_full full, uint32_t quota, uint32_t tasks,
			       double run_s, struct cloud *c)
{
	struct fleet_counts counts;

	*c = (struct cloud) { .tasks = tasks };
	cloud_make(c, strategy, full, quota);
	for (uint32_t i = 0; i < tasks; i++)
		c->run_s[i] = run_s;
	cloud_run(c, 100000);
	counts = fleet_count(c->fleet);
	assert_true(fleet_timer_s(c->fleet) == INFINITY);	/* all were stopped */
	fleet_destroy(c->fleet);
	return counts;
}

static void test_what_each_strategy_rents_and_pays(void **state)
{
	struct cloud c;

	(void) state;
	/* 10 tasks of 1000 s: one machine has them in three hours */
	assert_int_equal(bag(PROVISION_1VM4ALL, PROVISION_FULL_QUEUE, 0, 10, 1000, &c).rented, 1);
	assert_float_equal(c.paid_units, 3, 1e-9);
	assert_float_equal(c.makespan_s, 10060, 1e-9);
	/* each its own, and an hour of it */
	assert_int_equal(bag(PROVISION_1VMPERTASK, PROVISION_FULL_QUEUE, 0, 10, 1000, &c).rented, 10);
	assert_float_equal(c.paid_units, 10, 1e-9);
	assert_float_equal(c.makespan_s, 1060, 1e-9);
	/* all come at once: nothing is idle before a boot would end */
	assert_int_equal(bag(PROVISION_ASAP, PROVISION_FULL_QUEUE, 0, 10, 1000, &c).rented, 10);
	assert_float_equal(c.makespan_s, 1060, 1e-9);
	/* three fit into an hour less a boot and the margin, so that ten need four hours */
	assert_int_equal(bag(PROVISION_AFAP, PROVISION_FULL_QUEUE, 0, 10, 1000, &c).rented, 4);
	assert_float_equal(c.paid_units, 4, 1e-9);
	assert_float_equal(c.makespan_s, 3060, 1e-9);
}

static void test_the_quota(void **state)
{
	struct fleet_counts counts;
	struct cloud c;

	(void) state;
	counts = bag(PROVISION_ASAP, PROVISION_FULL_QUEUE, 5, 10, 1000, &c);
	assert_int_equal(counts.rented, 5);
	assert_float_equal(c.makespan_s, 2060, 1e-9);
	assert_int_equal(c.waits, 0);
	counts = bag(PROVISION_ASAP, PROVISION_FULL_WAIT, 5, 10, 1000, &c);
	assert_int_equal(counts.rented, 5);
	assert_float_equal(c.makespan_s, 2060, 1e-9);
	assert_int_equal(c.waits, 5);
	/* queued onto two machines, each is filled to the end of its hours */
	counts = bag(PROVISION_AFAP, PROVISION_FULL_QUEUE, 2, 12, 1000, &c);
	assert_int_equal(counts.rented, 2);
	assert_float_equal(c.paid_units, 4, 1e-9);
	/* waiting, three at a time, until the machines were stopped and are rented again */
	counts = bag(PROVISION_AFAP, PROVISION_FULL_WAIT, 2, 12, 1000, &c);
	assert_int_equal(counts.rented, 4);
	assert_int_equal(counts.rented_most, 2);
	assert_float_equal(c.paid_units, 4, 1e-9);
	/* the cluster's nodes are a quota, too */
	counts = bag(PROVISION_1VMPERTASK, PROVISION_FULL_WAIT, 0, 20, 100, &c);
	assert_int_equal(counts.rented, 20);
	assert_int_equal(counts.rented_most, NODES);
}

static void test_an_idle_machine_is_used_by_asap_and_stopped_at_its_unit(void **state)
{
	struct cloud c = { .tasks = 0 };
	struct fleet_act act;

	(void) state;
	cloud_make(&c, PROVISION_ASAP, PROVISION_FULL_QUEUE, 0);
	c.run_s[0] = c.run_s[1] = 500;
	c.tasks = 1;
	for (double now_s = 0; now_s < 8000; now_s++) {
		if (now_s == 0 || now_s == 1200)
			fleet_task_ready(c.fleet, now_s > 0, 500);
		see(&c, now_s);
		while (fleet_next(c.fleet, now_s, &act, NULL) > 0) {
			assert_true(act.what != FLEET_STOP || now_s == UNIT_S - MARGIN_S);
			act_do(&c, &act, now_s);
		}
	}
	assert_int_equal(fleet_count(c.fleet).rented, 1);
	assert_float_equal(c.makespan_s, 1700, 1e-9);
	assert_float_equal(c.paid_units, 1, 1e-9);
	fleet_destroy(c.fleet);
}

static void test_overhead_is_learnt(void **state)
{
	struct cloud c = { .tasks = 12, .late_s = 100 };

	(void) state;
	cloud_make(&c, PROVISION_AFAP, PROVISION_FULL_WAIT, 1);
	for (int i = 0; i < 12; i++)
		c.run_s[i] = 900;
	cloud_run(&c, 100000);
	assert_float_equal(fleet_count(c.fleet).overhead_s, 100, 1e-6);
	assert_float_equal(fleet_count(c.fleet).boot_s, BOOT_S, 1e-6);
	fleet_destroy(c.fleet);
}

static struct fleet_act next(struct fleet *f, double now_s)
{
	struct fleet_act act = { .what = FLEET_WAIT, .task = 99 };

	assert_int_equal(fleet_next(f, now_s, &act, NULL), 1);
	return act;
}

static void test_a_machine_that_is_lost_gives_its_tasks_back(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet_act act;
	struct fleet *f;

	(void) state;
	settings.strategy = PROVISION_1VM4ALL;
	f = fleet_create(&settings, 2, 3, NULL);
	for (uint32_t i = 0; i < 3; i++)
		fleet_task_ready(f, i, 10);
	assert_int_equal(next(f, 0).what, FLEET_RENT);
	assert_int_equal(next(f, 0).what, FLEET_USE);
	assert_int_equal(next(f, 0).what, FLEET_USE);
	assert_int_equal(fleet_next(f, 0, &act, NULL), 0);
	fleet_node_seen(f, 0, FLEET_OFF, 1);	/* Slurm has not begun yet */
	fleet_node_seen(f, 0, FLEET_BOOTING, 2);
	assert_int_equal(fleet_next(f, 2, &act, NULL), 0);
	fleet_node_seen(f, 0, FLEET_ON, 50);
	act = next(f, 50);
	assert_int_equal(act.what, FLEET_SEND);
	assert_int_equal(act.task, 0);
	fleet_node_seen(f, 0, FLEET_DOWN, 55);
	act = next(f, 55);
	assert_int_equal(act.what, FLEET_RENT);
	assert_int_equal(act.node, 1);
	assert_int_equal(act.task, 0);
	assert_int_equal(next(f, 55).task, 1);
	assert_int_equal(next(f, 55).task, 2);
	fleet_node_seen(f, 1, FLEET_ON, 100);
	assert_int_equal(next(f, 100).what, FLEET_SEND);
	fleet_task_ended(f, 1, 101);	/* cancelled in its queue */
	fleet_task_ended(f, 0, 110);
	fleet_task_ended(f, 0, 110);
	assert_int_equal(next(f, 110).task, 2);
	fleet_destroy(f);
	fleet_destroy(NULL);
}

static void test_a_task_that_comes_back_is_placed_again(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet *f;

	(void) state;
	settings.strategy = PROVISION_1VM4ALL;
	f = fleet_create(&settings, 1, 1, NULL);
	fleet_task_ready(f, 0, 10);
	fleet_task_back(f, 0);	/* it was not sent */
	assert_int_equal(next(f, 0).what, FLEET_RENT);
	fleet_node_seen(f, 0, FLEET_ON, 60);
	assert_int_equal(next(f, 60).what, FLEET_SEND);
	fleet_task_back(f, 0);
	assert_int_equal(next(f, 65).what, FLEET_USE);
	assert_int_equal(next(f, 65).what, FLEET_SEND);
	fleet_task_ended(f, 0, 75);
	assert_int_equal(fleet_count(f).ended, 1);
	assert_float_equal(fleet_count(f).overhead_s, 0, 1e-9);
	fleet_destroy(f);
}

static void test_a_task_that_somebody_else_lets_run_is_not_sent(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet_act act;
	struct fleet *f;

	(void) state;
	settings.strategy = PROVISION_1VM4ALL;
	f = fleet_create(&settings, 1, 4, NULL);
	for (uint32_t i = 0; i < 3; i++)
		fleet_task_ready(f, i, 10);
	for (uint32_t i = 0; i < 3; i++)
		next(f, 0);
	fleet_node_seen(f, 0, FLEET_ON, 60);
	assert_int_equal(next(f, 60).task, 0);
	fleet_task_runs(f, 0);	/* as it was sent */
	fleet_task_runs(f, 1);
	fleet_task_runs(f, 3);	/* it was not ready */
	fleet_task_ready(f, 3, 10);
	fleet_task_ended(f, 1, 65);
	fleet_task_ended(f, 0, 72);
	act = next(f, 72);
	assert_true(act.what == FLEET_SEND && act.task == 2);
	fleet_task_ended(f, 2, 84);
	assert_int_equal(fleet_next(f, 84, &act, NULL), 0);
	assert_float_equal(fleet_count(f).overhead_s, 2, 1e-9);
	fleet_task_back(f, 3);	/* it was requeued */
	assert_int_equal(fleet_next(f, 85, &act, NULL), 0);
	fleet_task_ready(f, 3, 10);
	assert_int_equal(next(f, 90).what, FLEET_USE);
	act = next(f, 90);
	assert_true(act.what == FLEET_SEND && act.task == 3);
	fleet_task_lost(f, 3);
	fleet_task_lost(f, 3);
	assert_int_equal(fleet_count(f).ended, 4);
	assert_float_equal(fleet_count(f).overhead_s, 2, 1e-9);
	act = next(f, UNIT_S - MARGIN_S);	/* it has nothing more */
	assert_int_equal(act.what, FLEET_STOP);
	fleet_destroy(f);
}

static void test_what_a_controller_forgot_is_asked_for_again(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet_act act;
	struct fleet *f;

	(void) state;
	settings.strategy = PROVISION_1VM4ALL;
	f = fleet_create(&settings, 1, 1, NULL);
	fleet_task_ready(f, 0, 10);
	assert_int_equal(next(f, 0).what, FLEET_RENT);
	fleet_node_seen(f, 0, FLEET_OFF, 119);
	assert_int_equal(fleet_next(f, 119, &act, NULL), 0);
	act = next(f, 120);
	assert_int_equal(act.what, FLEET_RENT);
	assert_int_equal(act.task, FLEET_NONE);
	assert_int_equal(act.node, 0);
	assert_string_equal(act.why, "again");
	assert_int_equal(fleet_next(f, 500, &act, NULL), 0);	/* not seen since */
	assert_int_equal(fleet_count(f).rented, 1);
	fleet_node_seen(f, 0, FLEET_BOOTING, 501);
	assert_int_equal(fleet_next(f, 501, &act, NULL), 0);
	fleet_node_seen(f, 0, FLEET_ON, 510);
	assert_int_equal(next(f, 510).what, FLEET_SEND);
	fleet_task_ended(f, 0, 520);
	assert_int_equal(next(f, UNIT_S - MARGIN_S).what, FLEET_STOP);
	fleet_node_seen(f, 0, FLEET_STOPPING, UNIT_S + 100);
	assert_int_equal(fleet_next(f, UNIT_S + 100, &act, NULL), 0);	/* as it was asked, however long that takes */
	fleet_node_seen(f, 0, FLEET_ON, UNIT_S + 101);
	act = next(f, UNIT_S + 101);
	assert_int_equal(act.what, FLEET_STOP);
	assert_string_equal(act.why, "again");
	fleet_node_seen(f, 0, FLEET_OFF, UNIT_S + 200);
	assert_int_equal(fleet_next(f, UNIT_S + 400, &act, NULL), 0);
	fleet_destroy(f);
}

/* One was lost and its node resumed, one came too late, one was switched on by somebody else. */
static void test_machines_that_are_there_unasked_are_used_and_given_back(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet_act act;
	struct fleet *f;

	(void) state;
	settings.strategy = PROVISION_1VM4ALL;
	f = fleet_create(&settings, 3, 2, NULL);
	fleet_task_ready(f, 0, 10);
	assert_int_equal(next(f, 100).what, FLEET_RENT);
	fleet_node_seen(f, 0, FLEET_ON, 150);
	assert_int_equal(next(f, 150).what, FLEET_SEND);
	fleet_node_seen(f, 0, FLEET_DOWN, 155);
	assert_int_equal(next(f, 155).node, 1);
	fleet_node_seen(f, 1, FLEET_DOWN, 500);
	assert_int_equal(next(f, 500).node, 2);
	fleet_node_seen(f, 1, FLEET_OFF, 510);
	fleet_node_seen(f, 0, FLEET_ON, UNIT_S + 200);	/* in its second unit */
	fleet_node_seen(f, 1, FLEET_ON, UNIT_S + 300);
	assert_float_equal(fleet_timer_s(f), UNIT_S + 500 - MARGIN_S, 1e-9);
	fleet_node_seen(f, 2, FLEET_DOWN, UNIT_S + 310);
	act = next(f, UNIT_S + 310);
	assert_true(act.what == FLEET_USE && act.node == 0 && act.task == 0);
	assert_int_equal(next(f, UNIT_S + 310).what, FLEET_SEND);
	fleet_task_ended(f, 0, UNIT_S + 320);
	assert_int_equal(fleet_next(f, 2 * UNIT_S, &act, NULL), 0);
	act = next(f, 2 * UNIT_S + 100 - MARGIN_S);
	assert_true(act.what == FLEET_STOP && act.node == 0);
	assert_int_equal(fleet_next(f, 2 * UNIT_S + 200, &act, NULL), 0);
	act = next(f, 2 * UNIT_S + 300 - MARGIN_S);
	assert_true(act.what == FLEET_STOP && act.node == 1);
	assert_int_equal(fleet_count(f).rented, 3);
	fleet_destroy(f);
}

static struct provision_choice rubbish;

static int rubbish_choose(void *arg, const struct provision_view *view, const struct fleet_task *task,
			  struct provision_choice *choice, struct wt_error *errp)
{
	(void) view;
	(void) task;
	if (arg)
		return wt_error_set(errp, EPIPE, "gone");
	*choice = rubbish;
	return 0;
}

static void test_what_somebody_else_chose_is_checked(void **state)
{
	struct fleet_settings settings = hour;
	struct fleet_act act;
	struct wt_error error;
	struct fleet *f;

	(void) state;
	settings.choose = rubbish_choose;
	f = fleet_create(&settings, 0, 1, NULL);
	fleet_task_ready(f, 0, 10);
	rubbish = (struct provision_choice) { PROVISION_RENT, 0, "" };
	assert_int_equal(fleet_next(f, 0, &act, &error), -1);
	assert_int_equal(errno, EPROTO);
	rubbish = (struct provision_choice) { PROVISION_USE, 7, "" };
	assert_int_equal(fleet_next(f, 0, &act, &error), -1);
	rubbish = (struct provision_choice) { PROVISION_WAIT, 7, "later" };
	assert_int_equal(fleet_next(f, 0, &act, &error), 1);
	assert_string_equal(act.why, "later");
	assert_int_equal(fleet_next(f, 0, &act, &error), 0);	/* told once */
	fleet_destroy(f);
	settings.choose_arg = &settings;
	f = fleet_create(&settings, 1, 1, NULL);
	fleet_task_ready(f, 0, 10);
	assert_int_equal(fleet_next(f, 0, &act, &error), -1);
	assert_string_equal(error.text, "gone");
	assert_string_equal(fleet_do_name(FLEET_STOP), "stop");
	assert_string_equal(fleet_do_name((enum fleet_do) 99), "impossible");
	fleet_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_each_strategy_rents_and_pays),
		cmocka_unit_test(test_the_quota),
		cmocka_unit_test(test_an_idle_machine_is_used_by_asap_and_stopped_at_its_unit),
		cmocka_unit_test(test_overhead_is_learnt),
		cmocka_unit_test(test_a_machine_that_is_lost_gives_its_tasks_back),
		cmocka_unit_test(test_a_task_that_comes_back_is_placed_again),
		cmocka_unit_test(test_what_a_controller_forgot_is_asked_for_again),
		cmocka_unit_test(test_machines_that_are_there_unasked_are_used_and_given_back),
		cmocka_unit_test(test_a_task_that_somebody_else_lets_run_is_not_sent),
		cmocka_unit_test(test_what_somebody_else_chose_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
