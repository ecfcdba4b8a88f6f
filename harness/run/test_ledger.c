/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/run/ledger.h"

#define MIN_JOB_AGE_S 300
#define BOOT_S 900

static struct wt_job jobs[] = {
	{ .name = (char *) "w.A.1", .class_name = (char *) "A", .number = 0, .cpus = 4, .run_time_s = 5,
	  .time_limit_s = 10 },
	{ .name = (char *) "w.B.1", .class_name = (char *) "B", .number = 1, .cpus = 8, .run_time_s = 6,
	  .time_limit_s = 12 },
};
static struct wt_workload workload = { .name = (char *) "w", .time_scale = 1, .job_count = 2, .jobs = jobs };

static int setup(void **state)
{
	*state = wt_ledger_create(&workload);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	wt_ledger_destroy(*state);
	return 0;
}

static struct wt_ledger_view view(uint32_t id, const char *name, enum wt_job_state state)
{
	return (struct wt_ledger_view) { .job_id = id, .name = name, .state = state, .start_s = NAN, .end_s = NAN };
}

static struct wt_job_record *job_of(const struct wt_ledger *l, size_t i)
{
	return &wt_ledger_record_look(l)->jobs[i];
}

static void show_one(struct wt_ledger *l, double asked_s, struct wt_ledger_view v)
{
	wt_ledger_view_begin(l, asked_s);
	wt_ledger_view_show(l, &v);
}

static void accept_both(struct wt_ledger *l)
{
	wt_ledger_sending(l, 0, 1000);
	wt_ledger_accepted(l, 0, 7, 1000.25);
	wt_ledger_sending(l, 1, 1001);
	wt_ledger_accepted(l, 1, 8, 1001.5);
}

static void empty_views(struct wt_ledger *l, double from_s, unsigned int count, int64_t boot_s)
{
	for (unsigned int i = 0; i < count; i++) {
		wt_ledger_view_begin(l, from_s + i);
		wt_ledger_view_end(l, boot_s, MIN_JOB_AGE_S, from_s + i + 0.1);
	}
}

/* The first of both jobs as slurmctld shows it while it runs on five nodes since 1002. */
static struct wt_ledger_view view_running(void)
{
	static const int32_t pairs[] = { 0, 3, 9, 9, -1 };
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_RUNNING);

	v.alloc_cpus = 4;
	v.alloc_nodes = 5;
	v.node_list = "n[0-3,9]";
	v.node_pairs = pairs;
	v.start_s = 1002;
	return v;
}

static void test_accepted_to_running(void **state)
{
	struct wt_ledger *l = *state;

	accept_both(l);
	assert_float_equal(wt_ledger_look(l).first_sent_s, 1000, 0);
	assert_float_equal(job_of(l, 0)->submit_latency_s, 0.25, 1e-9);
	show_one(l, 1003, view_running());
	assert_string_equal(job_of(l, 0)->node_list, "n[0-3,9]");
	assert_string_equal(job_of(l, 0)->node_intervals, "0-3 9");
	assert_float_equal(job_of(l, 0)->start_s, 1002, 0);
}

static void test_running_to_ended(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view_running();
	struct wt_ledger_counts c;

	accept_both(l);
	show_one(l, 1003, v);
	v.state = WT_JOB_COMPLETED;	/* completing: shows the rest of its nodes only */
	v.completing = true;
	v.alloc_nodes = 1;
	v.node_list = "n9";
	v.end_s = 1007;
	show_one(l, 1008, v);
	assert_false(wt_ledger_entry_look(l, 0).ended);
	assert_int_equal(wt_ledger_count(l).completing, 1);

	v.completing = false;
	show_one(l, 1009, v);
	assert_true(wt_ledger_entry_look(l, 0).ended);
	assert_string_equal(job_of(l, 0)->node_list, "n[0-3,9]");
	assert_int_equal(job_of(l, 0)->alloc_nodes, 5);
	assert_float_equal(job_of(l, 0)->end_s, 1007, 0);
	assert_false(wt_ledger_settled(l));
	show_one(l, 1010, view(8, "w.B.1", WT_JOB_FAILED));
	assert_true(wt_ledger_settled(l));
	c = wt_ledger_count(l);
	assert_int_equal(c.submitted, 2);
	assert_int_equal(c.ended, 2);
	assert_int_equal(c.completed, 1);
}

