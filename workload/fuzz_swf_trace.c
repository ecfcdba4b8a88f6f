/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the readers of SWF traces and of Batsim's workloads, and what is cut out of them: what can be read must give a valid
 * workload or a clear no. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "workload/json_trace.h"
#include "lib/fuzz.h"
#include "workload/slice.h"
#include "workload/trace_file.h"
#include "workload/trace_write.h"

static const char *const seeds[] = {
	"; MaxProcs: 240\n; MaxNodes: 120\n;\n 1 0 30 3140 30 3140 -1 30 3798 -1 1 1 1 -1 -1 1 -1 -1\n"
	" 2 8 30 -1 30 3140 -1 30 3798 -1 -1 1 1 -1 -1 1 -1 -1\n 3 9 0 0 -1 -1 -1 4 -1 -1 5 1 1 -1 -1 1 -1 -1\n",
	"1 0 0 10 1 10.5 -1 1 -1 -1 1 1 1 -1 -1 1 -1 -1 n[1-3]\n2 5 0 1e2 240 9 -1 1 90 -1 1 1 1 -1 -1 1 -1 -1\r\n\n",
	"{\"nb_res\": 4, \"jobs\": [{\"id\": 1, \"subtime\": 1, \"walltime\": 9, \"res\": 2, \"profile\": \"d\"},"
	"{\"id\": 2, \"subtime\": 2.5, \"res\": 4, \"profile\": \"d\"}], \"profiles\": {\"d\": {\"type\": \"delay\", "
	"\"delay\": 3}}}",
	"{\"nb_res\": 4, \"jobs\": [{\"id\": \"a\", \"subtime\": 1.7e9, \"res\": 2, \"profile\": \"s\"}, {\"subtime\": 1, "
	"\"res\": 1,"
	"\"profile\": \"p\"}], \"profiles\": {\"d\": {\"type\": \"DelayProfile\", \"delay\": 3}, \"p\": {\"type\": "
	"\"ParallelTaskProfile\"},"
	"\"s\": {\"type\": \"SequentialCompositionProfile\", \"repeat\": 2, \"seq\": [\"d\", \"d\"]}}}",
	"1 0 0 10 1 10 -1 1 5 -1 2 1 1 -1 -1 1 -1 -1\n1 0 0 10 1 10 -1 1 5 -1 1 1 1 -1 -1 1 -1 -1\n",
};

static void slice_try(const struct wt_swf_trace *trace, double cpus_scale, double load, double duration_s)
{
	struct wt_slice_options options;
	struct wt_slice_info info;
	struct wt_workload *w;
	struct wt_error err;

	wt_slice_options_init(&options);
	options.machine_cpus = 240;
	options.cpus_scale = cpus_scale;
	options.load = load;
	options.duration_s = duration_s;
	w = wt_slice_create(trace, &options, &info, &err);
	if (w && wt_workload_check(w, &err) < 0)
		abort();
	wt_workload_destroy(w);
}

typedef int (*read_fn)(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

/* Every job is in the trace, or counted. */
static void counts_check(const struct wt_swf_trace *trace)
{
	size_t count = trace->job_count;

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		count += trace->left_out[i];
	if (count != trace->entry_count)
		abort();
	for (size_t i = 0; i < trace->job_count; i++)
		if (trace->jobs[i].submit_s < trace->first_submit_s)
			abort();
}

/* Batsim's form of it is read again, with as many jobs. */
static void written_check(const struct wt_swf_trace *trace)
{
	struct wt_swf_trace again;
	struct wt_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size), *in;

	if (!out || wt_trace_write_batsim(out, trace, &err) < 0 || fclose(out) != 0)
		abort();
	in = fmemopen(text, size, "r");
	if (!in || wt_batsim_read(&again, in, "again", NULL, &err) < 0 || again.job_count != trace->job_count)
		abort();
	for (size_t i = 0; i < again.job_count; i++)
		if (again.jobs[i].submit_s != trace->jobs[i].submit_s ||
		    again.jobs[i].run_time_s != trace->jobs[i].run_time_s)
			abort();
	fclose(in);
	free(text);
	wt_swf_trace_clear(&again);
}

static void file_try(FILE *in, read_fn fn, const bool *leave_out)
{
	struct wt_swf_trace trace;
	struct wt_error err;

	if (fn(&trace, in, "fuzz", leave_out, &err) < 0)
		return;
	counts_check(&trace);
	written_check(&trace);
	slice_try(&trace, 1, 0, 0);
	slice_try(&trace, 0, 0.8, 0);
	slice_try(&trace, 0.001, 0.8, 100);
	wt_swf_trace_clear(&trace);
}

static void memory_try(const uint8_t *data, size_t size, read_fn fn, const bool *leave_out)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");

	if (!in)
		abort();
	file_try(in, fn, leave_out);
	fclose(in);
}

/* As a file, perhaps a packed one. */
static void packed_try(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char sum[WT_TRACE_SUM_SIZE];
	struct wt_trace_file file;
	struct wt_error err;

	if (fd < 0 || write(fd, data, size) != (ssize_t) size || lseek(fd, 0, SEEK_SET) < 0 || wt_trace_file_take(&file, fd,
		&err) < 0)
		abort();
	file_try(file.in, wt_swf_trace_read, NULL);
	if (wt_trace_file_close(&file, sum, &err) == 0 && strlen(sum) != WT_TRACE_SUM_SIZE - 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const bool some[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true, [WT_LEFT_PROFILE] = true };

	memory_try(data, size, wt_swf_trace_read, NULL);
	memory_try(data, size, wt_swf_trace_read, some);
	memory_try(data, size, wt_batsim_read, NULL);
	memory_try(data, size, wt_batsim_read, some);
	packed_try(data, size);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	if (len > size)
		return 0;
	memcpy(buf, seeds[index], len);
	return len;
}
