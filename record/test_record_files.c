/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"
#include "record/jobs_csv.h"
#include "record/node_cpus.h"
#include "record/series.h"
#include "record/swf.h"

typedef int (*write_fn)(FILE *out, const void *record, struct wt_error *errp);
typedef int (*read_fn)(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

static char *written(write_fn fn, const struct wt_record *record)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(fn(out, record, NULL), 0);
	fclose(out);
	return text;
}

static int text_read(read_fn fn, struct wt_record *record, const char *text, struct wt_error *errp)
{
	FILE *in = *text ? fmemopen((void *) text, strlen(text), "r") : fopen("/dev/null", "r");
	int rc;

	assert_non_null(in);
	rc = fn(record, in, "f.csv", errp);
	fclose(in);
	return rc;
}

static void facts_set(struct wt_job_record *job)
{
	job->partition = strdup("main");
	job->account = strdup("a,\"b\"");
	job->user = strdup("root");
	job->qos = strdup("normal");
	job->alloc_gpus = 3;
	job->pending_reason = strdup("Resources");
	job->pending_times = strdup("Resources=1.500000;Priority=0.500000");
}

static void test_jobs_csv_golden(void **state)
{
	static const char golden[] = WT_JOBS_CSV_HEADER
		"\n"
		"101,w,A,0.000000,2,40.000000,1,COMPLETED_SUCCESSFULLY,1.000000,20.000000,21.000000,1.000000,21.000000,"
		"1.050000,0-1,-1,,"
		"n[0-1],8,w.A.1,COMPLETED,0,0,20.000000,2,8,0.500000,22.000000,2,1.500000,0.020000,,4(x2),main,\"a,"
		"\"\"b\"\"\",root,normal,3,Resources,Resources=1.500000;Priority=0.500000\n"
		"102,w,B,1.000000,4,40.000000,1,COMPLETED_SUCCESSFULLY,22.000000,10.000000,32.000000,21.000000,31.000000,"
		"3.100000,0-3,-1,,"
		"n[0-3],16,w.B.1,COMPLETED,0,0,20.000000,4,16,0.250000,33.000000,4,4.000000,0.040000,"
		"w0!7,\"4(x3),3\",\"a,b\",,,,0,,\n"
		"103,w,B,2.000000,1,40.000000,0,COMPLETED_FAILED,33.000000,1.000000,34.000000,31.000000,32.000000,"
		"32.000000,2,-1,,"
		"n2,4,w.B.2,FAILED,1,0,20.000000,1,4,0.250000,34.000000,1,0.000000,-1.000000,,,,,,,,,\n"
		"104,w,C,2.500000,1,40.000000,0,COMPLETED_KILLED,,,,,,,,-1,,"
		",4,w.C.1,CANCELLED,0,0,20.000000,0,0,0.500000,,0,,,,,,,,,,,\n";
	struct wt_record *record = fixture_record();
	char *text;

	(void) state;
	record->jobs[0].node_cpus = strdup("4(x2)");
	record->jobs[1].node_cpus = strdup("4(x3),3");
	record->jobs[1].trace_id = strdup("w0!7");
	facts_set(&record->jobs[0]);
	record->jobs[1].partition = strdup("a,b");
	record->jobs[1].alloc_gpus = 0;
	text = written(wt_jobs_csv_write, record);
	assert_string_equal(text, golden);
	free(text);
	wt_record_destroy(record);
}

/* Batsim's requested_number_of_resources are nodes: of a job that asked for CPUs, as many as these fill. */
static void test_jobs_csv_nodes_of_cpus(void **state)
{
	static const struct { uint32_t cpus, nodes; const char *wanted; } cases[] = {
		{ 1, 0, ",1," }, { 4, 0, ",1," }, { 5, 0, ",2," }, { 16, 0, ",4," }, { 4, 3, ",3," },
	};
	struct wt_record *record = fixture_record();

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text, *column;

		record->jobs[0].cpus = cases[i].cpus;
		record->jobs[0].nodes = cases[i].nodes;
		text = written(wt_jobs_csv_write, record);
		column = strstr(text, "\n101,w,A,0.000000,");
		assert_non_null(column);
		column = strchr(column, '.') + 7;
		assert_memory_equal(column, cases[i].wanted, strlen(cases[i].wanted));
		free(text);
	}
	wt_record_destroy(record);
}

