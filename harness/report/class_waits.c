/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/class_waits.h"
#include "harness/report/size_class.h"

/* Runs of charge none with the same schedule may tell its moments some microseconds apart. */
#define SAME_S     1e-3
#define ASSERTED_P 0.05

static const char *const kinds[] = { "all", "partition", "qos", "account", "size" };
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct class_sample {
	size_t kind;
	char *value;
	size_t pair, jobs, only_first, only_here;
	double first_s, here_s;		/* means; NAN: no job started in both */
};

struct class_row {				/* of a run */
	const struct wt_job_record *job;
	const char *key;
	size_t number;
};

struct twin {				/* a job in both runs */
	const struct wt_job_record *first, *here;
	const char *value;		/* while a kind is looked at */
};

static int by_row_key(const void *a, const void *b)
{
	const struct class_row *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : x->number < y->number ? -1 : x->number > y->number;
}

/* Names need not be unique where a file gives them: equal ones are taken in their order. */
static struct class_row *rows_sorted(const struct wt_record *record)
{
	struct class_row *rows = calloc(record->job_count + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];

		rows[i] = (struct class_row) { job, job->trace_id ? job->trace_id : job->name ? job->name : "", i };
	}
	if (rows)
		qsort(rows, record->job_count, sizeof(*rows), by_row_key);
	return rows;
}

/* Into twins[], which holds as many as the smaller run has jobs.  How many. */
static size_t twins_find(const struct class_row *first, size_t first_count, const struct class_row *here, size_t here_count,
			 struct twin *twins)
{
	size_t count = 0;

	for (size_t i = 0, k = 0; i < first_count && k < here_count;) {
		int order = strcmp(first[i].key, here[k].key);

		if (order == 0)
			twins[count++] = (struct twin) { first[i++].job, here[k++].job, NULL };
		else if (order < 0)
			i++;
		else
			k++;
	}
	return count;
}

static double wait_of(const struct wt_job_record *job)
{
	double wait_s = job->start_s - wt_job_sent_s(job);

	return wait_s < 0 ? 0 : wait_s;	/* the nodes' clock may be a little before the submitter's */
}

static const char *value_of(const struct wt_job_record *job, size_t kind)
{
	const char *const values[KINDS] = { "", job->partition, job->qos, job->account, wt_size_class_name(job->cpus) };

	return values[kind] ? values[kind] : "";
}

static int by_value(const void *a, const void *b)
{
	return strcmp(((const struct twin *) a)->value, ((const struct twin *) b)->value);
}

static void sample_fill(struct class_sample *one, const struct twin *twins, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double first_s = wait_of(twins[i].first), here_s = wait_of(twins[i].here);

		one->only_first += isnan(here_s) && !isnan(first_s);
		one->only_here += isnan(first_s) && !isnan(here_s);
		if (isnan(first_s) || isnan(here_s))
			continue;
		one->jobs++;
		one->first_s += first_s;
		one->here_s += here_s;
	}
	one->first_s = one->jobs ? one->first_s / (double) one->jobs : NAN;
	one->here_s = one->jobs ? one->here_s / (double) one->jobs : NAN;
}

static int sample_add(struct class_waits *waits, size_t kind, const struct twin *twins, size_t count)
{
	struct class_sample one = { .kind = kind, .value = strdup(twins[0].value), .pair = waits->pairs };

	if (waits->sample_count == waits->sample_size) {
		size_t size = waits->sample_size ? 2 * waits->sample_size : 64;
		struct class_sample *more = reallocarray(waits->samples, size, sizeof(*more));

		if (more) {
			waits->samples = more;
			waits->sample_size = size;
		}
	}
	if (!one.value || waits->sample_count == waits->sample_size) {
		free(one.value);
		return -1;
	}
	sample_fill(&one, twins, count);
	waits->samples[waits->sample_count++] = one;
	return 0;
}

static int kind_add(struct class_waits *waits, size_t kind, struct twin *twins, size_t count)
{
	for (size_t i = 0; i < count; i++)
		twins[i].value = value_of(twins[i].first, kind);
	qsort(twins, count, sizeof(*twins), by_value);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(twins[end].value, twins[i].value);)
			end++;
		if (sample_add(waits, kind, &twins[i], end - i) < 0)
			return -1;
	}
	return 0;
}

int wt_class_waits_add(struct class_waits *waits, const struct wt_record *first, const struct wt_record *here)
{
	struct class_row *of_first = rows_sorted(first), *of_here = rows_sorted(here);
	struct twin *twins = calloc(first->job_count + 1, sizeof(*twins));
	size_t count = 0;
	int rc = of_first && of_here && twins ? 0 : -1;

	if (rc == 0)
		count = twins_find(of_first, first->job_count, of_here, here->job_count, twins);
	for (size_t k = 0; k < KINDS && rc == 0; k++)
		rc = kind_add(waits, k, twins, count);
	waits->unmatched += first->job_count + here->job_count - 2 * count;
	waits->pairs++;
	free(of_first);
	free(of_here);
	free(twins);
	if (rc < 0)
		errno = ENOMEM;
	return rc;
}

