/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the inner select/cons_tres changes its tables for a job: its calls of these functions come here first. */
#include "compat/controller.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/allocs.h"
#include "plugins/select_bestfit/hooks.h"
#include "plugins/select_bestfit/supply.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int job_res_add_job(job_record_t *job_ptr, job_res_job_action_t action);
EXPORT int job_res_rm_job(part_res_record_t *part_record_ptr, node_use_record_t *node_usage, job_record_t *job_ptr,
			  job_res_job_action_t action, bool job_fini, bitstr_t *node_map);

typedef int (*add_f)(job_record_t *, job_res_job_action_t);
typedef int (*rm_f)(part_res_record_t *, node_use_record_t *, job_record_t *, job_res_job_action_t, bool, bitstr_t *);

static add_f inner_add;
static rm_f inner_rm;

void *hooks_next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		error("windtunnel bestfit: select/cons_tres has no %s: it is not the one that this plugin was built for",
		      name);
	return f;
}

bool hooks_attach(void)
{
	inner_add = (add_f) hooks_next("job_res_add_job");
	inner_rm = (rm_f) hooks_next("job_res_rm_job");
	return inner_add && inner_rm;
}

int job_res_add_job(job_record_t *job_ptr, job_res_job_action_t action)
{
	int rc = inner_add ? inner_add(job_ptr, action) : SLURM_ERROR;

	/* After the inner function, also when it has failed: it may have changed some tables before it did. */
	allocs_changed();
	if (job_ptr->job_resrcs && job_ptr->job_resrcs->node_bitmap)
		supply_job_changed(job_ptr->job_resrcs->node_bitmap);
	return rc;
}

/* The tables may be a copy in which backfill imagines the future: nothing has changed then. */
int job_res_rm_job(part_res_record_t *part_record_ptr, node_use_record_t *node_usage, job_record_t *job_ptr,
		   job_res_job_action_t action, bool job_fini, bitstr_t *node_map)
{
	int rc = inner_rm ? inner_rm(part_record_ptr, node_usage, job_ptr, action, job_fini, node_map) : SLURM_ERROR;

	if (part_record_ptr == select_part_record)
		allocs_changed();
	if (part_record_ptr == select_part_record && job_ptr->job_resrcs && job_ptr->job_resrcs->node_bitmap)
		supply_job_changed(job_ptr->job_resrcs->node_bitmap);
	return rc;
}
