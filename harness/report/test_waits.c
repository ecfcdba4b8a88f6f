/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "harness/report/waits.h"
#include "lib/test_cmocka.h"

#define HEADER "id,name,submit_s,eligible_s,start_s,end_s,state,nodes,node_count,cpus,partition,account,user,qos,requeues\n"

static int recorded_read(struct wt_recorded *recorded, const char *text, struct wt_error *errp)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc = wt_recorded_csv_read(recorded, in, "f", errp);

	fclose(in);
	return rc;
}

static struct wt_job_record job(const char *id, double submit_s, double start_s)
{
	return (struct wt_job_record) {
		.trace_id = (char *) id, .state = WT_JOB_COMPLETED, .submit_s = submit_s, .start_s = start_s,
		.submit_latency_s = 0, .cpus = 4,
	};
}

static struct wt_record run_of(struct wt_job_record *jobs, size_t count)
{
	return (struct wt_record) { .jobs = jobs, .job_count = count };
}

/* Three waits of 10, 20 and 30 s at the site; 11, 22 and 33 s in the run. */
static const char three[] = HEADER "1,a,100,100,110,200,COMPLETED,n1,1,1,p,x,u,q,0\n"
	"2,a,100,,120,200,COMPLETED,\"n1,n2\",2,8,p,x,u,,0\n3,a,200,200,230,,FAILED,n1,1,600,r,y,u,q,1\n";

static const struct waits_group *group_find(const struct waits *w, const char *by, const char *value)
{
	for (size_t i = 0; i < w->group_count; i++)
		if (!strcmp(w->groups[i].by, by) && !strcmp(w->groups[i].value, value))
			return &w->groups[i];
	fail_msg("there is no group %s %s", by, value);
	return NULL;
}

