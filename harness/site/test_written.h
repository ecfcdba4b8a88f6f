/* test_written.h - for fuzz targets: what was imported is written, and read again as a run reads it. */
#ifndef WT_HARNESS_SITE_TEST_WRITTEN_H
#define WT_HARNESS_SITE_TEST_WRITTEN_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/site/site_jobs.h"
#include "workload/jobs_file.h"

static inline void wt_test_written(const struct wt_site_jobs *jobs)
{
	struct wt_swf_trace trace = { .job_count = jobs->count }, again;
	char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	struct wt_error err = { "" };

	trace.jobs = calloc(jobs->count + 1, sizeof(*trace.jobs));
	if (!stream || !trace.jobs)
		abort();
	for (size_t i = 0; i < jobs->count; i++)
		trace.jobs[i] = jobs->list[i].job;
	if (wt_jobs_file_write(stream, &trace, &err) < 0 || fclose(stream) != 0)
		abort();
	stream = fmemopen(text, size, "r");
	if (!stream || wt_jobs_file_read(&again, stream, "again", NULL, &err) < 0) {
		fprintf(stderr, "%s\n%s\n", err.text, text);
		abort();
	}
	if (again.job_count != jobs->count)
		abort();
	fclose(stream);
	wt_swf_trace_clear(&again);
	free(trace.jobs);
	free(text);
	text = NULL;
	stream = open_memstream(&text, &size);
	if (!stream || wt_site_jobs_recorded(stream, jobs, &err) < 0 || fclose(stream) != 0)
		abort();
	free(text);
}

#endif
