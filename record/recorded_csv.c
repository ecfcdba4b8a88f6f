/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/field.h"
#include "record/recorded_csv.h"

enum { R_ID, R_SUBMIT, R_START, R_STATE, R_REQUIRED, R_CPUS = R_REQUIRED, R_PARTITION, R_ACCOUNT, R_USER, R_QOS, R_COLUMNS };

static const char *const columns[R_COLUMNS] = {
	"id", "submit_s", "start_s", "state", "cpus", "partition", "account", "user", "qos",
};

static int text_take(struct field_reader *r, size_t column, char **to)
{
	const char *text = field_text(r, column);

	if (!*text)
		return 0;
	*to = strdup(text);
	return *to ? 0 : wt_error_errno(r->errp, ENOMEM, "%s", r->name);
}

static void job_clear(struct wt_recorded_job *job)
{
	free(job->id);
	free(job->state);
	free(job->partition);
	free(job->account);
	free(job->user);
	free(job->qos);
}

static int row_take(struct field_reader *r, struct wt_recorded_job *job)
{
	if (text_take(r, R_ID, &job->id) < 0 || text_take(r, R_STATE, &job->state) < 0 ||
	    text_take(r, R_PARTITION, &job->partition) < 0 || text_take(r, R_ACCOUNT, &job->account) < 0 ||
	    text_take(r, R_USER, &job->user) < 0 || text_take(r, R_QOS, &job->qos) < 0 ||
	    field_number(r, R_SUBMIT, &job->submit_s) < 0 || field_number(r, R_START, &job->start_s) < 0 ||
	    (*field_text(r, R_CPUS) && field_u32(r, R_CPUS, &job->cpus) < 0))
		return -1;
	if (!job->id || !job->state || isnan(job->submit_s))
		return wt_error_set(r->errp, EINVAL, "%s:%zu: a job without id, state or submit_s", r->name, r->row.line);
	if (job->start_s < job->submit_s)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: job %.64s starts before it is submitted", r->name, r->row.line,
				    job->id);
	return 0;
}

static int rows_take(struct wt_recorded *recorded, struct field_reader *r)
{
	size_t size = 0;
	int rc;

	while ((rc = field_next(r)) > 0) {
		struct wt_recorded_job job = { 0 };

		if (recorded->count == size) {
			struct wt_recorded_job *more = reallocarray(recorded->jobs, size ? 2 * size : 256, sizeof(*more));

			if (!more)
				return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
			recorded->jobs = more;
			size = size ? 2 * size : 256;
		}
		if (row_take(r, &job) < 0) {
			job_clear(&job);
			return -1;
		}
		recorded->jobs[recorded->count++] = job;
	}
	return rc;
}

int wt_recorded_csv_read(struct wt_recorded *recorded, FILE *in, const char *name, struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	*recorded = (struct wt_recorded) { 0 };
	if (field_open(&r, in, name, columns, R_REQUIRED, R_COLUMNS, errp) < 0)
		return -1;
	rc = rows_take(recorded, &r);
	field_close(&r);
	return rc;
}

void wt_recorded_clear(struct wt_recorded *recorded)
{
	int saved_errno = errno;

	for (size_t i = 0; i < recorded->count; i++)
		job_clear(&recorded->jobs[i]);
	free(recorded->jobs);
	*recorded = (struct wt_recorded) { 0 };
	errno = saved_errno;
}
