/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/upgrade/upgrade_compare.h"

struct three {
	struct upgrade_records sides[3][UPGRADE_KINDS]; /* before, control, after */
	struct upgrade_result result;
};

/* Texts of one kind, all others are empty; a control of NULL: none. */
static void compare(struct three *t, enum upgrade_kind kind, const char *before, const char *control, const char *after,
		    const char *to)
{
	const char *const texts[3] = { before, control ? control : "", after };
	const struct upgrade_side sides[3] = { { "22.05.8", t->sides[0] }, { "22.05.8", t->sides[1] }, { to, t->sides[2] } };
	struct wt_error error;

	for (int s = 0; s < 3; s++)
		for (int k = 0; k < UPGRADE_KINDS; k++) {
			const char *text = k == (int) kind ? texts[s] : "";

			assert_int_equal(upgrade_records_parse(&t->sides[s][k], (enum upgrade_kind) k, text, strlen(text),
							       &error),
					 0);
		}
	assert_int_equal(upgrade_compare(&t->result, &sides[0], control ? &sides[1] : NULL, &sides[2], &error), 0);
}

static void clear(struct three *t)
{
	for (int s = 0; s < 3; s++)
		for (int k = 0; k < UPGRADE_KINDS; k++)
			upgrade_records_clear(&t->sides[s][k]);
	upgrade_result_clear(&t->result);
}

static const struct upgrade_change *change_of(const struct three *t, const char *field)
{
	for (size_t i = 0; i < t->result.change_count; i++)
		if (!strcmp(t->result.changes[i].field, field))
			return &t->result.changes[i];
	return NULL;
}

static void nothing_changed(void **state)
{
	static const char jobs[] = "JobId=1 JobState=RUNNING RunTime=00:00:05\nJobId=2 JobState=PENDING RunTime=00:00:00\n";
	struct three t;

	(void) state;
	compare(&t, UPGRADE_JOB, jobs, jobs,
		"JobId=2 JobState=PENDING RunTime=00:00:00\nJobId=1 JobState=RUNNING "
		"RunTime=00:01:00\n",
		"23.11.11");
	assert_int_equal(t.result.tallies[UPGRADE_JOB].before, 2);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].kept, 2);
	assert_int_equal(upgrade_lost(&t.result), 0);
	assert_int_equal(t.result.change_count, 1);
	assert_int_equal(change_of(&t, "RunTime")->cause, UPGRADE_MOVES);
	clear(&t);
}

/* What the old release does to it as well is not the new one's doing. */
static void blame(void **state)
{
	struct three t;

	(void) state;
	compare(&t, UPGRADE_NODE, "NodeName=n1 State=DOWN Weight=1\n", "NodeName=n1 State=IDLE Weight=1\n",
		"NodeName=n1 State=IDLE Weight=2\n", "23.11.11");
	assert_int_equal(change_of(&t, "State")->cause, UPGRADE_BY_RESTART);
	assert_string_equal(change_of(&t, "State")->control, "IDLE");
	assert_int_equal(change_of(&t, "Weight")->cause, UPGRADE_BY_RELEASE);
	assert_int_equal(t.result.tallies[UPGRADE_NODE].changed, 1);
	clear(&t);
	compare(&t, UPGRADE_NODE, "NodeName=n1 State=DOWN\n", NULL, "NodeName=n1 State=IDLE\n", "23.11.11");
	assert_int_equal(change_of(&t, "State")->cause, UPGRADE_BY_RELEASE);
	clear(&t);
	compare(&t, UPGRADE_NODE, "NodeName=n1 State=IDLE*\n", "", "NodeName=n1 State=IDLE+NOT_RESPONDING\n", "23.11.11");
	assert_int_equal(t.result.tallies[UPGRADE_NODE].kept, 1);
	clear(&t);
}

