/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/identity.h"

#define SCENARIO "scenario"	/* there was a scenario.json */

/* In the order in which they are told. */
static const struct {
	const char *key, *label;
} parts[] = {
	{ "workload", "workload" }, { "sha256", "trace" }, { "jobs", "number of jobs" }, { "variant", "--variant" },
		{ "unit", "--unit" },
	{ "burst", "--burst" }, { "arrival", "--arrival" }, { "job_cpus", "--job-cpus" }, { "run_time_s", "--run-time" },
	{ "interval_s", "--interval" }, { "from_s", "--from" }, { "from_absolute", "--from with @" },
	{ "duration_s", "--duration" },
	{ "first_job", "--first-job" }, { "last_job", "--last-job" }, { "load", "--load" }, { "cpus_scale", "--cpus-scale" },
	{ "max_run_time_s", "--max-run-time" }, { "bandwidth_mb_s", "--bandwidth" },
	{ "near_bandwidth_mb_s", "--near-bandwidth" }, { "near_bandwidth_nodes", "nodes of --near-bandwidth" },
	{ "leave_out", "--leave-out" }, { "time_scale", "time scale" },
	{ "limit_factor", "--limit-factor" }, { "probe", "--probe" },
	{ "perturb", "--perturb" }, { "workload_seed", "--workload-seed" },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static int part_set(json_t *identity, const char *key, json_t *value)
{
	return !value || json_is_null(value) ? 0 : json_object_set(identity, key, value);
}

/* The same trace in another folder is the same: only its name and its checksum are compared. */
static const char *trace_name(const json_t *workload)
{
	const char *path = json_string_value(json_object_get(workload, "trace")), *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static int scenario_take(json_t *identity, const json_t *scenario)
{
	json_t *options = json_object_get(scenario, "options"), *workload = json_object_get(options, "workload");
	const char *name = trace_name(workload);

	if (!options)
		return 0;
	for (size_t i = 0; i < PARTS; i++) {
		json_t *value = json_object_get(workload, parts[i].key);

		if (!strcmp(parts[i].key, "workload") || !strcmp(parts[i].key, "jobs") ||
		    !strcmp(parts[i].key, "time_scale"))
			continue;	/* the summary's */
		if (part_set(identity, parts[i].key, value ? value : json_object_get(options, parts[i].key)) < 0)
			return -1;
	}
	if (name && json_object_set_new(identity, "trace", json_string(name)) < 0)
		return -1;
	return json_object_set_new(identity, SCENARIO, json_true());
}

json_t *wt_identity_make(const json_t *summary, const json_t *scenario)
{
	json_t *identity = json_object();

	if (identity && part_set(identity, "workload", json_object_get(summary, "workload")) == 0 &&
	    part_set(identity, "jobs", json_object_get(summary, "jobs_total")) == 0 &&
	    part_set(identity, "time_scale", json_object_get(summary, "time_scale")) == 0 && scenario_take(identity,
	    scenario) == 0)
		return identity;
	json_decref(identity);
	errno = ENOMEM;
	return NULL;
}

static bool same(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return json_number_value(a) == json_number_value(b);
	return json_equal(a, b);
}

static void text_add(char *text, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void text_add(char *text, size_t size, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

static void value_add(char *text, size_t size, const json_t *identity, size_t part)
{
	const json_t *value = json_object_get(identity, parts[part].key);
	const char *name = json_string_value(json_object_get(identity, "trace"));
	char *dump;

	if (!strcmp(parts[part].key, "sha256")) {
		text_add(text, size, "%s (SHA-256 %.8s)", name ? name : "of no name", json_string_value(value));
	} else if (json_is_string(value)) {
		text_add(text, size, "%s", json_string_value(value));
	} else {
		dump = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
		text_add(text, size, "%s", dump ? dump : "?");
		free(dump);
	}
}

bool wt_identity_differs(const json_t *a, const json_t *b, char *text, size_t size)
{
	bool differs = false;

	*text = '\0';
	for (size_t i = 0; i < PARTS; i++) {
		const json_t *x = json_object_get(a, parts[i].key), *y = json_object_get(b, parts[i].key);

		/* What one of them does not tell (an older version wrote it) is no difference: wt_identity_unknown ()
		 * says so. */
		if (!x || !y || same(x, y))
			continue;
		text_add(text, size, "%s%s ", differs ? ", " : "", parts[i].label);
		value_add(text, size, a, i);
		text_add(text, size, " and ");
		value_add(text, size, b, i);
		differs = true;
	}
	return differs;
}

const char *wt_identity_unknown(const json_t *a, const json_t *b)
{
	if (!json_object_get(a, SCENARIO) || !json_object_get(b, SCENARIO))
		return "one has no scenario.json: that both ran the same workload is not known, but for its name and its "
		       "number of jobs";
	if (json_object_get(a, "trace") && json_object_get(b, "trace") && !(json_object_get(a, "sha256") &&
									    json_object_get(b, "sha256")))
		return "one is of an older version, which wrote down no checksum of the trace: that both ran the same "
		       "trace is not known";
	return NULL;
}

void wt_identity_label(const json_t *identity, char *text, size_t size)
{
	const char *workload = json_string_value(json_object_get(identity, "workload"));
	const char *trace = json_string_value(json_object_get(identity, "trace"));

	snprintf(text, size, "%s%s%s", workload ? workload : "unknown", trace ? ":" : "", trace ? trace : "");
}
