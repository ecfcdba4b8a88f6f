/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the page: the input is jobs.csv, series.csv, summary.json and world.csv, divided by bytes 0xff.  Whatever they hold,
 * a page comes out, without markup of theirs, and without a character that UTF-8 does not have. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/page/page.h"
#include "record/jobs_csv.h"
#include "lib/fs.h"
#include "lib/fuzz.h"

static char folder[] = "/tmp/wt-fuzz-page-XXXXXX";

static void folder_remove(void)
{
	wt_fs_remove_tree(folder, NULL);
}

static void file_write(const char *name, const uint8_t *data, size_t size)
{
	char *path = wt_str_format("%s/%s", folder, name);

	if (!path || wt_fs_write(path, data, size, 0600, NULL) < 0)
		abort();
	free(path);
}

static size_t part_size(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;

	return end ? (size_t) (end - data) : size;
}

static void files_write(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "jobs.csv", "series.csv", "summary.json", "world.csv" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = part_size(data, size);

		file_write(names[i], data, len);
		data += len < size ? len + 1 : size;
		size -= len < size ? len + 1 : size;
	}
}

static void page_check(const char *page, size_t size)
{
	static const char mark[] = "<fuzz";

	if (memmem(page, size, mark, sizeof(mark) - 1) || memchr(page, 0, size) || !memmem(page, size, "</html>", 7))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_run run;
	const struct page_variant one = { .path = folder, .run_count = 1 }, twice[] = { one, one };
	struct page_input input = { .runs = &run, .run_count = 1, .variants = twice, .variant_count = 2 };
	struct wt_error err;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (folder[sizeof(folder) - 2] == 'X') {
		if (!mkdtemp(folder))
			abort();
		atexit(folder_remove);
	}
	files_write(data, size);
	if (!out || page_run_read(&run, folder, 1, &err) < 0 || page_write(out, &input, &err) < 0)
		abort();
	fclose(out);
	page_check(text, len);
	free(text);
	page_run_clear(&run);
	return 0;
}

static const char seed[] = WT_JOBS_CSV_HEADER
	",partition,account,user,qos\n"
	"101,w,<fuzz,0.0,2,40.0,1,X,1.0,20.0,21.0,1.0,21.0,1.05,0-1,-1,,\"n[0-1],n3\",8,<fuzz>.A.1,COMPLETED,0,0,20.0,"
	"3,8,0.5,22.0,2,1.5,0.02,w0!7,\"2(x2),4\",p,<fuzz,u,q\n"
	"102,w,Z,1.0,4,40.0,1,X,22.0,20.0,42.0,1.0,21.0,1.05,0-3,-1,,n[0-3],16,w.Z.1,COMPLETED,0,0,20.0,"
	"4,16,0.5,44.0,4,6,0.02,,,p,b,v,q\n"
	"\xff"
	"time_s,nodes_idle,nodes_allocated,nodes_completing,nodes_down,cpus_allocated,jobs_pending,jobs_running,jobs_"
	"completing,"
	"controller_cpu_s,controller_rss_kib,rpc_queue,server_threads,agent_queue,agent_count,rpc_count,rpc_time_us,"
	"schedule_cycle_last_us,backfill_cycle_last_us,answer_age_s\n0.0,4,0,0,0,0,3,0,0,1.5,2048,0,0,0,0,0,0,0,0,0.25\n"
	"10.0,4,0,0,0,0,3,0,0,2.5,2048,0,0,0,0,100,5000,20,30,0.25\n"
	"\xff"
	"{\"workload\": \"<fuzz\", \"nodes\": 4, \"cpus\": 16, \"backend\": \"virtual\", \"clock\": \"real\", \"seed\": 7, "
	"\"time_scale\": 1.0, \"begin_s\": 1000.0, \"ideal_s\": 17.0, \"wall_s\": null, \"controller_cpu_s\": 2.0, "
	"\"jobs_total\": 2, \"jobs_completed\": 2, "
	"\"makespan_s\": 42, \"utilization\": 0.7, \"wait_median_s\": 11, \"interrupted\": false, \"problems\": {\"<fuzz\": "
	"\"<fuzz\"}, "
	"\"kinds\": {\"makespan_s\": \"virtual\"}, \"trace\": {\"left_out\": {\"bad\": 3}}, \"repeatable\": {\"verdict\": "
	"\"<fuzz\", \"basis\": \"x\"}}"
	"\xff"
	"line,event,nodes,name,planned_time,time,outcome,answer\n9,down,<fuzz,,1005.0,1005.0,done,\n"
	"10,reserve,n1,<fuzz,1005.0,1005.0,refused,<fuzz\n11,resume,n1,,1009.0,,not_reached,\n";

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = sizeof(seed) - 1;

	if (index)
		return 0;
	if (len > size)
		len = size;
	memcpy(buf, seed, len);
	return len;
}
