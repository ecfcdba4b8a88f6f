/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "straggler/trace_log.h"

#define HEAD "{\"type\":\"windtunnel-heartbeats\",\"version\":1}\n"
#define JOB "{\"type\":\"job\",\"job\":\"a\",\"tasks\":3,\"window_s\":6}\n"

struct kept {
	int jobs;
	char last[80];
	struct wt_trace_task task[3];
	size_t count;
	double first_finish_s, end_s;
	const struct wt_trace *expect;
};

static int keep(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct kept *kept = arg;

	(void) errp;
	kept->jobs++;
	snprintf(kept->last, sizeof(kept->last), "%s", job);
	kept->count = trace->count;
	kept->first_finish_s = trace->first_finish_s;
	kept->end_s = trace->end_s;
	memcpy(kept->task, trace->task, (trace->tasks < 3 ? trace->tasks : 3) * sizeof(*trace->task));
	return 0;
}

static int read_text(const char *text, size_t len, struct kept *kept, struct wt_error *errp)
{
	FILE *in = fmemopen((char *) text, len, "r");
	int rc;

	assert_non_null(in);
	memset(kept, 0, sizeof(*kept));
	rc = wt_trace_log_read(in, "log", keep, kept, errp);
	fclose(in);
	return rc;
}

static void expect_error(const char *text, const char *message)
{
	struct kept kept;
	struct wt_error err = { "" };

	errno = 0;
	assert_int_equal(read_text(text, strlen(text), &kept, &err), -1);
	assert_int_not_equal(errno, 0);
	if (!strstr(err.text, message))
		fail_msg("'%s' does not say '%s'", err.text, message);
}

static int compare(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct kept *kept = arg;
	const struct wt_trace *expect = kept->expect;

	(void) errp;
	assert_string_equal(job, "run-1");
	assert_int_equal(trace->tasks, expect->tasks);
	assert_int_equal(trace->count, expect->count);
	for (size_t i = 0; i < trace->count; i++) {
		const struct wt_heartbeat *a = &trace->heartbeats[i], *b = &expect->heartbeats[i];

		assert_true(a->task == b->task && a->end == b->end && a->received_s == b->received_s &&
			    a->sent_s == b->sent_s && a->elapsed_s == b->elapsed_s && a->progress == b->progress);
	}
	for (uint32_t i = 0; i < trace->tasks; i++) {
		const struct wt_trace_task *a = &trace->task[i], *b = &expect->task[i];

		assert_true(a->start_s == b->start_s && a->duration_s == b->duration_s &&
			    a->straggler == b->straggler && a->known == b->known && isnan(a->hang_s) == isnan(b->hang_s));
	}
	assert_true(trace->end_s == expect->end_s && trace->first_finish_s == expect->first_finish_s);
	kept->jobs++;
	return 0;
}

static void test_what_is_written_is_read_to_the_last_bit(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct wt_trace trace = { 0 };
	struct kept kept = { .expect = &trace };
	FILE *file = tmpfile();

	(void) state;
	assert_non_null(rng);
	assert_non_null(file);
	model.starts = WT_STARTS_SKEWED;
	model.latency = WT_LATENCY_PARETO;
	model.hang_share = 0.1;
	model.noise = 0.1;
	model.offset_s = 1;
	assert_int_equal(wt_trace_generate(&trace, &model, rng, NULL), 0);
	wt_trace_log_begin(file);
	wt_trace_log_write(file, "run-1", &trace);
	rewind(file);
	assert_int_equal(wt_trace_log_read(file, "log", compare, &kept, NULL), 0);
	assert_int_equal(kept.jobs, 1);
	fclose(file);
	wt_trace_fini(&trace);
	gsl_rng_free(rng);
}

