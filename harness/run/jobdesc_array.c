/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/jobdesc_array.h"
#include "lib/str.h"
#include "record/job_env.h"
#include "straggler/protocol/jobs_env.h"

/* In place of the one that wt_jobdesc_fill () has made. */
static int run_times_fill(struct wt_jobdesc *d, const struct wt_job *first)
{
	size_t size;
	FILE *out = open_memstream(&d->run_times, &size);

	if (!out)
		return -1;
	for (uint32_t i = 0; i < first->array_tasks; i++) {
		const struct wt_job *task = &first[i];

		fprintf(out, i ? " %.6f" : WT_JOB_ENV_RUN_TIME "=%.6f", task->run_time_s);
		if (task->near)
			fprintf(out, "+%.6f@%s", task->away_s, task->near);
	}
	if (fclose(out) || !d->run_times)
		return -1;
	for (uint32_t i = 0; i < d->msg.env_size; i++)
		if (d->env[i] == d->run_time)
			d->env[i] = d->run_times;
	return 0;
}

int wt_jobdesc_array_fill(struct wt_jobdesc *d, const struct wt_jobdesc_array *a)
{
	int len = (int) wt_job_array_name_len(a->first);

	d->array_name = wt_str_format("%.*s", len, a->first->name);
	d->comment = wt_str_format("%s %.*s", a->tag, len, a->first->name);
	if (a->only >= 0)
		d->tasks = wt_str_format("%lld", (long long) a->only);
	else if (a->slots)
		d->tasks = wt_str_format("0-%u%%%u", a->first->array_tasks - 1, a->slots);
	else
		d->tasks = wt_str_format("0-%u", a->first->array_tasks - 1);
	if (a->speculate)
		d->spank_env[0] = wt_str_format(JOBS_POLICY "=%s", a->speculate);
	if (!d->array_name || !d->comment || !d->tasks || (a->speculate && !d->spank_env[0]) ||
	    run_times_fill(d, a->first) < 0)
		return -1;
	d->msg.name = d->array_name;
	d->msg.comment = d->comment;
	d->msg.array_inx = d->tasks;
	d->msg.spank_job_env = a->speculate ? d->spank_env : NULL;
	d->msg.spank_job_env_size = a->speculate ? 1 : 0;
	return 0;
}
