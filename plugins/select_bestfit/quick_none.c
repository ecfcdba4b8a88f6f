/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quick.h where it is not possible: from 23.11 on the functions that make few nodes cheap are in Slurm's library, and the
 * tables that counts are kept of have another form.  Every test looks at all nodes, as Slurm's own does. */
#include "plugins/select_bestfit/quick.h"

#include "plugins/select_bestfit/again.h"
#include "plugins/select_bestfit/decide.h"

static bool verify_said;

bool quick_attach(void)
{
	return true;
}

int quick_job_test(job_test_f inner, const struct job_test *call)
{
	return again_job_test(inner, call);
}

void quick_configure(bool report)
{
	struct bestfit_settings settings;

	(void) report;
	decide_settings(&settings);
	if (settings.mode == BESTFIT_ON && settings.quick == BESTFIT_QUICK_VERIFY && !verify_said) {
		info("windtunnel bestfit: bestfit_quick=verify: nothing to compare, Slurm %s tests all jobs on all nodes",
		     WT_SLURM_VERSION);
		verify_said = true;
	}
}

void quick_node_changed(void)
{
}

void quick_clear(void)
{
}
