/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "harness/upgrade/upgrade_report.h"

static void fatal(void **state)
{
	char *text;

	(void) state;
	text = upgrade_fatal_find("[2026-11-28T11:32:47.748] slurmctld version 24.11.5 started on cluster upg(0)\n"
				  "[2026-11-28T11:32:47.750] fatal: Can not recover \x1b[31m state\n[t] fatal: second\n");
	assert_string_equal(text, "fatal: Can not recover ?[31m state");
	free(text);
	text = upgrade_fatal_find("[t] fatal: MISMATCH.\nstarted with \"a\"\nread \"b\"\n[t] next\n");
	assert_string_equal(text, "fatal: MISMATCH. started with \"a\" read \"b\"");
	free(text);
	text = upgrade_fatal_find("fatal: bare");
	assert_string_equal(text, "fatal: bare");
	free(text);
	assert_null(upgrade_fatal_find("[t] error: it is not fatal: no\n[\n[x\n"));
	assert_null(upgrade_fatal_find(""));
	assert_null(upgrade_fatal_find(NULL));
}

static void strange_nodes(void **state)
{
	char *text = upgrade_strange_node_find("[t] Recovered\n[t] error: Node n3 has vanished from configuration\n");

	(void) state;
	assert_string_equal(text, "error: Node n3 has vanished from configuration");
	free(text);
	assert_null(upgrade_strange_node_find("[t] error: a\n[t] Node n3 has vanished from configuration\n"));
	assert_null(upgrade_strange_node_find(NULL));
}

static void crash(void **state)
{
	char *text = upgrade_crash_words("[t] Recovered\n[t] error: unpack \x1b here\n\n", "signal 11", 2);

	(void) state;
	assert_string_equal(text, "it ended 2 times by signal 11, the last time behind: error: unpack ? here");
	free(text);
	text = upgrade_crash_words(NULL, "exit 3", 4);
	assert_string_equal(text, "it ended 4 times by exit 3");
	free(text);
	text = upgrade_crash_words("", "exit 3", 2);
	assert_string_equal(text, "it ended 2 times by exit 3");
	free(text);
}

static void unsaved(void **state)
{
	char *text = upgrade_unsaved_find("[t] debug: Error writing file y\n"
					  "[t] error: Error writing file /c/job_state.new, No space left on device\n"
					  "[t] error: Can't save state, error creating file x\n");

	(void) state;
	assert_string_equal(text, "error: Error writing file /c/job_state.new, No space left on device");
	free(text);
	text = upgrade_unsaved_find("[t] error: Can't save state, create file /c/node_state.new error Disk quota exceeded");
	assert_non_null(text);
	free(text);
	text = upgrade_unsaved_find("[t] error: fsync() error writing trigger state save file: Input/output error\n");
	assert_non_null(text);
	free(text);
	/* of a first start: nothing to read */
	assert_null(upgrade_unsaved_find("[t] error: Could not open job state file /c/job_state: No such file or directory\n"
					 "[t] error: NOTE: Trying backup state save file. Jobs may be lost!\n"
					 "[t] Error writing file x, y\n[t] error: a\n[t] Can't save state, b\n"));
	assert_null(upgrade_unsaved_find(NULL));
}

static void recovering(void **state)
{
	struct upgrade_hop hop = { 0 };

	(void) state;
	assert_int_equal(upgrade_said_recovering(&hop.recovering,
						 "[1] error: MPI: Cannot create context for mpi/pmix_v4\n"
						 "[1] error: Could not open node state file /c/node_state: No such file\n"
						 "[2] Recovered information about 5 jobs\n"
						 "[2] error: Purging invalid reservation record maint\n"
						 "[3] Running as primary controller\n"
						 "[4] error: Nodes n1 not responding\n",
						 NULL),
			 0);
	assert_int_equal(hop.recovering.count, 2);
	assert_string_equal(hop.recovering.lines[0], "error: Could not open node state file /c/node_state: No such file");
	assert_string_equal(hop.recovering.lines[1], "error: Purging invalid reservation record maint");
	upgrade_hop_clear(&hop);
	assert_int_equal(upgrade_said_recovering(
				 &hop.recovering, "[1] error: JobId=7 a\n[2] error: Incomplete job state save file\n", NULL),
			 0);
	assert_int_equal(hop.recovering.count, 2);
	upgrade_hop_clear(&hop);
	assert_int_equal(upgrade_said_recovering(&hop.recovering, NULL, NULL), 0);
	assert_int_equal(hop.recovering.count, 0);
}

