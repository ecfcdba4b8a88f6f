/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/site/site_usage.h"

#define DAY 86400.0

struct usage_fixture {
	struct wt_site_usage u;
	struct wt_site_jobs jobs;
	struct wt_people people;
};

static int counted(const json_t *counts, const char *why)
{
	const char *key;
	json_t *count;

	json_object_foreach((json_t *) counts, key, count)
		if (strstr(key, why))
			return (int) json_integer_value(count);
	return 0;
}

static void fixture_open(struct usage_fixture *f, const char *text)
{
	struct wt_error err = { "" };

	memset(f, 0, sizeof(*f));
	assert_int_equal(wt_people_init(&f->people, &err), 0);
	f->jobs.people = &f->people;
	assert_int_equal(wt_site_jobs_init(&f->jobs, &err), 0);
	assert_int_equal(wt_site_usage_init(&f->u, &err), 0);
	assert_int_equal(wt_site_usage_read(&f->u, "f", text, &err), 0);
}

static void fixture_close(struct usage_fixture *f)
{
	wt_site_usage_clear(&f->u);
	wt_site_usage_clear(&f->u);
	wt_site_jobs_clear(&f->jobs);
	wt_people_clear(&f->people);
}

static void job_add(struct usage_fixture *f, const char *account, const char *user, double start_s, double end_s,
		    double billing)
{
	struct wt_error err = { "" };
	struct wt_site_job *job = wt_site_jobs_add(&f->jobs, "1", &err);

	assert_non_null(job);
	assert_int_equal(wt_site_job_text(&f->jobs, job, "account", account, &err), 0);
	assert_int_equal(wt_site_job_user(&f->jobs, job, user, NULL, &err), 0);
	job->job.submit_s = start_s;
	job->start_s = start_s;
	job->end_s = end_s;
	job->cpus = 1;
	job->billing = billing;
}

static void expect(const struct wt_site_usage *u, size_t i, const char *account, const char *user, double raw)
{
	assert_true(i < u->count);
	assert_string_equal(u->list[i].account, account);
	assert_string_equal(u->list[i].user, user);
	if (fabs(u->list[i].raw - raw) > 1e-6 * (1 + raw))
		fail_msg("%s/%s: %.3f, not %.3f", account, user, u->list[i].raw, raw);
}

static const char table[] = "Account|User|RawShares|NormShares|RawUsage|FairShare\n"
			    "root|||0.000000|1000|\n root|root|1|1.0|0|1.0\n phys||1|0.5|1000|\n"
			    "  phys|ann|1|0.5|600|0.5\n"
			    "  phys|bob|parent|0.5|400|0.5\n";

