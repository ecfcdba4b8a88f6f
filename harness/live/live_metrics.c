/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_metrics.h"
#include "lib/openmetrics.h"

#define OLD_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define BOUNDS 16		/* 1/1024 s to 12 days, each four times the one before */

static void gauge(struct wt_openmetrics *om, const char *name, const char *unit, const char *help, double value)
{
	wt_metric_family(om, name, WT_METRIC_GAUGE, unit, help);
	wt_metric_value(om, NULL, value);
}

static void counter(struct wt_openmetrics *om, const char *name, const char *unit, const char *help, double value)
{
	wt_metric_family(om, name, WT_METRIC_COUNTER, unit, help);
	if (isfinite(value) && value >= 0)
		wt_metric_value(om, NULL, value);
}

static void whole_counter(struct wt_openmetrics *om, const char *name, const char *help, uint64_t value)
{
	wt_metric_family(om, name, WT_METRIC_COUNTER, NULL, help);
	if (value != WT_COUNT_UNKNOWN)
		wt_metric_count(om, NULL, value);
}

static void states_write(struct wt_openmetrics *om, const char *name, const char *help, const char *const states[],
			 const uint64_t counts[], size_t count)
{
	wt_metric_family(om, name, WT_METRIC_GAUGE, NULL, help);
	for (size_t i = 0; i < count; i++) {
		struct wt_metric_label labels[] = { { "state", states[i] }, { NULL, NULL } };

		wt_metric_count(om, labels, counts[i]);
	}
}

static void histogram(struct wt_openmetrics *om, const char *name, const char *help, const struct live_histogram *h)
{
	double bounds[BOUNDS];
	uint64_t counts[BOUNDS];

	for (int i = 0; i < BOUNDS; i++) {
		bounds[i] = LIVE_BUCKET_FIRST_S * exp2(2 * i);
		counts[i] = live_histogram_below(h, bounds[i]);
	}
	wt_metric_family(om, name, WT_METRIC_HISTOGRAM, "seconds", help);
	wt_metric_histogram(om, NULL, bounds, counts, BOUNDS, h->count, h->sum);
}

static void what_write(struct wt_openmetrics *om, const struct live_state *s)
{
	struct wt_metric_label labels[] = {
		{ "kind", s->kind == LIVE_CLUSTER ? "cluster" : "run" }, { "title", s->title }, { "clock", s->clock },
		{ "folder", s->folder }, { "version", PACKAGE_VERSION }, { NULL, NULL },
	};

	wt_metric_family(om, "windtunnel_live", WT_METRIC_INFO, NULL, "What is watched.");
	wt_metric_info(om, labels);
	gauge(om, "windtunnel_live_phase", NULL, "0: it starts; 1: it runs; 2: results are written; 3: it has ended.",
	      s->phase);
	gauge(om, "windtunnel_wall_seconds", "seconds", "Since it began, by the machine's clock.", s->wall_s);
	gauge(om, "windtunnel_clock_seconds", "seconds", "Since it began, by its own clock.", s->clock_s);
}

static void run_write(struct wt_openmetrics *om, const struct live_state *s)
{
	static const char *const states[] = { "pending", "running", "completing" };
	const uint64_t counts[] = { s->pending, s->running, s->completing };

	gauge(om, "windtunnel_run_share", NULL, "How much of the run is over, from 0 to 1.", s->share);
	gauge(om, "windtunnel_run_left_seconds", "seconds", "How long the run still takes by the machine's clock.",
	      s->left_s);
	gauge(om, "windtunnel_run_jobs", NULL, "Jobs of the workload.", (double) s->jobs);
	states_write(om, "windtunnel_jobs", "Jobs in the controller, by state.", states, counts, 3);
	whole_counter(om, "windtunnel_jobs_submitted", "Jobs that slurmctld has accepted.", s->submitted);
	whole_counter(om, "windtunnel_jobs_completed", "Jobs that have ended as they should.", s->completed);
	whole_counter(om, "windtunnel_jobs_refused", "Jobs that slurmctld has refused.", s->refused);
	histogram(om, "windtunnel_job_wait_seconds", "From submission to start, of the jobs that have started.", &s->waits);
	histogram(om, "windtunnel_submission_seconds", "Slurmctld's answers to the submissions of jobs that have started.",
		  &s->submissions);
}