static void errors(void **state)
{
	struct upgrade_hop hop = { 0 };
	char log[8192] = "", *at = log;

	(void) state;
	assert_int_equal(upgrade_said_read(&hop.said,
					   "[1] error: a\n[2] error: b\n[3] error: b\n[4] warning: c\n[5] fatal: d\n"
					   "[6] error: High latency for 1000 calls: 714 microseconds\n",
					   "[9] error: a\n", NULL),
			 0);
	assert_int_equal(hop.said.count, 2);
	assert_string_equal(hop.said.lines[0], "error: b");
	assert_string_equal(hop.said.lines[1], "fatal: d");
	upgrade_hop_clear(&hop);
	for (int i = 0; i < UPGRADE_SAID_MAX + 3; i++)
		at += sprintf(at, "[t] error: number %d\n", i);
	assert_int_equal(upgrade_said_read(&hop.said, log, NULL, NULL), 0);
	assert_int_equal(hop.said.count, UPGRADE_SAID_MAX);
	assert_int_equal(hop.said.more, 3);
	upgrade_hop_clear(&hop);
	assert_int_equal(upgrade_said_read(&hop.said, NULL, NULL, NULL), 0);
	assert_int_equal(hop.said.count, 0);
	upgrade_hop_clear(&hop);
}

static void parse(struct upgrade_records *records, enum upgrade_kind kind, const char *text)
{
	assert_int_equal(upgrade_records_parse(&records[kind], kind, text, strlen(text), NULL), 0);
}

struct rehearsed {
	struct upgrade_records before[UPGRADE_KINDS];
	struct upgrade_hop hop;
};

static void step_make(struct rehearsed *s)
{
	const struct upgrade_side before = { "22.05.8", s->before }, control = { "22.05.8", s->hop.control },
				  after = { "23.11.11", s->hop.after };

	*s = (struct rehearsed){ .hop = { .from = "22.05.8", .to = "23.11.11", .before = s->before } };
	parse(s->before, UPGRADE_JOB,
	      "JobId=1 JobName=o\xff\x1bk JobState=RUNNING TRES=x\nJobId=2 JobName=gone JobState=PENDING "
	      "TRES=x\nJobId=3 JobName=p JobState=PENDING Priority=9 TRES=x\n");
	parse(s->hop.control, UPGRADE_JOB,
	      "JobId=1 JobName=o\xff\x1bk JobState=RUNNING TRES=x\nJobId=3 JobName=p "
	      "JobState=PENDING Priority=9 TRES=x\n");
	parse(s->hop.after, UPGRADE_JOB,
	      "JobId=1 JobName=o\xff\x1bk JobState=SUSPENDED ReqTRES=x\nJobId=3 JobName=p "
	      "JobState=PENDING Priority=1 ReqTRES=x\n");
	assert_int_equal(upgrade_said_recovering(&s->hop.recovering, "[1] error: Jobs may be lost!\n", NULL), 0);
	assert_int_equal(upgrade_compare(&s->hop.result, &before, &control, &after, NULL), 0);
}

static void step_clear(struct rehearsed *s)
{
	upgrade_records_clear(&s->before[UPGRADE_JOB]);
	upgrade_hop_clear(&s->hop);
}

