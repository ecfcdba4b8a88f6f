/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/advise_run.h"
#include "harness/report/report.h"
#include "harness/report/run_advice.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

#define CONF_MAX (16u << 20) /* bytes of a slurm.conf */

/* "" when there is none. */
static char *conf_read(const char *dir)
{
	char *path = wt_str_format("%s/slurm.conf", dir), *text = NULL;

	if (!path || wt_fs_read_regular(path, CONF_MAX, &text, NULL, NULL) < 0)
		text = strdup("");
	free(path);
	return text;
}

static json_t *hints_json(const char *dir, const struct run_hint *hints, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:f, s:s, s:o}", "setting", hints[i].setting, "value",
						      hints[i].value, "kind", wt_kind_name(hints[i].kind), "measured",
						      wt_json_text(hints[i].text)));
	return json_pack("{s:o, s:o}", "run", wt_json_text(dir), "settings", list);
}

static void hints_print(const char *dir, const struct wt_record *record, const struct run_hint *hints, size_t count)
{
	printf("%s: %s, %u %s nodes, %s clock\n", dir, record->workload ? record->workload : "workload", record->nodes,
	       record->backend ? record->backend : "unknown", record->clock ? record->clock : "unknown");
	if (count)
		printf("\nWhat its own measurements say:\n");
	for (size_t i = 0; i < count; i++)
		printf("  %s %g: %s [%s]\n", hints[i].setting, hints[i].value, hints[i].text, wt_kind_name(hints[i].kind));
	printf("\nNothing was changed in one run: %swhat another value brings, and all else, is for "
	       "'windtunnel experiment run', or for 'windtunnel try' with a site's own cluster.\n",
	       count ? "" : "its measurements speak for no setting; ");
}

static int record_advise(const char *dir, bool json, const struct wt_record *record, struct wt_error *errp)
{
	struct run_hint hints[RUN_HINTS_MAX];
	char *conf = conf_read(dir);
	struct wt_metrics metrics;
	json_t *value = NULL;
	size_t count = 0;
	int rc = conf ? wt_metrics_compute(&metrics, record, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);

	if (rc == 0)
		count = run_advice_make(hints, record, &metrics, conf);
	if (rc == 0 && json) {
		value = hints_json(dir, hints, count);
		rc = value ? wt_json_print(stdout, value, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);
		json_decref(value);
	} else if (rc == 0) {
		hints_print(dir, record, hints, count);
	}
	free(conf);
	return rc < 0 ? -1 : (int) count;
}

int advise_run(const char *dir, bool json, struct wt_error *errp)
{
	struct wt_record *record = wt_report_read(dir, errp);
	int count = record ? record_advise(dir, json, record, errp) : -1;

	wt_record_destroy(record);
	return count;
}
