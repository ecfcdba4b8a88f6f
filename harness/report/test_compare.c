/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/compare.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

static char folder[] = "/tmp/wt-compare-XXXXXX";

/* What a test changes in an otherwise good summary. */
struct compared_run {
	double makespan_s, wait_s;
	unsigned int seed;
	const char *workload, *clock, *failure;
	json_t *seed_value;	/* of any kind, stolen; NULL: 'seed' */
	const char *before;	/* it was made before there was this figure; NULL: today */
	const char *slurm;	/* summary.json says it; NULL: it does not */
	int interrupted, no_kinds;
};

static json_t *summary_make(const struct compared_run *r)
{
	json_t *kinds = json_object(), *o;

	for (size_t f = 0; f < WT_FIG_COUNT && !r->no_kinds; f++)
		json_object_set_new(kinds, wt_figure_infos[f].key, json_string(f == WT_FIG_WALL ? "real" : r->clock));
	o = json_pack("{s:s, s:s, s:s, s:i, s:i, s:f, s:i, s:s, s:b, s:f, s:o, s:f, s:o}", "workload", r->workload,
		      "backend", "virtual",
		      "clock", r->clock, "nodes", 4, "cpus", 64, "time_scale", 1.0, "seed", (int) r->seed, "failure",
		      r->failure,
		      "interrupted", r->interrupted, "makespan_s", r->makespan_s, "wait_mean_s",
		      isnan(r->wait_s) ? json_null() : json_real(r->wait_s), "wall_s", 1.0, "kinds", kinds);
	assert_non_null(o);
	if (r->seed_value)
		json_object_set_new(o, "seed", r->seed_value);
	if (r->slurm)
		json_object_set_new(o, "slurm_version", json_string(r->slurm));
	if (r->before)
		json_object_del(kinds, r->before);
	return o;
}

static struct compared_run run_good(double makespan_s, unsigned int seed)
{
	return (struct compared_run) { .makespan_s = makespan_s, .wait_s = 1, .seed = seed, .workload = "w", .clock = "real",
			      .failure = "" };
}

static char *path_of(const char *name)
{
	char *path = wt_str_format("%s/%s", folder, name);

	assert_non_null(path);
	return path;
}

static void run_write(const char *name, const struct compared_run *r)
{
	char *dir = path_of(name), *path = wt_str_format("%s/summary.json", dir);
	json_t *summary = summary_make(r);

	for (char *slash = dir + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(dir, 0755);
		*slash = '/';
	}
	assert_true(mkdir(dir, 0755) == 0 || errno == EEXIST);
	assert_int_equal(wt_json_save(path, summary, NULL), 0);
	json_decref(summary);
	free(path);
	free(dir);
}

/* NULL: a version that did not say it */
static void release_write(const char *name, const char *version)
{
	char *dir = path_of(name), *path = wt_str_format("%s/scenario.json", dir);
	json_t *scenario = json_pack("{s:{s:s*}}", "versions", "slurm", version);

	assert_int_equal(wt_json_save(path, scenario, NULL), 0);
	json_decref(scenario);
	free(path);
	free(dir);
}

static int set_read(struct wt_run_set *set, const char *name, struct wt_error *err)
{
	char *path = path_of(name);
	int rc = wt_run_set_read(set, path, err);

	free(path);
	return rc;
}

