/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* summary.json: written and read back. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "harness/report/json_private.h"
#include "lib/json.h"
#include "lib/str.h"
#include "harness/report/summary.h"

#define JSON_INTEGER_MAX (1ull << 53)	/* what every JSON reader keeps exactly (RFC 8259, section 6) */

json_t *json_number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

/* A seed above 2^53 is a string: most readers of JSON keep numbers as doubles, and would change it. */
static json_t *json_seed(uint64_t seed)
{
	char text[32];

	if (seed <= JSON_INTEGER_MAX)
		return json_integer((json_int_t) seed);
	snprintf(text, sizeof(text), "%llu", (unsigned long long) seed);
	return json_string(text);
}

/* Takes the reference to 'value' also when it fails, as json_object_set_new does. */
int json_head_set(json_t *object, const struct wt_record *record)
{
	return json_object_set_new(object, "workload", json_text_or_null(record->workload)) < 0 ||
	       json_object_set_new(object, "nodes", json_integer(record->nodes)) < 0 ||
	       json_object_set_new(object, "cpus", json_integer(record->cpus)) < 0 ||
	       json_object_set_new(object, "backend", json_text_or_null(record->backend)) < 0 ||
	       json_object_set_new(object, "clock", json_text_or_null(record->clock)) < 0 ||
	       (record->slurm_version &&
		json_object_set_new(object, "slurm_version", wt_json_text(record->slurm_version)) < 0) ||
	       json_object_set_new(object, "seed", json_seed(record->seed)) < 0 ||
	       json_object_set_new(object, "time_scale", json_number_or_null(record->time_scale)) < 0 ? -1 : 0;
}

static json_t *states_json(const struct wt_metrics *metrics)
{
	json_t *states = json_object();

	for (size_t i = 0; states && i < WT_JOB_STATE_COUNT; i++)
		if (metrics->by_state[i] && json_object_set_new(states, wt_job_state_name((enum wt_job_state) i),
								json_integer((json_int_t) metrics->by_state[i])) < 0) {
			json_decref(states);
			return NULL;
		}
	return states;
}

static json_t *missing_json(const struct wt_record *record)
{
	json_t *missing = json_array();

	for (size_t i = 0; missing && i < record->job_count; i++)
		if (!wt_job_state_final(record->jobs[i].state) &&
		    json_array_append_new(missing, json_string(record->jobs[i].name)) < 0) {
			json_decref(missing);
			return NULL;
		}
	return missing;
}

static int counts_set(json_t *object, const struct wt_record *record, const struct wt_metrics *m)
{
	return json_object_set_new(object, "begin_s", json_number_or_null(record->begin_s)) < 0 ||
	       json_object_set_new(object, "cancel_begin_s", json_number_or_null(record->cancel_s)) < 0 ||
	       json_object_set_new(object, "jobs_total", json_integer((json_int_t) m->jobs_total)) < 0 ||
	       json_object_set_new(object, "jobs_submitted", json_integer((json_int_t) m->jobs_submitted)) < 0 ||
	       json_object_set_new(object, "jobs_completed", json_integer((json_int_t) m->jobs_completed)) < 0 ||
	       json_object_set_new(object, "jobs_missing", json_integer((json_int_t) m->jobs_missing)) < 0 ||
	       json_object_set_new(object, "jobs_by_state", states_json(m)) < 0 ||
	       json_object_set_new(object, "missing", missing_json(record)) < 0 ||
	       json_object_set_new(object, "probes_failed", json_integer((json_int_t) m->probes_failed)) < 0 ||
	       json_object_set_new(object, "events_malformed", json_integer((json_int_t) m->events_malformed)) < 0 ||
	       json_object_set_new(object, "bounded_slowdown_threshold_s",
				   json_number_or_null(m->slowdown_threshold_s)) < 0 ?
	       -1 : 0;
}

static int figures_set(json_t *object, const struct wt_metrics *m)
{
	json_t *kinds = json_object();

	for (size_t i = 0; i < WT_FIG_COUNT; i++) {
		const char *key = wt_figure_infos[i].key;

		if (json_object_set_new(object, key, json_number_or_null(m->figures[i].value)) < 0 ||
		    json_object_set_new(kinds, key, json_string(wt_kind_name(m->figures[i].kind))) < 0) {
			json_decref(kinds);
			return -1;
		}
	}
	return json_object_set_new(object, "kinds", kinds);
}