static void losses(void **state)
{
	struct three t;

	(void) state;
	compare(&t, UPGRADE_JOB,
		"JobId=1 JobState=RUNNING\nJobId=2 JobState=PENDING\nJobId=3 JobState=SUSPENDED\n"
		"JobId=4 JobState=COMPLETED\n"
		"JobId=5 JobState=RUNNING\n",
		"JobId=1 JobState=RUNNING\nJobId=2 JobState=PENDING\nJobId=3 JobState=PENDING\nJobId=5 JobState=RUNNING\n",
		"JobId=1 JobState=NODE_FAIL\nJobId=3 JobState=PENDING\nJobId=5 JobState=RUNNING\nJobId=6 JobState=PENDING\n",
		"23.11.11");
	assert_int_equal(upgrade_lost(&t.result), 3);
	assert_string_equal(t.result.losses[0].record->key, "1");
	assert_string_equal(t.result.losses[0].why, "it has ended: RUNNING, now NODE_FAIL");
	assert_false(t.result.losses[0].restart);
	assert_string_equal(t.result.losses[1].record->key, "2");
	assert_string_equal(t.result.losses[1].why, "no record of it is left");
	assert_string_equal(t.result.losses[2].why, "it ran, and waits again: SUSPENDED, now PENDING");
	assert_true(t.result.losses[2].restart);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].forgotten, 1);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].kept, 1);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].appeared, 1);
	clear(&t);
	compare(&t, UPGRADE_RESERVATION, "ReservationName=r State=INACTIVE\n", "", "No reservations in the system\n",
		"23.11.11");
	assert_int_equal(upgrade_lost(&t.result), 1);
	assert_int_equal(t.result.losses[0].kind, UPGRADE_RESERVATION);
	clear(&t);
}

/* A name that says that the job has ended does not let it vanish unseen. */
static void odd_job(void **state)
{
	struct three t;

	(void) state;
	compare(&t, UPGRADE_JOB, "JobId=1 JobName=x JobState=COMPLETED JobState=RUNNING\n", "", "No jobs in the system\n",
		"23.11.11");
	assert_int_equal(upgrade_lost(&t.result), 1);
	clear(&t);
}

static void arrays(void **state)
{
	static const char before[] = "JobId=5 ArrayJobId=4 ArrayTaskId=1 JobState=RUNNING\n"
				     "JobId=4 ArrayJobId=4 ArrayTaskId=2-6%2 JobState=PENDING\n";
	struct three t;

	(void) state;
	compare(&t, UPGRADE_JOB, before, before,
		"JobId=5 ArrayJobId=4 ArrayTaskId=1 JobState=RUNNING\nJobId=6 ArrayJobId=4 ArrayTaskId=2 JobState=RUNNING\n"
		"JobId=4 ArrayJobId=4 ArrayTaskId=3-6%2 JobState=PENDING\n",
		"23.11.11");
	assert_int_equal(upgrade_lost(&t.result), 0);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].appeared, 1);
	clear(&t);
	compare(&t, UPGRADE_JOB, before, before,
		"JobId=5 ArrayJobId=4 ArrayTaskId=1 JobState=RUNNING\n"
		"JobId=4 ArrayJobId=4 ArrayTaskId=3-6%2 JobState=PENDING\n",
		"23.11.11");
	assert_int_equal(upgrade_lost(&t.result), 1);
	assert_int_equal(t.result.arrays_short, 1);
	assert_string_equal(t.result.losses[0].why, "of its array's 6 tasks 5 are left");
	assert_false(t.result.losses[0].restart);
	clear(&t);
}

static void known(void **state)
{
	static const char *const same = "JobId=1 JobState=PENDING Priority=7 NumNodes=5-5 Reason=Priority StartTime=a\n";
	struct three t;

	(void) state;
	compare(&t, UPGRADE_JOB, same, same, "JobId=1 JobState=PENDING Priority=1 NumNodes=5 Reason=Resources StartTime=b\n",
		"24.11.5");
	assert_int_equal(change_of(&t, "Priority")->cause, UPGRADE_KNOWN);
	assert_non_null(change_of(&t, "Priority")->why);
	assert_int_equal(change_of(&t, "NumNodes")->cause, UPGRADE_KNOWN);
	assert_int_equal(change_of(&t, "Reason")->cause, UPGRADE_EXPECTED);
	assert_int_equal(change_of(&t, "StartTime")->cause, UPGRADE_EXPECTED);
	assert_int_equal(t.result.tallies[UPGRADE_JOB].kept, 1);
	clear(&t);
	/* within a series there is no other default; a held job that is not held any more is no default either */
	compare(&t, UPGRADE_JOB, same, same,
		"JobId=1 JobState=PENDING Priority=1 NumNodes=6 Reason=JobHeldUser StartTime=a\n", "23.02.1");
	assert_int_equal(change_of(&t, "Priority")->cause, UPGRADE_BY_RELEASE);
	assert_int_equal(change_of(&t, "NumNodes")->cause, UPGRADE_BY_RELEASE);
	assert_int_equal(change_of(&t, "Reason")->cause, UPGRADE_BY_RELEASE);
	clear(&t);
	compare(&t, UPGRADE_JOB, "JobId=1 JobState=PENDING Priority=0\n", "JobId=1 JobState=PENDING Priority=0\n",
		"JobId=1 JobState=PENDING Priority=1\n", "24.11.5");
	assert_int_equal(change_of(&t, "Priority")->cause, UPGRADE_BY_RELEASE);
	clear(&t);
	/* of a job that runs they are facts */
	compare(&t, UPGRADE_JOB, "JobId=1 JobState=RUNNING StartTime=a\n", "JobId=1 JobState=RUNNING StartTime=a\n",
		"JobId=1 JobState=RUNNING StartTime=b\n", "24.11.5");
	assert_int_equal(change_of(&t, "StartTime")->cause, UPGRADE_BY_RELEASE);
	clear(&t);
}

