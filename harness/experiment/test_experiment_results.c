/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An experiment's folder as the cases of a comparison. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include <sqlite3.h>

#include "harness/experiment/experiment_index.h"
#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/experiment_results.h"
#include "lib/fs.h"
#include "lib/str.h"

static char folder[] = "/tmp/wt-results-XXXXXX";

static const char file[] = "title: What defer costs\nfigures: [makespan_s, wall_s]\nworkload: {kind: light}\n"
			   "variants: {stock: , defer: }\ngrid: {cluster.nodes: [4, 8]}\n";

static char *inside(const char *name)
{
	char *path = wt_str_format("%s/%s", folder, name);

	assert_non_null(path);
	return path;
}

static void file_put(const char *name, const char *text)
{
	char *path = inside(name);

	assert_int_equal(wt_fs_write(path, text, strlen(text), 0644, NULL), 0);
	free(path);
}

static void folder_put(const char *name)
{
	char *path = inside(name);

	assert_int_equal(wt_fs_make_dir(path, 0755, NULL), 0);
	free(path);
}

static void run_put(const char *of_case, unsigned int number, double makespan_s)
{
	char name[128], text[1024];

	snprintf(name, sizeof(name), "%s/%u", of_case, number);
	folder_put(name);
	snprintf(name, sizeof(name), "%s/%u/summary.json", of_case, number);
	snprintf(text, sizeof(text),
		 "{\"workload\":\"light\",\"backend\":\"virtual\",\"clock\":\"real\",\"nodes\":4,\"cpus\":64,"
		 "\"time_scale\":1.0,\"seed\":%u,\"failure\":\"\",\"interrupted\":false,\"makespan_s\":%f,\"wall_s\":1.0,"
		 "\"kinds\":{\"makespan_s\":\"real\",\"wall_s\":\"real\"}}",
		 number, makespan_s);
	file_put(name, text);
}

static void index_put(void)
{
	static const struct experiment_run runs[] = { { "stock_nodes=4", 1, 1, 0, 2.5, NULL },
						      { "defer_nodes=8", 1, 1, 3, 1, NULL } };
	struct experiment_index *index = experiment_index_open(folder, true, NULL);
	struct experiment_plan plan;
	struct experiment e;

	assert_non_null(index);
	assert_int_equal(experiment_parse(&e, "f", file, strlen(file), NULL), 0);
	assert_int_equal(experiment_plan_make(&plan, &e, NULL, NULL), 0);
	assert_int_equal(experiment_index_plan(index, &e, &plan, NULL), 0);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		assert_int_equal(experiment_index_put(index, &runs[i], NULL), 0);
	experiment_index_close(index);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
}

static struct wt_cases read_good(const char *against)
{
	struct wt_error error = { "" };
	struct wt_cases cases;

	if (experiment_results_read(&cases, folder, against, &error) < 0)
		fail_msg("%s", error.text);
	return cases;
}

static void no_experiment(void **state)
{
	struct wt_error error;
	struct wt_cases cases;

	(void) state;
	assert_false(experiment_folder(folder));
	assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), -1);
	wt_cases_clear(&cases);
}

/* No file of settings beside the index: all is there but the places in the grid. */
static void cases_of_an_index(void **state)
{
	struct wt_cases cases;

	(void) state;
	index_put();
	folder_put("stock_nodes=4");
	folder_put("defer_nodes=4");
	for (unsigned int n = 1; n <= 3; n++) {
		run_put("stock_nodes=4", n, 100 + n);
		run_put("defer_nodes=4", n, 110 + 2 * n);
	}
	assert_true(experiment_folder(folder));
	cases = read_good(NULL);
	assert_string_equal(cases.title, "What defer costs");
	assert_int_equal(cases.figure_count, 2);
	assert_true(cases.figures[0] == WT_FIG_MAKESPAN && cases.figures[1] == WT_FIG_WALL);
	assert_true(cases.count == 4 && cases.axis_count == 0 && cases.first == 0);
	assert_string_equal(cases.items[0].name, "stock, nodes 4");
	assert_true(cases.items[0].done == 1 && cases.items[0].failed == 0);
	assert_float_equal(cases.items[0].wall_s, 2.5, 1e-9);
	assert_int_equal(cases.items[0].set.count, 3);
	assert_null(cases.items[0].series);
	assert_string_equal(cases.items[0].options, "--variant=light\n--nodes=4\n");
	assert_int_equal(cases.items[1].set.count, 0);	/* it has no folder yet */
	assert_true(cases.items[3].done == 0 && cases.items[3].failed == 1);
	assert_true(cases.items[2].compared && cases.items[2].base == 0);
	assert_float_equal(cases.items[2].with_first.difference[WT_FIG_MAKESPAN].mean, 12, 1e-9);
	wt_cases_clear(&cases);
}

