/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/live/live_json.h"
#include "lib/json.h"

/* To the microsecond: what is shown has no more. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null();
}

static json_t *whole(uint64_t value)
{
	return value == WT_COUNT_UNKNOWN ? json_null() : json_integer((json_int_t) value);
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);	/* without memory it is missing, as what is not known */
}

static void run_set(json_t *v, const struct live_state *s)
{
	set(v, "kind", json_string(s->kind == LIVE_CLUSTER ? "cluster" : "run"));
	set(v, "phase", json_string(live_phase_name(s->phase)));
	set(v, "doing", wt_json_text(s->doing));
	set(v, "title", wt_json_text(s->title));
	set(v, "clock", wt_json_text(s->clock));
	set(v, "folder", wt_json_text(s->folder));
	set(v, "failure", wt_json_text(s->failure));
	set(v, "outage", wt_json_text(s->outage));
	set(v, "exit_status", s->phase == LIVE_ENDED ? json_integer(s->exit_status) : json_null());
	set(v, "run_number", json_integer(s->run_number));
	set(v, "run_count", json_integer(s->run_count));
	set(v, "seed", whole(s->seed));
	set(v, "nodes", json_integer((json_int_t) s->nodes + s->joined));
	set(v, "cpus", json_integer(s->cpus));
	set(v, "clock_s", number(s->clock_s));
	set(v, "wall_s", number(s->wall_s));
	set(v, "share", number(s->share));
	set(v, "left_s", number(s->left_s));
}

static void histogram_set(json_t *v, const struct live_histogram *h, const char *const keys[4])
{
	set(v, keys[0], number(live_histogram_quantile(h, 0.5)));
	set(v, keys[1], number(live_histogram_quantile(h, 0.9)));
	set(v, keys[2], number(h->count ? h->max : NAN));
	set(v, keys[3], number(h->count ? h->sum / (double) h->count : NAN));
}

static void jobs_set(json_t *v, const struct live_state *s)
{
	static const char *const waits[] = { "wait_median_s", "wait_p90_s", "wait_max_s", "wait_mean_s" };
	static const char *const answers[] = { "submit_median_s", "submit_p90_s", "submit_max_s", "submit_mean_s" };
	const struct { const char *key; uint64_t value; } counts[] = {
		{ "jobs", s->jobs }, { "submitted", s->submitted }, { "started", s->started }, { "pending", s->pending },
		{ "running", s->running }, { "completing", s->completing }, { "ended", s->ended },
		{ "completed", s->completed }, { "refused", s->refused }, { "missing", s->missing },
		{ "unsure", s->unsure }, { "resubmitted", s->resubmitted },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		set(v, counts[i].key, whole(counts[i].value));
	histogram_set(v, &s->waits, waits);
	histogram_set(v, &s->submissions, answers);
}

static void sample_set(json_t *v, const struct wt_sample *s)
{
	const struct { const char *key; uint64_t value; } counts[] = {
		{ "nodes_idle", s->nodes_idle }, { "nodes_allocated", s->nodes_allocated },
		{ "nodes_completing", s->nodes_completing }, { "nodes_down", s->nodes_down },
		{ "cpus_allocated", s->cpus_allocated }, { "rpc_queue", s->rpc_queue },
		{ "server_threads", s->server_threads }, { "agent_queue", s->agent_queue },
		{ "rpc_count", s->rpc_count }, { "rpc_time_us", s->rpc_time_us },
		{ "schedule_cycle_last_us", s->schedule_cycle_last_us },
		{ "backfill_cycle_last_us", s->backfill_cycle_last_us },
		{ "schedule_cycles", s->schedule_cycles }, { "schedule_cycle_sum_us", s->schedule_cycle_sum_us },
		{ "controller_rss_kib", s->controller_rss_kib },
	};

	set(v, "sample_s", number(s->time_s));
	set(v, "controller_cpu_s", number(s->controller_cpu_s));
	set(v, "answer_age_s", number(s->answer_age_s));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		set(v, counts[i].key, whole(counts[i].value));
}

static json_t *daemons_json(const struct live_state *s)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < s->daemon_count && i < LIVE_DAEMONS; i++)
		json_array_append_new(list, json_pack("{s:o, s:b, s:I}", "name", wt_json_text(s->daemons[i].name), "alive",
						      s->daemons[i].alive, "restarts",
						      (json_int_t) s->daemons[i].restarts));
	return list;
}

