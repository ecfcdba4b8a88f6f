/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "esp/esp.h"

static const char *const variant_names[] = {
	[WT_ESP_NORMAL] = "esp",
	[WT_ESP_LIGHT] = "light",
	[WT_ESP_PARALLEL_LIGHT] = "parallel-light",
};

static const char *const workload_names[] = {
	[WT_ESP_NORMAL] = "esp",
	[WT_ESP_LIGHT] = "light-esp",
	[WT_ESP_PARALLEL_LIGHT] = "parallel-light-esp",
};

static const char *const unit_names[] = {
	[WT_ESP_CPUS] = "cpus",
	[WT_ESP_NODES] = "nodes",
};

const char *wt_esp_variant_name(enum wt_esp_variant variant)
{
	return variant_names[variant];
}

const char *wt_esp_workload_name(enum wt_esp_variant variant)
{
	return workload_names[variant];
}

const char *wt_esp_unit_name(enum wt_esp_unit unit)
{
	return unit_names[unit];
}

int wt_esp_variant_parse(const char *name, enum wt_esp_variant *variant, struct wt_error *errp)
{
	for (size_t i = 0; i < sizeof(variant_names) / sizeof(variant_names[0]); i++)
		if (!strcmp(name, variant_names[i])) {
			*variant = (enum wt_esp_variant) i;
			return 0;
		}
	return wt_error_set(errp, EINVAL, "'%s' is not a variant of ESP: give esp, light or parallel-light", name);
}

int wt_esp_unit_parse(const char *name, enum wt_esp_unit *unit, struct wt_error *errp)
{
	for (size_t i = 0; i < sizeof(unit_names) / sizeof(unit_names[0]); i++)
		if (!strcmp(name, unit_names[i])) {
			*unit = (enum wt_esp_unit) i;
			return 0;
		}
	return wt_error_set(errp, EINVAL, "'%s' is not a unit of job sizes: give cpus or nodes", name);
}

void wt_esp_options_init(struct wt_esp_options *options)
{
	*options = (struct wt_esp_options) {
		.shared = WORKLOAD_OPTIONS_DEFAULT,
		.variant = WT_ESP_LIGHT,
		.unit = WT_ESP_CPUS,
		.burst_jobs = 50,
		.arrival = wt_arrival_default,
	};
}

int wt_esp_options_check(const struct wt_esp_options *options, struct wt_error *errp)
{
	if ((unsigned int) options->variant > WT_ESP_PARALLEL_LIGHT)
		return wt_error_set(errp, EINVAL, "variant %d of ESP is unknown", (int) options->variant);
	if ((unsigned int) options->unit > WT_ESP_NODES)
		return wt_error_set(errp, EINVAL, "unit %d of job sizes is unknown", (int) options->unit);
	if (!options->nodes || options->cpus < options->nodes)
		return wt_error_set(errp, EINVAL, "a machine of %u nodes with %u CPUs: it needs a node, and each node a CPU",
				    options->nodes, options->cpus);
	if (options->burst_jobs > 230)
		return wt_error_set(errp, EINVAL, "a burst of %u jobs: give 0 to 230", options->burst_jobs);
	if (workload_options_check(&options->shared, errp) < 0)
		return -1;
	return wt_arrival_check(&options->arrival, errp);
}
