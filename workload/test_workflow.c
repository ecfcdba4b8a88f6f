/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workflows of DAX and WfCommons files: what they become, and what is refused. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/dax.h"
#include "workload/json_trace.h"
#include "workload/slice.h"
#include "workload/task_graph.h"

typedef int (*read_fn)(struct wt_swf_trace *, FILE *, const char *, const bool *, struct wt_error *);

static int text_read(read_fn fn, struct wt_swf_trace *trace, const char *text, struct wt_error *err)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = fn(trace, in, "w", NULL, err);
	fclose(in);
	return rc;
}

static void expect_refused(read_fn fn, const char *text, const char *message)
{
	struct wt_swf_trace t;
	struct wt_error err = { "" };

	assert_int_equal(text_read(fn, &t, text, &err), -1);
	if (strncmp(err.text, message, strlen(message)))
		fail_msg("'%s' does not begin with '%s'", err.text, message);
	assert_true(!t.jobs && !t.job_count);
	assert_int_equal(text_read(fn, &t, text, NULL), -1);
}

static const char *dependency(const struct wt_swf_job *job)
{
	return job->ask->text[WT_ASK_DEPENDENCY] ? job->ask->text[WT_ASK_DEPENDENCY] : "";
}

#define ADAG(text) "<?xml version=\"1.0\"?>\n<adag xmlns=\"http://pegasus.isi.edu/schema/DAX\">\n" text "</adag>\n"
#define JOB(id) "<job id=\"" id "\" name=\"n\" runtime=\"1\"/>\n"

static const char diamond[] = ADAG(
	"<job id=\"ID4\" name=\"mAdd\"><profile namespace=\"pegasus\" key=\"runtime\"> 2.5 </profile>"
	"<profile namespace=\"pegasus\" key=\"cores\">4</profile>"
	"<profile namespace=\"env\" key=\"cores\">9</profile></job>\n"
	"<job id=\"ID1\" namespace=\"Montage\" name=\"mProject\" runtime=\"13.59\">\n"
	"<argument>a &amp; <file name=\"x\"/></argument>\n"
	"<uses file=\"x\" link=\"input\" size=\"300\"/>"
	"<uses name=\"y\" link=\"output\" size=\"700.0\"/><uses name=\"z\"/></job>\n"
	"<job id=\"ID2\" name=\"mDiff\" runtime=\"0\"/><job id=\"ID 3\" name=\"mDiff\" runtime=\"1e2\"/>\n"
	"<child ref=\"ID4\"><parent ref=\"ID 3\"/><parent ref=\"ID2\"/><parent ref=\"ID2\"/></child>\n"
	"<child ref=\"ID2\"><parent ref=\"ID1\"/></child><child ref=\"ID 3\"><parent ref=\"ID1\"/></child>\n");

static void test_dax(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	assert_int_equal(text_read(wt_dax_read, &t, diamond, NULL), 0);
	assert_true(t.job_count == 4 && t.entry_count == 4 && t.has_asks && t.max_procs == 0);
	/* ID4 stands first in the file, and behind all that it waits for here; an id with a blank is its place. */
	assert_string_equal(t.jobs[0].id, "ID1");
	assert_string_equal(t.jobs[1].id, "ID2");
	assert_string_equal(t.jobs[2].id, "task4");
	assert_string_equal(t.jobs[3].id, "ID4");
	assert_string_equal(dependency(&t.jobs[0]), "");
	assert_string_equal(dependency(&t.jobs[2]), "afterok:ID1");
	assert_string_equal(dependency(&t.jobs[3]), "afterok:ID2:task4");
	assert_true(t.jobs[0].run_time_s == 13.59 && t.jobs[0].data_bytes == 1000 && t.jobs[0].procs == 1);
	assert_true(t.jobs[2].run_time_s == 100 && t.jobs[1].run_time_s == 0 && t.jobs[0].line == 4);
	assert_true(t.jobs[3].run_time_s == 2.5 && t.jobs[3].procs == 4 && wt_job_ask_cpus(t.jobs[3].ask) == 4);
	assert_string_equal(t.jobs[0].profile, "mProject");
	wt_swf_trace_clear(&t);
}

