/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/page/page.h"
#include "harness/page/read_file.h"
#include "record/jobs_csv.h"
#include "record/series.h"
#include "harness/report/run_advice.h"
#include "harness/report/summary.h"
#include "lib/fs.h"
#include "lib/json.h"

#define CONF_MAX (16u << 20)	/* bytes of a slurm.conf */

const char *page_size_name(enum page_size size)
{
	static const char *const names[] = {
		"at most 1/1000 of the CPUs", "at most 1/100 of the CPUs", "at most 1/32 of the CPUs",
			"at most 1/8 of the CPUs",
		"at most 1/2 of the CPUs", "more than 1/2 of the CPUs", "(nearly) the whole machine", "of unknown size",
	};

	return names[size];
}

enum page_size page_size_of(uint32_t cpus, uint32_t machine_cpus)
{
	static const double limits[PAGE_SIZE_WHOLE] = { 1 / 1000.0, 1 / 100.0, 1 / 32.0, 1 / 8.0, 1 / 2.0, 0.9 };
	double share = machine_cpus ? (double) cpus / machine_cpus : NAN;
	int size;

	if (isnan(share))
		return PAGE_SIZE_UNKNOWN;
	if (share >= 0.9)
		return PAGE_SIZE_WHOLE;
	for (size = 0; size < PAGE_SIZE_LARGE && share > limits[size]; size++)
		;
	return (enum page_size) size;
}

const char *page_group_name(enum page_group group)
{
	static const char *const names[] = { "class", "partition", "account", "user", "QOS", "reason" };

	return names[group];
}

/* ---- words: each value of a column once --------------------------------------------------------------------------- */

struct word {
	const char *text;	/* first: what words are compared by */
	uint32_t index;
};

static int word_compare(const void *a, const void *b)
{
	return strcmp(((const struct word *) a)->text, ((const struct word *) b)->text);
}

/* A million jobs have some hundred users: each text once, found by a tree, and a number at the job. */
static struct word *word_add(void **tree, struct page_words *words, const char *text)
{
	struct word *word = malloc(sizeof(*word));
	char *copy = strdup(text);
	char **more;

	if (!word || !copy)
		goto no_memory;
	if ((words->count & (words->count - 1)) == 0) {	/* it grows at 0, 1, 2, 4, ... */
		more = reallocarray(words->words, words->count ? 2 * words->count : 1, sizeof(*more));
		if (!more)
			goto no_memory;
		words->words = more;
	}
	*word = (struct word) { copy, (uint32_t) words->count };
	if (!tsearch(word, tree, word_compare))
		goto no_memory;
	words->words[words->count++] = copy;
	return word;
no_memory:
	free(copy);
	free(word);
	return NULL;
}