static void set_good(struct wt_run_set *set, const char *name)
{
	struct wt_error err = { "" };

	if (set_read(set, name, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_set(void **state)
{
	struct compared_run r = run_good(100, 3);
	struct wt_run_set set;
	double values[3];

	(void) state;
	run_write("set/1", &r);
	r = run_good(90, 2), r.wait_s = NAN;
	run_write("set/2", &r);
	r = run_good(80, 1);
	run_write("set/10", &r);
	r.failure = "slurmctld died";
	run_write("set/4", &r);
	r = run_good(1, 9), r.interrupted = 1;
	run_write("set/5", &r);
	r = run_good(1, 9);
	run_write("set/x1", &r);	/* not a run of it */
	set_good(&set, "set");
	assert_int_equal(set.count, 3);
	assert_int_equal(set.skipped, 2);
	assert_true(set.runs[0].number == 10 && set.runs[0].seed == 1);
	wt_run_set_figure(&set, WT_FIG_MAKESPAN, values);
	assert_true(values[0] == 80 && values[1] == 90 && values[2] == 100);
	wt_run_set_figure(&set, WT_FIG_WAIT_MEAN, values);
	assert_true(values[0] == 1 && isnan(values[1]));
	wt_run_set_figure(&set, WT_FIG_PENDING_MAX, values);	/* not in the file */
	assert_true(isnan(values[0]));
	assert_int_equal(set.kinds[WT_FIG_MAKESPAN], WT_KIND_REAL);
	wt_run_set_clear(&set);
	wt_run_set_clear(&set);
}

/* Runs of before there was a figure, and of after: they have the others in common. */
static void test_older_runs(void **state)
{
	struct compared_run r = run_good(100, 1);
	struct wt_run_set set;
	double values[2];

	(void) state;
	r.before = "end_rate_per_s";
	run_write("older/1", &r);
	r = run_good(90, 2);
	run_write("older/2", &r);
	set_good(&set, "older");
	assert_int_equal(set.count, 2);
	assert_int_equal(set.kinds[WT_FIG_END_RATE], WT_KIND_REAL);
	wt_run_set_figure(&set, WT_FIG_END_RATE, values);
	assert_true(isnan(values[0]) && isnan(values[1]));
	wt_run_set_clear(&set);
}

static void expect_refused(const char *name, int errnum, const char *text)
{
	struct wt_error err = { "" };
	struct wt_run_set set;

	assert_int_equal(set_read(&set, name, &err), -1);
	assert_int_equal(errno, errnum);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
	wt_run_set_clear(&set);
	assert_int_equal(set_read(&set, name, NULL), -1);
	wt_run_set_clear(&set);
}

static void test_refused(void **state)
{
	struct compared_run r = run_good(1, 1);
	char *path;

	(void) state;
	expect_refused("nowhere", ENOENT, "nowhere: No such file");
	r.failure = "no";
	run_write("failed/1", &r);
	expect_refused("failed", ENOENT,
		       "failed: no run that ended well: 1 that failed, was interrupted, or has not ended (--resume");
	r = run_good(1, 1);
	run_write("mixed/1", &r);
	r.workload = "v";
	run_write("mixed/2", &r);
	expect_refused("mixed", EINVAL,
		       "mixed/2/summary.json: v on 4 virtual nodes with 64 CPUs, time scale 1, but the runs before it are "
		       "w");
	r = run_good(1, 1);
	run_write("clocks/1", &r);
	r.clock = "virtual";
	run_write("clocks/2", &r);
	expect_refused("clocks", EINVAL, "clocks/2/summary.json: ideal_s is virtual, but real in the runs before it");
	r = run_good(1, 1);
	run_write("releases/1", &r);
	run_write("releases/2", &r);
	release_write("releases/1", "22.05.8");
	release_write("releases/2", "24.11.5");
	expect_refused("releases", EINVAL,
		       "releases/2/summary.json: on Slurm 24.11.5, but the runs before it are on 22.05.8");
	r = run_good(1, 1), r.no_kinds = 1;
	run_write("kindless/1", &r);
	expect_refused("kindless", EINVAL, "does not say what kind of figure ideal_s is");
	path = path_of("mixed/2/summary.json");
	assert_int_equal(wt_fs_write(path, "{", 1, 0644, NULL), 0);
	free(path);
	expect_refused("mixed", EINVAL, "mixed/2/summary.json");
}

static void test_releases(void **state)
{
	struct compared_run r = run_good(1, 1);
	struct wt_compare_options options = { 0 };
	struct wt_comparison c;
	struct wt_run_set a, b;
	char *text = NULL;
	size_t size;
	FILE *out;

	(void) state;
	run_write("old", &r);
	run_write("new", &r);
	release_write("old", "22.05.8");
	release_write("new", "24.11.5");
	set_good(&a, "old");
	set_good(&b, "new");
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(wt_compare_other_release(&c));
	out = open_memstream(&text, &size);
	assert_int_equal(wt_compare_print(out, &c), 0);
	fclose(out);
	assert_non_null(strstr(text, "real clock, Slurm 22.05.8, 1 run\n"));
	assert_non_null(strstr(text, "\ndifferent releases of Slurm: A ran 22.05.8, B 24.11.5\n\n"));
	free(text);
	assert_int_equal(wt_compare(&c, &a, &a, &options, NULL), 0);
	assert_false(wt_compare_other_release(&c));
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

/* The text of a comparison has that line. */
static void line_told(const struct wt_comparison *c, const char *line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(wt_compare_print(out, c), 0);
	fclose(out);
	if (*line && !strstr(text, line))
		fail_msg("'%s' is not in:\n%s", line, text);
	if (!*line)
		assert_null(strstr(text, "release"));
	free(text);
}

/* A run of an old version. */
static void test_release_unknown(void **state)
{
	struct compared_run r = run_good(1, 1);
	struct wt_compare_options options = { 0 };
	struct wt_comparison c;
	struct wt_run_set a, b;

	(void) state;
	run_write("told", &r);
	run_write("untold", &r);
	release_write("told", "22.05.8");
	release_write("untold", NULL);
	set_good(&a, "told");
	set_good(&b, "untold");
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	line_told(&c, "\nrelease unknown: which Slurm B ran is not recorded; A ran 22.05.8\n\n");
	assert_int_equal(wt_compare(&c, &b, &a, &options, NULL), 0);
	line_told(&c, "\nrelease unknown: which Slurm A ran is not recorded; B ran 22.05.8\n\n");
	assert_int_equal(wt_compare(&c, &b, &b, &options, NULL), 0);
	line_told(&c, "");
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

/* Of repeated runs the first says nothing: those behind it are of one release all the same. */
static void test_release_of_repeats(void **state)
{
	struct wt_error err = { "" };
	struct compared_run r;
	struct wt_run_set set;

	(void) state;
	for (unsigned int i = 1; i <= 3; i++) {
		char name[16];

		r = run_good(1, i);
		snprintf(name, sizeof(name), "repeats/%u", i);
		run_write(name, &r);
	}
	release_write("repeats/2", "22.05.8");
	set_good(&set, "repeats");
	assert_string_equal(set.slurm, "22.05.8");
	wt_run_set_clear(&set);
	release_write("repeats/3", "24.11.5");
	assert_int_equal(set_read(&set, "repeats", &err), -1);
	assert_non_null(strstr(err.text, "on Slurm 24.11.5, but the runs before it are on 22.05.8"));
	wt_run_set_clear(&set);
	r = run_good(1, 1), r.slurm = "23.11.1";
	run_write("alone", &r);
	release_write("alone", NULL);
	set_good(&set, "alone");
	assert_string_equal(set.slurm, "23.11.1");
	wt_run_set_clear(&set);
}

static void pairs_make(void)
{
	struct compared_run r;

	for (unsigned int i = 1; i <= 3; i++) {
		char name[16];

		r = run_good(100.0 * i, i);
		snprintf(name, sizeof(name), "a/%u", i);
		run_write(name, &r);
		r = run_good(101.0 * i, i), r.clock = "virtual";
		snprintf(name, sizeof(name), "b/%u", i);
		run_write(name, &r);
	}
}

static void test_pairs(void **state)
{
	struct wt_compare_options options = { .across_kinds = true };
	struct wt_run_set a, b;
	struct wt_comparison c;
	json_t *json, *figure;

	(void) state;
	pairs_make();
	set_good(&a, "a");
	set_good(&b, "b");
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(c.paired);
	assert_float_equal(c.a_stats[WT_FIG_MAKESPAN].mean, 200, 1e-9);
	assert_float_equal(c.difference[WT_FIG_MAKESPAN].mean, 2, 1e-9);
	/* Differences 1, 2, 3. */
	assert_float_equal(c.difference[WT_FIG_MAKESPAN].ci95, 4.302653 / sqrt(3), 1e-5);
	assert_false(wt_compare_other_size(&c));
	assert_non_null(wt_compare_unknown(&c));	/* there is no scenario.json */
	json = wt_compare_json(&c);
	figure = json_object_get(json_object_get(json, "figures"), "makespan_s");
	assert_float_equal(json_number_value(json_object_get(figure, "relative")), 0.01, 1e-9);
	assert_string_equal(json_string_value(json_object_get(figure, "b_kind")), "virtual");
	json_decref(json);
	options.unpaired = true;
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(!c.paired && c.difference[WT_FIG_MAKESPAN].ci95 > 100);
	b.runs[1].seed = b.runs[0].seed;	/* twice the same: no pairs */
	options.unpaired = false;
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_false(c.paired);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

/* Differences bear a sign, and what was measured does not; the row of a figure as people read it. */
static void test_printed(void **state)
{
	struct wt_compare_options options = { .across_kinds = true, .only[WT_FIG_MAKESPAN] = true };
	struct wt_run_set a, b;
	struct wt_comparison c;
	char *text = NULL, *row;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	pairs_make();
	set_good(&a, "a");
	set_good(&b, "b");
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_int_equal(wt_compare_print(out, &c), 0);
	fclose(out);
	row = strstr(text, "makespan ");
	assert_non_null(row);
	row[strcspn(row, "\n")] = '\0';
	assert_non_null(strstr(row, " 200.00 "));
	assert_non_null(strstr(row, " 202.00 "));
	assert_non_null(strstr(row, " +2.00 "));
	assert_non_null(strstr(row, " 2.48 "));
	assert_non_null(strstr(row, " +1.00 % "));
	free(text);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

static char page[16384]; /* what was printed last */

static const char *printed(const struct wt_comparison *c)
{
	FILE *out = fmemopen(page, sizeof(page), "w");

	assert_non_null(out);
	assert_int_equal(wt_compare_print(out, c), 0);
	assert_int_equal(fclose(out), 0);
	return page;
}

/* A run that failed leaves the others' pairs; its counterpart does not count. */
static void test_counterpart_missing(void **state)
{
	struct wt_compare_options options = { .across_kinds = true };
	struct wt_run_set a, b;
	struct wt_comparison c;

	(void) state;
	pairs_make();
	set_good(&a, "a");
	set_good(&b, "b");
	b.count = 2;	/* its third run failed, say: the first's has no counterpart */
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(c.paired && c.pairs == 2);
	assert_float_equal(c.a_stats[WT_FIG_MAKESPAN].mean, 150, 1e-9);
	assert_float_equal(c.difference[WT_FIG_MAKESPAN].mean, 1.5, 1e-9);
	printed(&c);
	assert_non_null(strstr(page, "\npaired by seed: 2 pairs; 1 of A and 0 of B have no counterpart and do not count\n"));
	b.count = 1;	/* one pair of three tells less than all runs do */
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(!c.paired && c.pairs == 0);
	options.few_pairs = true;
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_true(c.paired && c.pairs == 1);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

static void sentence_is(const struct wt_comparison *c, enum wt_figure_id figure, const char *wanted)
{
	char *text = wt_compare_sentence(c, figure);

	assert_non_null(text);
	if (!strstr(text, wanted))
		fail_msg("'%s' is not in '%s'", wanted, text);
	free(text);
}

/* Makespans 3, 3.1 and 3.2 times as long, and equal waits. */
static void tripled(struct wt_comparison *c, struct wt_run_set *a, struct wt_run_set *b)
{
	struct wt_compare_options options = { .only = { [WT_FIG_MAKESPAN] = true, [WT_FIG_WAIT_MEAN] = true } };

	for (unsigned int i = 1; i <= 3; i++) {
		struct compared_run r = run_good(100, i);
		char name[16];

		snprintf(name, sizeof(name), "low/%u", i);
		run_write(name, &r);
		r = run_good(290 + 10.0 * i, i);
		snprintf(name, sizeof(name), "high/%u", i);
		run_write(name, &r);
	}
	set_good(a, "low");
	set_good(b, "high");
	assert_int_equal(wt_compare(c, a, b, &options, NULL), 0);
}

static void test_sentences(void **state)
{
	struct wt_comparison c, *all[] = { &c, NULL };
	struct wt_run_set a, b;
	json_t *json, *figure;

	(void) state;
	tripled(&c, &a, &b);
	assert_true(isnan(c.p_holm[WT_FIG_MAKESPAN]));
	assert_int_equal(wt_compare_correct(all, 2), 0);
	assert_int_equal(c.comparisons, 2);	/* equal waits have a p, too */
	assert_true(wt_compare_asserted(&c, WT_FIG_MAKESPAN) && !wt_compare_asserted(&c, WT_FIG_WAIT_MEAN));
	assert_true(isnan(c.p_holm[WT_FIG_UTILIZATION]));
	sentence_is(&c, WT_FIG_MAKESPAN, "/high raises makespan to 3.1 times (2.9 to 3.3) that of /tmp/");
	printed(&c);
	assert_non_null(strstr(page, "\nMeasured on the real clock:\n"));
	assert_non_null(strstr(page, "\n  The same in each run: mean wait.\n"));
	assert_non_null(strstr(page, "high raises makespan"));
	assert_null(strstr(page, "Modelled"));
	assert_null(strstr(page, "One run on a side"));
	json = wt_compare_json(&c);
	figure = json_object_get(json_object_get(json, "figures"), "makespan_s");
	assert_true(json_is_true(json_object_get(figure, "asserted")));
	assert_non_null(strstr(json_string_value(json_object_get(figure, "sentence")), "3.1 times"));
	assert_true(json_number_value(json_object_get(figure, "p_holm")) >
		    json_number_value(json_object_get(figure, "p")));
	assert_int_equal(json_integer_value(json_object_get(json, "comparisons")), 2);
	json_decref(json);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

/* What is clear alone is not asserted as the best of twenty. */
static void test_many(void **state)
{
	struct wt_comparison c, others[9], *all[10] = { &c };
	struct wt_run_set a, b;

	(void) state;
	tripled(&c, &a, &b);
	c.difference[WT_FIG_MAKESPAN].ci95 = 100;	/* of 210: p is 0.012 */
	assert_int_equal(wt_compare_correct(all, 1), 0);
	assert_true(wt_compare_asserted(&c, WT_FIG_MAKESPAN));
	for (size_t i = 0; i < 9; i++) {
		others[i] = c;
		others[i].difference[WT_FIG_MAKESPAN].ci95 = 2000;
		all[i + 1] = &others[i];
	}
	assert_int_equal(wt_compare_correct(all, 10), 0);
	assert_int_equal(c.comparisons, 20);
	assert_int_equal(others[8].comparisons, 20);
	assert_false(wt_compare_asserted(&c, WT_FIG_MAKESPAN));
	sentence_is(&c, WT_FIG_MAKESPAN, " told apart in makespan with 3 runs of each, as 20 comparisons are made");
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

/* Nothing modelled in a table with something measured; without an interval no sentence but that it is so. */
static void test_kinds_apart(void **state)
{
	struct wt_compare_options options = { 0 };
	struct compared_run r = run_good(1, 1);
	struct wt_run_set a, b;
	struct wt_comparison c;
	const char *measured, *modelled, *virtual;

	(void) state;
	r.clock = "virtual";
	run_write("apart/1", &r);
	r.makespan_s = 2;
	run_write("apart2/1", &r);
	set_good(&a, "apart");
	set_good(&b, "apart2");
	a.kinds[WT_FIG_WAIT_MEAN] = b.kinds[WT_FIG_WAIT_MEAN] = WT_KIND_MODELLED;
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	measured = strstr(printed(&c), "\nMeasured on the real clock:\n");
	virtual = strstr(page, "\nOn the virtual clock:\n");
	modelled = strstr(page, "\nModelled, not measured:\n");
	assert_true(measured && virtual && modelled && measured < virtual && virtual < modelled);
	assert_true(strstr(page, "\n  whole command ") > measured && strstr(page, "\n  whole command ") < virtual);
	assert_true(strstr(page, "\n  makespan ") > virtual && strstr(page, "\n  makespan ") < modelled);
	assert_true(strstr(page, "\n  wait, mean ") > modelled);
	assert_non_null(strstr(page, "\nOne run on a side: "));
	assert_null(strstr(page, "raises makespan"));
	options.across_kinds = true;
	b.kinds[WT_FIG_WAIT_MEAN] = WT_KIND_REAL;
	assert_int_equal(wt_compare(&c, &a, &b, &options, NULL), 0);
	assert_non_null(strstr(printed(&c), "\nOf two kinds, A modelled and B real:\n"));
	assert_null(strstr(page, "\nModelled, not measured:\n"));
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

static void test_kinds(void **state)
{
	struct wt_compare_options options = { 0 };
	struct wt_error err = { "" };
	struct wt_run_set a, b;
	struct wt_comparison c;

	(void) state;
	pairs_make();
	set_good(&a, "a");
	set_good(&b, "b");
	assert_int_equal(wt_compare(&c, &a, &b, &options, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "ideal_s is real in "));
	assert_non_null(strstr(err.text, "--across-kinds"));
	options.only[WT_FIG_WALL] = true;	/* real in both */
	assert_int_equal(wt_compare(&c, &a, &b, &options, &err), 0);
	assert_true(c.wanted[WT_FIG_WALL] && !c.wanted[WT_FIG_MAKESPAN]);
	assert_int_equal(wt_compare_print(stderr, &c), 0);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

static void test_workloads(void **state)
{
	struct wt_compare_options options = { 0 };
	struct wt_error err = { "" };
	struct compared_run r = run_good(1, 1);
	struct wt_run_set a, b;
	struct wt_comparison c;

	(void) state;
	run_write("one/1", &r);
	r.workload = "v";
	run_write("other/1", &r);
	set_good(&a, "one");
	set_good(&b, "other");
	assert_int_equal(wt_compare(&c, &a, &b, &options, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "other are runs of different workloads: workload w and v (--across-workloads"));
	options.across_workloads = true;
	assert_int_equal(wt_compare(&c, &a, &b, &options, &err), 0);
	assert_true(c.other_workload);
	wt_run_set_clear(&a);
	wt_run_set_clear(&b);
}

static void test_seeds(void **state)
{
	const struct { json_t *value; bool good; uint64_t seed; } seeds[] = {
		{ json_string("18446744073709551615"), true, UINT64_MAX }, { json_integer(0), true, 0 },
		{ json_string("18446744073709551616"), false, 0 }, { json_string("-1"), false, 0 },
		{ json_integer(-1), false, 0 }, { json_string(""), false, 0 }, { json_string(" 1"), false, 0 },
		{ json_string("1x"), false, 0 }, { json_real(1.5), false, 0 }, { json_null(), false, 0 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct compared_run r = run_good(1, 1);
		struct wt_error err = { "" };
		struct wt_run_set set;
		char *dir = path_of("seeds");

		r.seed_value = seeds[i].value;
		run_write("seeds/1", &r);
		assert_int_equal(wt_run_set_read(&set, dir, &err) == 0, seeds[i].good);
		if (seeds[i].good)
			assert_true(set.runs[0].seed == seeds[i].seed);
		else
			assert_non_null(strstr(err.text, "the seed is no number"));
		wt_run_set_clear(&set);
		free(dir);
	}
}

static int teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(folder, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set), cmocka_unit_test(test_older_runs),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_counterpart_missing),
			cmocka_unit_test(test_kinds), cmocka_unit_test(test_printed),
		cmocka_unit_test(test_sentences), cmocka_unit_test(test_many), cmocka_unit_test(test_kinds_apart),
		cmocka_unit_test(test_workloads),
		cmocka_unit_test(test_releases), cmocka_unit_test(test_release_unknown),
		cmocka_unit_test(test_release_of_repeats), cmocka_unit_test(test_seeds),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests_name("compare", tests, NULL, teardown);
}
