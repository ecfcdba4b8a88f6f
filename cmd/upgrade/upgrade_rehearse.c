/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/upgrade/upgrade_rehearse.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/upgrade/state_copy.h"
#include "cmd/upgrade/upgrade_stage.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/fenced.h"
#include "harness/upgrade/upgrade_report.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

/* ---- folders ---- */

static int output_prepare(const char *dir, struct wt_error *errp)
{
	const struct dirent *entry;
	bool empty = true;
	DIR *d;

	if (mkdir(dir, 0777) == 0)
		return 0;
	d = errno == EEXIST ? opendir(dir) : NULL;
	if (!d)
		return wt_error_errno(errp, errno, "%s", dir);
	while ((entry = readdir(d)))
		empty = empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
	closedir(d);
	return empty ? 0 : wt_error_set(errp, EINVAL, "%s is not empty: give a new folder for --output", dir);
}

/* Where the clusters will be, which all have one name. */
static int folder_find(struct upgrade_rehearsal *r, struct wt_error *errp)
{
	char *base = wt_clusterdir_base(true, errp);

	snprintf(r->name, sizeof(r->name), "upgrade-%ld", (long) getpid());
	r->folder = base ? wt_clusterdir_path(base, r->name, errp) : NULL;
	free(base);
	if (!r->folder)
		return -1;
	return access(r->folder, F_OK) == 0
		       ? wt_error_set(errp, EEXIST,
				      "there is a cluster '%s' already: end it with 'windtunnel cluster down %s'", r->name,
				      r->name)
		       : 0;
}

/* ---- one step ---- */

static void records_move(struct upgrade_records to[UPGRADE_KINDS], struct upgrade_records from[UPGRADE_KINDS])
{
	memcpy(to, from, UPGRADE_KINDS * sizeof(*to));
	memset(from, 0, UPGRADE_KINDS * sizeof(*from));
}

static void stage_clear(struct upgrade_stage *stage)
{
	for (int kind = 0; kind < UPGRADE_KINDS; kind++)
		upgrade_records_clear(&stage->records[kind]);
	free(stage->refused);
	free(stage->log);
}

/* The state that release 'number' of the way gets; the caller frees it. */
static char *state_path(const struct upgrade_rehearsal *r, size_t number)
{
	return wt_str_format("%s/state-%zu", r->work.path, number);
}

/* Release 'at' of the way on the state that release 'reader' gets, which is itself or the one behind it.  *refused and *log
 * become what it said, 'records' what it has. */
static int release_run(struct upgrade_rehearsal *r, const struct upgrade_way *way, size_t at, size_t reader, bool makes_jobs,
		       struct upgrade_records records[UPGRADE_KINDS], char **refused, char **log, struct wt_error *errp)
{
	bool keep = at == reader && at + 1 < way->count;
	char *label = wt_str_format("%zu-%s%s", reader, way->releases[at], at == reader ? "" : "-control");
	char *state = makes_jobs ? NULL : state_path(r, reader), *handed_on = keep ? state_path(r, at + 1) : NULL;
	struct upgrade_stage stage = {
		.release = way->releases[at], .label = label, .state = state, .handed_on = handed_on
	};
	int rc = -1;

	/* On the way back: from 24.11 on the file has more than the name, which an older release takes for another one. */
	stage.renamed = at > way->turn;
	if (label && (state || makes_jobs) && (handed_on || !keep))
		rc = upgrade_stage_run(r, &stage, errp);
	else
		wt_error_errno(errp, ENOMEM, "release %s", way->releases[at]);
	if (rc == 0) {
		records_move(records, stage.records);
		*refused = stage.refused;
		*log = stage.log;
		stage.refused = stage.log = NULL;
	}
	stage_clear(&stage);
	free(label);
	free(state);
	free(handed_on);
	return rc;
}

static int hop_compare(struct upgrade_hop *hop, const char *log, const char *control_log, struct wt_error *errp)
{
	const struct upgrade_side before = { hop->from, hop->before }, control = { hop->from, hop->control },
				  after = { hop->to, hop->after };

	if (upgrade_compare(&hop->result, &before, &control, &after, errp) < 0)
		return -1;
	return upgrade_said_read(&hop->said, log, control_log, errp);
}

/* The step to release 'at' of the way, of which the one before has 'before'. */
static int hop_run(struct upgrade_rehearsal *r, const struct upgrade_way *way, size_t at,
		   const struct upgrade_records *before, struct upgrade_hop *hop, struct wt_error *errp)
{
	char *control_log = NULL, *log = NULL;
	int rc;

	hop->from = way->releases[at - 1];
	hop->to = way->releases[at];
	hop->back = at > way->turn;
	hop->before = before;
	rc = release_run(r, way, at - 1, at, false, hop->control, &hop->control_refused, &control_log, errp);
	if (rc == 0 && !hop->control_refused)
		rc = release_run(r, way, at, at, false, hop->after, &hop->refused, &log, errp);
	if (rc == 0 && !hop->control_refused && !hop->refused)
		rc = hop_compare(hop, log, control_log, errp);
	free(control_log);
	free(log);
	return rc;
}

/* ---- the way ---- */

/* The first release: with jobs of our own making, or on the state that was given.  If it refuses that, 'hop' tells so. */
static int first_run(struct upgrade_rehearsal *r, const struct upgrade_way *way, struct upgrade_records *records,
		     struct upgrade_hop *hop, struct wt_error *errp)
{
	char *log = NULL, *strange;
	int rc = 0;

