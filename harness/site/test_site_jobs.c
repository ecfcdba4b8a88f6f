/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "harness/site/site_jobs.h"
#include "lib/test_cmocka.h"

#define HEAD "JobID|JobName|User|Group|Account|QOS|Partition|Submit|Eligible|Start|End|ElapsedRaw|State|ExitCode|" \
	"TimelimitRaw|AllocNodes|ReqMem|ReqTRES|NodeList|SubmitLine\n"

struct fixture {
	struct wt_people people;
	struct wt_site_jobs jobs;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(wt_people_init(&f->people, NULL), 0);
	assert_int_equal(wt_site_jobs_init(&f->jobs, NULL), 0);
	f->jobs.people = &f->people;
}

static void end(struct fixture *f)
{
	wt_site_jobs_clear(&f->jobs);
	wt_people_clear(&f->people);
}

typedef int (*take_fn)(struct wt_site_jobs *, FILE *, const char *, struct wt_error *);

static int take(struct fixture *f, take_fn fn, const char *text, struct wt_error *errp)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = fn(&f->jobs, in, "f", errp);
	fclose(in);
	return rc;
}

static void sacct(struct fixture *f, const char *text)
{
	struct wt_error err = { "" };

	begin(f);
	if (take(f, wt_site_jobs_sacct, text, &err) < 0 || wt_site_jobs_finish(&f->jobs, &err) < 0)
		fail_msg("%s", err.text);
}

static json_int_t counted(const json_t *counts, const char *begin_of_why)
{
	const char *why;
	json_t *count;

	json_object_foreach((json_t *) counts, why, count)
		if (strstr(why, begin_of_why))
			return json_integer_value(count);
	return 0;
}

static void test_completed(void **state)
{
	struct fixture f;
	const struct wt_site_job *j;
	const struct wt_job_ask *ask;

	(void) state;
	sacct(&f, HEAD "7|a b|ann|users|phys|high|p|100|100|160|260|100|COMPLETED|0:0|10|2|8000M|"
	      "cpu=8,mem=8000M,node=2,gres/gpu=4,gres/gpu:k80=4|n[1-2]|sbatch -p p,q -J a b --exclusive -n 8 x\n");
	assert_int_equal(f.jobs.count, 1);
	j = &f.jobs.list[0];
	ask = j->job.ask;
	assert_string_equal(j->job.id, "7");
	assert_float_equal(j->job.submit_s, 100, 0);
	assert_float_equal(j->job.run_time_s, 100, 0);
	assert_float_equal(j->job.requested_time_s, 600, 0);
	assert_float_equal(j->job.wait_s, 60, 0);
	assert_string_equal(ask->text[WT_ASK_PARTITION], "p,q");
	assert_string_equal(j->partition, "p");
	assert_string_equal(j->nodes, "n[1-2]");
	assert_string_equal(ask->text[WT_ASK_NAME], "a b");
	assert_string_equal(ask->text[WT_ASK_SHARING], "exclusive");	/* behind the name with its blank */
	assert_float_equal(ask->number[WT_ASK_TASKS], 8, 0);
	assert_float_equal(ask->number[WT_ASK_NODES_MIN], 2, 0);
	assert_float_equal(ask->number[WT_ASK_MEMORY_PER_NODE], 4000, 0);
	assert_string_equal(ask->text[WT_ASK_GRES], "gpu:k80:2");
	assert_true(isnan(ask->number[WT_ASK_BEGIN_AFTER_S]));
	end(&f);
}

/* ID, SUBMIT, ELIGIBLE, START, END, ELAPSED, STATE, EXIT, LIMIT */
#define ROW(id, submit, eligible, start, end, elapsed, state, code, limit) \
	id "|x|ann|users|phys|normal|p|" submit "|" eligible "|" start "|" end "|" elapsed "|" state "|" code "|" limit \
	"|1|1G|cpu=1,mem=1G,node=1|n1|sbatch x\n"