static void test_one_run(void **state)
{
	struct wt_job_record jobs[] = { job("1", 0, 11), job("3", 50, 83), job("2", 5, 27) };
	struct wt_record run = run_of(jobs, 3);
	const struct waits_group *g;
	struct waits w = { 0 };
	struct wt_recorded r;

	(void) state;
	assert_int_equal(recorded_read(&r, three, NULL), 0);
	assert_int_equal(wt_waits_add(&w, &run, &r, NULL), 0);
	assert_int_equal(wt_waits_finish(&w, NULL), 0);
	assert_int_equal(w.count.compared, 3);
	assert_int_equal(w.count.same_end, 2);
	g = group_find(&w, "all", "");
	assert_float_equal(g->recorded.mean, 20, 1e-12);
	assert_float_equal(g->replayed.mean, 22, 1e-12);
	assert_float_equal(g->difference_s, 2, 1e-12);
	/* Differences 1, 2, 3: sd 1; Student's t for two degrees of freedom is 4.302653. */
	assert_float_equal(g->ci95_s, 4.30265273 / sqrt(3), 1e-6);
	assert_float_equal(g->percent, 10, 1e-9);
	g = group_find(&w, "partition", "p");
	assert_int_equal(g->jobs, 2);
	assert_float_equal(g->difference_s, 1.5, 1e-12);
	assert_true(isnan(group_find(&w, "partition", "r")->ci95_s));
	assert_int_equal(group_find(&w, "qos", "")->jobs, 1);
	assert_int_equal(group_find(&w, "account", "y")->jobs, 1);
	assert_int_equal(group_find(&w, "size", "1 CPU")->jobs, 1);
	assert_int_equal(group_find(&w, "size", "2 to 8")->jobs, 1);
	assert_int_equal(group_find(&w, "size", "513 to 2048")->jobs, 1);
	assert_string_equal(w.groups[w.group_count - 1].value, "513 to 2048");
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

static void test_several_runs(void **state)
{
	struct wt_job_record first[] = { job("1", 0, 10), job("2", 0, 24) }, second[] = { job("1", 0, 14), job("2", 0, 28) };
	struct wt_record runs[] = { run_of(first, 2), run_of(second, 2) };
	struct waits w = { 0 };
	struct wt_recorded r;

	(void) state;
	assert_int_equal(recorded_read(&r, three, NULL), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(wt_waits_add(&w, &runs[i], &r, NULL), 0);
	assert_int_equal(wt_waits_finish(&w, NULL), 0);
	/* Means of the runs: 2 and 6; one degree of freedom: 12.7062. */
	assert_float_equal(w.groups[0].difference_s, 4, 1e-12);
	assert_float_equal(w.groups[0].ci95_s, 12.70620474 * sqrt(8) / sqrt(2), 1e-5);
	assert_int_equal(w.groups[0].jobs, 4);
	assert_int_equal(w.count.not_in_run, 2);
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

static void test_what_is_not_compared(void **state)
{
	struct wt_job_record jobs[] = { job("1", 0, 5), job("2", 0, NAN), job("9", 0, 5), job(NULL, 0, 5), job("4", 0, 5) };
	struct wt_record run = run_of(jobs, 5), none = run_of(jobs, 0), twice = run_of(jobs, 2);
	struct waits w = { 0 };
	struct wt_recorded r;
	struct wt_error err;

	(void) state;
	assert_int_equal(recorded_read(&r, HEADER "1,a,1,,1,,COMPLETED,,,,,,,,\n2,a,1,,1,,COMPLETED,,,,,,,,\n"
				       "3,a,1,,1,,COMPLETED,,,,,,,,\n4,a,1,,,,CANCELLED,,,,,,,,\n", NULL), 0);
	assert_int_equal(wt_waits_add(&w, &run, &r, NULL), 0);
	assert_int_equal(w.count.compared, 1);
	assert_int_equal(w.count.not_started_in_run, 1);
	assert_int_equal(w.count.not_recorded, 2);
	assert_int_equal(w.count.not_started, 1);
	assert_int_equal(w.count.not_in_run, 1);
	assert_int_equal(wt_waits_finish(&w, NULL), 0);
	assert_true(isnan(w.groups[0].percent));	/* nobody waited at the site */
	wt_waits_clear(&w);
	assert_int_equal(wt_waits_add(&w, &none, &r, NULL), 0);
	assert_int_equal(wt_waits_finish(&w, &err), -1);
	assert_int_equal(errno, EINVAL);
	wt_waits_clear(&w);
	jobs[1].trace_id = jobs[0].trace_id;
	assert_int_equal(wt_waits_add(&w, &twice, &r, &err), -1);
	assert_non_null(strstr(err.text, "job 1 stands there twice"));
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

/* Ids alone do not make it the same trace: most of the jobs have to be submitted at the site's times. */
static void test_a_run_of_another_trace(void **state)
{
	static const char text[] = HEADER "1,a,1000,,1001,,COMPLETED,,,,,,,,\n2,a,2000,,2001,,COMPLETED,,,,,,,,\n"
		"3,a,3000,,3001,,COMPLETED,,,,,,,,\n4,a,4000,,4001,,COMPLETED,,,,,,,,\n";
	struct wt_job_record jobs[] = { job("1", 0, 1), job("2", 5, 6), job("3", 10, 11), job("4", 15, 16) };
	struct wt_job_record half[] = { job("1", 0, 1), job("2", 1059, 1060), job("3", 9000, 9001), job("4", 5, 6) };
	struct wt_record run = run_of(jobs, 4), mixed = run_of(half, 4);
	struct wt_error err = { "" };
	struct waits w = { 0 };
	struct wt_recorded r;

	(void) state;
	assert_int_equal(recorded_read(&r, text, NULL), 0);
	assert_int_equal(wt_waits_add(&w, &run, &r, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "of another trace"));
	wt_waits_clear(&w);
	assert_int_equal(wt_waits_add(&w, &mixed, &r, &err), 0);	/* two of four are as they were */
	assert_int_equal(w.count.compared, 4);
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

static void refused(const char *text, const char *why)
{
	struct wt_recorded r;
	struct wt_error err = { "" };

	assert_int_equal(recorded_read(&r, text, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	wt_recorded_clear(&r);
}

static void test_files_that_are_wrong(void **state)
{
	struct wt_job_record one = job("1", 0, 5);
	struct wt_record run = run_of(&one, 1);
	struct waits w = { 0 };
	struct wt_recorded r;
	struct wt_error err;

	(void) state;
	refused(" ", "there is no column id");
	refused("id,submit_s,start_s\n", "there is no column state");
	refused("id,submit_s,start_s,state\n,1,2,COMPLETED\n", "f:2: a job without id");
	refused("id,submit_s,start_s,state\n1,,2,COMPLETED\n", "f:2: a job without id");
	refused("id,submit_s,start_s,state\n1,5,2,COMPLETED\n", "f:2: job 1 starts before it is submitted");
	refused("id,submit_s,start_s,state\n1,x,2,COMPLETED\n", "submit_s 'x' is not a number");
	refused("id,submit_s,start_s,state\n1,1,2\n", "f:2: 3 fields where the header has 4");
	assert_int_equal(recorded_read(&r, "id,submit_s,start_s,state\n1,1,2,X\n1,1,2,X\n", NULL), 0);
	assert_int_equal(wt_waits_add(&w, &run, &r, &err), -1);
	assert_non_null(strstr(err.text, "recorded.csv: job 1 stands there twice"));
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

static void test_told(void **state)
{
	struct wt_job_record jobs[] = { job("1", 0, 11), job("2", 5, 27), job("3", 50, 83) };
	struct wt_record run = run_of(jobs, 3);
	struct waits w = { 0 };
	struct wt_recorded r;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	json_t *v;

	(void) state;
	assert_int_equal(recorded_read(&r, three, NULL), 0);
	assert_int_equal(wt_waits_add(&w, &run, &r, NULL), 0);
	assert_int_equal(wt_waits_finish(&w, NULL), 0);
	assert_int_equal(wt_waits_print(out, &w, 1), 0);
	fclose(out);
	assert_non_null(strstr(text, "3 waits compared; 2 of these jobs ended as recorded\n"));
	assert_non_null(strstr(text, "+-2.5"));
	assert_non_null(strstr(text, "5 more with fewer jobs: --json has them"));
	v = wt_waits_json(&w);
	assert_string_equal(json_string_value(json_object_get(v, "intervals_over")), "jobs");
	assert_int_equal(json_array_size(json_object_get(v, "groups")), w.group_count);
	json_decref(v);
	free(text);
	wt_waits_clear(&w);
	wt_recorded_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_run), cmocka_unit_test(test_several_runs),
		cmocka_unit_test(test_what_is_not_compared),
		cmocka_unit_test(test_a_run_of_another_trace), cmocka_unit_test(test_files_that_are_wrong),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