/* Batsim's columns: names and order are a contract with its tools. */
static void test_jobs_csv_begins_with_batsims_columns(void **state)
{
	static const char batsim[] =
		"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,"
		"success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
		"allocated_resources,consumed_energy,metadata,node_list,cpus,";

	(void) state;
	assert_memory_equal(WT_JOBS_CSV_HEADER, batsim, sizeof(batsim) - 1);
}

static void text_equal(const char *a, const char *b)
{
	assert_string_equal(a ? a : "-", b ? b : "-");
}

static void jobs_equal(const struct wt_job_record *a, const struct wt_job_record *b)
{
	const double x[] = { a->run_time_s, a->time_limit_s, a->submit_s, a->submit_latency_s, a->start_s, a->end_s,
			     a->release_s,
			     a->release_sum_s, a->probe_latency_s };
	const double y[] = { b->run_time_s, b->time_limit_s, b->submit_s, b->submit_latency_s, b->start_s, b->end_s,
			     b->release_s,
			     b->release_sum_s, b->probe_latency_s };

	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++)
		assert_true((isnan(x[i]) && isnan(y[i])) || fabs(x[i] - y[i]) < 1e-5);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->class_name, b->class_name);
	assert_string_equal(a->node_list ? a->node_list : "-", b->node_list ? b->node_list : "-");
	assert_string_equal(a->node_cpus ? a->node_cpus : "-", b->node_cpus ? b->node_cpus : "-");
	text_equal(a->partition, b->partition);
	text_equal(a->account, b->account);
	text_equal(a->user, b->user);
	text_equal(a->qos, b->qos);
	text_equal(a->pending_reason, b->pending_reason);
	text_equal(a->pending_times, b->pending_times);
	assert_int_equal(a->alloc_gpus, b->alloc_gpus);
	assert_string_equal(a->node_intervals ? a->node_intervals : "-", b->node_intervals ? b->node_intervals : "-");
	assert_int_equal(a->job_id, b->job_id);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->exit_code, b->exit_code);
	assert_int_equal(a->cpus, b->cpus);
	assert_int_equal(a->nodes, b->nodes);
	assert_int_equal(a->alloc_cpus, b->alloc_cpus);
	assert_int_equal(a->alloc_nodes, b->alloc_nodes);
	assert_int_equal(a->released_nodes, b->released_nodes);
}

static void test_jobs_csv_read_back(void **state)
{
	struct wt_record *record = fixture_record(), *back = wt_record_create(NULL, NULL);
	char *text;

	(void) state;
	free(record->jobs[1].node_list);
	record->jobs[1].node_list = strdup("n[0-1],\"odd\nname\"");
	record->jobs[3].job_id = 0;
	record->jobs[3].nodes = 3;
	record->jobs[1].node_cpus = strdup("1,16(x2),2");
	facts_set(&record->jobs[0]);
	record->jobs[2].account = strdup("\"\"\n,\t\x1b[2J;'\r");
	record->jobs[2].user = calloc(65537, 1);
	memset(record->jobs[2].user, '"', 65536);
	record->jobs[2].alloc_gpus = UINT32_MAX - 1;
	text = written(wt_jobs_csv_write, record);
	back->begin_s = record->begin_s;
	assert_int_equal(text_read(wt_jobs_csv_read, back, text, NULL), 0);
	assert_int_equal(back->job_count, 4);
	for (size_t i = 0; i < 4; i++)
		jobs_equal(&record->jobs[i], &back->jobs[i]);
	assert_ptr_equal(wt_record_find(back, 103), &back->jobs[2]);
	free(text);
	record->jobs[3].job_id = 104;
	wt_record_destroy(record);
	wt_record_destroy(back);
}

static void expect_refused(read_fn fn, const char *text, const char *message)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	struct wt_error err;

	record->begin_s = 0;
	errno = 0;
	assert_int_equal(text_read(fn, record, text, &err), -1);
	assert_int_equal(errno == EINVAL || errno == EEXIST, 1);
	assert_string_equal(err.text, message);
	wt_record_destroy(record);
}