static void test_table(void **state)
{
	struct usage_fixture f;
	struct wt_error err = { "" };

	(void) state;
	fixture_open(&f, table);
	assert_int_equal(f.u.read, 3);
	assert_int_equal(f.u.count, 3);
	expect(&f.u, 0, "root", "root", 0);
	expect(&f.u, 1, "phys", "ann", 600);
	expect(&f.u, 2, "phys", "bob", 400);
	assert_int_equal(json_object_size(f.u.left_out), 0);
	fixture_close(&f);
	/* Other columns; the same user twice; what is no record. */
	fixture_open(&f, "User|RawUsage|Account\r\nann|7|phys\r\n\nann|3|phys\nann|x|phys\nann|nan|phys\n"
		     "ann|-1|phys\nann||phys\nann|1\nann|1|\n");
	assert_int_equal(f.u.count, 1);
	expect(&f.u, 0, "phys", "ann", 10);
	assert_int_equal(counted(f.u.left_out, "without an account and a usage"), 5);
	assert_int_equal(counted(f.u.left_out, "another number of fields"), 1);
	assert_int_equal(counted(f.u.assumed, "several partitions"), 1);
	assert_int_equal(wt_site_usage_read(&f.u, "f", "", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_site_usage_read(&f.u, "f", "Account|User|Usage\n", &err), -1);
	assert_string_equal(err.text, "f:1: not what 'sshare -a -P' prints: its header has no RawUsage");
	fixture_close(&f);
}

/* Ann has run all the time since day 1 on two TRES; all that she has by then is hers from before. */
static void test_rewind(void **state)
{
	struct wt_site_usage_times t = { .captured_s = 8 * DAY, .until_s = 8 * DAY, .half_life_s = 7 * DAY };
	double jobs_used = 2 * 7 * DAY / M_LN2 * 0.5, before = 1e6;
	struct usage_fixture f;

	(void) state;
	fixture_open(&f, table);
	f.u.list[1].raw = jobs_used + before / 2;
	f.u.list[2].raw = 400;
	job_add(&f, "phys", "ann", DAY, NAN, 2);
	job_add(&f, "phys", "carl", 2 * DAY, 3 * DAY, 5);	/* of whom sshare tells nothing */
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	expect(&f.u, 1, "phys", "ann", before);
	expect(&f.u, 2, "phys", "bob", 800);
	assert_int_equal(counted(f.u.assumed, "reckoned back"), 3);
	fixture_close(&f);
}

/* Of the half-lives since the period began, not since a job of it was submitted that has waited for long. */
static void test_rewind_half_lives(void **state)
{
	struct wt_site_usage_times t = { .captured_s = 100 * DAY, .from_s = 94 * DAY, .half_life_s = DAY };
	struct usage_fixture f;

	(void) state;
	fixture_open(&f, table);
	job_add(&f, "phys", "ann", 95 * DAY, 96 * DAY, 1e-9);
	f.jobs.list[0].job.submit_s = 90 * DAY;
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	expect(&f.u, 2, "phys", "bob", 400 * 1024);
	fixture_close(&f);
	fixture_open(&f, table);
	job_add(&f, "phys", "ann", 93 * DAY, 96 * DAY, 1);
	t.from_s = 93 * DAY;
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	assert_int_equal(f.u.count, 0);
	assert_int_equal(counted(f.u.left_out, "has left nothing"), 3);
	fixture_close(&f);
}

/* Usage that does not decay; CPUs where nothing was billed; less than the jobs' is nothing. */
static void test_rewind_without_decay(void **state)
{
	struct wt_site_usage_times t = { .captured_s = 2000, .half_life_s = INFINITY };
	struct usage_fixture f;

	(void) state;
	fixture_open(&f, table);
	job_add(&f, "phys", "ann", 1000, 1100, 0);
	job_add(&f, "phys", "bob", 1000, 1100, 5);
	job_add(&f, "phys", "bob", NAN, NAN, 5);	/* it never ran */
	f.u.list[2].raw = 504;			/* four more than his jobs': a rest */
	job_add(&f, "root", "root", 1000, 1100, 5);
	f.u.list[0].raw = 600;
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	expect(&f.u, 0, "root", "root", 100);
	expect(&f.u, 1, "phys", "ann", 500);
	expect(&f.u, 2, "phys", "bob", 0);
	fixture_close(&f);
}

static void emptied(struct wt_site_usage_times t, const char *why)
{
	struct usage_fixture f;

	fixture_open(&f, table);
	job_add(&f, "phys", "ann", 1000, 1100, 1);
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	assert_int_equal(f.u.count, 0);
	assert_int_equal(counted(f.u.left_out, why), 3);
	fixture_close(&f);
}

static void test_cannot_be_known(void **state)
{
	const struct wt_site_usage_times good = { .captured_s = 9000, .until_s = 8000, .half_life_s = DAY };
	struct wt_site_usage_times t = good;
	struct usage_fixture f;

	(void) state;
	t.captured_s = 0;
	emptied(t, "a time that is not known");
	t = good;
	t.half_life_s = NAN;
	emptied(t, "PriorityDecayHalfLife");
	t = good;
	t.resets = true;
	emptied(t, "PriorityUsageResetPeriod");
	t = good;
	t.captured_s = t.until_s + 3601;
	emptied(t, "behind the end of the period");
	/* Without jobs it is what it is. */
	t.captured_s = 0;
	fixture_open(&f, table);
	assert_int_equal(wt_site_usage_rewind(&f.u, &f.jobs, &t, NULL), 0);
	expect(&f.u, 1, "phys", "ann", 600);
	fixture_close(&f);
}

static void test_written(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct usage_fixture f;

	(void) state;
	fixture_open(&f, table);
	f.u.list[1].raw = 1e30;
	f.u.list[2].raw = 0.6;
	assert_int_equal(wt_site_usage_write(out, &f.u, NULL), 0);
	fclose(out);
	assert_string_equal(text, "account,user,raw_usage\nroot,root,0\nphys,ann,1000000000000000000\nphys,bob,1\n");
	free(text);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table), cmocka_unit_test(test_rewind), cmocka_unit_test(test_rewind_half_lives),
		cmocka_unit_test(test_rewind_without_decay),
		cmocka_unit_test(test_cannot_be_known), cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