/* Two ended (20 s and 30 s, mean 25), one silent from 6 s on: at 27 s it may still be no straggler, at 31 s it is one. */
static void test_truth_is_inferred_from_the_ends(void **state)
{
	static const char beats[] = HEAD JOB
		"{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":1,\"received_s\":31,\"elapsed_s\":30,\"progress\":1,"
		"\"end\":true}\n"
		"{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":0,\"received_s\":20.5,\"elapsed_s\":20,\"progress\":1,"
		"\"end\":true}\n"
		"{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":2,\"received_s\":6,\"sent_s\":5,\"elapsed_s\":6,"
		"\"progress\":0.3,"
		"\"node\":\"n7\"}\n";
	struct kept kept;
	char *text;

	(void) state;
	assert_int_equal(read_text(beats, strlen(beats), &kept, NULL), 0);
	assert_int_equal(kept.jobs, 1);
	assert_int_equal(kept.count, 3);
	assert_float_equal(kept.first_finish_s, 20.5, 0);
	assert_float_equal(kept.end_s, 31, 0);
	assert_true(kept.task[0].known && !kept.task[0].straggler);
	assert_true(kept.task[1].known && kept.task[1].straggler);
	assert_float_equal(kept.task[1].start_s, 1, 0);
	assert_true(kept.task[2].known && kept.task[2].straggler && isnan(kept.task[2].duration_s));
	assert_true(asprintf(&text, "%s{\"type\":\"end\",\"job\":\"a\",\"time_s\":27}\n", beats) > 0);
	assert_int_equal(read_text(text, strlen(text), &kept, NULL), 0);
	assert_false(kept.task[2].known);
	free(text);
}

static void test_jobs_may_be_interleaved_and_named_again(void **state)
{
	static const char text[] = HEAD JOB
		"{\"type\":\"job\",\"job\":\"b\",\"tasks\":1,\"window_s\":6.5}\n"
		"{\"type\":\"end\",\"job\":\"a\",\"time_s\":5}\n" JOB;
	struct kept kept;

	(void) state;
	assert_int_equal(read_text(text, strlen(text), &kept, NULL), 0);
	assert_int_equal(kept.jobs, 3);
	assert_string_equal(kept.last, "a");
}

static void test_errors_name_the_line(void **state)
{
	(void) state;
	expect_error("\n", "log:1: not JSON");
	expect_error("{}\n", "log:1: not an object with a type");
	expect_error("[1]\n", "log:1: not an object with a type");
	expect_error(JOB, "log:1: not a heartbeat log");
	expect_error("{\"type\":\"windtunnel-heartbeats\",\"version\":2}\n", "another version");
	expect_error(HEAD "{\"type\":\"job\",\"job\":\"a\",\"tasks\":0,\"window_s\":6}", "log:2: tasks: wanted");
	expect_error(HEAD "{\"type\":\"job\",\"job\":\"a\",\"tasks\":3,\"window_s\":0}", "window_s");
	expect_error(HEAD "{\"type\":\"job\",\"job\":\"a b\",\"tasks\":3,\"window_s\":6}", "a job's name");
	expect_error(HEAD "{\"type\":\"job\",\"job\":7,\"tasks\":3,\"window_s\":6}", "string is missing: job");
	expect_error(HEAD JOB JOB, "log:3: a second job line of job a");
	expect_error(HEAD JOB "{\"type\":\"job\",\"type\":\"job\"}", "log:3: not JSON: duplicate");
	expect_error(HEAD JOB "{\"type\":\"pulse\",\"job\":\"a\"}", "no such type: pulse");
	expect_error(HEAD "{\"type\":\"end\",\"job\":\"a\",\"time_s\":1}", "no job line came before");
	expect_error(HEAD JOB "{\"type\":\"end\",\"job\":\"a\"}", "number is missing: time_s");
	expect_error(HEAD JOB "{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":3}", "task: wanted a whole number, 0 to 2");
	expect_error(HEAD JOB "{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":2,\"received_s\":\"1\"}",
		     "number is missing: received_s");
	expect_error(HEAD JOB "{\"type\":\"task\",\"job\":\"a\",\"task\":2,\"straggler\":1}", "wanted true or false");
	expect_error(HEAD JOB "{\"type\":\"heartbeat\",\"job\":\"a\",\"task\":2,\"received_s\":1e999}", "log:3: not JSON");
}

static void test_broken_files_are_refused(void **state)
{
	static const char nul[] = HEAD "\0{}\n";
	struct wt_error err = { "" };
	struct kept kept;
	char *text = malloc(70000);

	(void) state;
	assert_non_null(text);
	assert_int_equal(read_text(nul, sizeof(nul) - 1, &kept, &err), -1);
	assert_non_null(strstr(err.text, "log:2: a NUL byte"));
	memset(text, ' ', 70000);
	assert_int_equal(read_text(text, 70000, &kept, &err), -1);
	assert_non_null(strstr(err.text, "log:1: a NUL byte, or a line"));
	free(text);
	expect_error("\n" HEAD, "log:1");
}