/* slurmctld sets the start of a job that is cancelled while it waits to the time of that. */
static void test_cancelled_while_pending_has_no_start(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_PENDING);

	accept_both(l);
	v.start_s = 5000;	/* what the backfill scheduler expects */
	show_one(l, 1002, v);
	assert_true(isnan(job_of(l, 0)->start_s));
	v.state = WT_JOB_CANCELLED;
	v.start_s = v.end_s = 1003;
	show_one(l, 1004, v);
	assert_true(wt_ledger_entry_look(l, 0).ended);
	assert_true(isnan(job_of(l, 0)->start_s));
	assert_float_equal(job_of(l, 0)->end_s, 1003, 0);

	v = view(8, "w.B.1", WT_JOB_RUNNING);	/* runs, is requeued, and then cancelled */
	v.node_list = "n1";
	v.start_s = 1002;
	show_one(l, 1003, v);
	assert_float_equal(job_of(l, 1)->start_s, 1002, 0);
	v = view(8, "w.B.1", WT_JOB_PENDING);
	v.start_s = 1200;
	show_one(l, 1004, v);
	v.state = WT_JOB_CANCELLED;
	v.start_s = v.end_s = 1005;
	show_one(l, 1006, v);
	assert_true(isnan(job_of(l, 1)->start_s));
}

static void test_purged_after_its_end_is_no_loss(void **state)
{
	struct wt_ledger *l = *state;

	accept_both(l);
	wt_ledger_view_begin(l, 1003);
	wt_ledger_view_show(l, &(struct wt_ledger_view) { .job_id = 7, .name = "w.A.1", .state = WT_JOB_COMPLETED });
	wt_ledger_view_show(l, &(struct wt_ledger_view) { .job_id = 8, .name = "w.B.1", .state = WT_JOB_COMPLETED });
	wt_ledger_view_end(l, BOOT_S, MIN_JOB_AGE_S, 1003);
	wt_ledger_view_begin(l, 1004);
	assert_false(wt_ledger_view_suspicious(l));
	empty_views(l, 1005, 3, 1004);
	assert_true(wt_ledger_settled(l));
	assert_int_equal(wt_ledger_count(l).completed, 2);
}

static void test_vanished_without_restart_is_missing(void **state)
{
	struct wt_ledger *l = *state;

	accept_both(l);
	empty_views(l, 1010, 1, BOOT_S);
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_ACCEPTED);	/* one view is no answer */
	empty_views(l, 1011, 1, BOOT_S);
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_MISSING);
	assert_int_equal(job_of(l, 0)->state, WT_JOB_UNKNOWN);
	assert_non_null(wt_ledger_entry_look(l, 0).problem);
	assert_int_equal(wt_ledger_next_lost(l), -1);
	assert_true(wt_ledger_settled(l));
	assert_int_equal(wt_ledger_count(l).missing, 2);

	show_one(l, 1012, view(7, "w.A.1", WT_JOB_RUNNING));	/* there it is again */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_ACCEPTED);
	assert_int_equal(job_of(l, 0)->state, WT_JOB_RUNNING);
	assert_null(wt_ledger_entry_look(l, 0).problem);
}

static void test_lost_by_a_restart_is_sent_once_more(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_boot_note(l, BOOT_S);
	accept_both(l);
	wt_ledger_view_begin(l, 1010);
	assert_true(wt_ledger_view_suspicious(l));
	wt_ledger_view_end(l, 1005, MIN_JOB_AGE_S, 1010);
	empty_views(l, 1011, 1, 1005);
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_LOST);
	assert_int_equal(wt_ledger_next_lost(l), 0);
	wt_ledger_sending(l, 0, 1012);
	assert_int_equal(wt_ledger_next_lost(l), 1);
	wt_ledger_unsent(l, 0);		/* a refused connection does not use up the attempt */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_LOST);
	assert_int_equal(wt_ledger_count(l).resubmitted, 0);
	wt_ledger_sending(l, 0, 1013);
	wt_ledger_accepted(l, 0, 7, 1013.5);	/* ids may be given again */
	assert_int_equal(wt_ledger_count(l).resubmitted, 1);

	empty_views(l, 1020, 2, 1019);	/* lost again: enough */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_MISSING);
}

