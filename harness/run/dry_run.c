/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "lib/clock.h"
#include "harness/run/dry_run.h"
#include "harness/run/run_estimate.h"
#include "harness/run/jobdesc.h"
#include "lib/str.h"
#include "harness/report/summary.h"
#include "lib/table.h"
#include "harness/run/target.h"

struct machine {
	uint32_t nodes, cpus;
	struct wt_target target;	/* of a cluster that is there */
};

static int machine_size(const struct wt_scenario *scenario, struct machine *machine, struct wt_error *errp)
{
	memset(machine, 0, sizeof(*machine));
	/* With all that the cluster would be refused for: bad settings, files that are not there. */
	if (scenario->own_cluster.given || scenario->own_cluster.site)
		return wt_cluster_size(&scenario->own_cluster, &machine->nodes, &machine->cpus, errp);
	if (wt_target_look(&machine->target, scenario, errp) < 0)
		return -1;
	machine->nodes = machine->target.partition.nodes;
	machine->cpus = machine->target.partition.cpus;
	return 0;
}

static const struct wt_lane *lane_of(const struct wt_workload *w, size_t job)
{
	for (size_t i = 0; i < w->lane_count; i++)
		if (job >= w->lanes[i].first && job < w->lanes[i].first + w->lanes[i].count)
			return &w->lanes[i];
	return &w->lanes[0];
}

#define BASIS "measured on 2 CPUs at real-time priority (doc/results-clock.md); a busy machine takes several times as long"

static void estimate_make(struct wt_estimate *e, const struct wt_scenario *scenario, const struct wt_workload *w,
			  const struct machine *machine)
{
	bool virtual_clock = scenario->virtual_clock || wt_clock_own() != wt_clock_real();

	wt_estimate_make(e, w, machine->nodes, machine->cpus, virtual_clock,
			 scenario->charge && !strcmp(scenario->charge, "none"));
}

static void estimate_print(const struct wt_scenario *scenario, const struct wt_workload *w, const struct machine *machine)
{
	char clock[WT_DURATION_SIZE], wall[WT_DURATION_SIZE];
	struct wt_estimate e;

	estimate_make(&e, scenario, w, machine);
	wt_str_duration(clock, e.clock_s);
	if (!e.virtual_clock) {
		printf("it takes at least %.1f s (%s), and what the cluster's start takes\n", e.clock_s, clock);
		return;
	}
	wt_str_duration(wall, wt_estimate_wall_s(&e));
	printf("it takes at least %.1f virtual s (%s); an estimate of the wall time: %.0f s (%s), %s\n  %s\n", e.clock_s,
	       clock,
	       wt_estimate_wall_s(&e), wall, wt_estimate_sparse(&e) ? "most of it for the virtual seconds (sparse)" :
	       "most of it for the jobs (dense)", BASIS);
}

static json_t *estimate_json(const struct wt_scenario *scenario, const struct wt_workload *w, const struct machine *machine)
{
	struct wt_estimate e;

	estimate_make(&e, scenario, w, machine);
	if (!e.virtual_clock)
		return json_pack("{s:f, s:f}", "clock_s", e.clock_s, "wall_s", e.clock_s);
	return json_pack("{s:f, s:f, s:f, s:f, s:s, s:s}", "clock_s", e.clock_s, "wall_s", wt_estimate_wall_s(&e),
			 "seconds_wall_s",
			 e.second_wall_s * e.clock_s, "jobs_wall_s", e.jobs_wall_s, "costs", wt_estimate_sparse(&e) ?
			 "seconds" : "jobs",
			 "basis", BASIS);
}

static int table_print(const struct wt_scenario *scenario, const struct wt_workload *w, const struct machine *machine,
		       struct wt_error *errp)
{
	struct wt_table *table = wt_table_create("llrrrrrr");
	static const char *const heads[] = { "job", "lane", "stage", "cpus", "nodes", "run_time_s", "limit_min", "delay_s" };
	int rc = table ? 0 : -1;

