/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "lib/json.h"
#include "harness/run/scenario.h"

static json_t *arrival_json(const struct wt_arrival *a)
{
	const char *model = wt_arrival_model_name(a->model);

	if (a->model == WT_ARRIVAL_UNIFORM)
		return json_pack("{s:s, s:f, s:f}", "model", model, "min_s", a->min_s, "max_s", a->max_s);
	return json_pack("{s:s, s:f, s:f}", "model", model, "mean_s", a->mean_s, "sd_s", a->sd_s);
}

static void text_json(json_t *v, const char *key, const char *text)
{
	if (text)
		json_object_set_new(v, key, wt_json_text(text));
}

static json_t *texts_json(char *const *texts, size_t count)
{
	json_t *json = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(json, wt_json_text(texts[i]));
	return json;
}

/* Only where it was asked for, so that scenarios of before have the same keys. */
static void site_json(json_t *v, const struct wt_cluster_wanted *wanted)
{
	json_t *files = json_array();

	for (size_t i = 0; i < wanted->file_count; i++)
		json_array_append_new(files, wt_json_text(wanted->files[i]));
	if (wanted->file_count)
		json_object_set(v, "file", files);
	json_decref(files);
	text_json(v, "site", wanted->site);
	text_json(v, "passwd", wanted->passwd_file);
	text_json(v, "group", wanted->group_file);
}

/* The same. */
static void accounting_json(json_t *v, const struct wt_cluster_wanted *wanted)
{
	json_t *files = json_array();

	for (size_t i = 0; i < wanted->accounts_file_count; i++)
		json_array_append_new(files, wt_json_text(wanted->accounts_files[i]));
	if (wanted->accounting)
		json_object_set_new(v, "accounting", json_true());
	if (wanted->accounts_file_count)
		json_object_set(v, "sacctmgr", files);
	json_decref(files);
}

static json_t *wanted_json(const struct wt_cluster_wanted *wanted)
{
	json_t *v;

	if (!wanted->given)
		return json_null();
	v = json_pack("{s:I, s:s?, s:o?, s:I, s:o?, s:o?, s:s?, s:o, s:o, s:o}", "nodes", (json_int_t) wanted->nodes,
			 "backend", wanted->backend,
			 "shape", wt_json_text(wanted->shape), "memory_mib", (json_int_t) wanted->memory_mib, "topology",
			 wt_json_text(wanted->topology_file),
			 "conf", wt_json_text(wanted->conf_file), "plugin", wanted->plugin, "set",
			 texts_json(wanted->sets, wanted->set_count), "node",
			 texts_json(wanted->node_settings, wanted->node_setting_count), "elastic",
			 texts_json(wanted->elastic, wanted->elastic_count));
	accounting_json(v, wanted);
	site_json(v, wanted);
	text_json(v, "credentials", wt_credentials_name(wanted->credentials));
	text_json(v, "allocator", wanted->allocator);
	if (wanted->save_interval_s)
		json_object_set_new(v, "save_interval_s", json_integer(wanted->save_interval_s));
	if (wanted->timer_slack_ms)
		json_object_set_new(v, "timer_slack_ms", json_integer(wanted->timer_slack_ms));
	return v;
}

/* NULL: by the machine's clock. */
static const char *charge(const struct wt_scenario *scenario)
{
	if (!scenario->virtual_clock)
		return NULL;
	return scenario->charge ? scenario->charge : "real";
}

static json_t *run_json(const struct wt_scenario *scenario, const char *seed)
{
	return json_pack("{s:o, s:s, s:f, s:f, s:s, s:o, s:o?, s:o?, s:I, s:f, s:f, s:b, s:s?, s:I}", "workload",
			 wt_choice_json(scenario), "seed", seed,
			 "time_scale", scenario->shared.time_scale, "limit_factor", scenario->shared.limit_factor,
			 "probe", wt_probe_name(scenario->probe), "own_cluster", wanted_json(&scenario->own_cluster),
			 "cluster", wt_json_text(scenario->cluster), "partition", wt_json_text(scenario->partition),
			 "repeat", (json_int_t) scenario->repeat, "timeout_s", scenario->timeout_s,
			 "sample_interval_s", scenario->sample_interval_s, "keep_going", (int) scenario->keep_going,
			 "charge", charge(scenario),
			 "submitters", (json_int_t) wt_choice_submitters(scenario));
}