static void test_vanished_long_after_it_was_seen_is_missing(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_boot_note(l, BOOT_S);
	accept_both(l);
	empty_views(l, 1002 + MIN_JOB_AGE_S, 2, 1100);	/* it may have ended and been purged: must not run twice */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_MISSING);
}

static void test_unsure_is_adopted(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_sending(l, 0, 1000);
	wt_ledger_unsure(l, 0, "receive timeout", 1030);
	assert_int_equal(wt_ledger_count(l).unsure, 1);
	empty_views(l, 1031, 5, BOOT_S);	/* no restart: it may still come */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_UNSURE);
	show_one(l, 1040, view(3, "w.A.1", WT_JOB_RUNNING));
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_ACCEPTED);
	assert_int_equal(job_of(l, 0)->job_id, 3);
	assert_int_equal(job_of(l, 0)->state, WT_JOB_RUNNING);
	assert_null(wt_ledger_entry_look(l, 0).problem);
}

static void test_unsure_is_sent_again_after_a_restart(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_boot_note(l, BOOT_S);
	wt_ledger_sending(l, 0, 1000);
	wt_ledger_unsure(l, 0, "connection reset", 1001);
	empty_views(l, 1005, 1, 1003);
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_UNSURE);
	empty_views(l, 1006, 1, 1003);
	/* The first view already told of the new start; the second one must not forget that it came after the sending. */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_WAITING);
	assert_int_equal(wt_ledger_count(l).resubmitted, 0);
}

static void test_reply_after_the_view(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_sending(l, 0, 1000);
	show_one(l, 1001, view(7, "w.A.1", WT_JOB_RUNNING));	/* the controller has it; the reply is on its way */
	assert_int_equal(wt_ledger_entry_look(l, 0).phase, WT_ENTRY_SENDING);
	wt_ledger_accepted(l, 0, 7, 1002);
	wt_ledger_view_begin(l, 1001.5);	/* asked for before the reply: need not show it */
	assert_false(wt_ledger_view_suspicious(l));
}

static void test_two_ids_for_one_name(void **state)
{
	struct wt_ledger *l = *state;

	accept_both(l);
	show_one(l, 1010, view(99, "w.A.1", WT_JOB_RUNNING));
	assert_int_equal(wt_ledger_look(l).duplicates, 1);
	assert_int_equal(job_of(l, 0)->job_id, 7);
	show_one(l, 1011, view(5, "somebody", WT_JOB_RUNNING));
	assert_int_equal(wt_ledger_look(l).duplicates, 1);
}

static void test_refused(void **state)
{
	struct wt_ledger *l = *state;

	wt_ledger_sending(l, 0, 1000);
	wt_ledger_refused(l, 0, "no such partition", 1001);
	assert_int_equal(wt_ledger_count(l).refused, 1);
	assert_false(wt_ledger_settled(l));
	wt_ledger_sending(l, 1, 1000);
	wt_ledger_refused(l, 1, "no such partition", 1001);
	assert_true(wt_ledger_settled(l));
}

static void test_record_taken(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_record *r;
	struct wt_error error;

	accept_both(l);
	r = wt_ledger_take_record(l, &error);
	assert_non_null(r);
	assert_float_equal(r->begin_s, 1000, 0);
	assert_ptr_equal(wt_record_find(r, 8), &r->jobs[1]);
	assert_null(wt_record_find(r, 9));
	wt_record_destroy(r);
}

static void test_an_id_that_was_given_again(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_record *r;

	accept_both(l);
	wt_ledger_accepted(l, 1, 7, 1005);	/* slurmctld has lost job 7 and begun to count there again */
	show_one(l, 1006, view(7, "w.B.1", WT_JOB_RUNNING));
	r = wt_ledger_take_record(l, NULL);
	assert_non_null(r);
	assert_ptr_equal(wt_record_find(r, 7), &r->jobs[1]);
	assert_int_equal(r->jobs[0].job_id, 0);
	wt_record_destroy(r);
}