	for (size_t i = 0; !rc && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	for (size_t i = 0; !rc && i < w->job_count; i++) {
		const struct wt_job *job = &w->jobs[i];
		const struct wt_lane *lane = lane_of(w, i);

		rc = wt_table_cell(table, "%s", job->name) || wt_table_cell(table, "%s", lane->name) ||
		     wt_table_cell(table, "%u", lane->stage) || wt_table_cell(table, "%u", job->cpus) ||
		     (job->nodes ? wt_table_cell(table, "%u", job->nodes) : wt_table_cell(table, "-")) ||
		     wt_table_cell(table, "%.3f", job->run_time_s) ||
		     wt_table_cell(table, "%u", wt_jobdesc_limit_min(job)) || wt_table_cell(table, "%.3f", job->delay_s);
	}
	if (rc) {
		wt_table_destroy(table);
		return wt_error_errno(errp, ENOMEM, "table");
	}
	printf("%s: %zu jobs for %u nodes with %u CPUs, seed %llu, time scale %g, ideal %.1f s\n", w->name, w->job_count,
	       machine->nodes, machine->cpus, (unsigned long long) w->seed, w->time_scale, w->ideal_s);
	wt_choice_trace_print(stdout, "", scenario, machine->cpus);
	if (machine->target.real.looked)
		real_machine_print(stdout, &machine->target.real, &scenario->real, &machine->target.partition, w);
	estimate_print(scenario, w, machine);
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
	return 0;
}

static int json_print(const struct wt_scenario *scenario, const struct wt_workload *w, const struct machine *machine,
		      struct wt_error *errp)
{
	json_t *jobs = json_array(), *root;
	struct real_need need;
	char seed[32];
	int rc;

	for (size_t i = 0; i < w->job_count; i++) {
		const struct wt_job *job = &w->jobs[i];
		const struct wt_lane *lane = lane_of(w, i);

		json_array_append_new(jobs, json_pack("{s:s, s:s, s:I, s:I, s:I, s:f, s:I, s:f}", "name", job->name, "lane",
			lane->name, "stage", (json_int_t) lane->stage, "cpus", (json_int_t) job->cpus, "nodes",
			(json_int_t) job->nodes, "run_time_s", job->run_time_s, "time_limit_min",
			(json_int_t) wt_jobdesc_limit_min(job), "delay_s", job->delay_s));
	}
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long) w->seed);
	root = json_pack("{s:s, s:I, s:I, s:s, s:f, s:f, s:o, s:o, s:o}", "name", w->name,
			 "nodes", (json_int_t) machine->nodes, "cpus", (json_int_t) machine->cpus, "seed", seed,
			 "time_scale", w->time_scale, "ideal_s", w->ideal_s,
			 "trace", wt_choice_trace_json(scenario, machine->cpus),
			 "estimate", estimate_json(scenario, w, machine), "jobs", jobs);
	if (root && machine->target.real.looked) {
		real_need_make(&need, w, machine->target.partition.cpus_per_node);
		json_object_set_new(root, "real_cluster",
				    real_machine_json(&machine->target.real, &machine->target.partition, &need));
	}
	rc = root ? wt_json_write(stdout, root, errp) : wt_error_errno(errp, ENOMEM, "workload");
	json_decref(root);
	return rc;
}

int wt_dry_run(const struct wt_scenario *scenario, struct wt_error *errp)
{
	struct machine machine;
	struct wt_workload *w;
	int rc, saved_errno;

	if (machine_size(scenario, &machine, errp) < 0)
		return -1;
	w = wt_choice_create(scenario, scenario->shared.seed, machine.nodes, machine.cpus, errp);
	rc = !w ? -1 : scenario->json ? json_print(scenario, w, &machine, errp) : table_print(scenario, w, &machine, errp);
	wt_workload_destroy(w);
	saved_errno = errno;
	wt_target_close(&machine.target, NULL);
	errno = saved_errno;
	return rc;
}
