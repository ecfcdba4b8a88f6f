/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before its first test of a job slurmctld asks, once, whether select/cons_tres wants to be tested with the nodes of all
 * weights at the same time.  It does, and then slurmctld writes its weight into each node before each test, into all
 * nodes of the cluster: a fourth to a third of what a submission costs at 65,536.  Where there is one kind of nodes only,
 * with one weight, both ways are the same tests: these weights are equal, whatever they are. */
#include "compat/controller.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/decide.h"

#define EXPORT __attribute__((visibility("default")))

/* slurmctld's; Slurm's commands load the plugin, too, and have none. */
extern List config_list __attribute__((weak));

typedef int (*info_f)(enum select_plugindata_info, job_record_t *, void *);

EXPORT int select_p_get_info_from_plugin(enum select_plugindata_info info, job_record_t *job, void *data);

/* Of the reasons for which slurmctld tells nodes of one configuration apart those that the configuration names. */
static bool one_weight(void)
{
	return list_count(config_list) == 1 && slurm_conf.suspend_time == INFINITE &&
		(!slurm_conf.node_features_plugins || !*slurm_conf.node_features_plugins) &&
		!(slurm_conf.accounting_storage_enforce & ACCOUNTING_ENFORCE_LIMITS);
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
		error("windtunnel bestfit: bestfit_one_weight=on: there are several kinds of nodes, or they sleep, are "
		      "booted for jobs, or limited for accounts: it is off");
		return rc;
	}
	info("windtunnel bestfit: all nodes have one weight, until slurmctld starts again");
	*(uint32_t *) data = 0;
	return rc;
}
