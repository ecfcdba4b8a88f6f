/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes the jobs of a run had: from run folders, from slurmctld's log, from SWF.  The tree has two leaf switches of
 * four nodes, n0 to n7; a node has 4 CPUs. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "harness/placement/placed.h"
#include "harness/placement/placements_reader.h"
#include "lib/fs.h"
#include "lib/outfile.h"
#include "lib/test_cmocka.h"
#include "record/event_format.h"
#include "record/jobs_csv.h"

static char dir[] = "/tmp/wt-test-placements.XXXXXX";
static struct wt_tree *tree;

static const char *in_dir(const char *name)
{
	static char path[sizeof(dir) + 32];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void file_write(const char *name, const char *text)
{
	assert_int_equal(wt_fs_write(in_dir(name), text, strlen(text), 0600, NULL), 0);
}

static int group_setup(void **state)
{
	(void) state;
	tree = wt_tree_fat(&(struct wt_tree_shape) { .arity = "4,2" }, NULL);
	return tree && mkdtemp(dir) && mkdir(in_dir("logs"), 0700) == 0 ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void) state;
	wt_tree_destroy(tree);
	return wt_fs_remove_tree(dir, NULL);
}

static void test_units(void **state)
{
	enum placement_unit unit = UNIT_AUTO;

	(void) state;
	assert_int_equal(placements_unit_parse("cpus", &unit, NULL), 0);
	assert_int_equal(unit, UNIT_CPUS);
	assert_int_equal(placements_unit_parse("nodes", &unit, NULL), 0);
	assert_int_equal(unit, UNIT_NODES);
	assert_int_equal(placements_unit_parse("auto", &unit, NULL), 0);
	assert_int_equal(unit, UNIT_AUTO);
	assert_int_equal(placements_unit_parse("cpu", &unit, NULL), -1);
	assert_int_equal(errno, EINVAL);
}

static void test_offers(void **state)
{
	static const char *const bad[] = { "16", ":n1", "0:n1", "x:n1", "16:n[", "4294967296:n1", "123456789012:n1",
					   "1:n1 2" };
	struct offer offer;

	(void) state;
	assert_int_equal(offer_read(tree, "  16:n[0-1]  3:n7 4:m8,n2 4294967295:n5 ", &offer, NULL), 0);
	assert_int_equal(offer.count, 5);
	assert_memory_equal(offer.nodes, ((uint32_t[]) { 0, 1, 7, 2, 5 }), 5 * sizeof(uint32_t));
	assert_memory_equal(offer.units, ((uint32_t[]) { 16, 16, 3, 4, UINT32_MAX }), 5 * sizeof(uint32_t));
	offer_clear(&offer);
	assert_int_equal(offer_read(tree, "1:n[0-7] 2:n[0-7]", &offer, NULL), 0);
	assert_int_equal(offer.count, 8);		/* no more than there are nodes */
	offer_clear(&offer);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(offer_read(tree, bad[i], &offer, NULL), -1);
		assert_true(errno == EINVAL || errno == ERANGE);
		assert_null(offer.nodes);
	}
}

static void raw_drop(struct raw *raw)
{
	struct placements p = { 0 };

	assert_int_equal(raw_finish(&p, raw, -1, UNIT_AUTO, "x", NULL), -1);
	placements_clear(&p);
}

static void test_nodes_in_the_trees_order(void **state)
{
	struct raw raw = { .tree = tree };
	struct raw_job *j = raw_add(&raw, "n[5-6],n1", "4,3,2", 10, 20, NULL);

	(void) state;
	assert_non_null(j);
	assert_int_equal(j->job.node_count, 3);
	assert_memory_equal(j->job.nodes, ((uint32_t[]) { 1, 5, 6 }), 3 * sizeof(uint32_t));
	assert_memory_equal(j->job.node_units, ((uint32_t[]) { 2, 4, 3 }), 3 * sizeof(uint32_t));
	assert_true(j->job.start_s == 10 && j->job.release_s[0] == 20 && j->job.release_s[2] == 20);
	assert_null(raw_add(&raw, "n9", NULL, 0, 1, NULL));
	assert_int_equal(errno, EINVAL);
	assert_null(raw_add(&raw, "n[0-1]", "4", 0, 1, NULL));
	assert_null(raw_add(&raw, "n[", NULL, 0, 1, NULL));
	raw_drop(&raw);
	raw = (struct raw) { .tree = tree };
	for (int i = 0; i < 600; i++)
		assert_non_null(raw_add(&raw, "n0", NULL, i, i + 1, NULL));
	assert_int_equal(raw.count, 600);
	assert_true(raw.jobs[599].job.start_s == 599);
	raw_drop(&raw);
}

