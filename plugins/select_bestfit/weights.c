/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before its first test of a job slurmctld asks, once, whether select/cons_tres wants to be tested with the nodes of all
 * weights at the same time.  It does, and then slurmctld writes its weight into each node before each test, into all
 * nodes of the cluster: a fourth to a third of what a submission costs at 65,536.  Where there is one kind of nodes only,
 * with one weight, both ways are the same tests: these weights are equal, whatever they are. */
#include "compat/controller.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/weights.h"

#define EXPORT __attribute__((visibility("default")))

/* slurmctld's; Slurm's commands load the plugin, too, and have none. */
extern List config_list __attribute__((weak));
extern bitstr_t *power_node_bitmap __attribute__((weak));
#pragma weak part_list

typedef int (*info_f)(enum select_plugindata_info, job_record_t *, void *);

EXPORT int select_p_get_info_from_plugin(enum select_plugindata_info info, job_record_t *job, void *data);

static bool granted, broken_said;

/* A partition's SuspendTime has its nodes sleep whatever the cluster's says. */
static int part_sleeps(void *x, void *key)
{
	const part_record_t *part = x;

	(void) key;
	return part->suspend_time != INFINITE && part->suspend_time != NO_VAL;
}

static bool nodes_sleep(void)
{
	return slurm_conf.suspend_time != INFINITE || list_find_first(part_list, part_sleeps, NULL) ||
	       (power_node_bitmap && bit_ffs(power_node_bitmap) >= 0);
}

/* Of the reasons for which nodes of one configuration are told apart those that the configuration names.  A test of a job
 * with GPUs leaves in each node's weight how many of them are near free cores, for whatever job is tested next. */
static bool one_weight(void)
{
	return list_count(config_list) == 1 && !nodes_sleep() && !xstrcasestr(slurm_conf.gres_plugins, "gpu") &&
		(!slurm_conf.node_features_plugins || !*slurm_conf.node_features_plugins) &&
		!(slurm_conf.accounting_storage_enforce & ACCOUNTING_ENFORCE_LIMITS);
}

void weights_look(void)
{
	if (!granted || broken_said || one_weight())
		return;
	broken_said = true;
	error("windtunnel bestfit: bestfit_one_weight=on: nodes are of several kinds now, or sleep: until slurmctld starts "
	      "again those of the lowest weight are tested first, and alone");
}

int select_p_get_info_from_plugin(enum select_plugindata_info info, job_record_t *job, void *data)
{
	static info_f inner;
	struct bestfit_settings settings;
	int rc;

	if (!inner)
		inner = (info_f) dlsym(RTLD_NEXT, "select_p_get_info_from_plugin");
	rc = inner ? inner(info, job, data) : SLURM_ERROR;
	if (rc != SLURM_SUCCESS || info != SELECT_SINGLE_JOB_TEST || !running_in_slurmctld())
		return rc;
	decide_settings(&settings);
	if (!settings.one_weight)
		return rc;
	if (!one_weight()) {
		error("windtunnel bestfit: bestfit_one_weight=on: there are several kinds of nodes, or they sleep, have "
		      "GPUs, are booted for jobs, or limited for accounts: it is off");
		return rc;
	}
	info("windtunnel bestfit: all nodes have one weight, until slurmctld starts again");
	granted = true;
	*(uint32_t *) data = 0;
	return rc;
}
