/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin that slurmctld loads in place of select/cons_tres (windtunnel-bestfit(5)).
 *
 * It is linked with the distribution's select_cons_tres.so, in which dlsym () finds all functions that are not defined here.
 * Ours call the ones they hide with RTLD_NEXT.  The only thing changed inside is the choice among nodes that
 * can take a job: compat/chooser.h. */
#include "compat/job_test.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/offer.h"
#include "plugins/select_bestfit/quick.h"

#define EXPORT __attribute__((visibility("default")))	/* Slurm finds these by name */

EXPORT const char plugin_name[] = "Windtunnel best fit on select/cons_tres";
EXPORT const char plugin_type[] = "select/cons_tres";
EXPORT const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

typedef int (*plain_f)(void);

EXPORT int init(void);
EXPORT int fini(void);
EXPORT int select_p_node_init(void);
EXPORT int select_p_reconfigure(void);
EXPORT int select_p_job_test(JOB_TEST_PARAMETERS);

static job_test_f inner_job_test;
static bool complete, attach_tried;

static int inner_call(const char *name)
{
	plain_f f = (plain_f) dlsym(RTLD_NEXT, name);

	if (f)
		return f();
	error("windtunnel bestfit: select/cons_tres has no %s", name);
	return SLURM_ERROR;
}

int init(void)
{
	Dl_info self = { 0 };
	int rc;

	complete = quick_attach();	/* before anything of the inner plugin runs */
	rc = inner_call("init");
	/* Looked up once: dlsym (3) for each test would be dear, and the inner plugin is never exchanged. */
	inner_job_test = (job_test_f) dlsym(RTLD_NEXT, "select_p_job_test");
	if (rc != SLURM_SUCCESS || !inner_job_test)
		return SLURM_ERROR;
	if (!running_in_slurmctld())	/* sinfo, squeue and the like load it, too */
		return SLURM_SUCCESS;
	dladdr(&plugin_version, &self);
	info("windtunnel bestfit: version %s for Slurm %s, loaded from %s", WT_VERSION, WT_SLURM_VERSION,
	     self.dli_fname ? self.dli_fname : "?");
	if (!complete)
		error("windtunnel bestfit: all jobs are left to Slurm");
	return SLURM_SUCCESS;
}

int fini(void)
{
	if (running_in_slurmctld()) {
		quick_clear();
		decide_detach();
	}
	return inner_call("fini");
}

static void configured(bool report)
{
	/* Once, and only here: before it slurmctld has not loaded the plugins whose choice is to be ours. */
	if (complete && !attach_tried)
		decide_attach();
	attach_tried = true;
	decide_configure(report);
	quick_configure(report);
}

/* Before slurmctld reads jobs; the inner select_p_reconfigure () comes here, too. */
int select_p_node_init(void)
{
	int rc = inner_call("select_p_node_init");

	if (running_in_slurmctld())
		configured(false);
	return rc;
}

/* Whenever nodes, partitions or the configuration changed. */
int select_p_reconfigure(void)
{
	int rc = inner_call("select_p_reconfigure");

	if (running_in_slurmctld())
		configured(true);
	return rc;
}

/* Give a placement back: the caller sees what it had before, and that the job cannot start now. */
static int start_refuse(job_record_t *job_ptr, bitstr_t *node_bitmap, bitstr_t *before)
{
	free_job_resources(&job_ptr->job_resrcs);
	bit_copybits(node_bitmap, before);
	return ESLURM_NODES_BUSY;
}

int select_p_job_test(JOB_TEST_PARAMETERS)
{
	const struct job_test call = JOB_TEST_SET;
	/* Only what starts now waits: backfill's plans (WILL_RUN) would put it off by much more. */
	bool now = (mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW, may_hold = now && decide_may_hold(job);
	bitstr_t *before = may_hold ? bit_copy(map) : NULL;
	int rc;

	decide_mode(mode);
	if (now && decide_offers())
		offer_begin();
	rc = quick_job_test(inner_job_test, &call);
	/* Not a job that preempts: it would be put off, while the jobs that it was to replace are ended all the same. */
	if (before && rc == SLURM_SUCCESS && !(preempted && *preempted && list_count(*preempted)) &&
	    decide_hold(job, before, min_nodes, max_nodes, req_nodes))
		rc = start_refuse(job, map, before);
	if (rc == SLURM_SUCCESS && offer_wanted())
		offer_log(job);
	offer_end();
	FREE_NULL_BITMAP(before);
	return rc;
}
