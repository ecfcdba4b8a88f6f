/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_jobs.h: jobs from what sacct has printed. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/sacct_record.h"
#include "lib/str.h"

struct sacct {			/* one file that is being read */
	struct wt_site_jobs *jobs;
	struct wt_sacct_rows rows;
};

static char *text_known(const char *text)
{
	bool known = *text && strcmp(text, "None assigned") && strcmp(text, "Unknown");

	return known ? wt_str_make_line(text, strlen(text) + 3) : NULL;
}

static uint32_t count_known(const char *text)
{
	uint64_t count;

	return wt_str_to_u64(text, 0, UINT32_MAX, "count", &count, NULL) == 0 ? (uint32_t) count : 0;
}

/* What sacct has a column for; its line, which may say more, comes later. */
static int columns_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	static const struct { enum wt_sacct_field field; const char *key; } columns[] = {
		{ WT_SACCT_NAME, "name" }, { WT_SACCT_ACCOUNT, "account" }, { WT_SACCT_QOS, "qos" },
		{ WT_SACCT_PARTITION, "partition" }, { WT_SACCT_CONSTRAINTS, "constraint" },
		{ WT_SACCT_RESERVATION, "reservation" }, { WT_SACCT_LICENSES, "licenses" },
	};
	const char *wckey = wt_sacct_get(r->rows, WT_SACCT_WCKEY);
	int rc = 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]) && rc == 0; i++)
		rc = wt_site_job_text(r->jobs, r->job, columns[i].key, wt_sacct_get(r->rows, columns[i].field), errp);
	/* A star before it: the user's default, which nobody asked for. */
	if (rc == 0 && *wckey != '*')
		rc = wt_site_job_text(r->jobs, r->job, "wckey", wckey, errp);
	if (rc == 0)
		rc = wt_site_job_user(r->jobs, r->job, wt_sacct_get(r->rows, WT_SACCT_USER),
				      wt_sacct_get(r->rows, WT_SACCT_GROUP), errp);
	r->job->nodes = text_known(wt_sacct_get(r->rows, WT_SACCT_NODE_LIST));
	r->job->partition = text_known(wt_sacct_get(r->rows, WT_SACCT_PARTITION));
	r->job->node_count = count_known(wt_sacct_get(r->rows, WT_SACCT_ALLOC_NODES));
	r->job->cpus = count_known(wt_sacct_get(r->rows, WT_SACCT_ALLOC_CPUS));
	r->job->billing = fmax(0, wt_sacct_tres(wt_sacct_get(r->rows, WT_SACCT_ALLOC_TRES), "billing"));
	return rc;
}

/* "1-100%4"; of what is no number nothing is known. */
static int throttle_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	const char *array = r->options.value[WT_OPTION_ARRAY], *sign = array ? strchr(array, '%') : NULL;
	uint64_t at_once;

	if (!sign)
		return 0;
	if (wt_str_to_u64(sign + 1, 0, UINT32_MAX, "throttle", &at_once, NULL) < 0)
		return wt_reason_count(r->jobs->unknown, WT_REASON_VALUE " the throttle of an array (%)", errp);
	r->job->throttle = (uint32_t) at_once;	/* 0 is none, as for Slurm */
	return 0;
}

/* Options of its line; a list of partitions stands only there. */
static int line_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	const char *wckey = r->options.value[WT_OPTION_WCKEY], *list = r->options.value[WT_OPTION_PARTITION];
	int rc;

	if (strchr(r->job->job.id, '.') &&
	    wt_reason_count(r->jobs->unknown, "a component of a heterogeneous job, which is replayed as a job of its own",
			    errp) < 0)
		return -1;
	if (!r->has_line)
		return wt_reason_count(r->jobs->unknown, "its submit line, which alone tells layouts, dependencies, nice "
				       "and the like", errp);
	r->options.value[WT_OPTION_WCKEY] = NULL;
	rc = wt_job_options_ask(&r->options, r->job->job.ask, r->jobs->unknown, errp);
	if (rc == 0 && wckey)
		rc = wt_site_job_text(r->jobs, r->job, "wckey", wckey, errp);
	if (rc == 0 && list && strchr(list, ','))
		rc = wt_site_job_text(r->jobs, r->job, "partition", list, errp);
	return rc == 0 ? throttle_take(r, errp) : rc;
}

/* Of a heterogeneous job: which of its parts, "7.2", this is; 0: the first, or of another job. */
static unsigned int component_of(const char *id)
{
	const char *point = strchr(id, '.');

	return point ? (unsigned int) strtoul(point + 1, NULL, 10) : 0;
}

/* Its options.  The name, which the line has without its quotes, is known, and taken out if it has blanks: what follows it
 * would else look like what is run.  As wt_job_options_line (). */