static void test_dax_refused(void **state)
{
	(void) state;
	expect_refused(wt_dax_read, "", "w:1: no element found");
	expect_refused(wt_dax_read, "<adag>\n<job", "w:2: unclosed token");
	expect_refused(wt_dax_read, "<html></html>", "w:1: the file's element is not <adag>: not a DAX");
	expect_refused(wt_dax_read, ADAG(""), "w: no task in it");
	expect_refused(wt_dax_read, ADAG("<job name=\"x\" runtime=\"1\"/>"), "w:3: <job> without an id");
	expect_refused(wt_dax_read, ADAG("<job id=\"\" runtime=\"1\"/>"), "w:3: a task's id has 0 bytes");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\"/>"), "w:3: the <job> that ends here has no runtime");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"0x10\"/>"), "w:3: runtime is not a number of seconds");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"-1\"/>"), "w:3: a run time of -1 s: it is from 0");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"1\"><uses size=\"x\"/></job>"), "w:3: size is not");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"1\"><profile namespace=\"pegasus\" key=\"cores\">1.5"
					 "</profile></job>"), "w:3: 1.5 cores: give a whole number");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"1\"><profile namespace=\"pegasus\" key=\"cores\">"
					 "</profile></job>"), "w:3: a profile runtime or cores that is not a number");
	expect_refused(wt_dax_read, ADAG(JOB("a") JOB("a")), "w:4: the id stands at 3, too");
	expect_refused(wt_dax_read, ADAG(JOB("task2") JOB("a b")), "w:4: two tasks are called task2");
	expect_refused(wt_dax_read, ADAG("<job id=\"a\" runtime=\"1\"><job id=\"b\"/></job>"), "w:3: <job> within a <job>");
	expect_refused(wt_dax_read, ADAG(JOB("a") "<child ref=\"a\"><parent ref=\"b\"/></child>"),
		       "w:4: task 'b' is waited for, or waits, and there is no such task");
	expect_refused(wt_dax_read, ADAG(JOB("a") "<child ref=\"c\"/>"), "w:4: task 'c' is waited for, or waits");
	expect_refused(wt_dax_read, ADAG(JOB("a") "<parent ref=\"a\"/>"), "w:4: <parent> that is not within a <child>");
	expect_refused(wt_dax_read, ADAG(JOB("a") "<child><parent ref=\"a\"/></child>"), "w:4: <child> without a ref");
	expect_refused(wt_dax_read, ADAG(JOB("a") "<child ref=\"a\"><parent ref=\"a\"/></child>"),
		       "w:3: task 'a' waits for itself, by way of 'a'");
	expect_refused(wt_dax_read, ADAG(JOB("a") JOB("b") "<child ref=\"a\"><parent ref=\"b\"/></child>"
					 "<child ref=\"b\"><parent ref=\"a\"/></child>"),
		       "w:3: task 'a' waits for itself, by way of 'b'");
	expect_refused(wt_dax_read, ADAG("<dax id=\"a\" file=\"b\"/>"), "w:3: a workflow within the workflow");
	expect_refused(wt_dax_read, "<!DOCTYPE adag [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]>\n"
		       "<adag>&b;</adag>", "w:1: a document type (<!DOCTYPE>), whose entities may grow without end");
	expect_refused(wt_dax_read, "<!DOCTYPE adag SYSTEM \"file:///etc/passwd\">\n<adag/>", "w:1: a document type");
}

/* A file of gzip may become one attribute of any length; elements may be within each other without end; a chain of tasks
 * may be as long as the file. */
static void test_dax_large(void **state)
{
	size_t size = 3 << 20, len = 0;
	char *text = malloc(size + 128);
	struct wt_swf_trace t;

	(void) state;
	memset(text, 'a', size);
	memcpy(text, "<adag><job id=\"", 15);
	strcpy(text + size, "\" runtime=\"1\"/></adag>");
	expect_refused(wt_dax_read, text, "w:1: an element, or what stands between two, of more than 1048576 bytes");
	len = (size_t) sprintf(text, "<adag>");
	for (int i = 0; i < 100; i++)
		len += (size_t) sprintf(text + len, "<a>");
	expect_refused(wt_dax_read, text, "w:1: elements within elements, more than 64 of them");
	len = (size_t) sprintf(text, "<adag>");
	for (int i = 0; i < 20000; i++)
		len += (size_t) sprintf(text + len, "<job id=\"%d\" runtime=\"1\"/>", i);
	for (int i = 0; i + 1 < 20000; i++)
		len += (size_t) sprintf(text + len, "<child ref=\"%d\"><parent ref=\"%d\"/></child>", i, i + 1);
	assert_true(len < size);
	strcpy(text + len, "</adag>");
	assert_int_equal(text_read(wt_dax_read, &t, text, NULL), 0);
	assert_true(t.job_count == 20000);
	assert_string_equal(t.jobs[0].id, "19999");
	assert_string_equal(dependency(&t.jobs[19999]), "afterok:1");
	wt_swf_trace_clear(&t);
	free(text);
}

