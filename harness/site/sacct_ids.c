/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "harness/site/sacct_record.h"
#include "lib/str.h"
#include "workload/jobs_file.h"

#define TASKS_MAX 4000001u	/* the greatest MaxArraySize of Slurm */
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

struct tasks {			/* those in the brackets of one id */
	const char *job_id;
	int prefix;		/* bytes of 'job_id' before the brackets */
	uint32_t max;		/* no task has this number, or one above */
	size_t count;
	wt_sacct_id_fn fn;
	void *arg;
};

/* 0; an enum wt_sacct_ids_told; -1. */
static int range_each(struct tasks *t, unsigned long first, unsigned long last, unsigned long step, struct wt_error *errp)
{
	int rc = 0;

	for (unsigned long task = first; task <= last && rc == 0; task += step) {
		char id[WT_JOBS_ID_MAX + 1];

		if (task >= t->max || t->count++ >= t->max)
			return WT_SACCT_IDS_BEYOND;
		if (snprintf(id, sizeof(id), "%.*s%lu", t->prefix, t->job_id, task) >= (int) sizeof(id))
			return id_refuse(t->job_id, errp);
		rc = t->fn(id, t->arg, errp);
	}
	return rc;
}

/* sacct puts the points over whatever stands there: "2..." may have been 2, 27 or 2-9. */
static bool is_cut(const char *p)
{
	p += strspn(p, "0123456789-:");
	return !strncmp(p, "...", 3);
}

/* What may stand behind the tasks. */
static int list_end(const struct tasks *t, const char *p, int told, struct wt_error *errp)
{
	if (*p == '%')
		p += 1 + strspn(p + 1, "0123456789");
	return strcmp(p, "]") ? id_refuse(t->job_id, errp) : told;
}

/* The tasks in the brackets at 'p'. */
static int tasks_each(struct tasks *t, const char *p, struct wt_error *errp)
{
	int rc = 0;

	do {
		unsigned long first, last, step;

		p++;
		if (is_cut(p))
			return list_end(t, strchr(p, '.') + 3, WT_SACCT_IDS_CUT, errp);
		if (!range_take(&p, &first, &last, &step))
			return id_refuse(t->job_id, errp);
		rc = range_each(t, first, last, step, errp);
	} while (rc == 0 && *p == ',');
	return rc ? rc : list_end(t, p, WT_SACCT_IDS_ALL, errp);
}

int wt_sacct_ids(const char *job_id, uint32_t array_max, wt_sacct_id_fn fn, void *arg, struct wt_error *errp)
{
	size_t base = strspn(job_id, "0123456789");
	struct tasks tasks = {
		.job_id = job_id, .prefix = (int) base + 1, .max = array_max < TASKS_MAX ? array_max : TASKS_MAX,
		.fn = fn, .arg = arg,
	};
	char id[WT_JOBS_ID_MAX + 1];

	if (!base || strlen(job_id) > WT_SACCT_RECORD_MAX)
		return id_refuse(job_id, errp);
	if (job_id[base] == '_' && job_id[base + 1] == '[')
		return tasks_each(&tasks, job_id + base + 1, errp);
	if (strspn(job_id, "0123456789_+") != strlen(job_id) || strlen(job_id) > WT_JOBS_ID_MAX)
		return id_refuse(job_id, errp);
	strcpy(id, job_id);
	for (char *p = id; *p; p++)
		*p = *p == '+' ? '.' : *p;	/* a part of a heterogeneous job */
	return fn(id, arg, errp);
}