static int word_find(void **tree, struct page_words *words, const char *text, uint32_t *index)
{
	const struct word key = { text, 0 };
	struct word *const *found = tfind(&key, tree, word_compare);
	const struct word *word;

	*index = PAGE_NO_GROUP;
	if (!*text)
		return 0;
	word = found ? *found : word_add(tree, words, text);
	if (!word)
		return -1;
	*index = word->index;
	return 0;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static FILE *file_open(const struct page_run *run, const char *name, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", run->path, name);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;

	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", name);
	free(path);
	return in;
}

static void note(struct page_run *run, const char *text)
{
	wt_str_printf(&run->notes, "%s\n", text);
}

static json_t *json_read(struct page_run *run, const char *name, bool *there)
{
	char *path = wt_str_format("%s/%s", run->path, name);
	struct wt_error error;
	json_t *json = path ? wt_json_load(path, &error) : NULL;

	*there = json || errno != ENOENT;
	if (!json && path)
		note(run, *there ? error.text : name[0] == 's' && name[1] == 'u' ?
		     "summary.json is missing: the run did not end, or its folder was not copied whole" :
		     "scenario.json is missing: how the run was made is not known");
	free(path);
	return json;
}

typedef int (*read_fn)(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

/* What was read before a damaged line stays. */
static bool table_read(struct page_run *run, const char *name, read_fn fn)
{
	size_t rows = run->record->job_count + run->record->sample_count;
	struct wt_error error;
	FILE *in = file_open(run, name, &error);

	if (!in) {
		note(run, error.text);
	} else {
		if (fn(run->record, in, name, &error) < 0) {
			wt_error_prefix(&error, "read up to a damaged line");
			note(run, error.text);
		} else if (rows == run->record->job_count + run->record->sample_count) {
			wt_str_printf(&run->notes, "%s has its header only\n", name);
		}
		fclose(in);
	}
	return in != NULL;
}

/* What groups are made of, in their order. */
static const char *group_text(const struct wt_job_record *job, size_t group)
{
	const char *const texts[PAGE_GROUP_COUNT] = {
		[PAGE_GROUP_CLASS] = job->class_name, [PAGE_GROUP_PARTITION] = job->partition,
		[PAGE_GROUP_ACCOUNT] = job->account, [PAGE_GROUP_USER] = job->user,
		[PAGE_GROUP_QOS] = job->qos, [PAGE_GROUP_REASON] = job->pending_reason,
	};

	return texts[group] ? texts[group] : "";
}

static int groups_make(struct page_run *run)
{
	int rc = 0;

	for (size_t g = 0; rc == 0 && g < PAGE_GROUP_COUNT; g++) {
		void *tree = NULL;

		for (size_t i = 0; rc == 0 && i < run->job_count; i++)
			rc = word_find(&tree, &run->groups[g], group_text(&run->record->jobs[i], g), &run->jobs[i].group[g]);
		tdestroy(tree, free);
	}
	return rc;
}

static void conf_read(struct page_run *run)
{
	char *path = wt_str_format("%s/slurm.conf", run->path), *text = NULL;

	if (path && wt_fs_read_regular(path, CONF_MAX, &text, NULL, NULL) == 0) {
		run->scheduler = run_conf_value(text, "SchedulerType");
		run->select = run_conf_value(text, "SelectType");
	}
	free(text);
	free(path);
}

/* ---- what is made of them ----------------------------------------------------------------------------------------- */

static void job_derive(struct page_job *job, const struct wt_job_record *record, const struct wt_record *run)
{
	*job = (struct page_job){
		.id = record->job_id,
		.record = record,
		.sent_s = wt_job_sent_s(record) - run->begin_s,
		.submit_s = record->submit_s - run->begin_s,
		.start_s = record->start_s - run->begin_s,
		.end_s = record->end_s - run->begin_s,
		.release_s = record->release_s - run->begin_s,
		.cpus = record->alloc_cpus ? record->alloc_cpus : record->cpus,
	};
	/* By what was asked for: what a job got in whole nodes says more of the nodes than of the job. */
	job->size = page_size_of(record->cpus ? record->cpus : job->cpus, run->cpus);
	for (size_t g = 0; g < PAGE_GROUP_COUNT; g++)
		job->group[g] = PAGE_NO_GROUP;
}

static void later(double *period_s, double time_s)
{
	if (isfinite(time_s) && time_s > *period_s)
		*period_s = time_s;
}

/* No run lasts so long: a time farther from its begin is a fault of the file, which would leave nothing to be seen of all
 * others on an axis; as an answer's latency it would make sums infinite. */
#define FAR_S (100 * 365.25 * 86400)

static size_t far_drop(double *value_s, double begin_s)
{
	if (!(fabs(*value_s - begin_s) > FAR_S))
		return 0;
	*value_s = NAN;
	return 1;
}

static void far_times_drop(struct page_run *run)
{
	size_t far = 0, far_spans = 0;

	for (size_t i = 0; i < run->record->job_count; i++) {
		struct wt_job_record *job = &run->record->jobs[i];
		double *times[] = { &job->submit_s, &job->start_s, &job->end_s, &job->release_s };
		double *spans[] = { &job->submit_latency_s, &job->probe_latency_s, &job->run_time_s, &job->time_limit_s };

		for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++)
			far += far_drop(times[k], run->record->begin_s);
		for (size_t k = 0; k < sizeof(spans) / sizeof(spans[0]); k++)
			far_spans += far_drop(spans[k], 0);
	}
	if (far)
		wt_str_printf(&run->notes,
			      "%zu times of jobs are more than a hundred years from the run's begin, and taken as "
			      "not known\n",
			      far);
	if (far_spans)
		wt_str_printf(&run->notes,
			      "%zu latencies, run times and limits of jobs are over a hundred years, and taken as not "
			      "known\n",
			      far_spans);
}

static int jobs_derive(struct page_run *run)
{
	const struct wt_record *record = run->record;

	far_times_drop(run);
	run->jobs = calloc(record->job_count ? record->job_count : 1, sizeof(*run->jobs));
	if (!run->jobs)
		return -1;
	run->job_count = record->job_count;
	run->period_s = 1;
	for (size_t i = 0; i < run->job_count; i++) {
		struct page_job *job = &run->jobs[i];

		job_derive(job, &record->jobs[i], record);
		later(&run->period_s, job->submit_s);
		later(&run->period_s, job->start_s);
		later(&run->period_s, job->end_s);
		later(&run->period_s, job->release_s);
	}
	if (!run->job_count && record->sample_count)
		later(&run->period_s, record->samples[record->sample_count - 1].time_s - record->begin_s);
	return 0;
}

static void summary_figure(struct page_run *run, size_t figure)
{
	const char *key = wt_figure_infos[figure].key;
	const char *kind = json_string_value(json_object_get(json_object_get(run->summary, "kinds"), key));
	struct wt_figure *to = &run->metrics.figures[figure];

	*to = (struct wt_figure) { NAN, WT_KIND_REAL };
	if (json_is_number(json_object_get(run->summary, key)))
		to->value = json_number_value(json_object_get(run->summary, key));
	for (int k = WT_KIND_REAL; kind && k <= WT_KIND_MODELLED; k++)
		if (!strcmp(kind, wt_kind_name((enum wt_kind) k)))
			to->kind = (enum wt_kind) k;
}

static size_t summary_count(const json_t *summary, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(summary, key));

	return value > 0 ? (size_t) value : 0;
}

