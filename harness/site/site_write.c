/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h: a site's folder, written under another name and then given its own. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/site/imported.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/outfile.h"
#include "lib/str.h"
#include "workload/jobs_file.h"

struct folder {			/* the one that is being written */
	const struct wt_imported *site;
	const char *path;
};

static char *file_path(const struct folder *f, const char *name, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", f->path, name);

	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", name);
	return path;
}

/* 'text' NULL: there is no such file. */
static int text_write(const struct folder *f, const char *name, const char *text, struct wt_error *errp)
{
	char *path = text ? file_path(f, name, errp) : NULL;
	int rc = path ? wt_fs_write(path, text, strlen(text), 0644, errp) : text ? -1 : 0;

	free(path);
	return rc;
}

/* Takes the text over; NULL: memory has ended. */
static int made_write(const struct folder *f, const char *name, char *text, struct wt_error *errp)
{
	int rc = text ? text_write(f, name, text, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(text);
	return rc;
}

static int jobs_print(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_imported *site = arg;
	const struct wt_site_jobs *jobs = &site->jobs;
	struct wt_swf_trace trace = { .job_count = jobs->count, .max_nodes = site->nodes, .max_procs = site->cpus,
				       .world = site->world.world };
	int rc;

	trace.jobs = calloc(jobs->count + 1, sizeof(*trace.jobs));
	if (!trace.jobs)
		return wt_error_errno(errp, ENOMEM, "jobs");
	for (size_t i = 0; i < jobs->count; i++)
		trace.jobs[i] = jobs->list[i].job;
	rc = wt_jobs_file_write(out, &trace, errp);
	free(trace.jobs);	/* what its jobs have is not its own */
	return rc;
}

/* What was written is what a run can read: a job that it would refuse is a fault of the import. */
static int jobs_check(const char *path, size_t count, size_t events, struct wt_error *errp)
{
	FILE *in = wt_fs_stream_regular(path, errp);
	struct wt_swf_trace trace;
	int rc = in ? wt_jobs_file_read(&trace, in, path, NULL, errp) : -1;

	if (in)
		fclose(in);
	if (rc < 0)
		return wt_error_prefix(errp, "what was imported cannot be read");
	if (trace.job_count != count)
		rc = wt_error_set(errp, EINVAL, "%s: %zu jobs were written, %zu are read", path, count, trace.job_count);
	else if (trace.world.count != events)
		rc = wt_error_set(errp, EINVAL, "%s: %zu events were written, %zu are read", path, events,
				  trace.world.count);
	wt_swf_trace_clear(&trace);
	return rc;
}

static int jobs_write(const struct folder *f, struct wt_error *errp)
{
	char *jobs, *recorded;
	int rc = -1;

	if (!f->site->has_jobs)
		return 0;
	jobs = file_path(f, "jobs.jsonl", errp);
	recorded = file_path(f, "recorded.csv", errp);
	if (jobs && recorded && wt_outfile_write(jobs, jobs_print, f->site, errp) == 0 &&
	    wt_outfile_write(recorded, wt_site_jobs_recorded, &f->site->jobs, errp) == 0)
		rc = jobs_check(jobs, f->site->jobs.count, f->site->world.world.count, errp);
	free(jobs);
	free(recorded);
	return rc;
}

/* Who has used something is somebody of the accounts. */
static int usage_write(const struct folder *f, struct wt_error *errp)
{
	char *path;
	int rc;

	if (!f->site->has_usage || !f->site->has_accounts)
		return 0;
	path = file_path(f, "usage.csv", errp);
	rc = path ? wt_outfile_write(path, wt_site_usage_write, &f->site->usage, errp) : -1;
	free(path);
	return rc;
}

static int json_write(const struct folder *f, struct wt_error *errp)
{
	json_t *json = wt_imported_json(f->site);
	char *path = file_path(f, "import.json", errp);
	int rc = json && path ? wt_json_save(path, json, errp) : wt_error_errno(errp, ENOMEM, "import.json");

	json_decref(json);
	free(path);
	return rc;
}

static int all_write(const struct folder *f, struct wt_error *errp)
{
	const struct wt_imported *site = f->site;

	if (made_write(f, "slurm.conf", wt_imported_conf(site), errp) < 0 ||
	    text_write(f, "topology.conf", site->topology, errp) < 0 || text_write(f, "gres.conf", site->gres, errp) < 0)
		return -1;
	if (site->has_accounts &&
	    text_write(f, "accounts.cfg", site->accounts.text.len ? site->accounts.text.text : "", errp) < 0)
		return -1;
	if (made_write(f, "passwd", wt_people_passwd(&site->people), errp) < 0 ||
	    made_write(f, "group", wt_people_groups(&site->people), errp) < 0)
		return -1;
	return jobs_write(f, errp) < 0 || usage_write(f, errp) < 0 ? -1 : json_write(f, errp);
}

/* "path" without the '/' at its end. */
static char *name_plain(const char *path)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return strndup(path, len);
}

static int exists_refuse(const char *path, struct wt_error *errp)
{
	return wt_error_set(errp, EEXIST, "%s: it exists already, and nothing there is replaced: give another name", path);
}

static int folder_write(const struct wt_imported *site, const char *path, char *draft, struct wt_error *errp)
{
	const struct folder f = { .site = site, .path = draft };
	struct stat st;
	mode_t mask;
	int rc;

	if (lstat(path, &st) == 0)
		return exists_refuse(path, errp);
	if (errno != ENOENT)
		return wt_error_errno(errp, errno, "%s", path);
	if (!mkdtemp(draft))
		return wt_error_errno(errp, errno, "%s", draft);
	mask = umask(0);
	umask(mask);
	rc = all_write(&f, errp);
	if (rc == 0 && chmod(draft, 0777 & ~mask) < 0)
		rc = wt_error_errno(errp, errno, "%s", draft);
	/* Also an empty folder that another process has made meanwhile stays what it is. */
	if (rc == 0 && wt_fs_move_folder(draft, path, errp) < 0)
		rc = errno == EEXIST ? exists_refuse(path, errp) : -1;
	if (rc < 0) {
		int saved_errno = errno;

		wt_fs_remove_tree(draft, NULL);
		errno = saved_errno;
	}
	return rc;
}

int wt_imported_write(const struct wt_imported *site, const char *path, struct wt_error *errp)
{
	char *name = name_plain(path), *draft = name ? wt_str_format("%s.import-XXXXXX", name) : NULL;
	int rc = draft ? folder_write(site, name, draft, errp) : wt_error_errno(errp, ENOMEM, "%s", path);

	free(name);
	free(draft);
	return rc;
}