static struct raw jobs_of(const double *starts_s, uint32_t count)
{
	struct raw raw = { .tree = tree };

	for (uint32_t i = 0; i < count; i++)
		raw_add(&raw, "n0", NULL, starts_s[i], 1000, NULL)->job_id = i + 1;
	return raw;
}

static void log_read(struct raw *raw, const char *text, int want)
{
	FILE *in = fmemopen((void *) (uintptr_t) text, strlen(text), "r");

	assert_non_null(in);
	assert_int_equal(raw_read_log(raw, in, NULL), want);
	fclose(in);
}

/* Placed in one cycle the last job first; the node side saw them start the other way round. */
static void test_order_of_the_log(void **state)
{
	static const double starts_s[] = { 10, 10.25, 10.5, 400 };
	struct raw raw = jobs_of(starts_s, 4);

	(void) state;
	log_read(&raw, "[t] sched: Allocate JobId=4 NodeList=n0\n"	/* 390 s later: of another life */
		 "[t] sched: Allocate JobId=9_1(3) NodeList=n0\n[t] other: JobId=1\n"
		 "[t] sched/backfill: _start_job: Started JobId=2 in p on n0\n"
		 "[t] sched: _slurm_rpc_allocate_resources JobId=1 NodeList=n0\n", 0);
	assert_int_equal(raw.jobs[0].job_id, 3);
	assert_int_equal(raw.jobs[1].job_id, 2);
	assert_int_equal(raw.jobs[2].job_id, 1);
	assert_int_equal(raw.jobs[3].job_id, 4);
	assert_true(raw.jobs[0].job.start_s == 10 && raw.jobs[1].job.start_s == 10 && raw.jobs[3].job.start_s == 400);
	raw_drop(&raw);
}

static void test_slack_of_the_log(void **state)
{
	static const double starts_s[] = { 10, 19.5, 20, 30 };
	struct raw raw = jobs_of(starts_s, 4);

	(void) state;
	log_read(&raw, "[t] sched: Allocate JobId=2 x\n[t] sched: Allocate JobId=3 x\n[t] sched: Allocate JobId=1 x\n", 0);
	assert_int_equal(raw.jobs[0].job_id, 2);		/* less than ten seconds: it is taken to have been first */
	assert_true(raw.jobs[0].job.start_s == 10);
	assert_int_equal(raw.jobs[1].job_id, 1);
	assert_true(raw.jobs[2].job_id == 3 && raw.jobs[2].job.start_s == 20);
	assert_true(raw.jobs[3].job_id == 4 && raw.jobs[3].job.start_s == 30);	/* not in the log */
	raw_drop(&raw);
}

static void test_offers_of_the_log(void **state)
{
	static const double starts_s[] = { 10, 20 };
	struct raw raw = jobs_of(starts_s, 2);

	(void) state;
	log_read(&raw, "[t] windtunnel bestfit: offered: JobId=1 4:n[0-7]\n"
		 "[t] windtunnel bestfit: offered: JobId=1 3:n[2-3]\n[t] windtunnel bestfit: offered: JobId=7 x\n"
		 "[t] windtunnel bestfit: offered: JobId=2 4:n1\n[t] windtunnel bestfit: offered: JobId=2 4:n[0-", 0);
	assert_int_equal(raw.jobs[0].job.offer_count, 2);	/* the last one counts */
	assert_int_equal(raw.jobs[0].job.offer_nodes[0], 2);
	assert_int_equal(raw.jobs[0].job.offer_units[1], 3);
	assert_int_equal(raw.jobs[1].job.offer_count, 1);	/* half of a line is none */
	raw_drop(&raw);
	raw = jobs_of(starts_s, 2);
	log_read(&raw, "[t] windtunnel bestfit: offered: JobId=2 4:n1 5\n", -1);
	raw_drop(&raw);
}