/* A job on two nodes that it shares: its CPUs are asked for once for each allocation. */
static void test_cpus_of_nodes(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_RUNNING);

	assert_false(wt_ledger_wants_cpus(l, &v));	/* not accepted yet */
	accept_both(l);
	v.alloc_cpus = 4;
	assert_false(wt_ledger_wants_cpus(l, &v));	/* no nodes */
	v.node_list = "n[0-1]";
	v.alloc_nodes = 2;
	assert_true(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1003, v);
	assert_null(job_of(l, 0)->node_cpus);
	assert_true(wt_ledger_wants_cpus(l, &v));
	v.detailed = true;
	v.node_cpus = "3,1";
	show_one(l, 1004, v);
	assert_string_equal(job_of(l, 0)->node_cpus, "3,1");
	v.detailed = false;
	v.node_cpus = NULL;
	assert_false(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1005, v);
	assert_string_equal(job_of(l, 0)->node_cpus, "3,1");

	v.restarts = 1;		/* a new life on the same nodes */
	assert_true(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1006, v);
	assert_null(job_of(l, 0)->node_cpus);
	v.detailed = true;	/* slurmctld does not say: not asked again */
	show_one(l, 1007, v);
	assert_null(job_of(l, 0)->node_cpus);
	assert_false(wt_ledger_wants_cpus(l, &v));
	v.node_list = "n[0,2]";	/* a node is gone */
	v.node_cpus = "2(x2)";
	assert_true(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1008, v);
	assert_string_equal(job_of(l, 0)->node_cpus, "2(x2)");
}

/* One node gave all; a job whose run was never seen is asked for when it has ended; whole nodes need no asking. */
static void test_cpus_of_other_jobs(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_RUNNING);

	accept_both(l);
	v.alloc_cpus = 4;
	v.alloc_nodes = 1;
	v.node_list = "n5";
	assert_false(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1003, v);
	assert_string_equal(job_of(l, 0)->node_cpus, "4");

	v = view(8, "w.B.1", WT_JOB_COMPLETED);
	v.alloc_cpus = 8;
	v.alloc_nodes = 1;
	v.node_list = "n7";
	v.completing = true;	/* the rest of its nodes */
	assert_false(wt_ledger_wants_cpus(l, &v));
	v.completing = false;
	v.alloc_nodes = 2;
	v.node_list = "n[6-7]";
	assert_true(wt_ledger_wants_cpus(l, &v));
	job_of(l, 1)->nodes = 2;
	assert_false(wt_ledger_wants_cpus(l, &v));
	show_one(l, 1005, v);
	assert_null(job_of(l, 1)->node_cpus);
}

/* Users choose some of these texts. */
static void test_whose_job_it_is(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_PENDING);
	char large[65537];

	memset(large, 'q', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	accept_both(l);
	assert_null(job_of(l, 0)->user);
	assert_int_equal(job_of(l, 0)->alloc_gpus, WT_GPUS_UNKNOWN);
	v.partition = "a,b";
	v.account = "odd \"one\",\n\x1b[2J\xff";
	v.user = "root";
	v.qos = large;
	v.pending_reason = "Resources";
	v.alloc_gpus = WT_GPUS_UNKNOWN;
	show_one(l, 1002.25, v);
	assert_string_equal(job_of(l, 0)->partition, "a,b");
	assert_string_equal(job_of(l, 0)->account, "odd \"one\",??[2J?");
	assert_string_equal(job_of(l, 0)->user, "root");
	assert_int_equal(strlen(job_of(l, 0)->qos), 128);
	assert_string_equal(job_of(l, 0)->qos + 125, "...");
	assert_int_equal(job_of(l, 0)->alloc_gpus, 0);
	v.state = WT_JOB_RUNNING;
	v.partition = "b";
	v.account = v.qos = "";
	v.user = NULL;
	v.node_list = "n0";
	v.alloc_gpus = 2;
	v.start_s = 1003;
	show_one(l, 1003.5, v);
	assert_string_equal(job_of(l, 0)->partition, "b");
	assert_string_equal(job_of(l, 0)->account, "odd \"one\",??[2J?");	/* what is not told any more stays */
	assert_string_equal(job_of(l, 0)->user, "root");
	assert_int_equal(job_of(l, 0)->alloc_gpus, 2);
}

