/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/page/bench_schedule.h"
#include "harness/page/test_gantt_reader.h"

static uint64_t seed = 1;

/* A page's data, read back column by column. */
struct back {
	struct gantt_reader reader;
	int64_t unit_ms, origin_ms;
	size_t jobs, ran;
	uint32_t *start, *duration, *wait, *nodes, *submit, *cpus, *id, *prefix, *number;
	uint32_t *label[GANTT_LABELS];
	char *prefixes;
	size_t prefixes_len;
};

static const char *const label_names[GANTT_LABELS] = { "class", "user", "account", "partition", "qos", "state" };

static char *page_write(const struct gantt_input *input, struct gantt_loss *loss)
{
	struct wt_error err = { "" };
	char *html = NULL;
	size_t len;
	FILE *out = open_memstream(&html, &len);

	assert_non_null(out);
	if (gantt_data_write(out, "run1", input, loss, &err) == -1)
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	return html;
}

static void sums_make(uint32_t *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		values[i] += values[i - 1];
}

static void back_read(struct back *b, const char *html)
{
	size_t count;

	gantt_reader_open(&b->reader, html);
	b->unit_ms = gantt_reader_number(&b->reader, "unit_ms");
	b->origin_ms = gantt_reader_number(&b->reader, "origin_ms");
	b->jobs = (size_t) gantt_reader_number(&b->reader, "jobs");
	b->start = gantt_reader_column(&b->reader, "start", &b->ran);
	b->duration = gantt_reader_column(&b->reader, "duration", &count);
	b->wait = gantt_reader_column(&b->reader, "wait", &count);
	b->nodes = gantt_reader_column(&b->reader, "nodes", &count);
	assert_int_equal(count, b->ran);
	b->submit = gantt_reader_column(&b->reader, "submit", &count);
	assert_int_equal(count, b->jobs - b->ran);
	b->cpus = gantt_reader_column(&b->reader, "cpus", &count);
	b->id = gantt_reader_column(&b->reader, "id", &count);
	b->prefix = gantt_reader_column(&b->reader, "name_prefix", &count);
	b->number = gantt_reader_column(&b->reader, "name_number", &count);
	b->prefixes = gantt_reader_text(&b->reader, "prefixes", &b->prefixes_len);
	for (int label = 0; label < GANTT_LABELS; label++)
		b->label[label] = gantt_reader_column(&b->reader, label_names[label], &count);
	for (size_t i = 0; i < b->jobs; i++)
		b->id[i] = number_unfold(b->id[i]);
	sums_make(b->id, b->jobs);
	sums_make(b->start, b->ran);
}

static void back_clear(struct back *b)
{
	uint32_t *columns[] = { b->start, b->duration, b->wait, b->nodes, b->submit, b->cpus, b->id, b->prefix, b->number };

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		free(columns[i]);
	for (int label = 0; label < GANTT_LABELS; label++)
		free(b->label[label]);
	free(b->prefixes);
	gantt_reader_close(&b->reader);
}

/* The input's job of that id; ids are unique in these tests. */
static const struct gantt_job *job_of(const struct gantt_input *input, uint32_t id)
{
	for (size_t i = 0; i < input->job_count; i++) {
		size_t k = (id - 1 + i) % input->job_count;

		if (input->jobs[k].job_id == id)
			return &input->jobs[k];
	}
	fail_msg("there is no job %" PRIu32, id);
	return NULL;
}

static int64_t units(const struct back *b, int64_t time_ms)
{
	return (time_ms - b->origin_ms) / b->unit_ms;
}

static uint32_t nodes_of(const struct gantt_input *input, const struct gantt_job *job)
{
	uint32_t nodes = 0;

	for (uint32_t k = 0; k < job->range_count; k++)
		nodes += input->ranges[job->range_first + k].count;
	return nodes;
}