static void sample_write(struct wt_openmetrics *om, const struct wt_sample *p, uint32_t cpus)
{
	static const char *const states[] = { "idle", "allocated", "completing", "down" };
	const uint64_t counts[] = { p->nodes_idle, p->nodes_allocated, p->nodes_completing, p->nodes_down };

	states_write(om, "windtunnel_nodes", "Nodes, by state.", states, counts, 4);
	gauge(om, "windtunnel_cpus", NULL, "CPUs of the partition.", cpus);
	gauge(om, "windtunnel_cpus_allocated", NULL, "CPUs that jobs have.", p->cpus_allocated);
	counter(om, "windtunnel_controller_cpu_seconds", "seconds", "CPU time of slurmctld.", p->controller_cpu_s);
	gauge(om, "windtunnel_controller_resident_bytes", "bytes", "Resident memory of slurmctld.",
	      (double) p->controller_rss_kib * 1024);
	gauge(om, "windtunnel_controller_answer_age_seconds", "seconds", "How long ago slurmctld was asked for this.",
	      p->answer_age_s);
	whole_counter(om, "windtunnel_controller_rpcs", "Messages that slurmctld has handled (sdiag).", p->rpc_count);
	counter(om, "windtunnel_controller_rpc_seconds", "seconds", "Time that slurmctld took for them (sdiag).",
		(double) p->rpc_time_us / 1e6);
	gauge(om, "windtunnel_controller_server_threads", NULL, "Threads of slurmctld that handle messages (sdiag).",
	      p->server_threads);
	gauge(om, "windtunnel_controller_agent_queue", NULL, "Messages to nodes that wait in slurmctld (sdiag).",
	      p->agent_queue);
	gauge(om, "windtunnel_schedule_last_seconds", "seconds", "The last cycle of the main scheduler (sdiag).",
	      (double) p->schedule_cycle_last_us / 1e6);
	gauge(om, "windtunnel_backfill_last_seconds", "seconds", "The last cycle of the backfill scheduler (sdiag).",
	      (double) p->backfill_cycle_last_us / 1e6);
}

static void cluster_write(struct wt_openmetrics *om, const struct live_state *s)
{
	wt_metric_family(om, "windtunnel_daemon_up", WT_METRIC_GAUGE, NULL, "Does this daemon of the cluster live?");
	for (uint32_t i = 0; i < s->daemon_count && i < LIVE_DAEMONS; i++)
		wt_metric_count(om, (struct wt_metric_label[]){ { "daemon", s->daemons[i].name }, { NULL, NULL } },
				s->daemons[i].alive);
	wt_metric_family(om, "windtunnel_daemon_restarts", WT_METRIC_COUNTER, NULL, "How often it was started again.");
	for (uint32_t i = 0; i < s->daemon_count && i < LIVE_DAEMONS; i++)
		wt_metric_count(om, (struct wt_metric_label[]){ { "daemon", s->daemons[i].name }, { NULL, NULL } },
				s->daemons[i].restarts);
	counter(om, "windtunnel_controller_cpu_seconds", "seconds", "CPU time of slurmctld.", s->controller_cpu_s);
	gauge(om, "windtunnel_cluster_nodes", NULL, "Nodes of the cluster.", (double) s->nodes + s->joined);
	if (!s->nodes_known)
		return;
	gauge(om, "windtunnel_nodes_registered", NULL, "Nodes that have registered.", s->registered);
	if (s->may_join) {
		gauge(om, "windtunnel_nodes_joined", NULL, "Nodes that have joined the cluster at run time, and are on.",
		      s->joined);
		gauge(om, "windtunnel_node_places_free", NULL, "Places of nodes that may join.",
		      (double) s->may_join - s->joined);
	}
	gauge(om, "windtunnel_nodes_allocated", NULL, "Nodes with a job, as the nodes know it.", s->nodes_busy);
	gauge(om, "windtunnel_nodes_completing", NULL, "Nodes whose job has ended, as the nodes know it.",
	      s->nodes_completing);
	gauge(om, "windtunnel_cluster_jobs_running", NULL, "Jobs on virtual nodes.", (double) s->running);
	whole_counter(om, "windtunnel_cluster_jobs_started", "Jobs that virtual nodes have started.", s->started);
	whole_counter(om, "windtunnel_cluster_jobs_ended", "Jobs that virtual nodes have ended.", s->ended);
	whole_counter(om, "windtunnel_heartbeats", "Heartbeats of agents that virtual nodes have sent.", s->heartbeats);
	whole_counter(om, "windtunnel_node_messages", "Messages that virtual nodes have sent.", s->messages_sent);
	whole_counter(om, "windtunnel_node_messages_retried", "Those that were sent again.", s->messages_retried);
	whole_counter(om, "windtunnel_node_messages_lost", "Those that were lost.", s->messages_lost);
}

