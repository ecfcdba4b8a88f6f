/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/export/trace_private.h"
#include "harness/page/sample_rates.h"

static const struct trace_track cluster = { TRACE_CLUSTER, 0 }, controller = { TRACE_CONTROLLER, 0 };

struct cluster_state {
	int64_t waiting, running, cpus;
};

static void state_change(struct cluster_state *state, const struct page_job *job, enum sweep_kind kind)
{
	bool queued = isfinite(job->submit_s);	/* one without the time of its submission never was in the queue */

	if (kind == SWEEP_SUBMIT)
		state->waiting++;
	if ((kind == SWEEP_START && queued) || kind == SWEEP_LEAVE)
		state->waiting--;
	if (kind == SWEEP_START || kind == SWEEP_END) {
		state->running += kind == SWEEP_START ? 1 : -1;
		state->cpus += kind == SWEEP_START ? job->cpus : -(int64_t) job->cpus;
	}
}

static void state_write(struct trace_events *events, const struct cluster_state *now, struct cluster_state *written,
			int64_t ts_us)
{
	if (now->waiting != written->waiting || now->running != written->running) {
		trace_event_begin(events, 'C', "jobs", cluster, ts_us);
		trace_arg_count(events, "waiting", (uint64_t) now->waiting);
		trace_arg_count(events, "running", (uint64_t) now->running);
		trace_event_end(events);
	}
	if (now->cpus != written->cpus) {
		trace_event_begin(events, 'C', "CPUs", cluster, ts_us);
		trace_arg_count(events, "allocated", (uint64_t) now->cpus);
		trace_event_end(events);
	}
	*written = *now;
}

/* Each change, or with many jobs the last one of each short time; always as it was at that moment. */
static void cluster_write(struct trace_events *events, const struct trace_plan *plan)
{
	const struct sweep *sweep = &plan->sweep;
	int64_t step_us = plan->whole ? 1 : trace_time_us(plan->run->period_s) / TRACE_THIN_MOMENTS + 1;
	struct cluster_state now = { 0 }, written = { -1, -1, -1 };

	if (!sweep->count || trace_time_us(sweep->events[0].time_s) > 0)	/* a counter has one value at a time */
		state_write(events, &now, &written, 0);
	for (size_t i = 0; i < sweep->count; i++) {
		int64_t ts_us = trace_time_us(sweep->events[i].time_s);

		state_change(&now, &plan->run->jobs[sweep->events[i].job], sweep->events[i].kind);
		if (i + 1 == sweep->count || trace_time_us(sweep->events[i + 1].time_s) / step_us != ts_us / step_us)
			state_write(events, &now, &written, ts_us);
	}
	trace_name(events, "process", cluster, "cluster", TRACE_CLUSTER);
}

static void rate_write(struct trace_events *events, const char *name, const char *key, double value, int64_t ts_us)
{
	if (!isfinite(value))
		return;
	trace_event_begin(events, 'C', name, controller, ts_us);
	trace_arg_number(events, key, value);
	trace_event_end(events);
}

static void nodes_write(struct trace_events *events, const struct wt_sample *sample, int64_t ts_us)
{
	trace_event_begin(events, 'C', "nodes", cluster, ts_us);
	trace_arg_count(events, "allocated", sample->nodes_allocated);
	trace_arg_count(events, "completing", sample->nodes_completing);
	trace_arg_count(events, "idle", sample->nodes_idle);
	trace_arg_count(events, "down", sample->nodes_down);
	trace_event_end(events);
}

/* What a sample tells of the moment when it was taken. */
static void sample_write(struct trace_events *events, const struct wt_sample *sample, int64_t ts_us)
{
	nodes_write(events, sample, ts_us);
	if (isfinite(sample->controller_cpu_s))	/* else it is not on this machine, and its memory is not known either */
		rate_write(events, "memory", "MiB", (double) sample->controller_rss_kib / 1024, ts_us);
	trace_event_begin(events, 'C', "messages", controller, ts_us);
	trace_arg_count(events, "in work", sample->server_threads);
	trace_arg_count(events, "waiting to be sent", sample->agent_queue);
	trace_event_end(events);
	rate_write(events, "last main cycle", "ms", sample_schedule_ms(sample, NULL), ts_us);
	rate_write(events, "last backfill cycle", "ms", sample_backfill_ms(sample, NULL), ts_us);
}

/* What two samples tell of the time between them stands at its beginning. */
static void samples_write(struct trace_events *events, const struct trace_plan *plan)
{
	const struct wt_record *record = plan->run->record;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct wt_sample *before = &record->samples[i], *now = before + 1;
		int64_t ts_us = trace_time_us(before->time_s - record->begin_s);

		sample_write(events, before, ts_us);
		if (i + 1 == record->sample_count)
			break;
		rate_write(events, "CPU", "%", sample_cpu_rate(now, before), ts_us);
		rate_write(events, "RPCs", "per s", sample_rpc_rate(now, before), ts_us);
		rate_write(events, "RPC, mean", "ms", sample_rpc_ms(now, before), ts_us);
	}
	if (record->sample_count)
		trace_name(events, "process", controller, "slurmctld", TRACE_CONTROLLER);
}

int trace_counters_write(struct trace_events *events, const struct trace_plan *plan)
{
	cluster_write(events, plan);
	samples_write(events, plan);
	return 0;
}