static void times_check(const struct back *b, const struct gantt_input *input)
{
	for (size_t i = 0; i < b->jobs; i++) {
		const struct gantt_job *job = job_of(input, b->id[i]);
		uint32_t base = i < b->ran ? b->nodes[i] * input->cpus_per_node : 0;

		assert_int_equal(number_unfold(b->cpus[i]) + base, job->cpus);
		for (int label = 0; label < GANTT_LABELS; label++)
			assert_int_equal(b->label[label][i], job->labels[label]);
		if (i >= b->ran) {
			assert_true(job->start_ms == GANTT_TIME_NONE);
			assert_int_equal(b->submit[i - b->ran],
					 job->submit_ms == GANTT_TIME_NONE ? 0 : units(b, job->submit_ms) + 1);
			continue;
		}
		assert_int_equal(b->start[i], units(b, job->start_ms));
		assert_int_equal(b->duration[i],
				 job->end_ms == GANTT_TIME_NONE ? 0 : units(b, job->end_ms) - b->start[i] + 1);
		assert_int_equal(b->nodes[i], nodes_of(input, job));
		if (job->submit_ms != GANTT_TIME_NONE && job->submit_ms <= job->start_ms)
			assert_int_equal(b->wait[i], b->start[i] - units(b, job->submit_ms) + 1);
	}
}

static void names_check(const struct back *b, const struct gantt_input *input)
{
	uint32_t last[64] = { 0 };
	const char *prefix[64] = { NULL }, *at = b->prefixes;
	size_t next = 0;
	char name[GANTT_NAME_MAX + 16];

	for (size_t i = 0; i < 64 && at < b->prefixes + b->prefixes_len; i++, at += strlen(at) + 1)
		prefix[i] = at;
	for (size_t i = 0; i < b->jobs; i++) {
		uint32_t p = b->prefix[i] >> 1;
		const char *wanted = job_of(input, b->id[i])->name;

		assert_true(p < 64 && prefix[p]);
		snprintf(name, sizeof(name), "%s", prefix[p]);
		if (b->prefix[i] & 1)
			snprintf(name + strlen(name), 16, "%" PRIu32, last[p] += number_unfold(b->number[next++]));
		assert_string_equal(name, wanted ? wanted : "");
	}
}

static uint32_t release_of(const struct back *b, size_t i)
{
	if (!b->duration[i])
		return UINT32_MAX;
	return b->start[i] + (b->duration[i] > 1 ? b->duration[i] - 1 : 1);
}

struct running { /* jobs whose nodes are taken, in no order */
	uint32_t jobs[20000];
	size_t count;
};

static void ended_free(const struct back *b, const struct gantt_input *input, struct slow_runs *slow,
		       struct running *running, uint32_t now)
{
	for (size_t r = 0; r < running->count; r++) {
		const struct gantt_job *job = job_of(input, b->id[running->jobs[r]]);

		if (release_of(b, running->jobs[r]) > now)
			continue;
		for (uint32_t k = 0; k < job->range_count; k++)
			memset(slow->busy + input->ranges[job->range_first + k].first, 0,
			       input->ranges[job->range_first + k].count);
		running->jobs[r--] = running->jobs[--running->count];
	}
}

static void place_check(const struct back *b, const struct gantt_input *input, struct slow_runs *slow, size_t i)
{
	const struct gantt_job *job = job_of(input, b->id[i]);
	struct gantt_range *back = calloc(b->nodes[i] + 1, sizeof(*back));

	assert_non_null(back);
	assert_int_equal(slow_runs_read(slow, b->nodes[i], back), job->range_count);
	assert_memory_equal(back, input->ranges + job->range_first, job->range_count * sizeof(*back));
	free(back);
}

/* One segment: the jobs that run at its begin, then its own. */
static void segment_check(const struct back *b, const struct gantt_input *input, uint32_t segment, uint32_t placed_min)
{
	static struct running running;
	struct number_list lists[FREE_RUNS_LISTS];
	struct slow_runs slow = { .busy = calloc(input->node_count, 1), .node_count = input->node_count, .lists = lists };
	size_t begin = (size_t) segment * GANTT_SEGMENT,
	       end = b->ran - begin < GANTT_SEGMENT ? b->ran : begin + GANTT_SEGMENT;
	char name[64];

	for (int list = 0; list < FREE_RUNS_LISTS; list++) {
		snprintf(name, sizeof(name), "s%" PRIu32 ".%s", segment, free_runs_list_names[list]);
		lists[list].values = gantt_reader_column(&b->reader, name, &lists[list].count);
	}
	running.count = 0;
	for (size_t i = 0; i < end; i++) {
		if (!b->nodes[i] || b->nodes[i] < placed_min || (i < begin && release_of(b, i) <= b->start[begin]))
			continue;
		if (i >= begin)
			ended_free(b, input, &slow, &running, b->start[i]);
		place_check(b, input, &slow, i);
		assert_true(running.count < sizeof(running.jobs) / sizeof(running.jobs[0]));
		running.jobs[running.count++] = (uint32_t) i;
	}
	for (int list = 0; list < FREE_RUNS_LISTS; list++) {
		assert_int_equal(slow.at[list], lists[list].count);
		free(lists[list].values);
	}
	free(slow.busy);
}