json_t *wt_summary_json(const struct wt_record *record, const struct wt_metrics *metrics)
{
	json_t *object = json_object();

	if (object && json_head_set(object, record) == 0 && counts_set(object, record, metrics) == 0 &&
	    figures_set(object, metrics) == 0)
		return object;
	json_decref(object);
	errno = ENOMEM;
	return NULL;
}

int wt_json_write(FILE *out, const void *json, struct wt_error *errp)
{
	return wt_json_print(out, json, errp);
}

static int u32_get(const json_t *object, const char *key, const char *name, uint32_t *value, struct wt_error *errp)
{
	int64_t wide;

	if (wt_json_integer(object, key, name, &wide, errp) < 0)
		return -1;
	if (wide < 0 || wide > UINT32_MAX)
		return wt_error_set(errp, EINVAL, "%s: %s is %lld", name, key, (long long) wide);
	*value = (uint32_t) wide;
	return 0;
}

static int number_get(const json_t *object, const char *key, const char *name, double *value, struct wt_error *errp)
{
	*value = NAN;
	if (json_is_null(json_object_get(object, key)))
		return 0;
	return wt_json_number(object, key, name, value, errp);
}

static int text_get(const json_t *object, const char *key, const char *name, char **value, struct wt_error *errp)
{
	const char *text;

	if (json_is_null(json_object_get(object, key)))
		return 0;
	text = wt_json_string(object, key, name, errp);
	if (!text)
		return -1;
	*value = strdup(text);
	return *value ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);
}

static int seed_get(const json_t *object, const char *name, uint64_t *seed, struct wt_error *errp)
{
	const json_t *value = json_object_get(object, "seed");

	if (json_is_string(value))
		return wt_str_to_u64(json_string_value(value), 0, UINT64_MAX, "seed", seed, errp);
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wt_error_set(errp, EINVAL, "%s: seed is missing or not a whole number", name);
	*seed = (uint64_t) json_integer_value(value);
	return 0;
}

/* Of a key that older records do not have. */
static int newer_get(const json_t *object, const char *key, const char *name, double *value, struct wt_error *errp)
{
	return json_object_get(object, key) ? number_get(object, key, name, value, errp) : 0;
}

static int later_figures_get(struct wt_record *record, const json_t *o, const char *name, struct wt_error *errp)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < WT_PLACED_COUNT; i++)
		rc = newer_get(o, wt_figure_infos[WT_FIG_PLACED_FEWEST + i].key, name, &record->placed[i], errp);
	for (int i = 0; rc == 0 && i < WT_COST_COUNT; i++)
		rc = newer_get(o, wt_figure_infos[WT_FIG_NODES_BUSY + i].key, name, &record->costs[i], errp);
	return rc;
}

static int head_get(struct wt_record *record, const json_t *o, const char *name, struct wt_error *errp)
{
	return text_get(o, "workload", name, &record->workload, errp) < 0 ||
	       text_get(o, "backend", name, &record->backend, errp) < 0 ||
	       text_get(o, "clock", name, &record->clock, errp) < 0 ||
	       u32_get(o, "nodes", name, &record->nodes, errp) < 0 || u32_get(o, "cpus", name, &record->cpus, errp) < 0 ||
	       seed_get(o, name, &record->seed, errp) < 0 ||
	       number_get(o, "time_scale", name, &record->time_scale, errp) < 0 ||
	       number_get(o, "begin_s", name, &record->begin_s, errp) < 0 ||
	       newer_get(o, "cancel_begin_s", name, &record->cancel_s, errp) < 0 ||
	       later_figures_get(record, o, name, errp) < 0 ||
	       number_get(o, "ideal_s", name, &record->ideal_s, errp) < 0 ||
	       number_get(o, "wall_s", name, &record->wall_s, errp) < 0 ||
	       number_get(o, "controller_cpu_s", name, &record->controller_cpu_s, errp) < 0 ? -1 : 0;
}

int wt_summary_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp)
{
	json_error_t error;
	json_t *object = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	int rc;

	if (!object)
		return wt_error_set(errp, EINVAL, "%s:%d: %s", name, error.line, error.text);
	rc = head_get(record, object, name, errp);
	json_decref(object);
	return rc;
}
