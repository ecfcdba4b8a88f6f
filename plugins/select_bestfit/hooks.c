/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the inner select/cons_tres changes its tables for a job: its calls of these functions come here first. */
#include "wt_compat.h"

#include <dlfcn.h>

#include "supply.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int job_res_add_job(job_record_t *job_ptr, job_res_job_action_t action);
EXPORT int job_res_rm_job(part_res_record_t *part_record_ptr, node_use_record_t *node_usage, job_record_t *job_ptr,
			  job_res_job_action_t action, bool job_fini, bitstr_t *node_map);

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		fatal("windtunnel bestfit: select/cons_tres has no %s", name);
	return f;
}

int job_res_add_job(job_record_t *job_ptr, job_res_job_action_t action)
{
	static int (*inner)(job_record_t *, job_res_job_action_t);
	int rc;

	if (!inner)
		inner = (int (*)(job_record_t *, job_res_job_action_t)) next("job_res_add_job");
	rc = inner(job_ptr, action);
	if (job_ptr->job_resrcs && job_ptr->job_resrcs->node_bitmap)
		supply_job_changed(job_ptr->job_resrcs->node_bitmap);
	return rc;
}

/* The tables may be a copy in which backfill imagines the future: nothing has changed then. */
int job_res_rm_job(part_res_record_t *part_record_ptr, node_use_record_t *node_usage, job_record_t *job_ptr,
		   job_res_job_action_t action, bool job_fini, bitstr_t *node_map)
{
	static int (*inner)(part_res_record_t *, node_use_record_t *, job_record_t *, job_res_job_action_t, bool, bitstr_t *);
	int rc;

	if (!inner)
		inner = (int (*)(part_res_record_t *, node_use_record_t *, job_record_t *, job_res_job_action_t, bool,
				 bitstr_t *)) next("job_res_rm_job");
	rc = inner(part_record_ptr, node_usage, job_ptr, action, job_fini, node_map);
	if (part_record_ptr == select_part_record && job_ptr->job_resrcs && job_ptr->job_resrcs->node_bitmap)
		supply_job_changed(job_ptr->job_resrcs->node_bitmap);
	return rc;
}
