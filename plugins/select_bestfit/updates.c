/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of slurmctld after which what quick.h keeps does not hold any more. */
#include "compat/controller.h"

#include <dlfcn.h>

#include "plugins/select_bestfit/quick.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int select_p_job_resized(job_record_t *job_ptr, node_record_t *node_ptr);
EXPORT int select_p_update_node_config(int index);

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
