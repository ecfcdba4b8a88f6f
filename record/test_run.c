/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/test_run.h"

const char fixture_events[] =
	WT_EVENTS_HEADER "\n"
	"1001.000000,start,101,,,n0,2\n"
	"1001.020000,probe,101,,,n0,0.02\n"
	"1021.000000,end,101,,,n0,0\n"
	"1022.000000,release,101,,,n1,\n"	/* written out of order: times are those of the event */
	"1021.500000,release,101,,,n0,\n"
	"1022.000000,start,102,,,n0,4\n"
	"1022.040000,probe,102,,,n0,0.04\n"
	"1032.000000,end,102,,,n0,0\n"
	"1033.000000,release,102,,,n0,\n"
	"1033.000000,release,102,,,n1,\n"
	"1033.000000,release,102,,,n2,\n"
	"1033.000000,release,102,,,n3,\n"
	"1033.000000,start,103,,,n2,1\n"
	"1033.010000,probe,103,,,n2,-1\n"
	"1034.000000,end,103,,,n2,1\n"
	"1034.000000,release,103,,,n2,\n";

struct job_line {
	const char *name, *class_name;
	uint32_t id, cpus;
	enum wt_job_state state;
	uint32_t nodes;
	const char *node_list, *intervals;
	double reply_s, latency_s;
};

static const struct job_line lines[] = {
	{ "w.A.1", "A", 101, 8, WT_JOB_COMPLETED, 2, "n[0-1]", "0-1", 1000.5, 0.5 },
	{ "w.B.1", "B", 102, 16, WT_JOB_COMPLETED, 4, "n[0-3]", "0-3", 1001.25, 0.25 },
	{ "w.B.2", "B", 103, 4, WT_JOB_FAILED, 1, "n2", "2", 1002.25, 0.25 },
	{ "w.C.1", "C", 104, 4, WT_JOB_CANCELLED, 0, NULL, NULL, 1003, 0.5 },
};

static void job_fill(struct wt_record *record, struct wt_job_record *job, const struct job_line *line)
{
	wt_job_record_init(job);
	job->name = strdup(line->name);
	job->class_name = strdup(line->class_name);
	job->cpus = line->cpus;
	job->run_time_s = 20;
	job->time_limit_s = 40;
	job->submit_s = line->reply_s;
	job->submit_latency_s = line->latency_s;
	assert_int_equal(wt_record_set_job_id(record, job, line->id, NULL), 0);
}

struct wt_record *fixture_submitted(void)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	struct wt_sample first = { .time_s = 1000, .nodes_idle = 4, .jobs_pending = 3, .controller_cpu_s = 1.5,
				   .controller_rss_kib = 2048 };
	struct wt_sample second = { .time_s = 1001, .nodes_allocated = 2, .nodes_idle = 2, .cpus_allocated = 8,
				    .jobs_pending = 1,
				    .jobs_running = 1, .answer_age_s = 0.25, .controller_cpu_s = NAN, .controller_rss_kib =
				    1024,
				    .rpc_count = UINT64_MAX };

	if (!record)
		fail_msg("Bail out! no record");
	record->nodes = 4;
	record->cpus = 16;
	record->backend = strdup("virtual");
	record->clock = strdup("real");
	record->workload = strdup("w");
	record->seed = 7;
	record->ideal_s = 17;
	record->begin_s = 1000;
	record->wall_s = 40;
	record->controller_cpu_s = 2;
	record->jobs = calloc(4, sizeof(*record->jobs));
	record->job_count = 4;
	for (size_t i = 0; i < 4; i++)
		job_fill(record, &record->jobs[i], &lines[i]);
	assert_int_equal(wt_record_add_sample(record, &first, NULL), 0);
	assert_int_equal(wt_record_add_sample(record, &second, NULL), 0);
	return record;
}

struct wt_record *fixture_record(void)
{
	struct wt_record *record = fixture_submitted();
	struct wt_event_reader *reader = wt_event_reader_create("fixture");
	struct wt_event event;

	assert_non_null(reader);
	assert_int_equal(wt_event_reader_feed(reader, fixture_events, strlen(fixture_events), NULL), 0);
	while (wt_event_reader_next(reader, &event, NULL) > 0)
		assert_int_equal(wt_record_apply(record, &event), 1);
	wt_event_reader_destroy(reader);
	for (size_t i = 0; i < 4; i++) {
		struct wt_job_record *job = &record->jobs[i];

		job->state = lines[i].state;
		job->alloc_nodes = lines[i].nodes;
		job->alloc_cpus = lines[i].nodes ? lines[i].cpus : 0;
		job->node_list = lines[i].node_list ? strdup(lines[i].node_list) : NULL;
		job->node_intervals = lines[i].intervals ? strdup(lines[i].intervals) : NULL;
	}
	return record;
}