static void places_in_the_grid(void **state)
{
	struct wt_cases cases;

	(void) state;
	file_put("experiment.yaml", file);
	cases = read_good("defer, nodes 4");
	assert_int_equal(cases.axis_count, 1);
	assert_string_equal(cases.axes[0], "nodes");
	assert_string_equal(cases.items[1].series, "stock");
	assert_string_equal(cases.items[1].at[0], "8");
	assert_string_equal(cases.items[2].series, "defer");
	assert_string_equal(cases.items[2].at[0], "4");
	assert_string_equal(cases.items[2].options, "--variant=light\n--nodes=4\n");
	assert_true(cases.first == 2 && cases.items[0].compared && cases.items[0].base == 2);
	wt_cases_clear(&cases);
	/* Somebody has edited the file since: the runs are of the options that they had. */
	file_put("experiment.yaml", "workload: {kind: esp}\nvariants: {stock: , defer: }\ngrid: {cluster.nodes: [4, 8]}\n");
	cases = read_good("defer, nodes 4");
	assert_string_equal(cases.items[2].at[0], "4");
	assert_string_equal(cases.items[2].options, "--variant=light\n--nodes=4\n");
	wt_cases_clear(&cases);
	file_put("experiment.yaml", "no experiment\n");	/* no curves, but all the rest */
	cases = read_good(NULL);
	assert_true(cases.count == 4 && cases.axis_count == 0);
	wt_cases_clear(&cases);
}

static void what_cannot_be_compared(void **state)
{
	struct wt_error error = { "" };
	struct wt_cases cases;

	(void) state;
	assert_int_equal(experiment_results_read(&cases, folder, "nonsense", &error), -1);
	assert_int_equal(errno, EINVAL);
	wt_cases_clear(&cases);
	/* none of its runs ended well */
	assert_int_equal(experiment_results_read(&cases, folder, "stock, nodes 8", &error), -1);
	assert_int_equal(errno, EINVAL);
	wt_cases_clear(&cases);
	run_put("stock_nodes=4", 4, 1e300);	/* sums of such squares are no numbers */
	assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), -1);
	assert_non_null(strstr(error.text, "stock_nodes=4/4/summary.json: makespan_s is 1e+300, which no run has"));
	wt_cases_clear(&cases);
	file_put("stock_nodes=4/4/summary.json", "{\"failure\":\"x\"}");
	run_put("stock_nodes=4", 5, -1);
	assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), -1);
	assert_non_null(strstr(error.text, "makespan_s is -1, which no run has"));
	wt_cases_clear(&cases);
	file_put("stock_nodes=4/5/summary.json", "{\"failure\":\"x\"}");
	file_put("stock_nodes=4/2/summary.json", "{");
	assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), -1);
	assert_non_null(strstr(error.text, "stock_nodes=4/2/summary.json"));
	wt_cases_clear(&cases);
}

/* A stranger's index: what it names twice is told once, and one that names nothing is none. */
static void figures_of_another(void **state)
{
	static const char *const lists[] = { "makespan_s nonsense makespan_s wall_s", "", "nonsense" };
	struct wt_error error = { "" };
	struct wt_cases cases;
	char *path = inside("index.sqlite");
	sqlite3 *db;

	(void) state;
	file_put("stock_nodes=4/4/summary.json", "{\"failure\":\"x\"}");
	file_put("stock_nodes=4/2/summary.json", "{\"failure\":\"x\"}");
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char *sql = sqlite3_mprintf("UPDATE fact SET value = %Q WHERE name = 'figures'", lists[i]);

		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_free(sql);
		assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), i ? -1 : 0);
		if (i)
			assert_non_null(strstr(error.text, "index.sqlite names no figure"));
		else
			assert_true(cases.figure_count == 2 && cases.figures[1] == WT_FIG_WALL);
		wt_cases_clear(&cases);
	}
	sqlite3_close(db);
	free(path);
}

static void refused(const char *words)
{
	struct wt_error error = { "" };
	struct wt_cases cases;

	assert_int_equal(experiment_results_read(&cases, folder, NULL, &error), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in '%s'", words, error.text);
	wt_cases_clear(&cases);
}

/* A stranger's index leads nowhere else, and does not compute. */
static void indexes_that_do_harm(void **state)
{
	static const char *const folders[] = { "../elsewhere", "", "..", "a/b" };
	static const char endless[] = "CREATE VIEW more AS WITH RECURSIVE t (x) AS (SELECT 1 UNION ALL SELECT x FROM t) "
				      "SELECT x FROM t";
	char *path = inside("index.sqlite");
	sqlite3 *db;

	(void) state;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "UPDATE fact SET value = 'wall_s' WHERE name = 'figures'", NULL, NULL, NULL),
			 SQLITE_OK);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *sql = sqlite3_mprintf("UPDATE experiment_case SET folder = %Q WHERE position = 1", folders[i]);

		assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
		sqlite3_free(sql);
		refused("is not the folder of a case");
	}
	assert_int_equal(sqlite3_exec(db, endless, NULL, NULL, NULL), SQLITE_OK);
	refused("is not the index of an experiment");
	sqlite3_close(db);
	free(path);
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
		cmocka_unit_test(no_experiment),
		cmocka_unit_test(cases_of_an_index),
		cmocka_unit_test(places_in_the_grid),
		cmocka_unit_test(what_cannot_be_compared),
		cmocka_unit_test(figures_of_another),
		cmocka_unit_test(indexes_that_do_harm),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
