/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* What figures are called: in summary.json, in tables. */
#include <math.h>
#include <string.h>

#include "harness/report/metrics.h"

const struct wt_figure_info wt_figure_infos[WT_FIG_COUNT] = {
	[WT_FIG_IDEAL] = { "ideal_s", "ideal makespan", "s", 1 },
	[WT_FIG_MAKESPAN] = { "makespan_s", "makespan", "s", 1 },
	[WT_FIG_EFFICIENCY] = { "efficiency", "ideal / makespan", "%", 100 },
	[WT_FIG_UTILIZATION] = { "utilization", "utilisation", "%", 100 },
	[WT_FIG_WAIT_MEAN] = { "wait_mean_s", "wait, mean", "s", 1 },
	[WT_FIG_WAIT_MEDIAN] = { "wait_median_s", "wait, median", "s", 1 },
	[WT_FIG_WAIT_MAX] = { "wait_max_s", "wait, maximum", "s", 1 },
	[WT_FIG_TURNAROUND_MEAN] = { "turnaround_mean_s", "turnaround, mean", "s", 1 },
	[WT_FIG_TURNAROUND_MEDIAN] = { "turnaround_median_s", "turnaround, median", "s", 1 },
	[WT_FIG_TURNAROUND_MAX] = { "turnaround_max_s", "turnaround, maximum", "s", 1 },
	[WT_FIG_SLOWDOWN_MEAN] = { "bounded_slowdown_mean", "bounded slowdown, mean", "", 1 },
	[WT_FIG_SLOWDOWN_MEDIAN] = { "bounded_slowdown_median", "bounded slowdown, median", "", 1 },
	[WT_FIG_SLOWDOWN_MAX] = { "bounded_slowdown_max", "bounded slowdown, maximum", "", 1 },
	[WT_FIG_SUBMIT_RATE] = { "submit_rate_per_s", "submission throughput", "jobs/s", 1 },
	[WT_FIG_START_RATE] = { "start_rate_per_s", "start throughput", "jobs/s", 1 },
	[WT_FIG_END_RATE] = { "end_rate_per_s", "termination throughput", "jobs/s", 1 },
	[WT_FIG_SUBMIT_LATENCY_MEAN] = { "submit_latency_mean_s", "submission latency, mean", "ms", 1000 },
	[WT_FIG_SUBMIT_LATENCY_MEDIAN] = { "submit_latency_median_s", "submission latency, median", "ms", 1000 },
	[WT_FIG_SUBMIT_LATENCY_P95] = { "submit_latency_p95_s", "submission latency, 95 %", "ms", 1000 },
	[WT_FIG_SUBMIT_LATENCY_MAX] = { "submit_latency_max_s", "submission latency, maximum", "ms", 1000 },
	[WT_FIG_COMPLETING_MEAN] = { "completing_mean_s", "completing time, mean", "s", 1 },
	[WT_FIG_COMPLETING_MAX] = { "completing_max_s", "completing time, maximum", "s", 1 },
	[WT_FIG_COMPLETING_NODE] = { "completing_node_s", "completing time of all nodes", "node s", 1 },
	[WT_FIG_PROBE_MEAN] = { "probe_latency_mean_s", "probe latency, mean", "ms", 1000 },
	[WT_FIG_PROBE_MEDIAN] = { "probe_latency_median_s", "probe latency, median", "ms", 1000 },
	[WT_FIG_PROBE_P95] = { "probe_latency_p95_s", "probe latency, 95 %", "ms", 1000 },
	[WT_FIG_PROBE_MAX] = { "probe_latency_max_s", "probe latency, maximum", "ms", 1000 },
	[WT_FIG_CONTROLLER_CPU] = { "controller_cpu_s", "controller CPU", "s", 1 },
	[WT_FIG_CONTROLLER_CPU_PER_JOB] = { "controller_cpu_per_job_s", "controller CPU per job", "ms", 1000 },
	[WT_FIG_CONTROLLER_RSS_MAX] = { "controller_rss_max_kib", "controller memory, most", "MiB", 1.0 / 1024 },
	[WT_FIG_PENDING_MAX] = { "jobs_pending_max", "queue length, most", "jobs", 1 },
	[WT_FIG_PLACED_FEWEST] = { "placed_fewest", "jobs on the fewest switches", "%", 100 },
	[WT_FIG_PLACED_FREE] = { "placed_fewest_free", "jobs on the fewest switches of free nodes", "%", 100 },
	[WT_FIG_PLACED_LEAVES] = { "placed_fewest_leaves", "jobs on the fewest leaf switches", "%", 100 },
	[WT_FIG_PLACED_LEVEL1] = { "placed_fewest_level1", "jobs on the fewest switches of level 1", "%", 100 },
	[WT_FIG_NODES_BUSY] = { "node_busy_s", "nodes busy", "node h", 1 / 3600.0 },
	[WT_FIG_NODES_IDLE] = { "node_idle_s", "nodes on, and idle", "node h", 1 / 3600.0 },
	[WT_FIG_NODES_BOOTING] = { "node_booting_s", "nodes booting", "node h", 1 / 3600.0 },
	[WT_FIG_NODES_STOPPING] = { "node_stopping_s", "nodes stopping", "node h", 1 / 3600.0 },
	[WT_FIG_NODES_OFF] = { "node_off_s", "nodes off", "node h", 1 / 3600.0 },
	[WT_FIG_BOOTS] = { "boots", "boots", "", 1 },
	[WT_FIG_BOOTS_LOST] = { "boots_lost", "boots that came to nothing", "", 1 },
	[WT_FIG_BILLED_UNITS] = { "billed_units", "billed units", "", 1 },
	[WT_FIG_NODES_BILLED] = { "node_billed_s", "nodes billed", "node h", 1 / 3600.0 },
	[WT_FIG_COST] = { "cost", "cost", "", 1 },
	[WT_FIG_COST_ALWAYS_ON] = { "cost_always_on", "cost, all nodes always on", "", 1 },
	[WT_FIG_ENERGY] = { "energy_kwh", "energy", "kWh", 1 },
	[WT_FIG_ENERGY_ALWAYS_ON] = { "energy_always_on_kwh", "energy, all nodes always on", "kWh", 1 },
	[WT_FIG_WALL] = { "wall_s", "whole command", "s", 1 },
};

bool wt_figure_of_some_runs(enum wt_figure_id id)
{
	return id == WT_FIG_END_RATE || (id >= WT_FIG_PLACED_FEWEST && id <= WT_FIG_ENERGY_ALWAYS_ON);
}

bool wt_figure_long(enum wt_figure_id id, double value)
{
	return !strcmp(wt_figure_infos[id].unit, "s") && isfinite(value) && fabs(value) >= 60;
}