static void cluster_set(json_t *v, const struct live_state *s)
{
	set(v, "daemons", daemons_json(s));
	set(v, "controller_cpu_s", number(s->controller_cpu_s));
	set(v, "controller_rss_kib", whole(s->controller_rss_kib));
	if (!s->nodes_known)
		return;
	set(v, "registered", json_integer(s->registered));
	if (s->may_join) {
		set(v, "nodes_joined", json_integer(s->joined));
		set(v, "places_free", json_integer((json_int_t) s->may_join - s->joined));
	}
	set(v, "nodes_allocated", json_integer(s->nodes_busy));
	set(v, "nodes_completing", json_integer(s->nodes_completing));
	set(v, "heartbeats", whole(s->heartbeats));
	set(v, "heartbeat_reports_lost", whole(s->heartbeat_reports_lost));
	set(v, "messages_sent", whole(s->messages_sent));
	set(v, "messages_retried", whole(s->messages_retried));
	set(v, "messages_lost", whole(s->messages_lost));
}

json_t *live_json_values(const struct live_state *state)
{
	const struct wt_sample *sample = live_state_sample(state);
	json_t *values = json_object();

	if (!values)
		return NULL;
	run_set(values, state);
	jobs_set(values, state);
	if (state->kind == LIVE_CLUSTER)
		cluster_set(values, state);
	if (sample && state->kind == LIVE_RUN)
		sample_set(values, sample);
	return values;
}

json_t *live_json_delta(const json_t *before, const json_t *after)
{
	json_t *delta = json_object(), *value;
	const char *key;

	json_object_foreach((json_t *) after, key, value)
		if (!json_equal(json_object_get(before, key), value))
			json_object_set(delta, key, value);
	json_object_foreach((json_t *) before, key, value)
		if (!json_object_get(after, key))
			json_object_set_new(delta, key, json_null());
	return delta;
}

/* Of one process: after slurmctld's end a new one begins at 0. */
static double cpu_rate(const struct wt_sample *sample, const struct wt_sample *before)
{
	double elapsed_s = before ? sample->time_s - before->time_s : NAN;
	double used_s = before ? sample->controller_cpu_s - before->controller_cpu_s : NAN;

	return elapsed_s > 0 && used_s >= 0 ? used_s / elapsed_s : NAN;
}

json_t *live_json_point(const struct live_state *state, const struct wt_sample *sample, const struct wt_sample *before)
{
	bool cluster = state->kind == LIVE_CLUSTER;
	double all = cluster ? (double) state->nodes + state->joined : state->cpus;
	double used = cluster ? sample->nodes_allocated : sample->cpus_allocated;
	double share = all > 0 ? used / all : NAN;

	return json_pack("[o, o, I, I, I, o]", number(sample->time_s), number(share), (json_int_t) sample->jobs_pending,
			 (json_int_t) sample->jobs_running, (json_int_t) sample->jobs_completing,
			 number(cpu_rate(sample, before)));
}

json_t *live_json_job(const struct live_job *job)
{
	return json_pack("{s:I, s:o, s:I, s:I, s:s, s:o, s:o, s:o}", "id", (json_int_t) job->id, "name",
			 wt_json_text(job->name), "nodes", (json_int_t) job->nodes, "cpus", (json_int_t) job->cpus, "state",
			 wt_job_state_name((enum wt_job_state) job->state), "time_s", number(job->time_s), "wait_s",
			 number(job->wait_s), "run_s", number(job->run_s));
}