static int metrics_get(struct page_run *run, struct wt_error *errp)
{
	struct wt_metrics *m = &run->metrics;

	run->metrics_recomputed = !run->summary;
	if (!run->summary)
		return wt_metrics_compute(m, run->record, errp);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		summary_figure(run, f);
	m->jobs_total = summary_count(run->summary, "jobs_total");
	m->jobs_submitted = summary_count(run->summary, "jobs_submitted");
	m->jobs_completed = summary_count(run->summary, "jobs_completed");
	m->jobs_missing = summary_count(run->summary, "jobs_missing");
	m->probes_failed = summary_count(run->summary, "probes_failed");
	m->events_malformed = summary_count(run->summary, "events_malformed");
	m->slowdown_threshold_s = json_number_value(json_object_get(run->summary, "bounded_slowdown_threshold_s"));
	return 0;
}

/* A copy that ended between two lines looks whole. */
static void jobs_compare(struct page_run *run)
{
	run->jobs_cut = run->summary && !run->single_file && run->job_count < run->metrics.jobs_total;
	if (run->jobs_cut)
		wt_str_printf(&run->notes, "jobs.csv tells of %zu jobs, summary.json of %zu: figures are "
			      "those of summary.json, and charts and tables of jobs are of the jobs that are there\n",
			      run->job_count, run->metrics.jobs_total);
}

/* summary.json may be JSON and still not be a summary. */
static void head_read(struct page_run *run, bool *there)
{
	struct wt_error error;
	FILE *in;

	run->summary = json_read(run, "summary.json", there);
	if (run->summary) {
		in = file_open(run, "summary.json", &error);
		if (!in || wt_summary_read(run->record, in, "summary.json", &error) < 0)
			note(run, error.text);
		if (in)
			fclose(in);
	}
	if (!isfinite(run->record->begin_s))
		run->record->begin_s = 0;	/* the tables' times are relative already */
	/* A run writes its summary last: without one it did not come to its end. */
	run->interrupted = !run->summary || json_is_true(json_object_get(run->summary, "interrupted"));
}