#define ROW(id, state, cpus, start) WT_JOBS_CSV_HEADER "\n" id ",w,A,0,1,40,1,X," start ",20,21,1,21,1,0-1,-1,," \
	"n0," cpus ",w.A.1," state ",0,0,20,2,8,0.5,22,2,1.5,0.02,,,,,,,,,\n"

static void test_jobs_csv_foreign_bytes(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	(void) state;
	record->begin_s = 0;
	assert_int_equal(text_read(wt_jobs_csv_read, record, ROW("1", "COMPLETED", "8", "1"), NULL), 0);
	wt_record_destroy(record);
	expect_refused(wt_jobs_csv_read, "", "f.csv: is empty");
	expect_refused(wt_jobs_csv_read, "job_id,name\n", "f.csv:1: there is no column profile");
	expect_refused(wt_jobs_csv_read, "job_id,job_id\n", "f.csv:1: two columns are named job_id");
	expect_refused(wt_jobs_csv_read, WT_JOBS_CSV_HEADER "\r1,2\r",
		       "f.csv:1: lines end in a carriage return alone, which is not read");
	expect_refused(wt_jobs_csv_read, ROW("1", "DONE", "8", "1"), "f.csv:2: state 'DONE' is unknown");
	expect_refused(wt_jobs_csv_read, ROW("x", "COMPLETED", "8", "1"),
		       "f.csv:2: job_id 'x' is not a whole number, or too large");
	expect_refused(wt_jobs_csv_read, ROW("1", "COMPLETED", "", "1"),
		       "f.csv:2: cpus '' is not a whole number, or too large");
	expect_refused(wt_jobs_csv_read, ROW("1", "COMPLETED", "8", "nan"), "f.csv:2: starting_time 'nan' is not a number");
	expect_refused(wt_jobs_csv_read, WT_JOBS_CSV_HEADER "\n1,2\n", "f.csv:2: 2 fields where the header has 40");
	expect_refused(wt_jobs_csv_read, ROW("1", "COMPLETED", "8", "1") "1,w,A,0,1,40,1,X,1,20,21,1,21,1,0-1,-1,,"
		       "n0,8,other,COMPLETED,0,0,20,2,8,0.5,22,2,1.5,0.02,,,,,,,,,\n",
		       "f.csv:3: job_id 1 stands in line 2, too");
}

static int any_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp)
{
	bool ours;

	return wt_jobs_csv_read_any(record, in, name, true, &ours, errp) < 0 ? -1 : ours;
}

/* One field after the other of a good row is made a bad one. */
static void test_jobs_csv_numbers(void **state)
{
	static const struct { const char *from, *to, *message; } bad[] = {
		{ "1,40,1,X", "x,40,1,X", "f.csv:2: requested_number_of_resources 'x' is not a whole number, or too large" },
		{ "1,40,1,X", "-4,40,1,X",
		  "f.csv:2: requested_number_of_resources '-4' is not a whole number, or too large" },
		{ "1,40,1,X", "1,-40,1,X", "f.csv:2: requested_time '-40' is not 0 s or more" },
		{ "1,40,1,X", "1,40,y,X", "f.csv:2: success 'y' is not a whole number, or too large" },
		{ "X,1,20", "X,1e300,20", "f.csv:2: starting_time '1e300' is not a time: more than three hundred years" },
		{ "X,1,20", "X,-1e300,20", "f.csv:2: starting_time '-1e300' is not a time: more than three hundred years" },
		{ "X,1,20", "X,1,x", "f.csv:2: execution_time 'x' is not a number" },
		{ ",A,0,", ",A,1e11,", "f.csv:2: submission_time '1e11' is not a time: more than three hundred years" },
		{ "0,0,20,", "0,0,-20,", "f.csv:2: requested_run_time_s '-20' is not 0 s or more" },
		{ ",8,w.A.1", ",-8,w.A.1", "f.csv:2: cpus '-8' is not a whole number, or too large" },
		{ ",8,w.A.1", ",1e300,w.A.1", "f.csv:2: cpus '1e300' is not a whole number, or too large" },
	};
	static const char good[] = ROW("1", "COMPLETED", "8", "1");

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *at = strstr(good, bad[i].from);
		char text[2048];

		assert_non_null(at);
		snprintf(text, sizeof(text), "%.*s%s%s", (int) (at - good), good, bad[i].to, at + strlen(bad[i].from));
		expect_refused(any_read, text, bad[i].message);
	}
}

