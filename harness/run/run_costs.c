/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nodes of a run did, by the cluster's power.csv, and what that costs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/cost/cost_run.h"
#include "harness/run/run_private.h"
#include "lib/outfile.h"

static int power_read(struct wt_run *run, struct wt_error *errp)
{
	char *dir = wt_str_format("%s/nodes", run->target.cluster->dir);
	int rc = dir ? cost_power_read(dir, &run->power, errp) : wt_error_errno(errp, ENOMEM, "%s", WT_POWER_FILE);

	free(dir);
	return rc;
}

/* A shared cluster's file tells of earlier runs, too. */
int wt_run_power_take(struct wt_run *run, struct wt_error *errp)
{
	char *path;
	int rc;

	if (!run->target.cluster)
		return 0;
	run->power_failed = power_read(run, &run->costs_why) < 0;
	if (run->power_failed)
		return 0;	/* it costs these figures only */
	wt_power_log_cut(&run->power, llround(run->record->begin_s * 1e6), wt_clock_now_us(run->clock));
	run->power_known = run->power.count || run->target.cluster->elastic;
	if (!run->power_known)
		return 0;
	path = wt_str_format("%s/" WT_POWER_FILE, run->dir);
	rc = path ? wt_outfile_write(path, wt_power_log_write, &run->power, errp) :
	     wt_error_errno(errp, ENOMEM, WT_POWER_FILE);
	free(path);
	return rc;
}

static void bill(struct wt_run *run, const struct cost_run *of)
{
	const struct cost_settings *settings = &run->scenario->cost;
	struct cost_sums *sums = calloc(settings->class_count + 1, sizeof(*sums));
	bool counted = sums && cost_run_bill(of, settings, sums, &run->costs_why) == 0;

	if (counted) {
		cost_figures_fill(run->record, settings, sums);
		run->costs = cost_json(of, settings, sums);
	}
	if (!sums || (counted && !run->costs))
		wt_error_errno(&run->costs_why, ENOMEM, "costs");
	free(sums);
}

void wt_run_costs_make(struct wt_run *run)
{
	struct cost_run of;

	if (run->power_failed || (!run->power_known && !run->scenario->cost.text_count))
		return;
	if (cost_run_make(&of, run->record, &run->scenario->cost, &run->power, &run->costs_why) == 0)
		bill(run, &of);
	cost_run_clear(&of);
}