/* More than slurmctld takes of one job. */
static void test_wide(void **state)
{
	struct wt_task_graph *g = wt_task_graph_create();
	const struct wt_task task = { .line = 7, .cores = 1 };
	struct wt_swf_trace t;
	struct wt_error err;
	char id[64];

	(void) state;
	for (int i = 0; i < 4000; i++) {
		snprintf(id, sizeof(id), "a-task-with-a-long-name-%030d", i);
		assert_int_equal(wt_task_graph_find(g, id, 1, NULL), i);
		assert_int_equal(wt_task_graph_tell(g, (size_t) i, &task, NULL), 0);
		assert_int_equal(i ? wt_task_graph_wait(g, 0, (size_t) i, NULL) : 0, 0);
	}
	assert_int_equal(wt_task_graph_jobs(g, &t, "w", &err), -1);
	assert_non_null(strstr(err.text, "waits for 3999 others: slurmctld takes 131071 bytes"));
	assert_int_equal(errno, EINVAL);
	wt_task_graph_destroy(g);
	wt_task_graph_destroy(NULL);
}

static const char old[] = "{\"name\": \"x\", \"schemaVersion\": \"1.3\", \"workflow\": {\"tasks\": ["
	"{\"name\": \"add_ID2\", \"category\": \"add\", \"id\": \"ID2\", \"runtime\": 3, \"parents\": [\"project_ID1\"]},"
	"{\"name\": \"project_ID1\", \"id\": \"ID1\", \"runtimeInSeconds\": 2.5, \"cores\": 2, \"children\": [\"ID2\"],"
	"\"files\": [{\"name\": \"f\", \"size\": 10}, {\"name\": \"g\", \"sizeInBytes\": 32}, {\"name\": \"h\"}]}]}}";