/* Whoever looks at a damaged run sees what there is. */
static void test_jobs_csv_lenient(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	(void) state;
	record->begin_s = 0;
	assert_int_equal(text_read(wt_jobs_csv_read, record, ROW("1", "COMPLETED", "8", "-1e300"), NULL), 0);
	assert_true(record->job_count == 1 && record->jobs[0].start_s == -1e300);
	wt_record_destroy(record);
}

static void test_jobs_csv_any(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	(void) state;
	assert_int_equal(text_read(any_read, record, ROW("7", "COMPLETED", "8", "1"), NULL), 1);
	assert_true(record->job_count == 1 && record->jobs[0].job_id == 7 && record->jobs[0].line == 2);
	wt_record_destroy(record);
	record = wt_record_create(NULL, NULL);
	assert_int_equal(text_read(any_read, record, "submission_time,job_id,finish_time,starting_time\n5,a!7,9,6\n", NULL),
			 0);
	assert_true(record->job_count == 1 && record->jobs[0].submit_s == 0 && record->jobs[0].end_s == 4);
	wt_record_destroy(record);
	expect_refused(any_read, "", "f.csv: is empty");
	expect_refused(any_read, "x,y\n", "f.csv:1: there is no column job_id");
	expect_refused(any_read, "node_list,cpus,state\n", "f.csv:1: there is no column job_id");
}

#define OLDEST_HEADER \
	"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success," \
	"final_state,"              \
	"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources," \
	"consumed_energy,metadata," \
	"node_list,cpus,name,state,exit_code,requested_nodes,requested_run_time_s,allocated_nodes," \
	"allocated_cpus,"                    \
	"submit_latency_s,release_time_s,released_nodes,completing_node_s,probe_latency_s"
#define OLDEST_ROW "1,w,A,0,1,40,1,X,1,20,21,1,21,1,0-1,-1,,\"n[0,1]\",8,w.A.1,COMPLETED,0,0,20,2,8,0.5,22,2,1.5,0.02"

static void older_read(const char *text, const char *trace_id, const char *node_cpus)
{
	struct wt_record *back = wt_record_create(NULL, NULL);
	const struct wt_job_record *job;

	back->begin_s = 1000;
	assert_int_equal(text_read(wt_jobs_csv_read, back, text, NULL), 0);
	assert_int_equal(back->job_count, 1);
	job = &back->jobs[0];
	assert_string_equal(job->node_list, "n[0,1]");
	assert_float_equal(job->probe_latency_s, 0.02, 1e-9);
	text_equal(job->trace_id, trace_id);
	text_equal(job->node_cpus, node_cpus);
	assert_true(!job->partition && !job->account && !job->user && !job->qos && !job->pending_reason &&
		    !job->pending_times);
	assert_int_equal(job->alloc_gpus, WT_GPUS_UNKNOWN);
	wt_record_destroy(back);
}

/* Rows before a damaged one stay with their ids, and nothing of the damaged one. */
static void damaged_expect(const char *text, size_t rows)
{
	struct wt_record *fixture = fixture_record(), *record = wt_record_create(NULL, NULL);
	struct wt_error err;

	record->begin_s = fixture->begin_s;
	assert_int_equal(text_read(wt_jobs_csv_read, record, text, &err), -1);
	assert_int_equal(record->job_count, rows);
	for (size_t i = 0; i < rows; i++)
		jobs_equal(&fixture->jobs[i], &record->jobs[i]);
	wt_record_destroy(fixture);
	wt_record_destroy(record);
}