/* ---- over all pairs ------------------------------------------------------------------------------------------------ */

static int by_class(const void *a, const void *b)
{
	const struct class_sample *x = a, *y = b;
	int order;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	order = strcmp(x->value, y->value);
	return order ? order : x->pair < y->pair ? -1 : x->pair > y->pair;
}

static int item_add(struct class_waits *waits, const struct class_sample *samples, size_t count)
{
	struct class_wait *items = reallocarray(waits->items, waits->count + 1, sizeof(*items));
	struct class_wait one = { .by = kinds[samples[0].kind], .value = strdup(samples[0].value), .p_holm = NAN };
	double *first = calloc(2 * count, sizeof(*first)), *here = first ? first + count : NULL;
	struct wt_stats stats;

	if (items)
		waits->items = items;
	if (!items || !one.value || !first) {
		free(one.value);
		free(first);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		one.jobs += samples[i].jobs;
		one.only_first += samples[i].only_first;
		one.only_here += samples[i].only_here;
		first[i] = samples[i].first_s;
		here[i] = samples[i].here_s;
	}
	wt_stats_paired(&one.difference, first, here, count);
	wt_stats_compute(&stats, first, count);
	one.first_s = stats.mean;
	wt_stats_compute(&stats, here, count);
	one.here_s = stats.mean;
	free(first);
	waits->items[waits->count++] = one;
	return 0;
}

static int by_jobs(const void *a, const void *b)
{
	const struct class_wait *x = a, *y = b;

	if (x->jobs != y->jobs)
		return x->jobs < y->jobs ? 1 : -1;
	return strcmp(x->value, y->value);
}

static int by_size(const void *a, const void *b)
{
	size_t x = wt_size_class_order(((const struct class_wait *) a)->value);
	size_t y = wt_size_class_order(((const struct class_wait *) b)->value);

	return x < y ? -1 : x > y;
}

static int holm_correct(struct class_wait *items, size_t count)
{
	double *p = calloc(count, sizeof(*p));

	if (!p)
		return -1;
	for (size_t i = 0; i < count; i++)
		p[i] = wt_stats_p(&items[i].difference);
	if (wt_stats_holm(p, p, count) < 0) {
		free(p);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		items[i].p_holm = p[i];
	free(p);
	return 0;
}

/* A kind of which all jobs have the same says what "all" says. */
static int kind_finish(struct class_waits *waits, size_t kind, size_t begin)
{
	struct class_wait *items = waits->items + begin;
	size_t count = waits->count - begin;

	if (kind && count == 1) {
		free(items[0].value);
		waits->count--;
		return 0;
	}
	if (!count)
		return 0;
	qsort(items, count, sizeof(*items), strcmp(kinds[kind], "size") ? by_jobs : by_size);
	return holm_correct(items, count);
}

int wt_class_waits_finish(struct class_waits *waits)
{
	size_t at = 0;

	if (waits->sample_count)
		qsort(waits->samples, waits->sample_count, sizeof(*waits->samples), by_class);
	for (size_t k = 0; k < KINDS; k++) {
		size_t begin = waits->count;

		for (size_t end; at < waits->sample_count && waits->samples[at].kind == k; at = end) {
			for (end = at + 1; end < waits->sample_count && waits->samples[end].kind == k &&
			     !strcmp(waits->samples[end].value, waits->samples[at].value);)
				end++;
			if (item_add(waits, &waits->samples[at], end - at) < 0)
				goto failed;
		}
		if (kind_finish(waits, k, begin) < 0)
			goto failed;
	}
	return 0;
failed:
	errno = ENOMEM;
	return -1;
}

void wt_class_waits_clear(struct class_waits *waits)
{
	int saved_errno = errno;

	for (size_t i = 0; i < waits->sample_count; i++)
		free(waits->samples[i].value);
	for (size_t i = 0; i < waits->count; i++)
		free(waits->items[i].value);
	free(waits->samples);
	free(waits->items);
	*waits = (struct class_waits) { 0 };
	errno = saved_errno;
}

enum class_verdict wt_class_wait_verdict(const struct class_wait *wait)
{
	const struct wt_difference *d = &wait->difference;

	if (isnan(d->mean) || isnan(d->ci95))
		return CLASS_UNKNOWN;
	if (fabs(d->mean) + d->ci95 < SAME_S)
		return CLASS_SAME;
	if (fabs(d->mean) <= d->ci95 || fabs(d->mean) < SAME_S || !(wait->p_holm < ASSERTED_P))
		return CLASS_OPEN;
	return d->mean > 0 ? CLASS_LONGER : CLASS_SHORTER;
}

const char *wt_class_verdict_name(enum class_verdict verdict)
{
	static const char *const names[] = {
		[CLASS_UNKNOWN] = "unknown", [CLASS_OPEN] = "open", [CLASS_SAME] = "same",
		[CLASS_SHORTER] = "shorter", [CLASS_LONGER] = "longer",
	};

	return names[verdict];
}

bool wt_class_waits_differ(const struct class_waits *waits)
{
	return waits->count > 1;
}
