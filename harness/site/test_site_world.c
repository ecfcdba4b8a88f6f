/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "harness/site/site_world.h"

struct world_fixture {
	struct wt_site_world w;
	struct wt_people people;
	json_t *nodes;
};

static void fixture_open(struct world_fixture *f)
{
	struct wt_error err;

	memset(f, 0, sizeof(*f));
	f->nodes = json_pack("{s:b, s:b, s:b}", "n1", 1, "n2", 1, "n3", 1);
	assert_int_equal(wt_people_init(&f->people, &err), 0);
	f->w.people = &f->people;
	f->w.nodes = f->nodes;
	assert_int_equal(wt_site_world_init(&f->w, &err), 0);
}

static void fixture_close(struct world_fixture *f)
{
	wt_site_world_clear(&f->w);
	wt_people_clear(&f->people);
	json_decref(f->nodes);
}

/* "down@100 n[1-2] (it burns)" */
static void expect(const struct wt_world *world, const char *const *wanted, size_t count)
{
	assert_int_equal(world->count, count);
	for (size_t i = 0; i < count; i++) {
		const struct wt_world_event *e = &world->events[i];
		const char *reason = e->text[WT_WORLD_REASON];
		char text[512];

		snprintf(text, sizeof(text), "%s@%g %s%s%s%s", wt_world_kind_name(e->kind), e->at_s, e->text[WT_WORLD_NODES],
			 reason ? " (" : "", reason ? reason : "", reason ? ")" : "");
		assert_string_equal(text, wanted[i]);
	}
}

static int counted(const json_t *counts, const char *why)
{
	return (int) json_integer_value(json_object_get(counts, why));
}

#define HEAD "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"

static void test_nodes(void **state)
{
	static const char text[] = HEAD
		"c|n1|100|200|DOWN*|it burns|root(0)\n" "c|n2|100|200|DOWN|it burns|root(0)\n"
		"c|n2|200|300|IDLE+DRAIN|disk|\n"	/* it is back, and drained at once */
		"c|n3|50|100|DRAINED|disk|\n" "c|n3|100|Unknown|DOWN+DRAIN||\n"	/* worse: it does not come back before */
		"c||10|20|||\n" "c|n9|10|20|DOWN||\n" "c|n1|10|20|POWERED_DOWN||\n" "c|n1|10\n"
		"c|n1|2026-01-01T00:00:00|Unknown|DOWN||\n" "c|n1|500|400|DOWN||\n";
	static const char *const wanted[] = {
		"drain@50 n3 (disk)", "down@100 n3", "down@100 n[1-2] (it burns)", "resume@200 n[1-2]",
		"drain@200 n2 (disk)", "resume@300 n2",
	};
	struct world_fixture f;
	struct wt_error err;

	(void) state;
	fixture_open(&f);
	assert_int_equal(wt_site_world_events(&f.w, text, &err), 0);
	assert_int_equal(wt_site_world_finish(&f.w, &err), 0);
	expect(&f.w.world, wanted, sizeof(wanted) / sizeof(wanted[0]));
	assert_int_equal(f.w.read, 11);
	assert_int_equal(counted(f.w.left_out, "events of the whole cluster"), 1);
	assert_int_equal(counted(f.w.left_out, "events of nodes that slurm.conf does not name"), 1);
	assert_int_equal(counted(f.w.left_out, "states of nodes that are neither down nor drained"), 1);
	assert_int_equal(counted(f.w.left_out, "records of nodes that cannot be read"), 1);
	assert_int_equal(counted(f.w.left_out, "events without times in seconds (SLURM_TIME_FORMAT=%s)"), 2);
	fixture_close(&f);
	fixture_open(&f);
	assert_int_equal(wt_site_world_events(&f.w, "sacctmgr: error\n", &err), 0);
	assert_int_equal(wt_site_world_events(&f.w, "", &err), 0);
	assert_int_equal(wt_site_world_finish(&f.w, &err), 0);
	assert_int_equal(f.w.world.count, 0);
	assert_int_equal(counted(f.w.left_out, "a file of events without NodeName, TimeStart, TimeEnd and State"), 1);
	fixture_close(&f);
}

