/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz an experiment's file, its plan, and the criteria of the command line. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/experiment/criterion.h"
#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/vary.h"
#include "lib/fuzz.h"

static void criteria_read(const char *text)
{
	struct expectation expectation;
	struct precision precision;
	struct wt_error error;

	if (precision_parse(&precision, text, &error) == 0 && !(precision.share > 0))
		abort();
	(void) expectation_parse(&expectation, text, &error);
}

/* What is made of a command line is no other file than it says: one case for each value at least. */
static void vary_read(const char *text)
{
	struct vary vary = { .site = "/s", .command = text, .repeat = 1 };
	struct experiment e = { 0 };
	struct wt_error error;
	char *file = NULL;

	if (wt_vary_axis(&vary, text, &error) == 0 && wt_vary_setting(&vary, "charge=cpu", &error) == 0)
		file = wt_vary_file(&vary, &error);
	if (file && experiment_parse(&e, "/s/e", file, strlen(file), &error) == 0 &&
	    (e.axis_count != 1 || e.axes[0].value_count != vary.axes[0].value_count))
		abort();
	if (file)
		experiment_clear(&e);
	free(file);
	wt_vary_clear(&vary);
}

/* No case's folder leads out of the experiment's, and no two cases share one. */
static void plan_check(const struct experiment_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		if (!*plan->cases[i].folder || *plan->cases[i].folder == '.' || strchr(plan->cases[i].folder, '/'))
			abort();
		for (size_t j = 0; j < i; j++)
			if (!strcmp(plan->cases[i].folder, plan->cases[j].folder))
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct experiment_plan plan = { 0 };
	struct wt_error error;
	struct experiment e;
	char line[256] = "";

	memcpy(line, data, size < sizeof(line) ? size : sizeof(line) - 1);
	criteria_read(line);
	vary_read(line);
	if (experiment_parse(&e, "dir/fuzz", (const char *) data, size, &error) == 0 &&
	    experiment_plan_make(&plan, &e, NULL, &error) == 0)
		plan_check(&plan);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	return 0;
}

static const char *const seeds[] = {
	"title: T\nseed: 7\nrepeat: 4\nfigures: [makespan_s, wait_mean_s]\nworkload: {kind: burst, jobs: 10}\n"
	"cluster: {nodes: 64, clock: virtual, keep: [Prolog, MailProg]}\nnode: {loss: 0.1%}\nslurm.conf: {A: 1, B+: C=2}\n"
	"run: {keep-going: true}\nvariants:\n  stock:\n  defer: {slurm.conf: {A: null}}\ngrid:\n"
	"  slurm.conf.A: [1, ~]\n  slurm.conf.S.b: [1, true]\n",
	"workload: &w {kind: \"swf:a b\"}\nvariants: {a: {workload: *w}, ../b: , 'c/d': }\n",
	"ci95(makespan)<0.5%",
	"wait_mean_s <= +2%",
	"bf_interval=site,30,'x'",
	"SchedulerParameters=defer;bf_continue,x=1;",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]) < size ? strlen(seeds[index]) : size;
	memcpy(buf, seeds[index], len);
	return len;
}
