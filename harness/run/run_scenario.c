/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's scenario.json, as soon as there is a folder and again when the cluster is known. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "harness/run/run_folder.h"
#include "harness/run/run_private.h"
#include "lib/json.h"
#include "lib/str.h"

int wt_run_folder_write(struct wt_run *run, struct wt_error *errp)
{
	char *logs = wt_str_format("%s/logs", run->dir), *path = wt_str_format("%s/scenario.json", run->dir);
	json_t *scenario = wt_run_folder_scenario(run->scenario, run->workload, &run->target.info, &run->target.partition,
						  run->tag, wt_clock_name(run->clock));
	int rc;

	if (!logs || !path || !scenario)
		rc = wt_error_errno(errp, ENOMEM, "run folder");
	else if (mkdir(logs, 0777) < 0 && errno != EEXIST)
		rc = wt_error_errno(errp, errno, "%s", logs);
	else
		rc = wt_json_save(path, scenario, errp);
	json_decref(scenario);
	free(logs);
	free(path);
	return rc;
}
