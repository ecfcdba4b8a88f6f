/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_run --jobs N --nodes M [--seed S] [--shared] [--scattered] DIR: a run folder with a made-up schedule
 * (bench_schedule.h), for tests and measurements of the page. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/page/bench_schedule.h"
#include "harness/report/report.h"
#include "lib/fs.h"
#include "lib/str.h"

#define BEGIN_S      1.8e9
#define SAMPLES      2000
#define SWITCH_NODES 18

static double job_time_s(int64_t time_ms)
{
	return BEGIN_S + (double) time_ms / 1000;
}

/* "n[0-17,40]", or with 'plain' "0-17 40". */
static char *nodes_text(const struct bench_schedule *s, const struct gantt_job *job, bool plain)
{
	const struct gantt_range *range = s->input.ranges + job->range_first;
	bool brackets = !plain && (job->range_count > 1 || range->count > 1);
	struct wt_str text = { 0 };

	wt_str_add(&text, plain ? "" : brackets ? "n[" : "n");
	for (uint32_t k = 0; k < job->range_count; k++, range++) {
		wt_str_add(&text, k ? plain ? " " : "," : "");
		wt_str_printf(&text, "%u", range->first);
		if (range->count > 1)
			wt_str_printf(&text, "-%u", range->first + range->count - 1);
	}
	wt_str_add(&text, brackets ? "]" : "");
	return wt_str_take(&text);
}

static void job_record(struct wt_job_record *r, const struct bench_schedule *s, const struct gantt_job *job,
		       const struct bench_shape *shape)
{
	const struct gantt_range *ranges = s->input.ranges + job->range_first;

	wt_job_record_init(r);
	r->name = strdup(job->name);
	r->class_name = strdup(s->input.labels[GANTT_CLASS][job->labels[GANTT_CLASS] - 1]);
	r->user = strdup(s->input.labels[GANTT_USER][job->labels[GANTT_USER] - 1]);
	r->account = strdup(job->labels[GANTT_USER] % 3 ? "physics" : "biology");
	r->partition = strdup(job->cpus > shape->cpus_per_node ? "main" : "small");
	r->qos = strdup(job->job_id % 5 ? "normal" : "high");
	r->state = job->labels[GANTT_STATE] == 1 ? WT_JOB_COMPLETED : WT_JOB_FAILED;
	r->exit_code = r->state == WT_JOB_FAILED;
	r->cpus = r->alloc_cpus = job->cpus;
	for (uint32_t k = 0; k < job->range_count; k++)
		r->alloc_nodes += ranges[k].count;
	r->nodes = job->cpus == r->alloc_nodes * shape->cpus_per_node ? r->alloc_nodes : 0;
	r->run_time_s = (double) (job->end_ms - job->start_ms) / 1000;
	r->time_limit_s = 2 * r->run_time_s;
	r->submit_latency_s = 0.001;
	r->submit_s = job_time_s(job->submit_ms) + r->submit_latency_s;
	r->start_s = job_time_s(job->start_ms) + 0.001;
	r->end_s = r->release_s = job_time_s(job->end_ms) + 0.001;
	r->node_list = nodes_text(s, job, false);
	r->node_intervals = nodes_text(s, job, true);
}

