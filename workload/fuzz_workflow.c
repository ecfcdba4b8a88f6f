/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the readers of workflows: what they take must be a file of jobs that is read again, and make a valid workload. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "workload/dax.h"
#include "workload/jobs_file.h"
#include "workload/json_trace.h"
#include "workload/slice.h"

static const char *const seeds[] = {
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?><adag name=\"x\"><job id=\"ID1\" name=\"mAdd\" runtime=\"1.5\">"
	"<uses file=\"f\" link=\"input\" size=\"10\"/></job><job id=\"ID2\"><profile namespace=\"pegasus\" key=\"runtime\">7"
	"</profile></job><child ref=\"ID2\"><parent ref=\"ID1\"/></child></adag>",
	"<adag><job id=\"a b\" runtime=\"1\"/><job id=\"b\" runtime=\"1e3\"/><child ref=\"a b\">"
	"<parent ref=\"b\"/></child></adag>",
	"{\"workflow\":{\"tasks\":[{\"name\":\"a\",\"id\":\"1\",\"runtime\":3,\"files\":[{\"size\":10}]},"
	"{\"name\":\"b\",\"id\":\"2\",\"runtimeInSeconds\":4,\"cores\":2,\"parents\":[\"a\"]}]}}",
	"{\"workflow\":{\"specification\":{\"tasks\":[{\"id\":\"a\",\"name\":\"x\",\"children\":[\"b\"],"
	"\"inputFiles\":[\"f\"]},"
	"{\"id\":\"b\",\"outputFiles\":[\"f\"]}],\"files\":[{\"id\":\"f\",\"sizeInBytes\":9}]},\"execution\":{\"tasks\":["
	"{\"id\":\"a\",\"runtimeInSeconds\":1},{\"id\":\"b\",\"runtimeInSeconds\":2,\"coreCount\":2}]}}}",
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
	if (!in || wt_jobs_file_read(&again, in, "again", NULL, &err) < 0 || again.job_count != trace->job_count)
		abort();
	fclose(in);
	free(text);
	wt_swf_trace_clear(&again);
}

static void slice_try(const struct wt_swf_trace *trace)
{
	struct wt_slice_options options;
	struct wt_workload *w;
	struct wt_error err;

	wt_slice_options_init(&options);
	options.machine_cpus = 64;
	options.leave_large = true;
	options.bandwidth = 1e6;
	w = wt_slice_create(trace, &options, NULL, &err);
	if (w && wt_workload_check(w, &err) < 0)
		abort();
	wt_workload_destroy(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_swf_trace trace;
	struct wt_error err;
	bool is_workflow = false, is_xml = size && *data == '<';
	int rc;

	if (!in)
		abort();
	rc = is_xml ? wt_dax_read(&trace, in, "fuzz", NULL, &err) :
		      wt_json_trace_read(&trace, in, "fuzz", NULL, &is_workflow, &err);
	if (rc == 0) {
		if (is_xml || is_workflow)
			written_read(&trace);
		slice_try(&trace);
		wt_swf_trace_clear(&trace);
	} else if (trace.jobs) {
		abort();
	}
	fclose(in);
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
