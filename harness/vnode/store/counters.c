/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/vnode/store/counters.h"

struct rpc_counters *counters_rpc(struct wt_counters *stats, uint16_t type, const char *name)
{
	struct rpc_counters *rpc = stats->rpcs;

	/* The last place is for all that find none: foreign message types must not need memory. */
	for (int i = 0; i < COUNTERS_RPC_TYPES - 1 && rpc->type != type && rpc->name; i++)
		rpc++;
	if (!rpc->name) {
		rpc->type = type;
		rpc->name = rpc == &stats->rpcs[COUNTERS_RPC_TYPES - 1] ? "other" : name;
	}
	return rpc;
}

static json_int_t memory_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	long size, resident = 0;

	if (file) {
		if (fscanf(file, "%ld %ld", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static json_t *rpcs_json(const struct wt_counters *stats)
{
	json_t *object = json_object();

	for (int i = 0; i < COUNTERS_RPC_TYPES && stats->rpcs[i].name; i++) {
		const struct rpc_counters *rpc = &stats->rpcs[i];

		json_object_set_new(object, rpc->name,
				    json_pack("{sIsIsI}", "received", (json_int_t) rpc->received, "refused",
					      (json_int_t) rpc->refused, "unsupported", (json_int_t) rpc->unsupported));
	}
	return object;
}

static json_int_t refused_sum(const struct wt_counters *stats)
{
	json_int_t sum = 0;

	for (int i = 0; i < COUNTERS_RPC_TYPES; i++)
		sum += (json_int_t) stats->rpcs[i].refused;
	return sum;
}

static json_t *dropped_json(const struct wt_counters *stats)
{
	static const char *const names[COUNTERS_DROPS] = {
		"huge", "short", "truncated", "timeout", "unanswered", "memory", "header", "credential", "body",
	};
	json_t *object = json_object();

	for (int i = 0; i < COUNTERS_DROPS; i++)
		json_object_set_new(object, names[i], json_integer((json_int_t) stats->dropped[i]));
	return object;
}

static json_t *stats_json(const struct wt_counters *s)
{
	const struct { const char *name; json_int_t value; } numbers[] = {
		{ "nodes", s->nodes }, { "off", s->off }, { "registered", s->registered }, { "stopped", s->stopped },
		{ "may_join", s->may_join }, { "joined", s->joined },
		{ "jobs_running", s->jobs_running }, { "jobs_known", s->jobs_known },
		{ "stepds_running", s->stepds_running },
		{ "nodes_allocated", s->nodes_allocated }, { "nodes_completing", s->nodes_completing },
		{ "outgoing_in_flight", s->outgoing_in_flight }, { "outgoing_waiting", s->outgoing_waiting },
		{ "sent", (json_int_t) s->sent }, { "retried", (json_int_t) s->retried }, { "lost", (json_int_t) s->lost },
		{ "refused_connections", (json_int_t) s->refused_connections },
		{ "ignored_variables", (json_int_t) s->ignored_variables },
		{ "forwarded", (json_int_t) s->forwarded }, { "forward_failures", (json_int_t) s->forward_failures },
		{ "script_steps", (json_int_t) s->script_steps },
		{ "script_lines_unread", (json_int_t) s->script_lines_unread },
		{ "reconfigured", (json_int_t) s->reconfigured }, { "refused", refused_sum(s) },
		{ "heartbeats", (json_int_t) s->beats }, { "heartbeat_reports", (json_int_t) s->heartbeat_reports },
		{ "heartbeat_reports_lost", (json_int_t) s->heartbeat_reports_lost },
		{ "heartbeat_reports_failed", (json_int_t) s->heartbeat_reports_failed },
		{ "memory_kib", memory_kib() },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_object_set_new(object, numbers[i].name, json_integer(numbers[i].value));
	json_object_set_new(object, "dropped", dropped_json(s));
	json_object_set_new(object, "rpcs", rpcs_json(s));
	return object;
}

int counters_write(const struct wt_counters *stats, const char *path, struct wt_error *errp)
{
	json_t *json = stats_json(stats);
	char *temporary = NULL;
	int rc = 0;

	/* A reader must find the old file or the new one, never the half of one: it is renamed into its place. */
	if (!json || asprintf(&temporary, "%s.tmp", path) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", path);
	else if (json_dump_file(json, temporary, JSON_INDENT(1)) < 0 || rename(temporary, path) < 0)
		rc = wt_error_errno(errp, errno, "%s", path);
	json_decref(json);
	free(temporary);
	return rc;
}
