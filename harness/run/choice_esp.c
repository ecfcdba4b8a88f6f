/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workloads of the ESP family. */
#include "config.h"

#include "harness/run/choice_private.h"

static const char *esp_name(const struct wt_scenario *scenario)
{
	return wt_esp_workload_name(scenario->esp.variant);
}

static struct wt_workload *esp_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
				      struct wt_error *errp)
{
	struct wt_esp_options options = scenario->esp;

	options.shared = scenario->shared;
	options.shared.seed = seed;
	options.nodes = nodes;
	options.cpus = cpus;
	return wt_esp_create(&options, errp);
}

static size_t esp_jobs_max(const struct wt_scenario *scenario)
{
	const struct wt_esp_class *classes = wt_esp_classes(scenario->esp.variant);
	size_t count = 0;

	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		count += classes[i].job_count;
	return count;
}

static json_t *esp_json(const struct wt_scenario *scenario)
{
	return json_pack("{s:s}", "name", esp_name(scenario));
}

static unsigned int esp_submitters(const struct wt_workload_choice *choice)
{
	(void) choice;
	return 1;
}

const struct choice_ops choice_esp = {
	.name = esp_name, .create = esp_create, .jobs_max = esp_jobs_max, .json = esp_json, .submitters = esp_submitters,
};