static void test_jobs_csv_damaged(void **state)
{
	struct wt_record *fixture = fixture_record();
	char *text = written(wt_jobs_csv_write, fixture), *last = strrchr(text, '\n');
	char *field;

	(void) state;
	wt_record_destroy(fixture);
	*last = '\0';	/* a row of which a text is read before the number that is none */
	last = strrchr(text, '\n') + 1;
	field = strstr(last, ",CANCELLED,");
	assert_non_null(field);
	field[sizeof(",CANCELLED,") - 1] = 'x';
	damaged_expect(text, 3);
	*strrchr(last, ',') = '\0';	/* a field is missing: the row cannot even be begun */
	damaged_expect(text, 3);
	last[0] = 'x';
	damaged_expect(text, 3);
	strchr(text, '\n')[1] = 'x';
	damaged_expect(text, 0);
	free(text);
}

/* A record of before lacks columns: it is read, and says nothing of them. */
static void test_jobs_csv_of_older_records(void **state)
{
	(void) state;
	assert_memory_equal(WT_JOBS_CSV_HEADER, OLDEST_HEADER, sizeof(OLDEST_HEADER) - 1);
	older_read(OLDEST_HEADER "\n" OLDEST_ROW "\n", NULL, NULL);
	older_read(OLDEST_HEADER ",trace_job_id,node_cpus\n" OLDEST_ROW ",7,\"3,5\"\n", "7", "3,5");
}

#define CPUS(cpus)                                                                                                          \
	WT_JOBS_CSV_HEADER "\n1,w,A,0,1,40,1,X,1,20,21,1,21,1,0-1,-1,,n[0-2],8,w.A.1,COMPLETED,0,0,20,3,8,0.5,22,2,"        \
			   "1.5,0.02,id," cpus ",,,,,,,\n"

static void test_jobs_csv_node_cpus(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	(void) state;
	record->begin_s = 0;
	assert_int_equal(text_read(wt_jobs_csv_read, record, CPUS("\"1,2(x2)\""), NULL), 0);
	assert_string_equal(record->jobs[0].node_cpus, "1,2(x2)");
	assert_string_equal(record->jobs[0].trace_id, "id");
	wt_record_destroy(record);
	expect_refused(wt_jobs_csv_read, WT_JOBS_CSV_HEADER "\n" OLDEST_ROW ",,,,,,,many,,\n",
		       "f.csv:2: allocated_gpus 'many' is not a whole number, or too large");
	expect_refused(wt_jobs_csv_read, CPUS("2(x2)"), "f.csv:2: node_cpus '2(x2)': 2 nodes of the 3 that the job had");
	expect_refused(wt_jobs_csv_read, CPUS("2(x4)"),
		       "f.csv:2: node_cpus '2(x4)': more nodes than the 3 that the job had");
	expect_refused(wt_jobs_csv_read, CPUS("2(3)"), "f.csv:2: node_cpus '2(3)': CPUs of nodes are like 16(x3),4");
}

static void node_cpus_round(const uint32_t *cpus, size_t count, const char *want)
{
	uint32_t back[8];
	char *text = wt_node_cpus_format(cpus, count);

	assert_string_equal(text, want);
	assert_int_equal(wt_node_cpus_parse(text, back, count, NULL), 0);
	assert_memory_equal(back, cpus, count * sizeof(*cpus));
	free(text);
}

