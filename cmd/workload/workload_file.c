/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/workload/workload_verb.h"
#include "harness/report/report.h"
#include "record/jobs_csv.h"
#include "record/record_trace.h"
#include "workload/dax.h"
#include "workload/jobs_file.h"
#include "workload/json_trace.h"
#include "workload/trace_file.h"

static const struct {
	const char *name, *end;
} forms[FORM_COUNT] = {
	[FORM_SWF] = { "swf", ".swf" },
	[FORM_BATSIM] = { "batsim", ".json" },
	[FORM_CSV] = { "csv", ".csv" },
	[FORM_JOBS] = { "jobs", ".jsonl" },
	[FORM_DAX] = { "dax", NULL },
	[FORM_WFCOMMONS] = { "wfcommons", NULL },
	[FORM_RUN] = { "run folder", NULL },
};

const char *workload_form_name(enum workload_form form)
{
	return forms[form].name;
}

int workload_form_parse(const char *name, enum workload_form *form)
{
	for (int i = 0; i < FORM_COUNT; i++)
		if (forms[i].end && !strcmp(name, forms[i].name)) {
			*form = (enum workload_form) i;
			return 0;
		}
	return -1;
}

int workload_form_of_name(const char *name, enum workload_form *form)
{
	size_t len = strlen(name);

	if (len > 3 && !strcmp(name + len - 3, ".gz"))
		len -= 3;
	for (int i = 0; i < FORM_COUNT; i++) {
		size_t end = forms[i].end ? strlen(forms[i].end) : 0;

		if (end && len > end && !strncmp(name + len - end, forms[i].end, end)) {
			*form = (enum workload_form) i;
			return 0;
		}
	}
	return -1;
}

static int csv_read(struct workload_file *file, FILE *in, struct wt_error *errp)
{
	struct wt_record *record = wt_record_create(NULL, errp);
	bool ours;
	int rc = record ? wt_jobs_csv_read_any(record, in, file->path, true, &ours, errp) : -1;

	if (rc == 0)
		rc = wt_record_trace(&file->trace, record, file->path, errp);
	wt_record_destroy(record);
	return rc;
}

/* Jobs have a brace in each line, too: their name ends in .jsonl; columns may stand in any order: the name ends in .csv.
 * JSON begins with a brace, XML with '<', the header of jobs.csv, as we write it, with job_id; all else is an SWF, or says
 * why it is not. */
static int form_look(struct workload_file *file, struct wt_trace_file *source, struct wt_error *errp)
{
	int c = wt_trace_file_look(source);

	if (c == EOF && getc(source->in) == EOF && ferror(source->in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", file->path);
	if (c == EOF)
		return wt_error_set(errp, EINVAL, "%s: the file is empty", file->path);
	if (workload_form_of_name(file->path, &file->form) == 0 && (file->form == FORM_JOBS || file->form == FORM_CSV))
		return 0;
	file->form = c == '{' ? FORM_BATSIM : c == '<' ? FORM_DAX : c == 'j' ? FORM_CSV : FORM_SWF;
	return 0;
}

static int stream_read(struct workload_file *file, struct wt_trace_file *source, bool skip_bad, struct wt_error *errp)
{
	const bool leave_out[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = skip_bad, [WT_LEFT_PROFILE] = skip_bad };
	FILE *in = source->in;
	bool is_workflow;
	int rc;

	if (form_look(file, source, errp) < 0)
		return -1;
	if (file->form == FORM_CSV)
		return csv_read(file, in, errp);
	if (file->form == FORM_BATSIM) {
		rc = wt_json_trace_read(&file->trace, in, file->path, leave_out, &is_workflow, errp);
		file->form = is_workflow ? FORM_WFCOMMONS : FORM_BATSIM;
		return rc;
	}
	if (file->form == FORM_DAX)
		return wt_dax_read(&file->trace, in, file->path, leave_out, errp);
	return file->form == FORM_JOBS ? wt_jobs_file_read(&file->trace, in, file->path, leave_out, errp) :
					 wt_swf_trace_read(&file->trace, in, file->path, leave_out, errp);
}

static int packed_read(struct workload_file *file, bool skip_bad, struct wt_error *errp)
{
	char sum[WT_TRACE_SUM_SIZE];
	struct wt_trace_file source;

	if (wt_trace_file_open(&source, file->path, errp) < 0)
		return -1;
	return wt_trace_file_end(&source, file->path, stream_read(file, &source, skip_bad, errp), sum, errp);
}

static int run_read(struct workload_file *file, struct wt_error *errp)
{
	struct wt_record *record = wt_report_read(file->path, errp);
	int rc = record ? wt_record_trace(&file->trace, record, file->path, errp) : -1;

	file->form = FORM_RUN;
	wt_record_destroy(record);
	return rc;
}

int workload_file_read(struct workload_file *file, const char *path, bool skip_bad, struct wt_error *errp)
{
	struct stat st;
	int rc;

	memset(file, 0, sizeof(*file));
	file->path = path;
	rc = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? run_read(file, errp) : packed_read(file, skip_bad, errp);
	if (rc < 0)
		workload_file_clear(file);
	return rc;
}

void workload_file_clear(struct workload_file *file)
{
	wt_swf_trace_clear(&file->trace);
}

void workload_file_tell(FILE *out, const char *indent, const struct workload_file *file)
{
	const struct wt_swf_trace *t = &file->trace;
	const char *before = "; left out: ";

	fprintf(out, "%s%s: %s, %zu of %zu jobs", indent, file->path, workload_form_name(file->form), t->job_count,
		t->entry_count);
	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (t->left_out[i]) {
			fprintf(out, "%s%zu %s", before, t->left_out[i], wt_left_out_text((enum wt_left_out) i));
			before = ", ";
		}
	if (t->world.count)
		fprintf(out, "; %zu events of the cluster", t->world.count);
	fputc('\n', out);
	if (*t->first_bad)
		fprintf(out, "%sthe first that cannot be read: %s\n", indent, t->first_bad);
	if (t->unsorted)
		fprintf(out, "%snot in order of submission: %zu jobs stand behind later ones, the first in %s %zu; "
			"they are put in order\n", indent, t->unsorted, t->line_is_place ? "place" : "line",
			t->first_unsorted);
}

int workload_fail(const char *name, const struct wt_error *error)
{
	fprintf(stderr, "%s: %s\n", name, error->text);
	return 1;
}