static void test_ends(void **state)
{
	static const struct { const char *row; enum wt_job_end end; double run_s, cancel_s; } rows[] = {
		{ ROW("1", "100", "100", "110", "150", "40", "FAILED", "3:0", "5"), WT_END_FAILED, 40, NAN },
		{ ROW("2", "100", "100", "110", "410", "300", "TIMEOUT", "0:0", "5"), WT_END_TIME_LIMIT, 300, NAN },
		{ ROW("3", "100", "100", "110", "150", "40", "CANCELLED by 7", "0:0", "5"), WT_END_CANCELLED, 40, NAN },
		{ ROW("4", "100", "100", "150", "150", "0", "CANCELLED", "0:0", "5"), WT_END_CANCELLED, 50, 50 },
		{ ROW("5", "100", "100", "110", "150", "40", "OUT_OF_MEMORY", "0:125", "5"), WT_END_OUT_OF_MEMORY, 40, NAN },
		{ ROW("6", "100", "100", "110", "150", "40", "NODE_FAIL", "1:0", "5"), WT_END_FAILED, 40, NAN },
		{ ROW("7", "100", "100", "110", "150", "40", "PREEMPTED", "0:0", "5"), WT_END_CANCELLED, 40, NAN },
		{ ROW("8", "100", "100", "110", "Unknown", "40", "RUNNING", "0:0", "5"), WT_END_TIME_LIMIT, 300, NAN },
		{ ROW("9", "100", "100", "Unknown", "Unknown", "0", "PENDING", "0:0", "5"), WT_END_TIME_LIMIT, 300, NAN },
		{ ROW("10", "100", "Unknown", "110", "150", "40", "FAILED", "0:9", ""), WT_END_FAILED, 40, NAN },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wt_site_job *j;
		struct fixture f;
		char text[2048];

		snprintf(text, sizeof(text), HEAD "%s", rows[i].row);
		sacct(&f, text);
		assert_int_equal(f.jobs.count, 1);
		j = &f.jobs.list[0];
		assert_int_equal(j->job.ask->end, rows[i].end);
		assert_float_equal(j->job.run_time_s, rows[i].run_s, 0);
		if (isnan(rows[i].cancel_s))
			assert_true(isnan(j->job.ask->number[WT_ASK_CANCEL_AFTER_S]));
		else
			assert_float_equal(j->job.ask->number[WT_ASK_CANCEL_AFTER_S], rows[i].cancel_s, 0);
		end(&f);
	}
}