	hop->from = way->releases[0];
	hop->to = way->releases[1];
	if (release_run(r, way, 0, 0, !r->foreign, records, &hop->control_refused, &log, errp) < 0)
		return -1;
	/* Its jobs are lost already, and the rehearsal would not tell. */
	strange = upgrade_strange_node_find(log);
	if (strange && !hop->control_refused)
		rc = wt_error_set(errp, ENODEV,
				  "slurmctld: %s: give the nodes that the state speaks of, by --site or more "
				  "--nodes",
				  strange);
	if (rc == 0 && r->foreign)
		rc = upgrade_said_recovering(&hop->recovering, log, errp);
	free(strange);
	free(log);
	return rc;
}

/* Each release in turn; *count becomes the number of steps that there is something to tell of. */
static int way_run(struct upgrade_rehearsal *r, const struct upgrade_way *way, struct upgrade_records *records,
		   struct upgrade_hop *hops, size_t *count, struct wt_error *errp)
{
	const struct upgrade_records *before = records;

	*count = 0;
	if (first_run(r, way, records, &hops[0], errp) < 0)
		return -1;
	if (hops[0].control_refused) {
		*count = 1;
		return 0;
	}
	for (size_t at = 1; at < way->count; at++) {
		struct upgrade_hop *hop = &hops[at - 1];

		if (hop_run(r, way, at, before, hop, errp) < 0)
			return -1;
		*count = at;
		if (hop->control_refused || hop->refused)
			return 0;
		before = hop->after;
	}
	return 0;
}

static int hops_tell(const struct upgrade_wanted *wanted, const struct upgrade_hop *hops, size_t count,
		     struct wt_error *errp)
{
	json_t *json = upgrade_json(hops, count, wanted->state);
	char *path = wanted->output ? wt_str_format("%s/upgrade.json", wanted->output) : NULL;
	int rc = json && (path || !wanted->output) ? 0 : wt_error_errno(errp, ENOMEM, "upgrade.json");

	if (rc == 0 && path)
		rc = wt_json_save(path, json, errp);
	if (rc == 0 && wanted->json)
		rc = wt_json_print(stdout, json, errp);
	else if (rc == 0)
		upgrade_print(stdout, hops, count);
	json_decref(json);
	free(path);
	return rc < 0 ? -1 : upgrade_status(hops, count);
}

/* The given state, as the first release gets it. */
static int state_take_in(const struct upgrade_rehearsal *r, const char *state, struct wt_error *errp)
{
	char *dir = state_path(r, 0), *ctld = dir ? wt_str_format("%s/ctld", dir) : NULL;
	int rc = 0;

	if (!ctld)
		rc = wt_error_errno(errp, ENOMEM, "%s", state);
	else if (mkdir(dir, 0700) < 0 || mkdir(ctld, 0700) < 0)
		rc = wt_error_errno(errp, errno, "%s", dir);
	else if (state_copy_live(state, ctld, state_is_log_or_name, errp) < 0)
		rc = wt_error_prefix(errp, "--state");
	free(dir);
	free(ctld);
	return rc;
}

static int way_go(struct upgrade_rehearsal *r, const struct upgrade_wanted *wanted, const struct upgrade_way *way,
		  struct wt_error *errp)
{
	struct upgrade_records records[UPGRADE_KINDS] = { 0 };
	struct upgrade_hop *hops = calloc(way->count, sizeof(*hops));
	size_t count;
	int rc = hops ? 0 : wt_error_errno(errp, ENOMEM, "steps"), saved;

	if (rc == 0 && wanted->state)
		rc = state_take_in(r, wanted->state, errp);
	if (rc == 0)
		rc = way_run(r, way, records, hops, &count, errp);
	if (rc == 0)
		rc = hops_tell(wanted, hops, count, errp);
	saved = errno;
	for (size_t i = 0; hops && i < way->count; i++)
		upgrade_hop_clear(&hops[i]);
	free(hops);
	for (int kind = 0; kind < UPGRADE_KINDS; kind++)
		upgrade_records_clear(&records[kind]);
	errno = saved;
	return rc;
}

int upgrade_rehearse(const struct upgrade_wanted *wanted, const struct upgrade_way *way, struct wt_error *errp)
{
	struct upgrade_rehearsal r = {
		.site = wanted->site,
		.output = wanted->output,
		.nodes = wanted->nodes,
		.foreign = wanted->state != NULL,
		.quiet = wanted->quiet,
	};
	struct wt_error left;
	int rc = -1, saved;

	if (wanted->state && state_check(wanted->state, errp) < 0)
		return wt_error_prefix(errp, "--state");
	if (wanted->output && output_prepare(wanted->output, errp) < 0)
		return -1;
	/* Its triggers and jobs name programs and hosts of that cluster's. */
	if (wanted->state && setenv(WT_FENCED_ENV, "1", 1) < 0)
		return wt_error_errno(errp, errno, WT_FENCED_ENV);
	child_runner_begin(&r.runner);
	if (folder_find(&r, errp) == 0 && work_folder_make(&r.work, "windtunnel-upgrade", errp) == 0) {
		rc = way_go(&r, wanted, way, errp);
		saved = errno;
		if (work_folder_remove(&r.work, &left) < 0)
			fprintf(stderr, "windtunnel upgrade: copies of the state are left: %s\n", left.text);
		errno = saved;
	}
	saved = errno;
	child_runner_end(&r.runner);
	free(r.folder);
	errno = saved;
	return rc;
}