static void test_an_empty_file_is_no_log(void **state)
{
	FILE *file = tmpfile();
	struct wt_error err = { "" };
	struct kept kept = { 0 };

	(void) state;
	assert_non_null(file);
	assert_int_equal(wt_trace_log_read(file, "log", keep, &kept, &err), -1);
	assert_non_null(strstr(err.text, "empty"));
	fclose(file);
}

static void test_many_tasks_in_open_jobs_are_too_many(void **state)
{
	char text[2000] = HEAD, line[100];
	struct wt_error err = { "" };
	struct kept kept;

	(void) state;
	for (int i = 0; i < 5; i++) {
		snprintf(line, sizeof(line), "{\"type\":\"job\",\"job\":\"%d\",\"tasks\":1000000,\"window_s\":6}\n", i);
		strcat(text, line);
	}
	assert_int_equal(read_text(text, strlen(text), &kept, &err), -1);
	assert_int_equal(errno, E2BIG);
	assert_non_null(strstr(err.text, "log:6: more than 4000000"));
}

static void test_names(void **state)
{
	(void) state;
	assert_true(wt_trace_log_name_ok("123_4"));
	assert_false(wt_trace_log_name_ok(NULL));
	assert_false(wt_trace_log_name_ok(""));
	assert_false(wt_trace_log_name_ok("a\"b"));
	assert_true(wt_trace_log_name_ok("1234567890123456789012345678901234567890123456789012345678901234"));
	assert_false(wt_trace_log_name_ok("12345678901234567890123456789012345678901234567890123456789012345"));
}

static int copies_look(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	int *jobs = arg;

	(void) job;
	(void) errp;
	++*jobs;
	assert_int_equal(trace->count, 1);	/* detectors go by the original */
	assert_int_equal(trace->copy_count, 1);
	assert_int_equal(trace->copies[0].attempt, 2);
	assert_true(trace->copies[0].hb.task == 1 && trace->copies[0].hb.end && trace->copies[0].hb.elapsed_s == 4);
	assert_int_equal(trace->attempt_count, 2);
	assert_true(trace->attempts[0].attempt == 1 && trace->attempts[0].flagged && !trace->attempts[0].won);
	assert_true(trace->attempts[0].task_id == -1 && !*trace->attempts[0].node);
	assert_true(trace->attempts[1].attempt == 2 && trace->attempts[1].won && trace->attempts[1].task_id == 17);
	assert_string_equal(trace->attempts[1].node, "n5");
	assert_string_equal(trace->attempts[1].state, "completed");
	return 0;
}

static void test_copies_and_who_won(void **state)
{
	const struct wt_heartbeat original = { .task = 1, .received_s = 9, .sent_s = NAN, .elapsed_s = 8, .progress = .2 };
	const struct wt_trace_copy copy = { 2, { .task = 1, .end = true, .received_s = 10, .sent_s = NAN, .elapsed_s = 4,
						 .progress = 1 } };
	const struct wt_trace_attempt lost = { .task = 1, .attempt = 1, .task_id = -1, .node = "<b>", .flagged = true };
	const struct wt_trace_attempt won = { .task = 1, .attempt = 2, .task_id = 17, .node = "n5", .state = "completed",
					      .flagged = true, .won = true };
	FILE *file = tmpfile();
	int jobs = 0;

	(void) state;
	wt_trace_log_begin(file);
	wt_trace_log_job(file, "7", 4, 1);
	wt_trace_log_heartbeat(file, "7", &original);
	wt_trace_log_copy(file, "7", &copy);
	wt_trace_log_attempt(file, "7", &lost);
	wt_trace_log_attempt(file, "7", &won);
	rewind(file);
	assert_int_equal(wt_trace_log_read(file, "log", copies_look, &jobs, NULL), 0);
	assert_int_equal(jobs, 1);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_written_is_read_to_the_last_bit),
		cmocka_unit_test(test_copies_and_who_won),
		cmocka_unit_test(test_truth_is_inferred_from_the_ends),
		cmocka_unit_test(test_jobs_may_be_interleaved_and_named_again),
		cmocka_unit_test(test_errors_name_the_line),
		cmocka_unit_test(test_broken_files_are_refused),
		cmocka_unit_test(test_an_empty_file_is_no_log),
		cmocka_unit_test(test_many_tasks_in_open_jobs_are_too_many),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
