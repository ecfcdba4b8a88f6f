/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the reader of jobs in lines of JSON: what it takes must make a valid workload, and be read again as it was
 * written. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "workload/jobs_file.h"
#include "workload/slice.h"

static const char *const seeds[] = {
	"{\"windtunnel_jobs\":1,\"cpus\":64,\"nodes\":4}\n{\"id\":1,\"submit_s\":0,\"run_time_s\":10,\"time_limit_s\":60}\n",
	"{\"id\":\"a\",\"submit_s\":5,\"run_time_s\":1.5,\"tasks\":4,\"cpus_per_task\":2,\"user\":\"u\",\"account\":\"x\","
	"\"partition\":\"p,q\",\"gres\":\"gpu:a100:2\",\"memory_per_cpu_mib\":100}\n# a comment\n"
	"{\"id\":\"b\",\"submit_s\":6,\"end\":\"time_limit\",\"time_limit_s\":60,\"dependency\":\"afterok:a,after:a+5\"}\n",
	"{\"id\":1,\"submit_s\":0,\"end\":\"cancelled\",\"cancel_after_s\":9,\"sharing\":\"exclusive\",\"nodes\":2}\n"
	"{\"id\":2,\"submit_s\":0,\"end\":\"failed\",\"exit_code\":3,\"run_time_s\":1,"
	"\"dependency\":\"afterany:1?singleton\"}\n",
	"{\"id\":1,\"submit_s\":5,\"run_time_s\":1}\n{\"id\":2,\"submit_s\":6,\"run_time_s\":1}\n"
	"{\"event\":\"down\",\"at_s\":3,\"nodes\":\"n[0-1]\",\"reason\":\"x y\"}\n"
	"{\"event\":\"reserve\",\"at_s\":0,\"name\":\"m\",\"start_after_s\":2,\"duration_s\":9.5,\"count\":2,"
	"\"users\":\"u\",\"flags\":\"MAINT,flex\"}\n"
	"{\"event\":\"unreserve\",\"at_s\":7,\"name\":\"m\"}\n{\"event\":\"resume\",\"at_s\":8,\"nodes\":\"ALL\"}\n",
};

static void written_read(const struct wt_swf_trace *trace)
{
	struct wt_swf_trace again;
	struct wt_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size), *in;

	if (!out || wt_jobs_file_write(out, trace, &err) < 0 || fclose(out) != 0)
		abort();
	in = fmemopen(text, size, "r");
	if (!in || wt_jobs_file_read(&again, in, "again", NULL, &err) < 0 || again.job_count != trace->job_count ||
	    again.world.count != trace->world.count)
		abort();
	fclose(in);
	free(text);
	wt_swf_trace_clear(&again);
}

static void slice_try(const struct wt_swf_trace *trace)
{
	struct wt_slice_options options;
	struct wt_slice_info info;
	struct wt_workload *w;
	struct wt_error err;

	wt_slice_options_init(&options);
	options.machine_cpus = 64;
	options.leave_large = true;
	options.first_job = 2;
	w = wt_slice_create(trace, &options, &info, &err);
	if (w && wt_workload_check(w, &err) < 0)
		abort();
	wt_workload_destroy(w);
}

static void bytes_try(const uint8_t *data, size_t size, const bool *leave_out)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_swf_trace trace;
	struct wt_error err;

	if (!in)
		abort();
	if (wt_jobs_file_read(&trace, in, "fuzz", leave_out, &err) == 0) {
		if (trace.job_count + trace.left_out[WT_LEFT_BAD] != trace.entry_count)
			abort();
		written_read(&trace);
		slice_try(&trace);
		wt_swf_trace_clear(&trace);
	}
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool some[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true };

	bytes_try(data, size, NULL);
	bytes_try(data, size, some);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}