static int names_make(struct page_run *run, const char *path, size_t number)
{
	char *whole = realpath(path, NULL);
	char *copy = strdup(whole ? whole : path);

	run->path = strdup(path);
	run->id = wt_str_format("run%zu", number);
	run->name = copy ? strdup(basename(copy)) : NULL;
	free(copy);
	free(whole);
	return run->path && run->id && run->name ? 0 : -1;
}

/* Most runs have none. */
static void events_read(struct page_run *run, const char *name)
{
	struct wt_error error;
	FILE *in = file_open(run, name, &error);

	if (!in) {
		if (errno != ENOENT)
			note(run, error.text);
		return;
	}
	if (page_events_read(run, in, name, &error) < 0) {
		wt_error_prefix(&error, "read up to a damaged line");
		note(run, error.text);
	}
	fclose(in);
}

static int folder_read(struct page_run *run, struct wt_error *errp)
{
	bool summary = false, scenario = false, jobs, series;

	head_read(run, &summary);
	run->scenario = json_read(run, "scenario.json", &scenario);
	conf_read(run);
	jobs = table_read(run, "jobs.csv", wt_jobs_csv_read);
	series = table_read(run, "series.csv", wt_series_read);
	events_read(run, "world.csv");
	events_read(run, "hosts.csv");
	if (!summary && !scenario && !jobs && !series)
		return wt_error_set(errp, ENOENT,
				    "%s: is no run folder: it has none of summary.json, scenario.json, jobs.csv and "
				    "series.csv",
				    run->path);
	return 0;
}

/* Only the program that made the file knows how its figures came about. */
static int file_read(struct page_run *run, struct wt_error *errp)
{
	run->single_file = true;
	run->heartbeats_only = page_file_heartbeats(run->path);
	if (run->heartbeats_only) {
		run->record->begin_s = 0;
		note(run, "a log of heartbeats tells nothing of other jobs, of the cluster and of the controller");
		return page_heartbeats_check(run->path, errp);
	}
	return page_file_read(run->record, run->path, &run->notes, errp);
}

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* A name that leads nowhere is left to those who look for what there should be. */
static int path_check(const char *path, struct wt_error *errp)
{
	struct stat st;

	if (stat(path, &st) < 0 ? errno == ENOENT || errno == ENOTDIR : !S_ISDIR(st.st_mode) || access(path, X_OK) == 0)
		return 0;
	return wt_error_errno(errp, errno, "%.200s: cannot look into it", path);
}

int page_run_read(struct page_run *run, const char *path, size_t number, struct wt_error *errp)
{
	*run = (struct page_run) { 0 };
	run->record = wt_record_create(NULL, errp);
	if (!run->record || names_make(run, path, number) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	if (path_check(path, errp) < 0 || (is_file(path) ? file_read(run, errp) : folder_read(run, errp)) < 0)
		return -1;
	if (jobs_derive(run) < 0 || groups_make(run) < 0 || run->notes.failed)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	if (metrics_get(run, errp) < 0)
		return -1;
	jobs_compare(run);
	for (size_t f = 0; f < WT_FIG_COUNT && run->single_file; f++)
		run->metrics.figures[f].kind = WT_KIND_TOLD;
	return 0;
}

void page_run_clear(struct page_run *run)
{
	for (size_t g = 0; g < PAGE_GROUP_COUNT; g++) {
		for (size_t i = 0; i < run->groups[g].count; i++)
			free(run->groups[g].words[i]);
		free(run->groups[g].words);
	}
	page_events_clear(run);
	free(run->jobs);
	free(run->path);
	free(run->name);
	free(run->id);
	free(run->scheduler);
	free(run->select);
	json_decref(run->summary);
	json_decref(run->scenario);
	wt_record_destroy(run->record);
	wt_str_clear(&run->notes);
	*run = (struct page_run) { 0 };
}
