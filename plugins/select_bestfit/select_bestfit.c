/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin that slurmctld loads in place of select/cons_tres (windtunnel-bestfit(5)).
 *
 * It is linked with the distribution's select_cons_tres.so, in which dlsym () finds all functions that are not defined here.
 * Ours call the ones they hide with RTLD_NEXT.  The only thing changed inside is the choice among nodes that
 * can take a job: cons_common_callbacks.choose_nodes. */
#include "compat/controller.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/hooks.h"
#include "plugins/select_bestfit/offer.h"
#include "plugins/select_bestfit/quick.h"
#include "plugins/select_bestfit/sparse.h"

#define EXPORT __attribute__((visibility("default")))	/* Slurm finds these by name */

EXPORT const char plugin_name[] = "Windtunnel best fit on select/cons_tres";
EXPORT const char plugin_type[] = "select/cons_tres";
EXPORT const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

typedef int (*plain_f)(void);
typedef int (*job_test_f)(job_record_t *, bitstr_t *, uint32_t, uint32_t, uint32_t, uint16_t, List, List *, bitstr_t **);

EXPORT int init(void);
EXPORT int fini(void);
EXPORT int select_p_node_init(void);
EXPORT int select_p_reconfigure(void);
EXPORT int select_p_job_resized(job_record_t *job_ptr, node_record_t *node_ptr);
EXPORT int select_p_update_node_config(int index);
EXPORT int select_p_job_test(job_record_t *job_ptr, bitstr_t *node_bitmap, uint32_t min_nodes, uint32_t max_nodes,
			     uint32_t req_nodes, uint16_t mode, List preemptee_candidates, List *preemptee_job_list,
			     bitstr_t **exc_core_bitmap);

static job_test_f inner_job_test;

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
	bool complete = hooks_attach(), complete_arrays = sparse_attach();
	int rc = inner_call("init");

	inner_job_test = (job_test_f) dlsym(RTLD_NEXT, "select_p_job_test");
	if (rc != SLURM_SUCCESS || !inner_job_test)
		return SLURM_ERROR;
	if (!running_in_slurmctld())	/* sinfo, squeue and the like load it, too */
		return SLURM_SUCCESS;
	dladdr(&plugin_version, &self);
	info("windtunnel bestfit: version %s for Slurm %s, loaded from %s", WT_VERSION, WT_SLURM_VERSION,
	     self.dli_fname ? self.dli_fname : "?");
	if (complete && complete_arrays)
		decide_attach(&cons_common_callbacks);
	else
		error("windtunnel bestfit: all jobs are left to Slurm");
	return SLURM_SUCCESS;
}

int fini(void)
{
	if (running_in_slurmctld()) {
		quick_clear();
		decide_detach(&cons_common_callbacks);
	}
	return inner_call("fini");
}

static void configured(bool report)
{
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

int select_p_job_resized(job_record_t *job_ptr, node_record_t *node_ptr)
{
	static int (*inner)(job_record_t *, node_record_t *);
	int rc;

	if (!inner)
		inner = (int (*)(job_record_t *, node_record_t *)) dlsym(RTLD_NEXT, "select_p_job_resized");
	rc = inner ? inner(job_ptr, node_ptr) : SLURM_ERROR;
	quick_node_changed();
	return rc;
}

int select_p_update_node_config(int index)
{
	static int (*inner)(int);
	int rc;

	if (!inner)
		inner = (int (*)(int)) dlsym(RTLD_NEXT, "select_p_update_node_config");
	rc = inner ? inner(index) : SLURM_ERROR;
	quick_node_changed();
	return rc;
}

/* Give a placement back: the caller sees what it had before, and that the job cannot start now. */
static int start_refuse(job_record_t *job_ptr, bitstr_t *node_bitmap, bitstr_t *before)
{
	free_job_resources(&job_ptr->job_resrcs);
	bit_copybits(node_bitmap, before);
	return ESLURM_NODES_BUSY;
}

int select_p_job_test(job_record_t *job_ptr, bitstr_t *node_bitmap, uint32_t min_nodes, uint32_t max_nodes,
		      uint32_t req_nodes, uint16_t mode, List preemptee_candidates, List *preemptee_job_list,
		      bitstr_t **exc_core_bitmap)
{
	const struct quick_call call = {
		.job = job_ptr, .map = node_bitmap, .min_nodes = min_nodes, .max_nodes = max_nodes, .req_nodes = req_nodes,
			.mode = mode,
		.preemptable = preemptee_candidates, .preempted = preemptee_job_list, .excluded_cores = exc_core_bitmap,
	};
	/* Only what starts now waits: backfill's plans (WILL_RUN) would put it off by much more. */
	bool now = (mode & SELECT_MODE_BASE) == SELECT_MODE_RUN_NOW, may_hold = now && decide_may_hold(job_ptr);
	bitstr_t *before = may_hold ? bit_copy(node_bitmap) : NULL;
	int rc;

	decide_mode(mode);
	if (now && decide_offers())
		offer_begin();
	rc = quick_job_test(inner_job_test, &call);
	if (before && rc == SLURM_SUCCESS && !(preemptee_job_list && *preemptee_job_list &&
					       list_count(*preemptee_job_list)) &&
	    decide_hold(job_ptr, min_nodes, max_nodes, req_nodes))
		rc = start_refuse(job_ptr, node_bitmap, before);
	if (rc == SLURM_SUCCESS && offer_wanted())
		offer_log(job_ptr);
	offer_end();
	FREE_NULL_BITMAP(before);
	return rc;
}