static int load(struct placements *p, const char *name, enum placement_unit unit, struct wt_error *errp)
{
	return placements_load(p, in_dir(name), tree, unit, errp);
}

#define SWF_HEAD "; MaxNodes: 8\n; MaxProcs: 32\n\n"

static void test_swf(void **state)
{
	struct placements p;

	(void) state;
	file_write("t.swf", SWF_HEAD
		   "1 100 5 60 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n[0-1]\n"
		   "2 100 5 60 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n"		/* no nodes */
		   "3 100 -1 60 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n3\n"		/* never started */
		   "4 100 0 0 4 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n3 more\n");
	assert_int_equal(load(&p, "t.swf", UNIT_AUTO, NULL), 0);
	assert_int_equal(p.count, 2);
	assert_int_equal(p.without_nodes, 2);
	assert_null(p.capacity);		/* all had whole nodes */
	assert_int_equal(p.jobs[0].units, 2);
	assert_true(p.jobs[0].start_s == 105 && p.jobs[0].release_s[0] == 165);
	assert_int_equal(p.jobs[1].nodes[0], 3);
	placements_clear(&p);
	assert_int_equal(load(&p, "t.swf", UNIT_CPUS, NULL), 0);
	assert_int_equal(p.jobs[0].units, 8);
	assert_int_equal(p.capacity[7], 4);
	assert_int_equal(p.assumed, 0);
	placements_clear(&p);
}

/* Parts of nodes: what each gave is assumed where it was neither one node nor all of each. */
static void test_swf_of_shared_nodes(void **state)
{
	struct placements p;

	(void) state;
	file_write("t.swf", SWF_HEAD "1 0 0 9 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n0\n"
		   "2 0 0 9 7 -1 -1 7 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n[1-2]\n"
		   "3 0 0 9 8 -1 -1 8 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n[3-4]\n");
	assert_int_equal(load(&p, "t.swf", UNIT_AUTO, NULL), 0);
	assert_non_null(p.capacity);
	assert_int_equal(p.jobs[1].units, 7);
	assert_int_equal(p.assumed, 1);
	placements_clear(&p);
	assert_int_equal(load(&p, "t.swf", UNIT_NODES, NULL), 0);
	assert_null(p.capacity);
	assert_int_equal(p.jobs[1].units, 2);
	placements_clear(&p);
}

/* A byte order mark, as editors of Windows write it, costs neither the first line's job nor the sizes. */
static void test_swf_byte_order_mark(void **state)
{
	static const char job[] = "1 0 0 9 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n0\n";
	char text[200];
	struct placements p;

	(void) state;
	snprintf(text, sizeof(text), "\xef\xbb\xbf%s", job);
	file_write("t.swf", text);
	assert_int_equal(load(&p, "t.swf", UNIT_NODES, NULL), 0);
	assert_int_equal(p.count, 1);
	placements_clear(&p);
	snprintf(text, sizeof(text), "\xef\xbb\xbf; MaxNodes: 8\n; MaxProcs: 32\n%s", job);
	file_write("t.swf", text);
	assert_int_equal(load(&p, "t.swf", UNIT_CPUS, NULL), 0);
	assert_int_equal(p.capacity[7], 4);
	placements_clear(&p);
}

static void refused(const char *text, const char *want)
{
	struct wt_error error;
	struct placements p;

	file_write("t.swf", text);
	assert_int_equal(load(&p, "t.swf", UNIT_CPUS, &error), -1);
	if (!strstr(error.text, want))
		fail_msg("%s: %s", text, error.text);
	placements_clear(&p);
}

static void test_bad_swf(void **state)
{
	struct placements p;

	(void) state;
	refused("; MaxNodes: 8\n1 x 0 9 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n0\n", "t.swf:2: field 2 is not a number");
	refused("1 2 3\n", "t.swf:1: field 4 is not a number");
	refused("1 0 0 inf 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n0\n", "field 4 is not a number");
	refused("1 0 0 9 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n9\n", "t.swf:1: node 'n9' is not in the topology");
	refused("1 0 0 9 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1 n0\n", "the CPUs of a node are not in the record");
	refused("", "no job in it has nodes");
	assert_int_equal(load(&p, "missing", UNIT_AUTO, NULL), -1);
	assert_int_equal(errno, ENOENT);
	placements_clear(&p);
}

