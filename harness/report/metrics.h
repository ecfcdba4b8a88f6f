/* metrics.h - figures of one run, each with its kind, from a record.  Pure; plain values.
 *
 * Job times run from the moment when the submission was sent (submit_s - submit_latency_s), as the user waits from there:
 *   wait = start - sent (not below 0: slurmctld cuts its times to whole seconds), run = end - start,
 *   turnaround = wait + run.
 * Makespan = last end - begin_s (first submission sent).  Utilisation = sum of allocated CPUs x run / (CPUs x makespan).
 * Bounded slowdown = max (1, (wait + run) / max (run, threshold)) with 10 s x time_scale as the threshold: Feitelson,
 * Rudolph, Schwiegelshohn, Sevcik and Wong, "Theory and practice in parallel job scheduling", JSSPP 1997; 10 s as in
 * Feitelson, "Metrics for parallel job scheduling and their convergence", JSSPP 2001.
 * Termination throughput = jobs CANCELLED / (the last of their nodes released, or their end where that is not known -
 * cancel_s, when the first request to cancel them was sent).
 * Completing time of a job = last node released - end.  Figures over jobs count the jobs that have both times; none: NAN. */
#ifndef WT_HARNESS_REPORT_METRICS_H
#define WT_HARNESS_REPORT_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "record/record.h"

/* How a figure came about (doc/glossary.md); figures of different kinds are never compared silently. */
enum wt_kind { WT_KIND_REAL, WT_KIND_VIRTUAL, WT_KIND_MODELLED, WT_KIND_TOLD };
const char *wt_kind_name(enum wt_kind kind);	/* "real", "virtual", "modelled", "told" (by another program) */

enum wt_figure_id {
	WT_FIG_IDEAL, WT_FIG_MAKESPAN, WT_FIG_EFFICIENCY, WT_FIG_UTILIZATION,
	WT_FIG_WAIT_MEAN, WT_FIG_WAIT_MEDIAN, WT_FIG_WAIT_MAX,
	WT_FIG_TURNAROUND_MEAN, WT_FIG_TURNAROUND_MEDIAN, WT_FIG_TURNAROUND_MAX,
	WT_FIG_SLOWDOWN_MEAN, WT_FIG_SLOWDOWN_MEDIAN, WT_FIG_SLOWDOWN_MAX,
	WT_FIG_SUBMIT_RATE, WT_FIG_START_RATE, WT_FIG_END_RATE,
	WT_FIG_SUBMIT_LATENCY_MEAN, WT_FIG_SUBMIT_LATENCY_MEDIAN, WT_FIG_SUBMIT_LATENCY_P95, WT_FIG_SUBMIT_LATENCY_MAX,
	WT_FIG_COMPLETING_MEAN, WT_FIG_COMPLETING_MAX, WT_FIG_COMPLETING_NODE,
	WT_FIG_PROBE_MEAN, WT_FIG_PROBE_MEDIAN, WT_FIG_PROBE_P95, WT_FIG_PROBE_MAX,
	WT_FIG_CONTROLLER_CPU, WT_FIG_CONTROLLER_CPU_PER_JOB, WT_FIG_CONTROLLER_RSS_MAX, WT_FIG_PENDING_MAX,
	WT_FIG_PLACED_FEWEST, WT_FIG_PLACED_FREE, WT_FIG_PLACED_LEAVES, WT_FIG_PLACED_LEVEL1,	/* as enum wt_placed */
	/* as enum wt_cost */
	WT_FIG_NODES_BUSY, WT_FIG_NODES_IDLE, WT_FIG_NODES_BOOTING, WT_FIG_NODES_STOPPING, WT_FIG_NODES_OFF, WT_FIG_BOOTS,
	WT_FIG_BOOTS_LOST, WT_FIG_BILLED_UNITS, WT_FIG_NODES_BILLED, WT_FIG_COST, WT_FIG_COST_ALWAYS_ON, WT_FIG_ENERGY,
	WT_FIG_ENERGY_ALWAYS_ON,
	WT_FIG_WALL,
	WT_FIG_COUNT
};

/* What a figure is called in summary.json (stable, with its unit) and for people. */
struct wt_figure_info {
	const char *key;	/* "makespan_s" */
	const char *label;	/* "makespan" */
	const char *unit;	/* "s", "%", "1/s", "node s", "MiB", "ms", "" */
	double scale;		/* a value times this is in 'unit': 100 for "%", 1000 for "ms" */
};
extern const struct wt_figure_info wt_figure_infos[WT_FIG_COUNT];

/* Most runs do not have it, and there is nothing to say of it then. */
bool wt_figure_of_some_runs(enum wt_figure_id id);

/* Is it a time of a minute or more, which people read better as hours, minutes and seconds? */
bool wt_figure_long(enum wt_figure_id id, double value);

struct wt_figure {
	double value;		/* NAN: not measured */
	enum wt_kind kind;
};

struct wt_metrics {
	size_t jobs_total;	/* in the workload */
	size_t jobs_submitted;	/* accepted: they have an id */
	size_t jobs_completed;	/* state COMPLETED */
	size_t jobs_missing;	/* not in a final state */
	size_t by_state[WT_JOB_STATE_COUNT];
	size_t probes_failed;	/* probe latency is negative */
	size_t events_malformed;	/* lines of the nodes' events that could not be read (wt_report_write fills it) */
	double slowdown_threshold_s;
	struct wt_figure figures[WT_FIG_COUNT];
};

/* How a figure comes about under a clock of this name; NULL is the real one. */
enum wt_kind wt_figure_kind(enum wt_figure_id id, const char *clock);

/* All figures.  Those that depend on the clock carry "real" under the clock "real" and "virtual" else, but what measures the
 * controller's speed (throughputs, latencies) is "modelled" then; wall_s and the controller's CPU and memory are always
 * "real"; ideal_s, and what nodes did and cost, are "modelled".  0, or -1 with ENOMEM. */
int wt_metrics_compute(struct wt_metrics *metrics, const struct wt_record *record, struct wt_error *errp);

#endif
