/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

#include "harness/experiment/experiment_index.h"
#include "lib/fs.h"
#include "lib/str.h"

static char folder[] = "/tmp/wt-index-XXXXXX";

static const char text[] = "title: T\nfigures: [makespan_s, wait_mean_s]\nworkload: {kind: light}\nvariants: {a: , b: }\n";

static void plan_take(struct experiment *e, struct experiment_plan *plan, const char *from)
{
	struct wt_error error;

	if (experiment_parse(e, "f", from, strlen(from), &error) < 0 || experiment_plan_make(plan, e, NULL, &error) < 0)
		fail_msg("%s", error.text);
}

static int plan_put(struct experiment_index *index, const char *from, struct wt_error *errp)
{
	struct experiment_plan plan;
	struct experiment e;
	int rc;

	plan_take(&e, &plan, from);
	rc = experiment_index_plan(index, &e, &plan, errp);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	return rc;
}

static void runs_are_remembered(void **state)
{
	struct wt_run_figures figures = { .seed = 7 };
	struct wt_run_set set = { .count = 1, .runs = &figures };
	struct experiment_run run = { "a", 1, UINT64_MAX, 0, 2.5, &set };
	struct experiment_index *index;
	struct wt_error error;

	(void) state;
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		figures.values[f] = f ? NAN : 1.5;
	assert_null(experiment_index_open(folder, false, &error));
	assert_int_equal(errno, ENOENT);
	index = experiment_index_open(folder, true, &error);
	assert_non_null(index);
	assert_int_equal(plan_put(index, text, &error), 0);
	assert_int_equal(experiment_index_done(index, "a", 1, UINT64_MAX, &error), 0);
	assert_int_equal(experiment_index_put(index, &run, &error), 0);
	run.wall_s = 3.5; /* again: in its place */
	assert_int_equal(experiment_index_put(index, &run, &error), 0);
	run = (struct experiment_run){ "b", 1, 1, -9, 1, NULL };
	assert_int_equal(experiment_index_put(index, &run, &error), 0);
	experiment_index_close(index);
}

static void runs_are_found(void **state)
{
	struct experiment_index_case *cases;
	struct experiment_index *index;
	struct wt_error error;
	size_t count;
	char *fact;

	(void) state;
	index = experiment_index_open(folder, false, &error);
	assert_non_null(index);
	assert_int_equal(experiment_index_done(index, "a", 1, UINT64_MAX, &error), 1);
	assert_int_equal(experiment_index_done(index, "a", 1, 6, &error), 0); /* another seed */
	assert_int_equal(experiment_index_done(index, "b", 1, 1, &error), 0); /* failed */
	assert_int_equal(experiment_index_cases(index, &cases, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_string_equal(cases[0].name, "a");
	assert_string_equal(cases[0].options, "--variant=light\n");
	assert_true(cases[0].done == 1 && cases[0].failed == 0 && fabs(cases[0].wall_s - 3.5) < 1e-9);
	assert_true(cases[1].done == 0 && cases[1].failed == 1 && cases[1].wall_s == 0);
	experiment_index_cases_free(cases, count);
	fact = experiment_index_fact(index, "figures", &error);
	assert_string_equal(fact, "makespan_s wait_mean_s");
	free(fact);
	assert_null(experiment_index_fact(index, "nonsense", &error));
	assert_int_equal(errno, ENOENT);
	experiment_index_close(index);
}

/* SQLite keeps NULL in a primary key that is no integer: a stranger's index may have one where ours has not. */
static void names_may_be_missing(void **state)
{
	char *path = wt_str_format("%s/index.sqlite", folder);
	const char *sql;
	struct experiment_index_case *cases;
	struct experiment_index *index;
	struct wt_error error;
	sqlite3 *db;
	size_t count;

	(void) state;
	index = experiment_index_open(folder, true, &error);
	assert_non_null(index);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sql = "INSERT INTO experiment_case VALUES (NULL, 'nameless', 9, 'run')";
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(experiment_index_cases(index, &cases, &count, &error), 0);
	assert_string_equal(cases[count - 1].name, "nameless");
	assert_string_equal(cases[count - 1].folder, "");
	assert_string_equal(cases[count - 1].options, "");
	experiment_index_cases_free(cases, count);
	assert_int_equal(sqlite3_exec(db, "DELETE FROM experiment_case WHERE folder IS NULL", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	experiment_index_close(index);
	free(path);
}

/* A case whose runs are there may not become another one; one that has no runs, or has a name of its own, may. */
static void options_may_not_change_under_runs(void **state)
{
	struct experiment_index *index;
	struct wt_error error = { "" };

	(void) state;
	index = experiment_index_open(folder, true, &error);
	assert_non_null(index);
	assert_int_equal(plan_put(index, text, &error), 0);
	assert_int_equal(plan_put(index, "workload: {kind: esp}\nvariants: {a: , b: }\n", &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(error.text, "a was run with other options before"));
	assert_int_equal(plan_put(index, "workload: {kind: esp}\nvariants: {c: }\n", &error), 0);
	assert_int_equal(plan_put(index, "workload: {kind: light}\nvariants: {a: , c: }\n", &error), 0);
	experiment_index_close(index);
}

/* Of what the file does not have any more only what was run stays, behind what it has. */
static void a_file_that_has_changed(void **state)
{
	struct experiment_index_case *cases;
	struct experiment_index *index;
	struct wt_error error = { "" };
	size_t count;

	(void) state;
	index = experiment_index_open(folder, true, &error);
	assert_non_null(index);
	assert_int_equal(plan_put(index, "workload: {kind: light}\nvariants: {x: , y: , b: }\n", &error), 0);
	assert_int_equal(plan_put(index, "workload: {kind: light}\nvariants: {z: , y: , c: , d: }\n", &error), 0);
	assert_int_equal(experiment_index_cases(index, &cases, &count, &error), 0);
	assert_int_equal(count, 6);
	assert_string_equal(cases[0].name, "z");
	assert_string_equal(cases[1].name, "y");
	assert_string_equal(cases[3].name, "d");
	assert_true(!strcmp(cases[4].name, "a") || !strcmp(cases[5].name, "a"));
	assert_true(!strcmp(cases[4].name, "b") || !strcmp(cases[5].name, "b"));
	experiment_index_cases_free(cases, count);
	experiment_index_close(index);
}

static void other_files_are_not_indexes(void **state)
{
	char dir[] = "/tmp/wt-index-XXXXXX", *path;
	struct wt_error error;

	(void) state;
	assert_non_null(mkdtemp(dir));
	path = wt_str_format("%s/index.sqlite", dir);
	assert_int_equal(wt_fs_write(path, "not a database at all, but long enough to be looked at\n", 55, 0644, &error), 0);
	assert_null(experiment_index_open(dir, true, &error));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(error.text, "index.sqlite"));
	unlink(path);
	assert_int_equal(wt_fs_make_dir(path, 0755, &error), 0);
	assert_null(experiment_index_open(dir, true, &error));
	free(path);
	assert_int_equal(wt_fs_remove_tree(dir, &error), 0);
	assert_null(experiment_index_open(dir, true, &error)); /* no folder */
}

static int folder_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	(void) state;
	return wt_fs_remove_tree(folder, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_remembered),
		cmocka_unit_test(runs_are_found),
		cmocka_unit_test(names_may_be_missing),
		cmocka_unit_test(options_may_not_change_under_runs),
		cmocka_unit_test(a_file_that_has_changed),
		cmocka_unit_test(other_files_are_not_indexes),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