static json_t *esp_options_json(const struct wt_scenario *scenario, const char *seed)
{
	return json_pack("{s:s, s:s, s:s, s:f, s:I, s:o, s:f, s:s, s:o, s:o?, s:o?, s:I, s:f, s:f, s:b, s:s?}",
			 "variant", wt_esp_variant_name(scenario->esp.variant), "unit", wt_esp_unit_name(scenario->esp.unit),
			 "seed", seed,
			 "time_scale", scenario->shared.time_scale, "burst", (json_int_t) scenario->esp.burst_jobs,
			 "arrival", arrival_json(&scenario->esp.arrival), "limit_factor", scenario->shared.limit_factor,
			 "probe", wt_probe_name(scenario->probe), "own_cluster", wanted_json(&scenario->own_cluster),
			 "cluster", wt_json_text(scenario->cluster), "partition", wt_json_text(scenario->partition),
			 "repeat", (json_int_t) scenario->repeat, "timeout_s", scenario->timeout_s,
			 "sample_interval_s", scenario->sample_interval_s, "keep_going", (int) scenario->keep_going,
			 "charge", charge(scenario));
}

static int real_set(json_t *json, const struct run_real *real)
{
	json_t *value = json_pack("{s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}", "reservation",
				  real->reservation ? wt_json_text(real->reservation) : NULL, "account",
				  real->account ? wt_json_text(real->account) : NULL, "qos",
				  real->qos ? wt_json_text(real->qos) : NULL, "max_jobs",
				  real->max_jobs ? json_integer((json_int_t) real->max_jobs) : NULL, "max_nodes",
				  real->max_nodes ? json_integer((json_int_t) real->max_nodes) : NULL, "max_node_hours",
				  real->max_node_hours > 0 ? json_real(real->max_node_hours) : NULL, "shared",
				  real->shared ? json_true() : NULL);

	return value ? json_object_update_new(json, value) : -1;
}

/* Only where they were given, so that scenarios of before have the same keys. */
static int rare_set(json_t *json, const struct wt_scenario *scenario)
{
	char text[WT_PERTURB_TEXT_SIZE], seed[32];
	int rc = 0;

	if (scenario->perturb.model != WT_PERTURB_NONE) {
		wt_perturb_text(&scenario->perturb, text);
		rc = json_object_set_new(json, "perturb", json_string(text));
	}
	if (rc == 0 && scenario->workload_seed_given) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long) scenario->workload_seed);
		rc = json_object_set_new(json, "workload_seed", json_string(seed));
	}
	if (rc == 0 && scenario->cancel)
		rc = json_object_set_new(json, "cancel_after_s", json_real(scenario->cancel_after_s));
	if (rc == 0 && scenario->profile_hz)
		rc = json_object_set_new(json, "profile_hz", json_integer((json_int_t) scenario->profile_hz));
	if (rc == 0 && scenario->cost.text_count)
		rc = json_object_set_new(json, "cost", texts_json(scenario->cost.texts, scenario->cost.text_count));
	if (rc == 0)
		rc = run_provision_json(json, &scenario->provision);
	return rc == 0 && scenario->real.given ? real_set(json, &scenario->real) : rc;
}

json_t *wt_scenario_json(const struct wt_scenario *scenario)
{
	char seed[32];
	json_t *json;

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long) scenario->shared.seed);
	json = scenario->choice.kind == WT_CHOICE_ESP ? esp_options_json(scenario, seed) : run_json(scenario, seed);
	if (json && rare_set(json, scenario) == 0)
		return json;
	json_decref(json);
	return NULL;
}
