/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The provisioner's part in a run: with what it begins, and what is told of it. */
#include "config.h"

#include <math.h>

#include "harness/run/run_private.h"
#include "harness/run/signals.h"

int wt_run_provision_check(const struct wt_run *run, struct wt_error *errp)
{
	return run_provision_active(&run->scenario->provision) ?
	       provisioner_workload_check(run->workload, run->target.partition.cpus_per_node, errp) : 0;
}

int wt_run_provision_start(struct wt_run *run, struct wt_error *errp)
{
	const struct run_provision *options = &run->scenario->provision;

	if (!run_provision_active(options))
		return 0;
	run->provisioner = (struct provisioner) {
		.clock = run->clock, .workload = run->workload, .partition = &run->target.partition, .tag = run->tag,
		.perturb = &run->scenario->perturb, .seed = run->seed, .ledger = run->ledger, .lock = &run->lock,
		.cluster_dir = run->target.cluster->dir,
		.settings = { .strategy = options->strategy, .full = options->full, .quota = (uint32_t) options->quota,
			      .unit_s = run_provision_unit_s(run->scenario), .margin_s = run_provision_margin_s(options),
			      .boot_s = run_provision_boot_s(options) },
	};
	run->provisioner.program.command = options->program;
	wt_progress_phase(&run->progress, "switching nodes off", 0, 0, (double) wt_clock_now_us(run->clock) / 1e6);
	return provisioner_start(&run->provisioner, &wt_signals_count, errp);
}

void wt_run_provision_look(struct wt_run *run)
{
	char problem[sizeof(run->provisioner.problem)];

	pthread_mutex_lock(&run->lock);
	snprintf(problem, sizeof(problem), "%s", run->provisioner.problem);
	pthread_mutex_unlock(&run->lock);
	if (*problem)
		wt_run_fail(run, "%s", problem);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *wt_run_provision_json(const struct wt_run *run)
{
	const struct run_provision *options = &run->scenario->provision;
	const struct fleet_counts *counts = &run->provisioner.counts;
	const double *costs = run->record->costs;
	bool active = run_provision_active(options);

	if (!options->given)
		return json_null();
	return json_pack("{s:s, s:I, s:s, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "strategy",
			 run_provision_name(options), "quota",
			 (json_int_t) (options->quota ? options->quota : run->record->nodes), "full",
			 options->full == PROVISION_FULL_WAIT ? "wait" : "queue",
			 "margin_s", run_provision_margin_s(options), "unit_s",
			 run_provision_unit_s(run->scenario),
			 "rented", active ? json_integer((json_int_t) counts->rented) : json_null(),
			 "rented_at_once", active ? json_integer((json_int_t) counts->rented_most) : json_null(),
			 "boot_expected_s", active ? number(counts->boot_s) : json_null(),
			 "overhead_expected_s", active ? number(counts->overhead_s) : json_null(),
			 "paid_units", number(costs[WT_COST_UNITS]),
			 "paid_not_busy_s", number(costs[WT_COST_BILLED] - costs[WT_COST_NODES_BUSY]));
}
