/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the readers of files that others wrote: events.csv (in one piece and in small ones: both must say the same) and the
 * files of a run folder. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/events.h"
#include "lib/fuzz.h"
#include "record/jobs_csv.h"
#include "record/node_cpus.h"
#include "record/series.h"
#include "harness/report/summary.h"

/* Feed in pieces of 'step'; returns a sum over what the reader said. */
static uint64_t events_read(const uint8_t *data, size_t size, size_t step)
{
	struct wt_event_reader *reader = wt_event_reader_create("fuzz");
	uint64_t sum = 0;
	struct wt_event event;
	struct wt_error err;
	int rc;

	if (!reader)
		abort();
	for (size_t at = 0; at < size; at += step) {
		if (wt_event_reader_feed(reader, (const char *) data + at, size - at < step ? size - at : step, &err) < 0)
			abort();
		while ((rc = wt_event_reader_next(reader, &event, &err)) != 0)
			sum = sum * 31 + (rc > 0 ? event.job_id + event.kind : 7);
	}
	wt_event_reader_destroy(reader);
	return sum;
}

typedef int (*read_fn)(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

static void file_read(const uint8_t *data, size_t size, read_fn fn)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_error err;

	if (!record || !in)
		abort();
	record->begin_s = 0;
	if (fn(record, in, "fuzz", &err) == 0)
		(void) wt_record_check(record, &err);
	fclose(in);
	wt_record_destroy(record);
}

/* What is read is what is written: the text of the same CPUs says the same again. */
static void node_cpus_check(const uint8_t *data, size_t size)
{
	uint32_t cpus[64], again[64];
	char text[256] = "", *back;

	memcpy(text, data, size < sizeof(text) ? size : sizeof(text) - 1);
	for (size_t count = 1; count <= 64; count++) {
		if (wt_node_cpus_parse(text, cpus, count, NULL) < 0)
			continue;
		back = wt_node_cpus_format(cpus, count);
		if (!back || wt_node_cpus_parse(back, again, count, NULL) < 0 || memcmp(cpus, again, count * sizeof(*cpus)))
			abort();
		free(back);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (events_read(data, size, 7) != events_read(data, size, size + 1))
		abort();
	file_read(data, size, wt_jobs_csv_read);
	node_cpus_check(data, size);
	file_read(data, size, wt_series_read);
	file_read(data, size, wt_summary_read);
	return 0;
}

static const char *const seeds[] = {
	WT_EVENTS_HEADER "\n1700000000.123456,start,12,10,2,n17,3\n5,probe,1,,,n0,-1\n6.5,release,1,,,n0,\n7,end",
	WT_JOBS_CSV_HEADER
	"\n101,w,A,0.0,2,40.0,1,X,1.0,20.0,21.0,1.0,21.0,1.05,0-1,-1,,\"n[0-1],n3\",8,w.A.1,COMPLETED,0,0,20.0,"
	"3,8,0.5,22.0,2,1.5,0.02,w0!7,\"2(x2),4\",main,\"a,b\",root,normal,2,Resources,Resources=1.5;Priority=0.5\n",
	"time_s,nodes_idle,nodes_allocated,nodes_completing,nodes_down,cpus_allocated,jobs_pending,jobs_running,"
	"jobs_completing,"
	"controller_cpu_s,controller_rss_kib,rpc_queue,server_threads,agent_queue,agent_count,rpc_count,rpc_time_us,"
	"schedule_cycle_last_us,backfill_cycle_last_us,answer_age_s,schedule_cycles,schedule_cycle_sum_us,backfill_queue\n"
	"0.0,4,0,0,0,0,3,0,0,1.5,2048,0,0,0,0,0,0,0,0,0.25,3,,4\n",
	"{\"workload\": \"w\", \"nodes\": 4, \"cpus\": 16, \"backend\": \"virtual\", \"clock\": \"real\", \"seed\": 7, "
	"\"time_scale\": 1.0, \"begin_s\": 1000.0, \"ideal_s\": 17.0, \"wall_s\": null, \"controller_cpu_s\": 2.0}",
	"16(x3),4,16(x2)",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	if (len > size)
		len = size;
	memcpy(buf, seeds[index], len);
	return len;
}