static int options_read(struct wt_sacct_record *r)
{
	const char *line = wt_sacct_get(r->rows, WT_SACCT_SUBMIT_LINE), *name = wt_sacct_get(r->rows, WT_SACCT_NAME);
	const char *at = strpbrk(name, " \t\n") ? strstr(line, name) : NULL;
	unsigned int component = component_of(r->job->job.id);
	char *without;
	int rc;

	if (!at || at < line + 3 || (strncmp(at - 3, "-J ", 3) && at[-1] != '='))
		return wt_job_options_line(&r->options, line, component);
	without = wt_str_format("%.*sname%s", (int) (at - line), line, at + strlen(name));
	rc = without ? wt_job_options_line(&r->options, without, component) : -1;
	free(without);
	return rc;
}

/* The job 'id' of the record; EINVAL: it cannot be taken over. */
static int job_make(struct wt_sacct_record *r, struct wt_error *errp)
{
	int line = options_read(r), rc = -1;

	r->has_line = line == 0;
	r->job->line = r->rows->line;
	if (line < 0)
		wt_error_errno(errp, ENOMEM, "jobs");
	else if (wt_sacct_times(r, errp) == 0 && columns_take(r, errp) == 0 && line_take(r, errp) == 0 &&
		 wt_sacct_size(r, errp) == 0 && wt_sacct_end(r, errp) == 0)
		rc = wt_site_job_check(r->job, errp);
	wt_job_options_clear(&r->options);
	return rc;
}

static int id_take(const char *id, void *arg, struct wt_error *errp)
{
	struct sacct *s = arg;
	struct wt_sacct_record r = { .jobs = s->jobs, .rows = &s->rows };
	struct wt_error why = { "" };
	struct wt_site_counts counts;
	int rc, errnum;

	if (wt_site_jobs_begin(s->jobs, &counts, errp) < 0)
		return -1;
	r.job = wt_site_jobs_add(s->jobs, id, &why);
	rc = r.job ? job_make(&r, &why) : -1;
	errnum = errno;
	if (r.job && rc < 0)
		wt_site_jobs_drop_last(s->jobs);
	if (wt_site_jobs_end(s->jobs, &counts, rc == 0, errp) < 0)
		return -1;
	if (rc == 0)
		return 0;
	return errnum == EINVAL ? wt_reason_count(s->jobs->left_out, why.text, errp) :
	       wt_error_set(errp, errnum, "%s", why.text);
}

/* What wt_sacct_ids () has told of a record besides its ids. */
static int ids_told(struct sacct *s, int told, struct wt_error *errp)
{
	if (told == WT_SACCT_IDS_CUT)
		return wt_reason_count(s->jobs->unknown, "tasks of an array, whose list sacct has cut (SLURM_BITSTR_LEN=0 "
				       "has it whole)", errp);
	return told == WT_SACCT_IDS_BEYOND ?
	       wt_reason_count(s->jobs->left_out, "tasks of an array beyond the MaxArraySize of slurm.conf", errp) : 0;
}

static int record_take(struct sacct *s, struct wt_error *errp)
{
	const char *id = wt_sacct_get(&s->rows, WT_SACCT_JOB_ID);
	struct wt_error bad;
	int told;

	s->jobs->read++;
	if (id[strcspn(id, "[.")] == '.')
		return wt_reason_count(s->jobs->left_out, "steps (sacct -X leaves them out)", errp);
	told = wt_sacct_ids(id, s->jobs->array_max, id_take, s, &bad);
	if (told >= 0)
		return ids_told(s, told, errp);
	if (errno != EINVAL)
		return wt_error_set(errp, errno, "%s", bad.text);
	wt_error_prefix(&bad, "%s:%zu", s->rows.name, s->rows.line);
	errno = EINVAL;
	return wt_site_jobs_bad(s->jobs, &bad, errp);
}

int wt_site_jobs_sacct(struct wt_site_jobs *jobs, FILE *in, const char *name, struct wt_error *errp)
{
	struct sacct s = { .jobs = jobs };
	struct wt_error bad;
	int rc = wt_sacct_rows_open(&s.rows, in, name, errp), next = 1;

	while (rc == 0 && next) {
		next = wt_sacct_rows_next(&s.rows, &bad);
		if (next > 0) {
			rc = record_take(&s, errp);
		} else if (next < 0) {
			jobs->read++;
			rc = errno == EINVAL ? wt_site_jobs_bad(jobs, &bad, errp) :
			     wt_error_set(errp, errno, "%s", bad.text);
		}
	}
	wt_sacct_rows_clear(&s.rows);
	return rc;
}