static const char new[] = "{\"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": ["
	"{\"name\": \"a\", \"id\": \"a:1\", \"children\": [\"b\"], \"parents\": [], \"inputFiles\": [\"f\", \"?\"],"
	"\"outputFiles\": [\"g\"]}, {\"name\": \"b\", \"id\": \"b\", \"parents\": [\"a:1\"]}],"
	"\"files\": [{\"id\": \"f\", \"sizeInBytes\": 4}, {\"id\": \"g\", \"sizeInBytes\": 5}]},"
	"\"execution\": {\"tasks\": [{\"id\": \"b\", \"runtimeInSeconds\": 7, \"coreCount\": 3},"
	"{\"id\": \"a:1\", \"runtimeInSeconds\": 8}]}}}";

static void test_wfcommons(void **state)
{
	struct wt_swf_trace t;
	bool is_workflow = false;
	FILE *in;

	(void) state;
	assert_int_equal(text_read(wt_wfcommons_read, &t, old, NULL), 0);
	assert_true(t.job_count == 2 && t.jobs[0].run_time_s == 2.5 && t.jobs[0].procs == 2 && t.jobs[0].data_bytes == 42);
	assert_string_equal(t.jobs[0].id, "ID1");
	assert_string_equal(t.jobs[1].profile, "add");
	assert_string_equal(dependency(&t.jobs[1]), "afterok:ID1");
	wt_swf_trace_clear(&t);
	in = fmemopen((void *) new, strlen(new), "r");
	assert_int_equal(wt_json_trace_read(&t, in, "w", NULL, &is_workflow, NULL), 0);
	fclose(in);
	assert_true(is_workflow && t.job_count == 2 && t.jobs[0].data_bytes == 9 && t.jobs[0].run_time_s == 8);
	assert_string_equal(t.jobs[0].id, "task1");
	assert_true(t.jobs[1].procs == 3 && t.jobs[1].run_time_s == 7);
	assert_string_equal(dependency(&t.jobs[1]), "afterok:task1");
	wt_swf_trace_clear(&t);
}

#define TASKS(text) "{\"workflow\": {\"tasks\": [" text "]}}"
#define T(id, more) "{\"name\": \"" id "\", \"runtime\": 1" more "}"

static void test_wfcommons_refused(void **state)
{
	(void) state;
	expect_refused(wt_wfcommons_read, "{\"workflow\":\n", "w:");
	expect_refused(wt_wfcommons_read, "[]", "w: it has no object 'workflow'");
	expect_refused(wt_wfcommons_read, "{\"workflow\": {}}", "w: workflow has no tasks");
	expect_refused(wt_wfcommons_read, TASKS("{}"), "w:1: task 1: neither id nor name is a text");
	expect_refused(wt_wfcommons_read, TASKS("7"), "w:1: task 1: neither id nor name is a text");
	expect_refused(wt_wfcommons_read, TASKS("{\"name\": \"a\"}"), "w:1: task 1: runtimeInSeconds is missing");
	expect_refused(wt_wfcommons_read, TASKS(T("a", "") "," T("a", "")), "w:2: task 2: the id stands at 1, too");
	expect_refused(wt_wfcommons_read, TASKS(T("a", ",\"cores\": \"x\"")), "w:1: task 1: 0 cores");
	expect_refused(wt_wfcommons_read, TASKS(T("a", ",\"files\": [{\"size\": -1}]")), "w:1: task 1: its files");
	expect_refused(wt_wfcommons_read, TASKS(T("a", ",\"parents\": 7")), "w:1: task 1: parents and children are arrays");
	expect_refused(wt_wfcommons_read, TASKS(T("a", ",\"parents\": [\"b\"]")),
		       "w:1: task 1: its parents name 'b', and there is no such task");
	expect_refused(wt_wfcommons_read, TASKS(T("a", ",\"children\": [\"a\"]")), "w:1: task 'a' waits for itself");
	expect_refused(wt_wfcommons_read, "{\"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\"}]}}}",
		       "w: workflow.execution has no tasks");
	expect_refused(wt_wfcommons_read, "{\"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\"}]},"
		       "\"execution\": {\"tasks\": [{\"id\": \"a\"}, {\"id\": \"a\"}]}}}",
		       "w:2: execution's task 2: its id stands twice");
	expect_refused(wt_wfcommons_read, "{\"workflow\": {\"specification\": {\"tasks\": [{\"id\": \"a\"}]},"
		       "\"execution\": {\"tasks\": [{\"id\": \"b\", \"runtimeInSeconds\": 1}]}}}",
		       "w:1: task 1: runtimeInSeconds is missing");
}

/* Files take time at a bandwidth; without one they take none. */
static void test_bandwidth(void **state)
{
	struct wt_slice_options o;
	struct wt_slice_info info;
	struct wt_swf_trace t;
	struct wt_workload *w;

	(void) state;
	assert_int_equal(text_read(wt_dax_read, &t, diamond, NULL), 0);
	wt_slice_options_init(&o);
	o.machine_cpus = 4;
	w = wt_slice_create(&t, &o, &info, NULL);
	assert_true(w && w->jobs[0].run_time_s == 13.59 && info.transfer_s == 0);
	assert_string_equal(w->jobs[3].ask->text[WT_ASK_DEPENDENCY], "afterok:ID2:task4");
	wt_workload_destroy(w);
	o.bandwidth = 100;
	o.shared.time_scale = 2;
	w = wt_slice_create(&t, &o, &info, NULL);
	assert_true(w && w->jobs[0].run_time_s == 2 * 23.59 && w->jobs[1].run_time_s == 0 && info.transfer_s == 10);
	wt_workload_destroy(w);
	o.near = "n0,n7";
	o.near_bandwidth = 1000;
	w = wt_slice_create(&t, &o, &info, NULL);
	assert_true(w && fabs(w->jobs[0].run_time_s - 2 * 14.59) < 1e-9 && fabs(w->jobs[0].away_s - 18) < 1e-9);
	assert_string_equal(w->jobs[0].near, "n0,n7");
	assert_true(!w->jobs[1].near && w->jobs[1].away_s == 0 && info.transfer_s == 1);
	wt_workload_destroy(w);
	o.max_run_time_s = 20;	/* the longest is cut */
	w = wt_slice_create(&t, &o, &info, NULL);
	assert_true(w && info.cut && fabs(w->jobs[0].run_time_s + w->jobs[0].away_s - 40) < 1e-9);
	wt_workload_destroy(w);
	o.near_bandwidth = 100;	/* not more than on the others */
	assert_null(wt_slice_create(&t, &o, &info, NULL));
	o.near = NULL;
	o.bandwidth = -1;
	assert_null(wt_slice_create(&t, &o, &info, NULL));
	wt_swf_trace_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dax), cmocka_unit_test(test_dax_refused), cmocka_unit_test(test_dax_large),
		cmocka_unit_test(test_wide), cmocka_unit_test(test_wfcommons), cmocka_unit_test(test_wfcommons_refused),
		cmocka_unit_test(test_bandwidth),
	};

	return cmocka_run_group_tests_name("workflow", tests, NULL, NULL);
}