static void json(void **state)
{
	struct rehearsed s;
	json_t *object, *step;

	(void) state;
	step_make(&s);
	object = upgrade_json(&s.hop, 1, NULL);
	assert_non_null(object);
	assert_int_equal(json_integer_value(json_object_get(object, "status")), 1);
	assert_true(json_is_null(json_object_get(object, "state")));
	step = json_array_get(json_object_get(object, "steps"), 0);
	assert_int_equal(json_integer_value(json_object_get(step, "lost")), 1);
	assert_true(json_is_true(json_object_get(step, "read")));
	assert_true(json_is_true(json_object_get(json_array_get(json_object_get(step, "losses"), 0), "restart")));
	assert_int_equal(json_array_size(json_object_get(step, "changes")), 2);
	assert_int_equal(json_array_size(json_object_get(step, "fields")), 2);
	assert_int_equal(json_array_size(json_object_get(step, "state_errors")), 1);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(json_object_get(step, "records"), "jobs"), "kept")),
			 1);
	json_decref(object);
	step_clear(&s);
}

static void text(void **state)
{
	struct rehearsed s;
	char *printed = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&printed, &len);

	(void) state;
	step_make(&s);
	upgrade_print(out, &s.hop, 1);
	fclose(out);
	assert_non_null(strstr(printed, "22.05.8 -> 23.11.11: 1 lost\n"));
	assert_non_null(strstr(printed, "  slurmctld 22.05.8, reading the state given: error: Jobs may be lost!\n"));
	assert_non_null(strstr(printed, "job 2"));
	assert_non_null(strstr(printed, "no record of it is left (a restart alone loses it, too)"));
	assert_non_null(strstr(printed, "Changed by the release:\n"));
	assert_non_null(strstr(printed, "Known: Priority of 1 jobs ("));
	assert_non_null(strstr(printed, "scontrol prints of jobs: -TRES +ReqTRES\n"));
	assert_null(strchr(printed, '\x1b'));
	free(printed);
	step_clear(&s);
}

static void refusals(void **state)
{
	struct upgrade_hop hops[2] = { { .from = "1", .to = "2" }, { .from = "2", .to = "1", .back = true } };
	char *printed = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&printed, &len);
	json_t *object;

	(void) state;
	assert_int_equal(upgrade_status(hops, 2), 0);
	assert_int_equal(upgrade_status(NULL, 0), 0);
	hops[1].refused = strdup("fatal: incompatible");
	assert_int_equal(upgrade_status(hops, 1), 0);
	assert_int_equal(upgrade_status(hops, 2), 1);
	upgrade_print(out, hops, 2);
	hops[0].control_refused = strdup("fatal: own");
	assert_int_equal(upgrade_status(hops, 1), 1);
	upgrade_print(out, hops, 1);
	fclose(out);
	assert_non_null(strstr(printed, "1 -> 2: nothing is lost\n"));
	assert_non_null(strstr(printed, "2 -> 1 (back): refused\n  slurmctld 1: fatal: incompatible\n"));
	assert_non_null(strstr(printed, "1 -> 2: not tried\n  slurmctld 1 refuses its own state: fatal: own\n"));
	free(printed);
	object = upgrade_json(hops, 2, "/a");
	assert_string_equal(json_string_value(json_object_get(object, "state")), "/a");
	assert_true(json_is_false(json_object_get(json_array_get(json_object_get(object, "steps"), 1), "read")));
	json_decref(object);
	upgrade_hop_clear(&hops[0]);
	upgrade_hop_clear(&hops[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fatal), cmocka_unit_test(strange_nodes), cmocka_unit_test(errors),
		cmocka_unit_test(json),  cmocka_unit_test(text),          cmocka_unit_test(refusals),
		cmocka_unit_test(unsaved), cmocka_unit_test(recovering),  cmocka_unit_test(crash),
	};

	return cmocka_run_group_tests_name("upgrade_report", tests, NULL, NULL);
}