static void test_why_it_waited(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view a = view(7, "w.A.1", WT_JOB_PENDING), b = view(8, "w.B.1", WT_JOB_RUNNING);
	struct wt_record *r;

	accept_both(l);		/* at 1000.25 and 1001.5 */
	a.pending_reason = "Priority";
	a.partition = "one,two";
	show_one(l, 1002.25, a);
	a.pending_reason = "Resources";
	show_one(l, 1003.25, a);
	b.start_s = 1002;
	b.node_list = "n1";
	wt_ledger_view_show(l, &b);
	a.state = WT_JOB_CANCELLED;
	a.partition = "one";	/* slurmctld forgets the others */
	a.start_s = a.end_s = 1007;
	show_one(l, 1009, a);
	r = wt_ledger_take_record(l, NULL);
	assert_non_null(r);
	assert_string_equal(r->jobs[0].pending_reason, "Resources");
	assert_string_equal(r->jobs[0].pending_times, "Resources=3.750;Priority=3.000");
	assert_string_equal(r->jobs[0].partition, "one,two");
	assert_null(r->jobs[1].pending_reason);
	assert_null(r->jobs[1].pending_times);
	wt_record_destroy(r);
}

/* Come and gone between two looks: the first thing that is told of it is its end. */
static void test_partition_of_a_short_life(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_CANCELLED);

	accept_both(l);
	v.partition = "one";
	v.start_s = v.end_s = 1001;
	show_one(l, 1002.25, v);
	assert_string_equal(job_of(l, 0)->partition, "one");
}

/* What a job waited that slurmctld has lost is not what its second submission waited. */
static void test_a_lost_wait(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = view(7, "w.A.1", WT_JOB_PENDING);
	struct wt_record *r;

	accept_both(l);
	v.pending_reason = "Licenses";
	show_one(l, 1050, v);
	wt_ledger_sending(l, 0, 1100);
	wt_ledger_accepted(l, 0, 9, 1100.5);
	v.job_id = 9;
	v.pending_reason = "Resources";
	show_one(l, 1101, v);
	r = wt_ledger_take_record(l, NULL);
	assert_non_null(r);
	assert_string_equal(r->jobs[0].pending_times, "Resources=0.500");
	wt_record_destroy(r);
}

/* Both as tasks of one array, which slurmctld shows as one record while they wait. */
static void accept_array(struct wt_ledger *l)
{
	wt_ledger_sending(l, 0, 1000);
	wt_ledger_sending(l, 1, 1000);
	wt_ledger_task_accepted(l, 0, 7, 1000.5);
	wt_ledger_task_accepted(l, 1, 7, 1000.5);
}

static struct wt_ledger_view task_view(uint32_t id, const char *name, enum wt_job_state state)
{
	struct wt_ledger_view v = view(id, name, state);

	v.array_job_id = 7;
	return v;
}

static void test_tasks_get_ids(void **state)
{
	struct wt_ledger *l = *state;

	accept_array(l);
	assert_int_equal(wt_ledger_waited_id(l, 1), 7);
	assert_int_equal(job_of(l, 1)->job_id, 0);
	wt_ledger_view_begin(l, 1001);
	for (int i = 0; i < 2; i++) {
		struct wt_ledger_view v = task_view(0, i ? "w.B.1" : "w.A.1", WT_JOB_PENDING);

		wt_ledger_view_show(l, &v);
	}
	assert_false(wt_ledger_view_suspicious(l));
	assert_int_equal(wt_ledger_count(l).pending, 2);
	show_one(l, 1002, task_view(8, "w.A.1", WT_JOB_RUNNING));
	assert_int_equal(job_of(l, 0)->job_id, 8);
	assert_int_equal(job_of(l, 1)->job_id, 0);
	show_one(l, 1003, task_view(8, "w.A.1", WT_JOB_COMPLETED));
	show_one(l, 1004, task_view(7, "w.B.1", WT_JOB_COMPLETED));	/* the last has the array's */
	assert_int_equal(job_of(l, 0)->job_id, 8);
	assert_int_equal(job_of(l, 1)->job_id, 7);
	assert_int_equal(wt_ledger_waited_id(l, 0), 7);
	assert_int_equal(wt_ledger_look(l).duplicates, 0);
	assert_true(wt_ledger_settled(l));
}