/* A run folder: 101 on n0 and n1 from 10 s to 20 s, 102 on n4 and n5, 103 never started, 104 still runs. */
static void folder_write(void)
{
	struct wt_record *r = wt_record_create(NULL, NULL);
	static const char *const nodes[] = { "n[0-1]", "n[4-5]", NULL, "n7" };

	r->jobs = calloc(4, sizeof(*r->jobs));
	r->job_count = 4;
	r->nodes = 8;
	r->cpus = 32;
	r->begin_s = 1000;
	for (uint32_t i = 0; i < 4; i++) {
		struct wt_job_record *j = &r->jobs[i];

		wt_job_record_init(j);
		j->name = strdup("j");
		j->class_name = strdup("c");
		j->state = i == 2 ? WT_JOB_CANCELLED : i == 3 ? WT_JOB_RUNNING : WT_JOB_COMPLETED;
		j->node_list = nodes[i] ? strdup(nodes[i]) : NULL;
		j->cpus = j->alloc_cpus = nodes[i] ? (uint32_t) strlen(nodes[i]) / 3 * 4 : 4;
		j->nodes = j->alloc_nodes = j->cpus / 4;
		j->submit_s = 1001;
		j->start_s = nodes[i] ? 1010 + i : NAN;
		j->end_s = i < 2 ? 1020 : NAN;
		assert_int_equal(wt_record_set_job_id(r, j, 101 + i, NULL), 0);
	}
	r->jobs[3].cpus = r->jobs[3].alloc_cpus = 4;
	r->jobs[3].nodes = r->jobs[3].alloc_nodes = 1;
	assert_int_equal(wt_outfile_write(in_dir("jobs.csv"), wt_jobs_csv_write, r, NULL), 0);
	wt_record_destroy(r);
	file_write("summary.json", "{\"workload\": \"w\", \"backend\": \"virtual\", \"clock\": \"virtual\", \"nodes\": 8, "
		   "\"cpus\": 32, \"seed\": 1, \"time_scale\": 1, \"begin_s\": 1000, \"ideal_s\": null, \"wall_s\": null, "
		   "\"controller_cpu_s\": null}");
	file_write("events.csv", WT_EVENTS_HEADER "\n1009.5,release,101,,,n1,\n1021.5,release,101,,,n0,\n"
		   "1019,end,102,,,n4,0\n1022,release,102,,,n5,\n1023,release,102,,,n9,\n1024,release,999,,,n4,\n");
}

static void test_folder(void **state)
{
	struct placements p;

	(void) state;
	folder_write();
	assert_int_equal(load(&p, "", UNIT_AUTO, NULL), 0);
	assert_int_equal(p.count, 3);
	assert_int_equal(p.without_nodes, 1);
	assert_true(p.begin_s == 1000 && !p.capacity);
	assert_true(p.jobs[0].start_s == 1010 && p.jobs[1].start_s == 1011 && p.jobs[2].start_s == 1013);
	assert_true(p.jobs[0].release_s[0] == 1021.5);
	assert_true(p.jobs[0].release_s[1] == 1020);	/* the release before its start is of an earlier life */
	assert_true(p.jobs[1].release_s[0] == 1020 && p.jobs[1].release_s[1] == 1022);
	assert_true(isinf(p.jobs[2].release_s[0]));
	placements_clear(&p);
	file_write("logs/slurmctld.log", "[t] sched: Allocate JobId=102 x\n[t] sched: Allocate JobId=101 x\n");
	assert_int_equal(load(&p, "", UNIT_CPUS, NULL), 0);
	assert_int_equal(p.jobs[0].nodes[0], 4);	/* placed before the other */
	assert_true(p.jobs[0].start_s == 1010 && p.jobs[0].units == 8 && p.capacity[0] == 4);
	placements_clear(&p);
	assert_int_equal(remove(in_dir("logs/slurmctld.log")), 0);
	assert_int_equal(remove(in_dir("events.csv")), 0);	/* as after a run on a real cluster */
	assert_int_equal(load(&p, "", UNIT_AUTO, NULL), 0);
	assert_true(p.jobs[0].release_s[0] == 1020);
	placements_clear(&p);
}