static char *open_text(const struct live_state *state)
{
	const struct wt_sample *sample = live_state_sample(state);
	struct wt_openmetrics om = { .time_s = NAN };
	char *text = NULL;
	size_t len = 0;
	bool failed;

	om.out = open_memstream(&text, &len);
	if (!om.out)
		return NULL;
	what_write(&om, state);
	if (state->kind == LIVE_CLUSTER)
		cluster_write(&om, state);
	else
		run_write(&om, state);
	if (sample && state->kind == LIVE_RUN)
		sample_write(&om, sample, state->cpus);
	failed = wt_openmetrics_end(&om, NULL) < 0 && errno == ENOMEM;
	failed |= ferror(om.out) != 0;
	if (fclose(om.out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* The suffix that the samples of a family have, which the older format wants in its head as well. */
static const char *head_suffix(const char *line, size_t len)
{
	static const char counters[] = " counter", infos[] = " info";

	if (len > strlen(counters) && !strncmp(line + len - strlen(counters), counters, strlen(counters)))
		return "_total";
	return len > strlen(infos) && !strncmp(line + len - strlen(infos), infos, strlen(infos)) ? "_info" : "";
}

/* "# TYPE name counter" becomes "# TYPE name_total counter", and its "# HELP" the same; no units, no end mark, no infos. */
static char *old_text(const char *text)
{
	struct wt_str old = { 0 };
	const char *suffix = "";

	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (!strncmp(text, "# UNIT ", 7) || !strncmp(text, "# EOF", 5))
			continue;
		if (!strncmp(text, "# TYPE ", 7) || !strncmp(text, "# HELP ", 7)) {
			size_t name = strcspn(text + 7, " ") + 7;
			bool type = text[2] == 'T';

			suffix = type ? head_suffix(text, len) : suffix;
			wt_str_printf(&old, "%.*s%s%.*s\n", (int) name, text, suffix,
				      type && !strcmp(suffix, "_info") ? (int) strlen(" gauge") : (int) (len - name),
				      type && !strcmp(suffix, "_info") ? " gauge" : text + name);
		} else {
			wt_str_printf(&old, "%.*s\n", (int) len, text);
		}
	}
	return wt_str_take(&old);
}

char *live_metrics_text(const struct live_state *state, const char *accept, const char **type)
{
	bool open = accept && strstr(accept, "application/openmetrics-text");
	char *text = open_text(state), *old;

	*type = open ? WT_OPENMETRICS_TYPE : OLD_TYPE;
	if (open || !text)
		return text;
	old = old_text(text);
	free(text);
	return old;
}