/* Sent twice, both by one request: the second array is not ours. */
static void test_two_arrays(void **state)
{
	struct wt_ledger *l = *state;
	struct wt_ledger_view v = task_view(21, "w.A.1", WT_JOB_RUNNING);

	accept_array(l);
	v.array_job_id = 20;
	show_one(l, 1002, v);
	assert_int_equal(wt_ledger_look(l).duplicates, 1);
	assert_int_equal(job_of(l, 0)->job_id, 0);
	/* Not known whether it came: taken when it is seen, with its array. */
	wt_ledger_sending(l, 1, 1003);
	wt_ledger_unsure(l, 1, "no reply", 1004);
	v = task_view(22, "w.B.1", WT_JOB_RUNNING);
	v.array_job_id = 20;
	show_one(l, 1005, v);
	assert_int_equal(job_of(l, 1)->job_id, 22);
	assert_int_equal(wt_ledger_waited_id(l, 1), 20);
}

static void test_null(void **state)
{
	(void) state;
	wt_ledger_destroy(NULL);
}

#define MANY_JOBS 100000	/* names like those of bench/daily-load, many with one hash in hsearch(3): ever slower */

static void test_many_names(void **state)
{
	struct wt_job *many = calloc(MANY_JOBS, sizeof(*many));
	struct wt_workload year = { .name = (char *) "year", .time_scale = 1, .job_count = MANY_JOBS, .jobs = many };
	char (*names)[24] = calloc(MANY_JOBS, sizeof(*names));
	struct wt_ledger *l;

	(void) state;
	assert_true(many && names);
	for (size_t i = 0; i < MANY_JOBS; i++) {
		snprintf(names[i], sizeof(names[i]), "%zu.%zu", i % 18, i / 18);
		many[i] = (struct wt_job){ .name = names[i], .class_name = (char *) "c", .number = (uint32_t) i, .cpus = 1,
					   .run_time_s = 1, .time_limit_s = 1 };
	}
	l = wt_ledger_create(&year);
	assert_non_null(l);
	for (size_t i = 0; i < MANY_JOBS; i++)
		assert_int_equal(wt_ledger_find(l, names[i]), i);
	assert_int_equal(wt_ledger_find(l, "18.0"), -1);
	wt_ledger_destroy(l);
	free(many);
	free(names);
}

#define WALK_JOBS 40

/* What wt_ledger_count () and wt_ledger_settled () keep, told by a look at each entry. */
static void assert_counted(const struct wt_ledger *l)
{
	struct wt_ledger_counts c = wt_ledger_count(l), seen = { 0 };
	size_t settled = 0, lost = 0;

	for (size_t i = 0; i < WALK_JOBS; i++) {
		struct wt_entry_state e = wt_ledger_entry_look(l, i);
		enum wt_job_state job = job_of(l, i)->state;
		bool accepted = e.phase == WT_ENTRY_ACCEPTED, going = accepted && !e.ended;

		seen.submitted += accepted;
		seen.ended += accepted && e.ended;
		seen.completed += accepted && e.ended && job == WT_JOB_COMPLETED;
		seen.pending += going && job == WT_JOB_PENDING;
		seen.running += going && job == WT_JOB_RUNNING;
		seen.refused += e.phase == WT_ENTRY_REFUSED;
		seen.missing += e.phase == WT_ENTRY_MISSING;
		seen.unsure += e.phase == WT_ENTRY_UNSURE;
		lost += e.phase == WT_ENTRY_LOST;
		settled += (accepted && e.ended) || e.phase == WT_ENTRY_REFUSED || e.phase == WT_ENTRY_MISSING;
	}
	seen.completing = seen.submitted - seen.ended - seen.pending - seen.running;
	seen.resubmitted = c.resubmitted;	/* no look tells it */
	assert_memory_equal(&c, &seen, sizeof(c));
	assert_int_equal(wt_ledger_settled(l), settled == WALK_JOBS);
	assert_int_equal(wt_ledger_next_lost(l) >= 0, lost > 0);
}