static void round_trip(const struct gantt_input *input, struct gantt_loss *loss)
{
	char *html = page_write(input, loss);
	struct back b = { 0 };

	back_read(&b, html);
	assert_int_equal(b.jobs, input->job_count);
	times_check(&b, input);
	if (!loss->names_left_out)
		names_check(&b, input);
	for (uint32_t segment = 0; segment < loss->segment_count; segment++)
		segment_check(&b, input, segment, loss->placed_min);
	back_clear(&b);
	free(html);
}

static void shape_check(struct bench_shape shape)
{
	struct bench_schedule schedule;
	struct gantt_loss loss;

	shape.seed = seed;
	shape.load = 0.9;
	shape.cpus_per_node = 16;
	assert_int_equal(bench_schedule_make(&schedule, &shape, NULL), 0);
	round_trip(&schedule.input, &loss);
	assert_int_equal(loss.unplaced_jobs, 0);
	bench_schedule_clear(&schedule);
}

static void test_schedules_come_back(void **state)
{
	(void) state;
	shape_check((struct bench_shape){ .jobs = 3000, .nodes = 200 });
	shape_check((struct bench_shape){ .jobs = 500, .nodes = 3 });
	shape_check((struct bench_shape){ .jobs = 3000, .nodes = 300, .scattered = true });
	shape_check((struct bench_shape){ .jobs = 3000, .nodes = 100, .shared = true });
}

static void test_more_jobs_than_a_segment(void **state)
{
	(void) state;
	shape_check((struct bench_shape){ .jobs = 2 * GANTT_SEGMENT + 100, .nodes = 64 });
}

static const char *const classes[] = { "A", "</script><b>" };
static const struct gantt_range odd_ranges[] = { { 0, 4 }, { 0, 1 }, { 2, 1 }, { 1, 2 } };
static struct gantt_job odd_jobs[] = {
	{ "a.1", -500, 0, 1000, 0, 1, 1, 64, { 1 } }, /* submitted before the first time of all others */
	{ "a.2", 0, 0, 0, 1, 2, 2, 2, { 2 } }, /* no time at all, on nodes of others */
	{ "a.10", 5, 3, 1500, 3, 1, 3, 8, { 0 } }, /* started before it was submitted: slurmctld's whole seconds */
	{ "007", 5, 10, GANTT_TIME_NONE, 3, 1, 4, 8, { 1 } }, /* runs on */
	{ NULL, GANTT_TIME_NONE, 20, 30, 0, 0, 5, 1, { 1 } }, /* nodes not known */
	{ "b0", 70, GANTT_TIME_NONE, GANTT_TIME_NONE, 0, 0, 6, 1, { 0 } }, /* never ran */
	{ "99999999999999", GANTT_TIME_NONE, GANTT_TIME_NONE, GANTT_TIME_NONE, 0, 0, 4294967295, 1, { 0 } },
};

static struct gantt_input odd_input(void)
{
	return (struct gantt_input){ .job_count = sizeof(odd_jobs) / sizeof(odd_jobs[0]),
				     .jobs = odd_jobs,
				     .ranges = odd_ranges,
				     .node_count = 4,
				     .cpus_per_node = 16,
				     .labels = { classes },
				     .label_count = { 2 } };
}

static void test_odd_jobs_come_back(void **state)
{
	struct gantt_input input = odd_input();
	struct gantt_loss loss;
	char *html;

	(void) state;
	round_trip(&input, &loss);
	assert_int_equal(loss.origin_ms, -500);
	assert_int_equal(loss.ran_count, 5);
	html = page_write(&input, &loss);
	assert_null(strstr(html, "<b>"));
	free(html);
}