static int time_order(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* How many of times[] are 'at_s' or before, with *next as the place of the call before, for a lower 'at_s'. */
static uint32_t count_until(const double *times, size_t count, size_t *next, double at_s)
{
	while (*next < count && times[*next] <= at_s)
		++*next;
	return (uint32_t) *next;
}

/* Queue and running jobs only: the other columns are as if they had not been asked for. */
static int samples_add(struct wt_record *record, struct wt_error *errp)
{
	size_t n = record->job_count, next[3] = { 0 };
	double *times = calloc(3 * n + 1, sizeof(*times)), last_s;
	int rc = 0;

	if (!times)
		return wt_error_set(errp, ENOMEM, "not enough memory for %zu jobs", n);
	for (size_t i = 0; i < n; i++) {
		times[i] = record->jobs[i].submit_s;
		times[n + i] = record->jobs[i].start_s;
		times[2 * n + i] = record->jobs[i].end_s;
	}
	for (size_t k = 0; k < 3; k++)
		qsort(times + k * n, n, sizeof(*times), time_order);
	last_s = n ? times[3 * n - 1] : BEGIN_S;
	for (size_t i = 0; i <= SAMPLES && rc == 0; i++) {
		double at_s = BEGIN_S + (last_s - BEGIN_S) * (double) i / SAMPLES;
		uint32_t submitted = count_until(times, n, &next[0], at_s),
			 started = count_until(times + n, n, &next[1], at_s);
		struct wt_sample sample = { .time_s = at_s,
					    .jobs_pending = submitted - started,
					    .jobs_running = started - count_until(times + 2 * n, n, &next[2], at_s) };

		rc = wt_record_add_sample(record, &sample, errp);
	}
	free(times);
	return rc;
}

static int record_fill(struct wt_record *record, const struct bench_schedule *s, const struct bench_shape *shape,
		       struct wt_error *errp)
{
	record->jobs = calloc(shape->jobs + 1, sizeof(*record->jobs));
	if (!record->jobs)
		return wt_error_set(errp, ENOMEM, "not enough memory for %u jobs", shape->jobs);
	record->job_count = shape->jobs;
	record->nodes = shape->nodes;
	record->cpus = shape->nodes * shape->cpus_per_node;
	record->backend = strdup("virtual");
	record->clock = strdup("virtual");
	record->workload = strdup("made-up");
	record->seed = shape->seed;
	record->begin_s = BEGIN_S;
	record->time_scale = record->wall_s = 1;
	for (uint32_t i = 0; i < shape->jobs; i++) {
		struct wt_job_record *r = &record->jobs[i];

		job_record(r, s, &s->jobs[i], shape);
		record->ideal_s += r->run_time_s * r->cpus / record->cpus;
		if (wt_record_set_job_id(record, r, s->jobs[i].job_id, errp) < 0)
			return -1;
	}
	return samples_add(record, errp);
}

static int conf_write(const char *dir, const struct bench_shape *shape, struct wt_error *errp)
{
	uint32_t leaves = (shape->nodes + SWITCH_NODES - 1) / SWITCH_NODES;
	char *conf = wt_str_format("NodeName=n[0-%u] CPUs=%u\n", shape->nodes - 1, shape->cpus_per_node);
	struct wt_str tree = { 0 };
	int rc = conf ? 0 : wt_error_set(errp, ENOMEM, "slurm.conf");

	for (uint32_t i = 0; i < leaves; i++) {
		uint32_t last = (i + 1) * SWITCH_NODES;

		wt_str_printf(&tree, "SwitchName=leaf%u Nodes=n[%u-%u]\n", i, i * SWITCH_NODES,
			      (last < shape->nodes ? last : shape->nodes) - 1);
	}
	wt_str_printf(&tree, "SwitchName=root Switches=leaf[0-%u]\n", leaves - 1);
	if (rc == 0)
		rc = wt_fs_write("slurm.conf", conf, strlen(conf), 0644, errp);
	if (rc == 0)
		rc = wt_fs_write("topology.conf", tree.text, tree.len, 0644, errp);
	if (rc < 0)
		wt_error_prefix(errp, "%s", dir);
	wt_str_clear(&tree);
	free(conf);
	return rc;
}

static int run_write(const char *dir, const struct bench_shape *shape, struct wt_error *errp)
{
	struct wt_record *record = wt_record_create(NULL, errp);
	struct bench_schedule schedule;
	struct wt_metrics metrics;
	int rc = record ? bench_schedule_make(&schedule, shape, errp) : -1;

	if (rc < 0)
		return -1;
	rc = record_fill(record, &schedule, shape, errp);
	if (rc == 0)
		rc = wt_report_write(".", record, NULL, 0, &metrics, errp);
	if (rc == 0)
		rc = conf_write(dir, shape, errp);
	bench_schedule_clear(&schedule);
	wt_record_destroy(record);
	return rc;
}

static void number_read(const char *text, uint64_t least, uint64_t most, const char *what, uint64_t *number)
{
	struct wt_error err;

	if (wt_str_to_u64(text, least, most, what, number, &err) == 0)
		return;
	fprintf(stderr, "bench_run: %s\n", err.text);
	exit(2);
}

static int folder_make(int argc, char **argv, const struct bench_shape *shape)
{
	struct wt_error err = { "" };

	if (optind + 1 != argc || (mkdir(argv[optind], 0755) < 0 && errno != EEXIST) || chdir(argv[optind]) < 0) {
		fprintf(stderr, "usage: bench_run [--jobs N] [--nodes N] [--seed N] [--shared] [--scattered] DIR\n");
		return 2;
	}
	if (run_write(argv[optind], shape, &err) < 0) {
		fprintf(stderr, "bench_run: %s\n", err.text);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "jobs", 1, NULL, 'j' },   { "nodes", 1, NULL, 'n' },     { "seed", 1, NULL, 's' },
		{ "shared", 0, NULL, 'S' }, { "scattered", 0, NULL, 'x' }, { 0 },
	};
	uint64_t jobs = 1000, nodes = 100, seed = 1;
	struct bench_shape shape = { .cpus_per_node = 16, .load = 0.9 };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			number_read(optarg, 1, 10000000, "--jobs", &jobs);
			break;
		case 'n':
			number_read(optarg, 1, 65536, "--nodes", &nodes);
			break;
		case 's':
			number_read(optarg, 0, UINT64_MAX, "--seed", &seed);
			break;
		default:
			shape.shared |= option == 'S';
			shape.scattered |= option == 'x';
			if (option == '?')
				return 2;
		}
	}
	shape.jobs = (uint32_t) jobs;
	shape.nodes = (uint32_t) nodes;
	shape.seed = seed;
	return folder_make(argc, argv, &shape);
}