/* One thing that can happen to job 'i' in the phase that it is in. */
static void walk_send(struct wt_ledger *l, size_t i, long draw, double now_s)
{
	enum wt_entry_phase phase = wt_ledger_entry_look(l, i).phase;

	if (phase == WT_ENTRY_WAITING || phase == WT_ENTRY_LOST)
		wt_ledger_sending(l, i, now_s);
	else if (phase == WT_ENTRY_SENDING && draw % 8 == 0)
		wt_ledger_unsent(l, i);
	else if (phase == WT_ENTRY_SENDING && draw % 8 == 1)
		wt_ledger_unsure(l, i, "no reply", now_s);
	else if (phase == WT_ENTRY_SENDING && draw % 64 == 2)
		wt_ledger_refused(l, i, "no", now_s);
	else if (phase == WT_ENTRY_SENDING)
		wt_ledger_accepted(l, i, (uint32_t) i + 1, now_s);
}

/* A view that leaves out one job in five, and now and then of a slurmctld that has just been started. */
static void walk_view(struct wt_ledger *l, const struct wt_workload *walked, long draw, double now_s)
{
	static const enum wt_job_state states[] = { WT_JOB_PENDING, WT_JOB_RUNNING, WT_JOB_COMPLETED, WT_JOB_FAILED };
	struct wt_ledger_view v;

	wt_ledger_view_begin(l, now_s);
	for (size_t i = 0; i < WALK_JOBS; i++) {
		v = view((uint32_t) i + 1, walked->jobs[i].name, states[(unsigned long) mrand48() % 4]);
		v.completing = mrand48() % 4 == 0;
		v.restarts = mrand48() % 16 == 0;
		if (mrand48() % 5)
			wt_ledger_view_show(l, &v);
	}
	wt_ledger_view_end(l, draw % 3 ? BOOT_S : (int64_t) now_s, MIN_JOB_AGE_S, now_s);
}

static void test_counts_are_those_of_the_entries(void **state)
{
	struct wt_job walk[WALK_JOBS];
	struct wt_workload walked = { .name = (char *) "walk", .time_scale = 1, .job_count = WALK_JOBS, .jobs = walk };
	char names[WALK_JOBS][16];
	struct wt_ledger *l;
	size_t resubmitted = 0;

	(void) state;
	for (size_t i = 0; i < WALK_JOBS; i++) {
		snprintf(names[i], sizeof(names[i]), "walk.%zu", i);
		walk[i] = jobs[0];
		walk[i].name = names[i];
	}
	srand48(21);
	for (int round = 0; round < 50; round++) {
		l = wt_ledger_create(&walked);
		assert_non_null(l);
		for (int step = 0; step < 400; step++) {
			long draw = mrand48() & 0xffff;

			if (step % 20 == 19)
				walk_view(l, &walked, draw, 1000 + step);
			else
				walk_send(l, (size_t) (draw / 64) % WALK_JOBS, draw, 1000 + step);
			assert_counted(l);
		}
		resubmitted += wt_ledger_count(l).resubmitted;
		wt_ledger_destroy(l);
	}
	assert_true(resubmitted > 0);	/* the walk came by there */
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_accepted_to_running), T(test_running_to_ended), T(test_cancelled_while_pending_has_no_start),
			T(test_purged_after_its_end_is_no_loss),
		T(test_vanished_without_restart_is_missing),
		T(test_lost_by_a_restart_is_sent_once_more), T(test_vanished_long_after_it_was_seen_is_missing),
		T(test_unsure_is_adopted), T(test_unsure_is_sent_again_after_a_restart), T(test_reply_after_the_view),
		T(test_two_ids_for_one_name), T(test_refused), T(test_record_taken),
		T(test_an_id_that_was_given_again), T(test_cpus_of_nodes), T(test_cpus_of_other_jobs),
		T(test_whose_job_it_is), T(test_why_it_waited),
		T(test_partition_of_a_short_life),
		T(test_a_lost_wait), T(test_tasks_get_ids), T(test_two_arrays), cmocka_unit_test(test_null),
		cmocka_unit_test(test_many_names), cmocka_unit_test(test_counts_are_those_of_the_entries),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
