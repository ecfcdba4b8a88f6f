/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin that SlurmctldPlugstack=straggler loads, up to 22.05: slurmctld begins it when it has read its jobs, and ends
 * it. */
#include "compat/controller.h"

#include "plugins/straggler/slurmctld/slurmctld_straggler.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_name[] = "windtunnel's speculative copies of slow array tasks";
EXPORT const char plugin_type[] = "slurmctld/straggler";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

EXPORT int init(void)
{
	straggler_begin();
	return SLURM_SUCCESS;	/* else slurmctld would not start */
}

EXPORT int fini(void)
{
	straggler_end();
	return SLURM_SUCCESS;
}

/* Asked for by "scontrol show config". */
EXPORT void slurmctld_plugstack_p_get_config(config_plugin_params_t *p)
{
	(void) p;
}
