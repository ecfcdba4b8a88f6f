/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cmd/workload/workload_verb.h"
#include "harness/export/gzip_out.h"
#include "lib/outfile.h"
#include "workload/jobs_file.h"
#include "workload/trace_file.h"
#include "workload/trace_write.h"

struct output {
	wt_outfile_fn fn;
	const void *arg;
};

static int lines_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct workload_file *file = arg;
	struct wt_trace_file source;
	int rc;

	if (wt_trace_file_open(&source, file->path, errp) < 0)
		return -1;
	rc = wt_trace_copy_lines(out, source.in, &file->trace, errp);
	if (rc < 0)
		wt_error_prefix(errp, "%s", file->path);
	wt_trace_file_close(&source, NULL, NULL);
	return rc;
}

static int packed_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct output *output = arg;

	return gzip_write(out, output->fn, output->arg, errp);
}

static int stdout_write(const struct output *output, struct wt_error *errp)
{
	if (output->fn(stdout, output->arg, errp) < 0)
		return -1;
	return fflush(stdout) != 0 || ferror(stdout) ? wt_error_set(errp, EIO, "standard output could not be written") : 0;
}

int workload_file_write(const struct workload_file *file, enum workload_form form, const char *path, bool as_lines,
			struct wt_error *errp)
{
	static const wt_outfile_fn writers[] = {
		[FORM_SWF] = wt_trace_write_swf,
		[FORM_BATSIM] = wt_trace_write_batsim,
		[FORM_CSV] = wt_trace_write_csv,
		[FORM_JOBS] = wt_jobs_file_write,
	};
	struct output output = { as_lines ? lines_write : writers[form], as_lines ? (const void *) file : &file->trace };
	size_t len = path ? strlen(path) : 0;

	if (!path)
		return stdout_write(&output, errp);
	if (len > 3 && !strcmp(path + len - 3, ".gz"))
		return wt_outfile_write(path, packed_write, &output, errp);
	return wt_outfile_write(path, output.fn, output.arg, errp);
}
