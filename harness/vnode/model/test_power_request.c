/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/power_request.h"

#define NODES 3
#define S INT64_C(1000000)

struct asked_house {
	struct wt_elastic elastic;
	struct wt_timerq *timers;
	struct wt_power *power;
	char rows[4096];
	void (*address)(const void *arg, uint32_t node, uint32_t boot, char *text, size_t size);
};

static void happened(void *arg, const struct wt_power_happened *what)
{
	struct asked_house *h = arg;
	char name[16], *row;

	snprintf(name, sizeof(name), "n%u", what->node);
	row = wt_power_row(what, name);
	assert_non_null(row);
	strncat(h->rows, row, sizeof(h->rows) - strlen(h->rows) - 1);
	free(row);
}

static uint32_t find(const void *arg, const char *name)
{
	(void) arg;
	return name[0] == 'n' && name[1] >= '0' && name[1] < '0' + NODES && !name[2] ? (uint32_t) (name[1] - '0') :
	       WT_POWER_NO_NODE;
}

static void name(const void *arg, uint32_t node, char *text, size_t size)
{
	(void) arg;
	snprintf(text, size, "n%u", node);
}

static int house_begin(void **state)
{
	struct asked_house *h = calloc(1, sizeof(*h));
	struct wt_power_conf conf = { .happened = happened, .arg = h };

	assert_non_null(h);
	wt_elastic_defaults(&h->elastic);
	conf.elastic = &h->elastic;
	h->timers = conf.timers = wt_timerq_create();
	h->power = wt_power_create(NODES, &conf);
	*state = h;
	return !h->power;
}

static int house_end(void **state)
{
	struct asked_house *h = *state;

	wt_power_destroy(h->power);
	wt_timerq_destroy(h->timers);
	free(h);
	return 0;
}

static void expect(struct asked_house *h, const char *line, bool asked, const char *wanted)
{
	const struct wt_power_names names = {
		.count = NODES, .find = find, .name = name, .address = h->address, .address_arg = "addresses",
	};
	char *copy = strdup(line), *answer;
	bool was = !asked;

	answer = wt_power_request(h->power, &names, 100 * S + 5, copy, &was);
	assert_non_null(answer);
	assert_string_equal(answer, wanted);
	assert_int_equal(was, asked);
	free(answer);
	free(copy);
}

static void test_switched_and_told(void **state)
{
	struct asked_house *h = *state;

	expect(h, "off n[0-1]", true, "ok 2");
	expect(h, "state n[0-2]", false, "ok 3 n0=stopping n1=stopping n2=on");
	expect(h, "on n1 17", true, "ok 1");
	expect(h, "fail n2", true, "ok 1");
	expect(h, "repair n2", true, "ok 1");
	expect(h, "take n[1-2],n2", true, "ok 2");
	assert_string_equal(h->rows, "100.000005,asked-off,n0,0,\n100.000005,stopping,n0,0,\n"
			    "100.000005,asked-off,n1,0,\n100.000005,stopping,n1,0,\n100.000005,asked-on,n1,0,17\n"
			    "100.000005,stopping,n2,0,\n100.000005,off,n2,0,\n100.000005,booting,n2,1,\n"
			    "100.000005,up,n2,1,\n100.000005,taken,n2,1,\n100.000005,stopping,n2,1,\n"
			    "100.000005,off,n2,1,\n");
}

static void address_print(const void *arg, uint32_t node, uint32_t boot, char *text, size_t size)
{
	assert_string_equal(arg, "addresses");
	snprintf(text, size, "a%u.%u", boot, node);
}

static void test_addresses_of_machines(void **state)
{
	struct asked_house *h = *state;

	expect(h, "address n0", false, "error these nodes keep their addresses: there is no --elastic address=new");
	h->address = address_print;
	expect(h, "off n1", true, "ok 1");
	expect(h, "fail n2", true, "ok 1");
	expect(h, "address n[0-2]", false, "ok 3 n0=a0.0");
	expect(h, "on n[1-2]", true, "ok 2");	/* n1 when it has stopped */
	expect(h, "address n[0-2]", false, "ok 3 n0=a0.0 n1=a1.1 n2=a1.2");
	h->elastic.no_address = 1;
	expect(h, "address n[0-2]", false, "ok 3");
}

/* As a ResumeProgram has it: nodes by job, and then all. */
static void test_several_jobs_in_one_request(void **state)
{
	struct asked_house *h = *state;

	expect(h, "fail n[0-2]", true, "ok 3");
	h->rows[0] = '\0';
	expect(h, "on n0 7 n[0-1] 8 n[0-2] 0", true, "ok 3");
	assert_string_equal(h->rows, "100.000005,asked-on,n0,0,7\n100.000005,booting,n0,1,7\n100.000005,asked-on,n1,0,8\n"
			    "100.000005,booting,n1,1,8\n100.000005,asked-on,n2,0,\n100.000005,booting,n2,1,\n");
	expect(h, "off n0 1 n3 2", false, "error there is no node n3");
	expect(h, "state n1 0 n[0-1],n1", false, "ok 2 n1=booting n0=booting");
	/* What fails for one job fails nothing for the others, and is not tried again for all. */
	expect(h, "off n[0-2]", true, "ok 3");
	expect(h, "fail n[0-2]", true, "ok 3");
	h->elastic.resume_fails = 0.5;
	h->elastic.seed = 5;
	expect(h, "on n0 7 n1 8 n2 9 n[0-2] 0", true,
	       "error at 1 of 3 nodes the program fails (--elastic fail=resume-program)");
}

static void test_programs_that_are_to_fail(void **state)
{
	struct asked_house *h = *state;

	h->elastic.suspend_fails = h->elastic.resume_fails = 1;
	expect(h, "off n[0-1]", true, "error at 2 of 2 nodes the program fails (--elastic fail=suspend-program)");
	expect(h, "fail n0", true, "ok 1");
	expect(h, "on n[0-2]", true, "error at 1 of 3 nodes the program fails (--elastic fail=resume-program)");
}

static void test_what_makes_no_sense_switches_nothing(void **state)
{
	static const char *const lines[] = {
		"", " ", "on", "on ", "on n0 ", "on n0 1 ", "on n0 1 n1 x", "on n0 1 n1 2 ", "on n0 x", "on n0 -1",
		"on n0 4294967294", "off n0 99999999999", "on  n0",
	};
	struct asked_house *h = *state;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		expect(h, lines[i], false, "error on|off|drop|fail|repair|take|state|address NODES [JOBID [NODES JOBID]...] "
		       "is needed");
	expect(h, "jump n0", false, "error 'jump' is not known; there are on, off, drop, fail, repair, take, state and "
	       "address");
	expect(h, "off n3", false, "error there is no node n3");
	expect(h, "off n[0-", false, "error this is no host list");
	expect(h, "off n0,n1,n2,n0", false, "error more names than there are nodes");
	assert_string_equal(h->rows, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_switched_and_told, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_addresses_of_machines, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_several_jobs_in_one_request, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_programs_that_are_to_fail, house_begin, house_end),
		cmocka_unit_test_setup_teardown(test_what_makes_no_sense_switches_nothing, house_begin, house_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