static void test_left_out(void **state)
{
	struct fixture f;

	(void) state;
	begin(&f);
	assert_int_equal(take(&f, wt_site_jobs_sacct, HEAD
			      ROW("1", "100", "100", "Unknown", "Unknown", "0", "PENDING", "0:0", "Partition_Limit")
			      ROW("2", "Unknown", "100", "110", "150", "40", "COMPLETED", "0:0", "5")
			      ROW("3", "100", "100", "110", "150", "40", "RESIZING", "0:0", "5")
			      ROW("4", "100", "100", "110", "150", "40", "GLORIOUS", "0:0", "5")
			      ROW("5.batch", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5"), NULL), 0);
	assert_int_equal(f.jobs.count, 0);
	assert_int_equal(f.jobs.read, 5);
	assert_int_equal(json_object_size(f.jobs.left_out), 5);
	assert_int_equal(json_object_size(f.jobs.assumed), 0);	/* what is left out counts for nothing else */
	end(&f);
}

static void test_requeued(void **state)
{
	const struct wt_site_job *j;
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("1", "100", "100", "110", "150", "40", "REQUEUED", "0:0", "5")
	      ROW("1", "150", "150", "200", "260", "60", "COMPLETED", "0:0", "5")
	      ROW("1", "150", "150", "200", "260", "60", "COMPLETED", "0:0", "5")
	      ROW("2", "101", "101", "110", "150", "39", "PREEMPTED", "0:0", "5")
	      ROW("2", "150", "150", "200", "Unknown", "60", "RUNNING", "0:0", "5"));
	assert_int_equal(f.jobs.count, 2);
	j = &f.jobs.list[0];
	assert_float_equal(j->job.submit_s, 100, 0);
	assert_float_equal(j->job.run_time_s, 60, 0);
	assert_float_equal(j->job.ask->number[WT_ASK_REQUEUE_AFTER_S], 40, 0);
	assert_float_equal(j->end_s, 260, 0);
	assert_int_equal(j->requeues, 1);
	assert_true(isnan(f.jobs.list[1].job.ask->number[WT_ASK_REQUEUE_AFTER_S]));
	assert_int_equal(counted(f.jobs.left_out, "twice"), 1);
	end(&f);
}

/* It is requeued, and cancelled while it waits: both are since its first submission. */
static void test_requeued_and_cancelled(void **state)
{
	const struct wt_site_job *j;
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("1", "100", "100", "110", "1100", "40", "REQUEUED", "0:0", "50")
	      ROW("1", "1100", "1100", "1600", "1600", "0", "CANCELLED", "0:0", "50"));
	assert_int_equal(f.jobs.count, 1);
	j = &f.jobs.list[0];
	assert_float_equal(j->job.submit_s, 100, 0);
	assert_float_equal(j->job.ask->number[WT_ASK_CANCEL_AFTER_S], 1500, 0);
	assert_float_equal(j->job.run_time_s, 1500, 0);
	assert_float_equal(j->job.ask->number[WT_ASK_REQUEUE_AFTER_S], 40, 0);
	end(&f);
}

/* Of the same record the later line; of a job that was requeued by hand the last run; of another job of the same id none. */
static void test_records_of_one_id(void **state)
{
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("1", "100", "100", "110", "Unknown", "9", "RUNNING", "0:0", "5")
	      ROW("1", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5")
	      ROW("2", "101", "101", "110", "150", "40", "COMPLETED", "0:0", "5")
	      ROW("2", "200", "200", "210", "270", "60", "COMPLETED", "0:0", "5")
	      ROW("3", "102", "102", "110", "150", "40", "COMPLETED", "0:0", "5")
	      "3|y|bob|users|phys|normal|p|200|200|210|270|60|COMPLETED|0:0|5|1|1G|cpu=1|n1|sbatch x\n"
	      ROW("4", "103", "103", "110", "190", "80", "COMPLETED", "0:0", "5")
	      ROW("4", "200", "200", "210", "270", "60", "COMPLETED", "0:0", "5"));
	assert_int_equal(f.jobs.count, 4);
	assert_string_equal(f.jobs.list[0].state, "COMPLETED");
	assert_float_equal(f.jobs.list[0].job.run_time_s, 40, 0);
	assert_float_equal(f.jobs.list[1].job.submit_s, 101, 0);
	assert_float_equal(f.jobs.list[1].job.run_time_s, 60, 0);
	assert_float_equal(f.jobs.list[1].job.ask->number[WT_ASK_REQUEUE_AFTER_S], 40, 0);
	assert_string_equal(f.jobs.list[2].job.ask->text[WT_ASK_USER], "ann");
	assert_int_equal(counted(f.jobs.left_out, "used again"), 1);
	assert_int_equal(counted(f.jobs.left_out, "twice"), 1);
	assert_true(isnan(f.jobs.list[3].job.ask->number[WT_ASK_REQUEUE_AFTER_S]));
	assert_int_equal(counted(f.jobs.unknown, "a run before it was requeued"), 1);
	end(&f);
}

static void test_arrays(void **state)
{
	static const char row[] = "|x|ann|users|phys|normal|p|101|101|110|150|40|COMPLETED|0:0|5|1||cpu=1,node=1|n1|"
		"sbatch --dependency=afterok:1:99 x\n";
	struct fixture f;
	char text[4096];

	(void) state;
	snprintf(text, sizeof(text), HEAD "%s%s2%s3%.*s\n",
		 ROW("1_4", "100", "130", "131", "150", "19", "COMPLETED", "0:0", "5"),
		 ROW("1_[5-6%2]", "100", "100", "Unknown", "Unknown", "0", "PENDING", "0:0", "5"), row,
		 (int) (strchr(row, '\n') - row - strlen("--dependency=afterok:1:99 x")), row);
	sacct(&f, text);
	assert_int_equal(f.jobs.count, 5);
	assert_string_equal(f.jobs.list[2].job.id, "1_6");
	assert_true(isnan(f.jobs.list[0].job.ask->number[WT_ASK_BEGIN_AFTER_S]));	/* when it became a job */
	assert_string_equal(f.jobs.list[3].job.ask->text[WT_ASK_DEPENDENCY], "afterok:1_4:1_5:1_6");
	assert_int_equal(counted(f.jobs.unknown, "depends on"), 1);
	end(&f);
}

/* A task waits for the task of the same number, where there is one, and not for the whole array. */
static void test_tasks_after_tasks(void **state)
{
#define AFTER(id, line) id "|x|ann|users|phys|normal|p|101|101|110|150|40|COMPLETED|0:0|5|1||cpu=1|n1|sbatch -d " line " x\n"
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("1_1", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5")
	      ROW("1_2", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5")
	      AFTER("2_2", "aftercorr:1") AFTER("2_3", "aftercorr:1") AFTER("3", "aftercorr:1")
	      AFTER("4_1", "afterok:1,aftercorr:1"));
	assert_int_equal(f.jobs.count, 6);
	assert_string_equal(f.jobs.list[2].job.ask->text[WT_ASK_DEPENDENCY], "aftercorr:1_2");
	assert_null(f.jobs.list[3].job.ask->text[WT_ASK_DEPENDENCY]);
	assert_string_equal(f.jobs.list[4].job.ask->text[WT_ASK_DEPENDENCY], "aftercorr:1_1:1_2");
	assert_string_equal(f.jobs.list[5].job.ask->text[WT_ASK_DEPENDENCY], "afterok:1_1:1_2,aftercorr:1_1");
	assert_int_equal(counted(f.jobs.unknown, "depends on"), 1);
	end(&f);
}

/* No more run at once than the site let: each waits for the task that many before it, beside what else it waits for. */
static void test_arrays_with_a_throttle(void **state)
{
#define TASK(id, line) id "|x|ann|users|phys|normal|p|101|150|160|200|40|COMPLETED|0:0|5|1||cpu=1|n1|sbatch " line " x\n"
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("9", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5")
	      TASK("1_1", "-a 1-4%2") TASK("1_2", "-a 1-4%2") TASK("1_3", "-a 1-4%2") TASK("1_4", "-a 1-4%2")
	      TASK("2_0", "-a 0-1%1 -d afterok:9") TASK("2_1", "-a 0-1%1 -d afterok:9")
	      TASK("3_0", "-a 0-1%1 -d afterok:9?afterok:1") TASK("3_1", "-a 0-1%1 -d afterok:9?afterok:1")
	      TASK("4_0", "-a 0-1%0") TASK("4_1", "-a 0-1%0") TASK("5_0", "-a 0-1%x"));
	assert_int_equal(f.jobs.count, 12);
	assert_null(f.jobs.list[2].job.ask->text[WT_ASK_DEPENDENCY]);
	assert_string_equal(f.jobs.list[3].job.ask->text[WT_ASK_DEPENDENCY], "afterany:1_1");
	assert_string_equal(f.jobs.list[4].job.ask->text[WT_ASK_DEPENDENCY], "afterany:1_2");
	assert_true(isnan(f.jobs.list[4].job.ask->number[WT_ASK_BEGIN_AFTER_S]));
	assert_string_equal(f.jobs.list[5].job.ask->text[WT_ASK_DEPENDENCY], "afterok:9");
	assert_string_equal(f.jobs.list[6].job.ask->text[WT_ASK_DEPENDENCY], "afterok:9,afterany:2_0");
	assert_null(strstr(f.jobs.list[8].job.ask->text[WT_ASK_DEPENDENCY], "3_0"));
	assert_null(f.jobs.list[10].job.ask->text[WT_ASK_DEPENDENCY]);
	assert_int_equal(counted(f.jobs.assumed, "throttle"), 3);
	assert_int_equal(counted(f.jobs.unknown, "beside its dependency"), 1);
	assert_int_equal(counted(f.jobs.unknown, "a value that cannot be taken over: the throttle"), 1);
	end(&f);
}

static void test_arrays_that_are_cut(void **state)
{
	struct fixture f;

	(void) state;
	sacct(&f, HEAD ROW("1_[1,3,1...]", "100", "100", "Unknown", "Unknown", "0", "PENDING", "0:0", "5")
	      ROW("2_[1000-99999]", "100", "100", "Unknown", "Unknown", "0", "PENDING", "0:0", "5"));
	assert_int_equal(f.jobs.count, 3);
	assert_string_equal(f.jobs.list[2].job.id, "2_1000");
	assert_int_equal(counted(f.jobs.unknown, "SLURM_BITSTR_LEN"), 1);
	assert_int_equal(counted(f.jobs.left_out, "MaxArraySize"), 1);
	end(&f);
}

static void test_heterogeneous(void **state)
{
	static const char row[] = "|x|ann|users|phys|normal|p|100|100|110|150|40|COMPLETED|0:0|5|1||cpu=4|n1|"
		"sbatch -N1 : -N4 x\n";
	struct fixture f;
	char text[2048];

	(void) state;
	snprintf(text, sizeof(text), HEAD "7+0%s7+1%s7+2%s", row, row, row);
	sacct(&f, text);
	assert_int_equal(f.jobs.count, 3);
	assert_float_equal(f.jobs.list[0].job.ask->number[WT_ASK_NODES_MIN], 1, 0);
	assert_float_equal(f.jobs.list[1].job.ask->number[WT_ASK_NODES_MIN], 4, 0);
	/* A part that only the script has. */
	assert_true(isnan(f.jobs.list[2].job.ask->number[WT_ASK_NODES_MIN]));
	assert_int_equal(counted(f.jobs.unknown, "heterogeneous"), 3);
	assert_int_equal(counted(f.jobs.unknown, "its submit line"), 1);
	end(&f);
}

static void test_bad(void **state)
{
	struct wt_error err;
	struct fixture f;

	(void) state;
	begin(&f);
	assert_int_equal(take(&f, wt_site_jobs_sacct, HEAD "1|2|3\n", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "f:2: fewer fields"));
	end(&f);
	begin(&f);
	f.jobs.skip_bad = true;
	assert_int_equal(take(&f, wt_site_jobs_sacct, HEAD "1|2|3\n"
			      ROW("1", "100", "100", "110", "150", "40", "COMPLETED", "0:0", "5"), &err), 0);
	assert_int_equal(f.jobs.count, 1);
	assert_int_equal(f.jobs.read, 2);
	assert_non_null(strstr(f.jobs.first_bad, "f:2"));
	end(&f);
}

static void test_events(void **state)
{
	static const char text[] =
		"# events\n-dt 0 -e submit_batch_job | -J a -sim-walltime 15 --uid=user5 -t 00:07:00 -n 12 -A x -q n x.job\n"
		"-dt 1.5 -e submit_batch_job | -jid 1001 -sim-walltime -1 -t 5 -N 2 --mem=4G x.job\n"
		"-dt 2 -e submit_batch_job | -sim-walltime 1000 -t 5 x.job\n-dt 9 -e cancel_job | 4\n"
		"-dt 3 -e submit_batch_job | -sim-walltime 100 -cancel-in 30 -t 5 x.job\n";
	struct wt_error err;
	struct fixture f;

	(void) state;
	begin(&f);
	assert_int_equal(take(&f, wt_site_jobs_events, text, &err), 0);
	assert_int_equal(wt_site_jobs_finish(&f.jobs, &err), 0);
	assert_int_equal(f.jobs.count, 4);
	assert_float_equal(f.jobs.list[0].job.run_time_s, 15, 0);
	assert_string_equal(f.jobs.list[0].job.ask->text[WT_ASK_USER], "user5");
	assert_string_equal(f.jobs.list[1].job.id, "1001");
	assert_int_equal(f.jobs.list[1].job.ask->end, WT_END_TIME_LIMIT);
	assert_int_equal(f.jobs.list[2].job.ask->end, WT_END_TIME_LIMIT);	/* it would take longer than it may */
	assert_float_equal(f.jobs.list[3].job.ask->number[WT_ASK_CANCEL_AFTER_S], 30, 0);
	assert_int_equal(counted(f.jobs.left_out, "other kinds"), 1);
	end(&f);
}

static void test_events_bad(void **state)
{
	static const char *const bad[] = {
		"hello\n", "-dt x -e submit_batch_job | -sim-walltime 1\n", "-dt 1 -e submit_batch_job\n",
		"-dt 1 -e submit_batch_job | -n 1\n", "-dt 1 -e submit_batch_job | -sim-walltime\n",
		"-dt 1 -e submit_batch_job | -sim-walltime 1 -jid ../x\n", "-dt -1 -e submit_batch_job | -sim-walltime 1\n",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_error err;
		struct fixture f;

		begin(&f);
		assert_int_equal(take(&f, wt_site_jobs_events, bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "f:1"));
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_completed), cmocka_unit_test(test_ends), cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_requeued), cmocka_unit_test(test_requeued_and_cancelled),
		cmocka_unit_test(test_records_of_one_id), cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_arrays_with_a_throttle),
		cmocka_unit_test(test_tasks_after_tasks), cmocka_unit_test(test_arrays_that_are_cut),
		cmocka_unit_test(test_heterogeneous),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_events), cmocka_unit_test(test_events_bad),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