static void test_node_cpus(void **state)
{
	static const char *const bad[] = {
		"", ",", "4,", ",4", "0", "4(x0)", "4(x2", "4(x2))", "4(2)", "4x2", "-4", " 4", "4(x)", "4,,4", "4294967296",
			"4(x4294967296)",
		"4(x2)4", "4(x99999999999999999999)", "4(x2),", "4;4",
	};
	const uint32_t one[] = { 7 }, same[] = { 16, 16, 16 }, ragged[] = { 16, 16, 3, 16, 4294967295u, 4294967295u };
	uint32_t cpus[3] = { 1, 0, 1 };

	(void) state;
	node_cpus_round(one, 1, "7");
	node_cpus_round(same, 3, "16(x3)");
	node_cpus_round(ragged, 6, "16(x2),3,16,4294967295(x2)");
	assert_null(wt_node_cpus_format(cpus, 3));
	assert_int_equal(errno, EINVAL);
	assert_null(wt_node_cpus_format(cpus, 0));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(wt_node_cpus_parse(bad[i], cpus, 2, NULL), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(wt_node_cpus_parse("4(x1),4", NULL, 2, NULL), 0);
	assert_int_equal(wt_node_cpus_parse("4", NULL, 0, NULL), -1);
	assert_int_equal(wt_node_cpus_parse("4(x4294967295)", NULL, UINT32_MAX, NULL), 0);	/* at once */
}

static void test_jobs_csv_of_nothing(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	char *text = written(wt_jobs_csv_write, record);

	(void) state;
	assert_string_equal(text, WT_JOBS_CSV_HEADER "\n");
	record->begin_s = 0;
	assert_int_equal(text_read(wt_jobs_csv_read, record, text, NULL), 0);
	assert_int_equal(record->job_count, 0);
	free(text);
	wt_record_destroy(record);
}

#define SERIES_HEADER                                                                                                       \
	"time_s,nodes_idle,nodes_allocated,nodes_completing,nodes_down,cpus_allocated,jobs_pending,jobs_running,"           \
	"jobs_completing,controller_cpu_s,controller_rss_kib,rpc_queue,server_threads,agent_queue,agent_count,rpc_count,"   \
	"rpc_time_us,schedule_cycle_last_us,backfill_cycle_last_us,answer_age_s"
#define SERIES_REASONS ",pending_resources,pending_priority,pending_dependency,pending_limit,pending_other"
#define SERIES_POWER ",nodes_powered_down,nodes_powering_up,nodes_powering_down"
#define SERIES_SCHEDULERS ",schedule_cycles,schedule_cycle_sum_us,schedule_depth_sum,schedule_queue,backfill_cycles," \
	"backfill_cycle_sum_us,backfill_depth,backfill_queue"

/* Of the first sample they are not known. */
static void reasons_set(struct wt_sample *first, struct wt_sample *second)
{
	first->pending_resources = first->pending_priority = first->pending_dependency = WT_COUNT_UNKNOWN;
	first->pending_limit = first->pending_other = WT_COUNT_UNKNOWN;
	first->nodes_powered_down = first->nodes_powering_up = first->nodes_powering_down = WT_COUNT_UNKNOWN;
	second->pending_resources = 1;
	second->pending_priority = 2;
	second->pending_dependency = 3;
	second->pending_limit = 4;
	second->pending_other = 5;
	second->nodes_powered_down = 6;
	second->nodes_powering_up = 7;
	second->nodes_powering_down = 8;
}

static void reasons_expect(const struct wt_sample *first, const struct wt_sample *second)
{
	assert_int_equal(first->pending_priority, WT_COUNT_UNKNOWN);
	assert_int_equal(second->pending_limit, 4);
	assert_int_equal(second->pending_other, 5);
	assert_int_equal(first->nodes_powered_down, WT_COUNT_UNKNOWN);
	assert_int_equal(second->nodes_powered_down, 6);
	assert_int_equal(second->nodes_powering_down, 8);
}

static void test_series(void **state)
{
	static const char golden[] = SERIES_HEADER SERIES_SCHEDULERS SERIES_REASONS SERIES_POWER
		"\n"
		"0.000000,4,0,0,0,0,3,0,0,1.500000,2048,0,0,0,0,0,0,0,0,0.000000,0,0,0,0,0,0,0,0,,,,,,,,\n"
		"1.000000,2,2,0,0,8,1,1,0,,1024,0,0,0,0,18446744073709551615,0,0,0,0.250000,7,18446744073709551614,3,4,,0,"
		"5,6,1,2,3,4,5,6,7,8\n";
	struct wt_record *record = fixture_record(), *back = wt_record_create(NULL, NULL);
	struct wt_sample *second = &record->samples[1];
	char *text;

	(void) state;
	second->schedule_cycles = 7;
	second->schedule_cycle_sum_us = UINT64_MAX - 1;
	second->schedule_depth_sum = 3;
	second->schedule_queue = 4;
	second->backfill_cycles = WT_COUNT_UNKNOWN;
	second->backfill_depth = 5, second->backfill_queue = 6;
	reasons_set(&record->samples[0], second);
	text = written(wt_series_write, record);
	assert_string_equal(text, golden);
	back->begin_s = 1000;
	assert_true(text_read(wt_series_read, back, text, NULL) == 0 && back->sample_count == 2);
	assert_float_equal(back->samples[1].time_s, 1001, 1e-9);
	assert_true(isnan(back->samples[1].controller_cpu_s));
	assert_int_equal(back->samples[1].rpc_count, UINT64_MAX);
	assert_int_equal(back->samples[1].cpus_allocated, 8);
	assert_float_equal(back->samples[1].answer_age_s, 0.25, 1e-9);
	assert_int_equal(back->samples[1].schedule_cycle_sum_us, UINT64_MAX - 1);
	assert_int_equal(back->samples[1].backfill_cycles, WT_COUNT_UNKNOWN);
	assert_int_equal(back->samples[1].backfill_queue, 6);
	reasons_expect(&back->samples[0], &back->samples[1]);
	free(text);
	wt_record_destroy(record);
	wt_record_destroy(back);
	expect_refused(wt_series_read, SERIES_HEADER "\n0,4294967296,0,0,0,0,3,0,0,1.5,2048,0,0,0,0,0,0,0,0,0\n",
		       "f.csv:2: nodes_idle '4294967296' is not a whole number, or too large");
	expect_refused(wt_series_read,
		       SERIES_HEADER SERIES_SCHEDULERS "\n0,4,0,0,0,0,3,0,0,1.5,2048,0,0,0,0,0,0,0,0,0,1,2,3,4,5,6,-7,8\n",
		       "f.csv:2: backfill_depth '-7' is not a whole number, or too large");
	expect_refused(wt_series_read, "time_s\n", "f.csv:1: there is no column nodes_idle");
}

/* A record of before says nothing of the schedulers' cycles, which is not that there were none. */
static void test_series_of_an_older_record(void **state)
{
	struct wt_record *back = wt_record_create(NULL, NULL);

	(void) state;
	back->begin_s = 1000;
	assert_int_equal(text_read(wt_series_read, back, SERIES_HEADER "\n0,4,0,0,0,0,3,0,0,1.5,2048,0,0,0,0,9,0,0,0,0\n",
				   NULL), 0);
	assert_int_equal(back->sample_count, 1);
	assert_int_equal(back->samples[0].rpc_count, 9);
	assert_int_equal(back->samples[0].schedule_cycles, WT_COUNT_UNKNOWN);
	assert_int_equal(back->samples[0].backfill_queue, WT_COUNT_UNKNOWN);
	assert_int_equal(back->samples[0].pending_resources, WT_COUNT_UNKNOWN);
	wt_record_destroy(back);
}

static void test_swf_golden(void **state)
{
	static const char golden[] =
		"; Version: 2.2\n; Computer: 4 nodes, virtual (Windtunnel)\n; Installation: Windtunnel " PACKAGE_VERSION "\n"
		"; MaxJobs: 4\n; MaxRecords: 4\n; Preemption: No\n; UnixStartTime: 1000\n; TimeZone: 0\n; TimeZoneString: "
		"UTC\n"
		"; StartTime: Thu Jan  1 00:16:40 UTC 1970\n; EndTime: Thu Jan  1 00:17:14 UTC 1970\n"
		"; MaxNodes: 4\n; MaxProcs: 16\n; Note: workload w, seed 7, time scale 1, real clock\n"
		"; Note: executable numbers are classes: 1=A 2=B 3=C\n"
		"; MaxQueues: 1\n; Queue: 1 default\n; MaxPartitions: 1\n; Partition: 1 default\n"
		"1 0.00 1.00 20.00 8 -1 -1 8 40.00 -1 1 -1 -1 1 1 1 -1 -1\n"
		"2 1.00 21.00 10.00 16 -1 -1 16 40.00 -1 1 -1 -1 2 1 1 -1 -1\n"
		"3 2.00 31.00 1.00 4 -1 -1 4 40.00 -1 0 -1 -1 2 1 1 -1 -1\n"
		"4 2.50 -1 -1 -1 -1 -1 4 40.00 -1 5 -1 -1 3 1 1 -1 -1\n";
	struct wt_record *record = fixture_record();
	char *text = written(wt_swf_write, record);

	(void) state;
	assert_string_equal(text, golden);
	free(text);
	wt_record_destroy(record);
}

static void test_swf_order_and_left_out(void **state)
{
	static const char wanted[] = "\n1 0.25 -1 -1 -1 -1 -1 4 40.00 -1 -1 -1 -1 1 1 1 -1 -1\n2 1.00 ";
	struct wt_record *record = fixture_record();
	char *text, *first;

	(void) state;
	record->jobs[0].job_id = 0;		/* submission failed */
	record->jobs[3].submit_s = 1000.75;	/* sent before all others */
	record->jobs[3].state = WT_JOB_UNKNOWN;
	text = written(wt_swf_write, record);
	assert_non_null(strstr(text, "; MaxJobs: 3\n"));
	assert_non_null(strstr(text, "; Note: 1 jobs whose submission failed are left out\n"));
	first = strstr(text, "\n1 ");
	assert_memory_equal(first, wanted, sizeof(wanted) - 1);
	free(text);
	record->jobs[0].job_id = 101;
	wt_record_destroy(record);
}

static void swf_cpus(const struct wt_record *record, int cpus[4])
{
	char *text = written(wt_swf_write, record), *rest = text, *line;
	int rows = 0;

	while ((line = strsep(&rest, "\n")))
		if (*line && *line != ';')
			assert_int_equal(sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %d", &cpus[rows++]), 1);
	assert_int_equal(rows, 4);
	free(text);
}

/* Jobs sent at one moment stand in the order of their ids, in whichever order the record has them. */
static void test_swf_of_one_moment(void **state)
{
	static const int upwards[] = { 8, 16, 4, 4 }, downwards[] = { 4, 4, 16, 8 };
	struct wt_record *record = fixture_record();
	uint32_t ids[4];
	int cpus[4];

	(void) state;
	for (int i = 0; i < 4; i++) {
		ids[i] = record->jobs[i].job_id;
		record->jobs[i].submit_s = 1000;
		record->jobs[i].submit_latency_s = 0;
	}
	swf_cpus(record, cpus);
	assert_memory_equal(cpus, upwards, sizeof(cpus));
	for (int i = 0; i < 4; i++)
		record->jobs[i].job_id = ids[3 - i];
	swf_cpus(record, cpus);
	assert_memory_equal(cpus, downwards, sizeof(cpus));
	for (int i = 0; i < 4; i++)
		record->jobs[i].job_id = ids[i];
	wt_record_destroy(record);
}

static void test_swf_of_nothing(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	char *text = written(wt_swf_write, record);

	(void) state;
	assert_non_null(strstr(text, "; MaxJobs: 0\n"));
	assert_null(strstr(text, "UnixStartTime"));
	free(text);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs_csv_golden),
		cmocka_unit_test(test_jobs_csv_nodes_of_cpus),
		cmocka_unit_test(test_jobs_csv_begins_with_batsims_columns),
		cmocka_unit_test(test_jobs_csv_read_back),
		cmocka_unit_test(test_jobs_csv_foreign_bytes), cmocka_unit_test(test_jobs_csv_numbers),
		cmocka_unit_test(test_jobs_csv_any), cmocka_unit_test(test_jobs_csv_lenient),
		cmocka_unit_test(test_jobs_csv_damaged),
		cmocka_unit_test(test_jobs_csv_of_older_records),
		cmocka_unit_test(test_jobs_csv_node_cpus),
		cmocka_unit_test(test_node_cpus),
		cmocka_unit_test(test_jobs_csv_of_nothing),
		cmocka_unit_test(test_series),
		cmocka_unit_test(test_series_of_an_older_record),
		cmocka_unit_test(test_swf_golden),
		cmocka_unit_test(test_swf_order_and_left_out),
		cmocka_unit_test(test_swf_of_one_moment),
		cmocka_unit_test(test_swf_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
