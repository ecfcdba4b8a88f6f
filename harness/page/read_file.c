/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "harness/page/read_file.h"
#include "harness/page/swf_schedule.h"
#include "lib/fs.h"
#include "record/jobs_csv.h"
#include "straggler/trace_log.h"
#include "workload/trace_file.h"

static int regular_open(const char *path, struct wt_trace_file *file, struct wt_error *errp)
{
	int fd = wt_fs_open_regular(path, errp);

	if (fd < 0)
		return -1;
	return wt_trace_file_take(file, fd, errp) < 0 ? wt_error_prefix(errp, "%s", path) : 0;
}

static bool name_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	if (len > 3 && !strcmp(path + len - 3, ".gz"))
		len -= 3;
	return len > end_len && !strncasecmp(path + len - end_len, end, end_len);
}

/* What is wrong with a packed file says more than what came of it. */
static int read_failed(const struct wt_trace_file *file, const char *path, struct wt_error *errp)
{
	const char *damage = wt_trace_file_damage(file);

	return damage ? wt_error_set(errp, EINVAL, "%s:%zu: %s", path, wt_trace_file_line(file), damage) : -1;
}

static int swf_read(struct wt_record *record, const char *path, struct wt_str *notes, struct wt_error *errp)
{
	struct wt_trace_file file;
	int rc = regular_open(path, &file, errp);

	if (rc < 0)
		return -1;
	rc = swf_schedule_read(record, file.in, path, notes, errp);
	if (rc < 0)
		rc = read_failed(&file, path, errp);
	wt_trace_file_close(&file, NULL, NULL);
	return rc;
}

/* What was read before a damaged line stays: a schedule with a part that is missing, and says so. */
static int csv_read(struct wt_record *record, const char *path, struct wt_str *notes, struct wt_error *errp)
{
	struct wt_error bad = { "" };
	struct wt_trace_file file;
	bool ours;
	int rc;

	if (regular_open(path, &file, errp) < 0)
		return -1;
	rc = wt_jobs_csv_read_any(record, file.in, path, false, &ours, &bad);
	if (rc < 0)
		read_failed(&file, path, &bad);
	wt_trace_file_close(&file, NULL, NULL);
	if (!record->job_count)
		return rc < 0 ? wt_error_set(errp, EINVAL, "%s", bad.text)
			      : wt_error_set(errp, EINVAL, "%s: no job in it", path);
	if (rc < 0)
		wt_str_printf(notes, "read up to a damaged line: %s\n", bad.text);
	if (!ours)
		wt_str_printf(notes, "%s has Batsim's columns only: a resource is taken for a CPU\n", path);
	wt_str_printf(notes, "%s does not tell how large the machine was: utilisation is not known\n", path);
	return 0;
}

int page_file_read(struct wt_record *record, const char *path, struct wt_str *notes, struct wt_error *errp)
{
	int rc;

	if (name_ends(path, ".swf"))
		rc = swf_read(record, path, notes, errp);
	else if (name_ends(path, ".csv"))
		rc = csv_read(record, path, notes, errp);
	else
		rc = wt_error_set(errp, EINVAL,
				  "%s: is no run folder, and a file is reported when its name ends in .swf or .csv, with or "
				  "without .gz behind it, or in .jsonl", path);
	if (rc == 0)
		wt_str_printf(notes, "%s is one file and no run folder: series, controller, switches and how it was made "
				     "are not known\n", path);
	return rc;
}

bool page_file_heartbeats(const char *path)
{
	return name_ends(path, ".jsonl");
}

static int array_count(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	size_t *arrays = arg;

	(void) job;
	(void) trace;
	(void) errp;
	++*arrays;
	return 0;
}

int page_heartbeats_check(const char *path, struct wt_error *errp)
{
	FILE *in = wt_fs_stream_regular(path, errp);
	size_t arrays = 0;
	int rc;

	if (!in)
		return -1;
	rc = wt_trace_log_read(in, path, array_count, &arrays, errp);
	fclose(in);
	return rc == 0 && !arrays ? wt_error_set(errp, EINVAL, "%s: no array in it", path) : rc;
}
