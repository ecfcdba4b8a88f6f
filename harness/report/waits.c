/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/size_class.h"
#include "harness/report/waits.h"

#define SHIFT_S 60	/* less is a busy slurmctld, and no other place in the trace */

struct wait_pair {
	const struct wt_recorded_job *recorded;
	size_t run;			/* from 0 */
	double shift_s;			/* from the recorded submission to that of the run */
	double recorded_s, replayed_s;
	uint32_t cpus;
	const char *key;		/* while a group is made */
};

static const char *key_of(const struct wait_pair *pair, const char *by)
{
	const struct wt_recorded_job *job = pair->recorded;
	const char *key = !strcmp(by, "partition") ? job->partition : !strcmp(by, "qos") ? job->qos :
		!strcmp(by, "account") ? job->account : !strcmp(by, "size") ? wt_size_class_name(pair->cpus) : "";

	return key ? key : "";
}

/* id -> number of the recorded job, from 0; NULL with *errp. */
static json_t *index_make(const struct wt_recorded *recorded, struct wt_error *errp)
{
	json_t *index = json_object();
	bool failed = !index;

	for (size_t i = 0; i < recorded->count && !failed; i++) {
		const char *id = recorded->jobs[i].id;

		if (json_object_get(index, id)) {
			wt_error_set(errp, EINVAL, "recorded.csv: job %.64s stands there twice", id);
			json_decref(index);
			return NULL;
		}
		failed = json_object_set_new_nocheck(index, id, json_integer((json_int_t) i)) < 0;
	}
	if (!failed)
		return index;
	json_decref(index);
	wt_error_errno(errp, ENOMEM, "waits");
	return NULL;
}

static int pair_add(struct waits *waits, const struct wt_recorded_job *recorded, const struct wt_job_record *job,
		    struct wt_error *errp)
{
	struct wait_pair pair = {
		.recorded = recorded, .run = waits->runs, .recorded_s = recorded->start_s - recorded->submit_s,
		.replayed_s = job->start_s - wt_job_sent_s(job), .shift_s = wt_job_sent_s(job) - recorded->submit_s,
		.cpus = recorded->cpus ? recorded->cpus : job->cpus,
	};

	if (waits->pair_count == waits->pair_size) {
		size_t size = waits->pair_size ? 2 * waits->pair_size : 256;
		struct wait_pair *more = reallocarray(waits->pairs, size, sizeof(*more));

		if (!more)
			return wt_error_errno(errp, ENOMEM, "waits");
		waits->pairs = more;
		waits->pair_size = size;
	}
	/* The nodes' clock may be a little before the submitter's. */
	pair.replayed_s = pair.replayed_s < 0 ? 0 : pair.replayed_s;
	waits->pairs[waits->pair_count++] = pair;
	waits->count.compared++;
	waits->count.same_end += !strcmp(recorded->state, wt_job_state_name(job->state));
	return 0;
}

static int job_add(struct waits *waits, const struct wt_job_record *job, const struct wt_recorded *recorded, json_t *index,
		   bool *seen, struct wt_error *errp)
{
	const json_t *number = job->trace_id ? json_object_get(index, job->trace_id) : NULL;
	const struct wt_recorded_job *known;

	if (!number) {
		waits->count.not_recorded++;
		return 0;
	}
	known = &recorded->jobs[json_integer_value(number)];
	if (seen[known - recorded->jobs])
		return wt_error_set(errp, EINVAL, "jobs.csv: job %.64s stands there twice", job->trace_id);
	seen[known - recorded->jobs] = true;
	if (isnan(known->start_s))
		waits->count.not_started++;
	else if (isnan(job->start_s) || isnan(wt_job_sent_s(job)))
		waits->count.not_started_in_run++;
	else
		return pair_add(waits, known, job, errp);
	return 0;
}

static int by_shift(const void *a, const void *b)
{
	double x = ((const struct wait_pair *) a)->shift_s, y = ((const struct wait_pair *) b)->shift_s;

	return (x > y) - (x < y);
}

/* Ids are often small numbers, which jobs of other traces have, too: those of this one were all submitted equally long
 * after the recorded time. */
static int trace_check(struct wait_pair *pairs, size_t count, struct wt_error *errp)
{
	size_t others = 0;
	double middle_s;

	qsort(pairs, count, sizeof(*pairs), by_shift);
	middle_s = pairs[count / 2].shift_s;
	for (size_t i = 0; i < count; i++)
		others += fabs(pairs[i].shift_s - middle_s) > SHIFT_S;
	if (others > count / 2)
		return wt_error_set(errp, EINVAL, "the run's jobs were not submitted as the site recorded it: of %zu that "
				    "have the same ids, %zu are more than %d s off: is it of another trace?", count, others,
				    SHIFT_S);
	return 0;
}

