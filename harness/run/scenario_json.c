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

/* Only where it was asked for, so that scenarios of before have the same keys. */
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
	json_t *sets, *nodes, *elastic, *v;

	if (!wanted->given)
		return json_null();
	sets = json_array();
	for (size_t i = 0; i < wanted->set_count; i++)
		json_array_append_new(sets, wt_json_text(wanted->sets[i]));
	nodes = json_array();
	for (size_t i = 0; i < wanted->node_setting_count; i++)
		json_array_append_new(nodes, wt_json_text(wanted->node_settings[i]));
	elastic = json_array();
	for (size_t i = 0; i < wanted->elastic_count; i++)
		json_array_append_new(elastic, wt_json_text(wanted->elastic[i]));
	v = json_pack("{s:I, s:s?, s:o?, s:I, s:o?, s:o?, s:s?, s:o, s:o, s:o}", "nodes", (json_int_t) wanted->nodes,
			 "backend", wanted->backend,
			 "shape", wt_json_text(wanted->shape), "memory_mib", (json_int_t) wanted->memory_mib, "topology",
			 wt_json_text(wanted->topology_file),
			 "conf", wt_json_text(wanted->conf_file), "plugin", wanted->plugin, "set", sets, "node", nodes,
			 "elastic", elastic);
	accounting_json(v, wanted);
	return v;
}

/* NULL: by the machine's clock. */
static const char *charge(const struct wt_scenario *s)
{
	if (!s->virtual_clock)
		return NULL;
	return s->charge ? s->charge : "real";
}

static json_t *run_json(const struct wt_scenario *s, const char *seed)
{
	return json_pack("{s:o, s:s, s:f, s:f, s:s, s:o, s:o?, s:o?, s:I, s:f, s:f, s:b, s:s?, s:I}", "workload",
			 wt_choice_json(s), "seed", seed,
			 "time_scale", s->shared.time_scale, "limit_factor", s->shared.limit_factor, "probe",
			 wt_probe_name(s->probe),
			 "own_cluster", wanted_json(&s->own_cluster), "cluster", wt_json_text(s->cluster), "partition",
			 wt_json_text(s->partition), "repeat", (json_int_t) s->repeat, "timeout_s", s->timeout_s,
			 "sample_interval_s", s->sample_interval_s, "keep_going", (int) s->keep_going, "charge", charge(s),
			 "submitters", (json_int_t) wt_choice_submitters(s));
}

static json_t *esp_options_json(const struct wt_scenario *s, const char *seed)
{
	return json_pack("{s:s, s:s, s:s, s:f, s:I, s:o, s:f, s:s, s:o, s:o?, s:o?, s:I, s:f, s:f, s:b, s:s?}",
			 "variant", wt_esp_variant_name(s->esp.variant), "unit", wt_esp_unit_name(s->esp.unit), "seed", seed,
			 "time_scale", s->shared.time_scale, "burst", (json_int_t) s->esp.burst_jobs,
			 "arrival", arrival_json(&s->esp.arrival), "limit_factor", s->shared.limit_factor,
			 "probe", wt_probe_name(s->probe), "own_cluster", wanted_json(&s->own_cluster), "cluster",
			 wt_json_text(s->cluster),
			 "partition", wt_json_text(s->partition), "repeat", (json_int_t) s->repeat, "timeout_s",
			 s->timeout_s,
			 "sample_interval_s", s->sample_interval_s, "keep_going", (int) s->keep_going, "charge", charge(s));
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
static int rare_set(json_t *json, const struct wt_scenario *s)
{
	char text[WT_PERTURB_TEXT_SIZE], seed[32];
	int rc = 0;

	if (s->perturb.model != WT_PERTURB_NONE) {
		wt_perturb_text(&s->perturb, text);
		rc = json_object_set_new(json, "perturb", json_string(text));
	}
	if (rc == 0 && s->workload_seed_given) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long) s->workload_seed);
		rc = json_object_set_new(json, "workload_seed", json_string(seed));
	}
	if (rc == 0 && s->cancel)
		rc = json_object_set_new(json, "cancel_after_s", json_real(s->cancel_after_s));
	return rc == 0 && s->real.given ? real_set(json, &s->real) : rc;
}

json_t *wt_scenario_json(const struct wt_scenario *s)
{
	char seed[32];
	json_t *json;

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long) s->shared.seed);
	json = s->choice.kind == WT_CHOICE_ESP ? esp_options_json(s, seed) : run_json(s, seed);
	if (json && rare_set(json, s) == 0)
		return json;
	json_decref(json);
	return NULL;
}