static void test_no_jobs(void **state)
{
	const struct gantt_input input = { .node_count = 0 };
	struct gantt_loss loss;

	(void) state;
	round_trip(&input, &loss);
	assert_int_equal(loss.segment_count, 0);
}

static void test_a_small_budget_costs_precision_then_nodes_then_names(void **state)
{
	const struct bench_shape shape = {
		.jobs = 4000, .nodes = 300, .cpus_per_node = 4, .seed = seed, .load = 0.9, .scattered = true
	};
	struct bench_schedule schedule;
	struct gantt_loss loss;
	char *html;

	(void) state;
	assert_int_equal(bench_schedule_make(&schedule, &shape, NULL), 0);
	html = page_write(&schedule.input, &loss);
	assert_int_equal(loss.unit_ms, 1);
	schedule.input.budget_bytes = strlen(html) - strlen(html) / 16;
	free(html);
	round_trip(&schedule.input, &loss);
	assert_true(loss.unit_ms > 1);
	assert_int_equal(loss.placed_min, 0);
	schedule.input.budget_bytes = 1;
	round_trip(&schedule.input, &loss);
	assert_int_equal(loss.unit_ms, 1000);
	assert_true(loss.placed_min > 300 && loss.names_left_out);
	assert_int_equal(loss.unplaced_jobs, 4000);
	bench_schedule_clear(&schedule);
}

static void test_years_have_no_milliseconds(void **state)
{
	struct gantt_job job = odd_jobs[0];
	struct gantt_input input = odd_input();
	struct gantt_loss loss;

	(void) state;
	job.end_ms = 20LL * 365 * 86400 * 1000;
	input.jobs = &job;
	input.job_count = 1;
	round_trip(&input, &loss);
	assert_int_equal(loss.unit_ms, 1000);
}

static void error_expect(const struct gantt_job *job, const char *text)
{
	struct gantt_input input = odd_input();
	struct gantt_loss loss;
	struct wt_error err = { "" };

	input.jobs = job;
	input.job_count = 1;
	assert_int_equal(gantt_data_write(stderr, "run1", &input, &loss, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not have \"%s\"", err.text, text);
}

static void test_what_is_no_schedule_is_refused(void **state)
{
	struct gantt_job job = odd_jobs[0];

	(void) state;
	job.end_ms = -1;
	error_expect(&job, "job 1: it ends before its start");
	job = odd_jobs[0];
	job.range_first = 1;
	job.range_count = 3;
	error_expect(&job, "job 1: its nodes");
	job = odd_jobs[0];
	job.labels[GANTT_CLASS] = 3;
	error_expect(&job, "job 1: there is no such class");
}

static void test_long_names_are_cut_between_characters(void **state)
{
	char name[GANTT_NAME_MAX + 100];
	struct gantt_job job = odd_jobs[0];
	struct gantt_input input = odd_input();
	struct gantt_loss loss;
	struct back b = { 0 };
	char *html;

	(void) state;
	memset(name, 'x', GANTT_NAME_MAX - 1);
	strcpy(name + GANTT_NAME_MAX - 1, "\xC3\xA4-and-more");
	job.name = name;
	input.jobs = &job;
	input.job_count = 1;
	html = page_write(&input, &loss);
	assert_int_equal(loss.names_cut, 1);
	back_read(&b, html);
	assert_int_equal(strlen(b.prefixes), GANTT_NAME_MAX - 1);
	back_clear(&b);
	free(html);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedules_come_back),
		cmocka_unit_test(test_more_jobs_than_a_segment),
		cmocka_unit_test(test_odd_jobs_come_back),
		cmocka_unit_test(test_no_jobs),
		cmocka_unit_test(test_a_small_budget_costs_precision_then_nodes_then_names),
		cmocka_unit_test(test_years_have_no_milliseconds),
		cmocka_unit_test(test_what_is_no_schedule_is_refused),
		cmocka_unit_test(test_long_names_are_cut_between_characters),
	};

	if (getenv("T_SEED"))
		seed = strtoull(getenv("T_SEED"), NULL, 10);
	fprintf(stderr, "# T_SEED=%" PRIu64 "\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