int wt_waits_add(struct waits *waits, const struct wt_record *run, const struct wt_recorded *recorded, struct wt_error *errp)
{
	size_t first = waits->pair_count;
	json_t *index = index_make(recorded, errp);
	bool *seen = calloc(recorded->count + 1, sizeof(*seen));
	int rc = !index ? -1 : seen ? 0 : wt_error_errno(errp, ENOMEM, "waits");

	for (size_t i = 0; rc == 0 && i < run->job_count; i++)
		rc = job_add(waits, &run->jobs[i], recorded, index, seen, errp);
	if (rc == 0 && waits->pair_count > first)
		rc = trace_check(waits->pairs + first, waits->pair_count - first, errp);
	for (size_t i = 0; rc == 0 && i < recorded->count; i++)
		waits->count.not_in_run += !seen[i];
	waits->runs++;
	free(seen);
	json_decref(index);
	return rc;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct wait_pair *) a)->key, ((const struct wait_pair *) b)->key);
}

/* The mean difference of each run that has such jobs, and the interval over them. */
static int runs_compare(const struct wait_pair *pairs, size_t count, size_t runs, struct waits_group *group)
{
	double *sums = calloc(2 * runs, sizeof(*sums)), *counts;
	struct wt_stats s;

	if (!sums)
		return -1;
	counts = sums + runs;
	for (size_t i = 0; i < count; i++) {
		sums[pairs[i].run] += pairs[i].replayed_s - pairs[i].recorded_s;
		counts[pairs[i].run]++;
	}
	for (size_t i = 0; i < runs; i++)
		sums[i] = counts[i] > 0 ? sums[i] / counts[i] : NAN;
	wt_stats_compute(&s, sums, runs);
	group->difference_s = s.mean;
	group->ci95_s = s.ci95;
	free(sums);
	return 0;
}

static int group_compute(const struct wait_pair *pairs, size_t count, size_t runs, struct waits_group *group)
{
	double *recorded = calloc(2 * count, sizeof(*recorded)), *replayed;
	struct wt_difference d;
	int rc = 0;

	if (!recorded)
		return -1;
	replayed = recorded + count;
	for (size_t i = 0; i < count; i++) {
		recorded[i] = pairs[i].recorded_s;
		replayed[i] = pairs[i].replayed_s;
	}
	group->jobs = count;
	wt_stats_paired(&d, recorded, replayed, count);
	group->difference_s = d.mean;
	group->ci95_s = d.ci95;
	if (runs > 1)
		rc = runs_compare(pairs, count, runs, group);
	wt_stats_compute(&group->recorded, recorded, count);
	wt_stats_compute(&group->replayed, replayed, count);
	group->percent = group->recorded.mean > 0 ? 100 * group->difference_s / group->recorded.mean : NAN;
	free(recorded);
	return rc;
}

static int group_add(struct waits *waits, const char *by, const struct wait_pair *pairs, size_t count)
{
	struct waits_group *more = reallocarray(waits->groups, waits->group_count + 1, sizeof(*more));
	struct waits_group group = { .by = by, .value = strdup(pairs[0].key) };

	if (more)
		waits->groups = more;
	if (!more || !group.value || group_compute(pairs, count, waits->runs, &group) < 0) {
		free(group.value);
		return -1;
	}
	waits->groups[waits->group_count++] = group;
	return 0;
}

static int by_jobs(const void *a, const void *b)
{
	const struct waits_group *x = a, *y = b;

	if (x->jobs != y->jobs)
		return x->jobs < y->jobs ? 1 : -1;
	return strcmp(x->value, y->value);
}

static int by_size(const void *a, const void *b)
{
	size_t i = wt_size_class_order(((const struct waits_group *) a)->value);
	size_t k = wt_size_class_order(((const struct waits_group *) b)->value);

	return i < k ? -1 : i > k;
}

static int groups_make(struct waits *waits, const char *by)
{
	size_t first = waits->group_count;

	for (size_t i = 0; i < waits->pair_count; i++)
		waits->pairs[i].key = key_of(&waits->pairs[i], by);
	qsort(waits->pairs, waits->pair_count, sizeof(*waits->pairs), by_key);
	for (size_t i = 0, end; i < waits->pair_count; i = end) {
		for (end = i + 1; end < waits->pair_count && !strcmp(waits->pairs[end].key, waits->pairs[i].key);)
			end++;
		if (group_add(waits, by, &waits->pairs[i], end - i) < 0)
			return -1;
	}
	qsort(waits->groups + first, waits->group_count - first, sizeof(*waits->groups),
	      strcmp(by, "size") ? by_jobs : by_size);
	return 0;
}

int wt_waits_finish(struct waits *waits, struct wt_error *errp)
{
	static const char *const dimensions[] = { "all", "partition", "qos", "account", "size" };

	if (!waits->pair_count)
		return wt_error_set(errp, EINVAL, "no job of the run has a wait that the site recorded");
	for (size_t i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++)
		if (groups_make(waits, dimensions[i]) < 0)
			return wt_error_errno(errp, ENOMEM, "waits");
	return 0;
}

void wt_waits_clear(struct waits *waits)
{
	int saved_errno = errno;

	for (size_t i = 0; i < waits->group_count; i++)
		free(waits->groups[i].value);
	free(waits->groups);
	free(waits->pairs);
	*waits = (struct waits) { 0 };
	errno = saved_errno;
}