/* What people wrote is not for those who may not know the site. */
static void test_reasons_are_left_out(void **state)
{
	static const char *const wanted[] = { "down@100 n[1-2]", "resume@200 n[1-2]" };
	struct world_fixture f;
	struct wt_error err;

	(void) state;
	fixture_open(&f);
	f.w.reasons_left_out = true;
	assert_int_equal(wt_site_world_events(&f.w, HEAD "c|n1|100|200|DOWN|ask ann|root(0)\nc|n2|100|200|DOWN||\n",
					      &err), 0);
	assert_int_equal(wt_site_world_finish(&f.w, &err), 0);
	expect(&f.w.world, wanted, sizeof(wanted) / sizeof(wanted[0]));
	fixture_close(&f);
}

static const char reservations[] =
	"ReservationName=m StartTime=100 EndTime=900 Nodes=n[1-2] PartitionName=(null) Flags=MAINT,SPEC_NODES,DAILY "
	"Users=root,ann Accounts=(null)\n"
	"ReservationName=m StartTime=100 EndTime=900 Nodes=n1 Flags= Users=root Accounts=(null)\n"
	"ReservationName=late StartTime=1000 EndTime=1060 Nodes=n3 PartitionName=p Flags=IGNORE_JOBS,TIME_FLOAT "
	"Users=(null) Accounts=phys\n"
	"ReservationName=over StartTime=100 EndTime=200 Nodes=n1 Users=root\n"
	"ReservationName=other StartTime=100 EndTime=900 Nodes=n[1-9] Users=root\n"
	"ReservationName=none StartTime=100 EndTime=900 Nodes=(null) Users=root\n"
	"ReservationName=who StartTime=100 EndTime=900 Nodes=n1 Users=(null)\n"
	"ReservationName=when StartTime=2026-01-01T00:00:00 EndTime=900 Nodes=n1 Users=root\n"
	"ReservationName=q\"q StartTime=100 EndTime=900 Nodes=n1 Users=root\nNo reservations in the system\n";

static void test_reservations(void **state)
{
	struct world_fixture f;
	struct wt_error err;
	const struct wt_world_event *e;

	(void) state;
	fixture_open(&f);
	assert_int_equal(wt_site_world_reservations(&f.w, reservations, 300, &err), 0);
	assert_int_equal(wt_site_world_finish(&f.w, &err), 0);
	assert_int_equal(f.w.world.count, 2);
	assert_int_equal(f.w.read, 9);
	e = f.w.world.events;
	assert_string_equal(e->text[WT_WORLD_NAME], "m");
	assert_string_equal(e->text[WT_WORLD_USERS], "root,ann");
	assert_string_equal(e->text[WT_WORLD_FLAGS], "maint");
	assert_true((int) e->at_s == 300 && (int) e->start_after_s == 0 && (int) e->duration_s == 600);
	e++;
	assert_string_equal(e->text[WT_WORLD_ACCOUNTS], "phys");
	assert_string_equal(e->text[WT_WORLD_PARTITION], "p");
	assert_true((int) e->at_s == 300 && (int) e->start_after_s == 700 && (int) e->duration_s == 60);
	assert_non_null(json_object_get(f.people.users, "ann"));
	assert_int_equal(counted(f.w.left_out, "reservations whose name stands there twice"), 1);
	assert_int_equal(counted(f.w.left_out, "reservations that are over before the first job"), 1);
	assert_int_equal(counted(f.w.left_out, "reservations of no nodes, or of some that slurm.conf does not name"), 2);
	assert_int_equal(counted(f.w.left_out, "reservations for neither users nor accounts"), 1);
	assert_int_equal(counted(f.w.left_out, "reservations without times in seconds (SLURM_TIME_FORMAT=%s)"), 1);
	assert_int_equal(counted(f.w.left_out, "events that cannot be replayed"), 1);
	assert_int_equal(counted(f.w.assumed, "reservations that recur, of which the next time is taken"), 1);
	assert_int_equal(counted(f.w.assumed, "reservations with flags that a run does not make"), 1);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_nodes), cmocka_unit_test(test_reservations),
					    cmocka_unit_test(test_reasons_are_left_out) };

	return cmocka_run_group_tests_name("site_world", tests, NULL, NULL);
}
