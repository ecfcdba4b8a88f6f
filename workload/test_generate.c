/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/generate.h"

static size_t class_count(const struct wt_swf_trace *t, const char *name, double *run_s)
{
	size_t count = 0;

	*run_s = 0;
	for (size_t i = 0; i < t->job_count; i++)
		if (!strcmp(t->jobs[i].profile, name)) {
			count++;
			*run_s += t->jobs[i].run_time_s;
		}
	return count;
}

/* Table 1.1: 190 and 33 tasks; "the complete execution [...] would require an average of 35 hours and 10 minutes". */
static void test_bag(void **state)
{
	struct wt_swf_trace t, again;
	double full_s, rest_s;

	(void) state;
	assert_int_equal(wt_generate_bag(&t, WT_BAG_BRS, wt_bag_tasks(WT_BAG_BRS), 1, NULL), 0);
	assert_int_equal(t.job_count, 223);
	assert_int_equal(class_count(&t, "rest", &rest_s), 33);
	assert_int_equal(class_count(&t, "spectra", &full_s), 190);
	/* five standard errors of the mean */
	assert_true(fabs(full_s / 190 - 603.1) < 5 * 54.9 / sqrt(190) && fabs(rest_s / 33 - 355.9) < 5 * 182.1 / sqrt(33));
	assert_true(t.jobs[0].data_bytes > 0 && t.jobs[0].procs == 1 && !t.jobs[0].ask->text[WT_ASK_DEPENDENCY]);
	assert_string_equal(t.jobs[222].id, "brs223");
	assert_int_equal(wt_generate_bag(&again, WT_BAG_BRS, 223, 1, NULL), 0);
	for (size_t i = 0; i < 223; i++)
		assert_true(t.jobs[i].run_time_s == again.jobs[i].run_time_s && t.jobs[i].run_time_s > 0);
	wt_swf_trace_clear(&again);
	assert_int_equal(wt_generate_bag(&again, WT_BAG_BRS, 223, 2, NULL), 0);
	assert_true(fabs(t.jobs[0].run_time_s - again.jobs[0].run_time_s) > 0);
	wt_swf_trace_clear(&again);
	wt_swf_trace_clear(&t);
	assert_int_equal(wt_generate_bag(&t, WT_BAG_HRT, 2, 1, NULL), 0);
	assert_true(t.job_count == 2 && class_count(&t, "rest", &rest_s) == 0);
	wt_swf_trace_clear(&t);
}

static const struct wt_swf_job *find(const struct wt_swf_trace *t, const char *id)
{
	for (size_t i = 0; i < t->job_count; i++)
		if (!strcmp(t->jobs[i].id, id))
			return &t->jobs[i];
	fail_msg("no job %s", id);
	return NULL;
}

static size_t parents(const struct wt_swf_job *job)
{
	const char *text = job->ask->text[WT_ASK_DEPENDENCY];
	size_t count = 0;

	while (text && (text = strchr(text, ':'))) {
		text++;
		count++;
	}
	return count;
}

/* The counts of Table 1.2, and who waits for whom in Figure 1.3. */
static void test_montage(void **state)
{
	static const struct { const char *name; size_t count; } counts[] = {
		{ "project", 108 }, { "overlap", 3 }, { "diff", 63 }, { "bgmodel", 3 }, { "background", 3 }, { "add", 3 },
		{ "gather", 1 },
	};
	struct wt_swf_trace t;
	double run_s;

	(void) state;
	assert_int_equal(wt_generate_montage(&t, WT_MONTAGE_IMAGES, 1, NULL), 0);
	assert_int_equal(t.job_count, 184);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		assert_int_equal(class_count(&t, counts[i].name, &run_s), counts[i].count);
	assert_true(parents(find(&t, "project_h1")) == 0 && parents(find(&t, "overlap_j1")) == 36);
	assert_true(parents(find(&t, "diff_k21")) == 1 && parents(find(&t, "bgmodel_h1")) == 21);
	assert_true(parents(find(&t, "background_h1")) == 1 && parents(find(&t, "add_h1")) == 1);
	assert_string_equal(find(&t, "gather_1")->ask->text[WT_ASK_DEPENDENCY], "afterok:add_h1:add_j1:add_k1");
	assert_true(find(&t, "gather_1")->data_bytes == 4100400000.0);	/* neither varies */
	wt_swf_trace_clear(&t);
	assert_int_equal(wt_generate_montage(&t, 2, 1, NULL), 0);
	assert_true(t.job_count == 3 * (2 + 1 + 1 + 1 + 1 + 1) + 1);
	wt_swf_trace_clear(&t);
	assert_int_equal(wt_generate_montage(&t, WT_MONTAGE_IMAGES_MAX, 1, NULL), 0);
	wt_swf_trace_clear(&t);
}

static void test_refused(void **state)
{
	enum wt_bag_case which;
	struct wt_swf_trace t;

	(void) state;
	assert_int_equal(wt_bag_case_parse("hrs", &which), 0);
	assert_int_equal(which, WT_BAG_HRS);
	assert_int_equal(wt_bag_case_parse("xrs", &which), -1);
	assert_int_equal(wt_generate_bag(&t, WT_BAG_BRS, 0, 1, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_generate_bag(&t, WT_BAG_BRS, WT_GENERATE_TASKS_MAX + 1, 1, NULL), -1);
	assert_int_equal(wt_generate_montage(&t, 1, 1, NULL), -1);
	assert_int_equal(wt_generate_montage(&t, WT_MONTAGE_IMAGES_MAX + 1, 1, NULL), -1);
	assert_null(t.jobs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bag), cmocka_unit_test(test_montage), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