/* Events are read in pieces of 64 KiB: also one whose last piece is a single byte, the end of its last row. */
static void test_one_byte_left(void **state)
{
	static const char head[] = WT_EVENTS_HEADER "\n", last[] = "1021.5,release,101,,,n0,\n";
	char text[65537 + 1], *at = text;
	struct placements p;
	size_t left;

	(void) state;
	folder_write();
	at += sprintf(at, "%s", head);
	while ((left = sizeof(text) - sizeof(last) - (size_t) (at - text)) > 0) {
		size_t row = left >= 120 ? 60 : left;	/* the last one takes what is left: 60 to 119 */

		at += sprintf(at, "1000,end,999,,,%0*d,0\n", (int) row - 18, 7);
	}
	strcpy(at, last);
	assert_int_equal(strlen(text), 65537);
	file_write("events.csv", text);
	assert_int_equal(load(&p, "", UNIT_AUTO, NULL), 0);
	assert_true(p.jobs[0].release_s[0] == 1021.5);
	placements_clear(&p);
}

#define SWITCHES "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\n"

static void test_placed(void **state)
{
	struct wt_record *r = wt_record_create(NULL, NULL);

	(void) state;
	folder_write();
	assert_int_equal(placed_compute(r, dir, NULL), 0);		/* no tree */
	file_write("topology.conf", "SwitchName=one Nodes=n[0-7]\n");
	assert_int_equal(placed_compute(r, dir, NULL), 0);		/* one switch */
	assert_true(isnan(r->placed[WT_PLACED_FEWEST]));
	file_write("topology.conf", SWITCHES "SwitchName=root Switches=a,b\n");
	assert_int_equal(placed_compute(r, dir, NULL), 1);
	assert_true(r->placed[WT_PLACED_FEWEST] == 1 && r->placed[WT_PLACED_FREE] == 1 && r->placed[WT_PLACED_LEAVES] == 1);
	assert_true(isnan(r->placed[WT_PLACED_LEVEL1]));		/* above the leaves there is the root only */
	file_write("topology.conf", "SwitchName=a Nodes=n[0,4-7]\nSwitchName=b Nodes=n[1-3]\n"
		   "SwitchName=root Switches=a,b\n");
	assert_int_equal(placed_compute(r, dir, NULL), 1);
	assert_float_equal(r->placed[WT_PLACED_FEWEST], 2.0 / 3, 1e-12);	/* one job of three lies across both */
	assert_float_equal(r->placed[WT_PLACED_LEAVES], 2.0 / 3, 1e-12);
	wt_record_destroy(r);
}

static void test_placed_refuses(void **state)
{
	struct wt_record *r = wt_record_create(NULL, NULL);
	struct wt_error error;

	(void) state;
	folder_write();
	file_write("topology.conf", "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=m4\nSwitchName=root Switches=a,b\n");
	assert_int_equal(placed_compute(r, dir, &error), -1);
	assert_non_null(strstr(error.text, "is not in the topology"));
	file_write("topology.conf", SWITCHES "SwitchName=root Switches=a,b\n");
	r->jobs = calloc(2, sizeof(*r->jobs));
	r->job_count = 2;
	wt_job_record_init(&r->jobs[0]);
	wt_job_record_init(&r->jobs[1]);
	r->jobs[0].alloc_nodes = PLACED_NODES_MAX - 1;
	r->jobs[1].alloc_nodes = 2;
	assert_int_equal(placed_compute(r, dir, &error), -1);
	assert_int_equal(errno, E2BIG);
	r->jobs[1].alloc_nodes = 1;
	assert_int_equal(placed_compute(r, dir, NULL), 1);
	wt_record_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units), cmocka_unit_test(test_offers), cmocka_unit_test(test_nodes_in_the_trees_order),
		cmocka_unit_test(test_order_of_the_log), cmocka_unit_test(test_slack_of_the_log),
		cmocka_unit_test(test_offers_of_the_log), cmocka_unit_test(test_swf),
		cmocka_unit_test(test_swf_of_shared_nodes),
		cmocka_unit_test(test_swf_byte_order_mark), cmocka_unit_test(test_bad_swf), cmocka_unit_test(test_folder),
		cmocka_unit_test(test_one_byte_left),
		cmocka_unit_test(test_placed), cmocka_unit_test(test_placed_refuses),
	};

	return cmocka_run_group_tests_name("placements", tests, group_setup, group_teardown);
}
