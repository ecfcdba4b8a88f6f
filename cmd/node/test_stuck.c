/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <string.h>

#include "cmd/node/stuck.h"

#define ROWS_MAX 16

/* "booting up": a row a second, from the 100th on. */
static struct stuck_machine machine(const char *events)
{
	struct wt_power_row rows[ROWS_MAX];
	size_t count = 0;
	char text[256], *rest = text, *word;

	assert_true(strlen(events) < sizeof(text));
	strcpy(text, events);
	while (*events && (word = strsep(&rest, " "))) {
		assert_true(count < ROWS_MAX);
		rows[count] = (struct wt_power_row) { .time_us = (100 + (int64_t) count) * 1000000 };
		assert_int_equal(wt_power_event_parse(word, &rows[count++].event), 0);
	}
	return stuck_machine_of(rows, count);
}

static void test_machines(void **state)
{
	struct stuck_machine m = machine("");

	(void) state;
	assert_true(m.state == WT_MACHINE_ON && !m.since_us && !m.unseen);
	m = machine("asked-on booting up");
	assert_true(m.state == WT_MACHINE_ON && m.since_us == 102000000 && m.unseen);
	m = machine("asked-on booting up registered notice");
	assert_true(m.state == WT_MACHINE_ON && m.since_us == 102000000 && !m.unseen);
	m = machine("booting up notice taken stopping off");
	assert_true(m.state == WT_MACHINE_OFF && m.since_us == 105000000 && m.last == WT_POWER_EVENT_TAKEN && !m.unseen);
	m = machine("booting up taken stopping off asked-on stock-out");
	assert_true(m.state == WT_MACHINE_OFF && m.since_us == 106000000 && m.last == WT_POWER_EVENT_STOCK_OUT);
	m = machine("booting up taken stopping off asked-on booting up asked-off stopping off");
	assert_true(m.state == WT_MACHINE_OFF && m.last == WT_POWER_EVENT_OFF);
	m = machine("off asked-on booting failed");
	assert_true(m.state == WT_MACHINE_OFF && m.since_us == 103000000 && m.last == WT_POWER_EVENT_FAILED);
}

static void test_beliefs(void **state)
{
	struct stuck_belief b = stuck_belief_of("IDLE+CLOUD+POWERED_DOWN");

	(void) state;
	assert_true(b.off && !b.down && !b.boots && !b.stops && !b.silent && !b.drained);
	b = stuck_belief_of("DOWN+CLOUD+DRAIN+NOT_RESPONDING+POWERED_DOWN");
	assert_true(b.off && b.down && b.drained && b.silent);
	b = stuck_belief_of("MIXED+CLOUD+NOT_RESPONDING+POWERING_UP");
	assert_true(!b.off && b.boots && b.silent && !b.down);
	b = stuck_belief_of("IDLE+POWERING_DOWN");
	assert_true(!b.off && b.stops && !b.down);
	b = stuck_belief_of("DOWN*+CLOUD+POWER_DOWN");
	assert_true(!b.off && b.stops && b.down && b.silent && !b.drained);
	b = stuck_belief_of("FUTURE");
	assert_true(b.off && !b.down);
	b = stuck_belief_of(NULL);
	assert_true(b.off && !b.down);
	b = stuck_belief_of("ALLOCATED+POWER_DRAIN");
	assert_true(!b.off && !b.drained);
}

/* Machine, Slurm, a part of what is told; NULL: nothing. */
static const struct {
	const char *events, *believed, *told;
} cases[] = {
	{ "", "IDLE", NULL },
	{ "booting up registered", "MIXED+CLOUD", NULL },
	{ "off", "IDLE+CLOUD+POWERED_DOWN", NULL },
	{ "off", NULL, NULL },
	{ "off asked-on booting", "MIXED+NOT_RESPONDING+POWERING_UP", NULL },
	{ "asked-off stopping", "IDLE+POWERING_DOWN", NULL },
	{ "asked-off stopping off", "IDLE+POWERING_DOWN", NULL },
	{ "asked-off stopping", "IDLE+POWERED_DOWN", NULL },
	{ "off asked-on booting", "MIXED+POWERING_UP", "without an end" },
	{ "off asked-on booting failed", "MIXED+POWERING_UP", "without an end" },
	{ "off asked-on booting up", "MIXED+POWERING_UP", "not taken its registration" },
	{ "off asked-on booting up", "DOWN+NOT_RESPONDING", "not taken its registration" },
	{ "off asked-on stock-out", "MIXED+NOT_RESPONDING+POWERING_UP", "stock-out" },
	{ "off asked-on booting failed", "MIXED+NOT_RESPONDING+POWERING_UP", "boot has failed" },
	{ "off", "MIXED+NOT_RESPONDING+POWERING_UP", "not asked for one" },
	{ "off asked-on stock-out", "DOWN+POWERED_DOWN", "until somebody resumes it" },
	{ "booting up taken stopping off", "IDLE+DRAIN+POWERED_DOWN", "drained" },
	{ "booting up taken stopping off", "MIXED", "taken back" },
	{ "stopping off", "IDLE+NOT_RESPONDING", "still counts on it" },
	{ "", "IDLE+POWERED_DOWN", "SuspendProgram has failed" },
	{ "booting up registered", NULL, "SuspendProgram has failed" },
	{ "booting up", "IDLE+CLOUD+POWERED_DOWN", "told an old boot" },
	{ "booting up registered", "DOWN+POWERED_DOWN", "has it down" },
	{ "asked-on booting", "DOWN+POWERED_DOWN", "node drop" },
	{ "asked-on booting up", "DOWN+CLOUD+POWERED_DOWN", "has it down" },
};

static void test_what_sticks(void **state)
{
	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stuck_machine m = machine(cases[i].events);
		struct stuck_belief b = stuck_belief_of(cases[i].believed);
		const char *told = stuck_why(&m, &b);

		if (!told != !cases[i].told || (told && !strstr(told, cases[i].told)))
			fail_msg("%s, %s: %s", cases[i].events, cases[i].believed ? cases[i].believed : "not shown",
				 told ? told : "nothing");
	}
	assert_string_equal(stuck_machine_name(WT_MACHINE_STOPPING), "stopping");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_beliefs),
		cmocka_unit_test(test_what_sticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