static void layouts(void **state)
{
	static const char before[] =
		"NodeName=n1 CapWatts=n/a Reason=disk State=IDLE\nNodeName=n2 CapWatts=n/a State=IDLE\n";
	struct three t;

	(void) state;
	compare(&t, UPGRADE_NODE, before, before,
		"NodeName=n1 ResumeAfterTime=None State=IDLE\nNodeName=n2 ResumeAfterTime=None State=IDLE\n", "24.11.5");
	assert_int_equal(t.result.layout_count, 2);
	assert_string_equal(t.result.layouts[0].field, "CapWatts");
	assert_false(t.result.layouts[0].appeared);
	assert_string_equal(t.result.layouts[1].field, "ResumeAfterTime");
	assert_true(t.result.layouts[1].appeared);
	/* a reason that only one had is no field that is not printed any more */
	assert_int_equal(change_of(&t, "Reason")->cause, UPGRADE_BY_RELEASE);
	assert_null(change_of(&t, "Reason")->after);
	assert_int_equal(t.result.tallies[UPGRADE_NODE].changed, 1);
	clear(&t);
	/* the same release prints the same fields: one that is gone is a change */
	compare(&t, UPGRADE_NODE, before, before, "NodeName=n1 State=IDLE\nNodeName=n2 State=IDLE\n", "22.05.8");
	assert_int_equal(t.result.layout_count, 0);
	assert_int_equal(t.result.tallies[UPGRADE_NODE].changed, 2);
	clear(&t);
}

static bool rest(const char *before, const char *after)
{
	struct upgrade_records b[UPGRADE_KINDS] = { 0 }, a[UPGRADE_KINDS] = { 0 };
	const struct upgrade_side sides[2] = { { "1", b }, { "1", a } };
	bool still;

	assert_int_equal(upgrade_records_parse(&b[UPGRADE_JOB], UPGRADE_JOB, before, strlen(before), NULL), 0);
	assert_int_equal(upgrade_records_parse(&a[UPGRADE_JOB], UPGRADE_JOB, after, strlen(after), NULL), 0);
	still = upgrade_at_rest(&sides[0], &sides[1]);
	upgrade_records_clear(&b[UPGRADE_JOB]);
	upgrade_records_clear(&a[UPGRADE_JOB]);
	return still;
}

static void at_rest(void **state)
{
	(void) state;
	assert_true(rest("", ""));
	assert_true(rest("JobId=1 RunTime=1\n", "JobId=1 RunTime=2\n"));
	assert_false(rest("JobId=1 JobState=PENDING\n", "JobId=1 JobState=RUNNING\n"));
	assert_false(rest("JobId=1\n", "JobId=1\nJobId=2\n"));
	assert_false(rest("JobId=1 JobState=COMPLETED\n", ""));
}

static bool answered(const char *text)
{
	struct upgrade_records r;
	bool all;

	assert_int_equal(upgrade_records_parse(&r, UPGRADE_NODE, text, strlen(text), NULL), 0);
	all = upgrade_nodes_answered(&r);
	upgrade_records_clear(&r);
	return all;
}

static void nodes(void **state)
{
	(void) state;
	assert_true(answered("NodeName=n1 State=IDLE\nNodeName=n2 State=DOWN\n"));
	assert_false(answered("NodeName=n1 State=IDLE\nNodeName=n2 State=DOWN*\n"));
	assert_false(answered("NodeName=n1 State=IDLE+NOT_RESPONDING\n"));
	assert_false(answered("NodeName=n1 State=UNKNOWN\n"));
	assert_false(answered("NodeName=n1\n"));
	assert_false(answered(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_changed), cmocka_unit_test(blame),   cmocka_unit_test(losses),
		cmocka_unit_test(odd_job),         cmocka_unit_test(arrays),  cmocka_unit_test(known),
		cmocka_unit_test(layouts),         cmocka_unit_test(at_rest), cmocka_unit_test(nodes),
	};

	return cmocka_run_group_tests_name("upgrade_compare", tests, NULL, NULL);
}
