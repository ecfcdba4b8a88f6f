/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/site/sacct_record.h"
#include "lib/str.h"
#include "workload/jobs_file.h"

#define TASKS_MAX 100000	/* of one record of an array that waits */
#define TASK_DIGITS 10

static int id_refuse(const char *job_id, struct wt_error *errp)
{
	char *line = wt_str_make_line(job_id, 40);

	wt_error_set(errp, EINVAL, "'%s' is no id of a job", line ? line : "");
	free(line);
	errno = EINVAL;
	return -1;
}

/* Up to 'digits' digits at *p, which is moved behind them. */
static bool digits_take(const char **p, unsigned long *number)
{
	size_t len = strspn(*p, "0123456789");

	if (!len || len >= TASK_DIGITS)
		return false;
	*number = strtoul(*p, NULL, 10);
	*p += len;
	return true;
}

/* "3", "3-7", "3-7:2" */
static bool range_take(const char **p, unsigned long *first, unsigned long *last, unsigned long *step)
{
	*step = 1;
	if (!digits_take(p, first))
		return false;
	*last = *first;
	if (**p != '-')
		return true;
	++*p;
	if (!digits_take(p, last) || *last < *first)
		return false;
	if (**p != ':')
		return true;
	++*p;
	return digits_take(p, step) && *step > 0;
}

/* The tasks in the brackets at 'p'. */
static int tasks_each(const char *job_id, const char *p, wt_sacct_id_fn fn, void *arg, struct wt_error *errp)
{
	int prefix = (int) (p - job_id), rc = 0;
	size_t count = 0;

	do {
		unsigned long first, last, step;

		p++;
		if (!range_take(&p, &first, &last, &step))
			return id_refuse(job_id, errp);
		for (unsigned long task = first; task <= last && rc == 0; task += step) {
			char id[WT_JOBS_ID_MAX + 1];

			if (++count > TASKS_MAX || snprintf(id, sizeof(id), "%.*s%lu", prefix, job_id, task) >=
			    (int) sizeof(id))
				return id_refuse(job_id, errp);
			rc = fn(id, arg, errp);
		}
	} while (rc == 0 && *p == ',');
	if (rc != 0)
		return rc;
	if (*p == '%')
		p += 1 + strspn(p + 1, "0123456789");
	return strcmp(p, "]") ? id_refuse(job_id, errp) : 0;
}

int wt_sacct_ids(const char *job_id, wt_sacct_id_fn fn, void *arg, struct wt_error *errp)
{
	size_t base = strspn(job_id, "0123456789");
	char id[WT_JOBS_ID_MAX + 1];

	if (!base || strlen(job_id) > 1 << 16)
		return id_refuse(job_id, errp);
	if (job_id[base] == '_' && job_id[base + 1] == '[')
		return tasks_each(job_id, job_id + base + 1, fn, arg, errp);
	if (strspn(job_id, "0123456789_+") != strlen(job_id) || strlen(job_id) > WT_JOBS_ID_MAX)
		return id_refuse(job_id, errp);
	strcpy(id, job_id);
	for (char *p = id; *p; p++)
		*p = *p == '+' ? '.' : *p;	/* a part of a heterogeneous job */
	return fn(id, arg, errp);
}
